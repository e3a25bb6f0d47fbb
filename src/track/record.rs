//! What the service sent, one record at a time, before it is a track.

use super::fault::{Member, RecordFault};
use super::time::CALENDAR;
use crate::geo::Position;

/// One usable transmission.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Transmission {
    /// UNIX time in seconds, UTC, finite and within [`CALENDAR`].
    pub time_stamp: f64,
    /// Where the instrument was.
    pub position: Position,
}

impl Transmission {
    /// A transmission from the three numbers of a record.
    ///
    /// # Errors
    /// [`RecordFault::OutOfRange`] with the first number that is.
    pub(crate) fn new(time_stamp: f64, latitude: f64, longitude: f64) -> Result<Self, RecordFault> {
        if !(CALENDAR.0..=CALENDAR.1).contains(&time_stamp) {
            return Err(RecordFault::OutOfRange(Member::TimeStamp, time_stamp));
        }
        if !(-90.0..=90.0).contains(&latitude) {
            return Err(RecordFault::OutOfRange(Member::Latitude, latitude));
        }
        let Some(position) = Position::new(latitude, longitude) else {
            return Err(RecordFault::OutOfRange(Member::Longitude, longitude));
        };
        Ok(Self {
            time_stamp: time_stamp + 0.0,
            position,
        })
    }
}

/// A record that cannot be used, and why. It is counted and shown, never drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InvalidRecord {
    /// Place in the service's answer, counted from 0.
    pub index: usize,
    /// Why it cannot be used.
    pub fault: RecordFault,
    /// The record as it came, made harmless and cut to 200 characters.
    pub excerpt: String,
}

/// Everything one answer held, in the service's own order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Records {
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
    pub(crate) fn hint(&self) -> Option<&'static str> {
        let out_of_range = |member: Member| {
            self.unusable
                .iter()
                .filter(
                    |record| matches!(record.fault, RecordFault::OutOfRange(it, _) if it == member),
                )
                .count()
        };
        let half = (self.transmissions.len() + self.unusable.len()) / 2;
        if out_of_range(Member::TimeStamp) > half {
            // A time in milliseconds lies tens of thousands of years ahead.
            return Some("most time stamps are no dates: are they in milliseconds?");
        }
        if out_of_range(Member::Latitude) > half {
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
        let fault = |t, lat, lon| Transmission::new(t, lat, lon).unwrap_err().to_string();
        for (fault, words) in [
            (
                fault(0.0, 90.000_000_1, 0.0),
                "latitude 90.0000001 is outside -90 to 90",
            ),
            (
                fault(1e15, 0.0, 0.0),
                "time_stamp 1e15 is no date of the years 1 to 9999",
            ),
            (
                fault(f64::INFINITY, 0.0, 0.0),
                "time_stamp inf is no date of the years 1 to 9999",
            ),
            (
                fault(0.0, f64::NAN, 0.0),
                "latitude NaN is outside -90 to 90",
            ),
            (
                fault(0.0, 0.0, 540.0),
                "longitude 540 is outside -180 to 360",
            ),
        ] {
            assert_eq!(fault, words);
        }
    }

    #[test]
    fn a_hint_is_given_for_numbers_out_of_range_and_not_for_others() {
        let hint = |faults: &[RecordFault]| {
            let unusable = faults
                .iter()
                .enumerate()
                .map(|(index, fault)| InvalidRecord {
                    index,
                    fault: fault.clone(),
                    excerpt: String::new(),
                });
            Records {
                unusable: unusable.collect(),
                ..Records::default()
            }
            .hint()
        };
        let (time, latitude) = (Member::TimeStamp, Member::Latitude);
        let milliseconds = RecordFault::OutOfRange(time, 1.7e12);
        assert!(hint(&[milliseconds]).unwrap().contains("milliseconds"));
        let swapped = RecordFault::OutOfRange(latitude, 100.0);
        let both = [swapped.clone(), swapped.clone()];
        assert!(hint(&both).unwrap().contains("swapped"));
        // A number that is not there is in no unit and in no other's place.
        let missing = RecordFault::Missing(latitude);
        assert_eq!(hint(&[missing, swapped]), None);
        assert_eq!(hint(&[RecordFault::Missing(time)]), None);
        assert_eq!(hint(&[RecordFault::Twice(time)]), None);
    }

    #[test]
    fn negative_zero_is_zero() {
        let zero = Transmission::new(-0.0, -0.0, -0.0).unwrap();
        assert!(zero.position.latitude.is_sign_positive() && zero.time_stamp.is_sign_positive());
    }
}
