//! Archive: writes, reads and updates transmissions.

use std::io;
use std::sync::Arc;

use uuid::Uuid;

use crate::archive::Archive;
use crate::geo::Position;
use crate::track::{Answer, Records, Transmission};

const DEPLOYMENT: Uuid = Uuid::from_u128(7);

/// An archive in a temporary folder.
pub struct Fresh {
    folder: tempfile::TempDir,
    archive: Archive,
}

/// A response with transmissions.
#[derive(Clone)]
pub struct Response(Answer);

impl Response {
    /// A response with `count` transmissions, ten seconds apart.
    pub fn new(count: u32) -> Self {
        let transmissions = (0..count)
            .map(|n| Transmission {
                time_stamp: 1.7e9 + 10.0 * f64::from(n),
                position: Position {
                    latitude: 70.0 + 0.4 * (f64::from(n) * 1e-4).sin(),
                    longitude: 5.0 + 1e-6 * f64::from(n),
                },
            })
            .collect();
        let records = Records {
            transmissions,
            ..Records::default()
        };
        Self(Answer {
            records: Arc::new(records),
            ..Answer::new(200, "http://127.0.0.1:1", 1.8e9)
        })
    }
}

impl Fresh {
    /// Creates an empty archive.
    ///
    /// # Errors
    /// When the temporary folder or the archive cannot be created.
    pub fn new() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let archive = Archive::open(&folder.path().join("archive.db")).map_err(io::Error::other)?;
        Ok(Self { folder, archive })
    }

    /// Stores a response; returns the number of new transmissions.
    pub fn ingest(&mut self, response: &Response) -> usize {
        let delta = self.archive.ingest(DEPLOYMENT, &response.0);
        delta.map_or(0, |delta| delta.new)
    }

    /// Reads the stored data; returns the number of transmissions.
    pub fn read(&self) -> usize {
        let stored = self.archive.stored(DEPLOYMENT).ok().flatten();
        stored.map_or(0, |stored| stored.records.transmissions.len())
    }

    /// Bytes on disk.
    pub fn size(self) -> u64 {
        let Self { folder, archive } = self;
        drop(archive);
        std::fs::metadata(folder.path().join("archive.db")).map_or(0, |file| file.len())
    }
}
