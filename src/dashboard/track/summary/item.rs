//! A piece of a line of the summary.

use ratatui::style::Style;

/// A few words with their label.
pub(in crate::dashboard) type Item<'a> = (&'a str, String, Style);

/// Cells of a line that fits a reason after a time with year and zone, and whole
/// phrases.
pub(super) const WIDE: u16 = 101;
