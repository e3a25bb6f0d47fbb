//! NetCDF classic, as driftline writes it: the variables of one dimension.

use netcdf3::{DataType, DataVector, FileReader};

use super::fault::ReadError;
use super::names::Role;
use super::tracks::{Cell, FileTracks, Tracks};
use crate::formats::columns::COLUMNS;
use crate::text;
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
    let epoch = set.get_var_attr_as_string("time", "units");
    if epoch
        .as_deref()
        .is_some_and(|units| !units.starts_with("seconds since 1970"))
    {
        return Err(ReadError::Nothing(format!(
            "its times are in '{}': seconds since 1970-01-01 are read",
            text::excerpt(&epoch.unwrap_or_default(), 60)
        )));
    }
    let is_derived = |name: &str| {
        let known = COLUMNS.iter().find(|column| column.variable == name);
        known.is_some_and(|column| !matches!(column.name, "time" | "latitude" | "longitude"))
    };
    let of_fixes = set.get_vars().into_iter().filter(|variable| {
        variable.dim_names() == [dimension.clone()]
            && variable.data_type() != DataType::U8
            && !is_derived(variable.name())
    });
    let names: Vec<String> = of_fixes
        .map(|variable| variable.name().to_owned())
        .collect();
    let mut columns: Vec<(String, Role, Vec<f64>)> = Vec::new();
    for name in names {
        let read = reader.read_var(&name).map_err(failed)?;
        let numbers = numbers(&read);
        let role = match name.as_str() {
            "time" => Role::Time,
            "lat" => Role::Latitude,
            "lon" => Role::Longitude,
            _ => Role::Field,
        };
        columns.extend(numbers.map(|numbers| (name, role, numbers)));
    }
    for (role, name) in [(Role::Latitude, "lat"), (Role::Longitude, "lon")] {
        if !columns.iter().any(|(_, known, _)| *known == role) {
            return Err(ReadError::Nothing(format!(
                "it has no variable '{name}' of fixes"
            )));
        }
    }
    let mut tracks = Tracks::default();
    let rows = columns
        .iter()
        .map(|(_, _, numbers)| numbers.len())
        .min()
        .unwrap_or(0);
    for row in 0..rows {
        let cells = columns.iter().filter_map(|(name, role, numbers)| {
            let number = *numbers.get(row)?;
            // The fill value of a number that a fix lacks.
            let is_there = number.is_finite() && number.abs() < 9.9e36;
            is_there.then_some(Cell {
                name,
                role: *role,
                value: FieldValue::Number(number),
            })
        });
        let cells: Vec<Cell<'_>> = cells.collect();
        tracks.add(row as u64 + 1, &cells, || format!("fix {row}"));
    }
    tracks.finish()
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
