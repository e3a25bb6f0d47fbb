//! Areas, limits of fields, and entries of the settings file, from the command
//! line to the alarm.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::driver::home::Home;
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder, nobody};
use crate::exit_status::{UUID, with_token};

const OTHER: &str = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1ff";

fn deployments(home: &Home, arguments: &[&str]) -> Answer {
    Run::driftline(home, [&["deployments"], arguments].concat()).go()
}

fn json(home: &Home, arguments: &[&str]) -> Vec<Value> {
    let answer = Run::driftline(home, arguments).ends_with(0);
    serde_json::from_str(&answer.stdout).unwrap()
}

/// Hourly records up to now at these longitudes on 60 N, each with a voltage.
fn records(fixes: &[(f64, f64)]) -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let records: Vec<String> = fixes
        .iter()
        .rev()
        .zip(0u64..)
        .map(|((longitude, volts), back)| {
            format!(
                r#"{{"time_stamp":{},"latitude":60,"longitude":{longitude},"battery":{volts}}}"#,
                now - 60 - 3600 * back
            )
        })
        .collect();
    format!("[{}]", records.join(","))
}

/// Two areas side by side, the first with a hole.
const AREAS: &str = r#"{"type":"FeatureCollection","features":[
    {"type":"Feature","properties":{"name":"west"},"geometry":{"type":"Polygon","coordinates":[
        [[4.9,59.9],[5.1,59.9],[5.1,60.1],[4.9,60.1],[4.9,59.9]],
        [[5.04,59.99],[5.06,59.99],[5.06,60.01],[5.04,60.01],[5.04,59.99]]]}},
    {"type":"Feature","properties":{"name":"east"},"geometry":{"type":"Polygon","coordinates":[
        [[5.2,59.9],[5.3,59.9],[5.3,60.1],[5.2,60.1],[5.2,59.9]]]}},
    {"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[5,60]}}]}"#;

#[test]
fn an_area_is_taken_from_a_file_judged_checked_and_drawn() {
    let home = Home::new();
    home.write("areas.geojson", AREAS);
    let path = home.file("areas.geojson");
    let file = |name: &str| format!("{}{name}", path.to_str().unwrap());
    let arguments = ["add", UUID, "--label", "buoy", "--inside", &file("#west")];
    deployments(&home, &arguments)
        .ends_with(0)
        .says("is added to the watch list");
    let table = deployments(&home, &["list"]).ends_with(0).stdout;
    assert!(table.contains("inside area west"), "{table}");
    let listed = json(&home, &["deployments", "list", "--json"]);
    assert_eq!(listed[0]["inside"], "west");
    let geometry = &listed[0]["area"]["geometry"];
    assert_eq!(geometry["coordinates"][0][1][0][0], 5.04);
    // The file itself is needed no more.
    std::fs::remove_file(home.file("areas.geojson")).unwrap();
    // Into the hole at last.
    let service = Responder::json(
        200,
        &records(&[(5.0, 12.0), (5.01, 12.0), (5.05, 12.0), (5.05, 12.0)]),
    );
    let base = service.base_url();
    let check = |more: &[&str]| with_token(&home, &base, &[&["check", UUID], more].concat()).go();
    let answer = check(&[]);
    assert_eq!(answer.status, 2, "{answer:?}");
    answer.prints("outside the area");
    answer.prints("beyond the edge of area west");
    // `check` keeps the answer, so it has judged it.
    let alarms = json(&home, &["alarms", "--json"]);
    assert_eq!(alarms.len(), 1, "{alarms:?}");
    assert_eq!(
        (&alarms[0]["kind"], &alarms[0]["limit"]),
        (&"outside".into(), &0.0.into())
    );
    let text = alarms[0]["text"].as_str().unwrap();
    assert!(text.starts_with("outside its area west: 5"), "{text}");
    home.write("areas.geojson", AREAS);
    let answer = check(&["--inside", &file("")]);
    assert_eq!(answer.status, 2, "{answer:?}");
    answer.prints("area areas");
    check(&["--inside", "60,5.05,500"])
        .ends_with(0)
        .prints("on time");
    let picture = home.file("map.svg");
    let map = ["map", UUID, "--output", picture.to_str().unwrap()];
    with_token(&home, &base, &map).ends_with(0);
    let picture = std::fs::read_to_string(picture).unwrap();
    assert!(picture.contains("#8a3ea8"), "no outline");
    deployments(&home, &["set", UUID, "--inside", "none"]).ends_with(0);
    assert_eq!(json(&home, &["alarms", "--json"]), [Value::Null; 0]);
    deployments(&home, &["set", UUID, "--inside", "60,5,40"])
        .ends_with(0)
        .says("smaller than the error of the positions: 40 m, error 60 m");
}

#[test]
fn a_check_that_fails_names_what_is_raised() {
    let home = Home::new();
    let fixes = records(&[(5.0, 12.0), (5.0, 12.0), (5.05, 12.0), (5.05, 12.0)]);
    let service = Responder::new(move |_, count| match count {
        0 => Act::json(200, &fixes),
        _ => Act::json(
            404,
            r#"{"error":"not_found","message":"no such deployment"}"#,
        ),
    });
    let base = service.base_url();
    let run = |arguments: &[&str]| with_token(&home, &base, arguments).go();
    run(&["deployments", "add", UUID, "--inside", "60,5,500"]).ends_with(0);
    assert_eq!(run(&["check", UUID]).status, 2);
    let answer = run(&["check", UUID]);
    let has = |words: &str| answer.stdout.contains(words);
    assert!(
        answer.status == 3 && has("no such deployment"),
        "{answer:?}"
    );
    assert!(has("outside its watch circle"), "{answer:?}");
}

#[test]
fn an_area_file_that_is_none_is_named_and_nothing_is_changed() {
    let home = Home::new();
    deployments(&home, &["add", UUID, "--inside", "60,5,800"]).ends_with(0);
    let before = json(&home, &["deployments", "list", "--json"]);
    for (name, text, said) in [
        ("a.geojson", "uuid,label\n", "is not JSON (line 1)"),
        ("b.geojson", "{\"a\": 1}", "is not GeoJSON"),
        (
            "c.geojson",
            "{\"type\":\"Point\",\"coordinates\":[1,2]}",
            "has no polygon",
        ),
        ("e.geojson", "", "is not JSON"),
        (
            "g.geojson",
            r#"{"type":"Polygon","crs":{"type":"name","properties":{"name":"EPSG:3857"}},
                "coordinates":[[[0,0],[10,0],[10,10],[0,10],[0,0]]]}"#,
            "is in the system EPSG:3857",
        ),
        (
            "f.geojson#north",
            AREAS,
            "no polygon with the name 'north'; it has 'west', 'east'",
        ),
    ] {
        let path = home.write(name.trim_end_matches("#north"), text);
        let typed = path
            .to_str()
            .unwrap()
            .replace("f.geojson", "f.geojson#north");
        for command in ["set", "add"] {
            let answer = deployments(&home, &[command, UUID, "--inside", &typed]).ends_with(2);
            assert!(answer.stderr.contains(said), "{name}: {answer:?}");
            assert!(answer.stderr.contains("--inside"), "{name}: {answer:?}");
        }
    }
    for missing in ["none.geojson", "57,2", "/"] {
        deployments(&home, &["set", UUID, "--inside", missing]).ends_with(2);
    }
    assert_eq!(json(&home, &["deployments", "list", "--json"]), before);
}

#[test]
fn limits_of_fields_are_set_imported_and_raise_alarms_with_their_unit() {
    let home = Home::new();
    let base = [
        "add",
        UUID,
        "--below",
        "battery=11.5 V",
        "--above",
        "battery=15",
        "--above",
        "t=5",
    ];
    deployments(&home, &base).ends_with(0);
    deployments(&home, &["set", UUID, "--above", "t=none"]).ends_with(0);
    for wrong in ["battery", "battery=low", "=5", "latitude=5"] {
        let answer = deployments(&home, &["set", UUID, "--below", wrong]).ends_with(2);
        answer.says("--below");
    }
    let table = deployments(&home, &["list"]).ends_with(0).stdout;
    assert!(
        table.contains("battery below 11.5 V, battery above 15"),
        "{table}"
    );
    let listed = json(&home, &["deployments", "list", "--json"]);
    assert_eq!(listed[0]["below"]["battery"], 11.5);
    assert_eq!(listed[0]["above"]["battery"], 15.0);
    let service = Responder::json(
        200,
        &records(&[
            (5.0, 12.0),
            (5.001, 11.4),
            (5.0, 12.0),
            (5.001, 11.4),
            (5.002, 11.3),
        ]),
    );
    with_token(&home, &service.base_url(), &["track", UUID]).ends_with(0);
    let alarms = json(&home, &["alarms", "--json"]);
    assert_eq!(alarms.len(), 1, "{alarms:?}");
    assert_eq!(alarms[0]["kind"], "below");
    assert_eq!(alarms[0]["text"], "battery 11.3 V, below the limit 11.5 V");
    assert_eq!(
        (&alarms[0]["value"], &alarms[0]["limit"]),
        (&11.3.into(), &11.5.into())
    );
    // The check says of which fix the value is.
    let answer = with_token(&home, &service.base_url(), &["check", UUID]).go();
    assert_eq!(answer.status, 2, "{answer:?}");
    let fix = alarms[0]["fix_time"].as_str().unwrap();
    let said = format!("battery 11.3 V, below the limit 11.5 V at {fix}");
    answer.prints(&said);
    // A table sets them as well, with a file beside it, a byte order mark, and
    // columns in any order; again it changes nothing.
    home.write("tables/west.geojson", AREAS);
    let table = home.write(
        "tables/list.csv",
        format!(
            "\u{feff}inside,below,uuid,above\nwest.geojson#west,battery=10,{UUID},\n\
             none.geojson,,{OTHER},\n,,{OTHER},t=5 °C;p=1000\n"
        ),
    );
    let table = table.to_str().unwrap();
    let answer = deployments(&home, &["import", table]).ends_with(1);
    answer.says("line 3 is left out: inside: the area file");
    assert!(
        answer.stderr.contains("line 2")
            && answer
                .stderr
                .contains(": inside area west, below battery=10"),
        "{answer:?}"
    );
    answer.says("1 added, 1 changed, 0 unchanged, 1 left out");
    deployments(&home, &["import", table])
        .ends_with(1)
        .says("0 added, 0 changed, 2 unchanged, 1 left out");
    let listed = json(&home, &["deployments", "list", "--json"]);
    assert_eq!(listed[0]["inside"], "west");
    assert_eq!(listed[1]["above"]["p"], 1000.0);
}

#[test]
fn what_the_settings_file_lists_is_judged_and_can_be_set() {
    let home = Home::new();
    home.write(".config/driftline/areas/sea.geojson", AREAS);
    let config = |more: &str| {
        let text = format!(
            "[[deployment]]\nuuid = \"{UUID}\"\nlabel = \"ice\"\nmax_age = \"6h\"\ninside = \"areas/sea.geojson#east\"\n{more}"
        );
        home.write(".config/driftline/config.toml", text);
    };
    for (more, line, said) in [
        ("below = 5\n", 6, "a table of fields is needed"),
        (
            "below = { battery = true }\n",
            6,
            "a table of fields is needed",
        ),
        ("max_age = \"soon\"\n", 6, "duplicate key"),
        ("beneath = 5\n", 6, "beneath"),
        ("max_speed = \"2000m/s\"\n", 6, "from 0.01 to 1000 m/s"),
        ("max_speed = \"0.001m/s\"\n", 6, "from 0.01 to 1000 m/s"),
    ] {
        config(more);
        let answer = deployments(&home, &["list"]).ends_with(2);
        answer.says(said);
        answer.says(&format!("config.toml:{line}:"));
    }
    config("below = { battery = \"11.5 V\" }\nabove = { battery = 15 }\n");
    let listed = json(&home, &["deployments", "list", "--json"]);
    assert_eq!(
        (&listed[0]["inside"], &listed[0]["max_age_s"]),
        (&"east".into(), &21_600.0.into())
    );
    let fixes = records(&[(5.25, 12.0), (5.25, 12.0), (5.1, 11.0), (5.1, 11.0)]);
    let service = Responder::json(200, &fixes);
    with_token(&home, &service.base_url(), &["latest"]).ends_with(0);
    let kinds = || {
        let alarms = json(&home, &["alarms", "--json"]);
        let mut kinds: Vec<String> = alarms.iter().map(|one| one["kind"].to_string()).collect();
        kinds.sort();
        kinds
    };
    assert_eq!(kinds(), ["\"below\"", "\"outside\""]);
    // An entry that is set is in the archive with what the file says of it.
    deployments(&home, &["set", UUID, "--below", "battery=none"])
        .ends_with(0)
        .says("it is now in the archive");
    assert_eq!(kinds(), ["\"outside\""]);
    let listed = json(&home, &["deployments", "list", "--json"]);
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (&listed[0]["label"], &listed[0]["inside"]),
        (&"ice".into(), &"east".into())
    );
    assert_eq!(listed[0]["above"]["battery"], 15.0);
    assert_eq!(listed[0]["below"], serde_json::json!({}));
}

#[test]
fn a_service_that_cannot_be_reached_is_one_alarm_whichever_command_finds_it() {
    for command in [
        &["track", UUID][..],
        &["check", UUID],
        &["check", "--all"],
        &["latest"],
        &["map", UUID, "--output", "a.svg"],
        &["collect", "--once"],
    ] {
        let home = Home::new();
        let told = home.file("told");
        let hook = format!(
            "on_alarm = [\"sh\", \"-c\", \"cat >> {}\"]\n",
            told.to_str().unwrap()
        );
        home.write(".config/driftline/config.toml", hook);
        deployments(&home, &["add", UUID]).ends_with(0);
        let service = nobody();
        for _ in 0..2 {
            let all = [command, &["--timeout", "1s"]].concat();
            let answer = with_token(&home, &service, &all).go();
            assert!([3, 5].contains(&answer.status), "{command:?}: {answer:?}");
        }
        let alarms = json(&home, &["alarms", "--json"]);
        let kinds: Vec<&Value> = alarms.iter().map(|one| &one["kind"]).collect();
        assert_eq!(kinds, ["unreachable"], "{command:?}");
        let lines = std::fs::read_to_string(&told).unwrap();
        assert_eq!(lines.lines().count(), 1, "{command:?}: {lines}");
        // Of one that is not watched nothing is recorded.
        let other = Home::new();
        with_token(&other, &service, &["track", UUID, "--timeout", "1s"]).ends_with(5);
        assert_eq!(json(&other, &["alarms", "--json"]), [Value::Null; 0]);
        assert!(other.files_holding(UUID).is_empty());
        // An error is no usable answer: at another address it is an alarm of its own.
        let answers = Responder::new(|_, _| Act::json(404, "{\"error\":404,\"message\":\"none\"}"));
        let config = format!("base_url = \"{service}\"\n");
        home.write("same.toml", config);
        with_token(&home, &answers.base_url(), &["track", UUID]).ends_with(4);
        assert_eq!(
            json(&home, &["alarms", "--json"]).len(),
            2,
            "another service"
        );
    }
}
