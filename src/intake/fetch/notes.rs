//! Notes to the user about a response.

use std::borrow::Cow;

use crate::text;
use crate::track::field::{FieldColumn, MOST_FIELDS, label};
use crate::track::{Answer, Records};

/// Adds what the records hint at, once.
pub(super) fn add_hint(notes: &mut Vec<String>, records: &Records) {
    if let Some(hint) = records.hint()
        && !notes.contains(&hint)
    {
        notes.push(hint);
    }
}

/// The note on fields that are requested, and that no record has.
pub(super) fn missing_fields_note(answer: &Answer) -> Option<String> {
    if answer.records.transmissions.is_empty() {
        return None;
    }
    let names = || answer.records.fields.columns().map(FieldColumn::name);
    let missing = answer.asked.as_ref()?.without(names);
    let missing: Vec<Cow<'_, str>> = missing.map(label).collect();
    let of_nobody = text::excerpt(&missing.join(", "), 200);
    (!missing.is_empty()).then(|| {
        format!("no record has a field {of_nobody}, which the setting 'fields' or a limit names")
    })
}

/// The note on fields that the archive has no room for.
pub(super) fn unkept_note(count: usize) -> Option<String> {
    let fields = match count {
        0 => return None,
        1 => "1 field".to_owned(),
        count => format!("{count} fields"),
    };
    Some(format!(
        "the archive holds {MOST_FIELDS} fields of this deployment and keeps no more: {fields} of this response not stored"
    ))
}

/// The note on fixes that a response no longer has.
pub(super) fn absent_note(count: usize) -> String {
    let fixes = match count {
        1 => "1 archived fix is".to_owned(),
        count => format!("{} archived fixes are", crate::text::count(count)),
    };
    format!("{fixes} absent from this response; still shown")
}
