//! Instruments that meet on a map are drawn as one symbol with their number.

use super::labels::to_cell;
use crate::dashboard::layout::Area;
use crate::geo::{Position, Vector};
use crate::map::View;

/// The size of the blocks of the map: the widest symbol with its number, and a blank.
const COLUMNS: u16 = 6;
const ROWS: u16 = 2;
/// Most instruments of a block that are drawn one by one.
const MOST_SINGLE: usize = 3;

/// Instruments that are drawn as one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cluster {
    /// The cells of the map that its symbol and its number take.
    pub place: Area,
    /// The index of the instrument with the worst status.
    pub worst: usize,
    /// The number of instruments of the same kind of harm as that one, as text.
    pub count: String,
    /// The number of the others: "+7"; only "+" if that does not fit; empty without
    /// others.
    pub others: String,
}

/// The instruments of a map.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Placed {
    /// The instruments that are drawn one by one, in the order in which they were given.
    pub single: Vec<(usize, Position)>,
    /// The instruments that are drawn together.
    pub clusters: Vec<Cluster>,
}

impl Placed {
    /// Moves the symbol of several off the cell of an instrument that is drawn over it: its
    /// number would be read as that of the other sign.
    pub(super) fn make_room(&mut self, view: &View, at: Position) {
        let Some((x, y)) = view.cell(at) else {
            return;
        };
        let (x, y) = (to_cell(x), to_cell(y));
        let mut clusters = self.clusters.iter();
        let Some(hidden) = clusters.position(|cluster| cluster.place.contains((x, y).into()))
        else {
            return;
        };
        let mut cluster = self.clusters.remove(hidden);
        let place = cluster.place;
        let is_free = |place: &Area| {
            let mut others = self.clusters.iter();
            place.right() <= view.columns && !others.any(|other| other.place.intersects(*place))
        };
        let columns = [Some(x + 1), x.checked_sub(place.width)];
        let mut places = columns.into_iter().flatten().map(|x| Area { x, ..place });
        cluster.place = places.find(is_free).unwrap_or(place);
        self.clusters.push(cluster);
    }
}

/// An instrument on a map.
#[derive(Debug, Clone, Copy)]
struct Instrument {
    /// Its number in the given order, and its index.
    number: usize,
    index: usize,
    position: Position,
    /// How bad its status is; the part before the point is the kind of harm.
    severity: f64,
    cell: (u16, u16),
}

/// `true` if the instruments of a block are few, each in a cell of its own.
fn are_single(block: &[Instrument]) -> bool {
    let meets = |(number, instrument): (usize, &Instrument)| {
        let mut before = block.iter().take(number);
        before.any(|other| other.cell == instrument.cell)
    };
    block.len() <= MOST_SINGLE && !block.iter().enumerate().any(meets)
}

/// The instruments of a block as one symbol with a number, between two columns of the map.
fn cluster(block: &[Instrument], left: u16, end: u16) -> Option<Cluster> {
    // Of several alike the first.
    let last_first = block.iter().rev();
    let worst = last_first.max_by(|a, b| a.severity.total_cmp(&b.severity))?;
    let kind = worst.severity.floor();
    let of_kind = block.iter().filter(|other| other.severity.floor() == kind);
    let alike = of_kind.count();
    let others = block.len() - alike;
    let count = short(alike);
    // A block has a sign before them and a blank behind.
    let room = usize::from(COLUMNS).saturating_sub(2 + count.len());
    let mut forms = [format!("+{}", short(others)), "+".to_owned()]
        .into_iter()
        .filter(|words| others > 0 && words.len() <= room);
    let others = forms.next().unwrap_or_default();
    let width = 1 + u16::try_from(count.len() + others.len()).unwrap_or(COLUMNS);
    let last = end.saturating_sub(width);
    let mean = |of: fn(&Instrument) -> u16| {
        let sum: usize = block
            .iter()
            .map(|instrument| usize::from(of(instrument)))
            .sum();
        u16::try_from(sum / block.len()).ok()
    };
    let x = mean(|instrument| instrument.cell.0)?.clamp(left.min(last), last);
    let y = mean(|instrument| instrument.cell.1)?;
    Some(Cluster {
        place: Area::new(x, y, width, 1),
        worst: worst.index,
        count,
        others,
    })
}

/// A number in at most four characters: 999, 1.2k, 12k.
fn short(count: usize) -> String {
    match count {
        ..1000 => count.to_string(),
        1000..9950 => format!("{:.1}k", count as f64 / 1000.0),
        _ => format!("{}k", (count + 500) / 1000),
    }
}

/// Instruments on a map, each with its index, its
/// position and how bad its status is; the greatest is the worst.
pub(super) fn placed(
    view: &View,
    instruments: impl Iterator<Item = (usize, Position, f64)>,
) -> Placed {
    // The last block gets the columns that remain.
    let across = usize::from(view.columns / COLUMNS).max(1);
    let count = across * usize::from(view.rows.div_ceil(ROWS));
    let plotter = view.plotter();
    let (width, height) = plotter.size();
    let mut blocks: Vec<Vec<Instrument>> = vec![Vec::new(); count];
    for (number, (index, position, severity)) in instruments.enumerate() {
        let cell = plotter.cell(Vector::new(position));
        let is_inside = |(x, y): &(f64, f64)| (0.0..width).contains(x) && (0.0..height).contains(y);
        let Some((x, y)) = cell.filter(is_inside) else {
            continue;
        };
        let cell = (to_cell(x), to_cell(y));
        let column = usize::from(cell.0 / COLUMNS).min(across - 1);
        if let Some(block) = blocks.get_mut(usize::from(cell.1 / ROWS) * across + column) {
            block.push(Instrument {
                number,
                index,
                position,
                severity,
                cell,
            });
        }
    }
    let mut single: Vec<Instrument> = Vec::new();
    let mut clusters = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        if are_single(block) {
            single.extend(block);
            continue;
        }
        let column = number % across;
        let left = u16::try_from(column).unwrap_or(0) * COLUMNS;
        let end = if column + 1 == across {
            view.columns
        } else {
            left + COLUMNS - 1
        };
        clusters.extend(cluster(block, left, end));
    }
    single.sort_unstable_by_key(|instrument| instrument.number);
    let single = single.iter();
    Placed {
        single: single
            .map(|instrument| (instrument.index, instrument.position))
            .collect(),
        clusters,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    #[test]
    fn those_that_meet_are_one_symbol_with_their_number_and_the_worst_status() {
        let view = View::world(120, 40, 2.0);
        let apart = [(0, at(40.0, -120.0), 1.0), (1, at(-40.0, 100.0), 1.0)];
        let together = (2..1300).map(|index| {
            let severity = if index == 700 { 5.0 } else { 1.0 };
            (
                index,
                at(10.0, 10.0 + 1e-4 * f64::from(u16::try_from(index).unwrap())),
                severity,
            )
        });
        let placed = placed(&view, apart.into_iter().chain(together));
        let mut single: Vec<usize> = placed.single.iter().map(|(index, _)| *index).collect();
        single.sort_unstable();
        assert_eq!(single, [0, 1]);
        let [cluster] = placed.clusters.as_slice() else {
            panic!("{placed:?}");
        };
        // One has an alarm, not all 1298.
        let words = (cluster.count.as_str(), cluster.others.as_str());
        assert_eq!((cluster.worst, words), (700, ("1", "+")));
    }

    #[test]
    fn the_number_of_a_cluster_is_not_behind_the_sign_of_another_instrument() {
        let view = View::world(120, 40, 2.0);
        for longitude in [-179.9, 10.0, 179.9] {
            let position = at(10.0, longitude);
            let mut placed = placed(&view, (0..12).map(|index| (index, position, 1.0)));
            let (x, y) = view.plotter().cell(Vector::new(position)).unwrap();
            let (x, y) = (to_cell(x), to_cell(y));
            assert!(
                placed.clusters[0].place.contains((x, y).into()),
                "{placed:?}"
            );
            placed.make_room(&view, position);
            let place = placed.clusters[0].place;
            assert!(!place.contains((x, y).into()), "{placed:?}");
            assert!(place.x + place.width <= view.columns, "{placed:?}");
        }
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
            let placed = placed(&view, everywhere);
            assert!(!placed.clusters.is_empty());
            for (number, one) in placed.clusters.iter().enumerate() {
                let place = one.place;
                assert!(
                    columns < COLUMNS || place.x + place.width <= columns,
                    "{one:?}"
                );
                assert!(place.y < rows, "{one:?}");
                for other in placed.clusters.iter().skip(number + 1) {
                    let other = other.place;
                    assert!(
                        other.y != place.y
                            || other.x + other.width < place.x
                            || place.x + place.width < other.x,
                        "{place:?} {other:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_number_has_at_most_four_characters() {
        for (count, written) in [
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
