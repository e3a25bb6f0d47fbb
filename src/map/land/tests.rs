//! Land by rows of cells against land by the coasts of each cell's meridian.

use crate::geo::BoundingBox;
use crate::geo::projection::Projection;
use crate::map::ink::Layer;
use crate::map::land::*;
use crate::map::raster::{GlyphSet, Raster};
use crate::map::scene::base_map;
use crate::testing::at;

/// `true` for each cell of a view that is land, row by row.
fn filled(view: &View, spans: &[LandSpan]) -> Vec<bool> {
    let width = usize::from(view.columns);
    let mut cells = vec![false; width * usize::from(view.rows)];
    for span in spans {
        for column in 0..view.columns {
            let x = f64::from(column) + 0.5;
            if span.from <= x && x < span.to {
                cells[usize::from(span.row) * width + usize::from(column)] = true;
            }
        }
    }
    cells
}

/// Checks a fifth of the cells of a view, or some of every row where they are many, those at a
/// coast left out; returns how many of them are land and sea.
fn check(view: &View, what: &str) -> (usize, usize) {
    let every = (u32::from(view.columns) * u32::from(view.rows) / 4_000).max(5);
    let scene = base_map(view, 36.0);
    let cells = filled(view, &scene.land);
    let mut raster = Raster::new(view.columns, view.rows, GlyphSet::Braille);
    raster.draw_lines(&scene);
    let is_coast = |column: i32, row: i32| {
        let (column, row) = (u16::try_from(column), u16::try_from(row));
        matches!((column, row), (Ok(x), Ok(y)) if raster.layer_at(x, y) == Some(Layer::Coast))
    };
    let (mut land, mut sea) = (0, 0);
    for row in 0..view.rows {
        for column in 0..view.columns {
            let filled = cells[usize::from(row) * usize::from(view.columns) + usize::from(column)];
            let here = view.position_at(f64::from(column) + 0.5, f64::from(row) + 0.5);
            let Some(here) = here else {
                assert!(!filled, "{what}: {column} {row} is beside the Earth");
                continue;
            };
            if (u32::from(column) + 2 * u32::from(row)) % every != 0 {
                continue;
            }
            let (x, y) = (i32::from(column), i32::from(row));
            let near = (-1..=1).any(|a| (-1..=1).any(|b| is_coast(x + a, y + b)));
            if near {
                continue;
            }
            assert_eq!(
                filled,
                is_land(view, here),
                "{what}: cell {column} {row} at {here:?}"
            );
            if filled {
                land += 1;
            } else {
                sea += 1;
            }
        }
    }
    (land, sea)
}

#[test]
fn known_places_are_land_or_sea_at_every_level() {
    for metres_a_column in [50_000.0, 10_000.0, 500.0] {
        let view = View {
            metres_a_column,
            ..View::world(160, 45, 2.0)
        };
        for (name, position, expected) in [
            ("Berlin", at(52.5, 13.4), true),
            ("Brasilia", at(-15.8, -47.9), true),
            ("Alice Springs", at(-23.7, 133.9), true),
            ("the South Pole", at(-89.99, 100.0), true),
            ("Vostok", at(-78.5, 106.8), true),
            ("the middle of Greenland", at(72.0, -40.0), true),
            ("Chukotka at the antimeridian", at(67.5, 180.0), true),
            ("the North Pole", at(90.0, 0.0), false),
            ("the middle Atlantic", at(30.0, -40.0), false),
            ("the Pacific at the antimeridian", at(0.0, -180.0), false),
            ("the Drake Passage", at(-59.0, -64.0), false),
            ("Hudson Bay", at(60.0, -85.0), false),
            ("the Black Sea", at(43.2, 34.0), false),
            // Natural Earth has a mark there.
            ("the Gulf of Guinea at 0, 0", at(0.0, 0.0), false),
        ] {
            assert_eq!(
                is_land(&view, position),
                expected,
                "{name} at {metres_a_column}"
            );
        }
    }
}

#[test]
fn the_rows_of_the_whole_world_are_land_where_their_cells_are() {
    for meridian in [0.0, 95.0, 180.0, -120.0] {
        let view = View {
            meridian,
            centre: at(0.0, meridian),
            ..View::world(160, 45, 2.0)
        };
        let (land, sea) = check(&view, &format!("the world about {meridian}"));
        assert!(land > 100 && sea > 400, "{land} {sea}");
    }
}

#[test]
fn the_globe_is_filled_to_its_limb_and_not_beside_it() {
    for centre in [
        at(0.0, 0.0),
        at(0.0, 179.0),
        at(89.9, 40.0),
        at(-90.0, 0.0),
        at(-75.0, -120.0),
        at(50.0, 100.0),
        at(10.0, -150.0),
    ] {
        let view = View::globe(centre, 120, 45, 2.0);
        let (land, sea) = check(&view, &format!("the globe about {centre:?}"));
        assert!(land > 4 && sea > 20, "{land} {sea}");
    }
}

#[test]
fn in_pixels_no_inlet_narrower_than_one_makes_a_row_of_land_sea() {
    for centre in [
        at(84.0, 10.0),
        at(50.0, 100.0),
        at(-10.0, -60.0),
        at(40.0, -90.0),
    ] {
        let view = View::globe(centre, 160, 43, 2.0).divided((10, 20));
        let (land, sea) = check(&view, &format!("the globe in pixels about {centre:?}"));
        assert!(land > 300 && sea > 300, "{land} {sea}");
    }
}

#[test]
fn both_poles_and_both_sides_of_the_antimeridian_are_right_in_every_projection() {
    for (projection, centre) in [
        (Projection::PolarNorth, at(80.0, 0.0)),
        (Projection::PolarNorth, at(85.0, 180.0)),
        (Projection::PolarSouth, at(-80.0, 0.0)),
        (Projection::PolarSouth, at(-70.0, 170.0)),
        (Projection::Mercator, at(66.0, 179.0)),
        (Projection::Mercator, at(-17.0, -179.5)),
        (Projection::Mercator, at(-75.0, -30.0)),
        (Projection::Equirectangular, at(67.0, -179.9)),
        (Projection::Equirectangular, at(-85.0, 90.0)),
        (Projection::Globe, at(66.0, 180.0)),
    ] {
        for metres_a_column in [60_000.0, 20_000.0, 5_000.0] {
            let view = View {
                projection,
                metres_a_column,
                ..View::world(120, 40, 2.0)
            }
            .centred_on(centre);
            let view = View {
                meridian: centre.longitude,
                ..view
            };
            check(
                &view,
                &format!("{projection:?} {centre:?} {metres_a_column}"),
            );
        }
    }
}

#[test]
fn the_reach_of_a_row_is_that_of_its_first_and_its_last_column_with_the_earth() {
    for projection in [
        Projection::Mercator,
        Projection::Equirectangular,
        Projection::PolarNorth,
        Projection::PolarSouth,
        Projection::Globe,
    ] {
        for centre in [at(60.0, 100.0), at(-75.0, -170.0), at(0.0, 0.0)] {
            for metres_a_column in [400_000.0, 150_000.0, 20_000.0] {
                let view = View {
                    projection,
                    metres_a_column,
                    ..View::world(121, 40, 2.0)
                };
                // A polar map that was panned is not about its pole.
                let view = view.centred_on(centre).panned(0.3, 0.2);
                let columns: Vec<u16> = (0..view.columns).collect();
                for row in 0..view.rows {
                    let y = f64::from(row) + 0.5;
                    let shows = |x: &u16| view.position_at(f64::from(*x) + 0.5, y).is_some();
                    let shown: Vec<u16> = columns.iter().copied().filter(shows).collect();
                    let ends = |reach: LandSpan| (reach.from as u16, reach.to as u16 - 1);
                    let expected = shown.first().copied().zip(shown.last().copied());
                    let found = reach(&view.plotter(), &columns, row).map(ends);
                    assert_eq!(found, expected, "row {row} of {view:?}");
                }
            }
        }
    }
}

#[test]
fn a_map_without_a_coast_is_all_land_or_all_sea() {
    for (position, is_land) in [
        (at(47.0, 65.0), true),
        (at(-80.0, 80.0), true),
        (at(88.0, 10.0), false),
        (at(20.0, -150.5), false),
    ] {
        let bounds = BoundingBox {
            west: position.longitude,
            east: position.longitude + 0.1,
            south: position.latitude,
            north: position.latitude + 0.1,
        };
        let view = View::fit(Some(bounds), &[], 80, 30, 2.0);
        let scene = base_map(&view, 36.0);
        let cells = filled(&view, &scene.land);
        assert!(cells.iter().all(|cell| *cell == is_land), "{position:?}");
    }
}

#[test]
fn a_coast_along_the_rows_parts_them_though_it_crosses_none() {
    // The coast of the Bight of Benin runs from west to east.
    let (mut land, mut sea) = (0, 0);
    for tenth in 0..15 {
        let view = View {
            projection: Projection::Mercator,
            metres_a_column: 300.0,
            ..View::world(3, 30, 2.0)
        }
        .centred_on(at(6.4, 2.0 + f64::from(tenth) / 10.0));
        let cells = filled(&view, &base_map(&view, 36.0).land);
        for (row, of_row) in (0u16..).zip(cells.chunks(3)) {
            let here = view.position_at(1.5, f64::from(row) + 0.5).unwrap();
            // A coast that crosses a row has land on one side only.
            assert_eq!(of_row[1], is_land(&view, here), "{here:?}");
            *(if of_row[1] { &mut land } else { &mut sea }) += 1;
        }
    }
    assert!(land > 100 && sea > 100, "{land} {sea}");
}

#[test]
fn the_sea_at_the_antimeridian_is_no_land_at_any_level() {
    for metres_a_column in [100.0, 5_000.0, 51_000.0] {
        let view = View {
            metres_a_column,
            ..View::world(40, 16, 2.0)
        };
        let longitudes = (0..400).map(|step| 179.9 + 0.0005 * f64::from(step));
        for longitude in longitudes {
            for latitude in [-30.0, 0.0, 45.0, 60.0, 75.0, 80.0] {
                let position = at(latitude, crate::geo::projection::wrap(longitude));
                assert!(!is_land(&view, position), "{metres_a_column} {position:?}");
            }
        }
        // Chukotka has land on both sides of it.
        for longitude in [179.99, 180.0, -179.99] {
            assert!(is_land(&view, at(68.0, longitude)), "{longitude}");
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(16))]
    #[test]
    fn any_view_is_filled_where_its_cells_are_land(
        latitude in -89.0f64..89.0,
        longitude in -180.0f64..180.0,
        power in 2.5f64..5.2,
        projection in proptest::sample::select(vec![
            Projection::Mercator,
            Projection::PolarNorth,
            Projection::PolarSouth,
            Projection::Globe,
            Projection::Equirectangular,
        ]),
    ) {
        let centre = match projection {
            Projection::PolarNorth => at(latitude.abs(), longitude),
            Projection::PolarSouth => at(-latitude.abs(), longitude),
            Projection::Mercator => at(latitude.clamp(-80.0, 80.0), longitude),
            _ => at(latitude, longitude),
        };
        let view = View {
            projection,
            metres_a_column: 10f64.powf(power),
            ..View::world(40, 16, 2.0)
        }
        .centred_on(centre);
        let view = View { meridian: longitude, ..view };
        check(&view, "a view");
    }
}
