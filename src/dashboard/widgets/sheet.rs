//! The lines of a dialog or a pane: words are broken at the width and never cut.

use ratatui::buffer::Buffer;
use ratatui::layout::Position as Cell;
use ratatui::style::Style;

use super::field::{Field, SecretField};
use super::paint::{mark_row, put};
use super::wrap::wrap;
use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::theme::Theme;
use crate::text;

/// The longest line of a paragraph that is easy to read, cells.
const PARAGRAPH: u16 = 76;
/// The narrowest field, cells.
const FIELD: u16 = 30;

/// A label, its value and the style of the value. A value without a label continues the
/// one before it.
pub(crate) type Fact = (String, String, Style);

/// A text at a column of a line.
pub(crate) struct Piece {
    /// The column.
    pub x: u16,
    pub words: String,
    /// Their style.
    pub style: Style,
}

/// Lines at a width.
pub(crate) struct Sheet {
    width: u16,
    lines: Vec<Vec<Piece>>,
    /// Column and line of the cursor.
    cursor: Option<Cell>,
    /// The line of the chosen row.
    chosen: Option<u16>,
    /// The least width, if that is more than the text needs.
    wanted: u16,
}

impl Sheet {
    /// A sheet of this many columns without a line.
    pub(crate) fn new(width: u16) -> Self {
        Self {
            width: width.max(1),
            lines: Vec::new(),
            cursor: None,
            chosen: None,
            wanted: 0,
        }
    }

    /// Adds an empty line.
    pub(crate) fn blank(&mut self) {
        self.lines.push(Vec::new());
    }

    /// Adds a line of pieces, one behind the other.
    pub(crate) fn line(&mut self, pieces: &[(&str, Style)]) {
        self.blank();
        let mut x = 0;
        for (words, style) in pieces {
            x = self.at(x, words, *style);
        }
    }

    /// Puts words at a column of the last line; returns the column after them.
    pub(crate) fn at(&mut self, x: u16, words: &str, style: Style) -> u16 {
        let words = text::clean(words).into_owned();
        let end = x + cells(&words);
        if let Some(line) = self.lines.last_mut() {
            line.push(Piece { x, words, style });
        }
        end
    }

    /// Adds a line of pieces, each at its column.
    pub(crate) fn pieces(&mut self, pieces: Vec<Piece>) {
        self.lines.push(pieces);
    }

    /// Adds words from a column on, on as many lines as they need, none longer than is easy to
    /// read.
    pub(crate) fn paragraph(&mut self, x: u16, words: &str, style: Style) {
        let room = self.width.saturating_sub(x).clamp(1, PARAGRAPH);
        self.wrapped_in(x, usize::from(room), words, style);
    }

    /// Adds words from a column on, on as many lines of its whole width as they need.
    pub(crate) fn wrapped(&mut self, x: u16, words: &str, style: Style) {
        let room = self.width.saturating_sub(x).max(1);
        self.wrapped_in(x, usize::from(room), words, style);
    }

    fn wrapped_in(&mut self, x: u16, room: usize, words: &str, style: Style) {
        for words in wrap(words, room) {
            self.blank();
            self.at(x, &words, style);
        }
    }

    /// Drops lines from the top.
    pub(crate) fn skip(&mut self, lines: u16) {
        self.lines.drain(..usize::from(lines).min(self.lines.len()));
    }

    /// Adds a label and a field behind it on a new line; sets the cursor if it
    /// is in the field. The field's error is on the lines below; a selected text is in
    /// reverse video.
    pub(crate) fn field(&mut self, label: &str, style: Style, field: &Field, theme: Theme) -> Cell {
        self.line(&[(label, style)]);
        let x = cells(label);
        let line = u16::try_from(self.lines.len()).unwrap_or(1) - 1;
        let all = text::clean(field.text()).into_owned();
        let typed: String = field.text().chars().take(field.cursor()).collect();
        let before = text::clean(&typed).into_owned();
        self.wanted = self.wanted.max(x + FIELD.max(cells(&all) + 1));
        // Characters are dropped from the left until the cursor fits.
        let room = usize::from(self.width.saturating_sub(x + 1)).max(1);
        let ends = before
            .char_indices()
            .map(|(at, _)| at)
            .chain([before.len()]);
        let rest = |at: &usize| before.get(*at..).unwrap_or_default();
        let fits = |at: &usize| text::width(rest(at)) <= room;
        let skip = ends.into_iter().find(fits).unwrap_or(0);
        let seen = rest(&skip);
        let is_selected = field.is_selected();
        let style = if is_selected {
            theme.chosen()
        } else {
            theme.text()
        };
        self.at(x, all.get(skip..).unwrap_or_default(), style);
        let cursor = (x + cells(seen)).min(self.width.saturating_sub(1));
        self.paragraph(x, &field.error, theme.bad());
        Cell::new(cursor, line)
    }

    /// Adds a label and on the same line a dot for each character of a secret, its error on
    /// the lines below; returns the cell of the cursor.
    pub(crate) fn secret(
        &mut self,
        label: &str,
        style: Style,
        secret: &SecretField,
        theme: Theme,
    ) -> Cell {
        let room = self.width_after(label).saturating_sub(1);
        let count = secret.count().min(usize::from(room));
        let dots = theme.glyph("•", "*").repeat(count);
        self.line(&[(label, style), (&dots, theme.text())]);
        let cursor = Cell::new(cells(label) + cells(&dots), self.height() - 1);
        self.paragraph(cells(label), &secret.error, theme.bad());
        cursor
    }

    /// Shows the cursor at a column and line.
    pub(crate) fn set_cursor(&mut self, cell: Cell) {
        self.cursor = Some(cell);
    }

    /// Makes the last line the chosen row.
    pub(crate) fn choose(&mut self) {
        self.chosen = Some(u16::try_from(self.lines.len()).unwrap_or(1) - 1);
    }

    /// The line of the chosen row.
    pub(crate) fn chosen(&self) -> Option<u16> {
        self.chosen
    }

    /// Its columns.
    pub(crate) fn width(&self) -> u16 {
        self.width
    }

    /// The columns behind a label.
    pub(crate) fn width_after(&self, label: &str) -> u16 {
        self.width.saturating_sub(cells(label))
    }

    /// Requires at least this many columns.
    pub(crate) fn want(&mut self, width: u16) {
        self.wanted = self.wanted.max(width);
    }

    /// The columns that its lines need.
    pub(crate) fn natural_width(&self) -> u16 {
        let pieces = self.lines.iter().flatten();
        let ends = pieces.map(|piece| piece.x.saturating_add(cells(&piece.words)));
        ends.max().unwrap_or(0).max(self.wanted)
    }

    /// Adds empty lines up to this many.
    pub(crate) fn fill(&mut self, lines: usize) {
        self.lines
            .resize_with(lines.max(self.lines.len()), Vec::new);
    }

    /// Cuts it to this many lines, or adds empty ones.
    pub(crate) fn cut_or_fill(&mut self, lines: u16) {
        self.lines.resize_with(usize::from(lines), Vec::new);
    }

    /// The number of its lines.
    pub(crate) fn height(&self) -> u16 {
        u16::try_from(self.lines.len()).unwrap_or(u16::MAX)
    }

    /// Draws it; returns the cell of the cursor.
    pub(crate) fn draw(&self, buffer: &mut Buffer, area: Area, theme: Theme) -> Option<Cell> {
        for (line, pieces) in (0..area.height).zip(&self.lines) {
            for piece in pieces {
                put(buffer, area.at(piece.x, line), &piece.words, piece.style);
            }
        }
        if let Some(line) = self.chosen.filter(|line| *line < area.height) {
            mark_row(buffer, area.at(0, line), theme);
        }
        let Cell { x, y } = self.cursor?;
        let right = area.width.saturating_sub(1);
        let bottom = area.height.saturating_sub(1);
        Some(Cell::new(area.x + x.min(right), area.y + y.min(bottom)))
    }
}

/// The width of words in cells.
pub(crate) fn cells(words: &str) -> u16 {
    u16::try_from(text::width(words)).unwrap_or(u16::MAX)
}
