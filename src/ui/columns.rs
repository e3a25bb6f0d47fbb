//! Tables: columns are dropped if the width is too small, and only visible rows
//! are formatted.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::format;
use super::paint::put;
use crate::app::Model;
use crate::app::columns::ShownColumn;
use crate::app::layout::Area;
use crate::text;

/// One column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Column {
    /// Its heading.
    pub title: &'static str,
    /// Its minimum width in cells.
    pub width: u16,
    /// Whether its cells are right-aligned, as numbers are.
    pub right: bool,
    /// Its drop order: the column with the greatest number is dropped first if
    /// there is no room.
    pub rank: u8,
    /// Whether it takes the remaining width.
    pub flexible: bool,
    /// Whether it has words, which a person may cut by a narrower width.
    pub words: bool,
}

/// A column of fixed width.
pub(super) const fn column(title: &'static str, width: u16, right: bool, rank: u8) -> Column {
    Column {
        title,
        width,
        right,
        rank,
        flexible: false,
        words: false,
    }
}

/// A column of words of fixed width.
pub(super) const fn words(title: &'static str, width: u16, rank: u8) -> Column {
    Column {
        title,
        width,
        right: false,
        rank,
        flexible: false,
        words: true,
    }
}

/// A column that takes the remaining width, if no flexible one comes after it.
pub(super) const fn flexible(title: &'static str, width: u16, rank: u8) -> Column {
    Column {
        title,
        width,
        right: false,
        rank,
        flexible: true,
        words: true,
    }
}

/// Gives a column the width that a person chose: a text may be narrower than
/// usual, a number never.
pub(super) fn resize(columns: &mut [Column], place: usize, width: Option<u16>) {
    if let (Some(column), Some(width)) = (columns.get_mut(place), width) {
        column.width = match column.words {
            true => width.max(4),
            false => width.max(column.width),
        };
        column.flexible = false;
    }
}

/// Which columns fit, where they begin and how wide they are.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fitted {
    /// For each column, in order: its offset and width, or `None` if it was
    /// dropped.
    places: Vec<Option<(u16, u16)>>,
    columns: Vec<Column>,
}

impl Fitted {
    /// Fits the chosen columns into a width, in their order and at the width
    /// that a person chose.
    pub(super) fn chosen(columns: &mut [Column], shown: &[ShownColumn], width: u16) -> Self {
        let mut order = Vec::with_capacity(shown.len());
        for one in shown {
            resize(columns, one.place, one.width);
            order.push(one.place);
        }
        Self::ordered(columns, &order, width)
    }

    /// Fits the columns at these places into a width, in this order. Columns of
    /// one rank are dropped together.
    pub(super) fn ordered(columns: &[Column], order: &[usize], width: u16) -> Self {
        let mut kept: Vec<usize> = order.to_vec();
        let needs = |kept: &[usize]| -> u16 {
            let cells: u16 = kept
                .iter()
                .filter_map(|&i| columns.get(i))
                .map(|c| c.width)
                .sum();
            cells + u16::try_from(kept.len().saturating_sub(1)).unwrap_or(u16::MAX)
        };
        while needs(&kept) > width && kept.len() > 1 {
            let rank = |&i: &usize| columns.get(i).map_or(0, |c| c.rank);
            let last = kept.iter().map(rank).max();
            let fewer: Vec<usize> = kept
                .iter()
                .copied()
                .filter(|i| Some(rank(i)) != last)
                .collect();
            if fewer.is_empty() {
                break;
            }
            kept = fewer;
        }
        let spare = width.saturating_sub(needs(&kept));
        let is_flexible = |index: &usize| columns.get(*index).is_some_and(|c| c.flexible);
        let widest = kept.iter().copied().rfind(is_flexible);
        let mut places = vec![None; columns.len()];
        let mut x = 0;
        for index in kept {
            let Some(column) = columns.get(index) else {
                continue;
            };
            let wide = column.width + if Some(index) == widest { spare } else { 0 };
            if let Some(place) = places.get_mut(index) {
                *place = Some((x, wide.min(width.saturating_sub(x))));
            }
            x += wide + 1;
        }
        Self {
            places,
            columns: columns.to_vec(),
        }
    }

    /// The width of a column; `None` if it was dropped.
    pub(super) fn width(&self, column: usize) -> Option<u16> {
        self.places
            .get(column)
            .copied()
            .flatten()
            .map(|(_, width)| width)
    }

    /// Where a column begins, if it is shown.
    pub(super) fn start(&self, column: usize) -> Option<u16> {
        self.places
            .get(column)
            .copied()
            .flatten()
            .map(|(start, _)| start)
    }

    /// Where the heading of a column is in an area; `None` if it was dropped.
    pub(super) fn heading_area(&self, area: Area, column: usize) -> Option<Area> {
        let (start, width) = self.places.get(column).copied().flatten()?;
        Some(Area::new(area.x + start, area.y, width, 1))
    }

    /// Writes the headings; the one sorted by is marked.
    pub(super) fn heading(
        &self,
        buffer: &mut Buffer,
        area: Area,
        style: Style,
        sorted: Option<(usize, &str)>,
    ) {
        for (index, column) in self.columns.iter().enumerate() {
            let title = match sorted {
                Some((by, arrow)) if by == index => marked(column.title, arrow),
                _ => column.title.to_owned(),
            };
            self.cell(buffer, area, 0, index, &title, style);
        }
    }

    /// Writes the heading of a column of times in a zone over the one that says
    /// UTC; `arrow` marks the column that is sorted by.
    pub(super) fn zone_heading(
        &self,
        buffer: &mut Buffer,
        area: Area,
        (column, arrow): (usize, &str),
        model: &Model,
        style: Style,
    ) {
        if model.shown_zone().is_some() {
            let title = format!("time {}{arrow}", format::zone(model));
            self.cell(buffer, area, 0, column, &title, style);
        }
    }

    /// Writes one cell of the row on line `line` of the area.
    pub(super) fn cell(
        &self,
        buffer: &mut Buffer,
        area: Area,
        line: u16,
        column: usize,
        content: &str,
        style: Style,
    ) {
        let (Some(Some((x, width))), Some(shape)) =
            (self.places.get(column), self.columns.get(column))
        else {
            return;
        };
        let content = text::fit(content, usize::from(*width));
        let cells = u16::try_from(text::width(&content)).unwrap_or(*width);
        let indent = if shape.right {
            width.saturating_sub(cells)
        } else {
            0
        };
        put(buffer, area.at(x + indent, line), &content, style);
    }
}

/// A heading with the arrow of the sort order. The rows of a pair are sorted by the
/// first of the two: the arrow is behind it, in place of a blank.
fn marked(title: &str, arrow: &str) -> String {
    match title.split_once("  ") {
        Some((first, second)) => format!("{first}{arrow} {second}"),
        None => format!("{title}{arrow}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_least_goes_first_and_the_rest_takes_the_room() {
        let mut columns = [
            column("a", 4, false, 0),
            flexible("b", 5, 1),
            column("c", 6, true, 2),
        ];
        let all = [0, 1, 2].map(|place| ShownColumn { place, width: None });
        let wide = Fitted::chosen(&mut columns, &all, 30);
        assert_eq!(
            [wide.width(0), wide.width(1), wide.width(2)],
            [Some(4), Some(18), Some(6)]
        );
        let narrow = Fitted::chosen(&mut columns, &all, 12);
        assert_eq!(
            [narrow.width(0), narrow.width(1), narrow.width(2)],
            [Some(4), Some(7), None]
        );
    }
}
