//! Tables as data: a table is a list of columns, and a column is one entry: its name in
//! the settings and in the dialog of columns, its width, its order and its cells. Only
//! the visible rows are formatted.

mod column;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::paint::{highlight_matches, mark_row, put};
use super::sheet::{Piece, Sheet, cells};
use super::wrap::wrap;
use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::targets::Heading;
use crate::text;
pub(crate) use column::{Align, Cell, Column, Look, Visible};

/// The columns that the user chose, in their order.
pub(crate) fn chosen<R, M>(
    all: &'static [Column<R, M>],
    shown: &[&'static str],
) -> Vec<&'static Column<R, M>> {
    let chosen = (shown.iter()).flat_map(|name| all.iter().filter(|column| column.name == *name));
    chosen.collect()
}

/// The names of columns in their usual order, each once.
pub(crate) fn names<R, M>(columns: &[Column<R, M>]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = columns.iter().map(|column| column.name).collect();
    names.dedup();
    names
}

/// The heading of the column that rows in an order are sorted by.
pub(crate) fn heading<R, M>(columns: &[Column<R, M>], order: Heading) -> &'static str {
    let mut columns = columns.iter();
    let sorted = columns.find(|column| column.sort == order);
    sorted.map_or("", Column::heading)
}

/// A table with its visible rows.
pub(crate) struct Table<'a, R: 'static, M: 'static> {
    /// The columns, in their order.
    pub columns: Vec<&'static Column<R, M>>,
    /// The visible rows.
    pub rows: Vec<&'a R>,
    /// The row under the cursor, among them.
    pub cursor: Option<usize>,
    /// The column that the rows are sorted by, with the arrow of the direction.
    pub sorted: Option<(Heading, &'static str)>,
}

/// A wish for room: of a column of no cells yet, or for more than it has.
struct Claim {
    rank: u8,
    column: usize,
    cells: u16,
    is_more: bool,
    /// `true` if fewer cells are of use, too.
    is_part: bool,
}

/// The position of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    x: u16,
    width: u16,
}

/// A table at its width: the positions of its columns, and their texts.
pub(crate) struct Laid<'a, R: 'static, M: 'static> {
    table: &'a Table<'a, R, M>,
    look: &'a Look<'a, M>,
    /// The cells of each column.
    cells: Vec<Vec<Cell>>,
    places: Vec<Option<Place>>,
}

impl<'a, R, M> Table<'a, R, M> {
    /// Inserts a column after the last of these names, or at the end.
    pub(crate) fn insert_after(&mut self, names: &[&str], column: &'static Column<R, M>) {
        let mut chosen = self.columns.iter();
        let last = chosen.rposition(|column| names.contains(&column.name));
        let index = last.map_or(self.columns.len(), |index| index + 1);
        self.columns.insert(index, column);
    }

    /// The table at its width.
    pub(crate) fn laid(&'a self, look: &'a Look<'a, M>) -> Laid<'a, R, M> {
        let column = |column: &&Column<R, M>| -> Vec<Cell> {
            let rows = self.rows.iter();
            rows.map(|row| (column.cell)(row, look)).collect()
        };
        let cells: Vec<Vec<Cell>> = self.columns.iter().map(column).collect();
        let places = places(&self.widths(&self.claims(look, &cells), look.width));
        Laid {
            table: self,
            look,
            cells,
            places,
        }
    }

    /// The claim of each column to cells.
    fn claims(&self, look: &Look<'_, M>, cells: &[Vec<Cell>]) -> Vec<Claim> {
        let mut claims = Vec::new();
        let by = self.sorted.map(|(heading, _)| heading);
        let mut columns = self.columns.iter();
        let column = columns.find(|column| Some(column.sort) == by);
        let sorted = column.map(|column| column.name);
        for (index, (column, cells)) in self.columns.iter().zip(cells).enumerate() {
            let visible = Visible { look, cells };
            let [mut short, long] = (column.cells)(&visible);
            if short == 0 {
                continue;
            }
            let mut rank = column.rank;
            if sorted == Some(column.name) {
                // The sorted column is always visible, with the arrow in its heading.
                rank = rank.min(SORTED);
                short = short.max(cells_of_title(column, look) + 1);
            }
            let mut claim = |rank, cells, is_more, is_part| {
                claims.push(Claim {
                    rank,
                    column: index,
                    cells,
                    is_more,
                    is_part,
                });
            };
            claim(rank, short, false, false);
            claim(column.long_rank, long, true, column.is_text);
            if column.fills {
                claim(u8::MAX, u16::MAX, true, true);
            }
        }
        // In the last rank the last column is first.
        claims.sort_by_key(|claim| match claim.rank {
            u8::MAX => (claim.rank, usize::MAX - claim.column),
            rank => (rank, 0),
        });
        claims
    }

    /// The width of each column: the claims are met in their order. If a column has no
    /// room, a narrower one after it may.
    fn widths(&self, claims: &[Claim], width: u16) -> Vec<Option<u16>> {
        let mut widths: Vec<Option<u16>> = vec![None; self.columns.len()];
        let mut used = 0u16;
        for together in claims.chunk_by(|a, b| a.rank == b.rank) {
            let (more, needed): (Vec<_>, Vec<_>) = together.iter().partition(|claim| claim.is_more);
            // Each with the blank before it.
            let cells: u16 = needed.iter().map(|claim| claim.cells + 1).sum();
            let all = used + cells;
            if all.saturating_sub(1) <= width || used == 0 {
                used = all;
                for claim in needed {
                    if let Some(column) = widths.get_mut(claim.column) {
                        *column = Some(claim.cells);
                    }
                }
            }
            for claim in more {
                let Some(Some(column)) = widths.get_mut(claim.column) else {
                    continue;
                };
                let room = (width + 1).saturating_sub(used);
                let more = match claim.cells.saturating_sub(*column) {
                    more if more <= room => more,
                    _ if claim.is_part => room,
                    _ => 0,
                };
                *column += more;
                used += more;
            }
        }
        widths
    }
}

/// The cells that a column's heading needs.
fn cells_of_title<R, M>(column: &Column<R, M>, look: &Look<'_, M>) -> u16 {
    match (column.short_heading, column.title) {
        (Some(short), _) => cells(short),
        (None, Some(title)) => cells(&title(look)),
        (None, None) => cells(column.heading()),
    }
}

/// The rank of the column that the rows are sorted by, at most.
const SORTED: u8 = 10;

/// Columns of these widths side by side, with a blank between them.
fn places(widths: &[Option<u16>]) -> Vec<Option<Place>> {
    let mut next = 0;
    let place = |width: &Option<u16>| {
        let place = Place {
            x: next,
            width: (*width)?,
        };
        next += place.width + 1;
        Some(place)
    };
    widths.iter().map(place).collect()
}

impl<R, M> Laid<'_, R, M> {
    /// The names of the columns that have room.
    pub(crate) fn shown(&self) -> Vec<&'static str> {
        self.placed().map(|(_, column, _)| column.name).collect()
    }

    /// The columns that have room, with their indices and positions.
    fn placed(&self) -> impl Iterator<Item = (usize, &'static Column<R, M>, Place)> {
        let columns = self.table.columns.iter().zip(&self.places).enumerate();
        columns.filter_map(|(index, (column, place))| Some((index, *column, (*place)?)))
    }

    /// The line of the headings.
    pub(crate) fn heading(&self) -> Vec<Piece> {
        let style = self.look.theme.heading();
        let heading = |(_, column, place): (usize, &Column<R, M>, Place)| {
            let arrow = match self.table.sorted {
                Some((by, arrow)) if by == column.sort => arrow,
                _ => "",
            };
            let room = usize::from(place.width.saturating_sub(cells(arrow)));
            let whole = match column.title {
                Some(title) => title(self.look),
                None => {
                    let has_room = usize::from(cells(column.heading())) <= room;
                    let short = column.short_heading.filter(|_| !has_room);
                    short.unwrap_or(column.heading()).to_owned()
                }
            };
            // Over signs of one cell there would be a mere ellipsis.
            let title = if place.width > 1 { &whole } else { "" };
            let words = format!("{}{arrow}", text::fit(title, room));
            let x = match column.align {
                Align::Left => place.x,
                Align::Right => place.x + place.width.saturating_sub(cells(&words)),
            };
            Piece { x, words, style }
        };
        self.placed().map(heading).collect()
    }

    /// The line of a visible row.
    fn row(&self, row: usize) -> Vec<Piece> {
        let mut line = Vec::new();
        for (index, column, place) in self.placed() {
            let Some(cell) = self.cells.get(index).and_then(|cells| cells.get(row)) else {
                continue;
            };
            let room = if cell.is_across {
                self.look.width.saturating_sub(place.x)
            } else {
                place.width
            };
            let words = cell.fitted(room, column.cut);
            let whole: u16 = words.iter().map(|(words, _)| cells(words)).sum();
            let mut x = match column.align {
                Align::Right if !cell.is_across => place.x + room.saturating_sub(whole),
                _ => place.x,
            };
            let end = place.x + room;
            for (words, style) in words {
                let words = text::fit(&words, usize::from(end.saturating_sub(x)));
                let width = cells(&words);
                line.push(Piece { x, words, style });
                x += width;
            }
            if cell.is_across {
                break;
            }
        }
        line
    }

    /// The lines of the visible rows.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Vec<Piece>> {
        (0..self.table.rows.len()).map(|row| self.row(row))
    }

    /// Adds the headings and the rows to a dialog.
    pub(crate) fn write(&self, sheet: &mut Sheet) {
        sheet.pieces(self.heading());
        for (row, line) in self.rows().enumerate() {
            sheet.pieces(line);
            if self.table.cursor == Some(row) {
                sheet.choose();
            }
        }
    }

    /// Draws the headings and the rows below them; returns the order that a click on each
    /// heading sorts by.
    pub(crate) fn draw(&self, buffer: &mut Buffer, area: Area) -> Vec<(Area, Heading)> {
        let mut write = |line: u16, pieces: &[Piece]| {
            for piece in pieces {
                put(buffer, area.at(piece.x, line), &piece.words, piece.style);
            }
        };
        write(0, &self.heading());
        for (line, pieces) in (1..area.height).zip(self.rows()) {
            write(line, &pieces);
        }
        for (line, row) in (1..area.height).zip(0..self.table.rows.len()) {
            let line = area.at(0, line);
            if self.table.cursor == Some(row) {
                mark_row(buffer, line, self.look.theme);
            }
            if let Some(search) = self.look.search {
                for word in search.words() {
                    highlight_matches(buffer, line, word, self.look.theme.found());
                }
            }
        }
        let heading = |(_, column, place): (usize, &Column<R, M>, Place)| {
            let area = Area::new(area.x + place.x, area.y, place.width, 1);
            (area, column.sort)
        };
        self.placed().map(heading).collect()
    }
}

/// Draws a text instead of rows.
pub(crate) fn explain(buffer: &mut Buffer, rows: Area, lines: &[(&str, Style)]) {
    let width = usize::from(rows.width.saturating_sub(2)).max(10);
    let lines = lines.iter().flat_map(|(words, style)| {
        let wrapped = wrap(words, width).into_iter();
        wrapped.map(move |words| (words, *style))
    });
    for (line, (words, style)) in (1..rows.height).zip(lines) {
        put(buffer, rows.at(1, line), &words, style);
    }
}

#[cfg(test)]
mod tests;
