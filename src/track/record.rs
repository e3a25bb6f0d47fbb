//! What the service sent, one record at a time, before it is a track.

use crate::geo::Position;

/// One usable transmission.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transmission {
    /// UNIX time in seconds, UTC, finite and within the calendar's range.
    pub time_stamp: f64,
    /// Where the instrument was.
    pub position: Position,
}

/// A record that cannot be used, and why. It is counted and shown, never drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Unusable {
    /// Place in the service's answer, counted from 0.
    pub index: usize,
    /// Why it cannot be used, as a clause: "latitude is null".
    pub reason: String,
    /// The record as it came, made harmless and cut to 200 characters.
    pub excerpt: String,
}

/// Everything one answer held, in the service's own order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Records {
    /// The usable transmissions.
    pub transmissions: Vec<Transmission>,
    /// The unusable records.
    pub unusable: Vec<Unusable>,
}
