//! The transmissions of a response as they are stored.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::track::field::{FixKey, fix_key};
use crate::track::{Records, Transmission};
use crate::watch::Answer;

/// A transmission with its index among those of the same time and its number of
/// duplicates.
pub(super) struct Sent<'a> {
    pub(super) fix: &'a Transmission,
    /// When it was received, UNIX seconds, if that was before its time.
    pub(super) received: Option<f64>,
    pub(super) index: u32,
    /// Nought for one of a file, which no service has sent.
    pub(super) times: u32,
}

/// The order of the key: time, latitude, longitude.
pub(super) fn by_key(a: &Transmission, b: &Transmission) -> Ordering {
    let by_time = a.time_stamp.total_cmp(&b.time_stamp);
    let by_latitude = || a.position.latitude.total_cmp(&b.position.latitude);
    let by_longitude = || a.position.longitude.total_cmp(&b.position.longitude);
    by_time.then_with(by_latitude).then_with(by_longitude)
}

/// The transmissions of a response without duplicates, in the order of the key,
/// so that SQLite writes each page once.
pub(super) fn each_once(records: &Records) -> Vec<Sent<'_>> {
    let key = |fix: &Transmission| fix_key(fix.time_stamp, fix.position);
    let early: HashMap<FixKey, f64> = records
        .early
        .iter()
        .map(|record| (key(&record.fix), record.received))
        .collect();
    let received = |fix: &Transmission| early.get(&key(fix)).copied();
    let as_sent = |fix| Sent {
        fix,
        received: received(fix),
        index: 0,
        times: 1,
    };
    let mut sent: Vec<Sent<'_>> = records.transmissions.iter().map(as_sent).collect();
    // Stable: transmissions of the same time stay in the order of the response.
    sent.sort_by(|a, b| a.fix.time_stamp.total_cmp(&b.fix.time_stamp));
    for group in sent.chunk_by_mut(|a, b| a.fix.time_stamp == b.fix.time_stamp) {
        if group.len() == 1 {
            continue;
        }
        for (index, sent) in (0..).zip(group.iter_mut()) {
            sent.index = index;
        }
        // Of duplicates the first remains, with their number.
        group.sort_by(|a, b| by_key(a.fix, b.fix));
        for duplicates in group.chunk_by_mut(|a, b| a.fix == b.fix) {
            let count = u32::try_from(duplicates.len()).unwrap_or(u32::MAX);
            if let Some((first, rest)) = duplicates.split_first_mut() {
                first.times = count;
                rest.iter_mut().for_each(|duplicate| duplicate.times = 0);
            }
        }
    }
    sent.retain(|sent| sent.times > 0);
    sent
}

/// A transmission whose time is later than that of its reception by more than this was stamped by
/// another clock, seconds.
const EARLY_S: f64 = 60.0;
/// A time that is further ahead is of a wrong clock, seconds: maybe of this computer's, where no
/// service has confirmed that.
const FAR_AHEAD_S: f64 = 86_400.0;

/// When transmissions were received.
#[derive(Debug, Clone, Copy)]
pub(in crate::archive) struct Reception {
    /// By the later of both clocks, UNIX seconds.
    at: f64,
    /// `true` if the service said what its clock shows.
    is_confirmed: bool,
    /// `true` if they are those of a file.
    is_import: bool,
}

impl Reception {
    /// From a file, by this computer's clock alone, UNIX seconds.
    pub(in crate::archive) fn import(at: f64) -> Self {
        Self {
            at,
            is_confirmed: false,
            is_import: true,
        }
    }

    /// `true` if a transmission of this time (UNIX seconds) was received before it.
    fn is_before(self, time: f64) -> bool {
        let ahead_s = time - self.at;
        ahead_s > EARLY_S && (self.is_confirmed || ahead_s <= FAR_AHEAD_S)
    }
}

impl From<&Answer> for Reception {
    fn from(answer: &Answer) -> Self {
        Self {
            at: answer.clock().as_kept(answer.received_at),
            is_confirmed: answer.clock_ahead_s.is_some(),
            is_import: false,
        }
    }
}

/// Notes how these transmissions were received, and which of them before their time. When those of the
/// `first` response were sent is not known: they say as much as its other transmissions.
pub(super) fn note_reception(sent: &mut [Sent<'_>], reception: Reception, first: bool) {
    let is_early = |time: f64| reception.is_before(time);
    let others = sent
        .iter()
        .map(|sent| sent.fix.time_stamp)
        .filter(|time| first && !is_early(*time));
    let received = others.max_by(f64::total_cmp).unwrap_or(reception.at);
    for sent in sent.iter_mut() {
        let is_early = is_early(sent.fix.time_stamp);
        sent.received = sent.received.or(is_early.then_some(received));
        if reception.is_import {
            sent.times = 0;
        }
    }
}
