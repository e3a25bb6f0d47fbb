//! A moment of the past that the list and its map show.

pub(in crate::dashboard) mod update;

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use crate::watch::Overview;

/// A moment of the past, with the overview of each deployment then.
#[derive(Debug, Clone)]
pub(crate) struct Moment {
    /// UNIX seconds.
    pub at: f64,
    /// The overviews of then.
    overviews: HashMap<Uuid, Arc<Overview>>,
    /// `true` while those of the tracks that are not in memory are read.
    is_reading: bool,
    /// The time of a step to another, seconds.
    step_s: f64,
    /// When the next is played, UNIX seconds; `None` if none is.
    pub(in crate::dashboard) plays_at: Option<f64>,
}

impl Moment {
    /// The text of the row of a deployment without an overview.
    pub(super) fn unread_words(&self) -> &'static str {
        if self.is_reading {
            "reading …"
        } else {
            "not known then"
        }
    }
}
