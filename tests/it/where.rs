//! Where a deployment is to be looked for, asked of the built program.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::driver::home::Home;
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::exit_status::run;

const SILENT: &str = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e101";
const NEAR: &str = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e102";

/// The last full minute: times read the same in every form.
pub(crate) fn minute() -> f64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    (now.as_secs_f64() / 60.0).floor() * 60.0
}

/// Hourly fixes of a drifter at 80° N for so many days, up to so many hours before `end`,
/// on a way that turns; the neighbour is 0.1° north of it.
pub(crate) fn fixes(end: f64, days: u32, silent_h: u32, north: f64) -> String {
    let rows: Vec<String> = (silent_h..days * 24)
        .rev()
        .map(|back| {
            let hour = f64::from(days * 24 - back);
            let latitude = 80.0 + north + 0.002 * hour + 0.05 * (hour / 29.0).sin();
            let longitude = 10.0 + 0.3 * (hour / 37.0).cos();
            let time = end - 3600.0 * f64::from(back);
            format!("{{\"time_stamp\":{time},\"latitude\":{latitude},\"longitude\":{longitude}}}")
        })
        .collect();
    format!("[{}]", rows.join(","))
}

pub(crate) fn serving(silent: String, near: String) -> Responder {
    Responder::new(move |request, _| match &request.target {
        target if target.contains(SILENT) => Act::json(200, &silent),
        target if target.contains(NEAR) => Act::json(200, &near),
        _ => Act::json(404, "{\"error\":404,\"message\":\"no\"}"),
    })
}

pub(crate) fn listed(home: &Home) {
    for (uuid, label) in [(SILENT, "Bøje 7"), (NEAR, "buoy 8")] {
        let add = [
            "deployments",
            "add",
            uuid,
            "--label",
            label,
            "--platform",
            "drifter",
        ];
        Run::driftline(home, add).ends_with(0);
    }
}

fn object(answer: &Answer) -> Value {
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:#?}"))
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("no number: {value}"))
}

const MEMBERS: [&str; 12] = [
    "at",
    "deployment",
    "fix",
    "from",
    "latitude",
    "longitude",
    "method",
    "neighbour",
    "note",
    "r50_m",
    "r90_m",
    "samples",
];

#[test]
fn where_says_position_circle_neighbour_and_the_way_to_it() {
    let (home, end) = (Home::new(), minute());
    let service = serving(fixes(end, 45, 72, 0.0), fixes(end, 45, 0, 0.1));
    listed(&home);
    // Alone: nothing is archived of the neighbour, and nobody is asked.
    run(&home, &service, &["track", SILENT]).ends_with(0);
    let offline = ["where", "bøje 7", "--json", "--offline"];
    let alone = object(&run(&home, &service, &offline).ends_with(0));
    let members: Vec<&String> = alone.as_object().unwrap().keys().collect();
    let mut sorted = members.clone();
    sorted.sort();
    assert_eq!(sorted, MEMBERS.iter().collect::<Vec<_>>(), "{alone}");
    assert_eq!(alone["deployment"], SILENT);
    assert!(alone["neighbour"].is_null() && alone["from"].is_null() && alone["note"].is_null());
    assert!(
        (number(&alone["fix"]["age_s"]) - 72.0 * 3600.0).abs() < 300.0,
        "{alone}"
    );
    assert!(alone["fix"]["time"].as_str().unwrap().ends_with('Z'));
    assert!(number(&alone["r50_m"]) < number(&alone["r90_m"]));
    assert!(number(&alone["samples"]) >= 20.0);
    assert_eq!(service.requests().len(), 1);
    // The neighbour is asked, since this one is silent: it is where that has gone.
    let near = object(&run(&home, &service, &["where", "bøje 7", "--json"]).ends_with(0));
    assert_eq!(near["neighbour"]["deployment"], NEAR, "{near}");
    assert!(
        (number(&near["neighbour"]["distance_m"]) - 11_168.0).abs() < 30.0,
        "{near}"
    );
    assert!(
        number(&near["r90_m"]) < number(&alone["r90_m"]) / 3.0,
        "{near}"
    );
    let truth = 80.0 + 0.002 * 1080.0 + 0.05 * (1080f64 / 29.0).sin();
    assert!((number(&near["latitude"]) - truth).abs() < 0.01, "{near}");
    assert!(
        service
            .requests()
            .iter()
            .any(|one| one.target.contains(NEAR))
    );
    // One that reports still asks for no other.
    let before = service.requests().len();
    run(&home, &service, &["where", NEAR, "--json"]).ends_with(0);
    assert!(service.requests().len() <= before + 1);
    // From a ship: range, bearing, arrival, and where it meets what drifts.
    let from = [
        "where",
        SILENT,
        "--json",
        "--from",
        "80°00.0′N 10 E",
        "--speed",
        "10kn",
    ];
    let ship = object(&run(&home, &service, &from).ends_with(0));
    let from = &ship["from"];
    assert!((number(&from["latitude"]) - 80.0).abs() < 1e-9, "{ship}");
    assert!(number(&from["range_m"]) > 200e3 && number(&from["bearing_deg"]) < 360.0);
    assert!(
        from["eta"].is_string() && from["intercept"]["at"].is_string(),
        "{ship}"
    );
    // In words, in the units of the settings.
    let words = run(&home, &service, &["where", SILENT, "--from", "80,10"])
        .ends_with(0)
        .stdout;
    for part in [
        "Bøje 7",
        "9 in 10 within",
        " nm",
        "buoy 8",
        "last good fix",
        "bearing ",
        "°N",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let short = [
        "where", SILENT, "--short", "--from", "80,10", "--speed", "5m/s",
    ];
    let short = run(&home, &service, &short).ends_with(0).stdout;
    assert!(
        short.ends_with('\n') && short.len() <= 161 && short.is_ascii(),
        "{short}"
    );
    assert!(
        short.starts_with("B?je 7 ") && short.contains(" R90 "),
        "{short}"
    );
    // Of a label without a letter of ASCII nothing would be left.
    let id: String = SILENT.chars().take(8).collect();
    for (label, name) in [("浮标一", id.as_str()), ("Bøje 7", "B?je 7")] {
        let set = ["deployments", "set", SILENT, "--label", label];
        Run::driftline(&home, set).ends_with(0);
        let line = run(&home, &service, &["where", SILENT, "--short"]).ends_with(0);
        assert!(line.stdout.starts_with(&format!("{name} ")), "{line:#?}");
    }
    // A moment ahead, and one in the past, of which nothing later counts.
    let ahead =
        object(&run(&home, &service, &["where", SILENT, "--json", "--at", "+2d"]).ends_with(0));
    assert!(number(&ahead["r90_m"]) > number(&near["r90_m"]), "{ahead}");
    let past =
        object(&run(&home, &service, &["where", SILENT, "--json", "--at", "5d"]).ends_with(0));
    assert!(
        number(&past["fix"]["age_s"]) < 3600.0 && past["neighbour"].is_null(),
        "{past}"
    );
    // The receiver's own error is the least circle.
    let fresh = object(&run(&home, &service, &["where", NEAR, "--json"]).ends_with(0));
    assert!(number(&fresh["r90_m"]) >= 15.0 && number(&fresh["r50_m"]) >= 7.0);
}

#[test]
fn where_answers_from_the_archive_when_the_service_fails_and_says_so() {
    let (home, end) = (Home::new(), minute());
    let service = serving(fixes(end, 20, 3, 0.0), "[]".to_owned());
    listed(&home);
    run(&home, &service, &["where", SILENT]).ends_with(0);
    let asked = service.requests().len();
    run(&home, &service, &["where", SILENT, "--offline"]).ends_with(0);
    assert_eq!(service.requests().len(), asked);
    let failing = Responder::new(|_, _| Act::json(400, "{\"error\":400,\"message\":\"broken\"}"));
    let answer = run(&home, &failing, &["where", SILENT, "--json"]).ends_with(0);
    // A service that has just failed is not asked for the neighbours as well.
    assert!(
        failing
            .requests()
            .iter()
            .all(|one| one.target.contains(SILENT))
    );
    answer.says("broken");
    answer.says("shown from the archive, fetched ");
    assert!(number(&object(&answer)["r90_m"]) > 0.0);
    // Nothing archived: the failure's own status.
    const UNKNOWN: &str = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e103";
    let none = run(&home, &failing, &["where", UNKNOWN]);
    assert_eq!((none.status, none.stdout.as_str()), (4, ""), "{none:#?}");
    assert_eq!(
        run(&home, &failing, &["where", UNKNOWN, "--offline"]).status,
        1
    );
}

#[test]
fn where_has_words_and_no_circle_for_a_track_that_tells_nothing() {
    let (home, end) = (Home::new(), minute());
    let row = |time: f64, latitude: f64| {
        format!("{{\"time_stamp\":{time},\"latitude\":{latitude},\"longitude\":10}}")
    };
    let still: Vec<String> = (0..6)
        .map(|hour| row(end - 3600.0 * f64::from(hour), 80.0))
        .collect();
    for (rows, told) in [
        (vec![], "no good fix"),
        (vec![row(end - 60.0, 80.0)], "one good fix alone"),
        (
            vec![row(end - 60.0, 80.0), row(end - 60.0, 80.001)],
            "one time",
        ),
        (
            vec![row(end - 61.0, 80.0), row(end - 60.0, 80.00001)],
            "span only 1 s",
        ),
        (still, "one position"),
        (
            vec![row(end - 9e7, 80.0), row(end - 9e7 + 7200.0, 80.01)],
            "after 60 days",
        ),
    ] {
        let has_fix = !rows.is_empty();
        let service = serving(format!("[{}]", rows.join(",")), String::new());
        let told_json = run(&home, &service, &["where", SILENT, "--json"]).ends_with(0);
        let told_json = object(&told_json);
        assert!(
            told_json["note"].as_str().unwrap().contains(told),
            "{told}: {told_json}"
        );
        for member in [
            "latitude",
            "longitude",
            "r50_m",
            "r90_m",
            "samples",
            "method",
            "from",
        ] {
            assert!(told_json[member].is_null(), "{member}: {told_json}");
        }
        assert_eq!(told_json["fix"].is_object(), has_fix, "{told_json}");
        // A ship gets the way to the last fix.
        let ship = [
            "where", SILENT, "--json", "--from", "80,11", "--speed", "10kn",
        ];
        let from = &object(&run(&home, &service, &ship).ends_with(0))["from"];
        assert_eq!(from["range_m"].is_number(), has_fix, "{from}");
        assert!(from["intercept"].is_null(), "{from}");
        let words = run(&home, &service, &["where", SILENT]).ends_with(0).stdout;
        assert!(words.contains(told) && !words.contains("within"), "{words}");
        let short = run(&home, &service, &["where", SILENT, "--short"])
            .ends_with(0)
            .stdout;
        assert!(
            short.is_ascii() && short.len() <= 161 && !short.contains("R90"),
            "{short}"
        );
    }
}

#[test]
fn where_refuses_what_is_no_time_no_position_and_no_speed() {
    let home = Home::new();
    let service = serving(fixes(minute(), 3, 1, 0.0), String::new());
    for arguments in [
        &["--at", "soon"][..],
        &["--at", "+"],
        &["--at", "+5"],
        &["--from", "91,0"],
        &["--from", "here"],
        &["--speed", "10kn"],
        &["--from", "80,10", "--speed", "0kn"],
        &["--from", "80,10", "--speed", "9460730472580800m/s"],
        &["--from", "80,10", "--speed", "-3kn"],
        &["--json", "--short"],
    ] {
        let line = [&["where", SILENT][..], arguments].concat();
        let answer = run(&home, &service, &line);
        assert_eq!(
            (answer.status, answer.stdout.as_str()),
            (2, ""),
            "{answer:#?}"
        );
    }
    assert!(service.requests().is_empty());
    // A slow ship never gets there, and that is said.
    let slow = [
        "where", SILENT, "--json", "--from", "-80,10", "--speed", "0.01m/s",
    ];
    let slow = object(&run(&home, &service, &slow).ends_with(0));
    assert!(slow["from"]["intercept"].is_null(), "{slow}");
    assert!(
        slow["note"].as_str().unwrap().contains("does not meet"),
        "{slow}"
    );
}

#[test]
fn latest_at_a_moment_knows_nothing_later() {
    let (home, end) = (Home::new(), minute());
    let service = serving(fixes(end, 20, 1, 0.0), fixes(end, 2, 1, 0.1));
    listed(&home);
    let at = ["latest", "--json", "--at", "5d"];
    let rows = object(&run(&home, &service, &at).ends_with(0));
    let of = |uuid: &str| {
        let rows = rows.as_array().unwrap();
        rows.iter()
            .find(|row| row["deployment"] == uuid)
            .unwrap()
            .clone()
    };
    let age_s = number(&of(SILENT)["age_s"]);
    assert!((0.0..3600.0).contains(&age_s), "{rows}");
    assert_eq!(of(SILENT)["health"], "on time");
    assert!(of(NEAR)["latitude"].is_null(), "{rows}");
    assert_eq!(run(&home, &service, &["latest", "--at", "then"]).status, 2);
}

#[test]
fn a_picture_up_to_a_moment_has_the_status_of_then() {
    let (home, end) = (Home::new(), minute());
    let service = serving(fixes(end, 20, 72, 0.0), fixes(end, 20, 0, 0.1));
    listed(&home);
    let svg = home.file("both.svg");
    let picture = |more: &[&str]| {
        let output = ["map", SILENT, NEAR, "--output", svg.to_str().unwrap()];
        run(&home, &service, &[&output, more].concat()).ends_with(0);
        std::fs::read_to_string(&svg).unwrap()
    };
    let now = picture(&[]);
    assert!(now.contains("(lost)") || now.contains("(overdue)"), "{now}");
    let then = picture(&["--until", "4d"]);
    assert!(!then.contains("(lost)") && !then.contains("(overdue)"));
    // Of a time range without a fix the name says so.
    assert!(picture(&["--until", "400d"]).contains("buoy 8: no fix"));
}

#[test]
fn where_says_no_bearing_that_means_nothing_and_calls_a_suspect_fix_suspect() {
    let (home, end) = (Home::new(), minute());
    listed(&home);
    // A receiver that repeats its position for six hours.
    let rows = fixes(end, 20, 7, 0.0);
    let stuck = (1..7).rev().map(|back| {
        let time = end - 3600.0 * f64::from(back);
        format!(",{{\"time_stamp\":{time},\"latitude\":80.93,\"longitude\":10.3}}")
    });
    let rows = rows.trim_end_matches(']').to_owned() + &stuck.collect::<String>() + "]";
    let service = serving(rows, String::new());
    let of =
        |more: &[&str]| run(&home, &service, &[&["where", SILENT], more].concat()).ends_with(0);
    let pole = object(&of(&["--json", "--from", "90,0", "--speed", "10kn"]));
    let note = pole["note"].as_str().unwrap();
    assert!(pole["from"]["bearing_deg"].is_null(), "{pole}");
    assert!(number(&pole["from"]["range_m"]) > 500e3, "{pole}");
    assert!(note.contains("no bearing: due south along 010."), "{note}");
    assert!(note.starts_with("the last fix is suspect: "), "{note}");
    assert!(
        note.contains("stuck: 6 times") && note.contains("the last that passed is at 80."),
        "{note}"
    );
    let at = format!("{},{}", pole["latitude"], pole["longitude"]);
    let here = object(&of(&["--json", "--from", &at]));
    assert!(here["from"]["bearing_deg"].is_null(), "{here}");
    assert!(
        here["note"]
            .as_str()
            .unwrap()
            .ends_with("no bearing: the ship is there"),
        "{here}"
    );
    let words = of(&["--from", "90,0"]).stdout;
    assert!(
        words.contains("due south along 010.") && words.contains("last fix is suspect"),
        "{words}"
    );
    assert!(!words.contains("last good fix"), "{words}");
    let short = of(&["--short", "--from", "90,0", "--speed", "5m/s"]).stdout;
    assert!(short.contains(" SUSPECT S along 10."), "{short}");
    // A part that has no room is left out whole.
    let far = of(&[
        "--short",
        "--from",
        "-80.12345,-170.12345",
        "--speed",
        "10kn",
        "--at",
        "+59d",
    ]);
    assert!(
        far.stdout.len() <= 161 && far.stdout.is_ascii(),
        "{}",
        far.stdout
    );
}

#[test]
fn where_says_that_an_instrument_is_recovered_lost_or_ended() {
    let (home, end) = (Home::new(), minute());
    let service = serving(fixes(end, 45, 72, 0.0), "[]".to_owned());
    listed(&home);
    let of = |more: &[&str]| {
        let arguments = [&["where", SILENT], more].concat();
        run(&home, &service, &arguments).ends_with(0)
    };
    let now = object(&of(&["--json"]))["at"].as_str().unwrap().to_owned();
    let ship = [
        "--short", "--at", &now, "--from", "80,10", "--speed", "5m/s",
    ];
    let before = of(&ship).stdout;
    assert!(before.starts_with("B?je 7 ") && before.contains(" meet "));
    assert!(of(&[]).stdout.contains("next report"));
    for (change, words, short) in [
        (
            ["--state", "recovered"],
            "recovered: no report",
            "RECOVERED",
        ),
        (["--state", "lost"], "declared lost: no report", "LOST"),
        (["--until", "2d"], "its time window ended 20", "ENDED"),
    ] {
        let set = ["deployments", "set", SILENT, "--state", "active"];
        Run::driftline(&home, set).ends_with(0);
        let set = ["deployments", "set", SILENT, change[0], change[1]];
        Run::driftline(&home, set).ends_with(0);
        let note = object(&of(&["--json"]))["note"].clone();
        assert!(
            note.as_str().is_some_and(|note| note.starts_with(words)),
            "{note}"
        );
        let text = of(&[]).stdout;
        assert!(
            text.contains(words) && !text.contains("next report"),
            "{text}"
        );
        let line = of(&ship).stdout;
        let is_long = line.len() > 161 || !line.is_ascii();
        assert!(
            !is_long && line.starts_with(&format!("B?je 7 {short} ")),
            "{line}"
        );
        // The numbers are those of before.
        let numbers = |line: &str| {
            line.split(' ')
                .skip(3)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(numbers(&line)[1..], numbers(&before)[..], "{line}");
    }
}
