//! The deployments that a service lists, as `deployments find` shows them.

use serde_json::Value;

use crate::driver::home::Home;
use crate::driver::pty::{ENTER, Setting, Terminal};
use crate::driver::wire::{Act, Responder};
use crate::exit_status::TOKEN;
use crate::mapped::{DATASETTE, go, home};

const LIST: &str = "url = \"{base_url}/{id}\"\nlist = \"{base_url}/list?until={until:unix}\"\n";

/// A recorded answer of a real server.
fn recorded(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/services");
    std::fs::read_to_string(format!("{folder}/{name}")).unwrap()
}

fn found(home: &Home, arguments: &[&str]) -> Vec<Value> {
    let all = [&["deployments", "find", "--json"], arguments].concat();
    serde_json::from_str(&go(home, &all).ends_with(0).stdout).unwrap()
}

fn ids(rows: &[Value]) -> Vec<&str> {
    let ids = rows.iter().map(|row| row["deployment"].as_str().unwrap());
    ids.collect()
}

#[test]
fn what_a_real_server_lists_is_found_with_what_it_says_of_it() {
    let datasette = Responder::json(200, &recorded("ds-list.body"));
    let home_of =
        |service: &Responder, more: &str| home(&service.base_url(), &format!("{LIST}{more}"));
    let rows = found(&home_of(&datasette, ""), &[]);
    assert_eq!(ids(&rows), ["SMILLA-77", "petrel 1"]);
    assert_eq!(rows[1]["label"], "Snow petrel");
    assert_eq!(
        (&rows[1]["time"], &rows[1]["watched"]),
        (&Value::Null, &false.into())
    );
    let request = &datasette.requests()[0];
    assert!(
        request.target.starts_with("/list?until=1"),
        "{}",
        request.target
    );
    assert_eq!(
        request.header("authorization"),
        Some(&*format!("Bearer {TOKEN}"))
    );
    // Rows of cells, of which the second is the id.
    let influx = Responder::json(200, &recorded("influx-list.body"));
    let members = "list_items = \"/results/0/series/0/values\"\nlist_id = \"/1\"";
    let rows = found(&home_of(&influx, members), &[]);
    assert_eq!(ids(&rows), ["petrel 1", "SMILLA-77"]);
    // An object whose members are the deployments, with their last positions.
    let signalk = Responder::json(200, &recorded("sk-vessels.body"));
    let home = home(&signalk.base_url(), "kind = \"signalk\"");
    let rows = found(&home, &[]);
    let vessel = "urn:mrn:imo:mmsi:230099999";
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["deployment"], vessel);
    assert_eq!(rows[0]["time"], "2026-11-23T11:00:07Z");
    assert_eq!(
        (&rows[0]["latitude"], &rows[0]["longitude"]),
        (&60.107.into(), &24.9.into())
    );
    assert_eq!(signalk.requests()[0].target, "/signalk/v1/api/vessels");
}

#[test]
fn the_list_of_erddap_is_the_last_row_of_each_platform() {
    let row =
        r#"{"ID":"4903654","time":"2026-11-23T11:00:00Z","latitude":-12.5,"longitude":190.25}"#;
    let service = Responder::new(move |_, _| Act::with(200, &[], row));
    let members = "kind = \"erddap\"\ndataset = \"GDP\"\nid = \"ID\"";
    let rows = found(&home(&service.base_url(), members), &[]);
    assert_eq!(ids(&rows), ["4903654"]);
    assert_eq!(rows[0]["longitude"], -169.75);
    assert_eq!(
        service.requests()[0].target,
        "/tabledap/GDP.jsonlKVP?ID,time,latitude,longitude&time%3E=now-30days&orderByMax(%22ID,time%22)"
    );
}

#[test]
fn a_list_is_narrowed_by_text_and_says_what_is_watched() {
    let service = Responder::new(|request, _| match request.target.starts_with("/list") {
        true => Act::json(200, &recorded("sk-vessels.body")),
        false => Act::json(200, "[]"),
    });
    let members = format!(
        "{LIST}list_time = \"/navigation/position/timestamp\"\ntime_format = \"iso\"\n\
         list_latitude = \"/navigation/position/value/latitude\"\n\
         list_longitude = \"/navigation/position/value/longitude\"\nlist_label = \"mmsi\""
    );
    let home = home(&service.base_url(), &members);
    let vessel = "urn:mrn:imo:mmsi:230099999";
    assert_eq!(ids(&found(&home, &["MMSI:23"])), [vessel]);
    let shown = go(&home, &["deployments", "find"]).ends_with(0).stdout;
    assert!(
        shown.contains(vessel) && shown.contains("230099999"),
        "{shown}"
    );
    go(&home, &["deployments", "find", "nobody"])
        .ends_with(0)
        .says("lists 2 deployments");
    for _ in 0..2 {
        go(&home, &["deployments", "add", vessel, "--label", "ferry"]).ends_with(0);
    }
    let listed = go(&home, &["deployments", "list", "--json"])
        .ends_with(0)
        .stdout;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(
        (&listed[0]["uuid"], &listed[0]["label"]),
        (&vessel.into(), &"ferry".into())
    );
    assert_eq!(found(&home, &[vessel])[0]["watched"], true);
}

#[test]
fn a_list_in_pages_is_followed_and_one_that_cannot_be_had_is_said() {
    let service = Responder::new(|request, _| match request.target.contains("page=2") {
        false => {
            let link = [("Link", "</list?page=2>; rel=\"next\"")];
            Act::with(200, &link, "[\"b\", \"a\", \"a\"]")
        }
        true => Act::json(200, "[3, \"c\"]"),
    });
    let home = home(&service.base_url(), LIST);
    assert_eq!(ids(&found(&home, &[])), ["3", "a", "b", "c"]);
    // Records of both pages without an id are counted.
    let service = Responder::new(|request, _| match request.target.contains("page=2") {
        false => {
            let link = [("Link", "</list?page=2>; rel=\"next\"")];
            Act::with(200, &link, r#"[{"id":"a"},{"id":""},{"name":"x"}]"#)
        }
        true => Act::json(200, r#"[{"id":" b"},{"id":"c\td"},{"id":null}]"#),
    });
    let some = self::home(&service.base_url(), LIST);
    let all = go(&some, &["deployments", "find"]).ends_with(0);
    assert_eq!(all.stdout.lines().count(), 3, "{all:#?}");
    all.says("4 records of the list left out");
    let without = self::home(&service.base_url(), "");
    go(&without, &["deployments", "find"])
        .ends_with(2)
        .says("no list of deployments");
    for (act, status, said) in [
        (
            Act::json(200, "{\"rows\":[]}"),
            6,
            "neither a record nor an array",
        ),
        (
            Act::json(200, "[{\"name\":\"x\"}]"),
            6,
            "no record of the list has an id at id",
        ),
        (
            Act::with(200, &[], "<html><title>Sign in</title>"),
            6,
            "Sign in",
        ),
        (Act::json(403, "{\"error\":\"not yours\"}"), 3, "not yours"),
    ] {
        let service = Responder::new(move |_, _| act.clone());
        let home = self::home(&service.base_url(), LIST);
        go(&home, &["deployments", "find"])
            .ends_with(status)
            .says(said);
    }
    let no_service = Home::new();
    let run = crate::driver::run::Run::driftline(&no_service, ["deployments", "find"]);
    run.at(service.base_url()).ends_with(2);
}

#[test]
fn the_dashboard_adds_what_is_marked_in_the_list_of_the_service() {
    let service = Responder::new(|request, _| match request.target.starts_with("/list") {
        true => Act::json(200, &recorded("sk-vessels.body")),
        false => Act::json(200, "[]"),
    });
    let members = format!("{LIST}list_label = \"mmsi\"");
    let home = home(&service.base_url(), &members);
    let setting = Setting::default().env("DRIFTLINE_TOKEN", TOKEN);
    let mut terminal = Terminal::driftline(&home, &["--profile", "sea"], setting);
    terminal.shows("F4 for what the service lists");
    terminal.keys("a");
    terminal.shows("F4 what the service lists");
    // F4, as terminals write it.
    terminal.keys("\x1bOS");
    terminal.shows("2 deployments");
    terminal.keys("MMSI:23");
    terminal.shows("1 of 2 deployments");
    terminal.keys("\t");
    terminal.shows("1 marked");
    terminal.keys(ENTER);
    terminal.hides("1 marked");
    terminal.shows("230099999");
    terminal.keys("4");
    terminal.shows("/list");
    terminal.quits();
    let listed = go(&home, &["deployments", "list", "--json"]).ends_with(0);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    let vessel = "urn:mrn:imo:mmsi:230099999";
    assert_eq!(
        (&listed[0]["uuid"], &listed[0]["label"], &listed[1]),
        (&vessel.into(), &"230099999".into(), &Value::Null)
    );
    // A service without a list says so.
    let without = self::home(&service.base_url(), "");
    let setting = Setting::default().env("DRIFTLINE_TOKEN", TOKEN);
    let terminal = Terminal::driftline(&without, &["--profile", "sea"], setting);
    terminal.shows("F4 for what the service lists");
    terminal.keys("\x1bOS");
    terminal.shows("no list of deployments");
}

#[test]
fn records_of_a_list_without_a_usable_id_are_counted() {
    let list = r#"[{"id":"a"},{"id":""},{"name":"nobody"}]"#;
    let service = Responder::json(200, list);
    let home = home(&service.base_url(), LIST);
    let answer = go(&home, &["deployments", "find"]).ends_with(0);
    let left_out = "2 records of the list left out, without a usable id";
    answer.says(left_out);
    answer.prints("\na\n");
}

#[test]
fn what_is_noted_on_later_pages_is_told_and_records_of_others_are_summed() {
    let row = |id: &str, time: &str| {
        format!(r#"{{"id":"{id}","time":"2022-12-01T{time}","lat":55.5,"lon":16.0}}"#)
    };
    let pages = [
        [row("a", "00:00:00Z"), row("b", "01:00:00Z")].join(","),
        [
            row("a", "02:00:00"),
            row("b", "03:00:00"),
            row("c", "04:00:00"),
        ]
        .join(","),
        [row("a", "05:00:00"), row("c", "06:00:00")].join(","),
    ];
    let service = Responder::new(move |_, number| {
        let next = format!("</page{number}>; rel=\"next\"");
        let headers = [("Link", next.as_str())];
        let headers = if number < 2 { &headers[..] } else { &[] };
        Act::with(200, headers, &format!("[{}]", pages[number]))
    });
    let home = home(&service.base_url(), &format!("{DATASETTE}same = \"id\"\n"));
    let track = go(&home, &["track", "a"]).ends_with(0);
    assert_eq!(track.stdout.lines().count(), 4, "{track:#?}");
    for words in [
        "4 records of other deployments left out",
        "times without a zone are taken as UTC",
    ] {
        assert_eq!(track.stderr.matches(words).count(), 1, "{track:#?}");
    }
}
