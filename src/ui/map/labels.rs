//! Where the labels of a map stand: none over another, none over the track.

use crate::app::layout::Area;
use crate::chart::{Layer, Raster};
use crate::text;

/// Cost of a label per cell with dots of the coast below it; one of the
/// graticule costs 1.
const COAST: u32 = 3;
/// Cost of each row between a label and its symbol.
const ROW: u32 = 9;

/// The cells of a map that are taken by labels and symbols.
pub(super) struct Labels<'a> {
    area: Area,
    raster: &'a Raster,
    taken: Vec<Area>,
}

impl<'a> Labels<'a> {
    /// No labels yet on a map of these lines.
    pub(super) fn new(area: Area, raster: &'a Raster) -> Self {
        Self {
            area,
            raster,
            taken: Vec::new(),
        }
    }

    /// Takes cells of a row of the map.
    pub(super) fn take(&mut self, place: Area) {
        self.taken.push(place);
    }

    /// Whether a label fits at a place: a cell to either side of it must be
    /// free.
    pub(super) fn is_free(&self, place: Area) -> bool {
        place.x + place.width <= self.area.width
            && place.y < self.area.height
            && self.taken.iter().all(|other| {
                other.y != place.y
                    || other.x + other.width < place.x
                    || place.x + place.width < other.x
            })
    }

    /// Takes the place beside the cell `at` where a label of `width` cells hides
    /// least: right, left, above or below, at most `rows` rows away.
    /// `None` if each is taken, leaves the map or lies on a track.
    pub(super) fn place(&mut self, at: (u16, u16), width: u16, rows: u16) -> Option<Area> {
        let (x, y, wide) = (i32::from(at.0), i32::from(at.1), i32::from(width));
        let (right, left, middle) = (x + 2, x - wide - 1, x - wide / 2);
        let rows = (0..=i32::from(rows)).flat_map(|away| [(-away, away > 0), (away, away > 0)]);
        let candidates = rows.flat_map(|(row, has_middle)| {
            [(right, true), (left, true), (middle, has_middle)]
                .into_iter()
                .filter(|(_, is_there)| *is_there)
                .map(move |(column, _)| (column, y + row))
        });
        let mut best: Option<(u32, Area)> = None;
        for (column, row) in candidates {
            let (Ok(column), Ok(row)) = (u16::try_from(column), u16::try_from(row)) else {
                continue;
            };
            let place = Area::new(column, row, width, 1);
            if !self.is_free(place) {
                continue;
            }
            let Some(hidden) = self.cost(place) else {
                continue;
            };
            let cost = hidden + ROW * u32::from(row.abs_diff(at.1));
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, place));
            }
        }
        let (_, place) = best?;
        self.take(place);
        Some(place)
    }

    /// What a label at a place would hide; `None` for a part of a track.
    fn cost(&self, place: Area) -> Option<u32> {
        let mut cost = 0;
        for column in place.x..place.x + place.width {
            cost += match self.raster.layer_at(column, place.y) {
                None => 0,
                Some(Layer::Graticule) => 1,
                Some(Layer::Coast | Layer::Ring | Layer::WatchCircle) => COAST,
                Some(Layer::Tail | Layer::Gap | Layer::Jump | Layer::Track | Layer::Measure) => {
                    return None;
                }
            };
        }
        Some(cost)
    }
}

/// The number of cells of a label.
pub(super) fn cells(label: &str) -> u16 {
    u16::try_from(text::width(label)).unwrap_or(u16::MAX)
}

/// The cell of a coordinate; coordinates before the first cell give the first.
pub(super) fn to_cell(coordinate: f64) -> u16 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    let cell = coordinate.floor() as u16;
    cell
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Ink;

    fn line(points: &[(f64, f64)]) -> Raster {
        let mut raster = Raster::new(40, 12, (2, 4));
        let ink = Ink {
            layer: Layer::Track,
            order: 0,
        };
        raster.line(points, ink);
        raster
    }

    #[test]
    fn a_label_never_lies_on_the_track() {
        // The track ends at (20, 6), coming from the right, and from the left.
        for from in [0.5, 39.5] {
            let raster = line(&[(from, 6.5), (20.5, 6.5)]);
            let mut labels = Labels::new(Area::new(0, 0, 40, 12), &raster);
            let place = labels.place((20, 6), 10, 1).unwrap();
            assert!(
                (place.x..place.x + 10).all(|x| raster.layer_at(x, place.y).is_none()),
                "{place:?}"
            );
        }
        // A map full of track has no place.
        let mut raster = line(&[]);
        for row in 0..12 {
            let y = f64::from(row) + 0.5;
            let ink = Ink {
                layer: Layer::Track,
                order: 0,
            };
            raster.line(&[(0.0, y), (40.0, y)], ink);
        }
        let mut labels = Labels::new(Area::new(0, 0, 40, 12), &raster);
        assert_eq!(labels.place((20, 6), 10, 2), None);
    }

    #[test]
    fn no_two_labels_share_a_cell() {
        let raster = line(&[]);
        let mut labels = Labels::new(Area::new(0, 0, 40, 12), &raster);
        let places: Vec<Area> = (0..40)
            .filter_map(|n| labels.place((n, 6), 12, 1))
            .collect();
        assert!(places.len() > 2);
        for (n, one) in places.iter().enumerate() {
            for other in places.iter().skip(n + 1) {
                assert!(
                    one.y != other.y
                        || one.x + one.width < other.x
                        || other.x + other.width < one.x
                );
            }
        }
    }
}
