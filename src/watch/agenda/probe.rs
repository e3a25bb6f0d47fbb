//! The requests that try a service that fails: one at a time, each for another deployment, until
//! one is answered.

use std::collections::HashMap;

use uuid::Uuid;

use super::next::ASKED_FOR_S;
use super::{Agenda, Entry, LastFailure};

/// While the service fails, it is tried this often, seconds.
pub(super) const PROBE_S: f64 = 60.0;

/// The most requests that try it at once if it never gave a usable answer.
const MOST_TRIES: usize = 16;

/// After so long without a request, seconds, one more tries it in a round.
const MORE_AFTER_S: [f64; 2] = [4.0 * PROBE_S, 12.0 * PROBE_S];

impl Agenda {
    /// Takes the failures that another program had since the last answers, at `now` (UNIX
    /// seconds). What is due stays so, unless they are those of the service.
    pub(crate) fn failed_before(&mut self, failed: &HashMap<Uuid, LastFailure>, now: f64) {
        for (uuid, failure) in failed {
            if let Some(entry) = self.entries.get_mut(uuid) {
                entry.tried_at = failure.at.min(now - self.refresh_s);
                entry.failures = entry.failures.max(1);
            }
        }
        let active = self.active(now);
        self.service.failed_before(failed, &active);
        self.wait_as_asked(failed, now);
    }

    /// Puts off what the service asked to be put off, seen at `now` (UNIX seconds).
    pub(crate) fn wait_as_asked(&mut self, failed: &HashMap<Uuid, LastFailure>, now: f64) {
        for (uuid, failure) in failed {
            // A longer wait is of a clock that was set back.
            let again_at = failure.again_at.min(now + ASKED_FOR_S as f64);
            let due_at = self.entries.get(uuid).map(|entry| entry.next.at);
            if due_at.is_some_and(|at| at < again_at) {
                self.later(*uuid, again_at);
                self.held_until = self.held_until.max(again_at);
                self.probe_at = self.probe_at.max(again_at);
            }
        }
    }

    /// Begins the requests that try a service that fails.
    pub(super) fn probe(&mut self, now: f64) -> Vec<Uuid> {
        if now < self.probe_moment() || self.began_within(PROBE_S, now) > 0 {
            return Vec::new();
        }
        let tries = self.tries();
        (0..tries).map_while(|_| self.try_service(now)).collect()
    }

    /// How many requests try the service at once: one. Where it never gave a usable answer and
    /// fails by what it answers, as many more that were never asked for as have failed: those may
    /// fail by themselves, and the others would wait a minute for each of them.
    fn tries(&self) -> usize {
        let failing = self.entries.values().filter(|entry| entry.failures > 0);
        let failed = failing.count();
        if self.was_readable() || !self.service.answers_without_use() {
            1
        } else {
            failed.min(self.entries.len() - failed).clamp(1, MOST_TRIES)
        }
    }

    /// Begins a request that tries a service that fails, without the wait between two of
    /// them.
    pub(crate) fn try_service(&mut self, now: f64) -> Option<Uuid> {
        let uuid = self.next_probe()?.1;
        self.probe_at = now + PROBE_S;
        self.begin(uuid, now);
        Some(uuid)
    }

    /// How many requests may try a service that fails at `now` (UNIX seconds) in a program that
    /// does not wait for the next: one, after some minutes without any two, after more three. The
    /// first is for what was answered last, the others for what was tried the longest ago.
    pub(crate) fn probes_since(&self, now: f64) -> usize {
        if self.service.is_down() && now < self.held_until {
            return 0;
        }
        let failed = self.entries.values().filter(|entry| entry.failures > 0);
        let last = failed.map(|entry| entry.tried_at).max_by(f64::total_cmp);
        let since_s = last.map_or(0.0, |last| now - last);
        let probes = 1 + MORE_AFTER_S
            .iter()
            .filter(|after| since_s >= **after)
            .count();
        probes.max(self.tries()).min(self.entries.len().max(1))
    }

    /// When (UNIX seconds) the deployment was last tried that is to try the service next, and that
    /// deployment. First comes what was answered last and has not failed since: where only a part
    /// of the list fails, it is answered. Last come those that were never readable while others
    /// were, and those that were refused while others were not.
    // Between them what was tried the longest ago, so that each has its turn.
    fn next_probe(&self) -> Option<(f64, Uuid)> {
        let waiting = self.waiting.values();
        // In a round each has one turn.
        let entries = waiting
            .filter_map(|uuid| Some((self.entries.get(uuid)?, *uuid)))
            .filter(|(entry, _)| entry.next.at.is_finite());
        let answered_at =
            |entry: &Entry| entry.answer.map_or(f64::NEG_INFINITY, |answer| answer.at);
        let was_readable = self.was_readable();
        let rank = |entry: &Entry, uuid: Uuid| {
            let was_unreadable = was_readable && entry.answer.is_none();
            let is_refused = was_unreadable || self.service.refuses_alone(uuid);
            (is_refused, entry.failures > 0)
        };
        let first = entries.min_by(|(a, uuid_a), (b, uuid_b)| {
            let by_rank = rank(a, *uuid_a).cmp(&rank(b, *uuid_b));
            by_rank.then_with(|| match a.failures {
                0 => answered_at(b).total_cmp(&answered_at(a)),
                _ => a.tried_at.total_cmp(&b.tried_at),
            })
        });
        first.map(|(entry, uuid)| (entry.tried_at, uuid))
    }

    /// `true` if any deployment was ever readable.
    fn was_readable(&self) -> bool {
        self.entries.values().any(|entry| entry.answer.is_some())
    }

    /// When the service may be tried next, UNIX seconds.
    pub(super) fn probe_moment(&self) -> f64 {
        let tried = self.next_probe().map_or(f64::INFINITY, |(at, _)| at);
        self.probe_at.max(tried + self.refresh_s)
    }
}
