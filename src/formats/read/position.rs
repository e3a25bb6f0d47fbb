//! The position of a row: degrees as they are written, and the side that they are on.

use super::units::Unit;
use crate::geo::format::parse_degrees;
use crate::text;
use crate::track::field::FieldValue;
use crate::track::{JsonKind, Member, RecordFault};

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

/// Latitude and longitude of a point in WKT.
pub(super) fn point(written: &str) -> Option<(f64, f64)> {
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
    let (number, letter) = degrees_alone(member, value)?;
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

/// Degrees, and if they are on the positive side where a letter names one.
fn degrees_alone(
    member: Member,
    value: Option<FieldValue<'_>>,
) -> Result<(f64, Option<bool>), RecordFault> {
    let kind = |kind| RecordFault::NotNumber(member, kind);
    match value {
        None => Err(RecordFault::Missing(member)),
        Some(FieldValue::Null) => Err(kind(JsonKind::Null)),
        Some(FieldValue::Truth(_)) => Err(kind(JsonKind::Boolean)),
        Some(value) => {
            if let Some(number) = value.number() {
                return Ok((number, None));
            }
            let FieldValue::Text(written) = value else {
                return Err(RecordFault::NotFinite(member));
            };
            let written = written.trim();
            if written.is_empty() {
                return Err(kind(JsonKind::Null));
            }
            let plain = written.replace(',', ".");
            let letters = match member {
                Member::Latitude => ['N', 'S'],
                _ => ['E', 'W'],
            };
            let letter = |written: &str| {
                let upper = written.to_uppercase();
                let found = upper.chars().find(|letter| letters.contains(letter));
                found.map(|letter| letter == letters[0])
            };
            match plain.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok((number, None)),
                Ok(_) => Err(RecordFault::NotFinite(member)),
                Err(_) => match parse_degrees(&plain, letters) {
                    Some(degrees) => Ok((degrees, letter(&plain))),
                    None => {
                        let written = text::excerpt(written, 40);
                        let words =
                            format!("{member} '{written}' is no number: degrees are expected");
                        Err(RecordFault::Other(words.into()))
                    }
                },
            }
        }
    }
}
