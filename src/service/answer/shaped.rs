//! The records of an answer of any shape, by a mapping of their members.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::fault::AnswerFault;
use super::record::{Record, cell_text, pointed};
use crate::formats::elements::{LARGEST, message, too_large};
use crate::formats::read::delimited::{distinct, has_no_digit_at, unlike};
use crate::formats::read::json::Member as Cell;
use crate::formats::read::times::is_unit_of_time;
use crate::formats::{each_element, each_member};
use crate::mapping::{AnswerFormat, AnswerShape};
use crate::text;

/// A receiver of the records of an answer, one by one.
pub(super) trait Taker {
    /// The columns that a table has to have, and the paths in an object.
    fn needed(&self) -> &[String];
    /// Takes a record, and its text.
    fn record(&mut self, record: &Record<'_>, written: &str);
    /// Takes the row of units below the names.
    fn take_units(&mut self, _row: &Record<'_>) {}
    /// `true` if the members of an object are the records, and not the object.
    fn has_records_in(&self, _object: &str) -> bool {
        false
    }
}

/// Reads a whole answer.
pub(super) struct Reader<'a, T> {
    pub(super) shape: &'a AnswerShape,
    pub(super) taker: &'a mut T,
}

impl<T: Taker> Reader<'_, T> {
    /// Reads the whole answer; returns the address of the next page.
    pub(super) fn read(&mut self, body: &str) -> Result<Option<String>, AnswerFault> {
        match self.shape.format {
            AnswerFormat::Json => self.json(body),
            AnswerFormat::Ndjson => self.lines(body),
            AnswerFormat::Csv => self.cells(body),
            AnswerFormat::Table => self.table(body),
        }
    }

    /// Reads an answer of one JSON value; returns the address of the next page.
    pub(super) fn json(&mut self, body: &str) -> Result<Option<String>, AnswerFault> {
        let whole = serde_json::from_str::<&RawValue>(body)
            .map_err(|error| {
                if error.is_eof() {
                    AnswerFault::Cut { whole: 0 }
                } else {
                    AnswerFault::Unlike(format!("the answer is no JSON: {}", message(&error)))
                }
            })?
            .get();
        let at = |place: &Option<String>| {
            let found = pointed(whole, place.as_deref()?)?;
            (found != "null").then_some(found)
        };
        if let Some(said) = said(self.shape.error.as_deref(), whole) {
            return Err(AnswerFault::said(said));
        }
        let names = at(&self.shape.columns)
            .filter(|columns| columns.len() <= LARGEST)
            .map(serde_json::from_str::<Vec<String>>)
            .and_then(Result::ok)
            .unwrap_or_default();
        let columns = self.columns(names.iter().map(String::as_str))?;
        let items = match &self.shape.items {
            None => Some(whole),
            items => at(items),
        };
        match items {
            Some(items) if items.starts_with('[') => {
                // The whole is JSON.
                let _ = each_element(items, |item| take_item(self.taker, item.get(), &columns));
            }
            Some(items) if items.starts_with('{') && self.taker.has_records_in(items) => {
                let _ = each_member(items, |key, item| {
                    take_object(self.taker, key, item.get());
                });
            }
            // Some services send the only record without the array around it.
            Some(item) if item.starts_with('{') && self.is_record(item) => {
                take_item(self.taker, item, &columns);
            }
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
        match at(&self.shape.next).map(|next| (next, Cell::new(next))) {
            // Some services write false where others write null.
            None | Some(("false", _)) => Ok(None),
            Some((_, Cell::Text(next))) => {
                Ok(Some(next.trim().to_owned()).filter(|next| !next.is_empty()))
            }
            // Without it the track would be cut.
            Some((next, _)) => Err(AnswerFault::Unlike(format!(
                "the next page at {} is no address: {}",
                self.shape.next.as_deref().unwrap_or_default(),
                text::excerpt(next, 200)
            ))),
        }
    }

    /// Reads an answer with a JSON value a line.
    fn lines(&mut self, body: &str) -> Result<Option<String>, AnswerFault> {
        let mut lines = Lines::new(self.shape);
        for line in body.split_inclusive('\n') {
            lines.take(line, self.taker)?;
        }
        lines.finish()
    }

    /// Reads a table of cells that blanks part. Lines that begin with `#` after that of the
    /// names are no records.
    fn table(&mut self, body: &str) -> Result<Option<String>, AnswerFault> {
        let mut lines = body.lines().filter(|line| !line.trim().is_empty());
        let heading = lines.next().unwrap_or_default().trim_start_matches('#');
        let names = self.columns(heading.split_whitespace())?;
        if names.is_empty() {
            return Ok(None);
        }
        self.look_for_columns(&names)?;
        let mut lines = lines.filter(|line| !line.starts_with('#')).peekable();
        let mut count = 0;
        while let Some(line) = lines.next() {
            let cells: Vec<&str> = line.split_whitespace().collect();
            if lines.peek().is_none() {
                if cells.len() < names.len() && !body.ends_with('\n') {
                    return Err(AnswerFault::Cut { whole: count });
                }
                self.look_at_end(&names, &cells, count)?;
            }
            if cells.len() != names.len() {
                // A blank is no cell, and parts a cell that has one: the cells after it would
                // belong to other columns.
                let why = unlike(cells.len(), names.len());
                self.taker.record(&Record::unusable(why), line);
                count += 1;
                continue;
            }
            self.row(&names, cells.into_iter(), count == 0);
            count += 1;
        }
        Ok(None)
    }

    /// `true` for an object with at least one of the needed members.
    fn is_record(&self, object: &str) -> bool {
        let needed = self.taker.needed();
        let record = Record::from_json(object);
        needed.is_empty() || needed.iter().any(|path| record.get(path).is_some())
    }

    /// Checks that the last row of a table, after so many, may be a record. A service that
    /// fails after it has begun to answer often writes its error there.
    pub(super) fn look_at_end(
        &self,
        names: &[String],
        cells: &[&str],
        count: usize,
    ) -> Result<(), AnswerFault> {
        let needed = self.taker.needed();
        let columns = names.iter().enumerate();
        let of_fix: Vec<Option<&&str>> = columns
            .filter(|(_, name)| needed.contains(name))
            .map(|(column, _)| cells.get(column))
            .collect();
        let is_short = of_fix.contains(&None);
        let mut filled = of_fix.into_iter().flatten().filter(|cell| !cell.is_empty());
        let is_begun =
            |cell: &&str| cell.starts_with(|first: char| "+-.0123456789".contains(first));
        let has_words = filled.clone().next().is_some();
        // Words in the first row may be units.
        if !filled.any(is_begun) && (is_short || has_words && count > 0) {
            return Err(ends_with(&cells.join(" "), count));
        }
        Ok(())
    }

    /// The names of columns; a repeated name gets a number.
    ///
    /// # Errors
    /// If two columns have the name of one that the mapping names.
    pub(super) fn columns<'a>(
        &self,
        names: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Vec<String>, AnswerFault> {
        let is_twice = |path: &&String| names.clone().filter(|name| name == path).count() > 1;
        match self.taker.needed().iter().find(is_twice) {
            Some(name) => Err(AnswerFault::Unlike(format!(
                "two columns of the answer have the name {}",
                text::excerpt(name, 60)
            ))),
            None => Ok(distinct(names)),
        }
    }

    /// Checks that a table has the columns of a fix.
    pub(super) fn look_for_columns(&self, names: &[String]) -> Result<(), AnswerFault> {
        for name in self.taker.needed() {
            if !names.contains(name) {
                let columns = text::excerpt(&names.join(", "), 200);
                return Err(AnswerFault::Unlike(format!(
                    "the answer has no column {name}; its columns are {columns}"
                )));
            }
        }
        Ok(())
    }

    pub(super) fn row<'a>(
        &mut self,
        names: &'a [String],
        cells: impl Iterator<Item = &'a str>,
        is_first: bool,
    ) {
        let mut record = Record::new("");
        for (name, cell) in names.iter().zip(cells.map(str::trim)) {
            if !cell.is_empty() {
                let member = (Cow::from(name.as_str()), Cell::Text(Cow::from(cell)));
                record.members.push(member);
            }
        }
        let shape = self.shape;
        let is_units = || {
            let of_fix: Vec<(&String, String)> = shape
                .time
                .iter()
                .chain([&shape.latitude, &shape.longitude])
                .filter_map(|name| Some((name, cell_text(&record.get(name)?))))
                .collect();
            let is_unit =
                |name: &String, cell: &str| shape.time.contains(name) && is_unit_of_time(cell);
            let values = of_fix.iter().filter(|(name, cell)| !is_unit(name, cell));
            !of_fix.is_empty() && has_no_digit_at(values.map(|(_, cell)| cell))
        };
        // Below the names some services write the units.
        if is_first && is_units() {
            return self.taker.take_units(&record);
        }
        let cells = record.members.iter().map(|(_, cell)| cell_text(cell));
        let written = cells.collect::<Vec<_>>().join(",");
        self.taker.record(&record, &written);
    }
}

/// The fault of an answer whose last line is no record but a text, after so many records.
fn ends_with(line: &str, count: usize) -> AnswerFault {
    AnswerFault::Unlike(format!(
        "the answer ends with a text after {}: {}",
        text::counted(count, "record", "records"),
        text::excerpt(line, 200)
    ))
}

/// Takes the record that JSON is; `key` is its name if it is the member of another.
fn take_object(taker: &mut impl Taker, key: &str, json: &str) {
    let mut record = Record::from_json(json);
    record.key = key;
    record.fault = (record.fault.take()).or_else(|| record.twice(taker.needed()));
    taker.record(&record, json);
}

/// Takes an element of the array of records; `columns` are the names of its cells.
pub(super) fn take_item(taker: &mut impl Taker, json: &str, columns: &[String]) {
    if json.len() > LARGEST {
        return taker.record(&Record::unusable(too_large()), json);
    }
    let is_named =
        || !columns.is_empty() || taker.needed().iter().any(|path| path.starts_with('/'));
    if !json.starts_with('[') || !is_named() {
        return take_object(taker, "", json);
    }
    let mut record = Record::new(json);
    let (mut names, mut count) = (columns.iter(), 0);
    // The whole is JSON.
    let _ = each_element(json, |value| {
        count += 1;
        let name = names.next().map(|name| Cow::Borrowed(name.as_str()));
        record
            .members
            .extend(name.map(|name| (name, Cell::new(value.get()))));
    });
    if !columns.is_empty() && count > columns.len() {
        let why = unlike(count, columns.len());
        return taker.record(&Record::unusable(why), json);
    }
    taker.record(&record, json);
}

/// The error that a JSON value has at a path, shortened. Many services have the member in each
/// answer, empty if nothing failed.
fn said(place: Option<&str>, json: &str) -> Option<String> {
    let found = pointed(json, place?)?;
    let said = cell_text(&Cell::new(found));
    let is_error = !["", "false", "0", "[]", "{}"].contains(&said.as_str());
    (found != "null" && is_error).then(|| text::excerpt(&said, 500))
}

/// Reads lines with a JSON value each.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The path of the error that a line may have instead of a record.
    error: Option<String>,
    /// The first error.
    said: Option<String>,
    /// The number of those that are JSON.
    pub(super) whole: usize,
    /// The first that is not, and why.
    first_fault: Option<(String, String)>,
    /// The last line, if it is neither JSON nor begins as a record does.
    text: Option<String>,
    /// The last line, if it is JSON.
    last: String,
}

impl Lines {
    pub(super) fn new(shape: &AnswerShape) -> Self {
        Self {
            error: shape.error.clone(),
            ..Self::default()
        }
    }

    /// Reads a line, with the character that ends it.
    pub(super) fn take(&mut self, line: &str, taker: &mut impl Taker) -> Result<(), AnswerFault> {
        let json = line.trim();
        if json.is_empty() {
            return Ok(());
        }
        self.text = None;
        self.last.clear();
        if line.len() > LARGEST {
            let why = format!("it is {}", too_large());
            self.first_fault
                .get_or_insert_with(|| (text::excerpt(json, 200), why.clone()));
            taker.record(&Record::unusable(why), json);
            return Ok(());
        }
        match serde_json::from_str::<&RawValue>(json) {
            Ok(_) => {
                self.whole += 1;
                self.last.push_str(json);
                match said(self.error.as_deref(), json) {
                    None => take_item(taker, json, &[]),
                    error => self.said = self.said.take().or(error),
                }
            }
            Err(error) if error.is_eof() && !line.ends_with('\n') => {
                return Err(AnswerFault::Cut { whole: self.whole });
            }
            Err(error) => {
                let why = message(&error);
                self.first_fault
                    .get_or_insert_with(|| (text::excerpt(json, 200), why.clone()));
                self.text = (!json.starts_with(['{', '['])).then(|| json.to_owned());
                taker.record(&Record::unusable(why), json);
            }
        }
        Ok(())
    }

    /// The last line, if it is an object with an error or a message and nothing of a fix.
    pub(super) fn stray(&mut self, taker: &impl Taker) -> Option<String> {
        let record = Record::from_json(&self.last);
        let has = |path: &str| record.get(path).is_some();
        let is_stray =
            (has("error") || has("message")) && !taker.needed().iter().any(|path| has(path));
        is_stray.then(|| std::mem::take(&mut self.last))
    }

    /// The outcome of all lines; they name no next page.
    pub(super) fn finish(self) -> Result<Option<String>, AnswerFault> {
        if let Some(said) = self.said {
            return Err(AnswerFault::said(said));
        }
        match self.first_fault {
            Some((shown, why)) if self.whole == 0 => Err(AnswerFault::Unlike(format!(
                "no line of the answer is JSON ({why}): {shown}"
            ))),
            _ => self
                .text
                .map_or(Ok(None), |line| Err(ends_with(&line, self.whole))),
        }
    }
}
