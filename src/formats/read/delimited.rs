//! Tables of text: cells that commas, semicolons, tabs or bars part, under a line of names.

mod head;
mod line_ends;
mod rows;

use csv::StringRecord;
pub(crate) use head::Head;
use line_ends::with_line_feeds;
pub(crate) use rows::{Row, Rows};

use super::cell::Cell;
use super::fault::{NO_UTF8, ReadError};
use super::names::{self, ChosenColumns, Given, Role, UnendedRow, are_own, lacking};
use super::parts;
use super::position::is_none;
use super::times::{is_short_date, is_unit_of_time};
use super::tracks::{FileTracks, Tracks};
use super::units::add_unit;
use crate::formats::csv::without_apostrophe;
use crate::formats::fields::original;
use crate::text::{self, FreeNames};
use crate::track::field::FieldValue;

/// The first names of loggers of Columbus, which write 24 July 2025 as `250724`.
const COLUMBUS: [&str; 5] = ["INDEX", "TAG", "DATE", "TIME", "LATITUDE N/S"];
/// The name of the column with the names of rows that R writes.
const ROW_NAMES: &str = "row";
/// The characters that part cells.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Reads a table.
///
/// # Errors
/// If it has no line of names with a time and a position, or no fix.
pub(super) fn read(text: &[u8], chosen: &ChosenColumns) -> Result<FileTracks, ReadError> {
    let text = with_line_feeds(text);
    let mut rest = text.as_ref();
    let mut head = Head::read(&mut rest, chosen);
    head.find_names(&mut rest, chosen);
    let zone = zone_above(&text[..text.len() - rest.len()]);
    let delimiter = head.delimiter;
    let mut rows = Rows::new(delimiter);
    let mut read = |row: &mut Row| -> Result<bool, ReadError> {
        let is_row = rows.take(&mut rest, row) || rows.end(row);
        if delimiter == b' ' {
            row.cells = row.cells.iter().flat_map(str::split_whitespace).collect();
        }
        if is_row && row.is_garbled {
            return Err(ReadError::Line {
                line: head.lines + row.line,
                why: NO_UTF8.to_owned(),
            });
        }
        Ok(is_row)
    };
    let mut names = Row::default();
    read(&mut names)?;
    if let Some(why) = names.fault(names.cells.len(), delimiter) {
        let line = head.lines + 1;
        return Err(ReadError::Line { line, why });
    }
    let mut row = Row::default();
    let mut is_row = read(&mut row)?;
    if has_row_names(&names.cells, &row.cells) {
        names.cells = std::iter::once(ROW_NAMES).chain(&names.cells).collect();
    }
    let mut table = Table::new(&names.cells, &row.cells, &head, chosen)?;
    if let Some((name, zone)) = zone.filter(|_| !parts::have_zone(&table.roles, &table.names)) {
        table.tracks.set_zone(name, zone);
    }
    while is_row {
        table.take(&row);
        is_row = read(&mut row)?;
    }
    table.finish()
}

/// A table, row by row.
struct Table<'a> {
    chosen: &'a ChosenColumns,
    delimiter: u8,
    /// The number of lines above that of the names.
    lines: u64,
    /// The line of names as it is written.
    head: StringRecord,
    names: Vec<String>,
    roles: Vec<Role>,
    /// The number of cells of the row before.
    usual: Option<usize>,
    /// The next row is the first below the names.
    is_first: bool,
    has_decimal_commas: bool,
    /// The lines that have the names again.
    joined: Vec<u64>,
    /// Why the rows below the names that are there again are not read.
    unread: Option<String>,
    tracks: Tracks,
}

impl<'a> Table<'a> {
    /// A table below these names and above the `first` row, without rows.
    ///
    /// # Errors
    /// If no column is a time, or no position.
    fn new(
        names: &StringRecord,
        first: &StringRecord,
        head: &Head,
        chosen: &'a ChosenColumns,
    ) -> Result<Self, ReadError> {
        let written = names.clone();
        let columns: Vec<&str> = names.iter().collect();
        let mut tracks = Tracks::new(chosen);
        if head.passed_over > 0 {
            let lines = text::counted(head.passed_over, "line", "lines");
            tracks.note(format!(
                "{lines} above the names of the columns are passed over"
            ));
        }
        tracks.is_own = are_own(&columns);
        let mut roles = names::roles(&columns, chosen)?;
        let first: Vec<&str> = first.iter().collect();
        if columns.starts_with(&COLUMBUS) && first.get(2).is_some_and(|date| is_short_date(date)) {
            tracks.read_times("%y%m%d %H%M%S");
        }
        if chosen.time.is_none()
            && !tracks.is_own
            && let Some(place) = parts::find_by_cells(&mut roles, &columns, &first)
        {
            let name = text::excerpt(columns[place], 60);
            tracks.note(format!("'{name}' is taken as the time, as its cells are"));
        }
        let mut names = distinct(names.iter());
        for (name, role) in names.iter_mut().zip(&roles) {
            if *role == Role::OwnField {
                *name = original(name).to_owned();
            }
        }
        let columns: Vec<&str> = names.iter().map(String::as_str).collect();
        if let Some(lacking) = lacking(&columns, &roles) {
            let has_fix = roles.iter().any(|role| !role.is_field());
            let is_number = |name: &String| name.trim().parse::<f64>().is_ok();
            if head.passed_over > 0 {
                let (line, why) = (head.lines + 1, lacking.to_string());
                return Err(ReadError::Line { line, why });
            }
            if has_fix || !names.iter().any(is_number) {
                return Err(lacking);
            }
            let shown = text::excerpt(&names.join(", "), 200);
            return Err(ReadError::Line {
                line: head.lines + 1,
                why: format!(
                    "names of columns such as time, latitude and longitude are expected: {shown}"
                ),
            });
        }
        Ok(Self {
            chosen,
            delimiter: head.delimiter,
            lines: head.lines,
            head: written,
            usual: None,
            is_first: true,
            names,
            roles,
            has_decimal_commas: false,
            joined: Vec::new(),
            unread: None,
            tracks,
        })
    }

    /// Adds the units in the row below the names to these.
    fn add_units(&mut self, units: &StringRecord) {
        self.usual = Some(units.len());
        let columns = self.names.iter_mut().zip(&self.roles);
        for ((name, role), unit) in columns.zip(units.iter()) {
            if role.is_time() || role.is_degrees() {
                add_unit(name, unit);
            }
        }
    }

    /// `true` if the row below the units has the bytes of each value.
    fn are_bytes(&self, row: &StringRecord) -> bool {
        let is_size = |cell: &str| matches!(cell, "1" | "2" | "4" | "8");
        self.usual == Some(row.len()) && row.iter().all(is_size)
    }

    /// `true` if a row has one of the names where the time is.
    fn has_name_of_time(&self, row: &StringRecord) -> bool {
        let place = self.roles.iter().position(|role| role.is_time());
        let cell = place.and_then(|place| row.get(place)).unwrap_or_default();
        let mut names = self.names.iter();
        names.any(|name| name.eq_ignore_ascii_case(cell.trim()))
    }

    /// `true` if a row has the names again, as where tables were joined, perhaps in another
    /// order: the rows after it are read by these.
    fn has_names_again(&mut self, row: &Row) -> bool {
        let mut cells = row.cells.iter().zip(&self.head);
        let is_same = |(cell, name): (&str, &str)| cell.trim().eq_ignore_ascii_case(name.trim());
        let is_head = row.cells.len() == self.head.len() && cells.all(is_same);
        let again = match is_head {
            true => None,
            // Slocum's units are called like the names of others.
            false if self.is_first && !self.has_name_of_time(&row.cells) => None,
            false => names_again(&row.cells, self.chosen),
        };
        if !is_head && again.is_none() {
            return false;
        }
        match again {
            None => {}
            Some(Ok(again)) => (self.names, self.roles) = again,
            Some(Err(why)) => {
                let line = self.lines + row.line;
                self.unread = Some(format!("it is below the names of line {line}: {why}"));
            }
        }
        self.joined.push(self.lines + row.line);
        true
    }

    /// The last cell of a row with more cells than names, whose fix is right all the same: where
    /// all that is no part of it is one text in the last column, in which delimiters occur, or has
    /// no name.
    fn last_cell(&self, cells: &StringRecord) -> Option<String> {
        let (last, others) = self.roles.split_last()?;
        let has_fields = others.iter().any(|role| role.is_field());
        // `54,18,7,89` are degrees that are parted at their decimal commas.
        let is_whole = (cells.iter().zip(&self.roles))
            .any(|(cell, role)| role.is_degrees() && cell.contains(['.', ',']));
        let is_long = has_more(cells, self.names.len());
        if !is_long || !is_whole || has_fields {
            return None;
        }
        let behind: Vec<&str> = cells.iter().skip(others.len()).collect();
        Some(match last.is_field() {
            true => behind.join(&char::from(self.delimiter).to_string()),
            false => behind.first()?.to_string(),
        })
    }

    /// Takes a row, unless it is none.
    fn take(&mut self, row: &Row) {
        let cells = &row.cells;
        let is_blank = cells.len() > 1 && cells.iter().all(|cell| cell.trim().is_empty());
        // Of a box that is drawn around bars.
        let is_ruled = self.delimiter == b'|'
            && cells
                .iter()
                .all(|cell| cell.chars().all(|part| "-+:= ".contains(part)));
        if is_blank || is_ruled || is_remark(cells, self.names.len()) {
            return;
        }
        // Below the names some programs write the units, and Slocum's the bytes of each value.
        if self.has_names_again(row) {
            self.is_first = true;
        } else if self.is_first && are_units(cells, &self.roles) {
            self.add_units(cells);
        } else if !std::mem::take(&mut self.is_first) || !self.are_bytes(cells) {
            self.add(row);
        }
    }

    fn add(&mut self, row: &Row) {
        let cells = &row.cells;
        let is_cut = row.is_cut;
        let usual = self.usual;
        let line = self.lines + row.line;
        let written = || cells.iter().collect::<Vec<_>>().join(",");
        let unread = self.unread.clone();
        let fault = unread.or_else(|| row.fault(self.names.len(), self.delimiter));
        let least = usual.unwrap_or(self.names.len());
        let cut = || (is_cut && cells.len() < least).then(|| "the file ends in it".to_owned());
        let names = self.names.len();
        let last_cell = self.last_cell(cells);
        let shifted = || match self.delimiter {
            // A cell that is missing leaves no trace.
            b' ' => (cells.len() != names).then(|| unlike(cells.len(), names)),
            _ if last_cell.is_some() => None,
            _ => shifted(cells, names),
        };
        if let Some(why) = fault.or_else(cut).or_else(shifted) {
            self.tracks.fault(line, why, written);
            return;
        }
        self.usual = Some(cells.len());
        let mut read: Vec<Cell<'_>> = Vec::with_capacity(self.names.len());
        let columns = self.names.iter().zip(&self.roles);
        let texts = cells.iter().take(match last_cell {
            Some(_) => names - 1,
            None => names,
        });
        for ((name, role), written) in columns.zip(texts.chain(last_cell.as_deref())) {
            self.has_decimal_commas |= role.is_degrees() && written.contains(',');
            let roles = role.with_field();
            read.extend(roles.filter_map(|role| cell(name, role, written)));
        }
        let is_left_out = match self.chosen.unended {
            UnendedRow::Kept => false,
            UnendedRow::LeftOut => is_cut,
            UnendedRow::OfKnownDeployment => is_cut && self.tracks.may_lack_id(&read),
        };
        if is_left_out {
            let why = "it has no line end, and what is lost of it may be digits";
            self.tracks.leave_out(line, why);
            return;
        }
        self.tracks.add(line, &read, written);
    }

    /// The tracks of the whole table.
    ///
    /// # Errors
    /// As of [`Tracks::finish`].
    fn finish(mut self) -> Result<FileTracks, ReadError> {
        if self.has_decimal_commas {
            self.tracks.read_texts(decimal_comma);
        }
        if let Some(first) = self.joined.first() {
            let more = match self.joined.len() - 1 {
                0 => String::new(),
                more => format!(" and {} more", text::counted(more, "line", "lines")),
            };
            self.tracks.note(format!(
                "the names of the columns are there again, in line {first}{more}: tables were joined"
            ));
        }
        self.tracks.finish()
    }
}

/// The name and the value of a zone in the lines above the names, such as `Time Zone:UTC+01:00`.
fn zone_above(lines: &[u8]) -> Option<(String, String)> {
    let text = String::from_utf8_lossy(lines);
    let mut pairs = text.lines().filter_map(|line| {
        let (name, zone) = line.split_once([':', '=', ',', ';', '\t', '|'])?;
        let is_part = |letter: char| !letter.is_alphanumeric();
        let name = name.trim_matches(is_part);
        let zone = zone.trim_matches(|letter| is_part(letter) && !matches!(letter, '+' | '-'));
        (parts::is_zone(name) && !zone.is_empty()).then(|| (name.to_owned(), zone.to_owned()))
    });
    pairs.next()
}

/// The names of columns with their roles.
type Columns = (Vec<String>, Vec<Role>);

/// The names and roles of the rows after this one, if its cells are names, or why there are none.
fn names_again(row: &StringRecord, chosen: &ChosenColumns) -> Option<Result<Columns, ReadError>> {
    let begins = |first: char| first.is_ascii_digit() || matches!(first, '+' | '-' | '.');
    if row.iter().any(|cell| cell.trim_start().starts_with(begins)) {
        return None;
    }
    let cells: Vec<&str> = row.iter().collect();
    let known = names::roles_beside(Given::Fix, &cells, &ChosenColumns::default()).ok()?;
    let has = |is: &dyn Fn(&Role) -> bool| usize::from(known.iter().any(is));
    let count = has(&Role::has_date)
        + has(&|role| *role == Role::Latitude)
        + has(&|role| *role == Role::Longitude)
        + 2 * has(&|role| *role == Role::Position);
    (count >= 2).then(|| {
        let roles = names::roles(&cells, chosen)?;
        match lacking(&cells, &roles) {
            None => Ok((distinct(row.iter()), roles)),
            Some(lacking) => Err(lacking),
        }
    })
}

/// `true` for a remark among the rows: it begins with `#` or `%` and has too few cells for a row.
pub(crate) fn is_remark(row: &StringRecord, names: usize) -> bool {
    row.len() < names && row.get(0).is_some_and(|cell| cell.starts_with(['#', '%']))
}

/// The names of columns; a repeated name gets a number.
pub(crate) fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut free = FreeNames::default();
    names.map(|name| free.take(name, " ")).collect()
}

/// `true` if zeros can be those that fill cells up: the names before them have none.
pub(super) fn is_padded(head: &[u8]) -> bool {
    let names = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_text = |byte: &u8| !byte.is_ascii_control() || matches!(byte, b'\t' | b'\r');
    names.iter().all(is_text) && names.iter().any(|byte| DELIMITERS.contains(byte))
}

/// The cell of a column; `None` if it is empty, but of a zone, or computed again.
fn cell<'a>(name: &'a str, role: Role, written: &'a str) -> Option<Cell<'a>> {
    let written = written.trim();
    if role == Role::Derived || written.is_empty() && role != Role::Offset {
        return None;
    }
    let value = match role {
        role if role.is_field() || role.is_mark() => field_value(written),
        _ => FieldValue::Text(written),
    };
    Some(Cell { name, role, value })
}

/// The number that a text such as `12,5` is where positions are written so.
fn decimal_comma(written: &str) -> Option<f64> {
    let number = written.replacen(',', ".", 1);
    is_number(&number).then(|| number.parse().ok())?
}

/// Why the cells of a row may belong to other columns: there are more than names, as where a comma
/// is in a text.
pub(crate) fn shifted(row: &StringRecord, names: usize) -> Option<String> {
    has_more(row, names).then(|| unlike(row.len(), names))
}

/// `true` if a row has a text behind so many cells.
fn has_more(row: &StringRecord, names: usize) -> bool {
    row.iter().skip(names).any(|cell| !cell.trim().is_empty())
}

/// Why a row with so many cells is no record under so many names.
pub(crate) fn unlike(cells: usize, names: usize) -> String {
    format!("it has {cells} cells under {names} names")
}

/// The value of a field that is written so.
pub(crate) fn field_value(written: &str) -> FieldValue<'_> {
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
pub(crate) fn delimiter(head: &[u8]) -> u8 {
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

/// `true` if the first row has the units of the columns: no digit in time and position, where it
/// does not say that they are none, and no number in the others.
fn are_units(row: &StringRecord, roles: &[Role]) -> bool {
    let is_of_fix = |role: &Role| !role.is_field() && !matches!(role, Role::Derived | Role::Id(_));
    let is_unit = |role: &Role, written: &str| role.is_time() && is_unit_of_time(written);
    // Units of what has none, and of a salinity.
    let is_number = |written: &str| is_number(written) && !matches!(written, "1" | "1e-3");
    row.iter().zip(roles).all(|(written, role)| {
        let written = written.trim();
        match is_of_fix(role) {
            true => {
                let is_none = !written.is_empty() && is_none(written);
                !is_none && (is_unit(role, written) || has_no_digit_at([written].iter()))
            }
            false => !is_number(written),
        }
    })
}

/// `true` if the rows have names of their own before the first column, as R writes them.
fn has_row_names(names: &StringRecord, first: &StringRecord) -> bool {
    first.len() == names.len() + 1 && first.get(0) == Some("1") && has_more(first, names.len())
}

/// `true` if none of the cells has a digit.
pub(crate) fn has_no_digit_at(mut cells: impl Iterator<Item = impl AsRef<str>>) -> bool {
    cells.all(|written| !written.as_ref().bytes().any(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests;
