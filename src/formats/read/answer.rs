//! The answer of a service of another shape: its records, by a mapping of their members.

mod record;

use std::borrow::Cow;

use csv::StringRecord;
use serde_json::Value;
use serde_json::value::RawValue;

use super::delimited::{field_value, has_no_digit_at, reader};
use super::json::{Member as Cell, elements, words};
use super::times::{Clock, Time, by_pattern, year_and_day};
use super::tracks::{Gathered, degrees};
use crate::formats::each_member;
use crate::mapping::{AnswerFormat, AnswerShape, TimeFormat};
use crate::text;
use crate::track::field::{FieldChoice, FieldValue};
use crate::track::{JsonKind, Member, RecordFault, Records, Transmission};
use record::{Record, is_same, pointed, text_of};

/// What an answer has.
#[derive(Debug, Default)]
pub(crate) struct MappedAnswer {
    pub(crate) records: Records,
    /// The address of the next page.
    pub(crate) next: Option<String>,
    /// How many records of other deployments were left out.
    pub(crate) others: usize,
    /// The sentence about what was taken for granted of the times.
    pub(crate) note: Option<String>,
}

/// Why an answer has no records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AnswerFault {
    /// It is not what the mapping says, for this reason.
    Unlike(String),
    /// It ends in the middle of a record, after so many whole ones.
    Cut(usize),
    /// The service says so, in these words.
    Said(String),
}

/// Reads the whole answer to a request for a deployment, of whose fields those `asked` for
/// are kept, or all.
///
/// # Errors
/// [`AnswerFault`] says why it has no records.
pub(crate) fn answer(
    body: &str,
    shape: &AnswerShape,
    id: &str,
    asked: Option<&FieldChoice>,
) -> Result<MappedAnswer, AnswerFault> {
    let mut reader = Reader {
        shape,
        id,
        asked,
        clock: Clock::default(),
        gathered: Gathered::default(),
        others: 0,
    };
    let next = match shape.format {
        AnswerFormat::Json => reader.json(body)?,
        AnswerFormat::Ndjson => reader.lines(body)?,
        AnswerFormat::Csv => reader.cells(body)?,
        AnswerFormat::Table => reader.table(body)?,
    };
    Ok(MappedAnswer {
        next,
        others: reader.others,
        note: reader.clock.note(),
        records: reader.gathered.records(),
    })
}

struct Reader<'a> {
    shape: &'a AnswerShape,
    id: &'a str,
    asked: Option<&'a FieldChoice>,
    clock: Clock,
    gathered: Gathered,
    others: usize,
}

impl Reader<'_> {
    /// Reads an answer of one JSON value; returns the address of the next page.
    fn json(&mut self, body: &str) -> Result<Option<String>, AnswerFault> {
        let whole: &RawValue = serde_json::from_str(body).map_err(|error| {
            if error.is_eof() {
                AnswerFault::Cut(0)
            } else {
                AnswerFault::Unlike(format!("the answer is no JSON: {}", words(&error)))
            }
        })?;
        let whole = whole.get();
        let at = |place: &Option<String>| {
            let found = pointed(whole, place.as_deref()?)?;
            (found != "null").then_some(found)
        };
        if let Some(said) = at(&self.shape.error) {
            let said = Cell::of(said);
            return Err(AnswerFault::Said(text::excerpt(&text_of(&said), 500)));
        }
        let columns = at(&self.shape.columns).map(serde_json::from_str::<Vec<String>>);
        let columns = columns.and_then(Result::ok).unwrap_or_default();
        let items = match &self.shape.items {
            None => Some(whole),
            items => at(items),
        };
        match items {
            Some(items) if items.starts_with('[') => {
                for item in elements(items).unwrap_or_default() {
                    self.item(item.get(), &columns);
                }
            }
            // Some services send the only record without the array around it.
            Some(item) if item.starts_with('{') => self.item(item, &columns),
            None if self.shape.may_lack_items => {}
            _ => {
                let place = self.shape.items.as_deref().unwrap_or_default();
                let shown = text::excerpt(whole, 200);
                return Err(AnswerFault::Unlike(match place {
                    "" => format!("the answer is neither a record nor an array of them: {shown}"),
                    place => format!("the answer has no records at {place}: {shown}"),
                }));
            }
        }
        Ok(at(&self.shape.next).map(|next| text_of(&Cell::of(next))))
    }

    /// Reads an answer with a JSON value a line.
    fn lines(&mut self, body: &str) -> Result<Option<String>, AnswerFault> {
        let mut whole = 0;
        let mut first_fault = None;
        for line in body.split_inclusive('\n') {
            let json = line.trim();
            if json.is_empty() {
                continue;
            }
            match serde_json::from_str::<&RawValue>(json) {
                Ok(_) => {
                    whole += 1;
                    self.item(json, &[]);
                }
                Err(error) if error.is_eof() && !line.ends_with('\n') => {
                    return Err(AnswerFault::Cut(whole));
                }
                Err(error) => {
                    let why = words(&error);
                    first_fault.get_or_insert_with(|| (json, why.clone()));
                    self.add(Err(RecordFault::Other(why.into())), &[], json);
                }
            }
        }
        match first_fault {
            Some((line, why)) if whole == 0 => {
                let shown = text::excerpt(line, 200);
                Err(AnswerFault::Unlike(format!(
                    "no line of the answer is JSON ({why}): {shown}"
                )))
            }
            _ => Ok(None),
        }
    }

    /// Reads a table of cells that commas, semicolons or tabs part.
    fn cells(&mut self, body: &str) -> Result<Option<String>, AnswerFault> {
        let unlike = |_| AnswerFault::Unlike("the answer is no table of cells".to_owned());
        let mut reader = reader(body.as_bytes(), body.as_bytes());
        let names = reader.headers().map_err(unlike)?.clone();
        let names: Vec<&str> = names.iter().map(str::trim).collect();
        self.look_for_columns(&names, body)?;
        let (mut row, mut count) = (StringRecord::new(), 0);
        while reader.read_record(&mut row).map_err(unlike)? {
            let is_last =
                reader.position().byte() >= body.len() as u64 && !body.ends_with(['\n', '\r']);
            if is_last && row.len() < names.len() {
                return Err(AnswerFault::Cut(count));
            }
            self.row(&names, row.iter(), count == 0);
            count += 1;
        }
        Ok(None)
    }

    /// Reads a table of cells that blanks part. Lines that begin with `#` after that of the
    /// names are no records.
    fn table(&mut self, body: &str) -> Result<Option<String>, AnswerFault> {
        let mut lines = body.lines().filter(|line| !line.trim().is_empty());
        let names = lines.next().unwrap_or_default().trim_start_matches('#');
        let names: Vec<&str> = names.split_whitespace().collect();
        self.look_for_columns(&names, body)?;
        let (mut count, mut last) = (0_usize, names.len());
        for line in lines.filter(|line| !line.starts_with('#')) {
            let cells: Vec<&str> = line.split_whitespace().collect();
            last = cells.len();
            self.row(&names, cells.into_iter(), count == 0);
            count += 1;
        }
        if last < names.len() && !body.ends_with('\n') {
            return Err(AnswerFault::Cut(count.saturating_sub(1)));
        }
        Ok(None)
    }

    /// Checks that a table has the columns of a fix.
    fn look_for_columns(&self, names: &[&str], body: &str) -> Result<(), AnswerFault> {
        if body.trim().is_empty() {
            return Ok(());
        }
        let shape = self.shape;
        let needed = shape.time.iter().chain([&shape.latitude, &shape.longitude]);
        for name in needed {
            if !names.contains(&name.as_str()) {
                let columns = text::excerpt(&names.join(", "), 200);
                return Err(AnswerFault::Unlike(format!(
                    "the answer has no column {name}; its columns are {columns}"
                )));
            }
        }
        Ok(())
    }

    fn row<'a>(&mut self, names: &[&'a str], cells: impl Iterator<Item = &'a str>, is_first: bool) {
        let filled = names
            .iter()
            .zip(cells)
            .filter(|(_, cell)| !cell.trim().is_empty());
        let members: Vec<(Cow<'_, str>, Cell<'_>)> = filled
            .map(|(name, cell)| (Cow::Borrowed(*name), Cell::Text(cell.trim().to_owned())))
            .collect();
        let record = Record { json: "", members };
        let shape = self.shape;
        let of_fix = shape.time.iter().chain([&shape.latitude, &shape.longitude]);
        let written = || {
            let cells = record.members.iter().map(|(_, cell)| text_of(cell));
            cells.collect::<Vec<_>>().join(",")
        };
        let of_fix = of_fix.filter_map(|name| record.get(name));
        // Below the names some services write the units.
        if is_first
            && has_no_digit_at(of_fix.map(|cell| text_of(&cell)))
            && !record.members.is_empty()
        {
            return;
        }
        let written = written();
        self.record(&record, &written);
    }

    fn item(&mut self, json: &str, columns: &[String]) {
        let mut members = Vec::new();
        match json.as_bytes().first() {
            Some(b'{') => {
                let _ = each_member(json, |name, value| {
                    members.push((Cow::Owned(name.to_owned()), Cell::of(value.get())));
                });
            }
            Some(b'[') => {
                let cells = elements(json).unwrap_or_default();
                let named = columns.iter().zip(cells);
                members
                    .extend(named.map(|(name, value)| {
                        (Cow::Borrowed(name.as_str()), Cell::of(value.get()))
                    }));
            }
            _ => {
                let fault = RecordFault::NotRecord(match json.as_bytes().first() {
                    Some(b'n') => JsonKind::Null,
                    Some(b't' | b'f') => JsonKind::Boolean,
                    Some(b'"') => JsonKind::Text,
                    _ => JsonKind::Number,
                });
                return self.add(Err(fault), &[], json);
            }
        }
        self.record(&Record { json, members }, json);
    }

    fn record(&mut self, record: &Record<'_>, written: &str) {
        let shape = self.shape;
        let is_wanted = |(path, value): &(String, Value)| {
            record.get(path).is_some_and(|cell| is_same(&cell, value))
        };
        if !shape.only.iter().all(is_wanted) {
            return;
        }
        if let Some(same) = &shape.same {
            let id = record.get(same);
            if id.is_none_or(|cell| text_of(&cell) != self.id) {
                self.others += 1;
                return;
            }
        }
        let transmission = self.transmission(record);
        let mut fields = Vec::new();
        self.fields(record, &mut fields);
        self.add(transmission, &fields, written);
    }

    fn add(
        &mut self,
        transmission: Result<Transmission, RecordFault>,
        fields: &[(Cow<'_, str>, Cell<'_>)],
        written: &str,
    ) {
        let shape = self.shape;
        let asked = self.asked;
        let is_wanted = |name: &str| asked.is_none_or(|asked| asked.takes(name));
        let fields = fields.iter().map(|(name, cell)| {
            let value = match cell {
                Cell::Text(text) if shape.has_cells() => field_value(text),
                cell => cell.value(),
            };
            let is_missing = value
                .number()
                .is_some_and(|number| shape.missing.contains(&number));
            (
                name.as_ref(),
                if is_missing { FieldValue::Null } else { value },
            )
        });
        self.gathered
            .add(transmission, fields, is_wanted, || written.to_owned());
    }

    fn transmission(&mut self, record: &Record<'_>) -> Result<Transmission, RecordFault> {
        let time = self.time(record)?;
        let shape = self.shape;
        let number = |member: Member, path: &str| {
            let cell = record.get(path);
            let number = degrees(member, cell.as_ref().map(Cell::value))?;
            match shape.missing.contains(&number) {
                true => Err(RecordFault::NotNumber(member, JsonKind::Null)),
                false => Ok(number),
            }
        };
        let latitude = number(Member::Latitude, &shape.latitude)?;
        let longitude = number(Member::Longitude, &shape.longitude)?;
        Transmission::new(time, latitude, longitude)
    }

    fn time(&mut self, record: &Record<'_>) -> Result<f64, RecordFault> {
        let shape = self.shape;
        let mut written = String::new();
        for path in &shape.time {
            let cell = record
                .get(path)
                .ok_or(RecordFault::Missing(Member::TimeStamp))?;
            let part = text_of(&cell);
            let is_missing = part
                .parse()
                .is_ok_and(|number: f64| shape.missing.contains(&number));
            if part.is_empty() || is_missing {
                return Err(RecordFault::NotNumber(Member::TimeStamp, JsonKind::Null));
            }
            if !written.is_empty() {
                written.push(' ');
            }
            written.push_str(&part);
        }
        let number = || {
            written
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
        };
        let time = match &shape.time_format {
            TimeFormat::Unix => number(),
            TimeFormat::UnixMs => number().map(|number| number / 1e3),
            TimeFormat::Iso => {
                return self.clock.time(Time::Whole(FieldValue::Text(&written)));
            }
            TimeFormat::YearDay => year_and_day(&written),
            TimeFormat::Pattern(pattern) => by_pattern(pattern, &written),
        };
        time.ok_or_else(|| {
            let words = format!(
                "'{}' is no time as time_format says",
                text::excerpt(&written, 60)
            );
            RecordFault::Other(words.into())
        })
    }

    /// The members of a record that are its fields. Of an object that a pointer goes
    /// through, these are its other members.
    fn fields<'a>(&self, record: &Record<'a>, found: &mut Vec<(Cow<'a, str>, Cell<'a>)>) {
        let mut within = Vec::new();
        for (name, cell) in &record.members {
            let path = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
            self.field(name.clone(), cell, &path, &mut within, found);
        }
        while let Some((path, json)) = within.pop() {
            let _ = each_member(json, |name, value| {
                let below = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
                let cell = Cell::of(value.get());
                self.field(
                    Cow::Owned(name.to_owned()),
                    &cell,
                    &below,
                    &mut within,
                    found,
                );
            });
        }
    }

    fn field<'a>(
        &self,
        name: Cow<'a, str>,
        cell: &Cell<'a>,
        path: &str,
        within: &mut Vec<(String, &'a str)>,
        found: &mut Vec<(Cow<'a, str>, Cell<'a>)>,
    ) {
        let shape = self.shape;
        let of_fix = || shape.time.iter().chain([&shape.latitude, &shape.longitude]);
        let is_top = path.matches('/').count() == 1;
        if of_fix().any(|used| used == path || (is_top && *used == name)) {
            return;
        }
        let goes_through = |used: &String| {
            used.strip_prefix(path)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        if of_fix().any(goes_through) {
            within.push((path.to_owned(), cell.json()));
        } else if !found.iter().any(|(known, _)| *known == name) {
            found.push((name, cell.clone()));
        }
    }
}

impl AnswerShape {
    /// `true` if its records are rows of cells.
    fn has_cells(&self) -> bool {
        matches!(self.format, AnswerFormat::Csv | AnswerFormat::Table)
    }
}

#[cfg(test)]
mod tests;
