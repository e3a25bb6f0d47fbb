//! NetCDF classic: as driftline writes it, trajectories of the CF conventions (1.8, appendix
//! H.4), and the profiles and trajectories of Argo.

mod classic;
mod layout;

use classic::{Attributes, Classic, Values, Variable};
use layout::{Layout, Place};

use super::cell::{Cell, NUMBERED};
use super::delimited::field_value;
use super::fault::ReadError;
use super::marks;
use super::names::{ChosenColumns, IdChoice, IdRank, Role, id_place, is_same};
use super::since::PROLEPTIC;
use super::tracks::{FileTracks, Tracks};
use crate::formats::columns::COLUMNS;
use crate::text;
use crate::track::field::FieldValue;

/// The flags that a file has no use for: what its variables are says the standard.
const FLAGS: [&str; 4] = [
    "--time-column",
    "--time-format",
    "--latitude-column",
    "--longitude-column",
];
/// The variables of each fix: role, names, and standard name.
#[rustfmt::skip]
const NEEDED: [(Role, &[&str], &str); 3] = [
    (Role::Time, &["time", "juld", "position_time", "m_present_time"], "time"),
    (Role::Latitude, &["lat", "latitude", "m_gps_lat"], "latitude"),
    (Role::Longitude, &["lon", "longitude", "m_gps_lon"], "longitude"),
];
/// Calendars whose dates are the usual ones.
const CALENDARS: [&str; 4] = ["standard", "gregorian", "proleptic_gregorian", "utc"];

/// Reads a file in NetCDF classic.
///
/// # Errors
/// If it has no time, latitude and longitude of the same fixes, or no fix.
pub(super) fn read(bytes: &[u8], chosen: &ChosenColumns) -> Result<FileTracks, ReadError> {
    chosen.refuse(&FLAGS, "NetCDF")?;
    let file = Classic::read(bytes)?;
    let needed = needed(&file)?;
    let [time, ..] = needed;
    check_calendar(&file.variables[time])?;
    // They are in the file, so that there are as many fixes.
    let values = file.values(&needed)?;
    let layout = Layout::read(&file, needed.map(|at| &file.variables[at]))?;
    let unusable = file.attributes.number("unusable_records");
    let is_own = unusable.is_some();
    let id = match &chosen.id {
        IdChoice::ByName if is_own => IdChoice::None,
        id => id.clone(),
    };
    let mut columns: Vec<Column> = Vec::new();
    for ((at, values), (role, ..)) in needed.iter().zip(values).zip(NEEDED) {
        let variable = &file.variables[*at];
        columns.extend(Column::new(variable, role, values, &layout, is_own));
    }
    let roles = (file.variables.iter().enumerate())
        .filter(|(at, _)| !needed.contains(at))
        .filter_map(|(at, variable)| Some((at, role(variable, &layout, &id)?)))
        .map(|(at, role)| match role {
            Role::Field if !is_own => (at, marks::role(&file.variables[at].name.to_lowercase())),
            role => (at, role),
        });
    let (others, roles): (Vec<usize>, Vec<Role>) = roles.unzip();
    let values = file.values(&others)?;
    for ((at, values), role) in others.iter().zip(values).zip(&roles) {
        let variable = &file.variables[*at];
        columns.extend(Column::new(variable, *role, values, &layout, is_own));
    }
    let has_ids = roles.iter().any(|role| matches!(role, Role::Id(_)));
    let mut tracks = Tracks::new(&ChosenColumns {
        id,
        settled: chosen.settled.clone(),
        ..ChosenColumns::default()
    });
    for fix in 0..layout.fixes {
        // Trajectories of an array are filled up to the longest.
        let mut needed = columns.iter().take(NEEDED.len());
        let first = needed.find(|column| column.place == Place::Fix);
        let is_filled = first.is_some_and(|column| column.values.get(fix).is_none());
        if layout.dimensions.len() > 1 && is_filled {
            continue;
        }
        let cells = columns.iter().filter_map(|column| {
            let value = column.values.get(layout.index(column.place, fix)?)?;
            let name = column.name.as_str();
            Some(
                column
                    .role
                    .with_field()
                    .map(move |role| Cell { name, role, value }),
            )
        });
        let mut cells: Vec<Cell<'_>> = cells.flatten().collect();
        let trajectory = layout.trajectory(fix).filter(|_| !has_ids);
        let number = trajectory.map(|number| format!("{NUMBERED}track {}", number + 1));
        cells.extend(number.as_deref().map(|number| Cell {
            name: "",
            role: Role::Id(IdRank::OfTrack),
            value: FieldValue::Text(number),
        }));
        tracks.add(0, &cells, || format!("fix {fix}"));
    }
    // `as` saturates.
    let unusable = unusable.map(|count| count as usize);
    if let Some(more) = unusable.unwrap_or_default().checked_sub(1) {
        let first = file
            .attributes
            .text("first_unusable_record")
            .unwrap_or_else(|| "not in the file".to_owned());
        let why = first
            .split_once(": ")
            .map_or(first.as_str(), |(_, why)| why);
        tracks.unusable(None, why, "");
        tracks.unkept(more);
    }
    tracks.finish()
}

/// The numbers of the variables that a fix needs: by their names, else by their standard names.
/// The time is along the dimensions of the latitude: another is that of samples, not of fixes.
/// Without such a time the layout decides if the position belongs to the times.
fn needed(file: &Classic<'_>) -> Result<[usize; 3], ReadError> {
    let variables = || file.variables.iter().enumerate();
    type Fits<'a> = &'a dyn Fn(&Variable) -> bool;
    let find = |(_, names, standard): (Role, &[&str], &str), fits: Fits<'_>| {
        let named =
            |name: &&str| variables().find(|(_, known)| is_same(&known.name, name) && fits(known));
        let is_standard = |variable: &Variable| {
            variable.attributes.text("standard_name").as_deref() == Some(standard)
        };
        let by_standard = || variables().find(|(_, known)| is_standard(known) && fits(known));
        let found = names.iter().find_map(named).or_else(by_standard);
        let first = names.first().copied().unwrap_or_default();
        let lacks = || ReadError::Nothing(format!("it has no variable '{first}' of fixes"));
        found.map(|(at, _)| at).ok_or_else(lacks)
    };
    let has_many = |known: &Variable| !known.dimensions.is_empty();
    let any = |needed| find(needed, &has_many).or_else(|_| find(needed, &|_| true));
    let [time, latitude, longitude] = NEEDED;
    let latitude = any(latitude)?;
    let along = |known: &Variable| file.variables[latitude].is_along(known);
    let time = find(time, &along).or_else(|_| any(time))?;
    Ok([time, latitude, any(longitude)?])
}

/// The calendar of a time in lower case; empty if it has none.
fn calendar(time: &Variable) -> String {
    let calendar = time.attributes.text("calendar");
    calendar.unwrap_or_default().to_lowercase()
}

fn check_calendar(time: &Variable) -> Result<(), ReadError> {
    let calendar = calendar(time);
    if calendar.is_empty() || CALENDARS.contains(&calendar.as_str()) {
        return Ok(());
    }
    let shown = text::excerpt(&calendar, 40);
    Err(ReadError::Nothing(format!(
        "its times are of the calendar '{shown}', whose dates are no others': standard is expected"
    )))
}

/// The role of a variable that the position does not need; `None` if it is of no fix.
fn role(variable: &Variable, layout: &Layout, id: &IdChoice) -> Option<Role> {
    let place = layout.place(variable)?;
    let is_trajectory = variable.attributes.text("cf_role").as_deref() == Some("trajectory_id");
    let name = match variable.name.as_str() {
        _ if is_trajectory => "trajectory",
        "PLATFORM_NUMBER" => "wmo",
        name => name,
    };
    let known = COLUMNS
        .iter()
        .find(|column| column.variable == variable.name);
    match id {
        IdChoice::Column(chosen) if *chosen == variable.name => Some(Role::Id(IdRank::Chosen)),
        IdChoice::ByName if id_place(name).is_some() => {
            id_place(name).map(|place| Role::Id(IdRank::Named(place)))
        }
        _ if place == Place::Fix && known.is_none() => Some(Role::Field),
        _ => None,
    }
}

/// The values of a variable, and which of them are of which fix.
struct Column {
    name: String,
    role: Role,
    place: Place,
    values: ColumnValues,
}

impl Column {
    /// The column of a variable; `None` if it is of no fix.
    fn new(
        variable: &Variable,
        role: Role,
        values: Values,
        layout: &Layout,
        is_own: bool,
    ) -> Option<Self> {
        let place = layout.place(variable)?;
        let attributes = &variable.attributes;
        // The name of a variable of driftline's own file is made of that of its field.
        let long = || attributes.text("long_name").filter(|_| is_own);
        let calendar = match calendar(variable) == "proleptic_gregorian" && role.is_time() {
            true => PROLEPTIC,
            false => "",
        };
        let units = || {
            attributes
                .text("units")
                .map(|units| format!("{} ({units}{calendar})", variable.name))
        };
        let name = match role {
            Role::Field => long(),
            role if role.is_time() || role.is_degrees() => units(),
            _ => None,
        };
        let values = match values {
            Values::Text(bytes) => ColumnValues::Texts(texts(&bytes, layout.count(place))),
            Values::Numbers(numbers) => ColumnValues::Numbers(unpacked(numbers, attributes)),
        };
        Some(Self {
            name: name.unwrap_or_else(|| variable.name.clone()),
            role,
            place,
            values,
        })
    }
}

/// The values of a variable.
enum ColumnValues {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

impl ColumnValues {
    /// The value with this index, if there is one.
    fn get(&self, index: usize) -> Option<FieldValue<'_>> {
        match self {
            Self::Numbers(numbers) => {
                let number = *numbers.get(index)?;
                // The fill value of a number that a fix lacks.
                let is_there = number.is_finite() && number.abs() < 9.9e36;
                is_there.then_some(FieldValue::Number(number))
            }
            Self::Texts(texts) => {
                let text = texts.get(index).filter(|text| !text.is_empty())?;
                Some(match field_value(text) {
                    // It has no apostrophe that guards it.
                    FieldValue::Text(_) => FieldValue::Text(text),
                    value => value,
                })
            }
        }
    }
}

/// So many texts, each filled up with zeros or blanks to the length of the longest.
fn texts(bytes: &[u8], count: usize) -> Vec<String> {
    let length = bytes.len().checked_div(count).unwrap_or(0).max(1);
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.trim_end_matches(['\0', ' ']).to_owned()
    };
    bytes.chunks(length).map(text).collect()
}

/// The numbers that are packed into those of a variable with these attributes (CF 1.8, section
/// 8.1); those that mean no value are not finite.
fn unpacked(numbers: Vec<f64>, attributes: &Attributes) -> Vec<f64> {
    let scale = attributes.number("scale_factor").unwrap_or(1.0);
    let offset = attributes.number("add_offset").unwrap_or(0.0);
    let missing = ["_FillValue", "missing_value"].map(|name| attributes.number(name));
    let unpack = |number| match missing.contains(&Some(number)) {
        true => f64::NAN,
        false => number * scale + offset,
    };
    numbers.into_iter().map(unpack).collect()
}
