//! A piece of a line of the summary.

use ratatui::style::Style;

/// A few words with what they are called before them.
pub(in crate::ui) type Item<'a> = (&'a str, String, Style);
