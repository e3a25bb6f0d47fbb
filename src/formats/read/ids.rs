//! Which records of a file are of which deployment.

use std::collections::HashMap;

use super::marks;
use super::names::IdRank;
use crate::geo::Position;
use crate::geo::sphere::distance_m;
use crate::track::Records;
use crate::track::field::{FieldColumn, FieldValue};
use crate::track::quality::{TWICE_M, is_location_class};

/// Values that differ in each of more rows than this number them, and are no ids.
const MOST_SINGLE: usize = 3;
/// Columns that take turns are named up to this many.
const MOST_NAMED: usize = 3;
/// More values than this are not few.
const MOST_VALUES: usize = 256;
/// Values take turns where they change in a tenth of the rows.
const ROWS_A_TURN: usize = 10;
/// Parts of the name of a column whose whole numbers are ids rather than measured.
const OF_NUMBERS: [&str; 5] = ["id", "serial", "argos", "ptt", "imei"];

/// A column that may have the ids of the deployments.
#[derive(Debug)]
pub(super) struct IdColumn {
    pub(super) name: String,
    pub(super) rank: IdRank,
    /// The number of each of its texts, from 1 on.
    numbers: HashMap<Box<str>, u32>,
    /// That of each record; 0 without one. Records behind the last have none.
    of_records: Vec<u32>,
}

impl IdColumn {
    pub(super) fn new(name: &str, rank: IdRank) -> Self {
        Self {
            name: name.to_owned(),
            rank,
            numbers: HashMap::new(),
            of_records: Vec::new(),
        }
    }

    /// Sets the text of a record after all that have one.
    pub(super) fn set(&mut self, record: usize, text: String) {
        let next = u32::try_from(self.numbers.len() + 1).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(text.into()).or_insert(next);
        if self.of_records.len() <= record {
            self.of_records.resize(record, 0);
            self.of_records.push(number);
        }
    }

    /// `true` for a running number, or another that no two rows have.
    fn numbers_the_rows(&self) -> bool {
        let rows = self.of_records.iter().filter(|number| **number != 0);
        let rows = rows.count();
        rows > MOST_SINGLE && rows == self.numbers.len()
    }

    /// The texts by their numbers less 1.
    fn texts(&self) -> Vec<&str> {
        let mut texts: Vec<(u32, &str)> = (self.numbers.iter())
            .map(|(text, number)| (*number, text.as_ref()))
            .collect();
        texts.sort_unstable();
        texts.into_iter().map(|(_, text)| text).collect()
    }
}

/// The columns with the ids of the records, the first before the second: the one of the lowest
/// rank that does not number the rows, and the names of tracks for records without an id.
pub(super) fn chosen(columns: &[IdColumn]) -> Vec<&IdColumn> {
    let mut all: Vec<&IdColumn> = columns.iter().collect();
    all.retain(|column| !matches!(column.rank, IdRank::Named(_)) || !column.numbers_the_rows());
    all.sort_by_key(|column| column.rank);
    let is_further = |at: usize, column: &&IdColumn| at == 0 || column.rank == IdRank::OfTrack;
    let kept = all.into_iter().enumerate();
    let kept = kept.filter(|(at, column)| is_further(*at, column));
    kept.map(|(_, column)| column).collect()
}

/// The id of each of so many records by these columns; an empty one where there is none.
pub(super) fn of_records<'a>(columns: &[&'a IdColumn], count: usize) -> Vec<&'a str> {
    let texts: Vec<Vec<&str>> = columns.iter().map(|column| column.texts()).collect();
    let of_record = |record: usize| {
        let mut known = columns.iter().zip(&texts);
        known.find_map(|(column, texts)| {
            let number = column.of_records.get(record)?;
            texts.get(number.checked_sub(1)? as usize).copied()
        })
    };
    (0..count)
        .map(|record| of_record(record).unwrap_or_default())
        .collect()
}

/// The indices of the fixes in the order of their times.
fn by_time(records: &Records) -> Vec<usize> {
    let mut order: Vec<usize> = (0..records.transmissions.len()).collect();
    let time = |fix: &usize| records.transmissions[*fix].time_stamp;
    order.sort_by(|a, b| time(a).total_cmp(&time(b)));
    order
}

/// The fields whose few values take turns, with the number of the values: the records may be of
/// several instruments.
pub(super) fn in_turn(records: &Records) -> Vec<(&str, usize)> {
    let order = by_time(records);
    let columns = records.fields.columns().filter(|column| may_be_id(column));
    let turns = columns.filter_map(|column| {
        let values = order.iter().map(|fix| records.fields.value(column, *fix));
        let turns = turns(values)?;
        let is_id = !column.is_numeric() || is_named_as_id(column);
        (is_id || parts_the_track(records, &order, column)).then_some((column.name(), turns))
    });
    turns.take(MOST_NAMED).collect()
}

/// `true` unless a column says what a position is worth.
fn may_be_id(column: &FieldColumn) -> bool {
    let name = column.name().to_lowercase();
    !is_location_class(&name) && !marks::is_known(&name)
}

/// `true` if numbers of a column with this name are no measurements.
fn is_named_as_id(column: &FieldColumn) -> bool {
    let name = column.name().to_lowercase();
    OF_NUMBERS.iter().any(|part| name.contains(part))
}

/// `true` if the tracks of the values of a column are together less than half as long as the
/// track of all: numbers that are measured part no track so.
fn parts_the_track(records: &Records, order: &[usize], column: &FieldColumn) -> bool {
    let (mut whole_m, mut parts_m) = (0.0, 0.0);
    let mut before: Option<Position> = None;
    let mut of_value: HashMap<u64, Position> = HashMap::new();
    for fix in order {
        let position = records.transmissions[*fix].position;
        let leg_m = |from: Option<Position>| from.map_or(0.0, |from| distance_m(from, position));
        whole_m += leg_m(before.replace(position));
        if let Some(FieldValue::Number(number)) = records.fields.value(column, *fix) {
            parts_m += leg_m(of_value.insert(number.to_bits(), position));
        }
    }
    2.0 * parts_m < whole_m
}

/// How many fixes share their time with another that is too far away to be the same fix, if
/// they are more than half: of one instrument there are few.
pub(super) fn at_one_time(records: &Records) -> Option<usize> {
    let fixes = &records.transmissions;
    let order = by_time(records);
    let same = order.chunk_by(|a, b| fixes[*a].time_stamp == fixes[*b].time_stamp);
    let apart = same.filter(|same| {
        let first = fixes[same[0]].position;
        let mut others = same.iter().map(|fix| fixes[*fix].position);
        others.any(|position| distance_m(first, position) > TWICE_M)
    });
    let count: usize = apart.map(<[usize]>::len).sum();
    (2 * count > fixes.len()).then_some(count)
}

/// The number of the values, in the order of time, if they are few and take turns.
fn turns<'a>(values: impl Iterator<Item = Option<FieldValue<'a>>>) -> Option<usize> {
    let mut begins: HashMap<String, usize> = HashMap::new();
    let mut last: Option<FieldValue<'_>> = None;
    let (mut rows, mut changes) = (0, 0);
    for value in values.flatten() {
        rows += 1;
        if last.replace(value) == Some(value) {
            continue;
        }
        let text = match value {
            FieldValue::Text(text) | FieldValue::Digits(text) if !text.starts_with(['{', '[']) => {
                text.to_owned()
            }
            FieldValue::Number(number) if number.fract() == 0.0 => number.to_string(),
            _ => return None,
        };
        changes += 1;
        *begins.entry(text).or_default() += 1;
        if begins.len() > MOST_VALUES {
            return None;
        }
    }
    let returning = begins.values().filter(|begins| **begins > 1).count();
    let is_few = begins.len() > 1 && begins.len() <= rows / 2;
    (is_few && returning > 1 && changes >= rows / ROWS_A_TURN).then_some(begins.len())
}
