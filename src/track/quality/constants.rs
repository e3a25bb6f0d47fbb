//! Constants of the tests that their reasons name.

/// The speed of two legs above which a drifting platform is under way, m/s: 4 knots.
pub(super) const UNDER_WAY_M_S: f64 = 4.0 * crate::geo::units::NAUTICAL_MILE_M / 3600.0;

/// No ship and no slow aircraft is faster than 60 knots, m/s.
pub(super) const CARRIED_M_S: f64 = 15.0 * UNDER_WAY_M_S;

/// A few fixes that are more than this from all others have a lost clock, seconds: five
/// years.
pub(super) const LOST_CLOCK_S: f64 = 5.0 * 365.25 * 86_400.0;

/// Not more fixes than these are of a lost clock.
pub(super) const LOST_FIXES: usize = 5;

/// So often, and more, is stuck.
pub(super) const REPEATS: usize = 5;
