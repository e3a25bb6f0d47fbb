//! What is set for a deployment on the watch list, by flags and by a table, and
//! what follows from it.

use serde_json::{Value, json};

use crate::driver::home::Home;
use crate::driver::run::{Answer, Run};
use crate::driver::wire::Responder;
use crate::exit_status::{HOURLY_TRACK, TOKEN, TRACK, UUID, with_token};

const OTHER: &str = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1ab";

fn deployments(home: &Home, arguments: &[&str]) -> Answer {
    Run::driftline(home, [&["deployments"], arguments].concat()).go()
}

fn listed(home: &Home) -> Vec<Value> {
    let answer = deployments(home, &["list", "--json"]).ends_with(0);
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn each_flag_of_set_changes_its_member_alone() {
    let home = Home::new();
    deployments(&home, &["add", UUID, "--label", "buoy 7", "--notes", "n"]).ends_with(0);
    let mut expected = listed(&home)[0].clone();
    for (flag, typed, member, value) in [
        ("--label", "buoy 8", "label", json!("buoy 8")),
        ("--platform", "drifter", "platform", json!("drifter")),
        ("--max-age", "6h", "max_age_s", json!(21_600.0)),
        (
            "--inside",
            "-57.92,2.11,2km",
            "inside",
            json!("-57.92,2.11,2000"),
        ),
        ("--max-speed", "18km/h", "max_speed_m_s", json!(5.0)),
        (
            "--from",
            "2026-11-01",
            "from",
            json!("2026-11-01T00:00:00Z"),
        ),
        (
            "--until",
            "2026-11-20T06:00:00Z",
            "until",
            json!("2026-11-20T06:00:00Z"),
        ),
        ("--state", "recovered", "state", json!("recovered")),
        ("--max-age", "none", "max_age_s", Value::Null),
        ("--inside", "none", "inside", Value::Null),
        ("--max-speed", "none", "max_speed_m_s", Value::Null),
        ("--from", "none", "from", Value::Null),
        ("--until", "none", "until", Value::Null),
        ("--state", "active", "state", json!("active")),
    ] {
        deployments(&home, &["set", UUID, flag, typed]).ends_with(0);
        expected[member] = value;
        assert_eq!(listed(&home), [expected.clone()], "{flag} {typed}");
    }
    deployments(
        &home,
        &["set", UUID, "--max-speed", "10kn", "--max-age", "6h"],
    )
    .ends_with(0);
    let table = deployments(&home, &["list"]).ends_with(0).stdout;
    assert!(
        table
            .trim_end()
            .ends_with("buoy 8  max age 6 h, max speed 10.00 kn, notes: n"),
        "{table}"
    );
}

#[test]
fn the_entry_is_repeated_as_it_was_understood() {
    let home = Home::new();
    let add = ["add", UUID, "--label", "buoy 7", "--max-age", "12s"];
    let added = deployments(&home, &add).ends_with(0).stderr;
    let words = "is added to the watch list: buoy 7, generic, max age 12 s";
    assert!(added.trim_end().ends_with(words), "{added}");
    let set = ["set", UUID, "--max-age", "12h", "--inside", "60,5,2km"];
    let changed = deployments(&home, &set).ends_with(0).stderr;
    let words = format!(
        "{UUID} is changed: buoy 7, generic, max age 12 h, inside 60.00000°N 005.00000°E, 1.08 nm"
    );
    assert!(changed.trim_end().ends_with(&words), "{changed}");
}

#[test]
fn a_field_with_a_limit_is_requested_whatever_the_setting_fields_has() {
    let record = r#"[{"time_stamp":0,"latitude":1,"longitude":2,"battery":11}]"#;
    let (home, service) = (Home::new(), Responder::json(200, record));
    let go = |arguments: &[&str]| {
        let run = Run::driftline(&home, arguments).env("DRIFTLINE_FIELDS", "air_temp");
        let run = run.env("DRIFTLINE_BASE_URL", service.base_url());
        run.env("DRIFTLINE_TOKEN", TOKEN).ends_with(0)
    };
    let added = go(&["deployments", "add", UUID, "--below", "battery=11.5"]);
    assert!(!added.stderr.contains("raises no alarm"), "{added:?}");
    let seen = go(&["track", UUID, "--format", "csv"]);
    let request = &service.requests()[0].target;
    assert!(
        request.contains("&field=air_temp&field=battery"),
        "{request}"
    );
    assert!(
        seen.stdout.lines().next().unwrap().ends_with(",battery"),
        "{seen:?}"
    );
    // A limit that is set later says nothing of records that were not asked for it.
    let set = go(&["deployments", "set", UUID, "--above", "sst=30"]);
    assert!(!set.stderr.contains("sst' so far"), "{set:?}");
}

#[test]
fn a_limit_of_a_field_that_no_record_has_is_named_by_set_and_import_alike() {
    let record = r#"[{"time_stamp":0,"latitude":1,"longitude":2,"battery":11}]"#;
    let (home, service) = (Home::new(), Responder::json(200, record));
    let go = |arguments: &[&str], input: &str| {
        let run = Run::driftline(&home, arguments).stdin(input);
        let run = run.env("DRIFTLINE_BASE_URL", service.base_url());
        run.env("DRIFTLINE_TOKEN", TOKEN).ends_with(0).stderr
    };
    go(&["deployments", "add", UUID], "");
    go(&["collect", "--once"], "");
    let words = format!("no record of {UUID} has a field 'sst' so far; there are battery");
    let set = go(&["deployments", "set", UUID, "--above", "sst=30"], "");
    assert!(set.contains(&words), "{set}");
    let table = format!("uuid,above,below\n{UUID},sst=31,battery=11.5\n");
    let imported = go(&["deployments", "import", "-"], &table);
    let line = format!("driftline: line 2: {words}");
    assert_eq!(imported.matches(&line).count(), 1, "{imported}");
    assert!(!imported.contains("'battery'"), "{imported}");
}

#[test]
fn set_refuses_what_is_not_on_the_list_and_what_is_no_value() {
    let home = Home::new();
    let config = home.write(
        "config.toml",
        format!("[[deployment]]\nuuid = \"{UUID}\"\n"),
    );
    let set = |arguments: &[&str]| {
        let config = config.to_str().unwrap();
        let all = [&["--config", config, "deployments", "set"], arguments].concat();
        Run::driftline(&home, all).go()
    };
    let answer = set(&[OTHER, "--label", "x"]).ends_with(1);
    answer.says("not on the watch list");
    for wrong in [
        &[UUID][..],
        &[UUID, "--max-speed", "10"],
        &[UUID, "--max-speed", "0.009m/s"],
        &[UUID, "--max-speed", "1000.1m/s"],
        &[UUID, "--from", "soon"],
        &[UUID, "--state", "gone"],
        &["7", "--label", "x"],
    ] {
        set(wrong).ends_with(2);
    }
    deployments(&home, &["add", OTHER, "--until", "2026-11-01"]).ends_with(0);
    deployments(&home, &["set", OTHER, "--from", "2026-11-02"])
        .ends_with(2)
        .says("before it starts");
}

#[test]
fn a_table_is_imported_line_by_line_and_again_is_the_same() {
    let home = Home::new();
    let file = home.write(
        "list.csv",
        format!(
            "\u{feff}max_age,uuid,label,state\r\n6h,{UUID},\"buoy 7, north\",\r\n\
             6h,{OTHER},b,gone\r\n,{OTHER},,lost\r\n"
        ),
    );
    let file = file.to_str().unwrap();
    deployments(&home, &["add", OTHER, "--label", "kept"]).ends_with(0);
    let mut before = None;
    for _ in 0..2 {
        let answer = deployments(&home, &["import", file]).ends_with(1);
        answer.says("line 3");
        answer.says("'gone'");
        let list = listed(&home);
        let labels: Vec<&Value> = list.iter().map(|one| &one["label"]).collect();
        assert_eq!(labels, ["kept", "buoy 7, north"]);
        assert_eq!(list[0]["state"], "lost");
        assert_eq!(list[0]["max_age_s"], Value::Null);
        assert_eq!(list[1]["max_age_s"], 21_600.0);
        assert!(before.is_none_or(|before| before == list));
        before = Some(list);
    }
    let good = home.write("good.csv", format!("uuid\n{UUID}\n"));
    deployments(&home, &["import", good.to_str().unwrap()]).ends_with(0);
    let wrong = home.write("wrong.csv", format!("uuid,lable\n{UUID},x\n"));
    deployments(&home, &["import", wrong.to_str().unwrap()])
        .ends_with(2)
        .says("lable");
    deployments(&home, &["import", "none.csv"]).ends_with(2);
}

#[test]
fn the_speed_limit_is_that_of_the_flag_else_of_the_list_else_of_the_platform() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let base = service.base_url();
    // 2.4 km in an hour.
    let failed = |arguments: &[&str]| {
        let all = [&["track", UUID, "--format", "csv"], arguments].concat();
        let answer = with_token(&home, &base, &all).ends_with(0);
        let reason = answer.stdout.lines().nth(2).unwrap().to_owned();
        reason
            .split_once("limit ")
            .map(|(_, limit)| limit.to_owned())
    };
    assert_eq!(failed(&[]), None);
    let one = failed(&["--max-speed", "0.1m/s"]).unwrap();
    assert!(one.starts_with("0.1 m/s"), "{one}");
    let config = home.write(
        "config.toml",
        format!("[[deployment]]\nuuid = \"{UUID}\"\nmax_speed = \"0.36km/h\"\n"),
    );
    let configured = failed(&["--config", config.to_str().unwrap()]).unwrap();
    assert!(configured.starts_with("0.1 m/s"), "{configured}");
    deployments(&home, &["add", UUID, "--max-speed", "0.2m/s"]).ends_with(0);
    assert!(failed(&[]).unwrap().starts_with("0.2 m/s"));
    assert!(failed(&["--offline"]).unwrap().starts_with("0.2 m/s"));
    assert_eq!(failed(&["--max-speed", "5m/s"]), None);
    // A platform that is given brings its own limit.
    assert_eq!(failed(&["--platform", "drifter"]), None);
    let check = |arguments: &[&str]| {
        let all = [&["check", UUID, "--max-age", "3000d"], arguments].concat();
        with_token(&home, &base, &all).go().stdout
    };
    assert!(check(&[]).contains("limit 0.4 kn, set"), "{}", check(&[]));
    let tag = check(&["--platform", "tag"]);
    assert!(tag.contains("limit 58.3 kn, tag"), "{tag}");
    let flag = check(&["--max-speed", "10kn"]);
    assert!(flag.contains("limit 10 kn, set"), "{flag}");
    let picture = home.file("map.svg");
    let picture = picture.to_str().unwrap();
    let map = ["map", UUID, "--max-speed", "0.1m/s", "--output", picture];
    with_token(&home, &base, &map).ends_with(0);
    for command in [
        &["track", UUID][..],
        &["check", UUID],
        &["map", UUID, "--output", "a.svg"],
    ] {
        let all = [command, &["--max-speed", "fast"]].concat();
        let answer = with_token(&home, &base, &all).go();
        let status = if command[0] == "check" { 3 } else { 2 };
        assert_eq!(answer.status, status, "{answer:?}");
    }
}

#[test]
fn a_fix_outside_the_window_is_written_and_does_not_count() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    deployments(&home, &["add", UUID, "--until", "1700000000"]).ends_with(0);
    let track = ["track", UUID, "--format", "json"];
    let answer = with_token(&home, &service.base_url(), &track).ends_with(0);
    let written: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(written["fixes"].as_array().unwrap().len(), 2);
    assert_eq!(written["fixes"][1]["qc_flag"], 2);
    assert_eq!(written["fixes"][1]["qc_reason"], "outside the time window");
    assert_eq!(written["fixes"][1]["distance_m"], Value::Null);
    assert_eq!(written["summary"]["last"], "2023-11-14T22:13:20Z");
    assert_eq!(written["summary"]["length_m"], 0.0);
}

#[test]
fn a_recovered_deployment_is_never_late() {
    let (home, service) = (Home::new(), Responder::json(200, HOURLY_TRACK));
    deployments(
        &home,
        &["add", UUID, "--label", "buoy 7", "--max-age", "1h"],
    )
    .ends_with(0);
    let check = || with_token(&home, &service.base_url(), &["check", UUID]).go();
    assert_eq!(check().status, 2);
    for (state, word) in [("recovered", "recovered"), ("lost", "declared lost")] {
        deployments(&home, &["set", UUID, "--state", state]).ends_with(0);
        let answer = check().ends_with(0);
        assert_eq!(answer.stdout, format!("DRIFTLINE OK - buoy 7: {word}\n"));
    }
    deployments(
        &home,
        &["set", UUID, "--state", "active", "--max-age", "none"],
    )
    .ends_with(0);
    let answer = check();
    answer.prints("lost");
    // An age that is allowed says so, and not that it is lost.
    let old = ["check", UUID, "--max-age", "3000d"];
    let answer = with_token(&home, &service.base_url(), &old).ends_with(0);
    answer.prints("within its maximum age");
    assert!(!answer.stdout.contains("lost"), "{answer:?}");
}

#[test]
fn what_is_asked_of_a_deployment_that_nobody_watches_makes_no_archive() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    for arguments in [["check", UUID], ["track", UUID], ["where", UUID]] {
        with_token(&home, &service.base_url(), &arguments).go();
        let made = home.file(".local/share/driftline/archive.db").exists();
        assert!(!made, "{arguments:?}");
    }
}
