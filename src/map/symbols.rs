//! The symbols of flagged fixes that a map shows: few if they are crowded, so
//! that the line stays visible.

use std::collections::HashMap;

use super::ink::Layer;
use super::raster::Raster;
use super::strokes::Kind;

/// A cell of the map and what the fix in it is.
pub(crate) type Symbol = (u16, u16, Kind);

/// Columns between symbols on the line, twice the rows: at most one cell in eight of a
/// line has one.
const ON_THE_LINE: u16 = 8;
/// The same for symbols off the line if they are crowded.
const CROWDED: u16 = 4;
/// Symbols off the line are crowded if more than one cell in this many has
/// one.
const CELLS_A_SYMBOL: usize = 50;

/// The symbols to show of all `symbols`, which are sorted by importance, the
/// most important last, as those returned are.
pub(crate) fn thinned(symbols: &[Symbol], raster: &Raster) -> Vec<Symbol> {
    let is_on_line = |&(x, y, _): &Symbol| raster.layer_at(x, y) == Some(Layer::Track);
    let off_line = symbols.iter().filter(|symbol| !is_on_line(symbol)).count();
    let (columns, rows) = raster.size();
    let cells = usize::from(columns) * usize::from(rows);
    let is_crowded = off_line > cells / CELLS_A_SYMBOL;
    let mut shown = Vec::new();
    let mut on_line = Sparse::new(ON_THE_LINE);
    let mut others = Sparse::new(if is_crowded { CROWDED } else { 1 });
    for symbol in symbols.iter().rev() {
        let &(x, y, kind) = symbol;
        let is_shown = if kind == Kind::Jump {
            true
        } else if is_on_line(symbol) {
            on_line.takes(x, y)
        } else {
            others.takes(x, y)
        };
        if is_shown {
            shown.push(*symbol);
        }
    }
    shown.reverse();
    shown
}

/// Cells that keep a distance from each other.
struct Sparse {
    columns: u16,
    rows: u16,
    /// The cells by their block of this many columns and rows.
    blocks: HashMap<(u16, u16), Vec<(u16, u16)>>,
}

impl Sparse {
    /// Cells at least this many columns apart, or half as many rows.
    fn new(columns: u16) -> Self {
        Self {
            columns,
            rows: (columns / 2).max(1),
            blocks: HashMap::new(),
        }
    }

    /// Adds a cell if no other is near; returns whether it was added.
    fn takes(&mut self, x: u16, y: u16) -> bool {
        let columns = self.columns;
        let rows = self.rows;
        let block = (x / columns, y / rows);
        let near = |&(other_x, other_y): &(u16, u16)| {
            other_x.abs_diff(x) < columns && other_y.abs_diff(y) < rows
        };
        let around = |middle: u16| middle.saturating_sub(1)..=middle.saturating_add(1);
        for column in around(block.0) {
            for row in around(block.1) {
                if self
                    .blocks
                    .get(&(column, row))
                    .is_some_and(|cells| cells.iter().any(near))
                {
                    return false;
                }
            }
        }
        self.blocks.entry(block).or_default().push((x, y));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::raster::GlyphSet;
    use super::*;
    use crate::map::ink::Ink;

    #[test]
    fn at_most_one_cell_in_eight_of_a_line_of_suspects_has_a_symbol() {
        let mut raster = Raster::new(80, 20, GlyphSet::Braille);
        let ink = Ink {
            layer: Layer::Track,
            track: 0,
            order: 0,
        };
        raster.line(&[(0.0, 10.5), (80.0, 10.5)], ink);
        let wall: Vec<Symbol> = (0..80).map(|x| (x, 10, Kind::Suspect)).collect();
        let shown = thinned(&wall, &raster);
        assert!((8..=10).contains(&shown.len()), "{shown:?}");
    }

    #[test]
    fn a_single_failed_fix_is_always_shown_and_wins_over_suspects() {
        let raster = Raster::new(80, 20, GlyphSet::Braille);
        let mut symbols: Vec<Symbol> = (0..80)
            .flat_map(|x| (0..19).map(move |y| (x, y, Kind::Suspect)))
            .collect();
        symbols.push((40, 19, Kind::Failed));
        let shown = thinned(&symbols, &raster);
        assert_eq!(shown.last(), Some(&(40, 19, Kind::Failed)));
        assert!(shown.len() <= 80 * 20 / 8 + 30, "{}", shown.len());
    }
}
