//! How many requests are in progress at once.

use super::Agenda;

/// How long a request keeps its place, seconds. If it takes longer, it goes on in addition to
/// others.
pub(crate) const HOLDS_UP_S: f64 = 5.0;

/// How many requests may keep their places where `late` others are in progress that no longer
/// do.
// More with each of them: where a hundred hang, those after them would wait for minutes.
pub(crate) fn places(places: usize, late: usize) -> usize {
    places + late / 2
}

impl Agenda {
    /// How many requests may begin at `now` (UNIX seconds) where `at_once` keep their places.
    pub(crate) fn room(&self, now: f64, at_once: usize) -> usize {
        let recent = self.began_within(HOLDS_UP_S, now);
        places(at_once, self.asking.len() - recent).saturating_sub(recent)
    }

    /// How many of the requests in progress began at most `within_s` seconds before `now` (UNIX
    /// seconds).
    pub(crate) fn began_within(&self, within_s: f64, now: f64) -> usize {
        let recent = self.asking.iter().filter(|(_, at)| now - at < within_s);
        recent.count()
    }
}
