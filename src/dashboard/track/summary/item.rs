//! A piece of a line of the summary.

use ratatui::style::Style;

/// A few words with what they are called before them.
pub(in crate::dashboard) type Item<'a> = (&'a str, String, Style);

/// Cells of a line with room for a reason beside a time with year and zone, and for
/// whole phrases.
pub(super) const WIDE: u16 = 101;
