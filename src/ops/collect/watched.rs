//! The watch list of a collector: when each deployment is due, and which are being
//! asked for. What is due is found without a walk over the list.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use uuid::Uuid;

use crate::track::Deployment;

/// A deployment and when it is due.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) entry: Deployment,
    /// UNIX seconds.
    pub(super) next: f64,
    pub(super) failures: u32,
    /// Whether it was fetched or failed in this run.
    pub(super) is_done: bool,
    /// The reading of the list that it was found in last.
    reading: u32,
}

/// A deployment's place in the list, ordered by when it is due.
#[derive(Debug, Clone, Copy)]
struct Due(f64, usize);

impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Due {}

/// The deployments that a collector asks for.
#[derive(Debug, Default)]
pub(super) struct WatchedList {
    list: Vec<Watched>,
    places: HashMap<Uuid, usize>,
    /// Those that nothing is being asked for.
    waiting: BTreeSet<Due>,
    /// Those that are being asked for, and since when.
    asked: HashMap<Uuid, Instant>,
    /// Each is asked for once.
    once: bool,
    reading: u32,
}

impl WatchedList {
    /// A list without deployments, of which each is asked for once only with
    /// `once`.
    pub(super) fn new(once: bool) -> Self {
        Self {
            once,
            ..Self::default()
        }
    }

    /// Number of deployments.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Begins a reading of the list; [`WatchedList::end_reading`] takes off what is
    /// not put on it until then.
    pub(super) fn begin_reading(&mut self) {
        self.reading = self.reading.wrapping_add(1);
    }

    /// Puts an entry on the list, or takes over what has changed of it.
    pub(super) fn put(&mut self, entry: Deployment) {
        let reading = self.reading;
        if let Some(known) = self.get_mut(entry.uuid) {
            (known.entry, known.reading) = (entry, reading);
            return;
        }
        let (place, next) = (self.list.len(), f64::NEG_INFINITY);
        self.places.insert(entry.uuid, place);
        self.list.push(Watched {
            entry,
            next,
            failures: 0,
            is_done: false,
            reading,
        });
        self.waiting.insert(Due(next, place));
    }

    /// Ends a reading.
    pub(super) fn end_reading(&mut self) {
        let reading = self.reading;
        if self.list.iter().any(|one| one.reading != reading) {
            self.list.retain(|one| one.reading == reading);
            self.arrange();
        }
    }

    /// Makes all due.
    pub(super) fn make_due(&mut self) {
        for one in &mut self.list {
            one.next = f64::NEG_INFINITY;
        }
        self.arrange();
    }

    /// Finds anew where each deployment is, and what waits.
    fn arrange(&mut self) {
        let places = self.list.iter().enumerate();
        self.places = places
            .clone()
            .map(|(place, one)| (one.entry.uuid, place))
            .collect();
        self.waiting = places
            .filter(|(_, one)| !(self.once && one.is_done))
            .filter(|(_, one)| !self.asked.contains_key(&one.entry.uuid))
            .map(|(place, one)| Due(one.next, place))
            .collect();
    }

    fn get_mut(&mut self, uuid: Uuid) -> Option<&mut Watched> {
        self.list.get_mut(*self.places.get(&uuid)?)
    }

    /// A deployment on the list.
    pub(super) fn get(&self, uuid: Uuid) -> Option<&Watched> {
        self.list.get(*self.places.get(&uuid)?)
    }

    /// Begins to ask for the deployment that has waited longest of those due at
    /// `now` (UNIX seconds); none where nothing is due.
    pub(super) fn begin(&mut self, now: f64) -> Option<&Deployment> {
        let due = self.waiting.first().filter(|one| one.0 <= now).copied()?;
        self.waiting.remove(&due);
        let entry = &self.list.get(due.1)?.entry;
        self.asked.insert(entry.uuid, Instant::now());
        Some(entry)
    }

    /// How many requests are in progress, and how many of them began no longer ago
    /// than this.
    pub(super) fn in_progress(&self, within: Duration) -> (usize, usize) {
        let recent = self.asked.values().filter(|at| at.elapsed() < within);
        (self.asked.len(), recent.count())
    }

    /// When the next deployment that nothing is being asked for is due, UNIX
    /// seconds.
    pub(super) fn soonest(&self) -> Option<f64> {
        self.waiting.first().map(|one| one.0)
    }

    /// Ends the request for a deployment; returns how long it took.
    pub(super) fn end(&mut self, uuid: Uuid) -> Duration {
        let asked = self.asked.remove(&uuid);
        asked.map_or(Duration::ZERO, |at| at.elapsed())
    }

    /// Sets when a deployment is due, UNIX seconds, and how often it failed in a
    /// row. It had its turn.
    pub(super) fn wait_until(&mut self, uuid: Uuid, next: f64, failures: u32) {
        let (Some(&place), once) = (self.places.get(&uuid), self.once) else {
            return;
        };
        let Some(one) = self.list.get_mut(place) else {
            return;
        };
        self.waiting.remove(&Due(one.next, place));
        (one.next, one.failures, one.is_done) = (next, failures, true);
        if !once {
            self.waiting.insert(Due(next, place));
        }
    }

    /// Those that had no turn.
    pub(super) fn without_turn(&self) -> impl Iterator<Item = &Deployment> {
        let left = self.list.iter().filter(|one| !one.is_done);
        left.map(|one| &one.entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(once: bool, count: u128) -> WatchedList {
        let mut list = WatchedList::new(once);
        list.begin_reading();
        for number in 0..count {
            list.put(Deployment::new(Uuid::from_u128(number)));
        }
        list.end_reading();
        list
    }

    fn begun(list: &mut WatchedList, now: f64) -> Vec<u128> {
        std::iter::from_fn(|| Some(list.begin(now)?.uuid.as_u128())).collect()
    }

    #[test]
    fn what_has_waited_longest_is_asked_for_first_and_once_at_a_time() {
        let mut all = list(false, 4);
        assert_eq!(begun(&mut all, 0.0), [0, 1, 2, 3]);
        assert_eq!(all.in_progress(Duration::from_secs(5)), (4, 4));
        for (number, next) in [(0, 30.0), (1, 10.0), (2, 20.0)] {
            all.end(Uuid::from_u128(number));
            all.wait_until(Uuid::from_u128(number), next, 0);
        }
        assert_eq!(all.soonest(), Some(10.0));
        assert_eq!(begun(&mut all, 5.0), []);
        assert_eq!(begun(&mut all, 20.0), [1, 2]);
        assert_eq!(all.without_turn().count(), 1);
        assert_eq!(begun(&mut list(true, 1), 0.0), [0]);
    }

    #[test]
    fn with_once_none_has_a_second_turn() {
        let mut all = list(true, 2);
        begun(&mut all, 0.0);
        all.end(Uuid::from_u128(1));
        all.wait_until(Uuid::from_u128(1), -1.0, 1);
        assert_eq!(begun(&mut all, 0.0), []);
        let left: Vec<u128> = all.without_turn().map(|one| one.uuid.as_u128()).collect();
        assert_eq!(left, [0]);
    }

    #[test]
    fn a_list_read_again_keeps_when_each_is_due_and_loses_what_is_gone() {
        let mut all = list(false, 3);
        begun(&mut all, 0.0);
        for number in [0, 1] {
            all.end(Uuid::from_u128(number));
            all.wait_until(Uuid::from_u128(number), 50.0, 2);
        }
        all.begin_reading();
        for number in [1, 2, 7] {
            let label = Some("new".to_owned());
            let entry = Deployment::new(Uuid::from_u128(number));
            all.put(Deployment { label, ..entry });
        }
        all.end_reading();
        assert_eq!(all.len(), 3);
        let known = all.get(Uuid::from_u128(1)).unwrap();
        assert_eq!((known.next, known.failures), (50.0, 2));
        assert_eq!(known.entry.label.as_deref(), Some("new"));
        // That of 2 is still in progress.
        assert_eq!(begun(&mut all, 50.0), [7, 1]);
        all.make_due();
        assert_eq!(begun(&mut all, 0.0), []);
    }
}
