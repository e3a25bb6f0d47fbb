//! The unit in the heading of a latitude or a longitude.

use super::position::{IS_NO_FIX, is_positive};
use super::readings::{Readings, Settled};
use super::times::zoned;
use crate::text;
use crate::track::{Member, RecordFault};

/// Words for degrees, the longer before the shorter.
const DEGREES: [&str; 6] = ["degrees", "degree", "deg", "dd", "\u{b0}", "\u{ba}"];
/// Words that say no more of degrees.
const PLAIN: &str = "unit units x decimal dec ddeg wgs wgs84 84 epsg 4326 nad83 \
    positive pos negative neg + - +ve -ve";
/// Names of degrees and minutes (DDMM.mmm) at Slocum, whose unit is called `lat` or `lon`.
const SLOCUM: &str = "m_gps_lat m_gps_lon m_lat m_lon";
/// Units in which a latitude or a longitude is no degrees.
const NO_DEGREES: &str = "m km cm ft nm nmi meter meters metre metres kilometer kilometers \
    kilometre kilometres feet foot gon gons grad arcmin arcminutes arcsec arcseconds minutes";
/// The most sentences on units that are not known.
const MOST_NOTES: usize = 4;

/// How the numbers below a heading are degrees.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Unit {
    /// So many make a degree, if it is not one.
    parts: Option<f64>,
    /// They are degrees times a hundred, and minutes: those of NMEA 0183.
    has_minutes: bool,
    /// The side that all of them are on, whatever their sign: `true` for north and east.
    pub(super) side: Option<bool>,
    /// Positive numbers are to the south or to the west, and negative ones are not.
    is_turned: bool,
    /// A word of it is not known.
    is_unknown: bool,
}

impl Unit {
    /// The unit in the brackets of a heading; degrees without brackets.
    ///
    /// # Errors
    /// If it is a unit of something else.
    pub(crate) fn read(member: Member, heading: &str) -> Result<Self, RecordFault> {
        let (name, written) = heading.split_once(['(', '[']).unwrap_or((heading, ""));
        let lower = written.to_lowercase();
        let is_of_word =
            |letter: char| letter.is_alphanumeric() || "\u{b0}\u{ba}\u{b5}+-.^".contains(letter);
        let words: Vec<&str> = lower
            .split(|letter| !is_of_word(letter))
            .map(|word| word.trim_end_matches('.'))
            .filter(|word| !word.is_empty())
            .collect();
        let is_degrees = |word: &&str| DEGREES.iter().any(|degrees| word.starts_with(degrees));
        let has_degrees = words.iter().any(is_degrees);
        if words.iter().any(|word| has(NO_DEGREES, word)) && !has_degrees {
            let heading = text::excerpt(heading, 40);
            let why = format!("'{heading}' is not in degrees: degrees are expected");
            return Err(RecordFault::Other(why.into()));
        }
        let is_minutes = |word: &&str| is_minutes(word, has_degrees);
        let is_of_slocum = has(SLOCUM, &name.trim().to_lowercase())
            && words.iter().all(|word| matches!(*word, "lat" | "lon"));
        let mut unit = Self {
            has_minutes: is_of_slocum || words.iter().any(is_minutes),
            ..Self::default()
        };
        // If "positive" or "negative" says which way the numbers of a side count.
        let sign = words.iter().find_map(|word| match *word {
            "positive" | "pos" | "+" | "+ve" => Some(true),
            "negative" | "neg" | "-" | "-ve" => Some(false),
            _ => None,
        });
        let mut sides = Vec::new();
        if written.is_empty()
            && let Some((_, last)) = name.trim().rsplit_once([' ', '_'])
            && let Some(is_positive) = is_positive(member, &last.to_lowercase())
        {
            sides.push((is_positive, None));
        }
        for word in words.into_iter().filter(|word| !is_minutes(word)) {
            unit.add(member, word, sign, &mut sides);
        }
        match sides[..] {
            [(is_positive, None)] => unit.side = Some(is_positive),
            [(is_positive, Some(is_up)), ..] => unit.is_turned = is_positive != is_up,
            // Both sides say that the cells have them.
            _ => {}
        }
        Ok(unit)
    }

    /// Adds a word of the brackets; `sides` are those that are named, each with the sign that
    /// its numbers have.
    fn add(
        &mut self,
        member: Member,
        word: &str,
        sign: Option<bool>,
        sides: &mut Vec<(bool, Option<bool>)>,
    ) {
        // It may be their plural, or those to the south.
        if word == "degs" {
            self.is_unknown = true;
            return;
        }
        let rest = DEGREES
            .iter()
            .find_map(|degrees| word.strip_prefix(degrees))
            .unwrap_or(word);
        let letters = rest.trim_matches(['+', '-']);
        if let Some(is_positive) = is_positive(member, letters) {
            let own = rest.find(['+', '-']).map(|_| rest.contains('+'));
            return sides.push((is_positive, own.or(sign)));
        }
        match rest {
            "rad" | "rads" | "radian" | "radians" => self.parts = Some(1f64.to_radians()),
            "\u{b5}deg" | "udeg" | "microdegrees" | "microdegree" => self.parts = Some(1e6),
            rest if rest.trim_matches(['.', 'd']).is_empty() || has(PLAIN, rest) => {}
            rest => match parts(rest) {
                Some(parts) => self.parts = Some(parts),
                None => self.is_unknown = true,
            },
        }
    }

    /// The degrees that a number without a letter is.
    pub(super) fn degrees(self, number: f64) -> f64 {
        let degrees = self.parts.map_or(number, |parts| number / parts);
        if self.is_turned { -degrees } else { degrees }
    }

    /// The degrees of a number that may be followed by minutes.
    pub(super) fn with_minutes(self, member: Member, number: f64) -> Result<f64, RecordFault> {
        if !self.has_minutes {
            return Ok(number);
        }
        let whole = (number / 100.0).trunc();
        let minutes = number - 100.0 * whole;
        if minutes.abs() < 60.0 {
            // The difference has the error of a number a hundred times as large.
            return Ok(((whole + minutes / 60.0) * 1e10).round() / 1e10);
        }
        let why = format!("{member} {number} has 60 minutes or more: it is no DDMM.mmm");
        Err(RecordFault::Other(why.into()))
    }
}

/// `true` for a word that says that minutes follow the degrees in one number: `ddmm.mmm`, `ddm`, or
/// `minutes` if another word says degrees.
fn is_minutes(word: &str, has_degrees: bool) -> bool {
    let of_digits = word.trim_start_matches('d');
    let is_pattern = of_digits.starts_with("mm") && of_digits.trim_matches(['m', '.']).is_empty();
    let is_named = has("minutes minute mins min", word);
    matches!(word, "nmea" | "ddm") || has_degrees && (is_pattern || is_named)
}

/// `true` if a list of words has this one.
fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|known| known == word)
}

/// How many of the unit make a degree: of `1e7`, `1e-7`, `e7`, `10^-7` or `10000000` ten
/// million.
fn parts(word: &str) -> Option<f64> {
    let is_power = |digits: &str| digits.len() == 1 && digits != "0";
    let exponent = ["1e", "10^", "e"]
        .iter()
        .find_map(|start| word.strip_prefix(start))
        .map(|exponent| exponent.trim_start_matches(['+', '-']));
    if let Some(exponent) = exponent.filter(|exponent| is_power(exponent)) {
        return exponent.parse().ok().map(|exponent| 10f64.powi(exponent));
    }
    let zeros = word.strip_prefix('1')?;
    let is_round = zeros.len() > 2 && zeros.bytes().all(|byte| byte == b'0');
    is_round.then(|| word.parse().ok())?
}

/// Adds the unit below a name to it, if it has none.
pub(crate) fn add_unit(name: &mut String, unit: &str) {
    let unit = unit.trim();
    if !unit.is_empty() && zoned([name.as_str()]).is_empty() {
        *name = format!("{name} ({unit})");
    }
}

/// The units of the headings of a file.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// The last heading of a latitude and that of a longitude.
    known: [Option<(String, Unit)>; 2],
    notes: Vec<String>,
    /// Two numbers in one column: the latitude first, or by the second reading the longitude.
    pub(super) order: Readings,
}

impl Units {
    /// By the readings that are known.
    pub(super) fn new(known: &Settled) -> Self {
        Self {
            order: Readings::new(known.positions),
            ..Self::default()
        }
    }

    /// The order of two numbers, and `true` if cells were read otherwise.
    pub(super) fn settled(&self) -> (usize, bool) {
        let order = usize::from(self.is_longitude_first());
        (order, self.order.is_to_change(order))
    }

    fn is_longitude_first(&self) -> bool {
        self.order
            .majority()
            .is_some_and(|(is_second, _)| is_second)
            && self.order.example(is_sign).is_some()
    }

    /// Why the order of two numbers is not known: less than a tenth of them show one, and may be
    /// no fixes.
    pub(super) fn unsettled(&self) -> Option<String> {
        let by = self
            .order
            .example(is_sign)
            .filter(|_| self.is_longitude_first())?;
        let all = self.order.count(|_| true);
        (10 * self.order.count(is_sign) < all).then(|| {
            format!(
                "'{}' has the longitude first, or is no fix, and most of the {all} positions can be \
                 read in both ways: a heading such as 'latlon' or 'lonlat' says which of two numbers is first",
                text::excerpt(by, 60)
            )
        })
    }

    /// The unit below a heading; one that is not known is noted.
    ///
    /// # Errors
    /// As [`Unit::read`].
    pub(super) fn read(&mut self, member: Member, heading: &str) -> Result<Unit, RecordFault> {
        // Only a name of Slocum has a unit without brackets, and one that ends with its side.
        if !heading.contains(['(', '[', '_', ' ']) {
            return Ok(Unit::default());
        }
        let [latitude, longitude] = &mut self.known;
        let known = if member == Member::Latitude {
            latitude
        } else {
            longitude
        };
        if let Some((_, unit)) = known.as_ref().filter(|(known, _)| known == heading) {
            return Ok(*unit);
        }
        let unit = Unit::read(member, heading)?;
        *known = Some((heading.to_owned(), unit));
        let shown = text::excerpt(heading, 60);
        let note = match unit {
            Unit {
                has_minutes: true, ..
            } => format!("'{shown}' is taken as DDMM.mmm, degrees and minutes"),
            Unit {
                is_unknown: true, ..
            } => format!("the unit of '{shown}' is not known: its numbers are taken as degrees"),
            _ => return Ok(unit),
        };
        if self.notes.len() < MOST_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
        Ok(unit)
    }

    /// The sentences about units that are not known, and about the order of two numbers.
    pub(super) fn notes(self) -> Vec<String> {
        let order = |(is_second, why): (bool, String)| {
            let order = match is_second {
                true => "longitude, latitude",
                false => "latitude, longitude",
            };
            format!("two numbers in one column are taken as {order}{why}")
        };
        let is_longitude_first = self.is_longitude_first();
        let decided = (self.order.majority())
            .filter(|(is_second, _)| *is_second == is_longitude_first)
            .map(|(is_second, by)| (is_second, format!(", as '{by}' shows")));
        let is_open = self.order.example(|bits| bits & 3 == 3).is_some();
        let open = is_open.then(|| (false, String::new()));
        let order = decided.or(open).map(order);
        self.notes.into_iter().chain(order).collect()
    }
}

/// `true` for two numbers that have the longitude first, and are no mark of a position that is none.
fn is_sign(bits: u8) -> bool {
    bits & 3 == 2 && bits & IS_NO_FIX == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The degrees of 40 below a heading; `None` if they are not known to be degrees.
    fn read(member: Member, heading: &str, number: f64) -> Option<f64> {
        let unit = Unit::read(member, heading).ok()?;
        let degrees = unit.degrees(unit.with_minutes(member, number).ok()?);
        let degrees = match unit.side {
            Some(false) => -degrees.abs(),
            _ => degrees,
        };
        (!unit.is_unknown).then_some(degrees)
    }

    #[test]
    fn a_side_is_understood_in_every_spelling() {
        for heading in [
            "latitude[unit=\"degrees_south\"]",
            "latitude (degrees_south)",
            "lat (positive south)",
            "lat (south positive)",
            "lat (+S)",
            "lat (S+)",
            "lat (deg S)",
            "lat (\u{b0}S)",
            "lat [dec deg S]",
            "lat (decimal degrees South)",
            "lat (-N)",
            "lat (deg) [S]",
            "lat (negative north)",
            "lat (degrees_S)",
            "lat [degree_south]",
            "lat (S, WGS84)",
        ] {
            assert_eq!(
                read(Member::Latitude, heading, 40.0),
                Some(-40.0),
                "{heading}"
            );
        }
        for heading in [
            "longitude[unit=\"degrees_west\"]",
            "lon (dec deg W)",
            "lon (+W)",
            "lon (positive west)",
            "lon (W+, E-)",
            "lon (degrees west)",
            "lon (deg_W)",
            "lon [West]",
            "lon (W)",
        ] {
            assert_eq!(
                read(Member::Longitude, heading, 105.0),
                Some(-105.0),
                "{heading}"
            );
        }
        for heading in [
            "lon",
            "lon (deg)",
            "lon (degrees_east)",
            "lon (+E)",
            "lon (positive east)",
            "lon (-W)",
            "lon (E+, W-)",
            "lon (E/W)",
            "lon (WGS84)",
            "lon (EPSG:4326)",
            "lon (decimal degrees)",
            "lon (\u{b0})",
            "lon (DD)",
            "lon [unit=\"degrees\"]",
            "lon (W negative)",
        ] {
            assert_eq!(
                read(Member::Longitude, heading, 105.0),
                Some(105.0),
                "{heading}"
            );
            assert_eq!(
                read(Member::Longitude, heading, -105.0),
                Some(-105.0),
                "{heading}"
            );
        }
        // A sign below a side is that side again; where the side is positive it is the other.
        assert_eq!(
            read(Member::Longitude, "lon (degrees_west)", -105.0),
            Some(-105.0)
        );
        assert_eq!(
            read(Member::Longitude, "lon (positive west)", -105.0),
            Some(105.0)
        );
    }

    #[test]
    fn radians_and_parts_of_degrees_are_degrees() {
        for (heading, number, degrees) in [
            ("lat (rad)", 0.5, 28.647_889_756_541_16),
            ("lat [unit=\"radians\"]", -0.5, -28.647_889_756_541_16),
            ("lat (radian, positive south)", 0.5, -28.647_889_756_541_16),
            ("lat (1e7)", 541_800_001.0, 54.180_000_1),
            ("lat (deg * 1e7)", 541_800_001.0, 54.180_000_1),
            ("lat [1e-7 deg]", 541_800_001.0, 54.180_000_1),
            ("lat (degE7)", 541_800_001.0, 54.180_000_1),
            ("lat (degrees x 10^7)", 541_800_001.0, 54.180_000_1),
            ("lat (1e6)", 54_180_001.0, 54.180_001),
            ("lat (microdegrees)", 54_180_001.0, 54.180_001),
            ("lat (deg/10000000)", 541_800_001.0, 54.180_000_1),
        ] {
            assert_eq!(
                read(Member::Latitude, heading, number),
                Some(degrees),
                "{heading}"
            );
        }
    }

    #[test]
    fn what_is_no_degrees_is_refused_and_what_is_not_known_is_named() {
        for heading in [
            "lat (m)",
            "y (km)",
            "lat (gon)",
            "lat (arcmin)",
            "lat (minutes)",
            "lat [units=\"metres\"]",
        ] {
            assert!(Unit::read(Member::Latitude, heading).is_err(), "{heading}");
        }
        for heading in [
            "lat (EPSG:3413)",
            "lat (approx)",
            "lat (E)",
            "lat (degs)",
            "lat (dd.mm)",
            "lat (ddmmss)",
            "m_gps_lat (approx)",
        ] {
            let mut units = Units::default();
            for _ in 0..2 {
                assert_eq!(
                    units.read(Member::Latitude, heading).unwrap().degrees(40.0),
                    40.0
                );
            }
            let note =
                format!("the unit of '{heading}' is not known: its numbers are taken as degrees");
            assert_eq!(units.notes(), [note]);
        }
    }
}
