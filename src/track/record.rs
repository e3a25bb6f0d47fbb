//! What the service sent, one record at a time, before it is a track.

use super::time::CALENDAR;
use crate::geo::Position;

/// One usable transmission.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transmission {
    /// UNIX time in seconds, UTC, finite and within [`CALENDAR`].
    pub time_stamp: f64,
    /// Where the instrument was.
    pub position: Position,
}

impl Transmission {
    /// A transmission from the three numbers of a record.
    ///
    /// # Errors
    /// A clause that says which number is out of its range.
    pub fn new(time_stamp: f64, latitude: f64, longitude: f64) -> Result<Self, String> {
        if !(CALENDAR.0..=CALENDAR.1).contains(&time_stamp) {
            return Err(format!(
                "time_stamp {time_stamp:e} is no date of the years 1 to 9999"
            ));
        }
        if !(-90.0..=90.0).contains(&latitude) {
            return Err(format!("latitude {latitude} is outside -90 to 90"));
        }
        let Some(position) = Position::new(latitude, longitude) else {
            return Err(format!("longitude {longitude} is outside -180 to 360"));
        };
        Ok(Self {
            time_stamp: time_stamp + 0.0,
            position,
        })
    }
}

/// A record that cannot be used, and why. It is counted and shown, never drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct InvalidRecord {
    /// Place in the service's answer, counted from 0.
    pub index: usize,
    /// Why it cannot be used, as a clause: "latitude is null".
    pub reason: String,
    /// The record as it came, made harmless and cut to 200 characters.
    pub excerpt: String,
}

/// Everything one answer held, in the service's own order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Records {
    /// The usable transmissions.
    pub transmissions: Vec<Transmission>,
    /// The unusable records.
    pub unusable: Vec<InvalidRecord>,
    /// Of the transmissions those that are kept from before and that the last
    /// answer no longer held.
    pub unsent: Vec<Transmission>,
}

impl Records {
    /// Something that is wrong with the answer as a whole, to be said once;
    /// nothing is changed for it.
    pub fn hint(&self) -> Option<&'static str> {
        let count = |what: &str| {
            self.unusable
                .iter()
                .filter(|record| record.reason.starts_with(what))
                .count()
        };
        let half = (self.transmissions.len() + self.unusable.len()) / 2;
        if count("time_stamp") > half {
            // A time in milliseconds lies tens of thousands of years ahead.
            return Some("most time stamps are no dates: are they in milliseconds?");
        }
        if count("latitude") > half {
            return Some("most latitudes are out of range: are latitude and longitude swapped?");
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longitude_east_of_180_counts_from_greenwich() {
        let longitude =
            |given: f64| Transmission::new(0.0, 0.0, given).map(|t| t.position.longitude);
        assert_eq!(longitude(190.0), Ok(-170.0));
        assert_eq!(longitude(360.0), Ok(0.0));
        assert_eq!(longitude(180.0), Ok(180.0));
        assert_eq!(longitude(-180.0), Ok(-180.0));
        assert!(longitude(540.0).is_err() && longitude(-180.1).is_err());
    }

    #[test]
    fn what_is_out_of_range_says_which_and_by_what() {
        let reason = |t, lat, lon| Transmission::new(t, lat, lon).unwrap_err();
        assert!(reason(0.0, 90.000_000_1, 0.0).starts_with("latitude"));
        assert!(reason(1e15, 0.0, 0.0).starts_with("time_stamp"));
        assert!(reason(f64::INFINITY, 0.0, 0.0).starts_with("time_stamp"));
        assert!(reason(0.0, f64::NAN, 0.0).starts_with("latitude"));
    }

    #[test]
    fn negative_zero_is_zero() {
        let zero = Transmission::new(-0.0, -0.0, -0.0).unwrap();
        assert!(zero.position.latitude.is_sign_positive() && zero.time_stamp.is_sign_positive());
    }
}
