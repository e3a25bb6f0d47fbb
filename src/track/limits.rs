//! Limits that the user sets for a deployment, besides its reporting interval.

use super::FieldLimit;
use crate::geo::Inside;

/// Limits of a deployment, set by hand.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Limits {
    /// The last fix may be so old, seconds.
    pub max_age_s: Option<f64>,
    /// The limit that the instrument should stay within.
    pub inside: Option<Inside>,
    /// The speed limit of the quality tests instead of the platform's, m/s.
    pub max_speed_m_s: Option<f64>,
    /// Limits of fields, in the order of their names.
    pub fields: Vec<FieldLimit>,
}
