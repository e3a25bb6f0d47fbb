//! The symbols of flagged fixes that a map shows: few if they are crowded, so
//! that the line stays visible.

use std::collections::HashSet;

use super::ink::Layer;
use super::raster::Raster;
use super::strokes::Kind;

/// A cell of the map and what the fix in it is.
pub(crate) type Symbol = (u16, u16, Kind);

/// Columns of a block with one symbol on the line, twice its rows: at most one cell in eight of a
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
    let off_line = if is_crowded { CROWDED } else { 1 };
    let mut taken = HashSet::new();
    let is_shown = |symbol: &&Symbol| {
        let &(x, y, kind) = *symbol;
        let is_on_line = is_on_line(symbol);
        let columns = if is_on_line { ON_THE_LINE } else { off_line };
        let block = (x / columns, y / (columns / 2).max(1));
        kind == Kind::Jump || taken.insert((is_on_line, block))
    };
    let mut shown: Vec<Symbol> = symbols.iter().rev().filter(is_shown).copied().collect();
    shown.reverse();
    shown
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
