//! The flag `--fields`: which fields of the records are written.

use crate::failure::Failure;
use crate::text;
use crate::track::field::{FieldChoice, MOST_FIELDS, label};

/// The most fields that are named.
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
        text::excerpt(&text::first_of(names.map(label), MOST_NAMED), 300)
    };
    let missing = named(&mut choice.without(&names));
    if missing.is_empty() {
        return None;
    }
    let known = named(&mut names());
    Some(match names().count() {
        0 => format!("driftline: no record has a field {missing}; the records have no fields"),
        // Beyond those nobody knows what the records have.
        MOST_FIELDS.. => format!(
            "driftline: {missing} is not among the first {MOST_FIELDS} fields of the records, and no more are stored; there are: {known}"
        ),
        _ => format!("driftline: no record has a field {missing}; there are: {known}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_field_beyond_those_that_are_kept_nobody_says_that_no_record_has_it() {
        let choice: FieldChoice = "last".parse().unwrap();
        let told = |count: usize| {
            let names: Vec<String> = (0..count).map(|number| format!("f{number}")).collect();
            missing_fields(|| names.iter().map(String::as_str), &choice).unwrap()
        };
        assert!(told(3).ends_with("no record has a field last; there are: f0, f1, f2"));
        let full = told(MOST_FIELDS);
        assert!(
            full.contains("last is not among the first 1024 fields"),
            "{full}"
        );
        assert!(!full.contains("no record has"), "{full}");
    }
}
