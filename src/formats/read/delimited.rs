//! Tables of text: cells that commas, semicolons or tabs part, under a line of names.

use std::io::{BufRead, Read};

use csv::{Reader, ReaderBuilder, StringRecord};

use super::fault::ReadError;
use super::names::{ChosenColumns, Role, roles};
use super::tracks::{Cell, FileTracks, Tracks};
use crate::formats::csv::without_apostrophe;
use crate::text;
use crate::track::field::FieldValue;

/// The characters that part cells.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// Reads a table.
///
/// # Errors
/// If it has no line of names with a time and a position, or no fix.
pub(super) fn read(
    mut from: impl BufRead,
    chosen: &ChosenColumns,
) -> Result<FileTracks, ReadError> {
    let head = from.fill_buf()?.to_owned();
    let mut reader = reader(&head, from);
    let names = reader.headers().map_err(fault)?.clone();
    let names: Vec<&str> = names.iter().collect();
    let roles = roles(&names, chosen)?;
    let needed = [
        ("time", "--time-column", &[Role::Time, Role::Date][..]),
        (
            "latitude",
            "--latitude-column",
            &[Role::Latitude, Role::Position],
        ),
        (
            "longitude",
            "--longitude-column",
            &[Role::Longitude, Role::Position],
        ),
    ];
    let is_lacking = |any: &[Role]| !roles.iter().any(|role| any.contains(role));
    let lacking = needed.iter().filter(|(_, _, any)| is_lacking(any));
    let (lacking, flags): (Vec<_>, Vec<_>) =
        lacking.map(|(column, flag, _)| (*column, *flag)).unzip();
    let is_number = |name: &&str| name.trim().parse::<f64>().is_ok();
    if lacking.len() == needed.len() && names.iter().any(is_number) {
        let shown = text::excerpt(&names.join(", "), 200);
        let why =
            format!("names of columns such as time, latitude and longitude are expected: {shown}");
        return Err(ReadError::Line { line: 1, why });
    }
    if !lacking.is_empty() {
        return Err(ReadError::Lacks {
            lacking: lacking.join(", the "),
            columns: text::excerpt(&names.join(", "), 200),
            flags: flags.join(", "),
        });
    }
    let mut tracks = Tracks::default();
    let mut row = StringRecord::new();
    let mut is_first = true;
    let mut has_decimal_commas = false;
    while reader.read_record(&mut row).map_err(fault)? {
        let line = row.position().map_or(0, csv::Position::line);
        // Below the names some programs write the units.
        if std::mem::take(&mut is_first) && has_no_digit(&row, &roles) {
            continue;
        }
        let written = || row.iter().collect::<Vec<_>>().join(",");
        let degrees = (row.iter().zip(&roles))
            .filter(|(_, role)| matches!(role, Role::Latitude | Role::Longitude))
            .map(|(cell, _)| cell);
        if let Some(why) = shifted(&row, names.len(), degrees) {
            tracks.fault(line, why, written);
            continue;
        }
        let mut cells: Vec<Cell<'_>> = Vec::with_capacity(names.len());
        let columns = names.iter().zip(&roles);
        for ((name, role), written) in columns.zip(row.iter()) {
            let is_degrees = matches!(role, Role::Latitude | Role::Longitude);
            has_decimal_commas |= is_degrees && written.contains(',');
            cells.extend(cell(name, *role, written));
        }
        if has_decimal_commas {
            cells.iter_mut().for_each(read_decimal_comma);
        }
        tracks.add(line, &cells, written);
    }
    tracks.finish()
}

/// A reader of a table that begins with `head`.
pub(super) fn reader<From: Read>(head: &[u8], from: From) -> Reader<From> {
    ReaderBuilder::new()
        .delimiter(delimiter(head))
        .flexible(true)
        .from_reader(from)
}

/// The cell of a column; `None` if it is empty or computed again.
fn cell<'a>(name: &'a str, role: Role, written: &'a str) -> Option<Cell<'a>> {
    let written = written.trim();
    if role == Role::Derived || written.is_empty() {
        return None;
    }
    let value = match role {
        Role::Field => field_value(written),
        _ => FieldValue::Text(written),
    };
    Some(Cell { name, role, value })
}

/// Reads a field such as `12,5` as the number that it is where positions are written so.
fn read_decimal_comma(cell: &mut Cell<'_>) {
    if let (Role::Field, FieldValue::Text(written)) = (cell.role, cell.value)
        && written.matches(',').count() == 1
        && let Ok(number) = written.replace(',', ".").parse::<f64>()
        && number.is_finite()
    {
        cell.value = FieldValue::Number(number);
    }
}

/// Why the cells of a row may belong to other columns: there are more cells than names, and
/// the degrees may be parted by a comma within them, as in `54,18,7,89`. Degrees with a point
/// are whole, and the cells behind the names are left out.
pub(super) fn shifted<'a>(
    row: &StringRecord,
    names: usize,
    mut degrees: impl Iterator<Item = &'a str>,
) -> Option<String> {
    let has_more = row.iter().skip(names).any(|cell| !cell.trim().is_empty());
    let is_shifted = has_more && !degrees.any(|cell| cell.contains('.'));
    is_shifted.then(|| format!("it has {} cells under {names} names", row.len()))
}

/// The value of a field that is written so.
pub(super) fn field_value(written: &str) -> FieldValue<'_> {
    match written {
        "true" => FieldValue::Truth(true),
        "false" => FieldValue::Truth(false),
        _ if is_number(written) => FieldValue::from_number(written),
        _ => FieldValue::Text(without_apostrophe(written)),
    }
}

/// `true` for a number as JSON writes it: `007` and `1.` are texts.
fn is_number(written: &str) -> bool {
    let first = written.bytes().next();
    first.is_some_and(|byte| byte == b'-' || byte.is_ascii_digit())
        && serde_json::from_str::<serde_json::Number>(written).is_ok()
}

/// The character that parts the most cells of the first line.
fn delimiter(head: &[u8]) -> u8 {
    let line = head.split(|byte| matches!(byte, b'\n' | b'\r')).next();
    let mut counts = [0usize; DELIMITERS.len()];
    let mut is_quoted = false;
    for byte in line.unwrap_or_default() {
        is_quoted ^= *byte == b'"';
        let place = DELIMITERS.iter().position(|delimiter| delimiter == byte);
        if let (false, Some(count)) = (is_quoted, place.and_then(|place| counts.get_mut(place))) {
            *count += 1;
        }
    }
    let most = (0..DELIMITERS.len())
        .rev()
        .max_by_key(|place| counts.get(*place));
    most.and_then(|place| DELIMITERS.get(place))
        .copied()
        .unwrap_or(b',')
}

/// `true` if neither time nor position of a row has a digit: it has words, such as units.
fn has_no_digit(row: &StringRecord, roles: &[Role]) -> bool {
    let is_of_fix = |role: &Role| !matches!(role, Role::Field | Role::Derived | Role::Id);
    let cells = row.iter().zip(roles).filter(|(_, role)| is_of_fix(role));
    has_no_digit_at(cells.map(|(written, _)| written))
        && row.iter().any(|written| !written.trim().is_empty())
}

/// `true` if none of the cells has a digit.
pub(super) fn has_no_digit_at(mut cells: impl Iterator<Item = impl AsRef<str>>) -> bool {
    cells.all(|written| !written.as_ref().bytes().any(|byte| byte.is_ascii_digit()))
}

fn fault(error: csv::Error) -> ReadError {
    let line = error.position().map_or(1, csv::Position::line);
    match error.into_kind() {
        csv::ErrorKind::Io(error) => ReadError::Io(error),
        csv::ErrorKind::Utf8 { .. } => ReadError::Line {
            line,
            why: "it is not UTF-8: save the file as UTF-8".to_owned(),
        },
        _ => ReadError::Line {
            line,
            why: "it is no line of such a table".to_owned(),
        },
    }
}
