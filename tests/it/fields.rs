//! What a record carries besides time and position: from the service to every
//! file, read back by programs that are not ours.

use crate::driver::home::Home;
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::exit_status::UUID;
use crate::exports::python;

/// A late field, one that goes, one whose type changes, and names of ours.
pub(crate) const BODY: &str = r#"[
{"time_stamp":0,"latitude":80,"longitude":10,"air_temp":-12.5,"note":"a, \"b\"","dtc_values_0":-1.25,"dtc_values_1":-1.5,"time":7,"odd name":1},
{"time_stamp":3600,"latitude":80.001,"longitude":10,"air_temp":null,"battery_voltage":12.25,"note":5,"dtc_values_0":-1,"dtc_values_1":-1.75,"id":9007199254740993},
{"time_stamp":7200,"latitude":80.002,"longitude":10,"battery_voltage":12,"note":true,"gps":{"hdop":1},"dtc_values_0":0,"dtc_values_1":0}]"#;

pub(crate) fn track(home: &Home, service: &Responder, arguments: &[&str]) -> Answer {
    let all = ["track", UUID].iter().chain(arguments);
    Run::driftline(home, all).at(service.base_url()).go()
}

#[test]
fn the_last_fix_of_each_deployment_has_its_fields_from_the_service_and_the_archive() {
    let (home, service) = (Home::new(), Responder::json(200, BODY));
    Run::driftline(&home, ["deployments", "add", UUID]).ends_with(0);
    let latest = |arguments: &[&str]| {
        let all = ["latest"].iter().chain(arguments);
        Run::driftline(&home, all)
            .at(service.base_url())
            .ends_with(0)
    };
    let csv = latest(&["--format", "csv"]).stdout;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let head = reader.headers().unwrap().clone();
    let row = reader.records().next().unwrap().unwrap();
    let cell = |name: &str| &row[head.iter().position(|one| one == name).unwrap()];
    // A field that the last record lacks, and one with a name of ours.
    assert_eq!((cell("air_temp"), cell("battery_voltage")), ("", "12"));
    assert_eq!((cell("field_time"), cell("note")), ("", "true"));
    let picked = ["--format", "json", "--fields", "battery_*,dtc_values_0"];
    let json: serde_json::Value = serde_json::from_str(&latest(&picked).stdout).unwrap();
    let fields = serde_json::json!({"battery_voltage": 12, "dtc_values_0": 0});
    assert_eq!(json[0]["fields"], fields);
    // The archive has the same, and nothing is written that was not chosen.
    let offline = latest(&["--format", "csv", "--offline"]).stdout;
    let of_fields = |csv: &str| -> Vec<String> {
        let lines = csv.lines().map(|line| line.split(",generic").nth(1));
        lines
            .map(|rest| rest.unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(of_fields(&offline), of_fields(&csv));
    let none = latest(&["--format", "csv", "--fields", "none"]).stdout;
    assert!(
        none.lines().next().unwrap().ends_with(",health,platform"),
        "{none}"
    );
    latest(&["--format", "csv", "--fields", "salinity"]).says("no record has a field salinity");
}

/// The formats with fields that this build has.
fn formats() -> impl Iterator<Item = &'static str> {
    ["csv", "json", "ndjson", "geojson", "netcdf", "parquet"]
        .into_iter()
        .filter(|format| *format != "parquet" || cfg!(feature = "parquet"))
}

/// Makes an answer of random records: values of every type, fields that come
/// late, go, and change their type, records in any order. Arguments: the seed,
/// the file.
const RANDOM_RECORDS: &str = r#"
import json, random, sys
random.seed(int(sys.argv[1]))
texts = ['', 'plain', 'a, "b"', 'two\nlines', ' edges ', '=1+1', '-5', '1e5', 'true', 'S\u00f8 \U0001f30a', '\t', '\u00e5' * 90]
def number():
    return random.choice([
        lambda: round(random.uniform(-40, 40), random.randrange(7)), lambda: random.gauss(0, 1), lambda: random.randrange(-300, 300),
        lambda: random.choice([0, -0.0, 9007199254740993, -9007199254740995, 9223372036854775807, 18446744073709551615, 10**20 + 1, -10**30 - 7, 1e300, -1e-300, 1e22, 4294967296.5, 2147483648, -2147483648])])()
kinds = [number, number, number, lambda: random.choice(texts), lambda: random.random() < 0.5, lambda: None,
         lambda: {'a': [1, {'b': random.choice(texts)}]}, lambda: []]
few = lambda: round(random.uniform(-40, 40), 2)
fields = {}
for name in ['salinity', 'air_temp', 'note', 'time', 'odd name', 't_0', 't_1', 't_2', 'state', 'f8', 'f9', '\u00e5']:
    first, last = sorted(random.randrange(60) for _ in range(2))
    one = few if name.startswith('t_') else number if random.random() < 0.3 else random.choice(kinds)
    fields[name] = (first, last + 30, one, random.random() < 0.3)
records = []
for n in range(60):
    record = {'time_stamp': 3600 * n, 'latitude': 80 + n / 1000, 'longitude': 10}
    for name, (first, last, kind, changes) in fields.items():
        if first <= n <= last and random.random() < 0.9:
            record[name] = random.choice(kinds)() if changes and random.random() < 0.1 else None if random.random() < 0.05 else kind()
    members = list(record.items())
    random.shuffle(members)
    records.append(dict(members))
random.shuffle(records)
json.dump(records, open(sys.argv[2], 'w'), ensure_ascii=random.random() < 0.5)
"#;

/// Holds the files in folders against the answer there. Arguments: the folders.
const COMPARE: &str = r#"
import csv, json, os, sys
import duckdb, numpy, pandas, xarray
def compare(folder):
    raw = json.load(open(f'{folder}/answer.json'), parse_float=lambda text: (float(text), text))
    records = sorted(raw, key=lambda one: one['time_stamp'])
    def of(value):
        if isinstance(value, tuple): return value[0]
        return value
    def texts(value):
        if isinstance(value, tuple): return value[0]
        if isinstance(value, list): return [texts(one) for one in value]
        if isinstance(value, dict): return {name: texts(one) for name, one in value.items()}
        return value
    ours = ('time_stamp', 'latitude', 'longitude')
    expected = [{name: of(value) for name, value in one.items() if name not in ours} for one in records]
    names = []
    for one in raw:
        names += [name for name in one if name not in ours and name not in names]
    is_number = lambda value: isinstance(value, (int, float)) and not isinstance(value, bool)
    def same(seen, value):
        'Of an object or an array the JSON text is kept.'
        if isinstance(value, (dict, list)):
            return isinstance(seen, str) and json.loads(seen) == texts(value)
        if is_number(value):
            return is_number(seen) and seen == value
        return type(seen) is type(value) and seen == value
    whole = json.load(open(f'{folder}/track.json'))['fixes']
    lines = [json.loads(line) for line in open(f'{folder}/track.ndjson')]
    points = [one['properties'] for one in json.load(open(f'{folder}/track.geojson'))['features'][1:]]
    for fixes in (whole, lines, points):
        assert len(fixes) == len(expected)
        for fix, one in zip(fixes, expected):
            fields = fix.get('fields', {})
            assert fields.keys() == one.keys(), (fields, one)
            assert all(same(fields[name], value) for name, value in one.items()), (fields, one)
    column = lambda name: 'field_time' if name == 'time' else name
    def as_text(seen, value):
        'Whether a text is the value, as text; of none there is an empty one.'
        if value is None: return seen == ''
        if isinstance(value, bool): return seen == str(value).lower()
        if is_number(value): return (int(seen) == value) if isinstance(value, int) and abs(value) < 10**19 else float(seen) == float(value)
        if isinstance(value, str): return seen == value
        return json.loads(seen) == texts(value)
    def in_a_cell(seen, value):
        if isinstance(value, str) and value[:1] in ('=', '-', '\t') and value:
            return seen == "'" + value
        return as_text(seen, value)
    rows = list(csv.DictReader(open(f'{folder}/track.csv', newline='')))
    header = list(rows[0])
    assert header[header.index('qc_reason') + 1:] == [column(name) for name in names], (header, names)
    frame = pandas.read_csv(f'{folder}/track.csv', dtype=str, keep_default_na=False)
    duck = duckdb.sql(f"SELECT * FROM read_csv('{folder}/track.csv', all_varchar = true, header = true, quote = '\"', escape = '\"')").df()
    for n, one in enumerate(expected):
        for name in names:
            value, cell = one.get(name), rows[n][column(name)]
            assert in_a_cell(cell, value), (name, cell, value)
            assert frame[column(name)][n] == cell, (name, cell, frame[column(name)][n])
            theirs = duck[column(name)][n]
            assert ('' if pandas.isna(theirs) else theirs) == cell, (name, cell, theirs)
    numeric = {name: all(value is None or is_number(value) for one in expected for value in [one.get(name)]) for name in names}
    def table_holds(name, seen):
        for value, one in zip(seen, expected):
            known = one.get(name)
            if numeric[name]:
                assert (known is None and numpy.isnan(value)) or float(known) == value, (name, value, known)
            else:
                assert as_text(value, known), (name, value, known)
    with xarray.open_dataset(f'{folder}/track.netcdf') as nc:
        long_names = {one.attrs.get('long_name', name): name for name, one in nc.variables.items()}
        for name in names:
            variable = nc[name if name in nc and name != 'time' else long_names.get(name, column(name))]
            values = variable.values.tolist()
            if not numeric[name]:
                values = [value.decode() if isinstance(value, bytes) else value for value in values]
            table_holds(name, values)
    if os.path.exists(f'{folder}/track.parquet'):
        table = duckdb.sql(f"SELECT * FROM '{folder}/track.parquet' ORDER BY time_stamp").df()
        again = pandas.read_parquet(f'{folder}/track.parquet')
        for name in names:
            for seen in (table[column(name)], again[column(name)]):
                table_holds(name, seen if numeric[name] else ['' if value is None or pandas.isna(value) else value for value in seen])
for folder in sys.argv[1:]:
    compare(folder)
print('read back')
"#;

#[test]
fn random_records_are_in_every_file_as_they_were_sent_also_offline() {
    needs!("python-packages");
    let python = |home: &Home, script, arguments: &[&str]| {
        let all = [&["-c", script], arguments].concat();
        Run::program(home, python(), all).ends_with(0).stdout
    };
    let homes: Vec<(&str, Home)> = ["1", "2", "3"].map(|seed| (seed, Home::new())).into();
    let mut folders = Vec::new();
    for (seed, home) in &homes {
        let answer = home.file("answer.json");
        let answer = answer.to_str().unwrap();
        python(home, RANDOM_RECORDS, &[*seed, answer]);
        let service = Responder::json(200, &std::fs::read_to_string(answer).unwrap());
        Run::driftline(home, ["deployments", "add", UUID]).ends_with(0);
        for (name, offline) in [("online", &[][..]), ("offline", &["--offline"])] {
            let folder = home.file(name);
            std::fs::create_dir(&folder).unwrap();
            std::fs::copy(answer, folder.join("answer.json")).unwrap();
            for format in formats() {
                let file = folder.join(format!("track.{format}"));
                let file = file.to_str().unwrap();
                let arguments = [&["--format", format, "--output", file], offline].concat();
                track(home, &service, &arguments).ends_with(0);
            }
            folders.push(folder.to_str().unwrap().to_owned());
        }
    }
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    let seen = python(&homes[0].1, COMPARE, &folders);
    assert_eq!(seen.trim(), "read back");
}

#[test]
fn a_field_named_like_a_dimension_of_the_netcdf_file_gets_another_name() {
    needs!("python-packages");
    let names = [
        "obs",
        "text_length_5",
        "text_length",
        "trajectory",
        "qc_reason",
        "absent_from_latest_response",
    ];
    let fields: String = (names.iter().zip(0..))
        .map(|(name, number)| format!(",\"{name}\":{number}"))
        .collect();
    let record = |time| {
        let text = if time == 0 { "abcde" } else { "" };
        format!(r#"{{"time_stamp":{time},"latitude":1,"longitude":2,"note":"{text}"{fields}}}"#)
    };
    let service = Responder::json(200, &format!("[{},{}]", record(0), record(3600)));
    let home = Home::new();
    let file = home.file("track.nc");
    let file = file.to_str().unwrap();
    track(&home, &service, &["--format", "netcdf", "--output", file]).ends_with(0);
    let script = r#"
import sys, xarray
with xarray.open_dataset(sys.argv[1]) as nc:
    assert nc.sizes['obs'] == 2 and 'text_length_5' not in nc.variables, nc
    for number, name in enumerate(sys.argv[2:]):
        variable = nc['field_' + name]
        assert variable.dims == ('obs',) and variable.values.tolist() == [number] * 2, variable
        assert variable.attrs['long_name'] == name, variable
    assert nc['note'].values.tolist() == [b'abcde', b''] or nc['note'].values.tolist() == ['abcde', ''], nc['note']
print('read back')
"#;
    let arguments = [&["-c", script, file], &names[..]].concat();
    let seen = Run::program(&home, python(), arguments).go();
    assert_eq!(seen.stdout.trim(), "read back", "{}", seen.stderr);
}

pub(crate) fn header(seen: &Answer) -> Vec<String> {
    let line = seen.stdout.lines().next().unwrap();
    let ours = line
        .split(',')
        .position(|name| name == "qc_reason")
        .unwrap()
        + 1;
    line.split(',').skip(ours).map(str::to_owned).collect()
}

#[test]
fn fields_are_read_back_from_the_files_also_offline() {
    needs!("gdal", "python-packages");
    let service = Responder::json(200, BODY);
    let home = Home::new();
    Run::driftline(&home, ["deployments", "add", UUID]).ends_with(0);
    for offline in [&[][..], &["--offline"]] {
        for format in formats() {
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
assert not any(hasattr(nc.variables[name], 'units') for name in ('air_temp', 'battery_voltage')), 'nobody stated a unit'
assert nc.variables['air_temp'][:].tolist() == [-12.5, None, None], nc.variables['air_temp'][:]
assert nc.variables['battery_voltage'][:].tolist() == [None, 12.25, 12]
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
        seen.prints("Feature Count: 3");
        seen.prints("battery_voltage");
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
    seen.says("no record has a field salinity");
    track(&home, &service, &["--fields", ","]).ends_with(2);
    for format in ["gpx", "kml", "table"] {
        let seen = track(&home, &service, &["--format", format]).ends_with(0);
        assert!(!seen.stdout.contains("battery"), "{format}");
    }
}

#[test]
fn more_fields_than_are_kept_are_told_also_over_several_answers() {
    let record = |number: usize, names: std::ops::Range<usize>| {
        let fields: String = names.map(|name| format!(",\"f{name}\":{number}")).collect();
        format!("{{\"time_stamp\":{number},\"latitude\":1,\"longitude\":2{fields}}}")
    };
    let one = record(1, 0..1030);
    let answers = [
        format!("[{one}]"),
        format!("[{}]", record(1, 0..600)),
        format!("[{}]", record(2, 600..1030)),
        format!("[{}]", record(3, 0..1030)),
        format!("[{}]", record(4, 0..1030)),
    ];
    let service = Responder::new(move |_, number| Act::with(200, &[], answers[number].as_str()));
    let home = Home::new();
    let kept = |seen: &Answer| {
        let names = header(seen).into_iter();
        names.filter(|name| name.starts_with('f')).count()
    };
    // Of one answer.
    let seen = track(&home, &service, &[]).ends_with(0);
    assert_eq!(kept(&seen), 1024);
    seen.says("6 values are not stored: beyond 1024 fields");
    // Of one answer and the archive.
    Run::driftline(&home, ["deployments", "add", UUID]).ends_with(0);
    let seen = track(&home, &service, &[]).ends_with(0);
    assert_eq!((kept(&seen), seen.stderr.as_str()), (600, ""));
    let seen = track(&home, &service, &[]).ends_with(0);
    seen.says("6 fields of this response not stored");
    let seen = track(&home, &service, &["--offline"]).ends_with(0);
    assert_eq!(kept(&seen), 1024);
    // A limit of a later one: it is kept of an answer, and where the archive is full.
    for last in ["f1029", "f1028"] {
        let limit = ["deployments", "set", UUID, "--below", &format!("{last}=5")];
        Run::driftline(&home, limit).ends_with(0);
        let seen = track(&home, &service, &[]).ends_with(0);
        assert!(header(&seen).iter().any(|name| name == last), "{last}");
        let seen = track(&home, &service, &["--offline"]).ends_with(0);
        assert!(header(&seen).iter().any(|name| name == last), "{last}");
    }
}
