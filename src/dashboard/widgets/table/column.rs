//! The definition of a column: its name, its width, its order and its cells in one entry;
//! and the text of a cell, at any width.

use ratatui::style::Style;

use crate::dashboard::targets::Heading;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::cells;
use crate::text;
use crate::track::query::Query;

/// A column of a table with rows of `R`, whose cells are made with an `M`.
pub(crate) struct Column<R: 'static, M: 'static> {
    /// Its name in the settings and in the dialog of columns. Columns with the same
    /// name, such as latitude and longitude, are chosen together.
    pub name: &'static str,
    /// Its heading, if that is not its name.
    pub heading: Option<&'static str>,
    /// Its heading as it is drawn, if that depends on the screen or the track.
    pub title: Option<fn(&Look<'_, M>) -> String>,
    /// Its heading where the whole one has no room next to the arrow of the order.
    pub short_heading: Option<&'static str>,
    /// The cells of its short form and of its long one; with 0 it is left out.
    pub cells: fn(&Visible<'_, M>) -> [u16; 2],
    /// The side of its cells that the words are at.
    pub align: Align,
    /// `true` for text, which a narrower width may cut; a number is never cut.
    pub is_text: bool,
    /// Its rank among the columns that want room, the smallest number first. Columns of
    /// equal rank are shown together or not at all.
    pub rank: u8,
    /// Its rank for the cells of its long form, of which text takes as many as there are.
    pub long_rank: u8,
    /// `true` if the room that is left in the end is its own. Of several columns the last
    /// one gets it.
    pub fills: bool,
    /// The order that a click on the heading chooses.
    pub sort: Heading,
    /// Cuts text to a number of cells.
    pub cut: fn(&str, usize) -> String,
    /// The text of a row.
    pub cell: fn(&R, &Look<'_, M>) -> Cell,
}

impl<R: 'static, M: 'static> Column<R, M> {
    /// A column of words at the left.
    pub(crate) const LEFT: Self = Self {
        name: "",
        heading: None,
        title: None,
        short_heading: None,
        cells: |visible| [visible.longest(); 2],
        align: Align::Left,
        is_text: false,
        rank: 0,
        long_rank: u8::MAX,
        fills: false,
        sort: Heading::Unsorted,
        cut: text::fit,
        cell: |_, _| Cell::default(),
    };

    /// A column of numbers, at the right.
    pub(crate) const RIGHT: Self = Self {
        align: Align::Right,
        ..Self::LEFT
    };

    /// Its heading in words.
    pub(crate) fn heading(&self) -> &'static str {
        self.heading.unwrap_or(self.name)
    }
}

/// The side of a column's cells that their words are at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// The left one.
    Left,
    /// The right one, as of numbers.
    Right,
}

/// The inputs that the cells of a table are made with.
pub(crate) struct Look<'a, M> {
    /// The dashboard, or what its tab has of it.
    pub model: &'a M,
    /// Its colours and signs.
    pub theme: Theme,
    /// The width of the table, cells.
    pub width: u16,
    /// The search of the rows, whose words are highlighted.
    pub search: Option<&'a Query>,
}

impl<'a, M> Look<'a, M> {
    /// The look of a table of this width.
    pub(crate) fn new(model: &'a M, theme: Theme, width: u16) -> Self {
        Self {
            model,
            theme,
            width,
            search: None,
        }
    }

    /// With the words of a search highlighted.
    #[must_use]
    pub(crate) fn searched(mut self, search: Option<&'a Query>) -> Self {
        self.search = search;
        self
    }
}

/// The visible part of a column, which its width follows from.
pub(crate) struct Visible<'a, M> {
    /// The inputs that the cells are made with.
    pub look: &'a Look<'a, M>,
    pub(super) cells: &'a [Cell],
}

impl<M> Visible<'_, M> {
    /// The width of the longest words.
    pub(crate) fn longest(&self) -> u16 {
        self.cells.iter().map(Cell::width).max().unwrap_or(0)
    }
}

/// The text of a row in a column.
#[derive(Default)]
pub(crate) struct Cell {
    /// The words, one piece behind the other.
    pieces: Vec<(String, Style)>,
    /// Shorter words where they do not fit.
    short: Option<String>,
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
    pub(crate) fn or(mut self, short: impl Into<String>) -> Self {
        self.short = Some(short.into());
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
        let words = self.short.as_ref().unwrap_or(words);
        vec![(cut(words, usize::from(room)), *style)]
    }
}
