//! Instruments in one cell of a map are drawn as one symbol with their number.

use std::collections::BTreeMap;

use super::labels::to_cell;
use crate::dashboard::layout::Area;
use crate::dashboard::widgets::sheet::cells;
use crate::geo::{Position, Vector};
use crate::map::View;

/// Instruments that are drawn as one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cluster {
    /// The cells of the map that its symbol and its number take.
    pub place: Area,
    /// The index of the instrument with the worst status.
    pub worst: usize,
    /// The number of instruments of the same kind of harm as that one, as text; empty for one
    /// alone, or where the cells behind the symbol are those of others.
    pub count: String,
}

/// The instruments of a map.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Placed {
    /// The instruments that are drawn one by one, in the order in which they were given.
    pub single: Vec<(usize, Position)>,
    /// The instruments that are drawn together.
    pub clusters: Vec<Cluster>,
}

/// An instrument on a map.
#[derive(Debug, Clone, Copy)]
struct Instrument {
    index: usize,
    /// How bad its status is; the part before the point is the kind of harm.
    severity: f64,
}

/// The index of the worst of the instruments of a cell, of several alike the first, and how many
/// are of its kind of harm.
fn worst(together: &[Instrument]) -> Option<(usize, usize)> {
    let last_first = together.iter().rev();
    let worst = last_first.max_by(|a, b| a.severity.total_cmp(&b.severity))?;
    let kind = worst.severity.floor();
    let of_kind = |other: &&Instrument| other.severity.floor() == kind;
    Some((worst.index, together.iter().filter(of_kind).count()))
}

/// A number in at most four characters: 999, 1.2k, 12k. Empty for one.
fn short(count: usize) -> String {
    match count {
        ..2 => String::new(),
        2..1000 => count.to_string(),
        1000..9950 => format!("{:.1}k", count as f64 / 1000.0),
        _ => format!("{}k", (count + 500) / 1000),
    }
}

/// Instruments on a map, each with its index, its position and how bad its status is; the
/// greatest is the worst. The symbol of the one at `over` is drawn over those of its cell.
pub(super) fn placed(
    view: &View,
    instruments: impl Iterator<Item = (usize, Position, f64)>,
    over: Option<Position>,
) -> Placed {
    let plotter = view.plotter();
    let (width, height) = plotter.size();
    let cell_of = |position| {
        let is_inside = |(x, y): &(f64, f64)| (0.0..width).contains(x) && (0.0..height).contains(y);
        let (x, y) = plotter.cell(Vector::new(position)).filter(is_inside)?;
        Some((to_cell(y), to_cell(x)))
    };
    let mut symbols: BTreeMap<(u16, u16), Vec<Instrument>> = BTreeMap::new();
    let mut order = Vec::new();
    for (index, position, severity) in instruments {
        if let Some(cell) = cell_of(position) {
            order.push((cell, index, position));
            let instrument = Instrument { index, severity };
            symbols.entry(cell).or_default().push(instrument);
        }
    }
    let over = over.and_then(cell_of);
    let is_free = |cell| Some(cell) != over && !symbols.contains_key(&cell);
    let mut clusters = Vec::new();
    for (&(y, x), together) in symbols.iter().filter(|(cell, _)| Some(**cell) != over) {
        let Some((worst, alike)) = worst(together).filter(|_| together.len() > 1) else {
            continue;
        };
        let mut count = short(alike);
        // A blank behind it, or it would be read as that of the next symbol.
        let mut behind = (x..view.columns).skip(1).take(count.len() + 1);
        if behind.len() < count.len() || !behind.all(|x| is_free((y, x))) {
            count.clear();
        }
        clusters.push(Cluster {
            place: Area::new(x, y, 1 + cells(&count), 1),
            worst,
            count,
        });
    }
    let single = order
        .into_iter()
        .filter(|(cell, ..)| symbols[cell].len() == 1);
    Placed {
        single: single
            .map(|(_, index, position)| (index, position))
            .collect(),
        clusters,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    #[test]
    fn those_of_one_cell_are_one_symbol_with_the_number_of_the_worst() {
        let view = View::world(120, 40, 2.0);
        let apart = [(0, at(40.0, -120.0), 1.0), (1, at(-40.0, 100.0), 1.0)];
        let together = (2..1300).map(|index| {
            let severity = if index % 325 == 0 { 5.0 } else { 1.0 };
            let east = 1e-4 * f64::from(u16::try_from(index).unwrap());
            (index, at(10.0, 10.0 + east), severity)
        });
        let placed = placed(&view, apart.into_iter().chain(together), None);
        let single = placed.single.iter().map(|(index, _)| *index);
        assert_eq!(single.collect::<Vec<_>>(), [0, 1]);
        let [cluster] = placed.clusters.as_slice() else {
            panic!("{placed:?}");
        };
        // Three have an alarm, not all 1298.
        assert_eq!((cluster.worst, cluster.count.as_str()), (325, "3"));
    }

    #[test]
    fn the_number_of_a_cluster_is_not_read_as_that_of_another_symbol() {
        let view = View::world(120, 40, 2.0);
        let twelve = |position| (0..12).map(move |index| (index, position, 1.0));
        let (row, column) = (20.5, 60.5);
        let at = |columns: f64| view.position_at(column + columns, row).unwrap();
        let count = |other: Option<f64>, over: Option<f64>| {
            let other = other.map(|columns| (12, at(columns), 1.0));
            let placed = placed(&view, twelve(at(0.0)).chain(other), over.map(at));
            placed.clusters.first().map(|cluster| cluster.count.clone())
        };
        assert_eq!(count(None, None).as_deref(), Some("12"));
        assert_eq!(count(Some(4.0), None).as_deref(), Some("12"));
        for near in [1.0, 2.0, 3.0] {
            assert_eq!(count(Some(near), None).as_deref(), Some(""));
            assert_eq!(count(None, Some(near)).as_deref(), Some(""));
        }
        // The chosen one is drawn over them.
        assert_eq!(count(None, Some(0.0)), None);
    }

    #[test]
    fn no_cluster_touches_another_or_leaves_the_map() {
        for (columns, rows) in [(120, 40), (61, 17), (7, 3), (5, 2)] {
            let view = View::world(columns, rows, 2.0);
            let everywhere = (0..20_000).map(|n| {
                let turn = f64::from(u32::try_from(n).unwrap());
                let position = at((turn * 0.37) % 170.0 - 85.0, (turn * 7.77) % 360.0 - 180.0);
                (n, position, turn % 5.0)
            });
            let placed = placed(&view, everywhere, None);
            assert!(!placed.clusters.is_empty());
            for (number, one) in placed.clusters.iter().enumerate() {
                assert!(
                    one.place.right() <= columns && one.place.y < rows,
                    "{one:?}"
                );
                let others = placed.clusters.iter().skip(number + 1);
                let mut places = others.map(|other| other.place);
                assert!(!places.any(|other| other.intersects(one.place)), "{one:?}");
            }
        }
    }

    #[test]
    fn a_number_has_at_most_four_characters() {
        for (count, written) in [
            (1, ""),
            (2, "2"),
            (999, "999"),
            (1000, "1.0k"),
            (9949, "9.9k"),
            (9950, "10k"),
            (123_456, "123k"),
        ] {
            assert_eq!(short(count), written);
        }
    }
}
