//! The position of a row: degrees as they are written, and the side that they are on.

use super::readings::Readings;
use super::spelling::is_same;
use super::units::Unit;
use crate::geo::format::{parse_degrees, parse_pair};
use crate::text;
use crate::track::field::FieldValue;
use crate::track::{JsonKind, Member, RecordFault};

/// The bit of two numbers that may mark a position that is none.
pub(super) const IS_NO_FIX: u8 = 0x10;

/// The sides of degrees, the positive first.
fn sides(member: Member) -> [&'static str; 2] {
    match member {
        Member::Latitude => ["north", "south"],
        _ => ["east", "west"],
    }
}

/// `true` if a text is the positive side of degrees, in full or as its first letter; `None` if
/// it is neither side.
pub(super) fn is_positive(member: Member, written: &str) -> Option<bool> {
    let lower = written.trim().to_lowercase();
    let is = |side: &str| lower == side || lower.len() == 1 && side.starts_with(&lower);
    match sides(member).map(is) {
        [false, false] => None,
        [is_first, _] => Some(is_first),
    }
}

/// `true` if the value next to degrees is the positive side; `None` without one, and for a
/// number.
fn is_positive_side(
    member: Member,
    value: Option<FieldValue<'_>>,
) -> Result<Option<bool>, RecordFault> {
    let Some(FieldValue::Text(written)) = value else {
        return Ok(None);
    };
    let [first, second] = sides(member);
    let fault = || {
        let written = text::excerpt(written, 40);
        RecordFault::Other(format!("'{written}' is neither {first} nor {second}").into())
    };
    is_positive(member, written).map(Some).ok_or_else(fault)
}

/// `true` for a text that says that there is no value: R writes `NA`.
pub(super) fn is_none(written: &str) -> bool {
    let mut words = ["", "-", "na", "n/a", "nan", "null", "none"].into_iter();
    words.any(|word| written.eq_ignore_ascii_case(word))
}

/// Ends of the names of columns with both degrees, their letters alone, by what is first.
const PAIRS: [(Member, &str); 2] = [
    (Member::Latitude, "latlng,latlon,latlong,latitudelongitude"),
    (Member::Longitude, "lnglat,lonlat,longlat,longitudelatitude"),
];

/// Names of columns with a point of WKT, or with both degrees in an order that the cells show.
#[rustfmt::skip]
pub(super) const ANY_ORDER: [&str; 7] = [
    "coordinates", "gps coordinates", "coords", "position", "gps position", "location", "gps",
];

/// The member that is first in a column with both degrees, such as `Approx Lat/Lng`; `None` of
/// another.
pub(super) fn first(name: &str) -> Option<Member> {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    let letters: String = letters.flat_map(char::to_lowercase).collect();
    let ends = |(_, names): &&(Member, &str)| names.split(',').any(|end| letters.ends_with(end));
    PAIRS.iter().find(ends).map(|(first, _)| *first)
}

/// Latitude and longitude of a cell with both below this heading: a point in
/// WKT, or the degrees with a comma, a semicolon or a blank between them, in the `order` of the
/// whole column where the heading does not say so.
pub(super) fn both(
    written: &str,
    heading: &str,
    order: &mut Readings,
) -> Result<(f64, f64), RecordFault> {
    if let Some(point) = point(written) {
        return Ok(point);
    }
    let known = first(heading);
    let name = heading.split(['(', '[']).next().unwrap_or_default();
    let has_any_order = ANY_ORDER.iter().any(|known| is_same(known, name));
    let fault = || {
        let expected = match known {
            None if has_any_order => {
                "is no latitude and longitude, and no POINT (longitude latitude)"
            }
            None => {
                "is no POINT (longitude latitude): a heading such as 'latlon' or 'lonlat' says which of two numbers is first"
            }
            Some(Member::Latitude) => "is no latitude and longitude",
            Some(_) => "is no longitude and latitude",
        };
        let why = format!("'{}' {expected}", text::excerpt(written, 60));
        RecordFault::Other(why.into())
    };
    let inside = written.trim().trim_matches(['(', ')']);
    let Some([first, second]) = two(inside) else {
        // Degrees and minutes with blanks between them: their letters show what is what.
        let has_side = inside.contains(['N', 'S', 'n', 's']);
        return parse_pair(inside).filter(|_| has_side).ok_or_else(fault);
    };
    let read = |latitude, longitude| {
        let read = |member, word| {
            let word = FieldValue::Text(word);
            degrees(member, Some(word), Unit::default(), None)
        };
        let latitude = read(Member::Latitude, latitude)?;
        Ok((latitude, read(Member::Longitude, longitude)?))
    };
    match known {
        Some(Member::Latitude) => read(first, second),
        Some(_) => read(second, first),
        None if !has_any_order => Err(fault()),
        None => {
            let is_on_earth = |(latitude, longitude): &(f64, f64)| {
                latitude.abs() <= 90.0 && (-180.0..=360.0).contains(longitude)
            };
            let readings = [read(first, second), read(second, first)];
            let readings = readings.map(|reading| reading.ok().filter(is_on_earth));
            let numbers = [readings[0].map(|_| 0.0), readings[1].map(|_| 1.0)];
            // As AIS and NMEA have them without a fix.
            let is_no_fix = readings[1].is_some_and(|(latitude, longitude)| {
                [91.0, 181.0].contains(&longitude.abs())
                    || longitude.abs() == 180.0 && latitude.abs() == 90.0
            });
            let mark = if is_no_fix { IS_NO_FIX } else { 0 };
            let chosen = order.choose(numbers, mark, || written.to_owned());
            let chosen = chosen.and_then(|number| readings[usize::from(number > 0.0)]);
            chosen.ok_or_else(fault)
        }
    }
}

/// The two words of a cell with both degrees.
fn two(inside: &str) -> Option<[&str; 2]> {
    let words = inside
        .split([',', ';', ' '])
        .filter(|word| !word.is_empty());
    <[&str; 2]>::try_from(words.collect::<Vec<_>>()).ok()
}

/// Latitude and longitude of a point in WKT.
fn point(written: &str) -> Option<(f64, f64)> {
    let upper = written.trim().to_uppercase();
    let rest = upper
        .strip_prefix("POINT")?
        .trim_start()
        .trim_start_matches(['Z', 'M'])
        .trim();
    let inside = rest.strip_prefix('(')?.strip_suffix(')')?;
    let mut numbers = inside.split_whitespace().map(str::parse::<f64>);
    let longitude = numbers.next()?.ok()?;
    let latitude = numbers.next()?.ok()?;
    Some((latitude, longitude))
}

/// Degrees as a number, or with minutes and seconds; the point may be a comma. The letter of a
/// side, the `unit` of their heading and the value of a `side` next to them have to agree.
pub(crate) fn degrees(
    member: Member,
    value: Option<FieldValue<'_>>,
    unit: Unit,
    side: Option<FieldValue<'_>>,
) -> Result<f64, RecordFault> {
    let (number, letter, is_single) = degrees_alone(member, value)?;
    let number = match is_single {
        true => unit.with_minutes(member, number)?,
        false => number,
    };
    let side = is_positive_side(member, side)?;
    let mut given = [letter, side, unit.side].into_iter().flatten();
    let is_positive = given.next();
    if given.any(|other| Some(other) != is_positive) {
        let [first, second] = sides(member);
        let why = format!("{member} is {first} and {second} at once");
        return Err(RecordFault::Other(why.into()));
    }
    let degrees = match letter {
        Some(_) => number,
        None => unit.degrees(number),
    };
    Ok(match is_positive {
        Some(false) => -degrees.abs(),
        _ => degrees,
    })
}

/// Degrees, if they are on the positive side where a letter names one, and `true` if they are one
/// number.
fn degrees_alone(
    member: Member,
    value: Option<FieldValue<'_>>,
) -> Result<(f64, Option<bool>, bool), RecordFault> {
    let kind = |kind| Err(RecordFault::NotNumber(member, kind));
    let written = match value {
        None => return Err(RecordFault::Missing(member)),
        Some(FieldValue::Null) => return kind(JsonKind::Null),
        Some(FieldValue::Truth(_)) => return kind(JsonKind::Boolean),
        Some(FieldValue::Text(written)) => written.trim(),
        Some(value) => {
            let number = value.number().ok_or(RecordFault::NotFinite(member))?;
            return Ok((number, None, true));
        }
    };
    if is_none(written) {
        return kind(JsonKind::Null);
    }
    let plain = written.replace(',', ".");
    match plain.parse::<f64>() {
        Ok(number) if number.is_finite() => return Ok((number, None, true)),
        Ok(_) => return Err(RecordFault::NotFinite(member)),
        Err(_) => {}
    }
    let letters = match member {
        Member::Latitude => ['N', 'S'],
        _ => ['E', 'W'],
    };
    let Some(degrees) = parse_degrees(&plain, letters) else {
        let written = text::excerpt(written, 40);
        let words = format!("{member} '{written}' is no number: degrees are expected");
        return Err(RecordFault::Other(words.into()));
    };
    let upper = plain.to_uppercase();
    let letter = upper.chars().find(|letter| letters.contains(letter));
    let number = plain.trim_matches(|at: char| !at.is_ascii_digit());
    Ok((
        degrees,
        letter.map(|letter| letter == letters[0]),
        number.parse::<f64>().is_ok(),
    ))
}
