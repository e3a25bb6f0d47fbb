//! Areas against Shapely and PROJ, and what is not an area.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::*;
use crate::geo::circle::WatchCircle;
use crate::geo::{Inside, geodesic};

fn area(geometry: &Value) -> Result<Area, AreaFault> {
    Area::from_geojson(geometry.to_string().as_bytes(), None, None)
}

fn polygon(rings: &Value) -> Area {
    area(&json!({"type": "Polygon", "coordinates": rings})).unwrap()
}

fn at(longitude: f64, latitude: f64) -> Position {
    Position::new(latitude, longitude).unwrap()
}

/// A name, the area as GeoJSON has it, and the same as polygons on a plane without
/// a seam.
fn areas() -> Vec<(&'static str, Value, Value)> {
    let multi = |polygons: Value| json!({"type": "MultiPolygon", "coordinates": polygons});
    let single = |rings: Value| json!({"type": "Polygon", "coordinates": rings});
    let square = json!([[[5, 60], [9, 60], [9, 62], [5, 62], [5, 60]]]);
    let holed = json!([
        [[5, 60], [9, 60], [9, 62], [5, 62], [5, 60]],
        [[6, 60.5], [8, 60.5], [7, 61.5], [6, 60.5]]
    ]);
    // Fiji: a polygon that jumps at the antimeridian, one beyond 180 degrees, and cut in two.
    let on = json!([[[177, -19], [183, -19], [182, -16], [178, -15], [177, -19]]]);
    let jumps = json!([[[177, -19], [-177, -19], [-178, -16], [178, -15], [177, -19]]]);
    let cut = json!([
        [[[170, 10], [180, 10], [180, 20], [170, 20], [170, 10]]],
        [[[-180, 10], [-170, 10], [-170, 20], [-180, 20], [-180, 10]]]
    ]);
    let cut_on = json!([[[[170, 10], [190, 10], [190, 20], [170, 20], [170, 10]]]]);
    // The Arctic: along a parallel with a seam, and round the pole without one.
    let cap = json!([[[-180, 82], [180, 82], [180, 90], [-180, 90], [-180, 82]]]);
    let round = json!([[[0, 80], [90, 82], [180, 84], [-90, 82], [0, 80]]]);
    let round_on = json!([[
        [0, 80],
        [90, 82],
        [180, 84],
        [270, 82],
        [360, 80],
        [360, 90],
        [0, 90]
    ]]);
    let stepped = json!([[[-180, -70], [-60, -70], [60, -70], [180, -70], [-180, -70]]]);
    let stepped_on = json!([[[-180, -70], [180, -70], [180, -90], [-180, -90]]]);
    let two = json!([
        [[[0, 0], [2, 0], [2, 1], [0, 1], [0, 0]]],
        [[[5, 0], [5, 1], [7, 1], [7, 0], [5, 0]]]
    ]);
    vec![
        ("square", single(square.clone()), json!([square])),
        ("with a hole", single(holed.clone()), json!([holed])),
        ("goes on", single(on.clone()), json!([on.clone()])),
        ("jumps", single(jumps), json!([on])),
        ("cut", multi(cut), cut_on),
        ("cap", single(cap.clone()), json!([cap])),
        ("round the pole", single(round), json!([round_on])),
        ("round in steps", single(stepped), json!([stepped_on])),
        ("two", multi(two.clone()), two),
    ]
}

#[test]
fn within_and_the_distance_from_the_edge_are_those_of_shapely_and_proj() {
    needs!("python-packages");
    let areas = areas();
    let mut points: Vec<(f64, f64)> = [
        (7.0, 61.0),
        (5.001, 60.001),
        (4.999, 61.3),
        (7.0, 62.003),
        (179.99, -17.0),
        (-179.99, -17.0),
        (-177.9, -16.2),
        (180.0, 15.0),
        (-180.0, 15.0),
        (175.0, 9.999),
        (0.0, 90.0),
        (123.0, 89.9),
        (-179.999, 83.0),
        (10.0, 81.999),
        (-45.0, 80.9),
        (-45.0, 81.2),
        (77.0, -70.01),
        (77.0, -69.99),
        (180.0, -89.99),
        (1.0, 0.5),
        (6.0, 1.01),
    ]
    .to_vec();
    // And some all over the earth.
    points.extend((0..20).map(|n: i32| {
        let n = f64::from(n);
        ((n * 137.508) % 360.0 - 180.0, (n * 47.3) % 179.0 - 89.5)
    }));
    let asked = json!({
        "areas": areas.iter().map(|(_, _, plane)| plane).collect::<Vec<_>>(),
        "points": points,
    });
    let root = env!("CARGO_MANIFEST_DIR");
    let python = format!("{root}/target/test-tools/python/bin/python3");
    let mut running = Command::new(&python)
        .arg(format!("{root}/tests/areas.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{python}: {error}; tests/run installs it"));
    let mut input = running.stdin.take().unwrap();
    input.write_all(asked.to_string().as_bytes()).unwrap();
    drop(input);
    let answer = running.wait_with_output().unwrap();
    assert!(answer.status.success());
    let answer = String::from_utf8(answer.stdout).unwrap();
    let mut lines = answer.lines();
    for (name, geometry, _) in &areas {
        let area = area(geometry).unwrap();
        for (longitude, latitude) in &points {
            let position = at(*longitude, *latitude);
            let (within, away) = lines.next().unwrap().split_once(' ').unwrap();
            let (within, away): (bool, f64) = (within == "1", away.parse().unwrap());
            let over = area.over_m(position);
            let case = format!("{name}, {longitude} {latitude}: {over} m, {away} m");
            assert_eq!(area.contains(position), within, "{case}");
            assert_eq!(over < 0.0, within, "{case}");
            // A great circle of a tenth of a degree differs from the edge by 1.2 m.
            assert!((over.abs() - away).abs() < 1.5 + 1e-4 * away, "{case}");
        }
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn an_area_reads_back_as_it_was_written() {
    for (name, geometry, _) in areas() {
        let area = area(&geometry).unwrap();
        let back = Area::from_stored(area.text()).unwrap();
        assert_eq!(area, back, "{name}");
        assert_eq!(back.text(), area.text(), "{name}");
        assert_eq!(back.name(), "area");
    }
    let long = json!({"type": "Feature", "id": "a", "properties": {"Name": "nörth"}, "geometry":
        {"type": "Polygon", "coordinates": [[[0.1234567890123, 1.1], [2.3, 1e-7], [1.7, 3.3333333333]]]}});
    let one = area(&long).unwrap();
    assert_eq!(one.name(), "nörth");
    assert_eq!(Area::from_stored(one.text()).unwrap().text(), one.text());
    assert_eq!(Area::from_stored("{}"), None);
}

#[test]
fn a_polygon_of_a_circle_has_the_bands_of_that_circle() {
    let centre = at(30.0, 78.0);
    for radius_m in [50.0, 800.0, 20_000.0] {
        let corners: Vec<Value> = (0..360)
            .map(|course| geodesic::direct(centre, f64::from(course), radius_m))
            .map(|one| json!([one.longitude, one.latitude]))
            .collect();
        let area = polygon(&json!([corners]));
        let ratio = area.radius_m() / radius_m;
        // Its area is on a sphere, its edge on the ellipsoid.
        assert!((ratio - 1.0).abs() < 0.015, "{ratio}");
        let circle = Inside::Circle(WatchCircle { centre, radius_m });
        for course in [3.3, 101.7, 250.1] {
            for part in [0.1, 0.9, 1.4, 6.0] {
                let position = geodesic::direct(centre, course, part * radius_m);
                let apart = area.over_m(position) - circle.over_m(position);
                assert!(
                    apart.abs() < 0.5 + 2e-4 * radius_m,
                    "{apart} at {part} of {radius_m}"
                );
            }
        }
    }
    // 2 km by 20 m: twice area over circumference is its width.
    let north = 0.02 / 111.195;
    let strip = polygon(&json!([[[0, 0], [0.018, 0], [0.018, north], [0, north]]]));
    assert!(
        (strip.radius_m() - 20.0).abs() < 0.5,
        "{}",
        strip.radius_m()
    );
}

#[test]
fn a_polygon_round_the_pole_may_be_cut_along_the_antimeridian_in_every_way() {
    let round = [[-90, 80], [0, 80], [90, 80]];
    for seam in [
        // To the pole and back, with and without the corner at its other end.
        json!([[180, 80], [180, 90], [-180, 80]]),
        json!([[180, 80], [180, 90], [-180, 90], [-180, 80]]),
        json!([[180, 80], [180, 90], [180, 80]]),
        json!([[180, 80]]),
    ] {
        let mut corners: Vec<Value> = round.iter().map(|corner| json!(corner)).collect();
        corners.extend(seam.as_array().unwrap().iter().cloned());
        let area = area(&json!({"type": "Polygon", "coordinates": [corners]}));
        let area = area.unwrap_or_else(|fault| panic!("{seam}: {fault}"));
        for (longitude, latitude, is_inside) in [
            (180.0, 85.0, true),
            (-179.9, 89.0, true),
            (45.0, 85.0, true),
            (0.0, 90.0, true),
            (179.9, 79.0, false),
            (-45.0, 70.0, false),
        ] {
            let over = area.over_m(at(longitude, latitude));
            assert_eq!(
                over <= 0.0,
                is_inside,
                "{seam}: {longitude} {latitude} {over}"
            );
        }
    }
}

#[test]
fn what_is_not_an_area_is_named() {
    let read = |text: &str| Area::from_geojson(text.as_bytes(), None, None).unwrap_err();
    let ring = |corners: &Value| {
        area(&json!({"type": "Polygon", "coordinates": corners}))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        read("{\n\n\"type\": Polygon}").to_string(),
        "is not JSON (line 3)"
    );
    assert_eq!(read("").to_string(), "is not JSON (line 1)");
    for other in [
        "[]",
        "5",
        "null",
        "{\"a\": 1}",
        "{\"type\": \"Topology\"}",
        "{\"type\": \"FeatureCollection\"}",
        "{\"type\": \"Polygon\", \"coordinates\": [5]}",
        "{\"type\": \"Polygon\", \"coordinates\": [[[1]]]}",
        "{\"type\": \"Feature\"}",
        "{\"type\": \"MultiPolygon\", \"coordinates\": [5]}",
    ] {
        let fault = read(other);
        assert!(
            fault.to_string().starts_with("is not GeoJSON"),
            "{other}: {fault}"
        );
    }
    for none in [
        "{\"type\": \"FeatureCollection\", \"features\": []}",
        "{\"type\": \"Feature\", \"geometry\": null}",
        "{\"type\": \"LineString\", \"coordinates\": [[0, 0], [1, 1]]}",
        "{\"type\": \"GeometryCollection\", \"geometries\": [{\"type\": \"Point\", \"coordinates\": [0, 0]}]}",
    ] {
        assert_eq!(read(none), AreaFault::no_polygon(), "{none}");
    }
    for nothing in [
        json!([]),
        json!([[]]),
        json!([[[0, 0], [1, 1], [0, 0]]]),
        json!([[[0, 0], [0, 0], [0, 0], [0, 0]]]),
        json!([[[0, 0], [1, 1], [2, 2], [0, 0]]]),
    ] {
        let fault = area(&json!({"type": "Polygon", "coordinates": nothing})).unwrap_err();
        assert_eq!(fault, AreaFault::nothing(), "{nothing}");
    }
    // As wide as it is written, or the short way across 180 degrees.
    let wide = ring(&json!([[
        [-60, -70],
        [160, -70],
        [160, -40],
        [-60, -40],
        [-60, -70]
    ]]));
    assert!(
        wide.contains("from longitude -60 to 160, which may go either way"),
        "{wide}"
    );
    // Latitude first, and out of all ranges.
    assert!(ring(&json!([[[60, 170], [61, 170], [61, 171]]])).contains("longitude comes first"));
    assert!(ring(&json!([[[400, 0], [1, 0], [1, 1]]])).contains("longitude 400"));
    let many: Vec<(f64, f64)> = (0..5001)
        .map(|n| (f64::from(n) / 100.0, f64::from(n % 2)))
        .collect();
    assert!(ring(&json!([many])).contains("more than 5000 corners"));
}

#[test]
fn a_ring_that_crosses_itself_holds_what_it_encloses_an_odd_number_of_times() {
    for (rings, within, outside) in [
        // A bow tie, also over the antimeridian.
        (
            json!([[[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]]),
            (1.0, 0.4),
            (0.3, 1.0),
        ),
        (
            json!([[[179, 0], [-179, 2], [-179, 0], [179, 2], [179, 0]]]),
            (1.0, -179.4),
            (0.3, 180.0),
        ),
        // A star of five corners, whose middle is enclosed twice.
        (
            json!([[[0, 3], [2, -3], [-3, 1], [3, 1], [-2, -3], [0, 3]]]),
            (2.0, 0.0),
            (0.0, 0.0),
        ),
    ] {
        let area = area(&json!({"type": "Polygon", "coordinates": rings})).unwrap();
        let contains = |(latitude, longitude): (f64, f64)| {
            area.contains(Position::new(latitude, longitude).unwrap())
        };
        assert!(contains(within), "{rings}");
        assert!(!contains(outside), "{rings}");
        assert!(area.radius_m().is_finite());
    }
}
