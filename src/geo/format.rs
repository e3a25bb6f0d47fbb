//! Coordinates as text. A value is first rounded and then split into degrees,
//! minutes and seconds, so that 60 minutes or seconds never appear. They are read in
//! every form in which they are written, and as people type them.

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{Position, Units};
use crate::text::choice;

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

    /// Their widths with fewer decimals.
    pub fn short_width(self) -> (u16, u16) {
        let (latitude, longitude) = self.width();
        (latitude - 2, longitude - 2)
    }

    /// Latitude and longitude as text.
    pub fn pair(self, position: Position) -> (String, String) {
        (
            self.latitude(position.latitude),
            self.longitude(position.longitude),
        )
    }

    /// Latitude and longitude with fewer decimals, to some hundred metres or better:
    /// `82.123°N`, `82°07.4′N`, `82°07′23″N`.
    pub fn short_pair(self, position: Position) -> (String, String) {
        let decimals = match self {
            Self::Dd => 3,
            Self::Ddm => 1,
            Self::Dms => 0,
        };
        (
            self.write(position.latitude, 2, ['N', 'S'], decimals),
            self.write(position.longitude, 3, ['E', 'W'], decimals),
        )
    }

    /// A latitude in degrees, two digits of degrees.
    pub fn latitude(self, degrees: f64) -> String {
        self.write(degrees, 2, ['N', 'S'], self.decimals())
    }

    /// A longitude in degrees, three digits of degrees.
    pub fn longitude(self, degrees: f64) -> String {
        self.write(degrees, 3, ['E', 'W'], self.decimals())
    }

    /// The decimals of its last number: about a metre.
    fn decimals(self) -> usize {
        match self {
            Self::Dd => 5,
            Self::Ddm => 3,
            Self::Dms => 1,
        }
    }

    fn write(self, degrees: f64, digits: usize, sides: [char; 2], decimals: usize) -> String {
        let parts: u64 = match self {
            Self::Dd => 1,
            Self::Ddm => 60,
            Self::Dms => 3600,
        };
        let unit: u64 = (0..decimals).fold(1, |power, _| power * 10);
        // At most 360 degrees.
        let units = (degrees.abs() * (parts * unit) as f64).round() as u64;
        // A value that rounds to zero is neither south nor west.
        let [positive, negative] = sides;
        let side = if degrees < 0.0 && units > 0 {
            negative
        } else {
            positive
        };
        let number = |units: u64, digits: usize| match decimals {
            0 => format!("{:0digits$}", units / unit),
            _ => format!("{:0digits$}.{:0decimals$}", units / unit, units % unit),
        };
        let sixty = 60 * unit;
        match self {
            Self::Dd => format!("{}°{side}", number(units, digits)),
            Self::Ddm => {
                let minutes = number(units % sixty, 2);
                format!("{:0digits$}°{minutes}′{side}", units / sixty)
            }
            Self::Dms => {
                let minutes = units / sixty;
                let seconds = number(units % sixty, 2);
                let whole = minutes / 60;
                format!("{whole:0digits$}°{:02}′{seconds}″{side}", minutes % 60)
            }
        }
    }
}

/// The units and the coordinates of texts for people; files and JSON have SI units and
/// decimal degrees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Notation {
    /// The units of lengths and speeds.
    pub units: Units,
    /// The format of positions.
    pub coordinates: CoordinateFormat,
}

impl Notation {
    /// A position: `82.12315°N 007.50000°W`.
    pub(crate) fn position(self, position: Position) -> String {
        let (latitude, longitude) = self.coordinates.pair(position);
        format!("{latitude} {longitude}")
    }
}

/// The marks after degrees, minutes and seconds.
const MARKS: [&[char]; 3] = [&['°', 'º', ':'], &['′', '\'', '’', ':'], &['″', '"', '”']];

/// The error for text that is not a position.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub(crate) enum NoPosition {
    #[error("give LAT,LON, such as 81.5,-20.25 or 81°30.0′N 20°15.0′W")]
    Form,
    #[error("the latitude {0} is beyond 90 degrees: give the latitude first")]
    Latitude(f64),
    #[error("the longitude {0} is not from -180 to 360 degrees")]
    Longitude(f64),
}

/// Parses a position: two coordinates with a comma or a blank between them, each in
/// decimal degrees, degrees and decimal minutes, or degrees, minutes and seconds, with
/// a sign or a letter.
///
/// # Errors
/// Which of the two is wrong, if the text is that of two coordinates.
pub(crate) fn parse_position(typed: &str) -> Result<Position, NoPosition> {
    let (latitude, longitude) = parse_pair(typed).ok_or(NoPosition::Form)?;
    Position::new(latitude, longitude).ok_or(if latitude.abs() > 90.0 {
        NoPosition::Latitude(latitude)
    } else {
        NoPosition::Longitude(longitude)
    })
}

/// Parses latitude and longitude as [`parse_position`] does, in degrees of any size.
pub(crate) fn parse_pair(typed: &str) -> Option<(f64, f64)> {
    let typed = plain(typed);
    let (latitude, longitude) = match typed.split_once(',') {
        Some((latitude, longitude)) => (latitude.to_owned(), longitude.to_owned()),
        None => halves(&typed)?,
    };
    coordinate(&latitude, ['N', 'S']).zip(coordinate(&longitude, ['E', 'W']))
}

/// Parts `57S 50W 10 kn` before its last number: a blank may part that from its unit.
pub(crate) fn last_amount(typed: &str) -> Option<(&str, String)> {
    let end = typed.rfind(|letter: char| letter.is_ascii_digit())? + 1;
    let (numbers, unit) = typed.split_at(end);
    let (before, number) = numbers.rsplit_once([' ', ','])?;
    let before = before.trim_end_matches([' ', ',']);
    Some((before, format!("{number}{}", unit.trim())))
}

/// Parses a latitude or a longitude as [`parse_position`] does, with the letters of its
/// positive and its negative side.
pub(crate) fn parse_degrees(typed: &str, sides: [char; 2]) -> Option<f64> {
    coordinate(&plain(typed), sides)
}

/// A typed text with one way to write a minus, a double prime and a letter.
fn plain(typed: &str) -> String {
    let typed = typed.trim().replace("''", "\"").replace('−', "-");
    typed.to_uppercase()
}

/// Latitude and longitude of a text without a comma: parted at a letter, else in the
/// middle of the numbers.
fn halves(typed: &str) -> Option<(String, String)> {
    if let Some(letter) = typed.find(['N', 'S']) {
        let at = match letter {
            0 => typed.find(['E', 'W'])?,
            _ => letter + 1,
        };
        let (latitude, longitude) = typed.split_at_checked(at)?;
        return Some((latitude.to_owned(), longitude.to_owned()));
    }
    let words: Vec<&str> = typed.split_whitespace().collect();
    let (latitude, longitude) = words.split_at(words.len() / 2);
    (latitude.len() == longitude.len()).then(|| (latitude.join(" "), longitude.join(" ")))
}

/// Parses a latitude or a longitude in degrees, with the letter of its positive or its
/// negative side.
fn coordinate(typed: &str, [positive, negative]: [char; 2]) -> Option<f64> {
    let typed = typed.trim();
    let side = [positive, negative];
    let bare = typed
        .strip_prefix(side)
        .or_else(|| typed.strip_suffix(side));
    let (sign, mut rest) = match (bare, typed.strip_prefix('-')) {
        (Some(bare), _) if typed.contains(negative) => (-1.0, bare),
        (Some(bare), _) => (1.0, bare),
        (None, Some(bare)) => (-1.0, bare),
        (None, None) => (1.0, typed.strip_prefix('+').unwrap_or(typed)),
    };
    let mut degrees = 0.0;
    let mut unit = 1.0;
    for (index, marks) in MARKS.into_iter().enumerate() {
        rest = rest.trim_start();
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
        let (number, after) = rest.split_at(end.unwrap_or(rest.len()));
        let value: f64 = number.parse().ok()?;
        if index > 0 && value >= 60.0 {
            return None;
        }
        degrees += value / unit;
        unit *= 60.0;
        let unmarked = after.trim_start();
        rest = unmarked.strip_prefix(marks).unwrap_or(after);
        if rest.trim().is_empty() {
            return Some(sign * degrees);
        }
        // A fraction is only in the last number, and what follows is parted from it.
        if number.contains('.') || (rest == after && !after.starts_with(char::is_whitespace)) {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[test]
    fn a_position_is_read_in_every_form_in_which_people_write_it() {
        let (latitude, longitude) = (54.18, -7.89);
        for typed in [
            "54.18,-7.89",
            " 54.18 -7.89 ",
            "+54.18 , −7.89",
            "54.18N 7.89W",
            "54.18N,7.89W",
            "54.18N7.89W",
            "54.18°n, 007.89°w",
            "N54.18 W7.89",
            "54°10.8'N 7°53.4'W",
            "54 10.8 N, 7 53.4 W",
            "54 10.8 -7 53.4",
            "N 54°10.8′ W 7°53.4′",
            "54°10′48″N 007°53′24″W",
            "54°10'48\"N,7°53'24''W",
            "54:10:48N 7:53:24W",
            "54 10 48 -7 53 24",
        ] {
            let read = parse_position(typed).unwrap_or_else(|_| panic!("{typed}"));
            let off = (read.latitude - latitude).abs() + (read.longitude - longitude).abs();
            assert!(off < 1e-9, "{typed}: {read:?}");
        }
        for wrong in [
            "",
            "54.18",
            "54.18,",
            "1,2,3",
            "91,0",
            "0,361",
            "54.18E 7.89N",
            "-54.18S 7.89E",
            "54.5 10 7 0",
            "54 60 N 7 0 E",
            "54'10°N 7°E",
            "1e1,5",
            "nan,0",
            "inf,0",
            "a,b",
            "54°10'48\"6N 7E",
            "5 4 7",
            "--5,7",
        ] {
            assert!(parse_position(wrong).is_err(), "{wrong}");
        }
    }

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
                let position = Position { latitude, longitude };
                let (lat, lon) = format.pair(position);
                let units = Units::default();
                let written = Notation { units, coordinates: format }.position(position);
                let read = parse_position(&written).unwrap();
                assert!((read.latitude - latitude).abs() < 2e-5 && (read.longitude - longitude).abs() < 2e-5, "{written}");
                let (a, b) = format.width();
                assert_eq!((text::width(&lat), text::width(&lon)), (usize::from(a), usize::from(b)));
                let (short_lat, short_lon) = format.short_pair(Position { latitude, longitude });
                let (a, b) = format.short_width();
                assert_eq!((text::width(&short_lat), text::width(&short_lon)), (usize::from(a), usize::from(b)));
                assert!(!lat.contains("°60") && !lat.contains("′60") && !lon.contains("°60") && !lon.contains("′60"));
            }
        }
    }
}
