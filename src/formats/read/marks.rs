//! What the source of a file says of a position besides it: that it is none, or the class of an
//! Argos location.

use super::names::{Role, is_same};
use crate::track::field::{FieldColumn, FieldRows, FieldValue};
use crate::track::quality::{LocationClass, is_location_class};

/// Names of what is false where a position is invalid.
const VALID: [&str; 7] = [
    "valid",
    "visible",
    "valid gps fix",
    "valid fix",
    "fix valid",
    "gps valid",
    "is valid",
];
/// Names of what is true there.
const OUTLIER: [&str; 3] = [
    "manually-marked-outlier",
    "algorithm-marked-outlier",
    "import-marked-outlier",
];
/// Texts for false and for true, in lower case.
const FALSE: [&str; 9] = [
    "false",
    "f",
    "no",
    "n",
    "0",
    "invalid",
    "no fix",
    "nofix",
    "not valid",
];
const TRUE: [&str; 6] = ["true", "t", "yes", "y", "1", "valid"];

/// Names of the class of Argos locations at vendors.
const CLASSES: [&str; 3] = ["loc quality", "loc class", "location quality"];
/// Names that others have, too: of the class only where the letters of classes occur.
const PERHAPS_CLASSES: [&str; 2] = ["quality", "class"];

/// The role of a field with this name, in lower case, if it says that a position is invalid.
pub(super) fn role(name: &str) -> Option<Role> {
    let is_any = |known: &[&str]| known.iter().any(|known| is_same(known, name));
    if is_any(&VALID) {
        Some(Role::Valid)
    } else if is_any(&OUTLIER) {
        Some(Role::Outlier)
    } else {
        None
    }
}

/// `true` for a name of what says if a position is one.
pub(super) fn is_known(name: &str) -> bool {
    let classes = CLASSES.iter().chain(&PERHAPS_CLASSES);
    role(name).is_some() || classes.into_iter().any(|known| is_same(known, name))
}

/// The truth of a value; `None` of one that is neither true nor false.
pub(super) fn truth(value: FieldValue<'_>) -> Option<bool> {
    match value {
        FieldValue::Truth(is) => Some(is),
        FieldValue::Number(0.0) => Some(false),
        FieldValue::Number(1.0) => Some(true),
        FieldValue::Text(written) => {
            let lower = written.trim().to_lowercase();
            let is_false = FALSE.contains(&lower.as_str());
            let is_true = TRUE.contains(&lower.as_str());
            (is_false || is_true).then_some(is_true)
        }
        FieldValue::Null | FieldValue::Number(_) | FieldValue::Digits(_) => None,
    }
}

/// The field that has the Argos class of every fix under another name than the usual ones.
pub(super) fn class_column(fields: &FieldRows, fixes: usize) -> Option<&FieldColumn> {
    if fields
        .columns()
        .any(|column| is_location_class(column.name()))
    {
        return None;
    }
    fields.columns().find(|column| {
        let is_any = |known: &[&str]| known.iter().any(|known| is_same(known, column.name()));
        let is_perhaps = is_any(&PERHAPS_CLASSES);
        if !is_perhaps && !is_any(&CLASSES) {
            return false;
        }
        let values = (0..fixes).filter_map(|fix| fields.value(column, fix));
        let is_there =
            |value: &FieldValue<'_>| !matches!(value, FieldValue::Null | FieldValue::Text(""));
        let classes: Option<Vec<LocationClass>> =
            values.filter(is_there).map(LocationClass::read).collect();
        let classes = classes.unwrap_or_default();
        use LocationClass::{A, B, G, Z};
        let has_letter = classes.iter().any(|class| matches!(class, A | B | G));
        let has_digit = classes.iter().any(|class| !matches!(class, A | B | G | Z));
        let is_argos = has_letter && has_digit || classes.contains(&Z);
        !classes.is_empty() && (!is_perhaps || is_argos)
    })
}
