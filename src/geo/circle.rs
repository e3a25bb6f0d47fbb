//! The watch circle, which an instrument should not leave.

use std::fmt;
use std::str::FromStr;

use super::format::{NoPosition, last_amount, parse_position};
use super::units::NAUTICAL_MILE_M;
use super::{Position, geodesic};

/// A circle that an instrument should not leave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WatchCircle {
    pub centre: Position,
    /// Its radius in metres, more than 0.
    pub radius_m: f64,
}

/// The error for text that is not a watch circle.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub(crate) enum NoCircle {
    #[error(
        "give LAT,LON,RADIUS, such as 57.92,2.11,800 (metres), 57.92,-2.11,2km or 57°55.2′N 2°06.6′W,1nm"
    )]
    Form,
    #[error(transparent)]
    Beyond(#[from] NoPosition),
}

impl WatchCircle {
    /// The geodesic distance of a position from the centre, metres.
    pub(crate) fn distance_m(&self, position: Position) -> f64 {
        geodesic::inverse(self.centre, position).distance_m
    }
}

/// A length in whole millimetres: 0.05 nm are 92.6 m, and no 92.60000000000001.
fn to_millimetres(metres: f64) -> f64 {
    (metres * 1000.0).round() / 1000.0
}

/// Parses a length in metres, or with the unit `m`, `km` or `nm`; more than 0.
pub(crate) fn radius(typed: &str) -> Option<f64> {
    let typed = typed.trim();
    let (digits, unit_m) = [("nm", NAUTICAL_MILE_M), ("km", 1000.0), ("m", 1.0)]
        .into_iter()
        .find_map(|(unit, metres)| Some((typed.strip_suffix(unit)?.trim(), metres)))
        .unwrap_or((typed, 1.0));
    let metres = to_millimetres(digits.parse::<f64>().ok()? * unit_m);
    (metres.is_finite() && metres > 0.0).then_some(metres)
}

impl FromStr for WatchCircle {
    type Err = NoCircle;

    /// Parses `LAT,LON,RADIUS`: a position, then metres or a length with its unit, before which
    /// a blank is enough.
    fn from_str(typed: &str) -> Result<Self, NoCircle> {
        let by_comma = typed.rsplit_once(',');
        let by_comma = by_comma.and_then(|(centre, length)| Some((centre, radius(length)?)));
        let by_unit = || {
            let (centre, length) =
                last_amount(typed).filter(|(_, length)| length.ends_with('m'))?;
            Some((centre, radius(&length)?))
        };
        let (centre, radius_m) = by_comma.or_else(by_unit).ok_or(NoCircle::Form)?;
        match parse_position(centre) {
            Ok(centre) => Ok(Self { centre, radius_m }),
            Err(NoPosition::Form) => Err(NoCircle::Form),
            Err(beyond) => Err(beyond.into()),
        }
    }
}

impl fmt::Display for WatchCircle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { centre, radius_m } = self;
        let radius_m = to_millimetres(*radius_m);
        write!(f, "{},{},{radius_m}", centre.latitude, centre.longitude)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_reads_back_as_it_was_written() {
        for (typed, metres) in [
            ("57.92,2.11,800", 800.0),
            (" 57.92 , 2.11 , 2km ", 2000.0),
            ("-66.2,110.6,0.5nm", 926.0),
            ("-66.2,110.6,0.05nm", 92.6),
            ("66°12.0′S 110°36.0′E, 2km", 2000.0),
            ("66.2S 110.6E 2km", 2000.0),
            ("66.2S, 110.6E 2 km", 2000.0),
        ] {
            let circle: WatchCircle = typed.parse().unwrap();
            assert_eq!(circle.radius_m, metres);
            assert_eq!(circle.to_string().parse(), Ok(circle));
        }
    }

    #[test]
    fn a_circle_that_is_none_is_refused() {
        for wrong in [
            "",
            "1,2",
            "1,2,3,4",
            "91,0,5",
            "0,0,-5",
            "0,0,0",
            "a,b,c",
            "0,0,5miles",
            "NaN,0,5",
            "0,0,inf",
            "66.2S 110.6E 5",
            "66.2S 110.6E",
        ] {
            assert!(wrong.parse::<WatchCircle>().is_err(), "{wrong}");
        }
    }
}
