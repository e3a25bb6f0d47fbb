//! The fields of records as variables: doubles where all values are numbers,
//! else text.

use std::collections::HashSet;

use netcdf3::{DataSet, InvalidDataSet};

use super::cf_names::meaning;
use super::conventions::{COORDINATES, FILL};
use super::file::NetcdfFile;
use crate::export::error::ExportError;
use crate::export::fields::{PREFIX, as_text};
use crate::export::row::ABSENT;
use crate::text;
use crate::track::Track;
use crate::track::field::{FieldColumn, profiles};

/// The other variables of the file, and its dimensions but those of texts.
const OURS: [&str; 18] = [
    "obs",
    "reason_length",
    "time",
    "lat",
    "lon",
    "height",
    "trajectory",
    "crs",
    "time_stamp",
    "latitude",
    "longitude",
    "distance",
    "speed",
    "course",
    "gap",
    "qc_flag",
    "qc_reason",
    ABSENT,
];

/// Longest name of a variable.
const LONGEST_NAME: usize = 120;

/// The variable of a field.
pub(super) struct FieldVariable<'a> {
    name: String,
    column: &'a FieldColumn,
    /// Bytes of the longest text; none where all values are numbers.
    length: Option<usize>,
}

/// The variables of a track's fields: numbers first, since in the classic format
/// only the last variable may be large.
pub(super) fn variables(track: &Track) -> Vec<FieldVariable<'_>> {
    let mut taken: HashSet<String> = OURS.iter().map(|name| (*name).to_owned()).collect();
    let mut all: Vec<FieldVariable<'_>> = Vec::new();
    for column in track.fields().columns() {
        let length = |fix| {
            let value = track.fields().value(column, fix)?;
            as_text(value).map(|text| text.len())
        };
        let longest = (!column.is_numeric()).then(|| {
            (0..track.len())
                .filter_map(length)
                .max()
                .unwrap_or(1)
                .max(1)
        });
        all.push(FieldVariable {
            name: free_name(column.name(), &mut taken),
            column,
            length: longest,
        });
    }
    all.sort_by_key(|variable| variable.length.is_some());
    all
}

/// Bytes of the variables for each fix.
pub(super) fn bytes_of_a_fix(variables: &[FieldVariable<'_>]) -> usize {
    let of = |variable: &FieldVariable<'_>| variable.length.unwrap_or(8);
    variables.iter().map(of).sum()
}

/// The text that makes the file too large, if there is one.
pub(super) fn too_long(variables: &[FieldVariable<'_>], fixes: usize) -> Option<String> {
    const MOST: usize = 1 << 30;
    let large = |variable: &&FieldVariable<'_>| {
        variable
            .length
            .is_some_and(|length| length.saturating_mul(fixes) > MOST)
    };
    let found = variables.iter().find(large)?;
    Some(format!(
        "the texts of the field {} take the room of the longest for every fix, more than {}; leave it out with --fields",
        text::excerpt(found.column.name(), 80),
        text::bytes(MOST as u64)
    ))
}

/// A name that a variable may have (CF 1.8, section 2.3) and that no other has.
fn free_name(name: &str, taken: &mut HashSet<String>) -> String {
    let legal = |one: char| match one.is_ascii_alphanumeric() {
        true => one,
        false => '_',
    };
    let mut free: String = name.chars().take(LONGEST_NAME).map(legal).collect();
    let is_legal = free.starts_with(|first: char| first.is_ascii_alphabetic());
    if !is_legal || OURS.contains(&&*free) || is_text_dimension(&free) {
        free.insert_str(0, PREFIX);
    }
    let base = free.clone();
    for number in 2.. {
        if taken.insert(free.clone()) {
            break;
        }
        free = format!("{base}_{number}");
    }
    free
}

/// What the name of a dimension of texts begins with.
const TEXT_DIMENSION: &str = "text_length";

/// The dimension of texts of this many bytes.
fn text_dimension(length: usize) -> String {
    format!("{TEXT_DIMENSION}_{length}")
}

/// Whether a dimension of texts could have this name, or this name with a number
/// after it.
fn is_text_dimension(name: &str) -> bool {
    name.strip_prefix(TEXT_DIMENSION).is_some_and(|length| {
        let is_of_number = |byte: u8| byte.is_ascii_digit() || byte == b'_';
        length.bytes().all(is_of_number)
    })
}

pub(super) fn define(
    set: &mut DataSet,
    track: &Track,
    variables: &[FieldVariable<'_>],
) -> Result<(), InvalidDataSet> {
    let profiles = profiles(track.fields().columns().map(FieldColumn::name));
    for variable in variables {
        let (name, field) = (variable.name.as_str(), variable.column.name());
        match variable.length {
            None => {
                set.add_var_f64(name, &["obs"])?;
                set.add_var_attr_f64(name, "_FillValue", vec![FILL])?;
            }
            Some(length) => {
                let dimension = text_dimension(length);
                if !set.has_dim(&dimension) {
                    set.add_fixed_dim(&dimension, length)?;
                }
                set.add_var_u8(name, &["obs", &dimension])?;
                set.add_var_attr_string(name, "_Encoding", "utf-8")?;
            }
        }
        set.add_var_attr_string(name, "long_name", text::clean(field))?;
        if variable.length.is_none() {
            if let Some((standard, unit)) = meaning(field) {
                if let Some(standard) = standard {
                    set.add_var_attr_string(name, "standard_name", standard)?;
                }
                set.add_var_attr_string(name, "units", unit)?;
            }
            if let Some((prefix, index)) = field.rsplit_once('_')
                && profiles.iter().any(|(known, _)| *known == prefix)
                && let Ok(index) = index.parse()
            {
                set.add_var_attr_string(name, "profile", text::clean(prefix))?;
                set.add_var_attr_i32(name, "profile_index", vec![index])?;
            }
        }
        let kind = match variable.length {
            None => "physicalMeasurement",
            Some(_) => "auxiliaryInformation",
        };
        set.add_var_attr_string(name, "coverage_content_type", kind)?;
        set.add_var_attr_string(name, "coordinates", COORDINATES)?;
        set.add_var_attr_string(name, "grid_mapping", "crs")?;
    }
    Ok(())
}

pub(super) fn fill(
    file: &mut NetcdfFile<'_>,
    track: &Track,
    variables: &[FieldVariable<'_>],
) -> Result<(), ExportError> {
    for variable in variables {
        let values = (0..track.len()).map(|fix| track.fields().value(variable.column, fix));
        match variable.length {
            None => {
                let numbers = values.map(|value| value.and_then(|value| value.number()));
                let numbers: Vec<f64> = numbers.map(|number| number.unwrap_or(FILL)).collect();
                file.doubles(&variable.name, &numbers)?;
            }
            Some(length) => {
                let mut cells = vec![0; track.len() * length];
                for (value, cell) in values.zip(cells.chunks_exact_mut(length)) {
                    let text = value.and_then(as_text).unwrap_or_default();
                    for (to, from) in cell.iter_mut().zip(text.bytes()) {
                        *to = from;
                    }
                }
                file.bytes(&variable.name, &cells)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_has_a_legal_name_that_no_other_has() {
        let mut taken = OURS.iter().map(|name| (*name).to_owned()).collect();
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
            ("reason_length", "field_reason_length"),
            ("text_length_7", "field_text_length_7"),
            ("text_length", "field_text_length"),
            ("text-length", "field_text_length_2"),
            ("text_length_x", "text_length_x"),
        ] {
            assert_eq!(free_name(field, &mut taken), variable);
        }
    }
}
