//! Notes to the user about a response.

use std::borrow::Cow;

use crate::failure::{Failure, FailureKind};
use crate::formats::read::ids::of_several;
use crate::text;
use crate::track::field::{FieldColumn, MOST_FIELDS, label};
use crate::track::{Records, Track};
use crate::watch::Answer;

/// The notes on a response.
pub(crate) fn about_answer(answer: &Answer) -> Vec<String> {
    let mut notes = Vec::new();
    if answer.status == 204 {
        notes.push("the service answered 204, no content: no fixes".to_owned());
    }
    if let Some(differ) = answer.clock().differs() {
        notes.push(format!("{differ}: ages are counted by the later of both"));
    }
    notes.extend(answer.notes.iter().cloned());
    if answer.others > 0 {
        let records = text::counted(answer.others, "record", "records");
        notes.push(format!("{records} of other deployments left out"));
    }
    let is_empty = answer.records.count() == 0 && answer.others == 0;
    if is_empty && answer.unmet.count > 0 {
        let records = text::counted(answer.unmet.count, "record", "records");
        let filter = text::excerpt(&answer.unmet.filter, 100);
        notes.push(format!(
            "{records}, none with {filter}: check `where` of the service"
        ));
    }
    notes.extend(of_several(&answer.records).map(|(field, values)| {
        let field = text::excerpt(field, 60);
        format!("all is taken as one track, though the {values} values of '{field}' take turns")
    }));
    add_hint(&mut notes, answer.records.hint());
    notes.extend(answer.records.fields.note());
    notes.extend(missing_fields(answer));
    notes
}

/// The failure of a response whose records all lack a usable time. Of a part of a track this
/// alone says so: a record with a time and without a position is a sign of life.
pub(crate) fn none_usable(records: &Records, track: &Track) -> Option<Failure> {
    let why = track.none_usable()?;
    let has_no_time = records.invalid_times.is_empty();
    has_no_time.then(|| Failure::new(FailureKind::NotUnderstood, why, ""))
}

/// Adds what records hint at, once.
pub(crate) fn add_hint(notes: &mut Vec<String>, hint: Option<String>) {
    notes.extend(hint.filter(|hint| !notes.contains(hint)));
}

/// The note on fields that are requested, and that no record has.
fn missing_fields(answer: &Answer) -> Option<String> {
    if answer.records.transmissions.is_empty() {
        return None;
    }
    let names = || answer.records.fields.columns().map(FieldColumn::name);
    let missing: Vec<Cow<'_, str>> = answer.asked.as_ref()?.without(names).map(label).collect();
    let of_nobody = text::excerpt(&missing.join(", "), 200);
    (!missing.is_empty()).then(|| {
        format!("no record has a field {of_nobody}, which the setting 'fields' or a limit names")
    })
}

/// The note on fields that the archive has no room for.
pub(crate) fn unkept(count: usize) -> Option<String> {
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
pub(crate) fn absent(count: usize) -> Option<String> {
    let fixes = match count {
        0 => return None,
        1 => "1 archived fix is".to_owned(),
        count => format!("{} archived fixes are", text::count(count)),
    };
    Some(format!("{fixes} absent from this response; still shown"))
}
