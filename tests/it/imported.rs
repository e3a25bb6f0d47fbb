//! Files that are kept: `archive import` adds their records to a deployment.

use serde_json::Value;

use crate::driver::home::Home;
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::exit_status::{HOURLY_TRACK, UUID};

fn run(home: &Home, base: &str, arguments: &[&str]) -> Answer {
    Run::driftline(home, arguments).at(base).go()
}

fn import(home: &Home, files: &[&str]) -> Answer {
    let all = [&["archive", "import", "--deployment", UUID], files].concat();
    Run::driftline(home, all).go()
}

/// What is archived, if anything is.
fn archived_at_all(home: &Home) -> Option<String> {
    let track = ["track", UUID, "--offline", "--format", "csv"];
    let track = Run::driftline(home, track).go();
    (track.status == 0).then_some(track.stdout)
}

/// The archived fixes: time, position, flag and fields.
fn archived(home: &Home) -> Vec<Value> {
    let track = ["track", UUID, "--offline", "--format", "json"];
    // Without a base URL, those of every service.
    let track = Run::driftline(home, track).ends_with(0);
    let track: Value = serde_json::from_str(&track.stdout).unwrap();
    let fixes = track["fixes"].as_array().unwrap().iter();
    let of = |fix: &Value, name: &str| fix[name].clone();
    let names = ["time_stamp", "latitude", "longitude", "qc_flag", "fields"];
    fixes
        .map(|fix| names.iter().map(|name| of(fix, name)).collect())
        .collect()
}

#[test]
fn every_format_of_driftline_is_imported_as_the_same_fixes_and_flags() {
    let track: String = (0..30)
        .map(|hour| {
            // The twentieth is far off.
            let latitude = 80.0 + f64::from(hour) * 0.01 - if hour == 20 { 9.0 } else { 0.0 };
            let time = 1_700_000_000 + hour * 3600;
            format!(r#",{{"time_stamp":{time},"latitude":{latitude},"longitude":179.99,"battery":12.5}}"#)
        })
        .collect();
    let service = Responder::json(200, &format!("[{}]", &track[1..]));
    let home = Home::new();
    run(&home, &service.base_url(), &["deployments", "add", UUID]).ends_with(0);
    run(&home, &service.base_url(), &["collect", "--once"]).ends_with(0);
    let expected = archived(&home);
    assert_eq!(expected.len(), 30);
    assert!(expected.iter().any(|fix| fix[3] == 4));
    for format in ["csv", "json", "ndjson", "geojson", "gpx", "kml", "netcdf"] {
        let file = home.file(&format!("track.{format}")).display().to_string();
        let write = [
            "track",
            UUID,
            "--offline",
            "--format",
            format,
            "--output",
            &file,
        ];
        run(&home, &service.base_url(), &write).ends_with(0);
        let other = Home::new();
        let said = import(&other, &[&file]).ends_with(0).stderr;
        assert!(said.contains("30 fixes read, 30 new"), "{format}: {said}");
        let said = import(&other, &[&file]).ends_with(0).stderr;
        assert!(said.contains("30 fixes read, 0 new"), "{format}: {said}");
        let mut imported = archived(&other);
        if matches!(format, "gpx" | "kml") {
            // They have no fields.
            for (fix, expected) in imported.iter_mut().zip(&expected) {
                assert_eq!(fix[4], Value::Null);
                fix[4] = expected[4].clone();
            }
        }
        assert_eq!(imported, expected, "{format}");
    }
}

#[test]
fn new_fields_of_known_fixes_are_stored_and_counted() {
    let home = Home::new();
    let file = |name: &str, table: &str| home.write(name, table).display().to_string();
    let first = file(
        "a.csv",
        "time,lat,lon,battery\n1700000000,85,10,12\n1700003600,85.1,10,12\n",
    );
    import(&home, &[&first]).ends_with(0);
    let second = file(
        "b.csv",
        "time,lat,lon,battery,sst\n1700000000,85,10,12,-1.5\n1700003600,85.1,10,11,\n\
         1700007200,85.2,10,12,-1\n",
    );
    let said = import(&home, &[&second]).ends_with(0).stderr;
    assert!(said.contains("3 fixes read, 1 new for"), "{said}");
    assert!(said.contains("; new fields of 2 fixes"), "{said}");
    let fields: Vec<Value> = archived(&home).iter().map(|fix| fix[4].clone()).collect();
    assert_eq!(fields[0]["sst"], -1.5);
    assert_eq!(fields[1]["battery"], 11);
    assert_eq!(fields[2]["sst"], -1);
    // Nothing else is new.
    let said = import(&home, &[&second]).ends_with(0).stderr;
    assert!(said.contains("3 fixes read, 0 new for"), "{said}");
    assert!(!said.contains("new fields"), "{said}");
    assert_eq!(archived(&home).len(), 3);
}

#[test]
fn a_logger_fills_the_holes_and_the_service_goes_on_as_before() {
    let service = Responder::new(|request, _| match request.header("if-none-match") {
        Some(_) => Act::with(304, &[("ETag", "\"a\"")], ""),
        None => Act::with(200, &[("ETag", "\"a\"")], HOURLY_TRACK),
    });
    let home = Home::new();
    let base = service.base_url();
    run(
        &home,
        &base,
        &["deployments", "add", UUID, "--inside", "85.5,10.3,40km"],
    )
    .ends_with(0);
    run(&home, &base, &["track", UUID]).ends_with(0);
    let before = archived(&home);
    // Between the first two, beyond the last, and one at a time that is there.
    home.write(
        "logger.csv",
        "time,lat,lon,depth\n1700001800,85.505,10.27,3\n1700000000,85.6,11,3\n\
         1700018000,85.9,10.4,4\n1700019800,86,10.4,4\nnoon,86,10.4,4\n",
    );
    let file = home.file("logger.csv").display().to_string();
    let said = import(&home, &[&file]).ends_with(0).stderr;
    assert!(said.contains("4 fixes read, 3 new"), "{said}");
    assert!(said.contains("1 invalid record left out"), "{said}");
    let words = "; 1 left out: the archive has another position at that time";
    assert!(said.contains(words), "{said}");
    let after = archived(&home);
    assert_eq!(after.len(), before.len() + 3);
    assert_eq!(after[0], before[0]);
    assert_eq!(after[1][4]["depth"], 3);
    // It is judged by them.
    run(&home, &base, &["alarms", "--all", "--json"])
        .ends_with(0)
        .prints("\"outside\"");
    // The next request is the one that it would have been.
    let shown = run(&home, &base, &["track", UUID, "--format", "json"]).ends_with(0);
    assert_eq!(service.requests()[1].header("if-none-match"), Some("\"a\""));
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(shown["fixes"].as_array().unwrap().len(), after.len());
}

#[test]
fn a_file_of_another_instrument_is_noticed() {
    let service = Responder::json(200, HOURLY_TRACK);
    let home = Home::new();
    let base = service.base_url();
    run(&home, &base, &["deployments", "add", UUID]).ends_with(0);
    run(&home, &base, &["track", UUID]).ends_with(0);
    home.write(
        "other.csv",
        "time,lat,lon\n1700001800,-30,10\n1700005400,-30,10.1\n",
    );
    let file = home.file("other.csv").display().to_string();
    let said = import(&home, &[&file]).ends_with(0).stderr;
    assert!(said.contains("2 new"), "{said}");
    assert!(
        said.contains("is this file of another instrument?"),
        "{said}"
    );
}

#[test]
fn a_file_that_names_another_deployment_is_refused_and_an_unknown_name_is_said() {
    let home = Home::new();
    let other = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa";
    for (uuid, label) in [(UUID, "buoy 7"), (other, "buoy 12")] {
        let add = ["deployments", "add", uuid, "--label", label];
        run(&home, "http://127.0.0.1:1", &add).ends_with(0);
    }
    let file = |id: &str| {
        let rows = (0..9).map(|hour| format!("2026-11-20T0{hour}:00:00Z,60.{hour},5,{id}\n"));
        let table = format!("time,lat,lon,imei\n{}", rows.collect::<String>());
        home.write("log.csv", table).display().to_string()
    };
    for id in ["buoy 12", other] {
        import(&home, &[&file(id)])
            .ends_with(2)
            .says("another deployment: buoy 12");
    }
    assert!(archived_at_all(&home).is_none());
    import(&home, &[&file("300234010753370")])
        .ends_with(0)
        .says("is of '300234010753370'");
    let own = import(&home, &[&file("buoy 7")]).ends_with(0);
    assert!(!own.stderr.contains("is of"), "{own:#?}");
}

#[test]
fn what_cannot_be_imported_is_said_and_nothing_is_stored() {
    let home = Home::new();
    home.write(
        "two.csv",
        "id,time,lat,lon\nA,1700000000,60,5\nB,1700000000,61,5\n",
    );
    home.write("bad.csv", "time,lat\n1700000000,60\n");
    let path = |name: &str| home.file(name).display().to_string();
    let (two, bad) = (path("two.csv"), path("bad.csv"));
    let several = import(&home, &[&two]).ends_with(2);
    assert!(
        several.stderr.contains("A, B") && several.stderr.contains("--id"),
        "{several:#?}"
    );
    import(&home, &[&bad]).ends_with(6);
    import(&home, &["/no/such.csv"]).ends_with(2);
    // A good file beside a bad one is not stored either.
    let both = ["--id", "A", &two, &bad];
    import(&home, &both).ends_with(6);
    Run::driftline(&home, ["archive", "import", "--deployment", "nobody", &two]).ends_with(2);
    Run::driftline(&home, ["archive", "import", &two]).ends_with(2);
    import(&home, &["--id", "A", &two]).ends_with(0);
    assert_eq!(archived(&home).len(), 1);
    let again = ["archive", "import", "--deployment", UUID, "-"];
    let input = "time,lat,lon\n1700000060,60,5\n";
    Run::driftline(&home, again)
        .stdin(input)
        .ends_with(0)
        .says("1 new");
}

#[test]
fn a_file_is_imported_for_a_deployment_of_another_service() {
    let service = Responder::json(200, "[]");
    let home = crate::mapped::home(&service.base_url(), "");
    let go = |arguments: &[&str]| crate::mapped::go(&home, arguments).ends_with(0);
    home.write(
        "card.csv",
        "time,lat,lon\n1700000000,60,5\n1700003600,60.01,5\n",
    );
    let file = home.file("card.csv").display().to_string();
    go(&["deployments", "add", "SPOT-0222", "--label", "spotter"]);
    go(&["archive", "import", &file, "--deployment", "spotter"]);
    let track = go(&["track", "SPOT-0222", "--offline"]);
    assert_eq!(track.stdout.lines().count(), 3, "{track:#?}");
    assert!(service.requests().is_empty());
}
