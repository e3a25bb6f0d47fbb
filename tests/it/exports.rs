//! The files that are written, read back by programs that are not ours.

use std::path::{Path, PathBuf};

use crate::driver::chance::rounds;
use crate::driver::home::Home;
use crate::driver::recorded;
use crate::driver::run::Run;
#[cfg(feature = "parquet")]
use crate::driver::wire::Act;
use crate::driver::wire::Responder;
use crate::exit_status::{TOKEN, UUID};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Extension and format of each file.
const FILES: [(&str, &str); 8] = [
    ("csv", "csv"),
    ("json", "json"),
    ("ndjson", "ndjson"),
    ("geojson", "geojson"),
    ("gpx", "gpx"),
    ("kml", "kml"),
    ("nc", "netcdf"),
    ("parquet", "parquet"),
];

/// The Python with the libraries of tests/requirements.txt, which tests/run
/// installs.
pub(crate) fn python() -> PathBuf {
    let python = Path::new(ROOT).join("target/test-tools/python/bin/python3");
    assert!(
        python.exists(),
        "the Python packages of tests/requirements.txt are missing: tests/run installs them"
    );
    python
}

/// Writes every file, from a base address with a token.
fn export(home: &Home, base: &str, token: &str, uuid: &str) {
    for (extension, format) in FILES {
        if format == "parquet" && !cfg!(feature = "parquet") {
            continue;
        }
        let file = home.file(&format!("track.{extension}"));
        export_as(home, [base, token], uuid, format, &file);
    }
}

/// Writes one file, from a base address with a token.
fn export_as(home: &Home, [base, token]: [&str; 2], uuid: &str, format: &str, file: &Path) {
    let file = file.to_str().unwrap();
    Run::driftline(home, ["track", uuid, "--format", format, "--output", file])
        .env("DRIFTLINE_BASE_URL", base)
        .env("DRIFTLINE_TOKEN", token)
        .ends_with(0);
}

/// How many points GDAL reads from a file; none if it finds no layer.
fn points_that_gdal_reads(home: &Home, file: &Path) -> Option<usize> {
    let seen = Run::program(home, "ogrinfo", ["-al", "-so", file.to_str().unwrap()]).ends_with(0);
    let count = |line: &str| line.strip_prefix("Feature Count: ")?.parse().ok();
    seen.stdout.lines().find_map(count)
}

/// Holds the files against the recorded answer they were made from, and the GPX
/// against its schema, which tests/run fetches.
#[cfg(feature = "parquet")]
fn read_back(home: &Home, recorded: &Path) {
    let schema = Path::new(ROOT).join("target/test-tools/gpx11.xsd");
    assert!(
        schema.exists(),
        "the GPX 1.1 schema is missing: tests/run fetches it"
    );
    let gpx = home.file("track.gpx");
    let arguments = [
        "--noout",
        "--nonet",
        "--schema",
        schema.to_str().unwrap(),
        gpx.to_str().unwrap(),
    ];
    Run::program(home, "xmllint", arguments).ends_with(0);
    let script = Path::new(ROOT).join("tests/read_back.py");
    let answer = Run::program(
        home,
        python(),
        [
            script.as_os_str(),
            home.path().as_os_str(),
            recorded.as_os_str(),
        ],
    )
    .go();
    assert_eq!(
        answer.status,
        0,
        "{}\n{}",
        recorded.display(),
        answer.stderr
    );
    assert!(answer.stdout.contains("read back from eight files"));
}

#[test]
#[cfg(feature = "parquet")]
fn real_tracks_read_back_from_every_format() {
    needs!("xmllint", "python-packages", "gpx-schema");
    for name in [
        "hurdat2_john_1994",
        "argo_5903248",
        "spotter_laptev_1386",
        "gpx_mojstrovka_same_time",
        "glider_voto_smilla77",
        "hurdat2_how_1951",
        "argos_akbs_59974",
    ] {
        let body = String::from_utf8(recorded::track(name)).unwrap();
        let service = Responder::json(200, &body);
        let home = Home::new();
        export(&home, &service.base_url(), TOKEN, UUID);
        read_back(&home, &home.write("recorded.json", &body));
    }
}

#[test]
#[cfg(feature = "parquet")]
fn nothing_one_fix_unusable_records_one_time_and_east_longitudes_read_back() {
    needs!("xmllint", "python-packages", "gpx-schema");
    let one_time: Vec<String> = (0..5)
        .map(|n| format!(r#"{{"time_stamp":-5.5,"latitude":{n},"longitude":180}}"#))
        .collect();
    for body in [
        "[]".to_owned(),
        r#"[{"time_stamp":1e9,"latitude":1,"longitude":2}]"#.to_owned(),
        r#"[{"time_stamp":null,"latitude":1,"longitude":2},{"latitude":1}]"#.to_owned(),
        format!("[{}]", one_time.join(",")),
        // Fixes on the antimeridian itself: crossed from the west, touched from
        // either side, and crossed from the east.
        on_the_antimeridian(&[179.0, 180.0, -179.0]),
        on_the_antimeridian(&[178.7, 180.0, 180.0, 179.0]),
        on_the_antimeridian(&[-179.0, 180.0, -178.7]),
        on_the_antimeridian(&[-179.0, -180.0, 179.0, -180.0, -180.0, 179.5, 180.0]),
        r#"[{"time_stamp":0,"latitude":-10.5,"longitude":359.5},{"time_stamp":3600,"latitude":-10.5,"longitude":0.25},{"time_stamp":7200,"latitude":-10.5,"longitude":181}]"#.to_owned(),
    ] {
        let service = Responder::json(200, &body);
        let home = Home::new();
        export(&home, &service.base_url(), TOKEN, UUID);
        let recorded = home.write("recorded.json", &body);
        read_back(&home, &recorded);
    }
}

/// An answer with a fix an hour at these longitudes, each in another latitude.
#[cfg(feature = "parquet")]
fn on_the_antimeridian(longitudes: &[f64]) -> String {
    let records: Vec<String> = (longitudes.iter().zip(0..))
        .map(|(longitude, n)| {
            let (time, latitude) = (14_400 * n, 60.0 + 0.1 * f64::from(n));
            format!(r#"{{"time_stamp":{time},"latitude":{latitude},"longitude":{longitude}}}"#)
        })
        .collect();
    format!("[{}]", records.join(","))
}

/// A mooring whose position does not change is a line. A single fix is none.
#[test]
fn gdal_reads_a_track_that_never_moves_as_a_line() {
    needs!("gdal");
    for (fixes, line) in [(1, None), (3, Some("LINESTRING (2.0 1.5,2.0 1.5,2.0 1.5)"))] {
        let records: Vec<String> = (0..fixes)
            .map(|n| {
                let time = 3600 * n;
                format!(r#"{{"time_stamp":{time},"latitude":1.5,"longitude":2}}"#)
            })
            .collect();
        let service = Responder::json(200, &format!("[{}]", records.join(",")));
        let home = Home::new();
        let file = home.file("track.geojson");
        export_as(&home, [&service.base_url(), TOKEN], UUID, "geojson", &file);
        // The first feature is the track.
        let arguments = ["-al", "-fid", "0", file.to_str().unwrap()];
        let seen = Run::program(&home, "ogrinfo", arguments).ends_with(0);
        let mut lines = seen.stdout.lines().map(str::trim);
        let found = lines.find(|line| line.starts_with("LINESTRING ("));
        assert_eq!(found, line, "{}", seen.stdout);
    }
}

#[test]
fn gdal_reads_every_fix_of_every_real_track_and_the_checker_finds_no_error() {
    needs!("gdal", "python-packages");
    let home = Home::new();
    let mut files = Vec::new();
    let mut names = recorded::names();
    names.sort_unstable();
    for name in names.iter().step_by(rounds(2, 1)) {
        let body = String::from_utf8(recorded::track(name)).unwrap();
        let service = Responder::json(200, &body);
        let base = service.base_url();
        let table = home.file(&format!("{name}.csv"));
        export_as(&home, [&base, TOKEN], UUID, "csv", &table);
        let fixes = std::fs::read_to_string(&table).unwrap().lines().count() - 1;
        let file = home.file(&format!("{name}.nc"));
        export_as(&home, [&base, TOKEN], UUID, "netcdf", &file);
        assert_eq!(points_that_gdal_reads(&home, &file), Some(fixes), "{name}");
        files.push(file);
    }
    assert!(files.len() >= 10, "{files:?}");
    let checker = python().with_file_name("compliance-checker");
    let report = home.file("report.json");
    let options = ["--test=cf:1.8", "--test=acdd:1.3", "-f", "json_new", "-o"];
    let arguments = options
        .iter()
        .map(|option| option.as_ref())
        .chain([report.as_path()])
        .chain(files.iter().map(PathBuf::as_path));
    // Its exit status is not 0 where a recommendation is not followed.
    Run::program(&home, checker, arguments).go();
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    for file in &files {
        let of = |test: &str| &report[file.to_str().unwrap()][test];
        for priority in ["high_count", "medium_count"] {
            assert_eq!(of("cf:1.8")[priority], 0, "{file:?}: {}", of("cf:1.8"));
        }
        let points = |name: &str| of("acdd:1.3")[name].as_f64().unwrap();
        let share = points("scored_points") / points("possible_points");
        assert!(share >= 0.9, "{file:?}: {share}: {}", of("acdd:1.3"));
    }
}

#[test]
fn gdal_opens_a_track_without_fixes_and_one_with_a_fix() {
    needs!("gdal");
    for (body, points) in [
        ("[]", 0),
        (r#"[{"time_stamp":1e9,"latitude":1,"longitude":2}]"#, 1),
    ] {
        let service = Responder::json(200, body);
        let home = Home::new();
        let file = home.file("track.nc");
        export_as(&home, [&service.base_url(), TOKEN], UUID, "netcdf", &file);
        let seen = points_that_gdal_reads(&home, &file);
        assert_eq!(seen.unwrap_or_default(), points);
    }
}

/// Of three fixes the service withdraws the second.
#[test]
#[cfg(feature = "parquet")]
fn a_withdrawn_fix_is_marked_in_the_files_that_have_room_for_it() {
    needs!("python-packages");
    let record = |hour: u32| {
        format!(
            r#"{{"time_stamp":{},"latitude":60.{hour},"longitude":1}}"#,
            1_600_000_000 + hour * 3600
        )
    };
    let all = format!("[{},{},{}]", record(0), record(1), record(2));
    let rest = format!("[{},{}]", record(0), record(2));
    let service = Responder::new(move |_, number| match number {
        0 => Act::json(200, &all),
        _ => Act::json(200, &rest),
    });
    let home = Home::new();
    Run::driftline(&home, ["deployments", "add", UUID]).ends_with(0);
    let access = [&service.base_url(), TOKEN];
    let table = home.file("first.csv");
    export_as(&home, access, UUID, "csv", &table);
    let first = std::fs::read_to_string(&table).unwrap();
    assert!(first.starts_with(
        "time,time_stamp,latitude,longitude,distance_m,speed_m_s,course_deg,gap_s,qc_flag,qc_reason\n"
    ));
    export(&home, &service.base_url(), TOKEN, UUID);
    let script = Path::new(ROOT).join("tests/withdrawn.py");
    Run::program(&home, python(), [script.as_path(), home.path()]).ends_with(0);
}

#[test]
fn ncdump_reads_the_attributes_that_the_conventions_ask_for() {
    needs!("ncdump");
    let service = Responder::json(200, r#"[{"time_stamp":1e9,"latitude":80.5,"longitude":2}]"#);
    let home = Home::new();
    export(&home, &service.base_url(), TOKEN, UUID);
    let header = Run::program(
        &home,
        "ncdump",
        ["-h", home.file("track.nc").to_str().unwrap()],
    )
    .ends_with(0);
    for part in [
        ":Conventions = \"CF-1.11, CF-1.8, ACDD-1.3\"",
        ":featureType = \"trajectory\"",
        ":platform_vocabulary = \"driftline: generic, drifter, float, glider, mooring, tag, vessel\"",
        "trajectory:cf_role = \"trajectory_id\"",
        "time:standard_name = \"time\"",
        "lat:units = \"degrees_north\"",
        "lon:units = \"degrees_east\"",
        "qc_flag:flag_values = 1, 2, 3, 4, 9",
        "qc_flag:flag_meanings = \"pass not_evaluated suspect fail missing\"",
    ] {
        assert!(header.stdout.contains(part), "{part}\n{}", header.stdout);
    }
}

#[test]
fn the_help_of_track_names_columns_tests_limits_and_their_source() {
    let help = Run::driftline(&Home::new(), ["track", "--help"]).ends_with(0);
    for part in [
        "course_deg                   course over ground at the start of the leg, from true north (degrees)\n",
        "qc_reason ",
        "absent_from_latest_response",
        "speed (fail): over the speed limit",
        "Xu and Ignatov (2013)",
        "drifter    4.2 m/s     200 m",
    ] {
        assert!(help.stdout.contains(part), "{part}\n{}", help.stdout);
    }
}

#[test]
fn a_speed_limit_that_is_set_stands_in_the_files_with_its_source() {
    needs!("ncdump");
    let service = Responder::json(200, r#"[{"time_stamp":1e9,"latitude":80.5,"longitude":2}]"#);
    let home = Home::new();
    let json = home.file("track.json");
    let netcdf = home.file("track.nc");
    for (format, file) in [("json", &json), ("netcdf", &netcdf)] {
        let file = file.to_str().unwrap();
        let arguments = ["track", UUID, "--max-speed", "18km/h", "--format", format];
        Run::driftline(&home, arguments.into_iter().chain(["--output", file]))
            .at(service.base_url())
            .ends_with(0);
    }
    let document: serde_json::Value =
        serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    let quality = &document["summary"]["quality"];
    assert_eq!(quality["speed_limit_m_s"], 5);
    assert_eq!(quality["speed_limit_source"], "set by the user");
    let header = Run::program(&home, "ncdump", ["-h", netcdf.to_str().unwrap()]).ends_with(0);
    assert!(header.stdout.contains(":qc_speed_limit_m_s = 5. ;"));
    assert!(header.stdout.contains("speed (fail): over 5 m/s"));
}

#[test]
fn names_that_would_break_a_file_do_not() {
    needs!("xmllint", "python-packages");
    let service = Responder::json(200, r#"[{"time_stamp":1e9,"latitude":80.5,"longitude":2}]"#);
    let home = Home::new();
    let label = "=1+1 <b>&\u{1b}[31m\u{202e}]]>\u{fffe}";
    Run::driftline(&home, ["deployments", "add", UUID, "--label", label]).ends_with(0);
    export(&home, &service.base_url(), TOKEN, UUID);
    for file in ["track.gpx", "track.kml"] {
        let path = home.file(file);
        Run::program(&home, "xmllint", ["--noout", path.to_str().unwrap()]).ends_with(0);
    }
    let check = "import json,sys; json.load(open(sys.argv[1]))";
    for file in ["track.json", "track.geojson"] {
        let path = home.file(file);
        Run::program(&home, python(), ["-c", check, path.to_str().unwrap()]).ends_with(0);
    }
}
