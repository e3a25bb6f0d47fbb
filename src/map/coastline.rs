//! The coastline of the world: land polygons of Natural Earth at three levels,
//! in tiles. A view decodes only the tiles that it shows. `assets/coastline.py`
//! creates the file and describes its layout.

use std::ops::Range;

use super::graticule::extent;
use super::view::View;
use crate::geo::projection::wrap;
use crate::geo::{Position, Vector};

/// Natural Earth 4 at 1:110m, 1:50m and 1:10m: public domain.
static ASSET: &[u8] = include_bytes!("../../assets/coastline.bin");

/// Degrees across a tile.
const TILE: u16 = 10;
/// Degrees from the middle of a tile to the farthest point of its lines, at most: a line may
/// extend beyond its tile by one segment.
const REACH_DEG: f64 = 8.5;
/// Tiles from west to east.
const COLUMNS: u16 = 360 / TILE;
/// Tiles from south to north.
const ROWS: u16 = 180 / TILE;
/// Levels in the file, coarse to fine.
const LEVELS: usize = 3;
/// Bytes of a level's directory entry.
const ENTRY: usize = 4 + 4 * (COLUMNS as usize * ROWS as usize + 1);

/// Widths of a column in metres down to which each level is used. At that scale
/// the points of the level are about half a column apart.
const COARSER_THAN_M: [f64; LEVELS - 1] = [25_000.0, 4_000.0];

/// Calls `draw` with each coast line that a view may show.
pub(crate) fn for_each_line(view: &View, mut draw: impl FnMut(&[Position])) {
    let level = level(view);
    let plotter = view.plotter();
    let mut line = Vec::new();
    let half = f64::from(TILE) / 2.0;
    // The extent is sampled: where the Earth ends on the map, what lies between its edge and the
    // last sample would be missed.
    let shown = extent(view).filter(|_| view.is_full());
    let (south, north) = shown.map_or((-90.0, 90.0), |(south, north, ..)| (south, north));
    for tile in 0..ROWS * COLUMNS {
        let centre = Position {
            latitude: f64::from(tile / COLUMNS * TILE) - 90.0 + half,
            longitude: f64::from(tile % COLUMNS * TILE) - 180.0 + half,
        };
        // A line may extend beyond its tile by one segment.
        let reach = half + 1.0;
        if !(south - reach..=north + reach).contains(&centre.latitude) {
            continue;
        }
        let centre = Vector::new(centre);
        if plotter.may_show(centre, REACH_DEG.to_radians()) {
            let _ = decode(ASSET, level, tile, &mut line, &mut draw);
        }
    }
}

/// The level of a view.
fn level(view: &View) -> usize {
    COARSER_THAN_M
        .iter()
        .position(|metres| view.metres_a_column > *metres)
        .unwrap_or(LEVELS - 1)
}

/// `true` if a position is on land at the level of a view: if its meridian crosses the coast an odd
/// number of times on the way to the North Pole, which is in the sea. Every coast is
/// a closed line on the sphere, so no single crossing decides.
pub(super) fn is_land(view: &View, position: Position) -> bool {
    let north = tile(position.latitude + 90.0, ROWS).saturating_sub(1)..ROWS;
    let crossings = crossings_of_meridian(level(view), north, wrap(position.longitude));
    is_south_of_odd(&crossings, position.latitude)
}

/// `true` if an odd number of latitudes are north of a latitude.
fn is_south_of_odd(crossings: &[f64], latitude: f64) -> bool {
    crossings.iter().filter(|at| **at > latitude).count() % 2 == 1
}

/// The latitudes at which a meridian crosses the coast in rows of tiles, unsorted.
fn crossings_of_meridian(level: usize, rows: Range<u16>, longitude: f64) -> Vec<f64> {
    let middle = i32::from(tile(longitude + 180.0, COLUMNS));
    let mut crossings = Vec::new();
    let mut line = Vec::new();
    let mut add = |points: &[Position]| {
        for (from, to) in points.iter().zip(points.iter().skip(1)) {
            let east = |point: &Position| wrap(point.longitude - longitude);
            let a = east(from);
            let b = east(to);
            if (a <= 0.0) != (b <= 0.0) && (a - b).abs() <= 180.0 {
                crossings.push(from.latitude + (to.latitude - from.latitude) * a / (a - b));
            }
        }
    };
    // A line may extend beyond its tile by one segment.
    for row in rows {
        for offset in -1..=1 {
            let turned = (middle + offset).rem_euclid(i32::from(COLUMNS));
            let column = u16::try_from(turned).unwrap_or(0);
            let _ = decode(ASSET, level, row * COLUMNS + column, &mut line, &mut add);
        }
    }
    crossings
}

/// The number of the tile at this many degrees from the first one's edge.
fn tile(degrees: f64, tiles: u16) -> u16 {
    // Saturates.
    let tile = (degrees / f64::from(TILE)).floor() as u16;
    tile.min(tiles - 1)
}

/// Decodes a tile and draws its lines; `None` at the first invalid byte, after
/// the lines before it.
fn decode(
    asset: &[u8],
    level: usize,
    tile: u16,
    line: &mut Vec<Position>,
    draw: &mut impl FnMut(&[Position]),
) -> Option<()> {
    let word = |at: usize| -> Option<u32> {
        let bytes: [u8; 4] = asset.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(bytes))
    };
    let entry = 4 + level * ENTRY;
    let grid = f64::from(word(entry)?);
    let offset = |tile: usize| usize::try_from(word(entry + 4 + 4 * tile)?).ok();
    let mut bytes = asset.get(offset(usize::from(tile))?..offset(usize::from(tile) + 1)?)?;
    let west = f64::from(tile % COLUMNS * TILE) - 180.0;
    let south = f64::from(tile / COLUMNS * TILE) - 90.0;
    for _ in 0..varint(&mut bytes)? {
        line.clear();
        let mut x = 0i64;
        let mut y = 0i64;
        for _ in 0..varint(&mut bytes)? {
            x = x.checked_add(zigzag(&mut bytes)?)?;
            y = y.checked_add(zigzag(&mut bytes)?)?;
            let right = x as f64 / grid;
            let up = y as f64 / grid;
            line.push(Position {
                latitude: (south + up).clamp(-90.0, 90.0),
                longitude: wrap(west + right),
            });
        }
        draw(line);
    }
    Some(())
}

/// Reads an unsigned number of seven bits a byte, least significant first.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..63).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Reads a signed number: 0, -1, 1, -2 … are encoded as 0, 1, 2, 3 …
fn zigzag(bytes: &mut &[u8]) -> Option<i64> {
    let value = varint(bytes)?;
    let half = (value >> 1).cast_signed();
    Some(if value & 1 == 0 { half } else { -half - 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::sphere;
    use crate::testing::recorded;

    fn all(level: usize) -> Vec<Vec<Position>> {
        let mut lines = Vec::new();
        let mut line = Vec::new();
        for tile in 0..COLUMNS * ROWS {
            decode(ASSET, level, tile, &mut line, &mut |one: &[Position]| {
                lines.push(one.to_vec())
            })
            .unwrap_or_else(|| panic!("tile {tile} of level {level} does not decode"));
        }
        lines
    }

    #[test]
    fn every_tile_decodes_and_the_file_is_small() {
        assert!(ASSET.len() < 1_300_000, "{}", ASSET.len());
        let points: Vec<usize> = (0..LEVELS)
            .map(|level| all(level).iter().map(Vec::len).sum())
            .collect();
        assert!(
            points.is_sorted() && points[0] > 4_000 && points[2] > 300_000,
            "{points:?}"
        );
    }

    #[test]
    fn no_line_runs_along_the_antimeridian_or_about_the_south_pole() {
        for level in 0..LEVELS {
            for line in all(level) {
                for edge in line.windows(2) {
                    let side = |p: &Position| p.longitude.abs() > 179.98;
                    let along = side(&edge[0])
                        && side(&edge[1])
                        && (edge[0].latitude - edge[1].latitude).abs() > 0.05;
                    assert!(!along, "level {level}: {edge:?}");
                    assert!(
                        edge.iter().all(|p| p.latitude > -89.0),
                        "level {level}: {edge:?}"
                    );
                    assert!(
                        sphere::distance_m(edge[0], edge[1]) < 1.5e6,
                        "level {level}: {edge:?}"
                    );
                }
            }
        }
    }

    /// The answers for a grid of points that `tests/land.py` makes with another library
    /// from the polygons themselves.
    #[test]
    fn the_earth_is_land_where_another_library_says_so_at_every_level() {
        const ROW: usize = 1800;
        let expected = recorded::unpacked("land.bin");
        assert_eq!(expected.len(), LEVELS * ROW * ROW / 2);
        let middle = |point: usize| (point as f64 + 0.5) / 5.0;
        for (level, expected) in expected.chunks(ROW * ROW / 2).enumerate() {
            let mut compared = 0;
            for column in 0..ROW {
                let longitude = middle(column) - 180.0;
                let crossings = crossings_of_meridian(level, 0..ROWS, longitude);
                for (row, points) in expected.chunks(ROW).enumerate() {
                    let latitude = middle(row) - 90.0;
                    let is_land = match points[column] {
                        0 => false,
                        1 => true,
                        _ => continue,
                    };
                    compared += 1;
                    assert_eq!(
                        is_south_of_odd(&crossings, latitude),
                        is_land,
                        "level {level}: {latitude} {longitude}"
                    );
                }
            }
            assert!(compared > 1_616_000, "level {level}: {compared}");
        }
    }

    #[test]
    fn every_coast_is_closed_and_has_its_land_on_the_right() {
        for level in 0..LEVELS {
            let mut ends = std::collections::HashMap::new();
            let mut add = |point: Position, by: i32| {
                // A point of the antimeridian has two longitudes.
                let round = |degrees: f64| (degrees * 3000.0).round() as i64;
                let longitude = round(point.longitude).rem_euclid(360 * 3000);
                *ends.entry((longitude, round(point.latitude))).or_insert(0) += by;
            };
            for line in all(level) {
                add(line[0], 1);
                add(line[line.len() - 1], -1);
            }
            // Each line ends where as many begin.
            ends.retain(|_, balance| *balance != 0);
            assert!(ends.is_empty(), "level {level}: {ends:?}");
        }
        // The open Pacific south of an atoll that rounding folds into a loop.
        for longitude in (-14098..-14095).map(|hundredths| f64::from(hundredths) / 100.0) {
            let sea = crate::testing::at(-52.855, longitude);
            for level in 0..LEVELS {
                let crossings = crossings_of_meridian(level, 0..ROWS, longitude);
                assert!(
                    !is_south_of_odd(&crossings, sea.latitude),
                    "level {level}: {longitude}"
                );
            }
        }
    }

    #[test]
    fn known_places_on_the_coast_lie_on_it() {
        let finest = all(LEVELS - 1);
        for (name, latitude, longitude, within_m) in [
            ("Cape Agulhas", -34.833, 20.0, 5_000.0),
            ("Nordkinn", 71.134, 27.654, 5_000.0),
            ("Bergen", 60.40, 5.32, 6_000.0),
            ("Suva", -18.15, 178.44, 6_000.0),
        ] {
            let position = crate::testing::at(latitude, longitude);
            let nearest = finest
                .iter()
                .flatten()
                .map(|p| sphere::distance_m(*p, position))
                .fold(f64::MAX, f64::min);
            assert!(nearest < within_m, "{name}: {nearest}");
        }
    }

    #[test]
    fn the_map_of_the_world_has_new_zealand_and_fiji() {
        let view = View::world(160, 45, 2.0);
        let mut islands = [false; 2];
        for_each_line(&view, |line| {
            for p in line {
                islands[0] |= p.longitude > 172.0 && (-47.0..-34.0).contains(&p.latitude);
                islands[1] |= p.longitude > 177.0 && (-19.0..-16.0).contains(&p.latitude);
            }
        });
        assert_eq!(islands, [true, true]);
    }

    #[test]
    fn a_view_reads_only_the_tiles_it_shows() {
        let near = View::fit(
            Some(crate::geo::BoundingBox {
                west: 4.0,
                south: 59.5,
                east: 6.0,
                north: 61.0,
            }),
            &[],
            80,
            30,
            2.0,
        );
        let mut points = 0;
        for_each_line(&near, |line| {
            points += line.len();
            assert!(
                line.iter()
                    .all(|p| (45.0..75.0).contains(&p.latitude) && p.longitude.abs() < 45.0)
            );
        });
        assert!((100..60_000).contains(&points), "{points}");
    }

    proptest::proptest! {
        #[test]
        fn damaged_bytes_never_make_it_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..600), at in 0usize..8000) {
            let mut asset = ASSET.get(..16_000).unwrap().to_vec();
            for (index, byte) in (at..).zip(bytes) {
                asset[index] = byte;
            }
            let mut line = Vec::new();
            for tile in (0..COLUMNS * ROWS).step_by(29) {
                let _ = decode(&asset, 0, tile, &mut line, &mut |_: &[Position]| ());
            }
        }
    }
}
