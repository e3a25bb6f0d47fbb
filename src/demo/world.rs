//! The data of the service: simulated instruments.
//!
//! The simulation depends on three things: the seed, the midnight (UTC) before
//! the start, and the time. Two services started on one day with one seed serve
//! the same tracks, and a track only grows. What happens while the user watches
//! (the launch, and the wave buoy that breaks loose) depends on the time of the
//! start as well.

use std::time::Instant;

use uuid::Uuid;

use super::catalogue;
use super::instrument::Instrument;
use crate::os::clock::unix_now;
use crate::watch::Deployment;

/// The deployments and their transmissions.
#[derive(Debug)]
pub(super) struct World {
    instruments: Vec<Instrument>,
    /// The midnight from which their times count, UNIX seconds.
    midnight: f64,
}

impl World {
    /// A simulation for a seed, with a past at `started` (UNIX seconds).
    pub(super) fn simulated(seed: u64, started: f64) -> Self {
        let midnight = (started / 86_400.0).floor() * 86_400.0;
        Self {
            instruments: catalogue::instruments(seed, started - midnight),
            midnight,
        }
    }

    pub(super) fn deployments(&self) -> Vec<Deployment> {
        let instruments = self.instruments.iter();
        instruments
            .map(|instrument| instrument.deployment.clone())
            .collect()
    }

    /// The response for a deployment at a time (UNIX seconds); `None` if it is
    /// unknown.
    pub(super) fn body(&self, uuid: Uuid, now: f64) -> Option<Vec<u8>> {
        let is_meant = |instrument: &&Instrument| instrument.deployment.id.uuid == uuid;
        let instrument = self.instruments.iter().find(is_meant)?;
        let body = instrument.body(self.midnight, now - self.midnight);
        Some(body.into_bytes())
    }
}

/// A clock that goes on from the time of its start, whatever the system's clock does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    start: f64,
    began: Option<Instant>,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            start: unix_now(),
            began: Some(Instant::now()),
        }
    }
}

impl Clock {
    /// Its start time, UNIX seconds.
    pub(super) fn start(&self) -> f64 {
        self.start
    }

    /// Its current time, UNIX seconds.
    pub(super) fn now(&self) -> f64 {
        let since = self
            .began
            .map_or(0.0, |began| began.elapsed().as_secs_f64());
        self.start + since
    }
}

#[cfg(test)]
mod tests;
