//! Services of another shape: what is asked, what is read, and what is kept apart.

use serde_json::Value;

use crate::driver::home::Home;
use crate::driver::pty::{ENTER, Setting, Terminal};
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Request, Responder};
use crate::driver::{PATIENCE, until};
use crate::exit_status::{TOKEN, TRACK, UUID};

/// Rows of a table as Datasette sends them, an hour apart.
pub(crate) fn rows(hours: impl IntoIterator<Item = u32>) -> String {
    let row = |hour: u32| {
        let (day, hour) = (1 + hour / 24, hour % 24);
        format!(
            r#"{{"id":"SMILLA-77","time":"2022-12-{day:02}T{hour:02}:00:00Z","lat":55.5,"lon":16.{hour:02},"battery":50.5}}"#
        )
    };
    let rows: Vec<String> = hours.into_iter().map(row).collect();
    format!("[{}]", rows.join(","))
}

pub(crate) const DATASETTE: &str = r#"
url = "{base_url}/tracks/fixes.json?_shape=array&_sort=time&id__exact={id}&time__gte={since}"
time = "time"
time_format = "iso"
latitude = "lat"
longitude = "lon"
"#;

/// A home whose profile `sea` is a service with these members.
pub(crate) fn home(base: &str, members: &str) -> Home {
    let home = Home::new();
    add_profile(&home, "sea", base, members);
    home
}

pub(crate) fn add_profile(home: &Home, name: &str, base: &str, members: &str) {
    let path = home.file(".config/driftline/config.toml");
    let before = std::fs::read_to_string(path).unwrap_or_default();
    let base = match base {
        "" => String::new(),
        base => format!("base_url = \"{base}\"\n"),
    };
    let profile =
        format!("{before}\n[profile.{name}]\n{base}[profile.{name}.service]\n{members}\n");
    home.write(".config/driftline/config.toml", profile);
}

pub(crate) fn go(home: &Home, arguments: &[&str]) -> Answer {
    let profile = ["--profile", "sea"];
    Run::driftline(home, arguments.iter().chain(&profile))
        .env("DRIFTLINE_TOKEN", TOKEN)
        .go()
}

fn fixes(home: &Home, id: &str) -> Vec<Value> {
    let answer = go(home, &["track", id, "--format", "json"]).ends_with(0);
    let track: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(track["deployment"], id);
    track["fixes"].as_array().unwrap().clone()
}

fn absent(fixes: &[Value]) -> Vec<&str> {
    let absent = fixes
        .iter()
        .filter(|fix| fix["absent_from_latest_response"] == true);
    absent.map(|fix| fix["time"].as_str().unwrap()).collect()
}

#[test]
fn a_table_of_data_describes_another_service() {
    let service = Responder::json(200, &rows([0, 1, 2]));
    let home = home(&service.base_url(), DATASETTE);
    let track = go(&home, &["track", "SMILLA-77"]).ends_with(0);
    let lines: Vec<&str> = track.stdout.lines().collect();
    assert!(lines[0].ends_with(",qc_reason,id,battery"), "{track:#?}");
    let first = "2022-12-01T00:00:00Z,1669852800,55.5,16,";
    assert!(lines[1].starts_with(first), "{track:#?}");
    assert_eq!(lines.len(), 4);
    let requests = service.requests();
    let [request] = requests.as_slice() else {
        panic!("{requests:#?}")
    };
    assert_eq!(
        request.target,
        "/tracks/fixes.json?_shape=array&_sort=time&id__exact=SMILLA-77&time__gte=1970-01-01T00%3A00%3A00Z"
    );
    let bearer = format!("Bearer {TOKEN}");
    assert_eq!(request.header("authorization"), Some(bearer.as_str()));
    let printed = go(&home, &["config", "service"]).ends_with(0).stdout;
    let base = format!("base_url = \"{}\"", service.base_url());
    for member in ["time_format = \"iso\"", "auth = \"bearer\"", &base] {
        assert!(printed.contains(member), "{printed}");
    }
}

#[test]
fn an_answer_strikes_nothing_before_the_time_that_was_asked_for() {
    // The second answer lacks hour 60, which is in its time, and all before hour 39.
    let service = Responder::new(|_, number| match number {
        0 => Act::json(200, &rows(0..64)),
        _ => Act::json(200, &rows((39..66).filter(|hour| *hour != 60))),
    });
    let home = home(&service.base_url(), DATASETTE);
    go(&home, &["deployments", "add", "SMILLA-77"]).ends_with(0);
    assert_eq!(fixes(&home, "SMILLA-77").len(), 64);
    let all = fixes(&home, "SMILLA-77");
    let missing = vec!["2022-12-03T12:00:00Z"];
    assert_eq!((all.len(), absent(&all)), (66, missing));
    // A day before the last fix.
    let target = &service.requests()[1].target;
    assert!(
        target.ends_with("time__gte=2022-12-02T15%3A00%3A00Z"),
        "{target}"
    );
}

#[test]
fn what_a_window_does_not_hold_is_not_absent() {
    let members = "url = \"{base_url}/{id}\"\ntime = \"time\"\ntime_format = \"iso\"\n\
        latitude = \"lat\"\nlongitude = \"lon\"\nwindow = \"1d\"";
    let service = Responder::new(|_, number| match number {
        0 => Act::json(200, &rows(0..30)),
        1 => Act::json(200, &rows((20..44).filter(|hour| *hour != 25))),
        _ => Act::json(200, "[]"),
    });
    let home = home(&service.base_url(), members);
    go(&home, &["deployments", "add", "petrel 1"]).ends_with(0);
    assert_eq!(fixes(&home, "petrel 1").len(), 30);
    for _ in 0..2 {
        let all = fixes(&home, "petrel 1");
        let missing = vec!["2022-12-02T01:00:00Z"];
        assert_eq!((all.len(), absent(&all)), (44, missing));
    }
    assert_eq!(service.requests()[0].target, "/petrel%201");
}

#[test]
fn the_token_goes_where_the_service_wants_it_and_is_shown_nowhere() {
    let echo = |request: &Request, _| {
        let next = format!("<{}&page=2>; rel=\"next\"", request.target);
        let headers = [("Link", next.as_str())];
        match request.target.contains("page=2") {
            true => Act::with(200, &[], TRACK),
            false => Act::with(200, &headers, TRACK),
        }
    };
    let bearer = format!("Bearer {TOKEN}");
    for (auth, header, value) in [
        ("none", "authorization", None),
        ("bearer", "authorization", Some(bearer.as_str())),
        // By `printf 'tok-7Qx!fairway~2' | base64`.
        (
            "basic",
            "authorization",
            Some("Basic dG9rLTdReCFmYWlyd2F5fjI="),
        ),
        ("header:x-argokey", "x-argokey", Some(TOKEN)),
        ("query:_auth_token", "authorization", None),
    ] {
        let service = Responder::new(echo);
        let members = format!("url = \"{{base_url}}/t?id={{id}}\"\nauth = \"{auth}\"");
        let home = home(&service.base_url(), &members);
        go(&home, &["deployments", "add", "a"]).ends_with(0);
        let track = go(&home, &["track", "a", "-v"]).ends_with(0);
        assert!(!track.stderr.contains(TOKEN), "{auth}: {track:#?}");
        assert!(home.files_holding(TOKEN).is_empty(), "{auth}");
        let requests = service.requests();
        assert_eq!(requests.len(), 2, "{auth}");
        for request in &requests {
            assert_eq!(request.header(header), value, "{auth}");
            let in_query = request.target.matches("_auth_token=").count();
            let expected = usize::from(auth.starts_with("query"));
            assert_eq!(in_query, expected, "{}", request.target);
        }
    }
    // Without one nobody is asked for it.
    let service = Responder::json(200, TRACK);
    let home = home(&service.base_url(), "auth = \"none\"");
    let run = Run::driftline(&home, ["track", "a", "--profile", "sea"]);
    run.ends_with(0);
}

#[test]
fn a_deployment_belongs_to_the_service_that_it_was_added_under() {
    let (sea, other) = (Responder::json(200, TRACK), Responder::json(200, TRACK));
    let home = home(&sea.base_url(), "");
    add_profile(&home, "other", &other.base_url(), "");
    let with = |profile: &str, arguments: &[&str]| {
        let all = [arguments, &["--profile", profile]].concat();
        let run = Run::driftline(&home, all).env("DRIFTLINE_TOKEN", TOKEN);
        run.ends_with(0)
    };
    with("sea", &["deployments", "add", UUID]);
    with(
        "sea",
        &["deployments", "add", "SPOT-0222", "--label", "spotter"],
    );
    with("other", &["deployments", "add", UUID]);
    with("default", &["deployments", "add", UUID]);
    let listed = |profile: &str, more: &[&str]| {
        let arguments = [&["deployments", "list", "--json"], more].concat();
        let rows: Value = serde_json::from_str(&with(profile, &arguments).stdout).unwrap();
        let ids = rows.as_array().unwrap().iter();
        let ids = ids.map(|row| row["uuid"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(listed("sea", &[]), [UUID, "SPOT-0222"]);
    assert_eq!(listed("other", &[]), [UUID]);
    assert_eq!(listed("default", &[]), [UUID]);
    assert_eq!(listed("sea", &["--all-services"]).len(), 4);
    let log = with("sea", &["collect", "--once"]).stderr;
    assert!(
        log.contains(" deployment=SPOT-0222 label=\"spotter\""),
        "{log}"
    );
    let mut targets: Vec<String> = sea.requests().into_iter().map(|one| one.target).collect();
    targets.sort();
    let of = |id: &str| format!("/public/deployment/data/{id}");
    assert_eq!(targets, [of(UUID), of("SPOT-0222")]);
    assert!(other.requests().is_empty());
    // By its label, too.
    with("sea", &["track", "Spotter"]);
    assert_eq!(sea.requests()[2].target, of("SPOT-0222"));
    let exported = with("sea", &["deployments", "export"]).stdout;
    assert!(exported.contains("SPOT-0222,spotter"), "{exported}");
    home.write("list.csv", exported.replace("spotter", "Spotter 2"));
    with("sea", &["deployments", "import", "list.csv"]);
    assert_eq!(listed("sea", &[]), [UUID, "SPOT-0222"]);
}

#[test]
fn what_is_wrong_is_said_before_anything_is_asked() {
    let service = Responder::json(200, "[]");
    let base = service.base_url();
    let quoted = home(&base, "url = \"{base_url}/q?q='{id}'\"");
    for id in ["x' OR 1=1", "", "a  b", ".", ".."] {
        go(&quoted, &["track", id]).ends_with(2);
        go(&quoted, &["deployments", "add", id]).ends_with(2);
    }
    let list = quoted.write("list.csv", "uuid\nx' OR 1=1\n..\na b\n");
    let import = ["deployments", "import", list.to_str().unwrap()];
    let told = go(&quoted, &import).ends_with(1).stderr;
    assert!(
        told.contains("1 added, 0 changed, 0 unchanged, 2 left out"),
        "{told}"
    );
    assert!(
        told.contains("line 2 is left out: 'x' OR 1=1' cannot be an id: "),
        "{told}"
    );
    let elsewhere = home(&base, "url = \"https://elsewhere.example/{id}\"");
    go(&elsewhere, &["track", "a"]).ends_with(2);
    for members in [
        "kind = \"none\"",
        "format = \"xml\"",
        "command = []",
        "latitude = \"\"",
        "min_interval = \"0\"",
        "url = \"{base_url}/x\"",
        "x = 1",
    ] {
        go(&home(&base, members), &["track", "a"])
            .ends_with(2)
            .says("config.toml:");
    }
    assert!(service.requests().is_empty());
}

#[test]
fn an_answer_that_is_none_is_said_to_be() {
    let page = "<html><title>Sign in</title>";
    for (members, act, status, said) in [
        (
            "items = \"/data\"",
            Act::json(200, "{\"rows\":[]}"),
            6,
            "no records at /data",
        ),
        (
            "error = \"/error\"",
            Act::json(200, "{\"error\":\"no such buoy\"}"),
            4,
            "no such buoy",
        ),
        (
            "",
            Act::json(403, "{\"description\":\"not yours\"}"),
            3,
            "not yours",
        ),
        ("", Act::with(200, &[], page), 6, "Sign in"),
        ("format = \"csv\"", Act::with(200, &[], page), 6, "Sign in"),
        (
            "format = \"ndjson\"",
            Act::with(200, &[], "{\"time_stamp\":1,"),
            6,
            "middle of a record",
        ),
        ("", Act::json(200, ""), 6, "empty"),
    ] {
        let service = Responder::new(move |_, _| act.clone());
        let home = home(&service.base_url(), members);
        let answer = go(&home, &["track", "a"]).ends_with(status);
        assert!(answer.stderr.contains(said), "{members}: {answer:#?}");
    }
    for format in ["ndjson", "csv", "table"] {
        let service = Responder::json(200, "");
        let home = home(&service.base_url(), &format!("format = \"{format}\""));
        go(&home, &["track", "a"]).ends_with(0);
    }
}

#[test]
fn each_kind_asks_for_its_address() {
    let window = "1970-01-01T00%3A00%3A00Z";
    let rows = [
        (
            "erddap",
            "dataset = \"OSMC_30day\"\nid = \"platform_code\"\nfields = [\"sst\", \"slp\"]",
            "4903654",
            format!("/tabledap/OSMC_30day.jsonlKVP?time,latitude,longitude,sst,slp&platform_code=%224903654%22&time%3E={window}"),
        ),
        ("iabp", "", "300234065719650", "/300234065719650.dat".to_owned()),
        ("traccar", "", "3", format!("/api/positions?deviceId=3&from={window}&to=")),
        (
            "sofar",
            "",
            "SPOT-0222",
            format!("/api/wave-data?spotterId=SPOT-0222&limit=500&includeTrack=true&includeWaves=false&startDate={window}"),
        ),
        ("spot", "", "0abc", "/public/feed/0abc/message.json".to_owned()),
        (
            "movebank",
            "study = 2911040",
            "O_ASSEN 1",
            "/json?study_id=2911040&individual_local_identifiers=O_ASSEN%201&sensor_type=gps&timestamp_start=0".to_owned(),
        ),
        ("argovis", "", "4903654", "/argo?platform=4903654".to_owned()),
        (
            "signalk",
            "",
            "urn:mrn:imo:mmsi:230099999",
            "/signalk/v1/api/vessels/urn:mrn:imo:mmsi:230099999/navigation/position".to_owned(),
        ),
    ];
    let kinds = include_str!("../../assets/services.toml").lines();
    for kind in kinds.filter_map(|line| line.strip_prefix('[')?.strip_suffix(']')) {
        let is_tried = rows.iter().any(|(tried, ..)| *tried == kind);
        assert!(is_tried, "{kind} has no row above");
    }
    for (kind, more, id, target) in rows {
        let service = Responder::json(404, "{}");
        let members = format!("kind = \"{kind}\"\n{more}");
        let home = home(&service.base_url(), &members);
        go(&home, &["track", id]).ends_with(4);
        let asked = &service.requests()[0].target;
        assert!(asked.starts_with(&target), "{kind}: {asked}");
        // Without a base URL of its own it is that of the kind.
        let elsewhere = self::home("", &members);
        let shown = Run::driftline(&elsewhere, ["config", "show", "--profile", "sea"]);
        let shown = shown.ends_with(0).stdout;
        assert!(shown.contains(&format!("kind {kind}")), "{shown}");
    }
}

/// A home whose service is a script, which gets the id and the time.
fn command(script: &str) -> Home {
    let quoted = serde_json::to_string(script).unwrap();
    let words = format!("[\"sh\", \"-c\", {quoted}, \"sh\", \"{{id}}\", \"{{since}}\"]");
    home("", &format!("command = {words}\nformat = \"ndjson\""))
}

/// A fix on a line.
const FIX: &str = r#"{"time_stamp":1700000000,"latitude":85.5,"longitude":10.25}"#;

#[test]
fn a_program_that_prints_records_is_a_service() {
    let home = command(&format!("echo '{FIX}'; test \"$1\" = \"it's 1\""));
    go(&home, &["deployments", "add", "it's 1"]).ends_with(0);
    let track = go(&home, &["track", "it's 1", "-v"]).ends_with(0);
    track.prints("1700000000,85.5,10.25,");
    // As a request is: with its status and its bytes.
    track.says("ASK sh it's 1: 0, 1 record, 60 bytes");
    go(&command("true"), &["track", "a"]).ends_with(0);
    // The token is for services that are asked over HTTP.
    go(&command("test -z \"$DRIFTLINE_TOKEN\""), &["track", "a"]).ends_with(0);
    // Nor is it a service of all profiles: each has its own.
    let listed = Run::driftline(&home, ["deployments", "list", "--json"]).go();
    assert_eq!(listed.ends_with(0).stdout.trim(), "[]");
}

#[test]
fn a_program_that_fails_is_said_to_as_a_service_is() {
    let flood = format!("yes '{FIX}'");
    for (script, status, said) in [
        ("echo no such buoy >&2; exit 1", 4, "no such buoy"),
        (
            "echo '{\"time_stamp\":1,\"latitude\":2,\"longitude\":3}'; exit 27",
            4,
            "27",
        ),
        ("printf '{\"time_stamp\":1,\"lat'", 6, "middle of a record"),
        ("echo usage: x", 6, "no line of the answer is JSON"),
        (flood.as_str(), 6, "printed more than"),
    ] {
        let home = command(script);
        let config = home.file(".config/driftline/config.toml");
        let text = std::fs::read_to_string(&config).unwrap();
        let text = format!("max_response = 100000\n{text}");
        home.write(".config/driftline/config.toml", text);
        let answer = go(&home, &["track", "a"]).ends_with(status);
        assert!(answer.stderr.contains(said), "{script}: {answer:#?}");
    }
    let home = home("", "command = [\"/no/such/program\"]");
    go(&home, &["track", "a"])
        .ends_with(5)
        .says("could not be started");
}

#[test]
fn secrets_of_a_program_are_hidden_as_tokens_are() {
    let home = command("echo \"wrong password $SEA_PASSWORD\" >&2; exit 1");
    let failed = Run::driftline(&home, ["track", "a", "-v", "--profile", "sea"])
        .env("SEA_PASSWORD", "hunter2-of-the-sea")
        .ends_with(4);
    assert!(!failed.stderr.contains("hunter2"), "{failed:#?}");
    failed.says("wrong password [token]");
}

#[test]
fn a_word_names_a_deployment_of_the_list_before_it_is_an_id() {
    let service = Responder::json(200, TRACK);
    let home = home(&service.base_url(), "auth = \"none\"");
    for (id, label) in [
        ("SPOT-0222", "ice 1"),
        ("SPOT-0223", "ice 2"),
        (UUID, "uuid"),
    ] {
        go(&home, &["deployments", "add", id, "--label", label]).ends_with(0);
    }
    for (word, id) in [
        ("Ice 2", "SPOT-0223"),
        ("spot-0222", "SPOT-0222"),
        ("0b5b", UUID),
        // Not on the list, and not the beginning of one alone.
        ("SPO", "SPO"),
        ("SPOT-0222b", "SPOT-0222b"),
    ] {
        let track = go(&home, &["track", word, "--format", "json"]).ends_with(0);
        let track: Value = serde_json::from_str(&track.stdout).unwrap();
        assert_eq!(track["deployment"], id, "{word}");
    }
    go(&home, &["track", "SPOT"])
        .ends_with(2)
        .says("SPOT-0222 (ice 1)");
    // The bare word opens nothing that is not on the list, and its typing error is said.
    for word in ["SPO", "0b5bf6e6-6d0c-4d53-9d9c-9b6f8f5a1c02"] {
        go(&home, &[word]).ends_with(2);
    }
}

#[test]
fn another_kind_of_service_has_no_plants_and_gets_none() {
    let service = Responder::json(200, "{}");
    let home = home(&service.base_url(), "auth = \"none\"");
    let create = ["plants", "create", "--id", "7", "--name", "a", "--tag", "b"];
    for command in [&create[..], &["plants", "delete", "7", "--yes"]] {
        go(&home, command).ends_with(2).says("has no plants");
    }
    assert_eq!(go(&home, &["plants", "list", "--json"]).stdout.trim(), "[]");
    assert!(service.requests().is_empty());
    let mut terminal = Terminal::driftline(&home, &["--profile", "sea"], Setting::default());
    terminal.shows("Deployments");
    terminal.keys("3");
    terminal.shows("Plants need the service");
    terminal.keys("n");
    terminal.shows("plants need the service");
    terminal.keys("1a");
    terminal.shows("What the service calls it");
    terminal.keys("SPOT-0222");
    terminal.keys(ENTER);
    terminal.hides("What the service calls it");
    terminal.shows("SPOT-0222");
    let asked = until(PATIENCE, || service.requests().pop());
    assert_eq!(asked.unwrap().target, "/public/deployment/data/SPOT-0222");
    terminal.quits();
}
