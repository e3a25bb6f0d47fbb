//! NetCDF classic, as driftline writes it: the variables of one dimension.

mod classic;

use classic::{Attributes, Classic, Kind, Values};

use super::delimited::field_value;
use super::fault::ReadError;
use super::names::{ChosenColumns, IdChoice, Role};
use super::tracks::{Cell, FileTracks, Tracks};
use crate::formats::columns::COLUMNS;
use crate::track::field::FieldValue;

/// The flags that name columns, of which such a file has none.
const FLAGS: [&str; 5] = [
    "--time-column",
    "--time-format",
    "--latitude-column",
    "--longitude-column",
    "--id-column",
];

/// Reads a file in NetCDF classic.
///
/// # Errors
/// If it has no time, latitude and longitude of one dimension, or no fix.
pub(super) fn read(bytes: &[u8], chosen: &ChosenColumns) -> Result<FileTracks, ReadError> {
    chosen.refuse(&FLAGS, "NetCDF")?;
    let file = Classic::read(bytes)?;
    let time = COLUMNS.iter().find(|known| known.name == "time");
    let time = file
        .variables
        .iter()
        .find(|variable| time.is_some_and(|time| time.variable == variable.name));
    let Some((time, dimension)) = time.and_then(|time| Some((time, *time.dimensions.first()?)))
    else {
        return Err(ReadError::Nothing(
            "it has no variable 'time' of fixes".to_owned(),
        ));
    };
    let units = time.attributes.text("units");
    let heading = units.map_or("time".to_owned(), |units| format!("time ({units})"));
    let is_derived = |name: &str| {
        let known = COLUMNS.iter().find(|column| column.variable == name);
        known.is_some_and(|column| !matches!(column.name, "time" | "latitude" | "longitude"))
    };
    let of_fixes: Vec<usize> = (file.variables.iter().enumerate())
        .filter(|(_, variable)| {
            // A text has a second dimension, its length.
            let dimensions = 1 + usize::from(variable.kind == Kind::Text);
            variable.dimensions.first() == Some(&dimension)
                && variable.dimensions.len() == dimensions
                && !is_derived(&variable.name)
        })
        .map(|(number, _)| number)
        .collect();
    let unusable = file.attributes.number("unusable_records");
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // `as` saturates
    let unusable = unusable.map(|count| count as usize);
    let values = file.values(&of_fixes)?;
    // A variable of each fix has been read, so that there are as many.
    let fixes = usize::try_from(file.length(dimension)).unwrap_or(usize::MAX);
    let mut columns: Vec<(String, Role, Column)> = Vec::new();
    for (variable, values) in of_fixes
        .iter()
        .filter_map(|at| file.variables.get(*at))
        .zip(values)
    {
        let role = match variable.name.as_str() {
            "time" => Role::Time,
            "lat" => Role::Latitude,
            "lon" => Role::Longitude,
            _ => Role::Field,
        };
        // The name of a variable of driftline's own file is made of that of its field.
        let is_own = unusable.is_some() && role == Role::Field;
        let long = variable.attributes.text("long_name").filter(|_| is_own);
        let name = match role {
            Role::Time => heading.clone(),
            _ => long.unwrap_or_else(|| variable.name.clone()),
        };
        let column = match values {
            Values::Text(bytes) => Column::Texts(texts(&bytes, fixes)),
            Values::Numbers(numbers) => {
                Column::Numbers(Packing::new(&variable.attributes).numbers(numbers))
            }
        };
        columns.push((name, role, column));
    }
    for (role, name) in [(Role::Latitude, "lat"), (Role::Longitude, "lon")] {
        if !columns.iter().any(|(_, known, _)| *known == role) {
            return Err(ReadError::Nothing(format!(
                "it has no variable '{name}' of fixes"
            )));
        }
    }
    // It is one track.
    let mut tracks = Tracks::new(&ChosenColumns {
        id: IdChoice::None,
        ..ChosenColumns::default()
    });
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
        let first = file.attributes.text("first_unusable_record");
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
enum Column {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

impl Column {
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
    fn new(attributes: &Attributes) -> Self {
        let missing = ["_FillValue", "missing_value"].into_iter();
        Self {
            scale: attributes.number("scale_factor").unwrap_or(1.0),
            offset: attributes.number("add_offset").unwrap_or(0.0),
            missing: missing.filter_map(|name| attributes.number(name)).collect(),
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
