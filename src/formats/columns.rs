//! The columns of the files: the name, the unit, the variable in NetCDF and the value of each.
//! Every format, `track --help` and the manual loop over them.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::track::{Fix, Flag, Leg, Reason, Track};

/// A column of all files, as `assets/columns.toml` declares it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Column {
    pub(super) name: &'static str,
    #[serde(default)]
    pub(super) aliases: Vec<&'static str>,
    pub(super) kind: Kind,
    #[serde(default)]
    unit: &'static str,
    content: &'static str,
    pub(super) variable: &'static str,
    #[serde(default)]
    only_if_true: bool,
    pub(super) attributes: Vec<(&'static str, &'static str)>,
    #[serde(skip, default = "no_value")]
    pub(super) value: ValueOf,
}

type ValueOf = for<'a> fn(&Row<'a>) -> Value<'a>;

fn no_value() -> ValueOf {
    value_of("")
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// A time that every fix has.
    Time,
    /// A number that every fix has.
    Number,
    /// A number that a fix may lack.
    Measured,
    /// A number of seconds that a fix may lack, and that many have alike.
    Duration,
    Flag,
    Text,
    Truth,
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    Missing,
    /// A time, UNIX seconds.
    Time(f64),
    Number(f64),
    Flag(Flag),
    Truth(bool),
    Text(Cow<'a, str>),
}

impl Value<'_> {
    /// The number, of a time its UNIX seconds.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Time(number) | Self::Number(number) => Some(*number),
            _ => None,
        }
    }
}

impl From<Option<f64>> for Value<'_> {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Self::Missing, Self::Number)
    }
}

/// A fix, and the leg to it.
#[derive(Debug, Clone)]
pub(super) struct Row<'a> {
    pub(super) track: &'a Track,
    pub(super) fix: Fix,
    /// A geodesic, computed once and only if needed.
    leg: OnceCell<Option<Leg>>,
}

impl<'a> Row<'a> {
    pub(super) fn new(track: &'a Track, fix: Fix) -> Self {
        let leg = OnceCell::new();
        Self { track, fix, leg }
    }

    /// The leg, if it counts for the length of the track: a jump does not.
    pub(super) fn leg(&self) -> Option<&Leg> {
        let leg = || {
            if self.track.is_jump(self.fix.index) {
                None
            } else {
                self.track.leg(self.fix.index)
            }
        };
        self.leg.get_or_init(leg).as_ref()
    }

    /// Seconds since the previous included fix.
    pub(super) fn gap_s(&self) -> Option<f64> {
        let from = self.track.leg_start(self.fix.index)?;
        let began = self.track.time_stamp(from)?;
        Some(self.fix.time_stamp - began)
    }
}

/// Iterates over the rows of a track.
pub(super) fn rows(track: &Track) -> impl Iterator<Item = Row<'_>> + Clone {
    track.fixes().map(move |fix| Row::new(track, fix))
}

/// The columns of a file of these rows.
pub(super) fn columns<'a>(rows: impl Iterator<Item = Row<'a>> + Clone) -> Vec<&'static Column> {
    let is_needed = |column: &&Column| {
        let is_true = |row| (column.value)(&row) == Value::Truth(true);
        column.is_of_every_file() || rows.clone().any(is_true)
    };
    COLUMNS.iter().filter(is_needed).collect()
}

/// The names of all columns, whether a file has them or not: no field has one of them.
pub(super) fn names() -> impl Iterator<Item = &'static str> + Clone {
    COLUMNS.iter().map(|column| column.name)
}

impl Column {
    /// `true` if each file has it.
    pub(super) fn is_of_every_file(&self) -> bool {
        !self.only_if_true
    }
}

/// The columns as `track --help` lists them.
pub(crate) fn columns_help() -> String {
    let width = names().map(str::len).max().unwrap_or_default();
    let line = |column: &Column| {
        let unit = match column.unit {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        format!("  {:<width$}  {}{unit}\n", column.name, column.content)
    };
    COLUMNS.iter().map(line).collect()
}

const DECLARED: &str = include_str!("../../assets/columns.toml");

/// The columns of all files, in order.
pub(super) static COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| {
    // A test reads it.
    let declared: HashMap<&str, Vec<Column>> = toml::from_str(DECLARED).unwrap_or_default();
    let valued = |column: Column| Column {
        value: value_of(column.name),
        ..column
    };
    declared.into_values().flatten().map(valued).collect()
});

/// The value of the column with this name.
fn value_of(name: &str) -> ValueOf {
    match name {
        "time" => |row| Value::Time(row.fix.time_stamp),
        "time_stamp" => |row| Value::Number(row.fix.time_stamp),
        "latitude" => |row| Value::Number(row.fix.position.latitude),
        "longitude" => |row| Value::Number(row.fix.position.longitude),
        "distance_m" => |row| row.leg().map(|leg| leg.distance_m).into(),
        "speed_m_s" => |row| row.leg().and_then(|leg| leg.speed_m_s).into(),
        "course_deg" => |row| row.leg().and_then(|leg| leg.course_deg).into(),
        "gap_s" => |row| row.gap_s().into(),
        "qc_flag" => |row| Value::Flag(row.fix.flag),
        "qc_reason" => |row| match row.fix.reason {
            Reason::None => Value::Text(Cow::Borrowed("")),
            _ => Value::Text(row.track.reason_text(row.fix.index)),
        },
        "absent_from_latest_response" => {
            |row| Value::Truth(row.track.is_absent_from_latest(row.fix.index))
        }
        _ => |_| Value::Missing,
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray;

    use super::*;
    use crate::testing::manual::{part_is, table};
    use crate::testing::recorded;
    use crate::track::{Platform, TrackOptions};

    #[test]
    fn the_manual_lists_the_columns() {
        let rows: Vec<Vec<String>> = COLUMNS
            .iter()
            .map(|column| {
                vec![
                    format!("`{}`", column.name),
                    column.unit.to_owned(),
                    column.content.to_owned(),
                    format!("`{}`", column.variable),
                ]
            })
            .collect();
        let heading = ["name", "unit", "content", "in NetCDF"];
        part_is("formats.md", "columns", &table(&heading, &rows));
    }

    #[test]
    fn the_header_of_csv_is_the_contracts() {
        let names: Vec<&str> = COLUMNS
            .iter()
            .filter(|column| column.is_of_every_file())
            .map(|column| column.name)
            .collect();
        assert_eq!(
            names.join(","),
            "time,time_stamp,latitude,longitude,distance_m,speed_m_s,course_deg,gap_s,qc_flag,qc_reason"
        );
    }

    #[test]
    fn the_legs_of_the_included_fixes_add_up_to_the_length_in_every_track() {
        let (mut of_one_time, mut jumps) = (0, 0);
        for name in recorded::names() {
            let records = crate::testing::track::recorded(&name);
            for &platform in Platform::VARIANTS {
                let track = Track::of(&records, &TrackOptions::new(platform, 2e9));
                let (mut length_m, mut last) = (0.0, f64::NAN);
                for row in rows(&track) {
                    let value = |name: &str| {
                        let column = COLUMNS.iter().find(|column| column.name == name).unwrap();
                        (column.value)(&row)
                    };
                    length_m += value("distance_m").number().unwrap_or_default();
                    jumps += usize::from(track.is_jump(row.fix.index));
                    if !track.is_included(row.fix.index) {
                        assert_eq!(value("distance_m"), Value::Missing);
                        continue;
                    }
                    if row.fix.time_stamp == last {
                        of_one_time += 1;
                        assert_eq!(value("distance_m"), Value::Missing, "{name} {platform}");
                        assert_eq!(value("speed_m_s"), Value::Missing, "{name} {platform}");
                    }
                    last = row.fix.time_stamp;
                }
                let summary = track.summary().length_m;
                assert!(
                    (length_m - summary).abs() <= 1e-9 * summary,
                    "{name} {platform}: {length_m} and {summary}"
                );
            }
        }
        assert!(of_one_time > 100 && jumps > 0, "{of_one_time} {jumps}");
    }
}
