//! Projections: round trips, and comparison with published values and PROJ.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::*;
use crate::testing::at;

const ALL: [Projection; 5] = [
    Projection::Mercator,
    Projection::PolarNorth,
    Projection::PolarSouth,
    Projection::Globe,
    Projection::Equirectangular,
];

fn forward(projection: Projection, centre: Position, place: Position) -> Option<(f64, f64)> {
    Plane::new(projection, centre).forward(Vector::new(place))
}

#[test]
fn the_published_numbers_come_out() {
    // Snyder, p. 266: Mercator of 35° N, 75° W about 180°, radius 1.
    let (x, y) = forward(Projection::Mercator, at(0.0, 180.0), at(35.0, -75.0)).unwrap();
    assert!((x - 1.832_595_7).abs() < 1e-6 && (y - 0.652_836_6).abs() < 1e-6);
    // The centre of the globe maps to (0, 0); points on its far side are
    // hidden.
    let (x, y) = forward(Projection::Globe, at(10.0, 20.0), at(10.0, 20.0)).unwrap();
    assert!(x.hypot(y) < 1e-15);
    assert_eq!(
        forward(Projection::Globe, at(0.0, 0.0), at(0.0, 91.0)),
        None
    );
    // The pole maps to (0, 0); the equator has radius 2.
    let (x, y) = forward(Projection::PolarNorth, at(90.0, 0.0), at(90.0, 50.0)).unwrap();
    assert!(x.hypot(y) < 1e-12);
    let (x, y) = forward(Projection::PolarSouth, at(-90.0, 0.0), at(0.0, 90.0)).unwrap();
    assert!((x - 2.0).abs() < 1e-12 && y.abs() < 1e-12);
}

#[test]
fn the_ends_are_where_they_are_said_to_be() {
    assert!((MERCATOR_END.to_radians().sin() - MERCATOR_END_SIN).abs() < 1e-12);
    assert!((POLAR_END.to_radians().sin() - POLAR_END_SIN).abs() < 1e-15);
    let shown = |projection, latitude| forward(projection, at(0.0, 0.0), at(latitude, 0.0));
    assert!(shown(Projection::Mercator, 85.05).is_some());
    assert!(shown(Projection::Mercator, -85.06).is_none());
    assert!(
        shown(Projection::PolarNorth, -59.9).is_some()
            && shown(Projection::PolarNorth, -60.1).is_none()
    );
    assert!(
        shown(Projection::PolarSouth, 59.9).is_some()
            && shown(Projection::PolarSouth, 60.1).is_none()
    );
}

proptest::proptest! {
    #[test]
    fn there_and_back_is_the_same_place(
        lat0 in -85.0f64..85.0, lon0 in -180.0f64..180.0, latitude in -84.9f64..84.9, longitude in -180.0f64..180.0,
    ) {
        let (centre, place) = (at(lat0, lon0), at(latitude, longitude));
        for projection in ALL {
            let plane = Plane::new(projection, centre);
            let Some((x, y)) = plane.forward(Vector::new(place)) else { continue };
            // At the limb of the globe, a rounding error in the plane is a
            // large distance on the sphere, whatever the formula.
            if projection == Projection::Globe && x.hypot(y) > 0.999 {
                continue;
            }
            let back = plane.inverse(x, y).unwrap();
            proptest::prop_assert!((back.latitude - latitude).abs() < 1e-9, "{projection:?} {back:?}");
            proptest::prop_assert!(wrap(back.longitude - longitude).abs() < 1e-9, "{projection:?} {back:?}");
        }
    }

    #[test]
    fn what_is_hidden_is_not_shown_and_no_length_is_stretched_beyond_the_bound(
        lat0 in -89.0f64..89.0, lon0 in -180.0f64..180.0, latitude in -89.9f64..89.9, longitude in -180.0f64..180.0,
        radius in 0.0001f64..0.3, course in 0.0f64..std::f64::consts::TAU, share in 0.0f64..1.0,
    ) {
        let middle = Vector::new(at(latitude, longitude));
        // A point at a distance, within the radius.
        let beside = |far: f64| Vector::new(at(
            (latitude + (far * course.cos()).to_degrees()).clamp(-90.0, 90.0),
            longitude + (far * course.sin()).to_degrees() / latitude.to_radians().cos(),
        ));
        let (near, next) = (beside(radius * share * 0.9), beside(radius * share * 0.9 + 1e-7));
        if near.angle(middle) > radius || next.angle(middle) > radius {
            return Ok(());
        }
        for projection in ALL {
            let plane = Plane::new(projection, at(lat0, lon0));
            let (a, b) = (plane.forward(near), plane.forward(next));
            proptest::prop_assert!(!plane.hides(middle, radius) || a.is_none(), "{projection:?}");
            if let (Some(a), Some(b)) = (a, b) {
                let length = (a.0 - b.0).hypot(a.1 - b.1);
                let most = plane.greatest_scale(middle, radius) * near.angle(next);
                proptest::prop_assert!(length <= most * 1.01 + 1e-12 || length > 3.0, "{projection:?} {length} {most}");
            }
        }
    }
}

/// The output of PROJ, by the script `tests/projections.py`.
fn proj(lines: &str) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    let python = format!("{root}/target/test-tools/python/bin/python3");
    let mut running = Command::new(&python)
        .arg(format!("{root}/tests/projections.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{python}: {error}; tests/run installs it"));
    running
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let output = running.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_projection_agrees_with_proj() {
    needs!("python-packages");
    let kinds = [
        ("mercator", Projection::Mercator),
        ("north", Projection::PolarNorth),
        ("south", Projection::PolarSouth),
        ("globe", Projection::Globe),
        ("plain", Projection::Equirectangular),
    ];
    let mut table = Vec::new();
    for (name, projection) in kinds {
        for (lat0, lon0) in [(0.0, 0.0), (62.0, 5.0), (-41.5, 179.9), (88.0, -120.0)] {
            for step in 0..60 {
                let latitude = -84.0 + 168.0 * f64::from(step) / 59.0;
                let longitude = -179.0 + 358.0 * f64::from(step * 23 % 60) / 59.0;
                table.push((name, projection, lat0, lon0, latitude, longitude));
            }
        }
    }
    let mut lines = String::new();
    for (name, _, lat0, lon0, latitude, longitude) in &table {
        writeln!(lines, "{name} {lat0} {lon0} {latitude} {longitude}").unwrap();
    }
    let stdout = proj(&lines);
    let (mut shown, mut hidden) = (0, 0);
    for ((name, projection, lat0, lon0, latitude, longitude), line) in
        table.iter().zip(stdout.lines())
    {
        let at = |latitude: f64, longitude: f64| at(latitude, longitude);
        let plane = Plane::new(*projection, at(*lat0, *lon0));
        let ours = plane.forward(Vector::new(at(*latitude, *longitude)));
        let Some((x, y)) = line.split_once(' ') else {
            assert!(
                ours.is_none(),
                "{name} {lat0} {lon0}: {latitude} {longitude}"
            );
            hidden += 1;
            continue;
        };
        let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
        // A polar map ends here; that of PROJ continues.
        let Some(ours) = ours else {
            assert!(matches!(
                projection,
                Projection::PolarNorth | Projection::PolarSouth
            ));
            continue;
        };
        assert!(
            (ours.0 - x).abs() < 1e-6 && (ours.1 - y).abs() < 1e-6,
            "{name} {lat0} {lon0}: {latitude} {longitude}: {ours:?}, PROJ has {x} {y}"
        );
        shown += 1;
    }
    assert!(shown > 900 && hidden > 50, "{shown} shown, {hidden} hidden");
}
