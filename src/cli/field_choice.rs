//! The flag `--fields`: which fields of the records are written.

use std::borrow::Cow;

use crate::failure::Failure;
use crate::text;
use crate::track::field::{FieldChoice, label};

/// This many fields that no record has are named.
const MOST_NAMED: usize = 10;

/// Parses the value of `--fields`.
pub(super) fn field_choice(typed: Option<&str>) -> Result<Option<FieldChoice>, Failure> {
    let choice = typed.map(|typed| {
        let parsed = typed.parse::<FieldChoice>();
        parsed
            .map_err(|why| Failure::usage(format!("--fields {}: {why}", text::excerpt(typed, 40))))
    });
    choice.transpose()
}

/// Says which fields of a choice no record has, and which fields there are, by their
/// `names`. That is no error: an instrument may send a field later, and a script picks
/// the same ones of all its tracks.
pub(super) fn missing_fields<'n, Names: Iterator<Item = &'n str>>(
    names: impl Fn() -> Names,
    choice: &FieldChoice,
) -> Option<String> {
    let named = |names: &mut dyn Iterator<Item = &str>| {
        let mut names: Vec<Cow<'_, str>> = names.take(MOST_NAMED + 1).map(label).collect();
        if names.len() > MOST_NAMED {
            names.truncate(MOST_NAMED);
            names.push(Cow::Borrowed("…"));
        }
        text::excerpt(&names.join(", "), 300)
    };
    let missing = named(&mut choice.without(&names));
    if missing.is_empty() {
        return None;
    }
    let known = named(&mut names());
    Some(match known.is_empty() {
        true => format!("driftline: no record has a field {missing}; the records have no fields"),
        false => format!("driftline: no record has a field {missing}; there are: {known}"),
    })
}
