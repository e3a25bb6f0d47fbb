//! The text of a table cell, at any width.

use ratatui::style::Style;

use crate::dashboard::widgets::sheet::cells;
use crate::text;

/// The text of a row in a column.
#[derive(Default)]
pub(crate) struct Cell {
    /// The words, one piece behind the other.
    pieces: Vec<(String, Style)>,
    /// Shorter texts where they do not fit, the longest first.
    shorter: Vec<String>,
    /// If it has the cells of all columns behind it, too.
    pub(super) is_across: bool,
}

impl Cell {
    /// Words in one style.
    pub(crate) fn new(words: impl Into<String>, style: Style) -> Self {
        Self::default().then(words, style)
    }

    /// With words in a style of their own behind it.
    #[must_use]
    pub(crate) fn then(mut self, words: impl Into<String>, style: Style) -> Self {
        self.pieces.push((words.into(), style));
        self
    }

    /// With shorter words where these do not fit.
    #[must_use]
    pub(crate) fn or(mut self, shorter: impl Into<String>) -> Self {
        self.shorter.push(shorter.into());
        self
    }

    /// Over the columns behind it, too, up to the end of the row.
    #[must_use]
    pub(crate) fn across(mut self) -> Self {
        self.is_across = true;
        self
    }

    /// The width of the words; 0 where they are not in their own column alone.
    pub(super) fn width(&self) -> u16 {
        if self.is_across {
            0
        } else {
            self.pieces.iter().map(|(words, _)| cells(words)).sum()
        }
    }

    /// The words that fit, sanitized, with their styles.
    pub(crate) fn fitted(&self, room: u16, cut: fn(&str, usize) -> String) -> Vec<(String, Style)> {
        let clean = |(words, style): &(String, Style)| (text::clean(words).into_owned(), *style);
        let whole: Vec<(String, Style)> = self.pieces.iter().map(clean).collect();
        let width: u16 = whole.iter().map(|(words, _)| cells(words)).sum();
        // A row of signs is cut at the end of its cells.
        let ([(words, style)], true) = (whole.as_slice(), width > room) else {
            return whole;
        };
        let mut shorter = self.shorter.iter();
        let fitting = shorter.find(|words| cells(words) <= room);
        let words = fitting.or(self.shorter.last()).unwrap_or(words);
        vec![(cut(words, usize::from(room)), *style)]
    }
}
