//! A speed as a user types it: a number with its unit, such as `10kn`.

use super::units::{NAUTICAL_MILE_M, SpeedUnit};

/// The lowest speed limit, m/s: below it every fix of a moored buoy would fail.
const SLOWEST_M_S: f64 = 0.01;
/// The highest speed limit, m/s: nothing at sea or in the air is faster.
const FASTEST_M_S: f64 = 1000.0;

/// The error for text that is not a speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "give a speed from {SLOWEST_M_S} to {FASTEST_M_S} m/s with its unit, such as 10kn, 5m/s or 18km/h"
)]
pub(crate) struct NoSpeed;

/// Parses a speed with the unit `kn`, `m/s` or `km/h`; returns m/s, from 0.01 to
/// 1000.
///
/// # Errors
/// When it is not such a speed.
pub(crate) fn parse(typed: &str) -> Result<f64, NoSpeed> {
    let typed = typed.trim();
    // As fractions: 18 km/h are 5 m/s to the last digit.
    let units = [
        ("kn", NAUTICAL_MILE_M, 3600.0),
        ("km/h", 1000.0, 3600.0),
        ("m/s", 1.0, 1.0),
    ];
    let speed = units.into_iter().find_map(|(unit, metres, seconds)| {
        let number: f64 = typed.strip_suffix(unit)?.trim_end().parse().ok()?;
        Some(number * metres / seconds)
    });
    speed
        .filter(|speed| (SLOWEST_M_S..=FASTEST_M_S).contains(speed))
        .ok_or(NoSpeed)
}

/// A speed in m/s as text that [`parse`] reads, in the unit that needs the
/// fewest digits: 5.1444… m/s is `10kn`.
pub(crate) fn text(metres_a_second: f64) -> String {
    [
        SpeedUnit::MetresPerSecond,
        SpeedUnit::Knots,
        SpeedUnit::KilometresPerHour,
    ]
    .into_iter()
    .map(|unit| {
        let rounded = (unit.convert(metres_a_second) * 100.0).round() / 100.0;
        format!("{rounded}{}", unit.symbol())
    })
    .find(|text| {
        parse(text).is_ok_and(|read| (read - metres_a_second).abs() <= 1e-12 * metres_a_second)
    })
    .unwrap_or_else(|| format!("{metres_a_second}m/s"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_is_read_in_each_unit_and_reads_back() {
        for (typed, metres_a_second, shown) in [
            ("10kn", 10.0 * 1852.0 / 3600.0, "10kn"),
            ("5m/s", 5.0, "5m/s"),
            ("18km/h", 5.0, "5m/s"),
            (" 15 km/h ", 15.0 / 3.6, "15km/h"),
            ("0.3 m/s", 0.3, "0.3m/s"),
            ("4.1234m/s", 4.1234, "4.1234m/s"),
        ] {
            let read = parse(typed).unwrap();
            assert!((read - metres_a_second).abs() < 1e-12, "{typed}: {read}");
            assert_eq!(text(read), shown);
            assert!((parse(&text(read)).unwrap() - read).abs() < 1e-12);
        }
    }

    #[test]
    fn a_speed_that_is_none_is_refused() {
        for wrong in [
            "", "10", "kn", "0kn", "-5m/s", "NaNkn", "infm/s", "1e400kn", "10 knots", "5 m", "none",
        ] {
            assert_eq!(parse(wrong), Err(NoSpeed), "{wrong}");
        }
    }
}
