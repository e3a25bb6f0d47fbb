//! The command line as it is typed: flags that are unknown, words that are missing, files that
//! are not there.

use crate::driver::home::Home;
use crate::exit_status::UUID;
use crate::typed::{run, service};

#[test]
fn a_flag_that_no_command_takes_is_refused_by_the_command() {
    let (home, service) = (Home::new(), service());
    let told = run(&home, &service, &["--nosuch", "deployments", "list"])
        .ends_with(2)
        .stderr;
    assert!(
        told.starts_with(
            "driftline: unexpected argument '--nosuch' found. `driftline deployments list"
        ),
        "{told}"
    );
}

#[test]
fn a_word_that_is_missing_is_told_where_it_is_found() {
    let (home, service) = (Home::new(), service());
    for (line, step) in [
        (&["ack"][..], "`driftline alarms`"),
        (&["alarms", "snooze"], "`driftline alarms`"),
        (&["plants", "delete"], "`driftline plants list`"),
        (&["where"], "`driftline deployments list`"),
        (&["track"], "`driftline deployments list`"),
    ] {
        let told = run(&home, &service, line).ends_with(2).stderr;
        assert!(told.contains(step), "{line:?}: {told}");
    }
    let line = run(&home, &service, &["check", "--deadline"]).stdout;
    assert!(
        line.contains("DRIFTLINE UNKNOWN - a value is required for '--deadline <DURATION>'"),
        "{line}"
    );
}

#[test]
fn a_file_that_is_not_there_has_one_status() {
    let (home, service) = (Home::new(), service());
    let file = home.file("nosuch.csv").display().to_string();
    let area = home.file("nosuch.geojson").display().to_string();
    for line in [
        &["track", &file][..],
        &["map", &file, "--output", "a.svg"],
        &["deployments", "import", &file],
        &["plants", "import", &file],
        &["deployments", "add", UUID, "--inside", &area],
        &["config", "show", "--config", &file],
    ] {
        run(&home, &service, line).ends_with(2);
    }
    // The demo reads no settings file, and says so once.
    let demo = ["demo", "--plain", "nosuch", "--config", &file];
    let said = run(&home, &service, &demo).ends_with(2).stderr;
    assert_eq!(said.matches("reads no settings file").count(), 1, "{said}");
    assert_eq!(run(&home, &service, &["check", &file]).status, 3);
}

#[test]
fn a_plant_that_the_service_does_not_know_is_said_once() {
    let home = Home::new();
    let service = crate::driver::wire::Responder::json(
        404,
        r#"{"error":17,"message":"there is no plant with this id"}"#,
    );
    let told = run(&home, &service, &["plants", "delete", "nosuch", "--yes"])
        .ends_with(4)
        .stderr;
    assert!(told.contains("there is no plant with this id"), "{told}");
    assert!(!told.contains("There may be no plants"), "{told}");
}

#[test]
fn what_was_set_is_confirmed_as_it_is_stored() {
    let (home, service) = (Home::new(), service());
    let other = &format!("{}ff", &UUID[..34]);
    let of = |line: &[&str]| run(&home, &service, &[&["deployments"], line].concat());
    let told = of(&["add", UUID, "--max-age", "1d6h30min"])
        .ends_with(0)
        .stderr;
    assert!(told.contains("max age 1 d 6 h 30 min"), "{told}");
    let told = of(&["add", UUID, "--max-age", "90s"]).ends_with(0).stderr;
    assert!(
        told.contains("is changed") && told.contains("max age 1 min 30 s"),
        "{told}"
    );
    let told = of(&["add", UUID, "--max-age", "90s"]).ends_with(0).stderr;
    assert!(told.contains("its entry is unchanged"), "{told}");
    // A label that is the beginning of another's id is that label's alone.
    let told = of(&["add", other, "--label", &UUID[..4]])
        .ends_with(0)
        .stderr;
    assert!(!told.contains("has the label"), "{told}");
    // What is added cannot be on the list.
    let told = of(&["add", "5b6ac2a0"]).ends_with(2).stderr;
    assert!(
        told.contains("whole UUID") || told.contains("8-4-4-4-12"),
        "{told}"
    );
    let told = of(&["add", "ffff"]).ends_with(2).stderr;
    assert!(
        told.contains("whole UUID") && !told.contains("of the watch list"),
        "{told}"
    );
}

#[test]
fn new_notes_raise_no_alarm() {
    let (home, service) = (Home::new(), service());
    let of = |line: &[&str]| run(&home, &service, &[&["deployments"], line].concat());
    of(&["add", UUID]).ends_with(0);
    run(&home, &service, &["track", UUID]).ends_with(0);
    let before = run(&home, &service, &["alarms", "--all", "--json"]).stdout;
    home.let_a_day_pass();
    let told = of(&["set", UUID, "--notes", "seen", "--label", "x"])
        .ends_with(0)
        .stderr;
    assert!(!told.contains("alarm"), "{told}");
    let after = run(&home, &service, &["alarms", "--all", "--json"]).stdout;
    let ids = |text: &str| text.matches("\"id\"").count();
    assert_eq!(ids(&before), ids(&after), "{after}");
}

#[test]
fn what_has_no_effect_is_said() {
    let (home, service) = (Home::new(), service());
    let empty = run(&home, &service, &["collect", "--once"])
        .ends_with(0)
        .stderr;
    assert!(empty.contains("the watch list is empty"), "{empty}");
    let file = home.write("two.toml", "[profile.ais]\nservice = { kind = 'iabp' }\n");
    let file = file.display().to_string();
    let empty = run(&home, &service, &["check", "--all", "--config", &file]);
    let named = "another profile of the settings file is ais (`--profile`)";
    assert!(
        empty.status == 3 && empty.stdout.contains(named),
        "{empty:?}"
    );
    let nowhere = home.file("nosuch.db").display().to_string();
    let export = ["--archive", &nowhere, "archive", "export", "tracks"];
    let told = run(&home, &service, &export);
    assert!(
        told.status == 1 && told.stderr.contains("there is no archive")
            || cfg!(not(feature = "parquet")),
        "{told:?}"
    );
    run(&home, &service, &["demo", "--serve", "moor"]).ends_with(2);
    let told = run(&home, &service, &["track", UUID, "--since", "-7d"])
        .ends_with(2)
        .stderr;
    assert!(told.contains("--since: '-7d' is not a time"), "{told}");
}

#[test]
fn a_list_of_a_spreadsheet_with_semicolons_is_imported() {
    let (home, service) = (Home::new(), service());
    let list = format!("uuid;label\n{UUID};Kara, north\n");
    let list = home.write("list.csv", &list).display().to_string();
    run(&home, &service, &["deployments", "import", &list]).ends_with(0);
    run(&home, &service, &["deployments", "list"])
        .ends_with(0)
        .prints("Kara, north");
}

#[test]
fn a_deployment_that_fails_makes_an_error_object_of_latest() {
    let (home, service) = (Home::new(), service());
    run(&home, &service, &["deployments", "add", UUID]).ends_with(0);
    let answer = run(&home, &service, &["latest", "--offline", "--json"]);
    assert_eq!(answer.status, 1);
    let last = answer.stderr.lines().last().unwrap();
    let object: serde_json::Value = serde_json::from_str(last).unwrap();
    assert_eq!(object["error"]["code"], 1, "{answer:?}");
}

#[test]
fn a_check_of_several_has_a_line_for_each_whatever_another_is() {
    let (home, service) = (Home::new(), service());
    run(
        &home,
        &service,
        &["deployments", "add", UUID, "--label", "moor"],
    )
    .ends_with(0);
    let rows = "time,lat,lon\n2026-01-01,1,2\n";
    let (a, b) = (home.write("buoy 8.csv", rows), home.write("b.csv", rows));
    let files = [a.to_str().unwrap(), b.to_str().unwrap()];
    let late = ["--max-age", "1s"];
    let answer = run(
        &home,
        &service,
        &[&["check", "moor", "nosuch"], &late[..]].concat(),
    );
    assert_eq!(
        answer.status, 2,
        "critical is worse than unknown: {answer:?}"
    );
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert!(
        lines[0].contains("2 deployments: 1 CRITICAL, 1 UNKNOWN"),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with("CRITICAL - moor") && lines[2].starts_with("UNKNOWN - nosuch"),
        "{lines:?}"
    );
    let answer = run(&home, &service, &[&["check"], &files[..], &late].concat());
    assert_eq!(answer.status, 2, "{answer:?}");
    assert!(
        answer.stdout.contains("'buoy 8_age'=") && answer.stdout.contains(" b_age="),
        "{answer:?}"
    );
    for unknown in [
        &["check", "--all", "--json", "--config", "nosuch.toml"][..],
        &["check", "moor", "nosuch", "--json", "--max-age", "6"],
        &["check", "--all", "--json", "--bogus"],
    ] {
        let answer = run(&home, &service, unknown);
        let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!((answer.status, &json["code"]), (3, &3.into()), "{answer:?}");
        let text = json["deployments"][0]["text"].as_str();
        assert!(text.is_some_and(|text| !text.is_empty()), "{answer:?}");
    }
    let json = run(&home, &service, &["check", files[0], "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["deployment"], "buoy 8");
}

#[test]
fn flags_that_say_the_same_go_together() {
    let (home, service) = (Home::new(), service());
    let add = ["deployments", "add", UUID, "--label", "buoy 7"];
    run(&home, &service, &add).ends_with(0);
    for line in [
        &["deployments", "list", "-f", "json", "--json"][..],
        &["latest", "--format", "json", "--json"],
        &["track", UUID, "--json", "-f", "json"],
        &["where", "buoy 7", "--short", "--format", "table"],
    ] {
        run(&home, &service, line).ends_with(0);
    }
}

#[test]
fn ack_and_snooze_are_in_the_group_of_alarms_alone() {
    let (home, service) = (Home::new(), service());
    for shell in ["bash", "fish"] {
        let script = run(&home, &service, &["completions", shell]).stdout;
        assert!(
            !script.contains("driftline,ack")
                && !script.contains("__fish_driftline_needs_command\" -f -a \"ack\""),
            "{shell}"
        );
    }
    let folder = home.file("man").display().to_string();
    run(&home, &service, &["man", "--output", &folder]).ends_with(0);
    assert!(home.file("man/driftline-alarms-ack.1").exists());
    assert!(!home.file("man/driftline-ack.1").exists());
    for (short, whole) in [
        (&["ack", "zzzzzz"][..], &["alarms", "ack", "zzzzzz"][..]),
        (
            &["snooze", "zzzzzz", "2h"],
            &["alarms", "snooze", "zzzzzz", "2h"],
        ),
        (&["help", "ack"], &["help", "alarms", "ack"]),
        (&["snooze", "--help"], &["alarms", "snooze", "--help"]),
    ] {
        let (short, whole) = (run(&home, &service, short), run(&home, &service, whole));
        assert_eq!(
            (short.status, short.stdout, short.stderr),
            (whole.status, whole.stdout, whole.stderr)
        );
    }
}

#[test]
fn an_entry_that_stays_is_unchanged_and_limits_keep_their_units() {
    let (home, service) = (Home::new(), service());
    let of = |line: &[&str]| run(&home, &service, &[&["deployments"], line].concat());
    of(&["add", UUID]).ends_with(0);
    of(&["set", UUID, "--label", "buoy 7"]).ends_with(0);
    let told = of(&["set", UUID, "--label", "buoy 7"]).ends_with(0).stderr;
    assert!(told.contains("is unchanged"), "{told}");
    let limits = ["--below", "battery=11.5 V", "--above", "sst=30"];
    of(&[&["set", UUID], &limits[..]].concat()).ends_with(0);
    let list = of(&["list", "--json"]).ends_with(0).stdout;
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    assert_eq!(list[0]["below"], serde_json::json!({"battery": 11.5}));
    assert_eq!(list[0]["below_units"], serde_json::json!({"battery": "V"}));
    assert_eq!(list[0]["above_units"], serde_json::json!({}));
    let told = of(&["add", UUID, "buoy"]).ends_with(2).stderr;
    assert!(told.contains("--label"), "{told}");
}

#[test]
fn an_archive_that_is_not_there_or_none_is_said_without_data() {
    let (home, service) = (Home::new(), service());
    for (command, data) in [("check", "ok\n"), ("vacuum", "")] {
        let answer = run(&home, &service, &["archive", command]).ends_with(0);
        assert!(
            answer.stdout == data && answer.stderr.contains("no archive at"),
            "{answer:?}"
        );
    }
    let other = home.write("a.csv", "time,lat,lon\n2026-01-01,1,2\n");
    let other = other.display().to_string();
    let answer = run(&home, &service, &["--archive", &other, "latest"]).ends_with(1);
    assert!(answer.stdout.is_empty(), "{answer:?}");
    answer.says("leaves any other file as it is");
    run(&home, &service, &["deployments", "add", UUID]).ends_with(0);
    let vacuum = run(&home, &service, &["archive", "vacuum"]).ends_with(0);
    assert!(
        vacuum.stdout.is_empty() && vacuum.stderr.contains("archive.db is vacuumed"),
        "{vacuum:?}"
    );
}

#[test]
fn plants_of_other_services_are_counted() {
    let (home, one, other) = (Home::new(), service(), service());
    let create = ["plants", "create", "--id", "1", "--name", "a", "--tag", "b"];
    run(&home, &one, &create).ends_with(0);
    run(&home, &other, &["plants", "delete", "1", "--yes"]).ends_with(0);
    let told = run(&home, &one, &["plants", "list"]).ends_with(0).stderr;
    assert!(
        told.contains("--all shows 1 plant of other services."),
        "{told}"
    );
}
