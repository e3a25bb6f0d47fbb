//! Columns next to those of the degrees that only their values tell: the sides of degrees without
//! a sign, below a name that does not say of which, and minutes.

use super::fault::ReadError;
use super::names::is_same;
use super::position::is_positive;
use crate::geo::Position;
use crate::text;
use crate::track::field::{FieldColumn, FieldValue};
use crate::track::{Member, Records};

/// Names of the minutes of latitudes and of longitudes, with commas between them, and the flag of
/// their column.
const MINUTES: [(Axis, &str, &str, &str); 2] = [
    (
        LATITUDE,
        "latitudes",
        "lat min,lat mins,lat minutes,latitude min,latitude minutes,minutes,min,lat m,lat mm,latitude m,\
            min lat,minutes lat,decimal minutes,lat decimal minutes",
        "--latitude-column",
    ),
    (
        LONGITUDE,
        "longitudes",
        "lon min,lon mins,lon minutes,long min,longitude min,longitude minutes,minutes 2,min 2,lon m,\
            lon mm,long m,longitude m,min lon,minutes lon,decimal minutes 2,lon decimal minutes",
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

/// So many rows show that two columns with letters of both axes are the sides, whatever their
/// names: fewer may be those of a wind.
const LEAST_ROWS: usize = 4;

/// Each axis, and the line between its sides.
const SIDES: [(Axis, Member, &str); 2] = [
    (LATITUDE, Member::Latitude, "the equator"),
    (LONGITUDE, Member::Longitude, "the prime meridian"),
];

/// Turns the degrees of fixes to the sides that a column has for each of them, where no other
/// column has sides and no degrees have a sign: a column whose name is of sides, or, as a letter
/// alone may mean anything, one of two for both axes. Returns what was taken for granted.
pub(super) fn turn_to_sides(records: &mut Records) -> Vec<String> {
    let mut notes = Vec::new();
    let has_rows = records.transmissions.len() >= LEAST_ROWS;
    let has_both = has_rows
        && SIDES.iter().all(|(_, member, _)| {
            let mut columns = records.fields.columns();
            columns.any(|column| has_sides(records, column, *member))
        });
    for (axis, member, line) in SIDES {
        let Some((name, turned)) = sides_of(records, axis, member, has_both) else {
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

/// The side of a fix in a column: `true` for north and east.
fn side(records: &Records, column: &FieldColumn, fix: usize, member: Member) -> Option<bool> {
    match records.fields.value(column, fix)? {
        FieldValue::Text(text) => is_positive(member, text),
        _ => None,
    }
}

/// `true` if a column has a side for each fix, but for cells that are empty.
fn has_sides(records: &Records, column: &FieldColumn, member: Member) -> bool {
    let is_empty = |fix: &usize| match records.fields.value(column, *fix) {
        None | Some(FieldValue::Null) => true,
        Some(FieldValue::Text(text)) => text.trim().is_empty(),
        Some(_) => false,
    };
    let fixes = 0..records.transmissions.len();
    let mut written = fixes.clone().filter(|fix| !is_empty(fix));
    // A cell that is empty is that of a position that is none.
    let empty = fixes.filter(is_empty).count();
    2 * empty < records.transmissions.len()
        && written.all(|fix| side(records, column, fix, member).is_some())
}

/// The name of the only column of these sides, and the indices of the fixes on the second; `None`
/// where degrees have signs.
fn sides_of(
    records: &Records,
    axis: Axis,
    member: Member,
    has_both: bool,
) -> Option<(String, Vec<usize>)> {
    let fixes = records.transmissions.len();
    let has_sign = (0..fixes).any(|fix| degrees(records, fix, axis) < 0.0);
    let is_of_sides = |column: &&FieldColumn| {
        let name = column.name();
        let letters: String = name.chars().filter(|c| c.is_alphabetic()).collect();
        let mut names = ["", "hemisphere", "hemi"].iter();
        (has_both || names.any(|name| is_same(name, &letters)))
            && has_sides(records, column, member)
    };
    let mut columns = records.fields.columns().filter(is_of_sides);
    let (Some(column), None, false) = (columns.next(), columns.next(), has_sign) else {
        return None;
    };
    let is_turned = |fix: &usize| side(records, column, *fix, member) == Some(false);
    let turned: Vec<usize> = (0..fixes).filter(is_turned).collect();
    (!turned.is_empty()).then(|| (column.name().to_owned(), turned))
}

/// Refuses degrees of which the minutes are in another column: of most fixes they are whole, and a
/// column of that name has numbers from 0 to 60.
///
/// # Errors
/// [`ReadError::Nothing`] with what to do.
pub(super) fn refuse_minutes(records: &Records) -> Result<(), ReadError> {
    let fixes = records.transmissions.len();
    for (axis, what, names, flag) in MINUTES {
        let is_minutes = |column: &&FieldColumn| {
            let is_named = names.split(',').any(|name| is_same(name, column.name()));
            let minutes = |fix| records.fields.value(column, fix)?.number();
            // One bad row does not make the others degrees.
            let is_part = |fix: &usize| {
                degrees(records, *fix, axis).fract() == 0.0
                    && minutes(*fix).is_some_and(|minutes| (0.0..60.0).contains(&minutes))
            };
            is_named && 4 * (0..fixes).filter(is_part).count() >= 3 * fixes
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
