//! Columns beside those of the degrees that only their values tell: the sides of degrees without
//! a sign, below a name that does not say of which, and minutes.

use super::fault::ReadError;
use super::names::is_same;
use crate::text;
use crate::track::Records;
use crate::track::field::{FieldColumn, FieldValue};

/// Names of the minutes of a latitude and of a longitude, with commas between them.
const MINUTES: [&str; 2] = [
    "lat min,lat mins,lat minutes,latitude min,latitude minutes,minutes,min",
    "lon min,lon mins,lon minutes,long min,longitude min,longitude minutes,minutes 2,min 2",
];

/// Turns the degrees of fixes to the sides that a column has for each of them, where no other
/// column has sides and no degrees have a sign; returns what was taken for granted.
pub(super) fn turn_to_sides(records: &mut Records) -> Vec<String> {
    let mut notes = Vec::new();
    for (axis, sides, line) in [
        (Axis::Latitude, "nNsS", "the equator"),
        (Axis::Longitude, "eEwW", "the prime meridian"),
    ] {
        let Some((name, turned)) = sides_of(records, axis, sides) else {
            continue;
        };
        for fix in turned {
            let position = &mut records.transmissions[fix].position;
            match axis {
                Axis::Latitude => position.latitude = -position.latitude,
                Axis::Longitude => position.longitude = -position.longitude,
            }
        }
        let name = text::excerpt(&name, 60);
        notes.push(format!("'{name}' is taken as the side of {line}"));
    }
    notes
}

#[derive(Clone, Copy)]
enum Axis {
    Latitude,
    Longitude,
}

impl Axis {
    /// The degrees of a fix by its index.
    fn degrees(self, records: &Records, fix: usize) -> f64 {
        let position = records.transmissions[fix].position;
        match self {
            Self::Latitude => position.latitude,
            Self::Longitude => position.longitude,
        }
    }
}

/// The name of the only column that has one of these sides for each fix, the last two letters for
/// some, and the indices of these fixes; `None` where degrees have signs.
fn sides_of(records: &Records, axis: Axis, sides: &str) -> Option<(String, Vec<usize>)> {
    let fixes = records.transmissions.len();
    let has_sign = (0..fixes).any(|fix| axis.degrees(records, fix) < 0.0);
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
    for (names, axis) in MINUTES.into_iter().zip([Axis::Latitude, Axis::Longitude]) {
        let is_minutes = |column: &&FieldColumn| {
            let is_named = names.split(',').any(|name| is_same(name, column.name()));
            let minutes = |fix| records.fields.value(column, fix)?.number();
            is_named
                && (0..fixes).all(|fix| {
                    axis.degrees(records, fix).fract() == 0.0
                        && minutes(fix).is_some_and(|minutes| (0.0..60.0).contains(&minutes))
                })
        };
        if fixes > 0
            && let Some(column) = records.fields.columns().find(is_minutes)
        {
            let (what, flag) = match axis {
                Axis::Latitude => ("latitudes", "--latitude-column"),
                Axis::Longitude => ("longitudes", "--longitude-column"),
            };
            return Err(ReadError::Nothing(format!(
                "the {what} are whole degrees, and '{}' has their minutes: write both in one column, such as 54 30.5, and name it with {flag}",
                text::excerpt(column.name(), 60)
            )));
        }
    }
    Ok(())
}
