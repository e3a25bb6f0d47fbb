//! Which records of a file are of which deployment.

use std::collections::HashMap;

use super::cell::NUMBERED;
use super::marks;
use super::names::{IdRank, id_place, is_same, may_number_rows};
use crate::geo::Position;
use crate::geo::sphere::distance_m;
use crate::track::field::{FieldColumn, FieldValue};
use crate::track::quality::{TWICE_M, is_location_class};
use crate::track::{Platform, Records};

/// Values that differ in each of more rows than this number them, and are no ids.
const MOST_SINGLE: usize = 3;
/// Features of one id, if ids of features are those of deployments.
const LEAST_OF_FEATURES: usize = 4;
/// Columns that take turns are named up to this many.
const MOST_NAMED: usize = 3;
/// More numbers than this are measured, and more texts name instruments only where they part the
/// track.
const MOST_VALUES: usize = 256;
/// A measured value with a fraction has fewer rows of one value than this.
const ROWS_A_FRACTION: usize = 4;
/// Values take turns where they change in a tenth of the rows. What changes less often, as the
/// bursts of several instruments do, names these if it is called so or parts the track.
const ROWS_A_TURN: usize = 10;
/// Words in the name of a column whose whole numbers are ids rather than measured.
const OF_NUMBERS: [&str; 5] = ["id", "no", "serial", "ptt", "imei"];
/// Words in the name of a column whose texts are names.
const OF_NAMES: [&str; 9] = [
    "uid",
    "name",
    "user",
    "animal",
    "individual",
    "instrument",
    "device",
    "buoy",
    "station",
];
/// What a receiver measures besides the position: its whole numbers name no instruments.
const MEASURED: [&str; 10] = [
    "mode",
    "satellites",
    "sats",
    "nsat",
    "satcount",
    "hdop",
    "accuracy",
    "altitude",
    "height",
    "elevation",
];

/// A column that may have the ids of the deployments.
#[derive(Debug)]
pub(super) struct IdColumn {
    pub(super) name: String,
    pub(super) rank: IdRank,
    /// The number of each of its texts, from 1 on.
    numbers: HashMap<Box<str>, u32>,
    /// The number of the id of each record; 0 without one. Records behind the last have none.
    of_records: Vec<u32>,
    /// The records that are there again, with the same text.
    repeats: usize,
}

impl IdColumn {
    pub(super) fn new(name: &str, rank: IdRank) -> Self {
        Self {
            name: name.to_owned(),
            rank,
            numbers: HashMap::new(),
            of_records: Vec::new(),
            repeats: 0,
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

    /// `true` for a text that no row has, or at the end of a row the beginning of another's.
    pub(super) fn may_be_cut(&self, text: &str, is_last: bool) -> bool {
        let is_begun = |known: &str| is_last && known != text && known.starts_with(text);
        !self.numbers.contains_key(text) || self.numbers.keys().any(|known| is_begun(known))
    }

    /// Counts the records that are there again, of which `record` is the content.
    pub(super) fn count_repeats<T: PartialEq>(&mut self, record: impl Fn(usize) -> T) {
        let mut first = vec![None; self.numbers.len() + 1];
        for (at, number) in self.of_records.iter().enumerate() {
            let known = *first[*number as usize].get_or_insert(at);
            let is_repeat = *number != 0 && known != at && record(known) == record(at);
            self.repeats += usize::from(is_repeat);
        }
    }

    /// `true` for a running number, or another that no two records have.
    fn numbers_the_rows(&self) -> bool {
        let rows = self.rows() - self.repeats;
        rows > MOST_SINGLE && rows == self.numbers.len()
    }

    /// `true` for kinds of instruments, such as `gls`, of which there are less than ids in a
    /// column of these: an id has a digit.
    fn has_kinds(&self, ids: usize) -> bool {
        let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
        self.numbers.len() < ids
            && ["device", "instrument"]
                .iter()
                .any(|kind| is_same(kind, &self.name))
            && !self.numbers.keys().any(|text| has_digit(text))
    }

    /// The number of records with a text.
    fn rows(&self) -> usize {
        let numbers = self.of_records.iter();
        numbers.filter(|number| **number != 0).count()
    }

    /// `true` if it cannot have the ids.
    fn is_none(&self) -> bool {
        match self.rank {
            IdRank::Chosen => false,
            IdRank::Named(_) => self.numbers_the_rows(),
            // The only one that has no name has no other to be distinguished from.
            IdRank::OfTrack => {
                self.numbers.len() == 1 && self.numbers.keys().all(|id| id.starts_with(NUMBERED))
            }
            // It numbers the features, in files that were joined from the first on again.
            IdRank::OfFeature => self.rows() < LEAST_OF_FEATURES * self.numbers.len(),
        }
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
    let mut all: Vec<&IdColumn> = columns.iter().filter(|column| !column.is_none()).collect();
    all.sort_by_key(|column| column.rank);
    let named = all
        .iter()
        .filter(|column| matches!(column.rank, IdRank::Named(_)));
    let most = named.map(|column| column.numbers.len()).max();
    all.retain(|column| column.rank == IdRank::Chosen || !column.has_kinds(most.unwrap_or(0)));
    // Movebank has tags that no individual carries.
    let [individual, tag] = ["individual-local-identifier", "tag-local-identifier"];
    let is_of_animals = all
        .first()
        .is_some_and(|first| is_same(individual, &first.name));
    let is_further = |at: usize, column: &&IdColumn| {
        at == 0 || column.rank == IdRank::OfTrack || is_of_animals && is_same(tag, &column.name)
    };
    let kept = all
        .into_iter()
        .enumerate()
        .filter(|(at, column)| is_further(*at, column));
    kept.map(|(_, column)| column).collect()
}

/// The id of each of so many records by these columns; an empty one if there is none.
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

/// The columns by whose names each row has an id of its own: a list of the last fixes of
/// several instruments, or numbers of rows if the name may be that of those and no instrument
/// leaps so.
pub(super) fn single<'a>(columns: &'a [IdColumn], records: &Records) -> Vec<&'a str> {
    let numbering = columns.iter().filter(|column| column.numbers_the_rows());
    let named = numbering.filter_map(|column| match column.rank {
        IdRank::Named(place) => Some((column, place)),
        _ => None,
    });
    let mut leap = None;
    let mut is_leap = || *leap.get_or_insert_with(|| leaps(records));
    let owed = named.filter(|(_, place)| !may_number_rows(*place) || is_leap());
    let names = owed.map(|(column, _)| column.name.as_str());
    names.take(MOST_NAMED).collect()
}

/// `true` if most legs, in the order of time, are faster than an instrument and longer than two
/// positions of one fix.
fn leaps(records: &Records) -> bool {
    let order = by_time(records);
    let fix = |at: usize| records.transmissions[order[at]];
    let is_leap = |at: &usize| {
        let from = fix(at - 1);
        let to = fix(*at);
        let leg_m = distance_m(from.position, to.position);
        let most_m = Platform::Generic.max_speed_m_s() * (to.time_stamp - from.time_stamp);
        leg_m > most_m.max(TWICE_M)
    };
    let legs = 1..order.len();
    2 * legs.clone().filter(is_leap).count() > legs.len()
}

/// The indices of the fixes in the order of their times.
fn by_time(records: &Records) -> Vec<usize> {
    let mut order: Vec<usize> = (0..records.transmissions.len()).collect();
    let time = |fix: &usize| records.transmissions[*fix].time_stamp;
    order.sort_by(|a, b| time(a).total_cmp(&time(b)));
    order
}

/// The fields whose few values take turns, with the number of the values: the records may be of
/// several instruments. Of a track whose instrument `is_known` what takes turns has to part it, too.
pub(super) fn in_turn(records: &Records, is_known: bool) -> Vec<(&str, usize)> {
    let order = by_time(records);
    let columns = records.fields.columns().filter(|column| may_be_id(column));
    let turns = columns.filter_map(|column| {
        let value = |fix: &usize| records.fields.value(column, *fix);
        let turns = turns(order.iter().map(value), order.len())?;
        let is_text = !turns.has_numbers || !turns.has_fractions && is_named_as_id(column.name());
        let is_doubted = turns.are_in_doubt || turns.is_seldom && !names_instruments(column.name());
        let is_id = is_text && !is_known && !is_doubted;
        // What is measured of some fixes parts these from the others no track.
        let is_kept = |key: &String| !(turns.has_fractions && key.is_empty());
        let is_part = || parts_the_track(records, &order, |fix| key(value(&fix)).filter(is_kept));
        (is_id || is_part()).then_some((column.name(), turns.values))
    });
    turns.take(MOST_NAMED).collect()
}

/// The first field with the name of an id whose few values take turns, and their number: records
/// of an answer for one deployment that may be of several.
pub(crate) fn of_several(records: &Records) -> Option<(&str, usize)> {
    let mut columns = records.fields.columns().filter(|column| {
        let name = column.name();
        id_place(name).is_some() || names_instruments(name)
    });
    columns.find_map(|column| {
        let order = by_time(records);
        let value = |fix: &usize| records.fields.value(column, *fix);
        let turns = turns(order.iter().map(value), order.len())?;
        let is_id = !turns.are_in_doubt && !turns.is_seldom;
        is_id.then_some((column.name(), turns.values))
    })
}

/// `true` unless a column says what a position is worth.
fn may_be_id(column: &FieldColumn) -> bool {
    let name = column.name().to_lowercase();
    let words = words(column.name());
    !is_location_class(&name)
        && !marks::is_known(&name)
        && !words.iter().any(|word| MEASURED.contains(&word.as_str()))
}

/// The words of the name of a column, in lower case: of `unitId` `unit` and `id`.
fn words(given: &str) -> Vec<String> {
    let mut name = String::new();
    for letter in given.chars() {
        let begins_word = letter.is_uppercase() && name.ends_with(char::is_lowercase);
        name.extend(begins_word.then_some(' '));
        name.push(letter);
    }
    let lower = name.to_lowercase();
    let parts = lower.split(|letter: char| !letter.is_alphanumeric());
    parts.map(str::to_owned).collect()
}

/// `true` if the texts of a column with this name are those of instruments.
fn names_instruments(given: &str) -> bool {
    let is_known =
        |word: &String| OF_NUMBERS.contains(&word.as_str()) || OF_NAMES.contains(&word.as_str());
    words(given).iter().any(is_known)
}

/// `true` if numbers of a column with this name are no measurements: `ARGOS_ID`, `unitId`,
/// `Argos`.
fn is_named_as_id(given: &str) -> bool {
    let words = words(given);
    let is_number = |word: &String| OF_NUMBERS.contains(&word.as_str());
    words == ["argos"] || words.iter().any(is_number)
}

/// `true` if the mean leg within the parts of a track is less than half as long as that of the
/// track: numbers that are measured part no track so. `part` is that of a fix; one without is in
/// neither. A leg is no longer than the upper quartile of those from one part to another: a few
/// fixes that are far off make no part.
fn parts_the_track(
    records: &Records,
    order: &[usize],
    part: impl Fn(usize) -> Option<String>,
) -> bool {
    let (mut whole, mut parts, mut between) = (Vec::new(), Vec::new(), Vec::new());
    let mut before: Option<(String, Position)> = None;
    let mut of_part: HashMap<String, Position> = HashMap::new();
    for fix in order {
        let Some(part) = part(*fix) else {
            continue;
        };
        let position = records.transmissions[*fix].position;
        let leg_m = |from: Position| distance_m(from, position);
        if let Some((other, from)) = before.replace((part.clone(), position)) {
            whole.push(leg_m(from));
            between.extend((other != part).then(|| leg_m(from)));
        }
        parts.extend(of_part.insert(part, position).map(leg_m));
    }
    between.sort_by(f64::total_cmp);
    let Some(most_m) = between.get(between.len() * 3 / 4) else {
        return false;
    };
    let sum = |legs_m: &[f64]| legs_m.iter().map(|leg_m| leg_m.min(*most_m)).sum::<f64>();
    let mean = |legs_m: &[f64]| sum(legs_m) / legs_m.len() as f64;
    2.0 * mean(&parts) < mean(&whole)
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

/// Values that take turns.
struct Turns {
    values: usize,
    has_numbers: bool,
    has_fractions: bool,
    /// `true` if only the track shows whether they are ids: some rows have none, they are many,
    /// or in nested values.
    are_in_doubt: bool,
    /// `true` if they change in few rows.
    is_seldom: bool,
}

/// A value as the id that it may be; an empty one if there is none.
fn key(value: Option<FieldValue<'_>>) -> Option<String> {
    match value {
        None | Some(FieldValue::Null) => Some(String::new()),
        Some(FieldValue::Text(text) | FieldValue::Digits(text)) => Some(text.to_owned()),
        Some(FieldValue::Number(number)) => Some(number.to_string()),
        Some(_) => None,
    }
}

/// `true` for a number with its unit, or with another in brackets: `76.99 m`, `5(7)`.
fn is_measured(text: &str) -> bool {
    let end = text.find([' ', '(']).unwrap_or(0);
    text.get(..end)
        .is_some_and(|number| number.parse::<f64>().is_ok())
}

/// `true` for an object or an array.
fn is_nested(text: &str) -> bool {
    text.starts_with(['{', '['])
}

/// The values, in the order of time, if they are few and take turns; of so many rows.
fn turns<'a>(values: impl Iterator<Item = Option<FieldValue<'a>>>, rows: usize) -> Option<Turns> {
    let mut begins: HashMap<String, usize> = HashMap::new();
    let mut last: Option<Option<FieldValue<'_>>> = None;
    let mut changes = 0;
    let (mut has_numbers, mut has_fractions, mut are_in_doubt) = (false, false, false);
    let mut are_truths = true;
    for value in values {
        if last.replace(value) == Some(value) {
            continue;
        }
        match value {
            Some(FieldValue::Number(number)) => {
                has_numbers = true;
                has_fractions |= number.fract() != 0.0;
            }
            Some(FieldValue::Text(text)) => has_numbers |= is_measured(text),
            _ => {}
        }
        changes += 1;
        are_truths &= match value {
            Some(value @ FieldValue::Text(_)) => marks::truth(value).is_some(),
            value => value.is_none(),
        };
        let key = key(value)?;
        are_in_doubt |= key.is_empty();
        are_in_doubt |= matches!(value, Some(FieldValue::Text(text)) if is_nested(text));
        *begins.entry(key).or_default() += 1;
        let is_many = begins.len() > MOST_VALUES;
        are_in_doubt |= is_many;
        if is_many && has_numbers || begins.len() > rows / 2 {
            return None;
        }
    }
    let returning = begins.values().filter(|begins| **begins > 1).count();
    let rows_a_value = if has_fractions { ROWS_A_FRACTION } else { 2 };
    let is_few = begins.len() > 1 && begins.len() <= rows / rows_a_value;
    let turns = Turns {
        values: begins.len(),
        has_numbers,
        has_fractions,
        are_in_doubt,
        is_seldom: changes < rows / ROWS_A_TURN,
    };
    // `Yes` and `No` name no instruments.
    (is_few && returning > 1 && !are_truths).then_some(turns)
}
