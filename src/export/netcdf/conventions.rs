//! What all variables have in common.

/// The value for missing data (default fill value of the netCDF library for
/// doubles).
pub(super) const FILL: f64 = 9.969_209_968_386_869e36;

/// What places a value: the coordinates of each fix.
pub(super) const COORDINATES: &str = "time lat lon height";
