//! Archive: writes, reads and updates transmissions.

use std::io;
use std::sync::Arc;

use uuid::Uuid;

use crate::archive::Archive;
use crate::geo::Position;
use crate::service::answer::parse;
use crate::track::{Records, Transmission};
use crate::watch::Answer;

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
        Self::of(Records {
            transmissions,
            ..Records::default()
        })
    }

    /// The same with a string of 60 thermistors, and the bytes that its records
    /// have as JSON.
    pub fn with_thermistors(count: u32) -> (Self, usize) {
        let Self(plain) = Self::new(count);
        let mut body = Vec::new();
        for (n, one) in (0..count).zip(plain.records.transmissions.iter()) {
            body.push(if n == 0 { b'[' } else { b',' });
            let (time, position) = (one.time_stamp, one.position);
            let (latitude, longitude) = (position.latitude, position.longitude);
            let mut record = format!(
                "{{\"time_stamp\":{time},\"latitude\":{latitude},\"longitude\":{longitude}"
            );
            for place in 0..60 {
                let wave = (f64::from(n) * 0.01 + f64::from(place) * 0.3).sin();
                // The resolution of a thermistor.
                let read = (160.0 * wave - 8.0 * f64::from(place)).round() / 16.0;
                record.push_str(&format!(",\"dtc_values_{place}\":{read}"));
            }
            record.push('}');
            body.extend_from_slice(record.as_bytes());
        }
        body.push(b']');
        let records = parse(&body, 64 << 10).unwrap_or_default();
        (Self::of(records), body.len())
    }

    fn of(records: Records) -> Self {
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

    /// Reads the stored data with its fields; returns the number of values of
    /// the last transmission.
    pub fn read_with_fields(&self) -> usize {
        let stored = self.archive.stored_with_fields(DEPLOYMENT).ok().flatten();
        stored.map_or(0, |stored| {
            let last = stored.records.transmissions.len().saturating_sub(1);
            stored.records.fields.of_fix(last).count()
        })
    }

    /// Bytes on disk.
    pub fn size(self) -> u64 {
        let Self { folder, archive } = self;
        drop(archive);
        std::fs::metadata(folder.path().join("archive.db")).map_or(0, |file| file.len())
    }
}
