//! Views: fitting, zooming, panning, and conversions in both directions.

use super::*;

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
        (110.630, -66.194, 110.631, -66.193),
        (-180.0, 84.0, 180.0, 89.9),
        (10.0, 40.0, 20.0, 88.0),
    ] {
        let view = View::fit(bounds(w, s, e, n), &[], 80, 30, 2.0);
        let corners: Vec<(f64, f64)> = samples(&bounds(w, s, e, n).unwrap())
            .into_iter()
            .filter_map(|p| view.cell(p))
            .collect();
        let extent = Extent::around(&corners).unwrap();
        assert!(
            extent.x.0 >= 0.0 && extent.x.1 <= 80.0 && extent.y.0 >= 0.0 && extent.y.1 <= 30.0,
            "{view:?}"
        );
        assert!(
            extent.width() > 40.0 || extent.height() > 15.0,
            "{view:?}: {} {}",
            extent.width(),
            extent.height()
        );
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
    let x = |longitude| {
        across
            .cell(Position {
                latitude: 20.0,
                longitude,
            })
            .unwrap()
            .0
    };
    assert!(x(179.9) < x(-179.9) && x(-179.9) - x(179.9) < 1.0);
}

#[test]
fn a_track_round_the_world_leaves_no_paper_empty_beyond_a_pole() {
    let view = View::fit(bounds(-170.0, -55.0, 170.0, -40.0), &[], 60, 40, 2.0);
    assert_eq!(view.projection, Projection::Equirectangular);
    assert_eq!(view.centre.latitude, 0.0);
}

#[test]
fn the_world_is_a_globe_where_one_shows_every_instrument() {
    let at = |latitude, longitude| Position {
        latitude,
        longitude,
    };
    let ice = [at(82.0, 120.0), at(79.0, -150.0), at(71.0, 30.0)];
    let view = View::world_of(&ice, 120, 30, 2.0);
    assert_eq!(view.projection, Projection::Globe);
    assert!(ice.iter().all(|place| view.shows(*place)));
    let both = [at(82.0, 120.0), at(-60.0, -20.0)];
    let view = View::world_of(&both, 120, 30, 2.0);
    assert_eq!(view.projection, Projection::Equirectangular);
    assert!(both.iter().all(|place| view.shows(*place)));
    assert_eq!(View::world_of(&[], 120, 30, 2.0), View::world(120, 30, 2.0));
}

#[test]
fn zooming_keeps_its_place_and_panning_comes_back() {
    let view = View::fit(bounds(5.0, 50.0, 9.0, 54.0), &[], 80, 30, 2.0);
    let about = Position {
        latitude: 51.0,
        longitude: 6.0,
    };
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
