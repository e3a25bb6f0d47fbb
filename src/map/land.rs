//! Which part of a map is land: the cells between the lines of the coast.
//!
//! The coast has land on its right. A line through the middles of a row of cells
//! therefore knows from each crossing of the coast on which side of it land is.
//! A row that no coast crosses is land or sea as a whole: what it is follows
//! from a column that crosses it, or, on a map without any coast, from the coasts
//! between it and the North Pole.

use super::coastline::is_land;
use super::view::View;

/// A part of a row of cells, such as its land.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LandSpan {
    /// The row.
    pub row: u16,
    /// Its beginning and its end, in columns.
    pub from: f64,
    /// Its end.
    pub to: f64,
}

/// A crossing of the coast by a row or a column.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Crossing {
    /// Its coordinate along the row or the column.
    at: f64,
    /// `true` if the land is on the side of smaller coordinates.
    is_land_before: bool,
}

/// The land of a view, row by row, from the lines of its coast, each through
/// points in cells.
pub(super) fn land(view: &View, lines: &[&[(f64, f64)]]) -> Vec<LandSpan> {
    let coast = || {
        let lines = lines.iter();
        lines.flat_map(|points| points.iter().zip(points.iter().skip(1)))
    };
    let (width, height) = (f64::from(view.columns), f64::from(view.rows));
    // Towards the lower rows, land is on the side of smaller columns.
    let across = crossings(
        coast().map(|(a, b)| ((a.1, a.0), (b.1, b.0))),
        view.rows,
        width,
    );
    // Towards the left columns too, if a column is read as a row: against the coast.
    let mut down: Option<Vec<Vec<Crossing>>> = None;
    let mut spans = Vec::new();
    let is_full = view.is_full();
    let mut last_alone: Option<(LandSpan, bool)> = None;
    for (row, crossings_of_row) in (0..view.rows).zip(&across) {
        let Some(reach) = (if is_full {
            Some(LandSpan {
                row,
                from: 0.0,
                to: width,
            })
        } else {
            reach(view, row)
        }) else {
            continue;
        };
        if crossings_of_row.is_empty() {
            let down = down.get_or_insert_with(|| {
                crossings(coast().map(|(a, b)| (*b, *a)), view.columns, height)
            });
            let middle = f64::midpoint(reach.from, reach.to);
            let alone = from_columns(down, reach).unwrap_or_else(|| {
                // Neighbouring rows without any crossing are alike.
                match last_alone {
                    Some((last, alone))
                        if last.row + 1 == row && last.from < reach.to && reach.from < last.to =>
                    {
                        alone
                    }
                    _ => view
                        .position_at(middle, f64::from(row) + 0.5)
                        .is_some_and(|position| is_land(view, position)),
                }
            });
            last_alone = Some((reach, alone));
            if alone {
                spans.push(reach);
            }
            continue;
        }
        last_alone = None;
        spans_of_row(reach, crossings_of_row, &mut spans);
    }
    spans
}

/// Adds the land of a row with crossings, of which `reach` shows the Earth.
fn spans_of_row(reach: LandSpan, crossings: &[Crossing], spans: &mut Vec<LandSpan>) {
    let mut from = reach.from;
    let mut add = |from: f64, to: f64| {
        let (from, to) = (from.max(reach.from), to.min(reach.to));
        if from < to {
            spans.push(LandSpan { from, to, ..reach });
        }
    };
    let mut is_land = crossings.first().is_some_and(|first| first.is_land_before);
    for crossing in crossings {
        // Both crossings of a stretch of land say so, unless the coast has a
        // hole.
        if is_land && crossing.is_land_before {
            add(from, crossing.at);
        }
        (from, is_land) = (crossing.at, !crossing.is_land_before);
    }
    if is_land {
        add(from, reach.to);
    }
}

/// The crossings of the coast with the middles of rows (or columns), sorted.
/// Points are given as (coordinate across the rows, coordinate along them). A coast towards
/// greater rows has its land on the side of smaller coordinates.
fn crossings(
    edges: impl Iterator<Item = ((f64, f64), (f64, f64))>,
    rows: u16,
    length: f64,
) -> Vec<Vec<Crossing>> {
    let mut found = vec![Vec::new(); usize::from(rows)];
    for (a, b) in edges {
        let (low, high) = (a.0.min(b.0), a.0.max(b.0));
        if high <= 0.5 || low > f64::from(rows) {
            continue;
        }
        // The rows whose middle is in (low, high].
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the rows
        let first = (low - 0.5).floor().max(-1.0) as i32 + 1;
        let mut row = usize::try_from(first).unwrap_or(0);
        #[allow(clippy::cast_precision_loss)] // at most some thousands
        let mut middle = row as f64 + 0.5;
        while middle <= high {
            let Some(of_row) = found.get_mut(row) else {
                break;
            };
            if middle > low {
                let at = a.1 + (b.1 - a.1) * (middle - a.0) / (b.0 - a.0);
                if (0.0..=length).contains(&at) {
                    of_row.push(Crossing {
                        at,
                        is_land_before: b.0 > a.0,
                    });
                }
            }
            (row, middle) = (row + 1, middle + 1.0);
        }
    }
    for of_row in &mut found {
        of_row.sort_unstable_by(|a, b| a.at.total_cmp(&b.at));
    }
    found
}

/// `Some(true)` if a row is land by the vote of the columns that cross it; `None`
/// if the coast crosses none of them, or the votes are equal.
fn from_columns(down: &[Vec<Crossing>], reach: LandSpan) -> Option<bool> {
    let middle = f64::from(reach.row) + 0.5;
    let columns = (0u16..).zip(down).filter(|(column, crossings)| {
        let x = f64::from(*column) + 0.5;
        reach.from <= x && x <= reach.to && !crossings.is_empty()
    });
    let mut votes = 0i32;
    for (_, crossings) in columns {
        let after = crossings.partition_point(|crossing| crossing.at < middle);
        let is_land = match crossings.get(after) {
            Some(next) => next.is_land_before,
            None => crossings.last().is_some_and(|last| !last.is_land_before),
        };
        votes += if is_land { 1 } else { -1 };
    }
    (votes != 0).then_some(votes > 0)
}

/// The part of a row that shows the Earth, to a column; `None` if none does.
fn reach(view: &View, row: u16) -> Option<LandSpan> {
    let y = f64::from(row) + 0.5;
    let shows = |column: &u16| view.position_at(f64::from(*column) + 0.5, y).is_some();
    let first = (0..view.columns).find(shows)?;
    let last = (first..view.columns).rev().find(shows)?;
    Some(LandSpan {
        row,
        from: f64::from(first),
        to: f64::from(last) + 1.0,
    })
}

#[cfg(test)]
mod tests;
