//! The widgets of tabs and dialogs: tables, text fields, paragraphs.

pub(super) mod ascii;
pub(super) mod cached;
pub(super) mod field;
pub(super) mod lines;
pub(super) mod paint;
pub(super) mod pixels;
pub(super) mod sheet;
pub(super) mod table;
pub(super) mod table_state;
pub(super) mod text;
pub(super) mod wrap;
