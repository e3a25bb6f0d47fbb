//! The files that are written, read back by programs that are not ours.

use std::path::{Path, PathBuf};

use crate::driver::home::Home;
#[cfg(feature = "parquet")]
use crate::driver::recorded;
use crate::driver::run::Run;
#[cfg(feature = "parquet")]
use crate::driver::service::Service;
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
        let arguments = [
            "track",
            uuid,
            "--format",
            format,
            "--output",
            file.to_str().unwrap(),
        ];
        Run::driftline(home, arguments)
            .env("DRIFTLINE_BASE_URL", base)
            .env("DRIFTLINE_TOKEN", token)
            .go()
            .ends_with(0);
    }
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
    Run::program(home, "xmllint", arguments).go().ends_with(0);
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
    let tracks = recorded::tracks();
    let folder = tracks.path();
    let service = Service::with(&["--tracks", folder.to_str().unwrap()]);
    for name in [
        "hurdat2_john_1994",
        "argo_5903248",
        "spotter_laptev_1386",
        "gpx_mojstrovka_same_time",
        "glider_voto_smilla77",
        "hurdat2_how_1951",
        "argos_akbs_59974",
    ] {
        let (uuid, _) = service
            .deployments
            .iter()
            .find(|one| one.1 == name)
            .unwrap();
        let home = Home::new();
        export(&home, &service.base_url, &service.token, uuid);
        read_back(&home, &folder.join(format!("{name}.json")));
    }
}

#[test]
#[cfg(feature = "parquet")]
fn nothing_one_fix_unusable_records_one_time_and_east_longitudes_read_back() {
    let one_time: Vec<String> = (0..5)
        .map(|n| format!(r#"{{"time_stamp":-5.5,"latitude":{n},"longitude":180}}"#))
        .collect();
    for body in [
        "[]".to_owned(),
        r#"[{"time_stamp":1e9,"latitude":1,"longitude":2}]"#.to_owned(),
        r#"[{"time_stamp":null,"latitude":1,"longitude":2},{"latitude":1}]"#.to_owned(),
        format!("[{}]", one_time.join(",")),
        r#"[{"time_stamp":0,"latitude":-10.5,"longitude":359.5},{"time_stamp":3600,"latitude":-10.5,"longitude":0.25},{"time_stamp":7200,"latitude":-10.5,"longitude":181}]"#.to_owned(),
    ] {
        let service = Responder::json(200, &body);
        let home = Home::new();
        export(&home, &service.base_url(), TOKEN, UUID);
        let recorded = home.write("recorded.json", &body);
        read_back(&home, &recorded);
    }
}

#[test]
fn ncdump_reads_the_attributes_that_the_conventions_ask_for() {
    let service = Responder::json(200, r#"[{"time_stamp":1e9,"latitude":80.5,"longitude":2}]"#);
    let home = Home::new();
    export(&home, &service.base_url(), TOKEN, UUID);
    let header = Run::program(
        &home,
        "ncdump",
        ["-h", home.file("track.nc").to_str().unwrap()],
    )
    .go()
    .ends_with(0);
    for part in [
        ":Conventions = \"CF-1.11",
        ":featureType = \"trajectory\"",
        "trajectory:cf_role = \"trajectory_id\"",
        "time:standard_name = \"time\"",
        "lat:units = \"degrees_north\"",
        "lon:units = \"degrees_east\"",
        "qc_flag:flag_values = 1b, 2b, 3b, 4b, 9b",
        "qc_flag:flag_meanings = \"pass not_evaluated suspect fail missing\"",
    ] {
        assert!(header.stdout.contains(part), "{part}\n{}", header.stdout);
    }
}

#[test]
fn names_that_would_break_a_file_do_not() {
    let service = Responder::json(200, r#"[{"time_stamp":1e9,"latitude":80.5,"longitude":2}]"#);
    let home = Home::new();
    let label = "=1+1 <b>&\u{1b}[31m\u{202e}]]>\u{fffe}";
    Run::driftline(&home, ["deployments", "add", UUID, "--label", label])
        .go()
        .ends_with(0);
    export(&home, &service.base_url(), TOKEN, UUID);
    for file in ["track.gpx", "track.kml"] {
        let path = home.file(file);
        Run::program(&home, "xmllint", ["--noout", path.to_str().unwrap()])
            .go()
            .ends_with(0);
    }
    let check = "import json,sys; json.load(open(sys.argv[1]))";
    for file in ["track.json", "track.geojson"] {
        let path = home.file(file);
        Run::program(&home, python(), ["-c", check, path.to_str().unwrap()])
            .go()
            .ends_with(0);
    }
}
