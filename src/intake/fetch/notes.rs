//! Notes to the user about a response.

use crate::track::Records;
use crate::track::field::MOST_FIELDS;

/// Adds what the records hint at, once.
pub(super) fn add_hint(notes: &mut Vec<String>, records: &Records) {
    if let Some(hint) = records.hint()
        && !notes.contains(&hint)
    {
        notes.push(hint);
    }
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
