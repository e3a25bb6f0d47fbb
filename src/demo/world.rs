//! What the service knows: a simulated world, or a folder of recorded answers.
//!
//! The simulated world is a function of three things: the seed, the midnight
//! (UTC) before it was started, and the time. Two services started on one day
//! with one seed tell the same tracks, and a track only ever grows.

use std::io;
use std::path::Path;

use uuid::Uuid;

use super::catalogue;
use super::deployment::Deployment;
use super::folder::{self, FolderError, Recorded};
use super::instrument::Instrument;

/// The deployments and what they have transmitted.
#[derive(Debug)]
pub(super) enum World {
    /// Simulated instruments and the midnight their times count from, UNIX
    /// seconds.
    Simulated(Vec<Instrument>, f64),
    /// Recorded answers.
    Recorded(Vec<Recorded>),
}

impl World {
    /// The world of a seed, with a past at `started` (UNIX seconds).
    pub(super) fn simulated(seed: u64, started: f64) -> Self {
        let midnight = (started / 86_400.0).floor() * 86_400.0;
        Self::Simulated(catalogue::instruments(seed, started - midnight), midnight)
    }

    /// The recorded answers in a folder.
    ///
    /// # Errors
    /// When there is none or they cannot be listed.
    pub(super) fn recorded(folder: &Path) -> Result<Self, FolderError> {
        folder::recorded(folder).map(Self::Recorded)
    }

    /// Everything that is deployed.
    pub(super) fn deployments(&self) -> Vec<Deployment> {
        match self {
            Self::Simulated(all, _) => all.iter().map(|one| one.deployment.clone()).collect(),
            Self::Recorded(all) => all.iter().map(|one| one.deployment.clone()).collect(),
        }
    }

    /// The answer for a deployment at a time (UNIX seconds); none for one that
    /// is not known.
    pub(super) fn body(&self, uuid: Uuid, now: f64) -> Option<io::Result<Vec<u8>>> {
        match self {
            Self::Simulated(all, midnight) => {
                let one = all.iter().find(|one| one.deployment.uuid == uuid)?;
                Some(Ok(one.body(*midnight, now - midnight).into_bytes()))
            }
            Self::Recorded(all) => {
                let one = all.iter().find(|one| one.deployment.uuid == uuid)?;
                Some(std::fs::read(&one.path))
            }
        }
    }
}

#[cfg(test)]
mod tests;
