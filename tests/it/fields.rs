//! What a record carries besides time and position: from the service to every
//! file, read back by programs that are not ours.

use crate::driver::home::Home;
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::exit_status::{TOKEN, UUID};
use crate::exports::python;

/// A late field, one that goes, one whose type changes, and names of ours.
const BODY: &str = r#"[
{"time_stamp":0,"latitude":80,"longitude":10,"air_temp":-12.5,"note":"a, \"b\"","dtc_values_0":-1.25,"dtc_values_1":-1.5,"time":7,"odd name":1},
{"time_stamp":3600,"latitude":80.001,"longitude":10,"air_temp":null,"battery_voltage":12.25,"note":5,"dtc_values_0":-1,"dtc_values_1":-1.75,"id":9007199254740993},
{"time_stamp":7200,"latitude":80.002,"longitude":10,"battery_voltage":12,"note":true,"gps":{"hdop":1},"dtc_values_0":0,"dtc_values_1":0}]"#;

fn track(home: &Home, service: &Responder, arguments: &[&str]) -> Answer {
    let all = ["track", UUID].iter().chain(arguments);
    Run::driftline(home, all)
        .env("DRIFTLINE_BASE_URL", service.base_url())
        .env("DRIFTLINE_TOKEN", TOKEN)
        .go()
}

fn header(seen: &Answer) -> Vec<String> {
    let line = seen.stdout.lines().next().unwrap();
    line.split(',').skip(10).map(str::to_owned).collect()
}

#[test]
fn fields_are_read_back_from_the_files_also_offline() {
    let service = Responder::json(200, BODY);
    let home = Home::new();
    Run::driftline(&home, ["deployments", "add", UUID])
        .go()
        .ends_with(0);
    for offline in [&[][..], &["--offline"]] {
        for format in ["csv", "json", "ndjson", "geojson", "netcdf", "parquet"] {
            if format == "parquet" && !cfg!(feature = "parquet") {
                continue;
            }
            let file = home.file(&format!("track.{format}"));
            let file = file.to_str().unwrap();
            let arguments = [&["--format", format, "--output", file], offline].concat();
            track(&home, &service, &arguments).ends_with(0);
        }
        let script = r#"
import duckdb, json, os, sys
from scipy.io import netcdf_file
folder = sys.argv[1]
rows = duckdb.sql(f"SELECT air_temp, note, dtc_values_1, field_time, \"odd name\", battery_voltage, id, gps FROM read_csv('{folder}/track.csv') ORDER BY time_stamp").fetchall()
assert rows == [(-12.5, 'a, "b"', -1.5, 7, 1, None, None, None), (None, '5', -1.75, None, None, 12.25, 9007199254740993, None), (None, 'true', 0, None, None, 12, None, '{"hdop":1}')], rows
whole = json.load(open(f'{folder}/track.json'))['fixes']
lines = [json.loads(line) for line in open(f'{folder}/track.ndjson')]
points = [one['properties'] for one in json.load(open(f'{folder}/track.geojson'))['features'][1:]]
for fixes in (whole, lines, points):
    fields = [fix['fields'] for fix in fixes]
    assert fields[0] == {'air_temp': -12.5, 'note': 'a, "b"', 'dtc_values_0': -1.25, 'dtc_values_1': -1.5, 'time': 7, 'odd name': 1}, fields
    assert fields[1] == {'air_temp': None, 'battery_voltage': 12.25, 'note': 5, 'dtc_values_0': -1, 'dtc_values_1': -1.75, 'id': 9007199254740993}, fields
    assert fields[2] == {'battery_voltage': 12, 'note': True, 'gps': '{"hdop":1}', 'dtc_values_0': 0, 'dtc_values_1': 0}, fields
nc = netcdf_file(f'{folder}/track.netcdf', mmap=False, maskandscale=True)
assert nc.variables['air_temp'].units == b'degree_Celsius' and nc.variables['air_temp'].standard_name == b'air_temperature'
assert nc.variables['battery_voltage'].units == b'V'
assert nc.variables['air_temp'][:].tolist() == [-12.5, None, None], nc.variables['air_temp'][:]
assert nc.variables['battery_voltage'][:].tolist() == [None, 12.25, 12]
assert nc.variables['dtc_values_1'].profile == b'dtc_values' and nc.variables['dtc_values_1'].profile_index == 1
assert nc.variables['field_time'][:].tolist() == [7, None, None]
assert nc.variables['odd_name'].long_name == b'odd name'
text = [b''.join(row).rstrip(b'\0').decode() for row in nc.variables['note'][:]]
assert text == ['a, "b"', '5', 'true'], text
if os.path.exists(f'{folder}/track.parquet'):
    rows = duckdb.sql(f"SELECT air_temp, note, dtc_values_1, field_time, battery_voltage, gps FROM '{folder}/track.parquet' ORDER BY time_stamp").fetchall()
    assert rows == [(-12.5, 'a, "b"', -1.5, 7, None, None), (None, '5', -1.75, None, 12.25, None), (None, 'true', 0, None, 12, '{"hdop":1}')], rows
print('read back')
"#;
        let seen = Run::program(
            &home,
            python(),
            ["-c", script, home.path().to_str().unwrap()],
        )
        .go();
        assert_eq!(seen.stdout.trim(), "read back", "{}", seen.stderr);
        let file = home.file("track.netcdf");
        let seen = Run::program(&home, "ogrinfo", ["-al", "-so", file.to_str().unwrap()]).go();
        assert!(seen.stdout.contains("Feature Count: 3"), "{}", seen.stdout);
        assert!(seen.stdout.contains("battery_voltage"), "{}", seen.stdout);
    }
    let checker = python().with_file_name("compliance-checker");
    let (report, file) = (home.file("report.json"), home.file("track.nc"));
    std::fs::copy(home.file("track.netcdf"), &file).unwrap();
    let report = report.to_str().unwrap();
    let file = file.to_str().unwrap();
    let arguments = ["--test=cf:1.8", "-f", "json_new", "-o", report, file];
    Run::program(&home, checker, arguments).go();
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    for priority in ["high_count", "medium_count"] {
        assert_eq!(report[file]["cf:1.8"][priority], 0, "{report}");
    }
}

#[test]
fn the_fields_of_a_file_can_be_picked() {
    let service = Responder::json(200, BODY);
    let home = Home::new();
    let all = [
        "air_temp",
        "note",
        "dtc_values_0",
        "dtc_values_1",
        "field_time",
        "odd name",
        "battery_voltage",
        "id",
        "gps",
    ];
    assert_eq!(header(&track(&home, &service, &[]).ends_with(0)), all);
    for (choice, names) in [
        ("none", &[][..]),
        (
            "battery_voltage, dtc_values_*",
            &["dtc_values_0", "dtc_values_1", "battery_voltage"],
        ),
        ("time", &["field_time"]),
    ] {
        let seen = track(&home, &service, &["--fields", choice]).ends_with(0);
        assert_eq!(
            (header(&seen), seen.stderr.as_str()),
            (names.iter().map(|one| (*one).to_owned()).collect(), "")
        );
    }
    let seen = track(&home, &service, &["--fields", "air_temp,salinity"]).ends_with(0);
    assert_eq!(header(&seen), ["air_temp"]);
    assert!(
        seen.stderr.contains("no record has a field salinity"),
        "{seen:?}"
    );
    track(&home, &service, &["--fields", ","]).ends_with(2);
    for format in ["gpx", "kml", "table"] {
        let seen = track(&home, &service, &["--format", format]).ends_with(0);
        assert!(!seen.stdout.contains("battery"), "{format}");
    }
}

#[test]
fn a_service_that_ignores_what_it_is_asked_for_gives_the_same_result() {
    let home = Home::new();
    for (fields, names) in [
        ("battery_voltage,note", &["note", "battery_voltage"][..]),
        (",", &[]),
    ] {
        let service = Responder::json(200, BODY);
        let seen = Run::driftline(&home, ["track", UUID])
            .env("DRIFTLINE_BASE_URL", service.base_url())
            .env("DRIFTLINE_TOKEN", TOKEN)
            .env("DRIFTLINE_FIELDS", fields)
            .go()
            .ends_with(0);
        assert_eq!(header(&seen), names);
        assert!(
            service.requests()[0]
                .target
                .contains("?field=time_stamp&field=latitude&field=longitude")
        );
    }
}

#[test]
fn whether_an_answer_is_unchanged_is_asked_for_the_same_fields_alone() {
    let service = Responder::new(|request, _| match request.header("if-none-match") {
        Some(_) => Act::with(304, &[("ETag", "\"7\"")], ""),
        None => Act::with(200, &[("ETag", "\"7\"")], BODY),
    });
    let home = Home::new();
    Run::driftline(&home, ["deployments", "add", UUID])
        .go()
        .ends_with(0);
    let all = header(&track(&home, &service, &[]).ends_with(0));
    assert_eq!(all.len(), 9);
    for conditional in [false, true] {
        let seen = Run::driftline(&home, ["track", UUID])
            .env("DRIFTLINE_BASE_URL", service.base_url())
            .env("DRIFTLINE_TOKEN", TOKEN)
            .env("DRIFTLINE_FIELDS", "note")
            .go()
            .ends_with(0);
        assert_eq!(header(&seen), ["note"]);
        let requests = service.requests();
        let last = requests.last().unwrap();
        assert_eq!(last.header("if-none-match").is_some(), conditional);
    }
    // What was kept before is kept.
    let offline = track(&home, &service, &["--offline"]).ends_with(0);
    assert_eq!(header(&offline), all);
}
