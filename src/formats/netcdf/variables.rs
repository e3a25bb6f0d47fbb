//! The variables of the fixes: the columns of all files, and the fields of the records,
//! doubles where all values are numbers, else text.

use std::borrow::Cow;
use std::collections::HashSet;

use netcdf3::{DataSet, InvalidDataSet};

use super::{FIXES, attributes};
use crate::formats::columns::{COLUMNS, Column, Kind, Row, Value, columns, rows};
use crate::formats::fields::{PREFIX, as_text};
use crate::formats::subject::Subject;
use crate::text::{self, FreeNames};
use crate::track::field::FieldColumn;
use crate::track::{Flag, Track};

/// The value for missing data (default fill value of the netCDF library for
/// doubles).
const FILL: f64 = 9.969_209_968_386_869e36;

/// Longest text, bytes: each of a variable takes the room of the longest.
const LONGEST_TEXT: usize = 1024;

/// Longest name of a variable.
const LONGEST_NAME: usize = 120;

/// The names that no field may have, in addition to those of the columns: other variables, and
/// the dimension of the fixes.
const OTHER_NAMES: [&str; 4] = [FIXES, "height", "trajectory", "crs"];

/// A variable with a value for each fix.
pub(super) struct Variable<'a> {
    name: String,
    source: Source<'a>,
    content: Content,
}

/// The source of a variable's values.
enum Source<'a> {
    Column(&'static Column),
    Field(&'a FieldColumn),
}

/// The type of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Double,
    /// A flag. It takes four bytes either way, and the padding of bytes is not read by
    /// every library.
    Whole,
    /// Texts, each with so many bytes: those of the longest as it is written, one at least.
    Text(usize),
}

/// The bytes of the longest of some texts as it is written, one at least.
fn longest<'t>(texts: impl Iterator<Item = Cow<'t, str>>) -> usize {
    texts.map(|text| cut(&text).len()).fold(1, usize::max)
}

/// The beginning of the name of a dimension of texts.
const TEXT_DIMENSION: &str = "text_length";

/// `true` if a dimension of texts could have this name, or this name with a number
/// after it.
fn is_text_dimension(name: &str) -> bool {
    name.strip_prefix(TEXT_DIMENSION).is_some_and(|length| {
        let is_of_number = |byte: u8| byte.is_ascii_digit() || byte == b'_';
        length.bytes().all(is_of_number)
    })
}

/// A text as it is written: no more of it than fits, in whole characters.
fn cut(text: &str) -> &str {
    let end = (0..=LONGEST_TEXT)
        .rev()
        .find(|at| text.is_char_boundary(*at));
    if text.len() > LONGEST_TEXT {
        text.get(..end.unwrap_or(0)).unwrap_or_default()
    } else {
        text
    }
}

/// The variables of a track's file.
pub(super) fn variables(track: &Track) -> Vec<Variable<'_>> {
    let columns = columns(rows(track)).into_iter().map(|column| Variable {
        name: column.variable.to_owned(),
        source: Source::Column(column),
        content: match column.kind {
            Kind::Flag | Kind::Truth => Content::Whole,
            Kind::Text => {
                let texts = rows(track).filter_map(|row| match (column.value)(&row) {
                    Value::Text(text) => Some(text),
                    _ => None,
                });
                Content::Text(longest(texts))
            }
            Kind::Time | Kind::Number | Kind::Measured | Kind::Duration => Content::Double,
        },
    });
    let mut all: Vec<Variable<'_>> = columns.collect();
    let reserved = reserved();
    let mut taken = taken(&reserved);
    all.extend(track.fields().columns().map(|column| Variable {
        name: free_name(column.name(), &reserved, &mut taken),
        source: Source::Field(column),
        content: if column.is_numeric() {
            Content::Double
        } else {
            Content::Text(longest(texts(track, column)))
        },
    }));
    all
}

fn texts<'a>(track: &'a Track, column: &'a FieldColumn) -> impl Iterator<Item = Cow<'a, str>> {
    let value = |fix| track.fields().value(column, fix);
    (0..track.len()).filter_map(move |fix| as_text(value(fix)?))
}

/// The fields whose texts are not whole in the file of a track.
pub(in crate::formats) fn cut_texts(track: &Track) -> Vec<&str> {
    let texts = track.fields().columns().filter(|column| {
        !column.is_numeric() && texts(track, column).any(|text| text.len() > LONGEST_TEXT)
    });
    texts.map(FieldColumn::name).collect()
}

/// The text that makes the file too large, if there is one.
pub(super) fn too_long(variables: &[Variable<'_>], fixes: usize) -> Option<String> {
    const MOST: usize = 1 << 30;
    variables
        .iter()
        .find_map(|variable| match (&variable.source, variable.content) {
            (Source::Field(field), Content::Text(length))
                if length.saturating_mul(fixes) > MOST =>
            {
                Some(format!(
                    "the texts of the field {} take the room of the longest for every fix, more than {}; leave it out with --fields",
                    text::excerpt(field.name(), 80),
                    text::bytes(MOST as u64)
                ))
            }
            _ => None,
        })
}

/// The names that no field has: those of the columns in this and in the other files.
fn reserved() -> HashSet<String> {
    let columns = COLUMNS
        .iter()
        .flat_map(|column| [column.name, column.variable]);
    columns.chain(OTHER_NAMES).map(str::to_owned).collect()
}

/// A name that a variable may have (CF 1.8, section 2.3) and that no other has.
fn free_name(name: &str, reserved: &HashSet<String>, taken: &mut FreeNames) -> String {
    let cut: String = name.chars().take(LONGEST_NAME).collect();
    let mut free = cut.replace(|character: char| !character.is_ascii_alphanumeric(), "_");
    let is_legal = free.starts_with(|first: char| first.is_ascii_alphabetic());
    if !is_legal || reserved.contains(&free) || is_text_dimension(&free) {
        free.insert_str(0, PREFIX);
    }
    taken.take(&free, "_")
}

/// Names of which no field gets one.
fn taken(reserved: &HashSet<String>) -> FreeNames {
    let mut taken = FreeNames::default();
    for name in reserved {
        taken.take(name, "_");
    }
    taken
}

impl Variable<'_> {
    /// Adds it to the definition of the file.
    pub(super) fn define(
        &self,
        set: &mut DataSet,
        subject: &Subject<'_>,
    ) -> Result<(), InvalidDataSet> {
        let name = self.name.as_str();
        match self.content {
            Content::Double => set.add_var_f64(name, &[FIXES])?,
            Content::Whole => set.add_var_i32(name, &[FIXES])?,
            Content::Text(length) => {
                let dimension = format!("{TEXT_DIMENSION}_{length}");
                if !set.has_dim(&dimension) {
                    set.add_fixed_dim(&dimension, length)?;
                }
                set.add_var_u8(name, &[FIXES, &dimension])?;
                set.add_var_attr_string(name, "_Encoding", "utf-8")?;
                // A cut text ends with a whole character, of four bytes at most.
                if length + 4 > LONGEST_TEXT {
                    let comment = format!("texts longer than {LONGEST_TEXT} bytes are cut");
                    set.add_var_attr_string(name, "comment", comment)?;
                }
            }
        }
        match &self.source {
            Source::Column(column) => {
                attributes::add_to(set, name, subject)?;
                attributes_of_column(set, column)
            }
            Source::Field(field) => self.attributes_of_field(set, field),
        }
    }

    fn attributes_of_field(
        &self,
        set: &mut DataSet,
        field: &FieldColumn,
    ) -> Result<(), InvalidDataSet> {
        let name = self.name.as_str();
        let kind = match self.content {
            Content::Double => "physicalMeasurement",
            Content::Whole | Content::Text(_) => "auxiliaryInformation",
        };
        if self.content == Content::Double {
            set.add_var_attr_f64(name, "_FillValue", vec![FILL])?;
        }
        set.add_var_attr_string(name, "long_name", text::clean(field.name()))?;
        set.add_var_attr_string(name, "coverage_content_type", kind)?;
        place(set, name)
    }

    /// Adds its value of a fix to the record, in as many bytes as the format has for
    /// it: a multiple of four.
    pub(super) fn put(&self, row: &Row<'_>, record: &mut Vec<u8>) {
        let track = row.track;
        let fix = row.fix.index;
        match &self.source {
            Source::Column(column) => match (column.value)(row) {
                Value::Flag(flag) => put_whole(flag.code(), record),
                Value::Truth(is) => put_whole(u8::from(is), record),
                Value::Text(text) => self.put_text(&text, record),
                number => put_double(number.number(), record),
            },
            Source::Field(field) => {
                let value = track.fields().value(field, fix);
                match self.content {
                    Content::Text(_) => {
                        let text = value.and_then(as_text).unwrap_or_default();
                        self.put_text(&text, record);
                    }
                    _ => put_double(value.and_then(|value| value.number()), record),
                }
            }
        }
    }

    /// Adds a text, filled up with zero bytes.
    fn put_text(&self, text: &str, record: &mut Vec<u8>) {
        if let Content::Text(length) = self.content {
            let end = record.len() + length.next_multiple_of(4);
            record.extend_from_slice(cut(text).as_bytes());
            record.resize(end, 0);
        }
    }
}

fn put_whole(number: u8, record: &mut Vec<u8>) {
    record.extend(i32::from(number).to_be_bytes());
}

fn put_double(number: Option<f64>, record: &mut Vec<u8>) {
    record.extend(number.unwrap_or(FILL).to_be_bytes());
}

fn attributes_of_column(set: &mut DataSet, column: &Column) -> Result<(), InvalidDataSet> {
    let name = column.variable;
    match column.kind {
        Kind::Measured | Kind::Duration => set.add_var_attr_f64(name, "_FillValue", vec![FILL])?,
        Kind::Flag => {
            let codes = Flag::ALL.iter().map(|flag| i32::from(flag.code()));
            set.add_var_attr_i32(name, "flag_values", codes.collect())?;
        }
        Kind::Truth => set.add_var_attr_i32(name, "flag_values", vec![0, 1])?,
        Kind::Time | Kind::Number | Kind::Text => {}
    }
    match set.get_var_attr_as_string(name, "axis").as_deref() {
        Some("T") => Ok(()),
        Some(_) => set.add_var_attr_string(name, "grid_mapping", "crs"),
        None => place(set, name),
    }
}

/// Says where the values of a variable belong: to the coordinates of each fix.
fn place(set: &mut DataSet, name: &str) -> Result<(), InvalidDataSet> {
    set.add_var_attr_string(name, "coordinates", "time lat lon height")?;
    set.add_var_attr_string(name, "grid_mapping", "crs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_has_a_legal_name_that_no_other_has() {
        let reserved = reserved();
        let mut taken = taken(&reserved);
        for (field, variable) in [
            ("air_temp", "air_temp"),
            ("time", "field_time"),
            ("field_time", "field_time_2"),
            ("air temp", "air_temp_2"),
            ("1", "field_1"),
            ("", "field_"),
            ("_x", "field__x"),
            ("t\u{e4}/\u{1b}", "t___"),
            ("obs", "field_obs"),
            ("distance_m", "field_distance_m"),
            ("text_length_7", "field_text_length_7"),
            ("text_length", "field_text_length"),
            ("text-length", "field_text_length_2"),
            ("text_length_x", "text_length_x"),
        ] {
            assert_eq!(free_name(field, &reserved, &mut taken), variable);
        }
    }

    #[test]
    fn a_text_is_cut_at_the_end_of_a_character() {
        let long = "\u{e4}".repeat(LONGEST_TEXT);
        let odd = format!("x{long}");
        assert_eq!(cut(&long).len(), LONGEST_TEXT);
        assert_eq!(cut(&odd).len(), LONGEST_TEXT - 1);
        let whole = "x".repeat(LONGEST_TEXT);
        assert_eq!(cut(&whole), whole);
    }
}
