//! Plants: validation of the fields of a create and of the identifier of a
//! delete.

pub(crate) mod log;
pub(crate) mod state;

use crate::text;

/// Longest identifier of a delete, in bytes.
const LONGEST_ID: usize = 1024;

/// A validated plant to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    /// The identifier.
    pub id: i64,
    pub name: String,
    /// The tag; may be empty.
    pub tag: String,
}

/// The errors of a draft, by field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct DraftErrors {
    pub id: Option<PlantError>,
    pub name: Option<PlantError>,
    pub tag: Option<PlantError>,
}

impl DraftErrors {
    /// The first error with the name of its field.
    pub(crate) fn first(&self) -> Option<(&'static str, &PlantError)> {
        [("id", &self.id), ("name", &self.name), ("tag", &self.tag)]
            .into_iter()
            .find_map(|(field, error)| error.as_ref().map(|error| (field, error)))
    }
}

/// Why a field of a plant is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PlantError {
    /// The field is empty.
    #[error("it is empty")]
    Empty,
    /// The id is not an integer.
    #[error("'{0}' is not a whole number")]
    NotInteger(String),
    /// The id exceeds 64 bits.
    #[error("it must lie between {} and {}", i64::MIN, i64::MAX)]
    OutOfRange,
    /// A control character, at this position counted from 1.
    #[error("a control character is at position {0}")]
    Control(usize),
    /// The identifier would change the URL instead of naming a plant.
    #[error("'{0}' cannot be one segment of an address")]
    NoSegment(String),
    /// The identifier is too long.
    #[error("it is longer than {LONGEST_ID} bytes")]
    TooLong,
}

impl Draft {
    /// Validates the text that the user typed.
    ///
    /// # Errors
    /// Every invalid field with its reason.
    pub(crate) fn parse(id: &str, name: &str, tag: &str) -> Result<Self, DraftErrors> {
        let id = parse_id(id);
        let name_error = if name.is_empty() {
            Some(PlantError::Empty)
        } else {
            control(name)
        };
        let tag_error = control(tag);
        match (id, name_error, tag_error) {
            (Ok(id), None, None) => Ok(Self {
                id,
                name: name.to_owned(),
                tag: tag.to_owned(),
            }),
            (id, name, tag) => Err(DraftErrors {
                id: id.err(),
                name,
                tag,
            }),
        }
    }
}

/// Name and tag in words: "oak (north)".
pub(crate) fn label(name: &str, tag: &str) -> String {
    match tag {
        "" => name.to_owned(),
        tag => format!("{name} ({tag})"),
    }
}

/// `true` if a text is the shortest decimal form of a whole number: `7`, and not `007`.
pub(crate) fn is_whole_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    match digits.as_bytes() {
        b"0" => text == "0",
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Parses an integer in JSON syntax: digits with an optional minus.
fn parse_id(typed: &str) -> Result<i64, PlantError> {
    let trimmed = typed.trim();
    let digits = trimmed.strip_prefix('-').unwrap_or(trimmed);
    if trimmed.is_empty() {
        return Err(PlantError::Empty);
    }
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(PlantError::NotInteger(text::excerpt(trimmed, 40)));
    }
    trimmed.parse().map_err(|_| PlantError::OutOfRange)
}

/// The error for the first control character of a text; `None` without any.
fn control(typed: &str) -> Option<PlantError> {
    typed
        .chars()
        .position(char::is_control)
        .map(|index| PlantError::Control(index + 1))
}

/// The identifier of a plant to delete, valid as one path segment of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PlantId(String);

impl PlantId {
    /// Validates the identifier that the user typed; its bytes do not change.
    ///
    /// # Errors
    /// When it is empty, `.`, `..`, longer than 1024 bytes or contains a
    /// control character: a URL parser would drop or change such a segment, and
    /// the request would name something else.
    pub(crate) fn parse(typed: &str) -> Result<Self, PlantError> {
        if typed.is_empty() {
            return Err(PlantError::Empty);
        }
        if typed == "." || typed == ".." {
            return Err(PlantError::NoSegment(typed.to_owned()));
        }
        if typed.len() > LONGEST_ID {
            return Err(PlantError::TooLong);
        }
        control(typed).map_or_else(|| Ok(Self(typed.to_owned())), Err)
    }

    /// The identifier as it was typed.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_whole_number_of_64_bits() {
        let id = |typed: &str| Draft::parse(typed, "rose", "").map(|draft| draft.id);
        assert_eq!(id("42"), Ok(42));
        assert_eq!(id("-1"), Ok(-1));
        assert_eq!(id("9223372036854775807"), Ok(i64::MAX));
        for wrong in [
            "",
            "1.5",
            "1e3",
            "0x10",
            "+7",
            "9223372036854775808",
            "٣",
            "--1",
            "-",
        ] {
            assert!(id(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_number_is_its_shortest_form_and_every_other_text_is_a_text() {
        for number in ["0", "7", "-5", "10", "99999999999999999999"] {
            assert!(is_whole_number(number), "{number}");
        }
        for text in ["", "-", "-0", "00", "007", "+7", "7.0", "1e3", " 7", "٣"] {
            assert!(!is_whole_number(text), "{text}");
        }
    }

    #[test]
    fn every_field_has_its_own_error() {
        let errors = Draft::parse("x", "", "a\tb").unwrap_err();
        assert_eq!(errors.name, Some(PlantError::Empty));
        assert_eq!(errors.tag, Some(PlantError::Control(2)));
        assert_eq!(errors.first().unwrap().0, "id");
    }

    #[test]
    fn an_identifier_that_would_change_the_address_is_refused() {
        for wrong in [
            "", ".", "..", "a\tb", "\n", "\0", "\u{1b}", "\u{7f}", "\u{85}",
        ] {
            assert!(PlantId::parse(wrong).is_err(), "{wrong:?}");
        }
        assert!(PlantId::parse(&"x".repeat(1025)).is_err());
        for right in [
            "42", "../x", "a/b", "%2F", "?", "#", "...", " ", "植物", "e\u{301}",
        ] {
            assert_eq!(PlantId::parse(right).unwrap().as_str(), right);
        }
    }
}
