//! Coordinates as text. A value is first rounded and then split into degrees,
//! minutes and seconds, so that 60 minutes or seconds never appear.

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::Position;
use crate::choice;

/// The format of coordinates.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Hash, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum CoordinateFormat {
    /// Decimal degrees: `82.12315°N`.
    #[default]
    Dd,
    /// Degrees and decimal minutes: `82°07.389′N`.
    Ddm,
    /// Degrees, minutes and seconds: `82°07′23.3″N`.
    Dms,
}

impl CoordinateFormat {
    /// The next format, cyclic.
    pub fn next(self) -> Self {
        choice::next(self)
    }

    /// Its name in the settings.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Widths of a latitude and a longitude, in cells.
    pub fn width(self) -> (u16, u16) {
        match self {
            Self::Dd => (10, 11),
            Self::Ddm => (11, 12),
            Self::Dms => (12, 13),
        }
    }

    /// Latitude and longitude as text.
    pub fn pair(self, position: Position) -> (String, String) {
        (
            self.latitude(position.latitude),
            self.longitude(position.longitude),
        )
    }

    /// A latitude in degrees, two digits of degrees.
    pub fn latitude(self, degrees: f64) -> String {
        self.write(degrees, 2, 'N', 'S')
    }

    /// A longitude in degrees, three digits of degrees.
    pub fn longitude(self, degrees: f64) -> String {
        self.write(degrees, 3, 'E', 'W')
    }

    fn write(self, degrees: f64, digits: usize, positive: char, negative: char) -> String {
        let size = degrees.abs();
        // Units of the last digit: 1e-5 degrees, 0.001 minutes, 0.1 seconds.
        let units_a_degree = match self {
            Self::Dd => 100_000.0,
            Self::Ddm => 60_000.0,
            Self::Dms => 36_000.0,
        };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most 360 degrees
        let units = (size * units_a_degree).round() as u64;
        // A value that rounds to zero is neither south nor west.
        let side = if degrees < 0.0 && units > 0 {
            negative
        } else {
            positive
        };
        match self {
            Self::Dd => {
                let width = digits + 6;
                #[allow(clippy::cast_precision_loss)] // below 2^53
                let rounded = units as f64 / units_a_degree;
                format!("{rounded:0width$.5}°{side}")
            }
            Self::Ddm => {
                let (whole, rest) = (units / 60_000, units % 60_000);
                format!(
                    "{whole:0digits$}°{:02}.{:03}′{side}",
                    rest / 1000,
                    rest % 1000
                )
            }
            Self::Dms => {
                let (whole, rest) = (units / 36_000, units % 36_000);
                let (minutes, tenths) = (rest / 600, rest % 600);
                format!(
                    "{whole:0digits$}°{minutes:02}′{:02}.{}″{side}",
                    tenths / 10,
                    tenths % 10
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[test]
    fn a_value_is_rounded_before_it_is_split() {
        let just_below = 82.0 - 1e-9;
        assert_eq!(CoordinateFormat::Ddm.latitude(just_below), "82°00.000′N");
        assert_eq!(CoordinateFormat::Dms.latitude(just_below), "82°00′00.0″N");
        assert_eq!(
            CoordinateFormat::Dms.longitude(-179.999_999_9),
            "180°00′00.0″W"
        );
    }

    #[test]
    fn the_published_example_reads_the_same_in_every_form() {
        assert_eq!(CoordinateFormat::Dd.latitude(82.12315), "82.12315°N");
        assert_eq!(CoordinateFormat::Ddm.latitude(82.12315), "82°07.389′N");
        assert_eq!(CoordinateFormat::Dms.latitude(82.12315), "82°07′23.3″N");
        assert_eq!(CoordinateFormat::Dd.longitude(-7.5), "007.50000°W");
        assert_eq!(CoordinateFormat::Dd.latitude(-1e-9), "00.00000°N");
    }

    proptest::proptest! {
        #[test]
        fn every_value_fills_its_column_and_never_has_sixty(latitude in -90.0f64..=90.0, longitude in -180.0f64..=180.0) {
            for format in [CoordinateFormat::Dd, CoordinateFormat::Ddm, CoordinateFormat::Dms] {
                let (lat, lon) = format.pair(Position { latitude, longitude });
                let (a, b) = format.width();
                assert_eq!((text::width(&lat), text::width(&lon)), (usize::from(a), usize::from(b)));
                assert!(!lat.contains("°60") && !lat.contains("′60") && !lon.contains("°60") && !lon.contains("′60"));
            }
        }
    }
}
