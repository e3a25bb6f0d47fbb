//! The definition of a column: its name, its width, its order and its cells in one entry.

use super::cell::Cell;
use crate::dashboard::model::Model;
use crate::dashboard::targets::Heading;
use crate::dashboard::theme::Theme;
use crate::text;

/// A column of a table with rows of `R`.
pub(crate) struct Column<R: 'static> {
    /// Its name in the settings and in the dialog of columns. Columns with the same
    /// name, such as latitude and longitude, are chosen together.
    pub name: &'static str,
    /// Its heading, if that is not its name.
    pub heading: Option<&'static str>,
    /// Its heading as it is drawn, if that depends on the screen or the track.
    pub title: Option<fn(&Look<'_>) -> String>,
    /// The cells it needs; with 0 it is left out.
    pub width: fn(&Visible<'_, R>) -> u16,
    /// More cells, if there is room.
    pub wider: &'static [Wider<R>],
    /// The side of its cells that the words are at.
    pub align: Align,
    /// `true` for text, which a narrower width may cut; a number is never cut.
    pub is_text: bool,
    /// Its rank among the columns that want room, the smallest number first. Columns of
    /// equal rank are shown together or not at all.
    pub rank: u8,
    /// The order that a click on the heading chooses.
    pub sort: Heading,
    /// Cuts text to a number of cells.
    pub cut: fn(&str, usize) -> String,
    /// The text of a row.
    pub cell: fn(&R, &Look<'_>) -> Cell,
}

impl<R: 'static> Column<R> {
    /// A column of words at the left.
    pub(crate) const LEFT: Self = Self {
        name: "",
        heading: None,
        title: None,
        width: |visible| visible.longest(),
        wider: &[],
        align: Align::Left,
        is_text: false,
        rank: 0,
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

/// More cells than a column needs.
pub(crate) struct Wider<R: 'static> {
    /// The rank of this wish among the columns that want room.
    pub rank: u8,
    /// The cells.
    pub cells: fn(&Visible<'_, R>) -> u16,
    /// How much of them is of use.
    pub take: Take,
}

impl<R: 'static> Wider<R> {
    /// All the room that is left in the end. Of several columns the last one gets it.
    pub(crate) const REST: Self = Self {
        rank: u8::MAX,
        cells: |_| u16::MAX,
        take: Take::Part,
    };
}

/// How much of the cells that a column wants is of use to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Take {
    /// All or nothing.
    Whole,
    /// As many as there are.
    Part,
}

/// The inputs that the cells of a table are made with.
pub(crate) struct Look<'a> {
    /// The dashboard.
    pub model: &'a Model,
    /// Its colours and signs.
    pub theme: Theme,
    /// The width of the table, cells.
    pub width: u16,
    /// The names of the columns that have room, where a cell needs to know.
    pub shown: Vec<&'static str>,
}

impl<'a> Look<'a> {
    /// The look of a table of this width.
    pub(crate) fn new(model: &'a Model, theme: Theme, width: u16) -> Self {
        Self {
            model,
            theme,
            width,
            shown: Vec::new(),
        }
    }
}

/// The visible part of a column, which its width follows from.
pub(crate) struct Visible<'a, R: 'static> {
    /// The inputs that the cells are made with.
    pub look: &'a Look<'a>,
    /// The rows.
    pub rows: &'a [&'a R],
    /// Its cells.
    pub(super) cells: &'a [Cell],
}

impl<R> Visible<'_, R> {
    /// The width of the longest words.
    pub(crate) fn longest(&self) -> u16 {
        self.cells.iter().map(Cell::width).max().unwrap_or(0)
    }
}
