//! Views: fitting, zooming, panning, and conversions in both directions.

use super::fit::samples;
use crate::geo::circle::WatchCircle;
use crate::geo::geodesic::direct;
use crate::geo::projection::wrap;
use crate::geo::{BoundingBox, Inside};
use crate::map::view::*;

impl View {
    /// A view that shows a whole box with a margin; the world for `None`. Near
    /// a pole the positions in it are fitted instead, if any are given.
    pub(crate) fn fit(
        bounds: Option<BoundingBox>,
        positions: &[Position],
        columns: u16,
        rows: u16,
        cell_aspect: f64,
    ) -> Self {
        let fitted = Fitted {
            bounds,
            positions: positions.to_vec(),
            ..Fitted::default()
        };
        Self::fit_to(&fitted, columns, rows, cell_aspect)
    }
}

fn bounds(west: f64, south: f64, east: f64, north: f64) -> Option<BoundingBox> {
    Some(BoundingBox {
        west,
        south,
        east,
        north,
    })
}

#[test]
fn a_fitted_box_lies_on_the_map_whole_and_fills_it() {
    for (w, s, e, n) in [
        (118.7, 81.3, 124.9, 82.2),
        (172.8, 11.1, -97.1, 42.5),
        (144.5, -60.6, 44.4, -44.9),
        (110.6, -66.5, 111.9, -66.1),
        (-180.0, 84.0, 180.0, 89.9),
        (10.0, 40.0, 20.0, 88.0),
    ] {
        let view = View::fit(bounds(w, s, e, n), &[], 80, 30, 2.0);
        let corners: Vec<(f64, f64)> = samples(&bounds(w, s, e, n).unwrap())
            .filter_map(|p| view.cell(p))
            .collect();
        let (mut right, mut bottom) = (0.0f64, 0.0f64);
        let (mut left, mut top) = (80.0f64, 30.0f64);
        for (x, y) in corners {
            (left, right) = (left.min(x), right.max(x));
            (top, bottom) = (top.min(y), bottom.max(y));
        }
        assert!(
            left >= 0.0 && right <= 80.0 && top >= 0.0 && bottom <= 30.0,
            "{view:?}"
        );
        assert!(right - left > 40.0 || bottom - top > 15.0, "{view:?}");
    }
}

#[test]
fn one_place_is_shown_with_the_coast_about_it_and_a_watch_circle_whole() {
    let longyearbyen = crate::testing::at(78.2, 15.6);
    let place = bounds(15.6, 78.2, 15.6, 78.2);
    let across = |view: &View| (view.metres_a_column * 80.0, view.metres_a_column * 60.0);
    let view = View::fit(place, &[longyearbyen], 80, 30, 2.0);
    let (width, height) = across(&view);
    assert!(
        width >= 20_000.0 && (height - 20_000.0).abs() < 1.0,
        "{width} {height}"
    );
    for radius_m in [300.0, 150_000.0] {
        let circle = Inside::Circle(WatchCircle {
            centre: longyearbyen,
            radius_m,
        });
        let fitted = Fitted {
            bounds: place,
            positions: vec![longyearbyen],
            areas: vec![circle],
            ..Fitted::default()
        };
        let view = View::fit_to(&fitted, 80, 30, 2.0);
        for course in [0.0, 45.0, 90.0, 180.0, 270.0] {
            let edge = direct(longyearbyen, course, radius_m);
            assert!(view.shows(edge), "{radius_m} m towards {course}");
        }
        let (_, height) = across(&view);
        assert!(height < 4.0 * radius_m, "{height} for {radius_m}");
    }
}

#[test]
fn a_low_map_shows_places_from_pole_to_pole() {
    let places: Vec<Position> = [(76.0, -20.0), (5.0, 0.0), (-50.0, 10.0)]
        .map(|(latitude, longitude)| crate::testing::at(latitude, longitude))
        .to_vec();
    for (columns, rows) in [(160, 40), (80, 14), (60, 7), (200, 5)] {
        let fitted = Fitted {
            bounds: BoundingBox::around(places.iter().copied()),
            positions: places.clone(),
            ..Fitted::default()
        };
        let view = View::fit_to(&fitted, columns, rows, 2.0);
        for place in &places {
            assert!(view.shows(*place), "{columns}x{rows}: {place:?}");
        }
    }
}

/// A track's name, its positions, and the projections that can show it.
type Offer = (&'static str, &'static [(f64, f64)], &'static [Projection]);

#[test]
fn every_projection_that_is_offered_shows_the_whole_track() {
    use Projection::{Equirectangular, Globe, Mercator, PolarNorth, PolarSouth};
    let tracks: [Offer; 5] = [
        (
            "round the pole",
            &[(88.0, 0.0), (89.5, 120.0), (87.0, -120.0), (86.0, 60.0)],
            &[PolarNorth, Globe, Equirectangular],
        ),
        (
            "over the antimeridian",
            &[(-18.0, 178.0), (-20.0, -176.0)],
            &[Mercator, PolarSouth, Globe, Equirectangular],
        ),
        (
            "over the equator",
            &[(-20.0, -30.0), (25.0, -10.0)],
            &[Mercator, Globe, Equirectangular],
        ),
        (
            "round the world",
            &[(-50.0, 0.0), (-52.0, 90.0), (-50.0, -170.0), (-51.0, -80.0)],
            &[Mercator, PolarSouth, Globe, Equirectangular],
        ),
        (
            "from one polar sea to the other",
            &[(75.0, 10.0), (0.0, -20.0), (-65.0, -40.0), (0.0, 150.0)],
            &[Mercator, Equirectangular],
        ),
    ];
    for (name, track, offered) in tracks {
        let places: Vec<Position> = track
            .iter()
            .map(|&(latitude, longitude)| crate::testing::at(latitude, longitude))
            .collect();
        let fitted = Fitted {
            bounds: BoundingBox::around(places.iter().copied()),
            positions: places.clone(),
            ..Fitted::default()
        };
        assert_eq!(fitted.projections(), offered, "{name}");
        for &projection in offered {
            let fitted = Fitted {
                projection: Some(projection),
                ..fitted.clone()
            };
            let view = View::fit_to(&fitted, 80, 30, 2.0);
            assert_eq!(view.projection, projection);
            assert!(
                places.iter().all(|place| view.shows(*place)),
                "{name} in {projection:?}: {view:?}"
            );
        }
    }
}

#[test]
fn a_track_that_reaches_beyond_mercator_is_shown_whole_without_a_choice() {
    use Projection::{Equirectangular, Mercator, PolarNorth, PolarSouth};
    type Drift = (&'static [(f64, f64)], Projection);
    let tracks: [Drift; 5] = [
        (&[(59.0, 0.0), (72.0, 4.0), (88.0, 10.0)], PolarNorth),
        (&[(-59.0, 0.0), (-88.0, 10.0)], PolarSouth),
        (&[(-10.0, -20.0), (88.0, 10.0)], Equirectangular),
        (&[(-88.0, -20.0), (10.0, 10.0)], Equirectangular),
        (&[(59.0, 0.0), (83.9, 10.0)], Mercator),
    ];
    for (track, expected) in tracks {
        let places: Vec<Position> = track
            .iter()
            .map(|&(latitude, longitude)| crate::testing::at(latitude, longitude))
            .collect();
        let bounds = BoundingBox::around(places.iter().copied());
        let view = View::fit(bounds, &places, 80, 30, 2.0);
        assert_eq!(view.projection, expected, "{track:?}");
        for place in places {
            assert!(view.shows(place), "{place:?} of {track:?}: {view:?}");
        }
    }
}

#[test]
fn the_ice_is_shown_about_the_pole_and_the_antimeridian_is_no_edge() {
    assert_eq!(
        View::fit(bounds(118.7, 81.3, 124.9, 82.2), &[], 80, 30, 2.0).projection,
        Projection::PolarNorth
    );
    assert_eq!(
        View::fit(bounds(74.0, -70.5, 76.0, -69.0), &[], 80, 30, 2.0).projection,
        Projection::PolarSouth
    );
    let across = View::fit(bounds(172.8, 11.1, -97.1, 42.5), &[], 80, 30, 2.0);
    let x = |longitude| across.cell(crate::testing::at(20.0, longitude)).unwrap().0;
    assert!(x(179.9) < x(-179.9) && x(-179.9) - x(179.9) < 1.0);
}

#[test]
fn a_track_round_the_world_leaves_no_paper_empty_beyond_a_pole() {
    let view = View::fit(bounds(-170.0, -55.0, 170.0, -40.0), &[], 60, 40, 2.0);
    assert_eq!(view.projection, Projection::Equirectangular);
    assert_eq!(view.centre.latitude, 0.0);
}

#[test]
fn instruments_are_shown_on_their_part_of_the_world_or_on_a_globe_or_on_all_of_it() {
    let at = |latitude, longitude| crate::testing::at(latitude, longitude);
    let baltic = [at(54.8, 12.0), at(57.5, 11.5), at(59.0, 23.0)];
    let ice = [at(85.0, 120.0), at(83.0, -150.0), at(81.0, 30.0)];
    let ocean = [at(60.0, -40.0), at(10.0, -20.0), at(-5.0, -60.0)];
    for (places, projection) in [
        (baltic, Projection::Mercator),
        (ice, Projection::PolarNorth),
        (ocean, Projection::Globe),
    ] {
        let view = View::world_with(&places, None, 120, 30, 2.0);
        assert_eq!(view.projection, projection);
        assert!(places.iter().all(|place| view.shows(*place)));
    }
    let both = [at(82.0, 120.0), at(-60.0, -20.0)];
    let view = View::world_with(&both, None, 120, 30, 2.0);
    assert_eq!(view.projection, Projection::Equirectangular);
    assert!(both.iter().all(|place| view.shows(*place)));
    assert_eq!(
        View::world_with(&[], None, 120, 30, 2.0),
        View::world(120, 30, 2.0)
    );
}

#[test]
fn a_failed_fix_more_does_not_turn_a_polar_map() {
    let at = |latitude, longitude| crate::testing::at(latitude, longitude);
    let drift = |n: u32| at(88.0 + 0.01 * f64::from(n), 130.0 - f64::from(n));
    let mut track: Vec<Position> = (0..100).map(drift).collect();
    let fit = |track: &[Position]| {
        let around = BoundingBox::around(track.iter().copied());
        View::fit(around, track, 80, 30, 2.0)
    };
    let before = fit(&track);
    track.push(at(88.2, -95.0));
    let after = fit(&track);
    assert_eq!(after.projection, Projection::PolarNorth);
    assert!((wrap(after.meridian - before.meridian)).abs() <= 1.0);
    assert!(after.shows(at(88.2, -95.0)));
}

#[test]
fn zooming_keeps_its_place_and_panning_comes_back() {
    let view = View::fit(bounds(5.0, 50.0, 9.0, 54.0), &[], 80, 30, 2.0);
    let about = crate::testing::at(51.0, 6.0);
    let (before, after) = (
        view.cell(about).unwrap(),
        view.zoomed(3.0, Some(about)).cell(about).unwrap(),
    );
    assert!(
        (before.0 - after.0).abs() < 0.5 && (before.1 - after.1).abs() < 0.5,
        "{before:?} {after:?}"
    );
    let back = view.panned(0.2, 0.0).panned(-0.2, 0.0);
    assert!((back.centre.longitude - view.centre.longitude).abs() < 1e-6);
    let near = view.zoomed(1e12, None);
    assert!(near.metres_a_column * 80.0 >= CLOSEST_M * 0.999);
}

proptest::proptest! {
    #[test]
    fn a_cell_leads_back_to_its_place(latitude in -80.0f64..80.0, longitude in -180.0f64..180.0, column in 1.0f64..79.0, row in 1.0f64..29.0) {
        let view = View::fit(bounds(longitude, latitude, wrap(longitude + 2.0), latitude + 2.0), &[], 80, 30, 2.0);
        if let Some(position) = view.position_at(column, row) {
            let (x, y) = view.cell(position).unwrap();
            proptest::prop_assert!((x - column).abs() < 1e-6 && (y - row).abs() < 1e-6);
        }
    }
}
