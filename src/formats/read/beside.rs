//! Columns beside those of the degrees that only their values tell: the sides of degrees without
//! a sign, below a name that does not say of which, and minutes.

use super::fault::ReadError;
use super::names::is_same;
use crate::geo::Position;
use crate::text;
use crate::track::Records;
use crate::track::field::{FieldColumn, FieldValue};

/// Names of the minutes of latitudes and of longitudes, with commas between them, and the flag of
/// their column.
const MINUTES: [(Axis, &str, &str, &str); 2] = [
    (
        LATITUDE,
        "latitudes",
        "lat min,lat mins,lat minutes,latitude min,latitude minutes,minutes,min",
        "--latitude-column",
    ),
    (
        LONGITUDE,
        "longitudes",
        "lon min,lon mins,lon minutes,long min,longitude min,longitude minutes,minutes 2,min 2",
        "--longitude-column",
    ),
];

/// The latitude or the longitude of a position.
type Axis = fn(&mut Position) -> &mut f64;
const LATITUDE: Axis = |position| &mut position.latitude;
const LONGITUDE: Axis = |position| &mut position.longitude;

/// The degrees of a fix by its index.
fn degrees(records: &Records, fix: usize, axis: Axis) -> f64 {
    *axis(&mut records.transmissions[fix].position.clone())
}

/// Turns the degrees of fixes to the sides that a column has for each of them, where no other
/// column has sides and no degrees have a sign; returns what was taken for granted.
pub(super) fn turn_to_sides(records: &mut Records) -> Vec<String> {
    let mut notes = Vec::new();
    for (axis, sides, line) in [
        (LATITUDE, "nNsS", "the equator"),
        (LONGITUDE, "eEwW", "the prime meridian"),
    ] {
        let Some((name, turned)) = sides_of(records, axis, sides) else {
            continue;
        };
        for fix in turned {
            let degrees = axis(&mut records.transmissions[fix].position);
            *degrees = -*degrees;
        }
        let name = text::excerpt(&name, 60);
        notes.push(format!("'{name}' is taken as the side of {line}"));
    }
    notes
}

/// The name of the only column that has one of these sides for each fix, the last two letters for
/// some, and the indices of these fixes; `None` where degrees have signs.
fn sides_of(records: &Records, axis: Axis, sides: &str) -> Option<(String, Vec<usize>)> {
    let fixes = records.transmissions.len();
    let has_sign = (0..fixes).any(|fix| degrees(records, fix, axis) < 0.0);
    let side = |column: &FieldColumn, fix: usize| match records.fields.value(column, fix) {
        Some(FieldValue::Text(text)) if text.trim().len() == 1 => sides.find(text.trim()),
        _ => None,
    };
    let is_of_sides = |column: &&FieldColumn| {
        let letters: String = column
            .name()
            .chars()
            .filter(|c| c.is_alphabetic())
            .collect();
        let is_named = ["", "hemisphere", "hemi"]
            .iter()
            .any(|name| is_same(name, &letters));
        is_named && (0..fixes).all(|fix| side(column, fix).is_some())
    };
    let mut columns = records.fields.columns().filter(is_of_sides);
    let (Some(column), None, false) = (columns.next(), columns.next(), has_sign) else {
        return None;
    };
    let is_turned = |fix: &usize| side(column, *fix).is_some_and(|at| at > 1);
    let turned: Vec<usize> = (0..fixes).filter(is_turned).collect();
    (!turned.is_empty()).then(|| (column.name().to_owned(), turned))
}

/// Refuses degrees of which the minutes are in another column: all are whole, and a column of that
/// name has numbers from 0 to 60.
///
/// # Errors
/// [`ReadError::Nothing`] with what to do.
pub(super) fn refuse_minutes(records: &Records) -> Result<(), ReadError> {
    let fixes = records.transmissions.len();
    for (axis, what, names, flag) in MINUTES {
        let is_minutes = |column: &&FieldColumn| {
            let is_named = names.split(',').any(|name| is_same(name, column.name()));
            let minutes = |fix| records.fields.value(column, fix)?.number();
            is_named
                && (0..fixes).all(|fix| {
                    degrees(records, fix, axis).fract() == 0.0
                        && minutes(fix).is_some_and(|minutes| (0.0..60.0).contains(&minutes))
                })
        };
        if fixes > 0
            && let Some(column) = records.fields.columns().find(is_minutes)
        {
            return Err(ReadError::Nothing(format!(
                "the {what} are whole degrees, and '{}' has their minutes: write both in one column, such as 54 30.5, and name it with {flag}",
                text::excerpt(column.name(), 60)
            )));
        }
    }
    Ok(())
}
