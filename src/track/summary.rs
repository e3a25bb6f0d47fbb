//! The summary of a track.

use crate::geo::BoundingBox;

/// Counts, extent, length and pace of a track.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Summary {
    /// Fixes, as many as table and files have: failed ones and those outside the
    /// time in which the deployment counts are included.
    pub fixes: usize,
    /// Records that could not be used.
    pub unusable: usize,
    /// Exact repeats that were folded.
    pub repeats: usize,
    /// Fixes flagged 3.
    pub suspect: usize,
    /// Fixes flagged 4.
    pub fail: usize,
    /// Time of the first fix that is in, UNIX seconds.
    pub first: Option<f64>,
    /// Time of the last fix that is in, UNIX seconds.
    pub last: Option<f64>,
    /// Sum of the legs in metres, without jumps.
    pub length_m: f64,
    /// Distance from the first to the last fix in metres.
    pub displacement_m: f64,
    /// Highest speed of a leg in m/s, without jumps.
    pub max_speed_m_s: Option<f64>,
    /// Longest time between two fixes in seconds.
    pub longest_gap_s: Option<f64>,
    /// Median time between two fixes in seconds.
    pub median_interval_s: Option<f64>,
    /// Expected times with a fix near them over expected times, in [0, 1].
    pub completeness: Option<f64>,
    /// Box around the fixes that are in.
    pub bbox: Option<BoundingBox>,
}
