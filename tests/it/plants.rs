//! The commands on plants: what they print, and what they end with.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::driver::home::Home;
use crate::driver::run::Answer;
use crate::driver::wire::{Act, Responder};
use crate::exit_status::{run, with_token};

pub(crate) fn json_of(answer: &Answer) -> Value {
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:#?}"))
}

/// The error object on the last line of standard error.
pub(crate) fn error_of(answer: &Answer) -> Value {
    let last = answer.stderr.lines().last().unwrap_or_default();
    let object: Value =
        serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {answer:#?}"));
    object["error"].clone()
}

pub(crate) fn create<'a>(id: &'a str, name: &'a str) -> [&'a str; 8] {
    [
        "plants", "create", "--id", id, "--name", name, "--tag", "red",
    ]
}

/// (id, state) of each plant, the newest first.
pub(crate) fn states(home: &Home, service: &Responder) -> Vec<(String, String)> {
    let listed = json_of(&run(home, service, &["plants", "list", "--json"]).ends_with(0));
    let plants = listed.as_array().unwrap().iter();
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    plants
        .map(|plant| (text(&plant["id"]), text(&plant["state"])))
        .collect()
}

/// A service that answers the requests in turn.
pub(crate) fn in_turn(acts: Vec<fn() -> Act>) -> Responder {
    Responder::new(move |_, number| acts[number.min(acts.len() - 1)]())
}

pub(crate) fn created() -> Act {
    Act::json(201, "")
}

pub(crate) fn taken() -> Act {
    Act::json(409, r#"{"error":-7,"message":"there is one"}"#)
}

pub(crate) fn missing() -> Act {
    Act::json(404, r#"{"error":17,"message":"no such plant"}"#)
}

#[test]
fn list_and_log_have_their_members_in_every_form() {
    let home = Home::new();
    let service = in_turn(vec![created, taken, Act::hang_up, missing, Act::hang_up]);
    let base = service.base_url();
    run(&home, &service, &create("7", "=oak")).ends_with(0);
    run(&home, &service, &create("7", "elm")).ends_with(4);
    run(&home, &service, &["plants", "delete", "007", "--yes"]).ends_with(0);
    run(&home, &service, &create("-5", "fern")).ends_with(7);
    let listed = run(&home, &service, &["plants", "list", "--json"]).ends_with(0);
    let mut plants = json_of(&listed);
    for plant in plants.as_array_mut().unwrap() {
        let since = plant.as_object_mut().unwrap().remove("since").unwrap();
        assert!(since.as_str().unwrap().ends_with('Z'), "{since}");
    }
    assert_eq!(
        plants,
        json!([
            {"id": -5, "name": "fern", "tag": "red", "state": "unknown", "address": base,
             "requests": ["create"], "status": null, "error": null, "message": null,
             "service": base},
            {"id": "007", "name": null, "tag": null, "state": "deleted", "address": base,
             "requests": ["delete", "delete"], "status": 404, "error": 17,
             "message": "no such plant", "service": base},
            {"id": 7, "name": "=oak", "tag": "red", "state": "exists", "address": base,
             "requests": ["create", "create"], "status": 409, "error": -7,
             "message": "there is one", "service": base},
        ])
    );
    let log = json_of(&run(&home, &service, &["plants", "log", "--json"]).ends_with(0));
    let lines = log.as_array().unwrap();
    let outcomes = |line: &Value| {
        let text = |name: &str| line[name].as_str().unwrap_or("-").to_owned();
        format!(
            "{} {} {} {}",
            line["id"],
            text("operation"),
            text("outcome"),
            line["status"]
        )
    };
    assert_eq!(
        lines.iter().map(outcomes).collect::<Vec<_>>(),
        [
            "7 create done 201",
            "7 create refused 409",
            "\"007\" delete unknown null",
            "\"007\" delete done 404",
            "-5 create unknown null",
        ]
    );
    let members: BTreeSet<&str> = lines[0]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        members,
        BTreeSet::from([
            "time",
            "operation",
            "id",
            "name",
            "tag",
            "address",
            "status",
            "outcome",
            "error",
            "message",
            "note",
            "service",
        ])
    );
    let csv = run(&home, &service, &["plants", "list", "--format", "csv"]).ends_with(0);
    let rows: Vec<&str> = csv.stdout.lines().collect();
    let head = "id,name,tag,state,since,address,requests,status,error,message,service";
    assert_eq!((rows.len(), rows[0]), (4, head));
    assert!(rows[1].starts_with("-5,fern,red,unknown,"), "{csv:#?}");
    // A cell never starts a formula.
    assert!(rows[3].starts_with("7,'=oak,red,exists,"), "{csv:#?}");
    let table = run(&home, &service, &["plants", "list"]).ends_with(0);
    assert!(
        table.stdout.contains("fern?") && !table.stdout.contains("=oak?"),
        "{table:#?}"
    );
    for (filter, ids) in [
        (&["--state", "exists"][..], &["7"][..]),
        (&["--tag", "red"], &["-5", "7"]),
        (&["--tag", "blue"], &[]),
        (&["--state", "deleted", "--tag", "red"], &[]),
    ] {
        let arguments = [&["plants", "ls", "--json"], filter].concat();
        let found = json_of(&run(&home, &service, &arguments).ends_with(0));
        let found: Vec<String> = found
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["id"].to_string())
            .collect();
        assert_eq!(found, ids, "{filter:?}");
    }
    run(&home, &service, &["plants", "list", "--state", "gone"]).ends_with(2);
}

#[test]
fn a_change_prints_its_plant_and_a_failure_its_service() {
    let home = Home::new();
    let service = in_turn(vec![created, taken, created, created, missing]);
    let with_json = |arguments: &[&str]| run(&home, &service, &[arguments, &["--json"]].concat());
    let plant = json_of(&with_json(&create("7", "oak")).ends_with(0));
    assert_eq!(
        (&plant["id"], &plant["state"]),
        (&json!(7), &json!("exists"))
    );
    assert_eq!(
        (&plant["name"], &plant["status"]),
        (&json!("oak"), &json!(201))
    );
    let refused = with_json(&create("7", "oak")).ends_with(4);
    assert_eq!(refused.stdout, "");
    let error = error_of(&refused);
    assert_eq!(
        (&error["kind"], &error["code"], &error["status"]),
        (&json!("service"), &json!(4), &json!(409))
    );
    assert_eq!(
        error["service"],
        json!({"error": -7, "message": "there is one"})
    );
    let several = with_json(&["plants", "rm", "7", "8", "7", "9", "--yes"]);
    assert_eq!(several.status, 4, "{several:#?}");
    let deleted = json_of(&several);
    let ids: Vec<&Value> = deleted
        .as_array()
        .unwrap()
        .iter()
        .map(|plant| &plant["id"])
        .collect();
    // That of 9 was refused: its plant is there with what is known of it.
    assert_eq!(ids, [&json!(7), &json!(8), &json!(9)]);
    assert_eq!(error_of(&several)["service"]["error"], 17);
    let said = run(
        &home,
        &service,
        &["plants", "resolve", "7", "exists", "--json"],
    )
    .ends_with(1);
    assert_eq!(error_of(&said)["service"], Value::Null);
    // A single failure has a null where the service sent no Error.
    let page = Responder::json(404, "<h1>Not Found</h1>");
    let lost = run(&home, &page, &["plants", "delete", "7", "--yes", "--json"]).ends_with(4);
    assert_eq!(error_of(&lost)["service"], Value::Null);
}

#[test]
fn an_error_in_the_answer_to_a_create_is_told_whatever_its_status() {
    let error = r#"{"error":17,"message":"the bed is full"}"#;
    for (status, ends, id) in [(200, 4, "1"), (201, 0, "2"), (202, 0, "3")] {
        let home = Home::new();
        let service = Responder::json(status, error);
        run(&home, &service, &create(id, "oak"))
            .ends_with(ends)
            .says("error 17, the bed is full");
    }
}

#[test]
fn deletes_go_on_after_a_refusal_and_stop_at_the_first_unknown() {
    let service = Responder::new(|request, _| match request.target.as_str() {
        "/plants/1" => Act::json(500, r#"{"error":5,"message":"no"}"#),
        "/plants/3" => Act::hang_up(),
        _ => Act::json(204, ""),
    });
    let home = Home::new();
    let delete = ["plants", "delete", "1", "2", "3", "4", "--yes"];
    run(&home, &service, &delete)
        .ends_with(7)
        .says("deleted plant 2");
    let sent: Vec<String> = service
        .requests()
        .into_iter()
        .map(|sent| sent.target)
        .collect();
    assert_eq!(sent, ["/plants/1", "/plants/2", "/plants/3", "/plants/3"]);
    let expected = [("3", "unknown"), ("2", "deleted"), ("1", "refused")];
    assert_eq!(
        states(&home, &service),
        expected.map(|(id, state)| (id.to_owned(), state.to_owned()))
    );
    run(&home, &service, &["plants", "delete", "1", "2", "--yes"]).ends_with(4);
    // Without a terminal to ask on.
    run(&home, &service, &["plants", "delete", "2"]).ends_with(2);
}

#[test]
fn what_a_person_found_out_is_recorded_once_and_only_of_what_is_unknown() {
    let home = Home::new();
    let busy = || Act::json(500, r#"{"error":1,"message":"busy"}"#);
    let service = in_turn(vec![Act::hang_up, busy, created]);
    run(&home, &service, &create("8", "oak")).ends_with(7);
    run(&home, &service, &["plants", "resolve", "9", "exists"]).ends_with(1);
    run(&home, &service, &["plants", "resolve", "8", "perhaps"]).ends_with(2);
    let resolve = |finding| {
        run(
            &home,
            &service,
            &["plants", "resolve", "8", finding, "--json"],
        )
    };
    assert_eq!(json_of(&resolve("exists").ends_with(0))["state"], "exists");
    // A person may be mistaken.
    let plant = json_of(&resolve("absent").ends_with(0));
    assert_eq!(
        (&plant["state"], &plant["requests"]),
        (&json!("absent"), &json!(["create"]))
    );
    // What says nothing of the plant does not settle it.
    run(&home, &service, &["plants", "delete", "8", "--yes"]).ends_with(4);
    assert_eq!(json_of(&resolve("exists").ends_with(0))["state"], "exists");
    assert_eq!(json_of(&resolve("absent").ends_with(0))["state"], "absent");
    run(&home, &service, &create("8", "oak")).ends_with(0);
    resolve("absent").ends_with(1);
    let log = json_of(&run(&home, &service, &["plants", "log", "--json"]).ends_with(0));
    let notes: Vec<&Value> = log
        .as_array()
        .unwrap()
        .iter()
        .map(|line| &line["note"])
        .collect();
    assert_eq!(
        (&log[1]["operation"], notes[1], notes[2]),
        (&json!("resolve"), &json!("exists"), &json!("absent"))
    );
}

#[test]
fn where_the_addresses_differ_each_state_names_its_own() {
    let home = Home::new();
    let base = in_turn(vec![missing, || Act::json(204, "")]);
    let sandbox = in_turn(vec![created]);
    let both = |arguments: &[&str]| {
        let run = with_token(&home, &base.base_url(), arguments);
        run.env("DRIFTLINE_SANDBOX_URL", sandbox.base_url()).go()
    };
    let plant = || json_of(&both(&["plants", "list", "--json"]))[0].clone();
    both(&create("5", "oak")).ends_with(0);
    both(&["plants", "delete", "5", "--yes"]).ends_with(4);
    let (here, there) = (json!(sandbox.base_url()), json!(base.base_url()));
    let exists = plant();
    assert_eq!(
        (&exists["state"], &exists["address"], &exists["name"]),
        (&json!("exists"), &here, &json!("oak"))
    );
    both(&["plants", "delete", "5", "--yes"]).ends_with(0);
    let deleted = plant();
    assert_eq!(
        (&deleted["state"], &deleted["address"], &deleted["name"]),
        (&json!("deleted"), &there, &Value::Null)
    );
    let log = json_of(&both(&["plants", "log", "--json"]));
    let addresses: Vec<&Value> = log
        .as_array()
        .unwrap()
        .iter()
        .map(|line| &line["address"])
        .collect();
    assert_eq!(addresses, [&here, &there, &there]);
}

#[test]
fn a_web_page_decides_nothing_and_the_log_says_so() {
    const PAGE: &str = "<html><head><title>Hotel Wifi</title></head></html>";
    let page = || Act::json(404, PAGE);
    let empty = || Act::json(404, "");
    let service = in_turn(vec![created, page, created, empty]);
    let home = Home::new();
    for id in ["1", "2"] {
        run(&home, &service, &create(id, "oak")).ends_with(0);
        run(&home, &service, &["plants", "delete", id, "--yes"]).ends_with(4);
    }
    let known = [("2", "absent"), ("1", "exists")].map(|(id, state)| (id.into(), state.into()));
    assert_eq!(states(&home, &service), known);
    let log = json_of(&run(&home, &service, &["plants", "log", "--json"]).ends_with(0));
    assert_eq!(log[1]["message"], "a web page, 'Hotel Wifi'", "{log:#}");
    let note = log[1]["note"].as_str().unwrap();
    assert!(note.contains("says nothing of the plant"), "{note}");
    assert_eq!(log[3]["message"], Value::Null, "{log:#}");
    assert_eq!(log[3]["note"], Value::Null, "{log:#}");
}
