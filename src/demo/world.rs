//! The data of the service: simulated instruments, or a folder of recorded
//! responses.
//!
//! The simulation depends on three things: the seed, the midnight (UTC) before
//! the start, and the time. Two services started on one day with one seed serve
//! the same tracks, and a track only grows. What happens while the user watches
//! (the launch, and the wave buoy that breaks loose) depends on the time of the
//! start as well.

use std::io;
use std::time::Instant;

use uuid::Uuid;

use super::catalogue;
use super::folder::Folder;
use super::instrument::Instrument;
use crate::os::clock::unix_now;
use crate::watch::Deployment;

/// The deployments and their transmissions.
#[derive(Debug)]
pub(super) enum World {
    /// Simulated instruments, and the midnight from which their times count,
    /// UNIX seconds.
    Simulated(Vec<Instrument>, f64),
    /// Recorded responses.
    Recorded(Folder),
}

impl World {
    /// A simulation for a seed, with a past at `started` (UNIX seconds).
    pub(super) fn simulated(seed: u64, started: f64) -> Self {
        let midnight = (started / 86_400.0).floor() * 86_400.0;
        Self::Simulated(catalogue::instruments(seed, started - midnight), midnight)
    }

    pub(super) fn deployments(&self) -> Vec<Deployment> {
        match self {
            Self::Simulated(all, _) => all
                .iter()
                .map(|instrument| instrument.deployment.clone())
                .collect(),
            Self::Recorded(all) => all.deployments(),
        }
    }

    /// The response for a deployment at a time (UNIX seconds); `None` if it is
    /// unknown.
    pub(super) fn body(&self, uuid: Uuid, now: f64) -> Option<io::Result<Vec<u8>>> {
        match self {
            Self::Simulated(all, midnight) => {
                let is_meant = |instrument: &&Instrument| instrument.deployment.id.uuid == uuid;
                let instrument = all.iter().find(is_meant)?;
                Some(Ok(instrument.body(*midnight, now - midnight).into_bytes()))
            }
            Self::Recorded(all) => all.body(uuid),
        }
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
