//! Constants of the tests that their reasons name.

/// A drifter between two legs over 4 knots is under way, m/s.
pub(super) const UNDER_WAY_M_S: f64 = 4.0 * crate::geo::units::NAUTICAL_MILE_M / 3600.0;

/// So often, and more, is stuck.
pub(super) const REPEATS: usize = 5;
