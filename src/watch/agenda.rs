//! The agenda: which deployments are asked for, and when. The dashboard, `collect` and the
//! commands for the whole list ask it; it has no clock of its own. While the service fails,
//! one request a minute tries it, and when that is answered the others follow at once.

mod asked;
mod next;
mod probe;
mod service;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, VecDeque};

use uuid::Uuid;

use crate::failure::Failure;
pub(crate) use asked::{HOLDS_UP_S, places};
pub(crate) use next::{Idle, LastAnswer, NextRequest, Why, retry_after_s};
use probe::PROBE_S;
use service::Failed;
pub(crate) use service::{LastFailure, ServiceState};

/// How far back the bytes of answers that brought nothing new are counted, seconds.
const DAY_S: f64 = 86_400.0;
/// A stored time may be ahead of the clock by this much, seconds: clocks of several
/// computers differ.
const AHEAD_S: f64 = 60.0;
/// A request waits so long for the program that asked last, seconds: its answer is mostly there then.
const GIVES_WAY_S: f64 = 15.0;

/// The deployments that are due, and when the others are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Agenda {
    /// The shortest wait between two requests for one deployment, seconds.
    refresh_s: f64,
    entries: HashMap<Uuid, Entry>,
    /// The deployments that are being asked for, and since when (UNIX seconds).
    asking: Vec<(Uuid, f64)>,
    /// The deployments that are not being asked for, by when they are due.
    waiting: BTreeMap<Due, Uuid>,
    /// The number of the next entry: of entries that are due at the same time, the earlier
    /// number comes first.
    next_number: u64,
    service: ServiceState,
    /// When the service is tried next while it fails, UNIX seconds.
    probe_at: f64,
    /// Before then the service asked another program for no request, UNIX seconds.
    held_until: f64,
    /// The latest time that was given, UNIX seconds.
    now: f64,
}

/// When a deployment is due, as the bits of UNIX seconds, which have the order of numbers from 0
/// on; and the number of its entry.
type Due = (u64, u64);

/// A deployment on the agenda.
#[derive(Debug, Clone)]
struct Entry {
    number: u64,
    next: NextRequest,
    /// `true` if a user asks for it: then it has no other wait.
    is_asked_for: bool,
    /// When the last request began, UNIX seconds.
    tried_at: f64,
    /// Failures in a row.
    failures: u32,
    /// When the last request failed, UNIX seconds.
    failed_at: f64,
    answer: Option<LastAnswer>,
    /// When whole answers of the last day brought nothing new (UNIX seconds), and their
    /// bytes.
    idle: VecDeque<(f64, u64)>,
    /// Until when it says something of the service, UNIX seconds.
    counts_until: f64,
}

impl Agenda {
    /// An empty agenda with the shortest wait between two requests for one deployment,
    /// seconds.
    pub(crate) fn new(refresh_s: f64) -> Self {
        Self {
            refresh_s,
            ..Self::default()
        }
    }

    /// Puts a deployment on the agenda with its last answer. It is due at once without an
    /// answer, or if the answer is ahead of the clock. A deployment that is on the agenda
    /// stays as it is.
    pub(crate) fn put(&mut self, uuid: Uuid, answer: Option<LastAnswer>, now: f64) {
        if self.entries.contains_key(&uuid) {
            return;
        }
        let answer = answer.filter(|answer| answer.at <= now + AHEAD_S);
        let idle = answer.filter(|answer| answer.idle.bytes_of_day > 0);
        let entry = Entry {
            number: self.next_number,
            next: answer.map_or(NextRequest { at: now, why: None }, |answer| {
                answer.next(self.refresh_s)
            }),
            is_asked_for: false,
            tried_at: f64::NEG_INFINITY,
            failures: 0,
            failed_at: f64::NEG_INFINITY,
            answer,
            idle: idle
                .map(|answer| (answer.at, answer.idle.bytes_of_day))
                .into_iter()
                .collect(),
            counts_until: f64::INFINITY,
        };
        self.next_number += 1;
        self.entries.insert(uuid, entry);
        self.wait(uuid);
    }

    /// Says until when (UNIX seconds) the answers for a deployment say something of the
    /// service: while alarms are raised for it.
    pub(crate) fn counts_until(&mut self, uuid: Uuid, until: f64) {
        if let Some(entry) = self.entries.get_mut(&uuid) {
            entry.counts_until = until;
        }
    }

    /// Sets the maximum age of the last fix of a deployment (seconds), which may be below its T.
    pub(crate) fn limit_age(&mut self, uuid: Uuid, max_age_s: Option<f64>) {
        let Some(answer) = self
            .entries
            .get_mut(&uuid)
            .filter(|entry| entry.failures == 0 && !entry.is_asked_for)
            .and_then(|entry| entry.answer.as_mut())
            .filter(|answer| answer.max_age_s != max_age_s)
        else {
            return;
        };
        answer.max_age_s = max_age_s;
        let answer = *answer;
        if !self.is_asking(uuid) {
            let next = answer.next(self.refresh_s);
            self.set(uuid, next);
        }
    }

    /// Takes a deployment off.
    pub(crate) fn remove(&mut self, uuid: Uuid) {
        self.leave(uuid);
        self.asking.retain(|(asked, _)| *asked != uuid);
        self.entries.remove(&uuid);
        self.service.remove(uuid);
    }

    /// Takes off the deployments that `stays` is false of.
    pub(crate) fn retain(&mut self, mut stays: impl FnMut(Uuid) -> bool) {
        let gone = self.entries.keys().copied().filter(|uuid| !stays(*uuid));
        let gone: Vec<Uuid> = gone.collect();
        gone.into_iter().for_each(|uuid| self.remove(uuid));
    }

    /// Begins the requests that are due at `now` (UNIX seconds), at most `room`: `first`
    /// before the others, then what has waited longest. While the service fails it is
    /// what a user asks for, and one deployment a minute.
    pub(crate) fn due(&mut self, now: f64, room: usize, first: Option<Uuid>) -> Vec<Uuid> {
        self.look_at_clock(now);
        if self.service.is_down() {
            let mut due = self.asked_for(now, room);
            if due.is_empty() && room > 0 {
                due = self.probe(now);
            }
            return due;
        }
        let waiting = || self.waiting_until(now);
        let first = first.filter(|first| waiting().any(|uuid| uuid == *first));
        let others = waiting().filter(|uuid| Some(*uuid) != first);
        let due: Vec<Uuid> = first.into_iter().chain(others).take(room).collect();
        due.iter().for_each(|uuid| self.begin(*uuid, now));
        due
    }

    /// Begins the requests that a user asks for, at most `room`.
    pub(crate) fn asked_for(&mut self, now: f64, room: usize) -> Vec<Uuid> {
        let waiting = self.waiting_until(now);
        let asked = waiting.filter(|uuid| self.is_asked_for(*uuid));
        let asked: Vec<Uuid> = asked.take(room).collect();
        asked.iter().for_each(|uuid| self.begin(*uuid, now));
        asked
    }

    /// Begins a request for a deployment, whether it is due or not.
    pub(crate) fn begin(&mut self, uuid: Uuid, now: f64) {
        self.leave(uuid);
        if let Some(entry) = self.entries.get_mut(&uuid) {
            entry.tried_at = now;
            self.asking.retain(|(asked, _)| *asked != uuid);
            self.asking.push((uuid, now));
        }
    }

    /// A user asks for a deployment: it is due at `now` (UNIX seconds).
    pub(crate) fn ask(&mut self, uuid: Uuid, now: f64) {
        if let Some(entry) = self.entries.get_mut(&uuid) {
            entry.is_asked_for = true;
        }
        self.set(uuid, NextRequest { at: now, why: None });
    }

    /// The deployments that are being asked for.
    pub(crate) fn asking(&self) -> impl Iterator<Item = Uuid> + '_ {
        self.asking.iter().map(|(uuid, _)| *uuid)
    }

    fn is_asking(&self, uuid: Uuid) -> bool {
        self.asking().any(|asked| asked == uuid)
    }

    /// `true` if a user asks for a deployment, until its request has ended.
    pub(crate) fn is_asked_for(&self, uuid: Uuid) -> bool {
        self.entries
            .get(&uuid)
            .is_some_and(|entry| entry.is_asked_for)
    }

    /// The service has answered for a deployment; returns when it is due again. Where the
    /// service failed before, what failed is due at once.
    pub(crate) fn answered(&mut self, uuid: Uuid, answer: LastAnswer) -> NextRequest {
        self.end(uuid);
        if self.service.answered(uuid, answer.at) {
            self.ask_what_failed(answer.at);
        }
        self.take(uuid, answer)
    }

    /// Another program was answered for a deployment: it counts as answered, unless a
    /// person asks. While that program goes on, this one asks for nothing that comes to it.
    pub(crate) fn answered_to_another(&mut self, uuid: Uuid, answer: LastAnswer) {
        if self.is_asked_for(uuid) {
            return;
        }
        let known = self.entries.get(&uuid).and_then(|entry| entry.answer);
        let is_later = known.is_some_and(|known| known.at < answer.at);
        let NextRequest { at, why } = self.take(uuid, answer);
        if is_later {
            let at = at + GIVES_WAY_S;
            self.set(uuid, NextRequest { at, why });
        }
    }

    fn take(&mut self, uuid: Uuid, mut answer: LastAnswer) -> NextRequest {
        let refresh_s = self.refresh_s;
        let Some(entry) = self.entries.get_mut(&uuid) else {
            return answer.next(refresh_s);
        };
        if let Some(before) = &entry.answer {
            answer.first_at = before.first_at.min(answer.first_at);
        }
        while entry
            .idle
            .front()
            .is_some_and(|(at, _)| *at <= answer.at - DAY_S)
        {
            entry.idle.pop_front();
        }
        if answer.idle.bytes > 0 {
            entry.idle.push_back((answer.at, answer.idle.bytes));
        }
        let of_day = entry.idle.iter().map(|(_, bytes)| *bytes);
        answer.idle.bytes_of_day = of_day.fold(0, u64::saturating_add);
        (entry.answer, entry.failures) = (Some(answer), 0);
        let next = answer.next(refresh_s);
        self.set(uuid, next);
        next
    }

    /// A request for a deployment failed at `now` (UNIX seconds); returns when it is due
    /// again.
    pub(crate) fn failed(&mut self, uuid: Uuid, failure: &Failure, now: f64) -> NextRequest {
        self.end(uuid);
        let refresh_s = self.refresh_s;
        let Some(entry) = self.entries.get_mut(&uuid) else {
            return next::after_failure(failure, 1, false, now, refresh_s);
        };
        entry.failures = entry.failures.saturating_add(1);
        entry.failed_at = now;
        let readable = entry.answer.is_some();
        let next = next::after_failure(failure, entry.failures, readable, now, refresh_s);
        let request = Failed {
            uuid,
            failure,
            was_readable: readable,
            began: entry.tried_at.min(now),
            now,
        };
        self.set(uuid, next);
        let active = self.active(now);
        let was_down = self.service.is_down();
        if self.service.failed(&request, &active) {
            self.ask_what_failed(now);
        }
        if self.service.is_down() {
            // A minute after the last try began, however long that took.
            let probe_at = if was_down {
                self.probe_at
            } else {
                now + PROBE_S
            };
            self.probe_at = probe_at.max(now + next::retry_after_s(failure));
        }
        next
    }

    /// `true` if a deployment was never readable, and others were.
    pub(crate) fn only_others_were_readable(&self, uuid: Uuid) -> bool {
        let was_readable = |entry: &Entry| entry.answer.is_some();
        let own = self.entries.get(&uuid);
        !own.is_some_and(was_readable) && self.entries.values().any(was_readable)
    }

    /// The deployments by which the service is judged: those for which alarms are raised, or
    /// all if there are none.
    fn active(&self, now: f64) -> Vec<Uuid> {
        let counting: Vec<Uuid> = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.counts_until >= now)
            .map(|(uuid, _)| *uuid)
            .collect();
        if counting.is_empty() {
            self.entries.keys().copied().collect()
        } else {
            counting
        }
    }

    /// A request was not made, or ended without an outcome: the deployment is due at a
    /// time, UNIX seconds.
    pub(crate) fn later(&mut self, uuid: Uuid, at: f64) {
        self.end(uuid);
        if let Some(entry) = self.entries.get(&uuid) {
            let why = entry.next.why;
            self.set(uuid, NextRequest { at, why });
        }
    }

    /// A request was given up at `now` (UNIX seconds): the deployment is due as after an
    /// answer.
    pub(crate) fn given_up(&mut self, uuid: Uuid, now: f64) {
        self.end(uuid);
        if let Some(entry) = self.entries.get(&uuid) {
            let mut answer = entry.answer.unwrap_or(LastAnswer {
                first_at: now,
                ..LastAnswer::default()
            });
            answer.at = now;
            answer.idle = Idle::default();
            self.set(uuid, answer.next(self.refresh_s));
        }
    }

    /// Another token may be in use: answers to the last token do not count, and
    /// what failed is due at `now` (UNIX seconds).
    pub(crate) fn forget_failures(&mut self, now: f64) {
        self.service = ServiceState::default();
        self.ask_what_failed(now);
    }

    fn ask_what_failed(&mut self, now: f64) {
        let failed = self.entries.iter().filter(|(_, entry)| entry.failures > 0);
        let failed: Vec<Uuid> = failed.map(|(uuid, _)| *uuid).collect();
        for uuid in failed {
            self.set(uuid, NextRequest { at: now, why: None });
        }
    }

    pub(crate) fn service(&self) -> &ServiceState {
        &self.service
    }

    /// The next request for a deployment. While the service is down, it is the request that
    /// tries it for all deployments.
    pub(crate) fn next(&self, uuid: Uuid) -> Option<NextRequest> {
        let entry = self.entries.get(&uuid)?;
        Some(if self.service.is_down() && entry.failures > 0 {
            NextRequest {
                at: self.probe_moment(),
                ..entry.next
            }
        } else {
            entry.next
        })
    }

    /// `true` if the service is down: one request tries it for all deployments.
    pub(crate) fn is_down(&self) -> bool {
        self.service.is_down()
    }

    /// When [`Agenda::due`] may have something next, UNIX seconds; `None` if nothing
    /// waits.
    pub(crate) fn soonest(&self) -> Option<f64> {
        let ((first, _), _) = self.waiting.first_key_value()?;
        Some(if self.service.is_down() {
            self.probe_moment()
        } else {
            f64::from_bits(*first)
        })
    }

    /// Makes due what was answered at a time that is ahead of the clock: it was ahead
    /// then.
    fn look_at_clock(&mut self, now: f64) {
        let was = std::mem::replace(&mut self.now, now);
        if now >= was {
            return;
        }
        let is_ahead = |entry: &Entry| {
            let times = [entry.answer.map_or(now, |answer| answer.at), entry.tried_at];
            times.iter().any(|at| *at > now + AHEAD_S)
        };
        let ahead = self.entries.iter().filter(|(_, entry)| is_ahead(entry));
        let ahead: Vec<Uuid> = ahead.map(|(uuid, _)| *uuid).collect();
        for uuid in ahead {
            if let Some(entry) = self.entries.get_mut(&uuid) {
                entry.tried_at = entry.tried_at.min(now);
                entry.failed_at = entry.failed_at.min(now);
                entry.idle.clear();
            }
            self.set(uuid, NextRequest { at: now, why: None });
        }
        self.service.set_back(now);
        if self.probe_at > now + PROBE_S {
            self.probe_at = now;
        }
    }

    fn end(&mut self, uuid: Uuid) {
        self.asking.retain(|(asked, _)| *asked != uuid);
        if let Some(entry) = self.entries.get_mut(&uuid) {
            entry.is_asked_for = false;
        }
    }

    fn set(&mut self, uuid: Uuid, next: NextRequest) {
        self.leave(uuid);
        if let Some(entry) = self.entries.get_mut(&uuid) {
            entry.next = next;
        }
        self.wait(uuid);
    }

    fn waits(&self, uuid: Uuid) -> Option<(Due, Uuid)> {
        let entry = self.entries.get(&uuid).filter(|_| !self.is_asking(uuid))?;
        let at = entry.next.at.max(0.0).to_bits();
        Some(((at, entry.number), uuid))
    }

    /// The deployments that are due at a time (UNIX seconds) and not being asked for.
    fn waiting_until(&self, time: f64) -> impl Iterator<Item = Uuid> {
        let until = (time.max(0.0).to_bits(), u64::MAX);
        self.waiting.range(..=until).map(|(_, uuid)| *uuid)
    }

    fn wait(&mut self, uuid: Uuid) {
        self.waiting.extend(self.waits(uuid));
    }

    fn leave(&mut self, uuid: Uuid) {
        if let Some((due, _)) = self.waits(uuid) {
            self.waiting.remove(&due);
        }
    }
}
