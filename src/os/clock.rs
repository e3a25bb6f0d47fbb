//! Only this module reads the wall clock and its zone. The domain, the model
//! and the views never name it: time reaches them as a value.

use std::ffi::OsStr;
use std::path::{Component, Path};
use std::time::{SystemTime, UNIX_EPOCH};

/// The current time, UNIX seconds; 0 where the clock is set before 1970.
pub(crate) fn unix_now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}

/// The time zone of this machine, or that of `TZ`; UTC if it is unknown.
pub(crate) fn local_zone() -> jiff::tz::TimeZone {
    let named = std::env::var_os("TZ");
    if named.as_deref().is_none_or(can_be_a_zone) {
        jiff::tz::TimeZone::system()
    } else {
        jiff::tz::TimeZone::UTC
    }
}

/// `true` if the value of `TZ` may be looked up: a path in it may lead to a
/// device or a pipe, which would be read without end.
fn can_be_a_zone(value: &OsStr) -> bool {
    /// Bytes; the largest zone of the tz database has a few thousand.
    const LARGEST: u64 = 1 << 20;
    let value = value.to_string_lossy();
    let path = Path::new(value.strip_prefix(':').unwrap_or(&value));
    let leads_out = path.components().any(|part| part == Component::ParentDir);
    let there = std::fs::metadata(path);
    !leads_out && there.map_or(true, |there| there.is_file() && there.len() <= LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_no_device_and_no_folder() {
        for value in [":/dev/zero", "/dev/zero", ":/", "../../../dev/zero"] {
            assert!(!can_be_a_zone(OsStr::new(value)), "{value}");
        }
        for value in ["", "UTC", "Europe/Berlin", "CET-1CEST", ":/no/such/file"] {
            assert!(can_be_a_zone(OsStr::new(value)), "{value}");
        }
    }
}
