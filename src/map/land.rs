//! Which part of a map is land: the cells between the lines of the coast.
//!
//! The coast has land on its right. A line through the middles of a row of cells
//! therefore knows from each crossing of the coast on which side of it land is.
//! A row that no coast crosses is land or sea as a whole: as the row above it, if no coast
//! lies between their middles, else by the coasts between it and the North Pole.

use super::coastline::is_land;
use super::view::{Plotter, View};

/// A part of a row of cells, such as its land.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LandSpan {
    pub row: u16,
    /// Its beginning and its end, in columns.
    pub from: f64,
    /// Its end.
    pub to: f64,
}

/// A crossing of the coast by a row.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Crossing {
    /// Its column.
    at: f64,
    /// `true` if the land is on the side of smaller columns.
    is_land_before: bool,
}

/// The land of a view, row by row, from the lines of its coast, each through
/// points in cells.
pub(super) fn land(view: &View, lines: &[&[(f64, f64)]]) -> Vec<LandSpan> {
    let edges = lines
        .iter()
        .flat_map(|points| points.iter().zip(points.iter().skip(1)));
    let width = f64::from(view.columns);
    // Towards the lower rows, land is on the side of smaller columns.
    let across = crossings(view, edges.clone());
    // Between the middle of a row and that of the row above it. Coasts along the rows cross none
    // of them.
    let mut is_coast_above = vec![false; usize::from(view.rows)];
    for (a, b) in edges {
        let first = (a.1.min(b.1) - 0.5).floor() + 1.0;
        // Saturates.
        let rows = first.max(0.0) as usize..(a.1.max(b.1) + 0.5).ceil().max(0.0) as usize;
        let rows = rows.start..rows.end.min(is_coast_above.len());
        if let Some(rows) = is_coast_above.get_mut(rows) {
            rows.fill(true);
        }
    }
    let mut spans = Vec::new();
    let is_full = view.is_full();
    let plotter = view.plotter();
    let columns: Vec<u16> = (0..view.columns).collect();
    let mut last_alone: Option<(LandSpan, bool)> = None;
    let rows = (0..view.rows).zip(is_coast_above);
    for ((row, is_coast_above), crossings_of_row) in rows.zip(&across) {
        let whole = LandSpan {
            row,
            from: 0.0,
            to: width,
        };
        let shown = if is_full {
            Some(whole)
        } else {
            reach(&plotter, &columns, row)
        };
        let Some(reach) = shown else {
            continue;
        };
        if crossings_of_row.is_empty() {
            let alone = match last_alone {
                Some((last, alone))
                    if last.row + 1 == row
                        && last.from < reach.to
                        && reach.from < last.to
                        && !is_coast_above =>
                {
                    alone
                }
                _ => plotter
                    .position_at(f64::midpoint(reach.from, reach.to), f64::from(row) + 0.5)
                    .is_some_and(|position| is_land(view, position)),
            };
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
// Counted, and not by turns of land and sea: two sides of an inlet that lie in the wrong order
// turn only what is between them so, and not the rest of the row.
fn spans_of_row(reach: LandSpan, crossings: &[Crossing], spans: &mut Vec<LandSpan>) {
    let step = |crossing: &Crossing| if crossing.is_land_before { -1 } else { 1 };
    let depths = crossings.iter().scan(0, |depth, crossing| {
        *depth += step(crossing);
        Some(*depth)
    });
    // It is nowhere less than none.
    let mut depth = -depths.min().unwrap_or(0).min(0);
    let mut from = reach.from;
    let crossings = crossings
        .iter()
        .map(|crossing| (crossing.at, step(crossing)));
    for (at, step) in crossings.chain([(reach.to, 0)]) {
        let to = at.min(reach.to);
        if depth > 0 && from < to {
            spans.push(LandSpan { from, to, ..reach });
        }
        from = at.max(reach.from);
        depth += step;
    }
}

/// The crossings of the edges of the coast with the middles of the rows of a view, sorted; without
/// those of land or sea too narrow to be seen, whose two sides may lie in the wrong order.
fn crossings<'a>(
    view: &View,
    edges: impl Iterator<Item = (&'a (f64, f64), &'a (f64, f64))>,
) -> Vec<Vec<Crossing>> {
    let width = f64::from(view.columns);
    let mut found: Vec<Vec<Crossing>> = vec![Vec::new(); usize::from(view.rows)];
    for (a, b) in edges {
        let low = a.1.min(b.1);
        let high = a.1.max(b.1);
        // The rows whose middle is in (low, high]. Saturates.
        let first = (low + 0.5).floor().max(0.0) as usize;
        let end = ((high + 0.5).floor().max(0.0) as usize).min(found.len());
        let rows = found.get_mut(first..end).unwrap_or_default();
        for (row, of_row) in (first..).zip(rows) {
            let at = a.0 + (b.0 - a.0) * (row as f64 + 0.5 - a.1) / (b.1 - a.1);
            if (0.0..=width).contains(&at) {
                of_row.push(Crossing {
                    at,
                    is_land_before: b.1 > a.1,
                });
            }
        }
    }
    for of_row in &mut found {
        of_row.sort_unstable_by(|a, b| a.at.total_cmp(&b.at));
        let mut seen: Vec<Crossing> = Vec::with_capacity(of_row.len());
        for crossing in of_row.drain(..) {
            let is_narrow = |last: &mut Crossing| {
                last.is_land_before != crossing.is_land_before
                    && crossing.at - last.at < view.unseen
            };
            if seen.pop_if(is_narrow).is_none() {
                seen.push(crossing);
            }
        }
        *of_row = seen;
    }
    found
}

/// The part of a row that shows the Earth, to a column of `columns`, which are all of the map;
/// `None` if none does.
fn reach(plotter: &Plotter, columns: &[u16], row: u16) -> Option<LandSpan> {
    let y = f64::from(row) + 0.5;
    let shows = |column: &u16| plotter.position_at(f64::from(*column) + 0.5, y).is_some();
    // In every projection the Earth is in one piece, and each row of it about this column. Saturates.
    let middle = plotter.origin_column().max(0.0) as usize;
    let (left, right) = columns.split_at(middle.min(columns.len().saturating_sub(1)));
    right.first().filter(|middle| shows(middle))?;
    Some(LandSpan {
        row,
        from: left.partition_point(|column| !shows(column)) as f64,
        to: (left.len() + right.partition_point(shows)) as f64,
    })
}

#[cfg(test)]
mod tests;
