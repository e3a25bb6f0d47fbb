//! The track of an answer.

use std::borrow::Cow;

use serde_json::Value;

use super::fix::FixReader;
use super::record::{Record, is_same, text_of};
use super::{MappedAnswer, Taker};
use crate::formats::read::delimited::field_value;
use crate::formats::read::json::Member as Cell;
use crate::formats::read::tracks::Gathered;
use crate::formats::{each_member, json_kind};
use crate::mapping::{AnswerFormat, AnswerShape};
use crate::track::answer::Unmet;
use crate::track::field::{FieldChoice, FieldValue};
use crate::track::{RecordFault, Transmission, Unusable};

/// Takes records as those of one deployment.
#[derive(Debug)]
pub(super) struct TrackTaker {
    pub(super) fixes: FixReader,
    id: String,
    /// The fields to store; `None` for all.
    asked: Option<FieldChoice>,
    gathered: Gathered,
    others: usize,
    /// The records that are not those of `where`.
    unmet: usize,
}

impl TrackTaker {
    pub(super) fn new(shape: &AnswerShape, id: &str, asked: Option<&FieldChoice>) -> Self {
        Self {
            fixes: FixReader::new(shape),
            id: id.to_owned(),
            asked: asked.cloned(),
            gathered: Gathered::default(),
            others: 0,
            unmet: 0,
        }
    }

    /// The records taken.
    pub(super) fn answer(self) -> MappedAnswer {
        let filter = self.fixes.shape.only.iter();
        let filter = filter.map(|(path, value)| format!("{path} = {value}"));
        MappedAnswer {
            others: self.others,
            unmet: Unmet {
                count: self.unmet,
                filter: filter.collect::<Vec<_>>().join(" and "),
            },
            note: self.fixes.clock.note(),
            records: self.gathered.records(),
            ..MappedAnswer::default()
        }
    }

    fn add(
        &mut self,
        transmission: Result<Transmission, Unusable>,
        fields: &[(Cow<'_, str>, Cell<'_>)],
        written: &str,
    ) {
        let shape = &self.fixes.shape;
        let asked = self.asked.as_ref();
        let is_wanted = |name: &str| {
            asked.is_none_or(|asked| asked.takes(name))
                && !shape.ignored.iter().any(|ignored| ignored == name)
        };
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

    /// The members of a record that are its fields. Of an object that a pointer goes
    /// through, these are its other members.
    fn fields<'r>(&self, record: &Record<'r>, found: &mut Vec<(Cow<'r, str>, Cell<'r>)>) {
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

    fn field<'r>(
        &self,
        name: Cow<'r, str>,
        cell: &Cell<'r>,
        path: &str,
        within: &mut Vec<(String, &'r str)>,
        found: &mut Vec<(Cow<'r, str>, Cell<'r>)>,
    ) {
        let shape = &self.fixes.shape;
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

impl Taker for TrackTaker {
    fn needed(&self) -> Vec<&str> {
        let shape = &self.fixes.shape;
        let needed = shape.time.iter().chain([&shape.latitude, &shape.longitude]);
        needed.map(String::as_str).collect()
    }

    fn record(&mut self, record: &Record<'_>, written: &str) {
        let shape = &self.fixes.shape;
        let is_wanted = |(path, value): &(String, Value)| {
            record.get(path).is_some_and(|cell| is_same(&cell, value))
        };
        if !shape.only.iter().all(is_wanted) {
            self.unmet += 1;
            return;
        }
        if let Some(same) = &shape.same {
            let id = record.get(same);
            if id.is_none_or(|cell| text_of(&cell) != self.id) {
                self.others += 1;
                return;
            }
        }
        let transmission = self.fixes.transmission(record);
        let mut fields = Vec::new();
        self.fields(record, &mut fields);
        self.add(transmission, &fields, written);
    }

    fn scalar(&mut self, json: &str) {
        let fault = RecordFault::NotRecord(json_kind(json));
        self.add(Err(fault.into()), &[], json);
    }

    fn fault(&mut self, why: String, written: &str) {
        self.add(Err(RecordFault::Other(why.into()).into()), &[], written);
    }
}

impl AnswerShape {
    /// `true` if its records are rows of cells.
    pub(super) fn has_cells(&self) -> bool {
        matches!(self.format, AnswerFormat::Csv | AnswerFormat::Table)
    }
}
