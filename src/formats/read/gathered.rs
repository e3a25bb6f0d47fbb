//! Records, gathered one by one with their fields.

use crate::text;
use crate::track::field::{FieldRows, FieldTable, FieldValue, SecondValue};
use crate::track::{RecordFault, Records, Transmission, Unusable};

/// The characters of a row that cannot be used, in the list of such rows.
pub(super) const SHOWN: usize = 200;

/// The most bytes of memory that the records of an answer or a file take, about. A million fixes
/// with 70 whole numbers each take 310 MB.
pub(crate) const MOST_BYTES: usize = 512 << 20;
/// After so many fixes each their memory is counted again.
const COUNTED_EACH: usize = 4096;

/// The records of a deployment so far.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(super) records: Records,
    pub(super) fields: FieldTable,
    /// `true` once they take more than [`MOST_BYTES`]: those after them are not kept.
    pub(crate) is_full: bool,
}

/// The message about records that take more than [`MOST_BYTES`].
pub(crate) fn too_much() -> String {
    format!(
        "take more than {} of memory",
        text::bytes(MOST_BYTES as u64)
    )
}

impl Gathered {
    /// Adds a record with those of its fields that are wanted; returns why if it is invalid, and
    /// of which time.
    pub(crate) fn add<'a>(
        &mut self,
        transmission: Result<Transmission, Unusable>,
        mut fields: impl Iterator<Item = (&'a str, FieldValue<'a>)>,
        is_wanted: impl Fn(&str) -> bool,
        written: impl FnOnce() -> String,
    ) -> Option<Unusable> {
        let added = transmission.and_then(|fix| {
            self.begin();
            let twice =
                fields.find(|(name, value)| self.add_field(name, *value, &is_wanted).is_err());
            self.end(Some(fix).filter(|_| twice.is_none()));
            match twice {
                Some((name, _)) => Err(RecordFault::twice(name).at(fix.time_stamp)),
                None => Ok(()),
            }
        });
        let unusable = added.err()?;
        self.add_unusable(unusable.clone(), written);
        Some(unusable)
    }

    /// No records yet; the fields with these names are stored however many others there are.
    pub(crate) fn keeping(limited: &[String]) -> Self {
        Self {
            fields: FieldTable::default().keeping(limited),
            ..Self::default()
        }
    }

    /// The number of records so far.
    pub(crate) fn count(&self) -> usize {
        self.records.count()
    }

    pub(crate) fn records(self) -> Records {
        Records {
            fields: FieldRows::new(self.fields),
            ..self.records
        }
    }

    /// Adds an invalid record.
    pub(crate) fn add_unusable(&mut self, unusable: Unusable, written: impl FnOnce() -> String) {
        let excerpt = || text::excerpt(&written(), SHOWN);
        let index = self.records.count();
        self.records.add_unusable(index, unusable, excerpt);
    }

    /// Begins a record.
    pub(crate) fn begin(&mut self) {
        self.fields.begin();
    }

    /// Adds a field of the record begun, if it is wanted.
    ///
    /// # Errors
    /// [`SecondValue`] if the record has it already.
    pub(crate) fn add_field(
        &mut self,
        name: &str,
        value: FieldValue<'_>,
        is_wanted: impl FnOnce(&str) -> bool,
    ) -> Result<(), SecondValue> {
        let row = u32::try_from(self.records.transmissions.len()).unwrap_or(u32::MAX);
        self.fields.add(row, name, value, is_wanted)
    }

    /// Ends the record begun with its time and position; without them nothing of it is kept.
    pub(crate) fn end(&mut self, transmission: Option<Transmission>) {
        match transmission.filter(|_| !self.is_full) {
            Some(transmission) => self.records.transmissions.push(transmission),
            None => return self.fields.undo(),
        }
        if self
            .records
            .transmissions
            .len()
            .is_multiple_of(COUNTED_EACH)
        {
            self.is_full = self.bytes() > MOST_BYTES;
        }
    }

    /// The bytes of memory that they take, about.
    pub(crate) fn bytes(&self) -> usize {
        self.records.transmissions.len() * size_of::<Transmission>() + self.fields.bytes()
    }
}
