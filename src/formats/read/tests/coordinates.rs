//! NetCDF files whose times and positions are along dimensions of their own, and trajectories that
//! are counted or filled up.

use super::columns::{Values, Variable, by_id, netcdf};
use super::*;

use Values::{Numbers, Text, Whole};

const DAYS: &[(&str, &str)] = &[("units", "days since 1950-01-01T00:00:00Z")];

/// A file as OceanSITES lays it out, with so many latitudes and longitudes for three times.
fn oceansites(latitudes: &[f64], longitudes: &[f64], further: &[Variable<'_>]) -> Vec<u8> {
    let mut variables: Vec<Variable<'_>> = vec![
        (
            "TIME",
            &["TIME"],
            DAYS,
            Numbers(&[28_000.0, 28_000.5, 28_001.0]),
        ),
        ("LATITUDE", &["LATITUDE"], &[], Numbers(latitudes)),
        ("LONGITUDE", &["LONGITUDE"], &[], Numbers(longitudes)),
    ];
    variables.extend(further);
    let dimensions = [
        ("TIME", 3),
        ("LATITUDE", latitudes.len()),
        ("LONGITUDE", longitudes.len()),
        ("POSITION", 3),
        ("DEPTH", 3),
    ];
    netcdf(&dimensions, &variables)
}

fn fields(bytes: &[u8]) -> Vec<String> {
    let found = read(bytes, &ChosenColumns::default()).unwrap();
    let columns = found.tracks[0].records.fields.columns();
    columns.map(|column| column.name().to_owned()).collect()
}

#[test]
fn the_coordinates_of_oceansites_belong_to_the_times() {
    let (latitudes, longitudes) = ([60.0, 60.1, 60.2], [5.0, 5.1, 5.2]);
    let further: [Variable<'_>; 4] = [
        ("PRES", &["TIME"], &[], Numbers(&[1.0, 2.0, 3.0])),
        ("POSITION_QC", &["POSITION"], &[], Whole(&[1, 4, 1])),
        ("DEPH", &["DEPTH"], &[], Numbers(&[7.0, 8.0, 9.0])),
        ("TEMP", &["TIME", "DEPTH"], &[], Numbers(&[0.0; 9])),
    ];
    let drifter = oceansites(&latitudes, &longitudes, &further);
    assert_eq!(by_id(&drifter), [(None, latitudes.to_vec())]);
    let found = read(drifter.as_slice(), &ChosenColumns::default()).unwrap();
    let records = &found.tracks[0].records;
    // By `cftime` 1.6 (`num2date`): 2026-08-30T12:00:00Z.
    let fix = records.transmissions[1];
    assert_eq!(
        (fix.time_stamp, fix.position.longitude),
        (1_788_091_200.0, 5.1)
    );
    // Another dimension of three is none of the times, and a bad position is marked.
    assert_eq!(fields(&drifter), ["PRES", "POSITION_QC", MARKED]);
    let marked: Vec<bool> = (0..3)
        .map(|fix| records.fields.of_fix(fix).any(|(name, _)| name == MARKED))
        .collect();
    assert_eq!(marked, [false, true, false]);
    // A mooring has one place for all times.
    for latitudes in [&[60.0][..], &[60.0, 60.1, 60.2]] {
        let mooring = oceansites(latitudes, &[5.0], &further[..1]);
        let [only] = &by_id(&mooring)[..] else {
            panic!("several tracks");
        };
        assert_eq!(only.1.len(), 3);
        assert_eq!(fields(&mooring), ["PRES"]);
    }
    let scalar: [Variable<'_>; 4] = [
        ("time", &["time"], DAYS, Numbers(&[28_000.0, 28_000.5])),
        ("lat", &[], &[], Numbers(&[60.0])),
        ("lon", &["station"], &[], Numbers(&[5.0])),
        ("station_name", &["station", "length"], &[], Text("K1")),
    ];
    let station = netcdf(&[("time", 2), ("station", 1), ("length", 2)], &scalar);
    assert_eq!(by_id(&station), [(None, vec![60.0, 60.0])]);
}

#[test]
fn lengths_that_differ_and_the_axes_of_a_grid_are_refused() {
    let refused = |bytes: &[u8]| {
        let found = read(bytes, &ChosenColumns::default());
        found.unwrap_err().to_string()
    };
    let three = [60.0, 60.1, 60.2];
    for (latitudes, longitudes, name, values) in [
        (&three[..2], &three[..], "LATITUDE", 2),
        (&three[..], &three[..2], "LONGITUDE", 2),
        (&[60.0; 4], &[5.0; 4], "LATITUDE", 4),
    ] {
        let why = refused(&oceansites(latitudes, longitudes, &[]));
        let expected =
            format!("'{name}' has {values} values along other dimensions than the 3 times");
        assert!(why.starts_with(&expected), "{why}");
    }
    let grid: Variable<'_> = (
        "SST",
        &["TIME", "LATITUDE", "LONGITUDE"],
        &[],
        Numbers(&[0.0; 27]),
    );
    let why = refused(&oceansites(&three, &three, &[grid]));
    assert!(
        why.starts_with("'LATITUDE' has 3 values along other"),
        "{why}"
    );
    // The places of several stations are not those of the times.
    let stations: [Variable<'_>; 3] = [
        ("time", &["time"], DAYS, Numbers(&[28_000.0, 28_000.5])),
        ("lat", &["station"], &[], Numbers(&[60.0, 61.0])),
        ("lon", &["station"], &[], Numbers(&[5.0, 6.0])),
    ];
    let why = refused(&netcdf(&[("time", 2), ("station", 2)], &stations));
    assert!(why.starts_with("'lat' has 2 values along other"), "{why}");
}

#[test]
fn trajectories_are_counted_by_the_name_alone_and_filled_up_to_the_longest() {
    let seconds: &[(&str, &str)] = &[("units", "seconds since 1970-01-01 00:00:00")];
    let times = Numbers(&[1.6e9, 1.6e9 + 3600.0, 1.6e9 + 7200.0, 1.6e9, 1.6e9 + 3600.0]);
    let expected = [
        ("101143", vec![10.0, 10.1, 10.2]),
        ("101144", vec![20.0, 20.1]),
    ];
    let expected = expected.map(|(id, latitudes)| (Some(id.to_owned()), latitudes));
    for name in ["rowsize", "rowSize", "row_size"] {
        let variables: [Variable<'_>; 5] = [
            ("ID", &["traj"], &[], Whole(&[101_143, 101_144])),
            (name, &["traj"], &[], Whole(&[3, 2])),
            ("time", &["obs"], seconds, times),
            (
                "lat",
                &["obs"],
                &[],
                Numbers(&[10.0, 10.1, 10.2, 20.0, 20.1]),
            ),
            (
                "lon",
                &["obs"],
                &[],
                Numbers(&[-40.0, -40.1, -40.2, -50.0, -50.1]),
            ),
        ];
        let bytes = netcdf(&[("traj", 2), ("obs", 5)], &variables);
        assert_eq!(by_id(&bytes), expected, "{name}");
    }
    // The times of all are in one row: what is filled up has a time, and is no fix.
    let fill: &[(&str, &str)] = &[("_FillValue", "-999")];
    let array: [Variable<'_>; 4] = [
        (
            "trajectory",
            &["trajectory"],
            &[],
            Whole(&[101_143, 101_144]),
        ),
        (
            "time",
            &["obs"],
            seconds,
            Numbers(&[1.6e9, 1.6e9 + 3600.0, 1.6e9 + 7200.0]),
        ),
        (
            "lat",
            &["trajectory", "obs"],
            fill,
            Numbers(&[10.0, 10.1, 10.2, 20.0, 20.1, -999.0]),
        ),
        (
            "lon",
            &["trajectory", "obs"],
            fill,
            Numbers(&[-40.0, -40.1, -40.2, -50.0, -50.1, -999.0]),
        ),
    ];
    let bytes = netcdf(&[("trajectory", 2), ("obs", 3)], &array);
    assert_eq!(by_id(&bytes), expected);
    let found = read(bytes.as_slice(), &ChosenColumns::default()).unwrap();
    assert_eq!(found.tracks[1].records.unusable_count(), 0);
}

const MARKED: &str = crate::track::quality::MARKED_INVALID;

#[test]
fn each_column_of_an_array_may_be_a_trajectory() {
    const HOURS: &str = "hours since 2026-11-20";
    let hours: &[(&str, &str)] = &[("units", HOURS)];
    let hours_filled: &[(&str, &str)] = &[("units", HOURS), ("_FillValue", "-999")];
    let fill: &[(&str, &str)] = &[("standard_name", "latitude"), ("_FillValue", "-999")];
    let east: &[(&str, &str)] = &[("standard_name", "longitude"), ("_FillValue", "-999")];
    let id: &[(&str, &str)] = &[("cf_role", "trajectory_id")];
    let tracks = |ids: [&str; 2]| {
        let latitudes = [vec![60.0, 61.0, 62.0], vec![70.0, 71.0]];
        let ids = ids.map(|id| Some(id.to_owned()));
        ids.into_iter().zip(latitudes).collect::<Vec<_>>()
    };
    // Each trajectory is a column: that of the ids, that of no time, or the one not named so.
    let in_columns = Numbers(&[60.0, 70.0, 61.0, 71.0, 62.0, -999.0]);
    let east_in_columns = Numbers(&[5.0, 5.0, 5.0, 5.0, 5.0, -999.0]);
    let times = Numbers(&[0.0, 0.0, 1.0, 1.0, 2.0, -999.0]);
    let one = Numbers(&[0.0, 1.0, 2.0]);
    for (names, time, has_ids) in [
        (
            ["row", "drifter"],
            ("time", &["row"][..], hours, one),
            false,
        ),
        (
            ["obs", "drifter"],
            ("time", &["obs", "drifter"], hours_filled, times),
            false,
        ),
        (
            ["row", "drifter"],
            ("time", &["row", "drifter"], hours_filled, times),
            true,
        ),
    ] {
        let mut columns: Vec<Variable<'_>> = vec![
            ("y", &names, fill, in_columns),
            ("x", &names, east, east_in_columns),
            time,
        ];
        if has_ids {
            columns.push(("name", &names[1..], id, Text("AB")));
        }
        let found = by_id(&netcdf(&[(names[0], 3), (names[1], 2)], &columns));
        let ids = if has_ids {
            ["A", "B"]
        } else {
            ["track 1", "track 2"]
        };
        assert_eq!(found, tracks(ids));
    }
}
