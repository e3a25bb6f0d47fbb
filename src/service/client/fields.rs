//! Requests for some fields of each record: of large records a fortieth of the data.

use reqwest::Url;
use strum::VariantArray;

use super::Client;
use crate::track::Member;
use crate::track::field::FieldChoice;

impl Client {
    /// The fields to request in addition to the three numbers; `None` requests whole
    /// records.
    pub(crate) fn asked_fields(&self) -> Option<&FieldChoice> {
        self.inner.connection.fields.as_ref()
    }
}

/// Adds the three numbers and the fields with these names to the query, each once.
pub(super) fn ask_for_fields(url: &mut Url, names: Vec<String>) {
    let numbers = Member::VARIANTS.iter().map(ToString::to_string);
    let mut asked: Vec<String> = Vec::new();
    for field in numbers.chain(names) {
        if !asked.contains(&field) {
            asked.push(field);
        }
    }
    let pairs = asked.iter().map(|field| ("field", field));
    url.query_pairs_mut().extend_pairs(pairs);
}
