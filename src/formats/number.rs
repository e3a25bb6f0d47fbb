//! Numbers of JSON.

use serde::ser::{Serialize, Serializer};

/// A number printed so that it parses back to the same value, integers without
/// `.0`.
pub(super) struct Number(pub(super) f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Up to here every integer is exact and fits.
        if self.0.fract() == 0.0 && self.0.abs() < 9e15 {
            #[allow(clippy::cast_possible_truncation)]
            return serializer.serialize_i64(self.0 as i64);
        }
        serializer.serialize_f64(self.0)
    }
}
