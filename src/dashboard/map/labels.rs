//! Labels of a map: none over another label or over the track.

use crate::dashboard::layout::Area;
use crate::map::{Layer, Raster};

/// Cost of a label per cell with dots of the coast below it; one of the
/// graticule costs 1.
const COAST: u32 = 3;
/// Cost of each row between a label and its symbol.
const ROW: u32 = 9;
/// Blank cells between a label and each symbol in its row that is not its own: more
/// than between it and its own.
const APART: u16 = 3;

/// The cells of a map that labels and symbols take.
pub(super) struct Labels<'a> {
    area: Area,
    raster: &'a Raster,
    taken: Vec<Area>,
    symbols: Vec<Area>,
}

impl<'a> Labels<'a> {
    /// No labels yet on a map of these lines.
    pub(super) fn new(area: Area, raster: &'a Raster) -> Self {
        Self {
            area,
            raster,
            taken: Vec::new(),
            symbols: Vec::new(),
        }
    }

    /// Takes the cell of a symbol.
    pub(super) fn take_symbol(&mut self, at: Area) {
        self.symbols.push(at);
        self.take(at);
    }

    /// Takes cells of the map.
    pub(super) fn take(&mut self, place: Area) {
        self.taken.push(place);
    }

    /// `true` if an area is free, with a blank cell on each side.
    pub(super) fn is_free(&self, place: Area) -> bool {
        place.x + place.width <= self.area.width
            && place.y < self.area.height
            && !self.taken.iter().any(|other| touch(*other, place))
    }

    /// Takes the area touching the symbol at `at` where a label of `width` cells hides
    /// least: right or left of it, or above or below it starting at its column. `None`
    /// if all are taken, outside the map, on a track, or could be read as the name of
    /// another symbol.
    pub(super) fn place_touching(&mut self, at: Area, width: u16) -> Option<Area> {
        let all = self.touching(at, width).into_iter();
        let places = all.filter(|place| self.is_free(*place) && self.is_apart(at, *place));
        let hidden = |place: Area| {
            let away = ROW * u32::from(place.y.abs_diff(at.y));
            Some((self.cost(place)? + away, place))
        };
        let (_, place) = places.filter_map(hidden).min_by_key(|(cost, _)| *cost)?;
        self.take(place);
        Some(place)
    }

    /// As [`Self::place_touching`], but over a track or, at worst, over other symbols.
    /// `None` if the label is wider than the map.
    pub(super) fn place_always(&mut self, at: Area, width: u16) -> Option<Area> {
        if let Some(place) = self.place_touching(at, width) {
            return Some(place);
        }
        let mut places = self.touching(at, width);
        if width <= self.area.width {
            // Above or below, moved to the left as far as it needs.
            let column = at.x.min(self.area.width - width);
            let beside = [at.y.checked_sub(1), at.y.checked_add(1)];
            let rows = beside.into_iter().flatten();
            let on_map = rows.filter(|row| *row < self.area.height);
            places.extend(on_map.map(|row| Area::new(column, row, width, 1)));
        }
        let faults = |place: &Area| (!self.is_free(*place), !self.is_apart(at, *place));
        let place = places.into_iter().min_by_key(faults)?;
        self.take(place);
        Some(place)
    }

    /// Takes cells of the map for a caption, of so many columns and lines, that hides no symbol
    /// and no track, and has none next to it: a corner, the lower ones first, else the lowest
    /// place. `None` if there is none.
    pub(super) fn clear(&mut self, width: u16, height: u16) -> Option<Area> {
        let right = self.area.width.checked_sub(width)?;
        let bottom = self.area.height.checked_sub(height)?;
        let corners = [(0, bottom), (right, bottom), (0, 0), (right, 0)];
        let anywhere = (0..=bottom)
            .rev()
            .flat_map(|y| (0..=right).map(move |x| (x, y)));
        let mut places = corners.into_iter().chain(anywhere);
        // A symbol or a label close to it in a line would seem to belong to that.
        let with_sides = |place: Area| {
            let x = place.x.saturating_sub(APART - 1);
            let end = (place.x + width + APART - 1).min(self.area.width);
            Area::new(x, place.y, end - x, height)
        };
        let is_clear = |place: &Area| self.is_free(with_sides(*place)) && self.is_clear(*place);
        let place = places.find_map(|(x, y)| {
            let place = Area::new(x, y, width, height);
            is_clear(&place).then_some(place)
        })?;
        let taken = with_sides(place);
        self.take(taken);
        Some(place)
    }

    /// `true` if an area is free and hides no track or instrument.
    pub(super) fn is_clear(&self, place: Area) -> bool {
        self.is_free(place) && self.cost(place).is_some()
    }

    /// The areas on the map that touch a symbol: right, left, above, below.
    fn touching(&self, at: Area, width: u16) -> Vec<Area> {
        let Area { x, y, .. } = at;
        let around = [
            (x.checked_add(2), Some(y)),
            (x.checked_sub(width.saturating_add(1)), Some(y)),
            (Some(x), y.checked_sub(1)),
            (Some(x), y.checked_add(1)),
        ];
        let places = around.into_iter();
        let places = places.filter_map(|(x, y)| Some(Area::new(x?, y?, width, 1)));
        let (columns, rows) = (self.area.width, self.area.height);
        places
            .filter(|place| place.x.saturating_add(width) <= columns && place.y < rows)
            .collect()
    }

    /// `true` if no symbol but that at `at` is close to an area in the same row.
    fn is_apart(&self, at: Area, place: Area) -> bool {
        let end = place.x + place.width;
        let mut symbols = self.symbols.iter();
        symbols.all(|symbol| {
            let is_far = symbol.x + APART < place.x || end + APART <= symbol.x;
            *symbol == at || symbol.y != place.y || is_far
        })
    }

    /// The cost of the lines that a label would hide; `None` if it would hide a track.
    fn cost(&self, place: Area) -> Option<u32> {
        let mut cost = 0;
        for cell in place.positions() {
            cost += match self.raster.layer_at(cell.x, cell.y) {
                None => 0,
                Some(Layer::Graticule) => 1,
                Some(layer) if layer < Layer::Tail => COAST,
                Some(_) => return None,
            };
        }
        Some(cost)
    }
}

/// `true` if two areas share a row and have no blank cell between them.
fn touch(one: Area, other: Area) -> bool {
    let with_blank = |area: Area| Area::new(area.x, area.y, area.width + 1, area.height);
    with_blank(one).intersects(with_blank(other))
}

/// The cell of a coordinate; coordinates before the first cell give the first.
pub(super) fn to_cell(coordinate: f64) -> u16 {
    // Saturates.
    coordinate.floor() as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::{GlyphSet, Ink};

    fn cell(column: u16, row: u16) -> Area {
        Area::new(column, row, 1, 1)
    }

    fn line(points: &[(f64, f64)]) -> Raster {
        let mut raster = Raster::new(40, 12, GlyphSet::Braille);
        let ink = Ink {
            layer: Layer::Track,
            track: 0,
            order: 0,
        };
        raster.line(points, ink);
        raster
    }

    #[test]
    fn a_label_never_lies_on_the_track() {
        // The track ends at cell(20, 6), coming from the right, and from the left.
        for from in [0.5, 39.5] {
            let raster = line(&[(from, 6.5), (20.5, 6.5)]);
            let mut labels = Labels::new(Area::new(0, 0, 40, 12), &raster);
            let place = labels.place_touching(cell(20, 6), 10).unwrap();
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
                track: 0,
                order: 0,
            };
            raster.line(&[(0.0, y), (40.0, y)], ink);
        }
        let mut labels = Labels::new(Area::new(0, 0, 40, 12), &raster);
        assert_eq!(labels.place_touching(cell(20, 6), 10), None);
    }

    #[test]
    fn a_caption_stands_in_a_corner_without_track() {
        let area = Area::new(0, 0, 40, 12);
        let usual = line(&[]);
        let mut labels = Labels::new(area, &usual);
        assert_eq!(labels.clear(12, 1), Some(Area::new(0, 11, 12, 1)));
        assert_eq!(labels.clear(12, 1), Some(Area::new(28, 11, 12, 1)));
        // A track along the lowest row, and one that comes up at the right, too.
        let raster = line(&[(0.5, 11.5), (39.5, 11.5), (39.5, 0.5), (20.5, 0.5)]);
        let mut labels = Labels::new(area, &raster);
        assert_eq!(labels.clear(12, 1), Some(Area::new(0, 0, 12, 1)));
    }

    #[test]
    fn a_caption_hides_no_track_wherever_that_is() {
        // All around the map: there is room within.
        let around = [
            (0.5, 0.5),
            (39.5, 0.5),
            (39.5, 11.5),
            (0.5, 11.5),
            (0.5, 0.5),
        ];
        let area = Area::new(0, 0, 40, 12);
        let raster = line(&around);
        let place = Labels::new(area, &raster).clear(12, 2);
        assert_eq!(place, Some(Area::new(1, 9, 12, 2)));
        // Over all rows: there is none.
        let mut raster = line(&[]);
        for row in 0..12 {
            let y = f64::from(row) + 0.5;
            let ink = Ink {
                layer: Layer::Track,
                track: 0,
                order: 0,
            };
            raster.line(&[(0.0, y), (40.0, y)], ink);
        }
        assert_eq!(Labels::new(area, &raster).clear(12, 1), None);
    }

    #[test]
    fn a_caption_covers_no_symbol_and_no_label_covers_it() {
        let area = Area::new(0, 0, 40, 12);
        let raster = line(&[(0.5, 0.5), (39.5, 0.5), (39.5, 11.5)]);
        let mut labels = Labels::new(area, &raster);
        // The corner without a track has a symbol in its second row.
        labels.take_symbol(cell(5, 10));
        let place = labels.clear(12, 4).unwrap();
        assert_eq!(place, Area::new(9, 8, 12, 4));
        assert!((8..12).all(|row| !labels.is_free(Area::new(10, row, 5, 1))));
        assert!(labels.is_free(Area::new(10, 7, 5, 1)));
        // Nor is a label close to it.
        assert!(!labels.is_free(Area::new(23, 8, 5, 1)));
        assert!(labels.is_free(Area::new(24, 8, 5, 1)));
    }

    #[test]
    fn a_name_touches_its_own_symbol_and_stands_beside_no_other() {
        let raster = line(&[]);
        // The other symbol is one row below, where the name would fit.
        for other in [(18, 7), (20, 7), (25, 6), (31, 5), (15, 6), (7, 6)] {
            let mut labels = Labels::new(Area::new(0, 0, 40, 12), &raster);
            labels.take_symbol(cell(20, 6));
            labels.take_symbol(cell(other.0, other.1));
            let Some(place) = labels.place_touching(cell(20, 6), 10) else {
                continue;
            };
            let beside = place.y == 6 && (place.x == 22 || place.x + 10 == 19);
            let over = place.x == 20 && place.y.abs_diff(6) == 1;
            assert!(beside || over, "{other:?}: {place:?}");
            let gap = if other.0 < place.x {
                place.x - other.0
            } else {
                other.0 - (place.x + 9)
            };
            assert!(place.y != other.1 || gap > 2, "{other:?}: {place:?}");
        }
    }

    #[test]
    fn a_name_that_could_be_read_as_that_of_another_is_left_out_unless_it_is_selected() {
        let raster = line(&[]);
        let mut labels = Labels::new(Area::new(0, 0, 40, 12), &raster);
        for (x, y) in [(20, 6), (24, 6), (16, 6), (18, 5), (18, 7)] {
            labels.take_symbol(cell(x, y));
        }
        assert_eq!(labels.place_touching(cell(20, 6), 10), None);
        assert!(labels.place_always(cell(20, 6), 10).is_some());
        // At the edge of the map the name is next to or below the symbol too.
        for at in [cell(0, 0), cell(39, 11), cell(39, 0)] {
            let mut labels = Labels::new(Area::new(0, 0, 40, 12), &raster);
            labels.take_symbol(at);
            let place = labels.place_always(at, 38).unwrap();
            assert!(place.x + 38 <= 40 && place.y < 12, "{at:?}: {place:?}");
        }
    }

    #[test]
    fn no_two_labels_share_a_cell() {
        let raster = line(&[]);
        let mut labels = Labels::new(Area::new(0, 0, 40, 12), &raster);
        let places: Vec<Area> = (0..40)
            .filter_map(|n| labels.place_touching(cell(n, 6), 12))
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
