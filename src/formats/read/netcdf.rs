//! NetCDF classic, as driftline writes it: the variables of one dimension.

use netcdf3::{DataSet, DataType, DataVector, FileReader};

use super::delimited::field_value;
use super::fault::ReadError;
use super::names::Role;
use super::tracks::{Cell, FileTracks, Tracks};
use crate::formats::columns::COLUMNS;
use crate::track::field::FieldValue;

/// Reads a file in NetCDF classic.
///
/// # Errors
/// If it has no time, latitude and longitude of one dimension, or no fix.
pub(super) fn read(bytes: Vec<u8>) -> Result<FileTracks, ReadError> {
    let failed =
        |_: netcdf3::ReadError| ReadError::Nothing("it is no whole NetCDF classic file".to_owned());
    let mut reader = FileReader::open_seek_read("file", Box::new(std::io::Cursor::new(bytes)))
        .map_err(failed)?;
    let set = reader.data_set();
    let variable = |column: &str| {
        COLUMNS
            .iter()
            .find(|known| known.name == column)
            .map(|known| known.variable)
    };
    let time = variable("time").and_then(|name| set.get_var(name));
    let Some(dimension) = time.and_then(|time| time.dim_names().first().cloned()) else {
        return Err(ReadError::Nothing(
            "it has no variable 'time' of fixes".to_owned(),
        ));
    };
    let units = set.get_var_attr_as_string("time", "units");
    let heading = units.map_or("time".to_owned(), |units| format!("time ({units})"));
    let is_derived = |name: &str| {
        let known = COLUMNS.iter().find(|column| column.variable == name);
        known.is_some_and(|column| !matches!(column.name, "time" | "latitude" | "longitude"))
    };
    let of_fixes = set.get_vars().into_iter().filter(|variable| {
        // A text has a second dimension, its length.
        let dimensions = 1 + usize::from(variable.data_type() == DataType::U8);
        let names = variable.dim_names();
        names.first() == Some(&dimension)
            && names.len() == dimensions
            && !is_derived(variable.name())
    });
    let names: Vec<String> = of_fixes
        .map(|variable| variable.name().to_owned())
        .collect();
    let packings: Vec<Packing> = names.iter().map(|name| Packing::of(set, name)).collect();
    let unusable = set.get_global_attr_i32("unusable_records");
    let unusable = unusable.and_then(|count| usize::try_from(*count.first()?).ok());
    let first = set.get_global_attr_as_string("first_unusable_record");
    let fixes = reader.data_set().dim_size(&dimension).unwrap_or(0);
    let mut columns: Vec<(String, Role, Values)> = Vec::new();
    for (name, packing) in names.into_iter().zip(packings) {
        let read = reader.read_var(&name).map_err(failed)?;
        let numbers = || numbers(&read).map(|numbers| Values::Numbers(packing.numbers(numbers)));
        let texts = read
            .get_u8()
            .map(|bytes| Values::Texts(texts(bytes, fixes)));
        let role = match name.as_str() {
            "time" => Role::Time,
            "lat" => Role::Latitude,
            "lon" => Role::Longitude,
            _ => Role::Field,
        };
        // The name of a variable of driftline's own file is made of that of its field.
        let own = || {
            let is_own = unusable.is_some() && role == Role::Field;
            let long = is_own.then(|| reader.data_set().get_var_attr_as_string(&name, "long_name"));
            long.flatten()
        };
        let name = match role {
            Role::Time => heading.clone(),
            _ => own().unwrap_or(name),
        };
        columns.extend(texts.or_else(numbers).map(|values| (name, role, values)));
    }
    for (role, name) in [(Role::Latitude, "lat"), (Role::Longitude, "lon")] {
        if !columns.iter().any(|(_, known, _)| *known == role) {
            return Err(ReadError::Nothing(format!(
                "it has no variable '{name}' of fixes"
            )));
        }
    }
    let mut tracks = Tracks::default();
    for row in 0..fixes {
        let cells = columns.iter().filter_map(|(name, role, values)| {
            let value = values.get(row)?;
            Some(Cell {
                name,
                role: *role,
                value,
            })
        });
        let cells: Vec<Cell<'_>> = cells.collect();
        tracks.add(row as u64 + 1, &cells, || format!("fix {row}"));
    }
    if let Some(more) = unusable.unwrap_or_default().checked_sub(1) {
        let first = first.unwrap_or_else(|| "not in the file".to_owned());
        let why = first
            .split_once(": ")
            .map_or(first.as_str(), |(_, why)| why);
        tracks.unusable(None, why, "");
        tracks.unkept(more);
    }
    tracks.finish()
}

/// The values of a variable, one a fix.
enum Values {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

impl Values {
    /// The value of a fix, if it has one.
    fn get(&self, fix: usize) -> Option<FieldValue<'_>> {
        match self {
            Self::Numbers(numbers) => {
                let number = *numbers.get(fix)?;
                // The fill value of a number that a fix lacks.
                let is_there = number.is_finite() && number.abs() < 9.9e36;
                is_there.then_some(FieldValue::Number(number))
            }
            Self::Texts(texts) => {
                let text = texts.get(fix).filter(|text| !text.is_empty())?;
                Some(match field_value(text) {
                    // It has no apostrophe that guards it.
                    FieldValue::Text(_) => FieldValue::Text(text),
                    value => value,
                })
            }
        }
    }
}

/// The texts of so many fixes, each filled up with zeros to the length of the longest.
fn texts(bytes: &[u8], fixes: usize) -> Vec<String> {
    let length = bytes.len().checked_div(fixes).unwrap_or(0).max(1);
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.trim_end_matches('\0').to_owned()
    };
    bytes.chunks(length).map(text).collect()
}

/// How numbers are packed into those of a variable (CF 1.8, section 8.1).
struct Packing {
    scale: f64,
    offset: f64,
    /// The numbers that mean no value.
    missing: Vec<f64>,
}

impl Packing {
    fn of(set: &DataSet, name: &str) -> Self {
        let number = |attribute: &str| {
            let double = set.get_var_attr_f64(name, attribute);
            let double = double.and_then(|all| all.first().copied());
            let float = || Some(f64::from(*set.get_var_attr_f32(name, attribute)?.first()?));
            let whole = || Some(f64::from(*set.get_var_attr_i32(name, attribute)?.first()?));
            let short = || Some(f64::from(*set.get_var_attr_i16(name, attribute)?.first()?));
            double.or_else(float).or_else(whole).or_else(short)
        };
        let missing = ["_FillValue", "missing_value"].into_iter();
        Self {
            scale: number("scale_factor").unwrap_or(1.0),
            offset: number("add_offset").unwrap_or(0.0),
            missing: missing.filter_map(number).collect(),
        }
    }

    /// The numbers as they were before; those that mean no value are not finite.
    fn numbers(&self, mut numbers: Vec<f64>) -> Vec<f64> {
        for number in &mut numbers {
            *number = if self.missing.contains(number) {
                f64::NAN
            } else {
                *number * self.scale + self.offset
            };
        }
        numbers
    }
}

/// The numbers of a variable, if it has some.
fn numbers(read: &DataVector) -> Option<Vec<f64>> {
    fn wide<T: Copy + Into<f64>>(numbers: &[T]) -> Vec<f64> {
        numbers.iter().map(|number| (*number).into()).collect()
    }
    let doubles = read.get_f64().map(wide);
    let floats = || read.get_f32().map(wide);
    let whole = || read.get_i32().map(wide);
    let short = || read.get_i16().map(wide);
    let tiny = || read.get_i8().map(wide);
    doubles
        .or_else(floats)
        .or_else(whole)
        .or_else(short)
        .or_else(tiny)
}
