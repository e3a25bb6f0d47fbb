//! The messages that wait to be sent.

use std::collections::{HashSet, VecDeque};

use uuid::Uuid;

use super::message::Message;
use crate::ops::store::Store;

/// Where alarms are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kept {
    /// In the user's archive.
    Archive,
    /// In memory, because they could not be stored.
    Memory,
}

/// A message that waits, and the store of its alarms.
pub(super) struct Queued {
    pub(super) store: Store,
    pub(super) kept: Kept,
    pub(super) message: Message,
}

/// The index of the message that is sent next: the first of whose deployments none is `busy` or
/// has a message that waits longer.
pub(super) fn next(queue: &VecDeque<Queued>, busy: &HashSet<Option<Uuid>>) -> Option<usize> {
    let mut earlier: HashSet<&Option<Uuid>> = busy.iter().collect();
    queue.iter().position(|queued| {
        let mut about = queued.message.about.iter();
        let is_free = about.all(|deployment| !earlier.contains(deployment));
        earlier.extend(&queued.message.about);
        is_free
    })
}
