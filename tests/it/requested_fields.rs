//! Which fields a request names, and what is kept of a response to it.

use crate::driver::home::Home;
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::exit_status::UUID;
use crate::fields::{BODY, header, track};
use crate::mapped::{DATASETTE, go, home, rows};

#[test]
fn a_service_that_ignores_what_it_is_asked_for_gives_the_same_result() {
    let home = Home::new();
    for (fields, names) in [
        ("battery_voltage,note", &["note", "battery_voltage"][..]),
        (",", &[]),
    ] {
        let service = Responder::json(200, BODY);
        let seen = Run::driftline(&home, ["track", UUID])
            .at(service.base_url())
            .env("DRIFTLINE_FIELDS", fields)
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
fn a_pattern_in_the_setting_is_matched_with_the_names_that_are_known() {
    // It sends what it is asked for.
    let service = Responder::new(|request, _| {
        let query = request.target.split_once('?').map(|(_, query)| query);
        let mut records: Vec<serde_json::Map<String, serde_json::Value>> =
            serde_json::from_str(BODY).unwrap();
        if let Some(query) = query {
            let asked: Vec<&str> = query.split('&').map(|pair| &pair[6..]).collect();
            for record in &mut records {
                record.retain(|name, _| asked.contains(&name.as_str()));
            }
        }
        Act::with(200, &[], &serde_json::to_string(&records).unwrap())
    });
    let home = Home::new();
    Run::driftline(&home, ["deployments", "add", UUID]).ends_with(0);
    let with = |fields: &str, arguments: &[&str]| {
        let all = ["track", UUID].iter().chain(arguments);
        Run::driftline(&home, all)
            .at(service.base_url())
            .env("DRIFTLINE_FIELDS", fields)
            .ends_with(0)
    };
    let last_query = || {
        let target = service.requests().last().unwrap().target.clone();
        let query = target.split_once('?');
        query.map_or(String::new(), |(_, query)| query.replace("field=", ""))
    };
    let set = "dtc_values_*,battery_voltage";
    for query in [
        "",
        "time_stamp&latitude&longitude&battery_voltage&dtc_values_0&dtc_values_1",
    ] {
        let seen = with(set, &[]);
        assert_eq!(last_query(), query);
        let mut names = header(&seen);
        names.sort();
        assert_eq!(names, ["battery_voltage", "dtc_values_0", "dtc_values_1"]);
        assert!(!seen.stderr.contains("no record"), "{seen:?}");
    }
    assert_eq!(header(&with(set, &["--offline"])).len(), 3);
    // Names that no record has are said, and nothing that is stored is lost by them.
    let seen = with("air_tmp,dtc_*,gsp_*", &[]);
    assert_eq!(last_query(), "");
    let missing = "no record has a field air_tmp, gsp_*, which the setting 'fields'";
    seen.says(missing);
    assert_eq!(header(&seen), ["dtc_values_0", "dtc_values_1"]);
    let offline = Run::driftline(&home, ["track", UUID, "--offline"]).go();
    assert_eq!(header(&offline.ends_with(0)).len(), 3);
}

#[test]
fn whether_an_answer_is_unchanged_is_asked_for_the_same_fields_alone() {
    let service = Responder::new(|request, _| match request.header("if-none-match") {
        Some(_) => Act::with(304, &[("ETag", "\"7\"")], ""),
        None => Act::with(200, &[("ETag", "\"7\"")], BODY),
    });
    let home = Home::new();
    Run::driftline(&home, ["deployments", "add", UUID]).ends_with(0);
    let all = header(&track(&home, &service, &[]).ends_with(0));
    assert_eq!(all.len(), 9);
    for conditional in [false, true] {
        let seen = Run::driftline(&home, ["track", UUID])
            .at(service.base_url())
            .env("DRIFTLINE_FIELDS", "note")
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

#[test]
fn the_setting_and_the_limits_name_fields_besides_those_of_the_table() {
    let service = Responder::json(200, &rows([0, 1, 2]));
    let members = format!(
        "{}fields = [\"sst\"]\n",
        DATASETTE.replace("?", "?f={fields}&")
    );
    let home = home(&service.base_url(), &members);
    let asked = |fields: &str| {
        let target = service.requests().last().unwrap().target.clone();
        assert!(target.contains(&format!("?f={fields}&")), "{target}");
    };
    go(&home, &["track", "SMILLA-77"]).ends_with(0);
    asked("sst");
    go(
        &home,
        &["deployments", "add", "SMILLA-77", "--below", "battery=3"],
    )
    .ends_with(0);
    go(&home, &["track", "SMILLA-77"]).ends_with(0);
    asked("sst,battery");
    let path = ".config/driftline/config.toml";
    let settings = std::fs::read_to_string(home.file(path)).unwrap();
    home.write(
        path,
        format!("fields = [\"salinity\", \"sst\"]\n{settings}"),
    );
    go(&home, &["track", "SMILLA-77"]).ends_with(0);
    asked("sst,salinity,battery");
}
