//! The names of fields on the screen.

use crate::dashboard::format;
use crate::map::ShownField;
use crate::text;
use crate::track::field::label;

/// Columns of a profile's values next to its picture: number and value.
pub(crate) const SIDE_COLUMN: u16 = 12;

/// Most characters of the name of a field in a message or a list.
const LABEL: usize = 40;

/// The name of a field on the screen, sanitized and cut.
pub(crate) fn field_label(name: &str) -> String {
    text::excerpt(&label(name), LABEL)
}

/// The name and the unit of a field.
pub(super) fn field_title(shown: &ShownField) -> String {
    let name = shown.field().name();
    let title = format!("{} {}", field_label(name), format::unit_of_field(name));
    title.trim_end().to_owned()
}
