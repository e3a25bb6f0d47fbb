//! What a person holds a deployment to, besides its usual interval.

use crate::geo::circle::WatchCircle;

/// Limits of a deployment, set by hand.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Limits {
    /// The last fix may be so old, seconds.
    pub max_age_s: Option<f64>,
    /// Where the instrument should stay.
    pub circle: Option<WatchCircle>,
    /// The speed limit of the quality tests instead of the platform's, m/s.
    pub max_speed_m_s: Option<f64>,
}
