//! Deployments of which nothing comes: not found at their service, or not due.

use serde_json::Value;

use crate::driver::home::Home;
use crate::driver::wire::{Act, Responder};
use crate::exit_status::TRACK;
use crate::mapped::{DATASETTE, add_profile, go, home, rows};

/// The alarms that stand: their kinds, the first first, and the text of each.
fn alarms(home: &Home) -> Vec<(String, String)> {
    let answer = go(home, &["alarms", "--json"]).ends_with(0);
    let alarms: Vec<Value> = serde_json::from_str(&answer.stdout).unwrap();
    let text = |alarm: &Value, name: &str| alarm[name].as_str().unwrap().to_owned();
    let mut found: Vec<_> = alarms
        .iter()
        .map(|alarm| (text(alarm, "kind"), text(alarm, "text")))
        .collect();
    found.sort();
    found
}

#[test]
fn a_deployment_that_is_not_found_is_silent_and_its_service_is_not_out_of_reach() {
    let not_found = || Act::json(404, r#"{"message":"no position"}"#);
    let members = DATASETTE.replace("/tracks/fixes.json?", "/{id}?");
    // It had a position before.
    let service = Responder::new(move |_, number| match number {
        0 => Act::json(200, &rows(0..6)),
        _ => not_found(),
    });
    let known = home(&service.base_url(), &members);
    let add = ["deployments", "add", "petrel 1", "--max-age", "1s"];
    go(&known, &add).ends_with(0);
    go(&known, &["track", "petrel 1"]).ends_with(0);
    go(&known, &["track", "petrel 1"]).ends_with(4);
    let found = alarms(&known);
    let [(kind, text)] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(kind, "overdue");
    assert!(
        text.contains("no usable answer since 2") && text.contains("no position"),
        "{text}"
    );
    // It never had one: the service gives no usable answer, and the clock goes on.
    let service = Responder::new(move |_, _| not_found());
    let never = home(&service.base_url(), &members);
    go(&never, &add).ends_with(0);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    go(&never, &["track", "petrel 1"]).ends_with(4);
    let found = alarms(&never);
    let kinds: Vec<&str> = found.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["overdue", "unreachable"]);
    assert!(found[0].1.contains("never a usable answer: "), "{found:?}");
}

#[test]
fn a_round_in_which_nothing_is_due_says_when_something_is() {
    let service = Responder::json(200, &rows(0..6));
    let home = home(&service.base_url(), DATASETTE);
    go(&home, &["deployments", "add", "petrel 1"]).ends_with(0);
    go(&home, &["collect", "--once"]).ends_with(0);
    let answer = go(&home, &["collect", "--once"]).ends_with(0);
    let lines: Vec<&str> = answer.stderr.lines().collect();
    let [line] = lines.as_slice() else {
        panic!("{answer:#?}")
    };
    let first = " nothing due first deployment=\"petrel 1\" next=2";
    assert!(line.contains(first) && line.contains(" in=\""), "{line}");
    assert_eq!((answer.stdout.as_str(), service.requests().len()), ("", 1));
}

#[test]
fn deployments_of_a_service_that_has_moved_are_named() {
    let service = Responder::json(200, TRACK);
    let members = "url = \"{base_url}/{id}\"";
    let home = home(&service.base_url(), members);
    go(&home, &["deployments", "add", "a"]).ends_with(0);
    let before = service.base_url();
    let after = before.replace("127.0.0.1", "localhost");
    home.write(".config/driftline/config.toml", "");
    add_profile(&home, "sea", &after, members);
    let check = go(&home, &["check", "--all"]);
    let named = format!("1 deployment added under {before}");
    assert!(
        check.status == 3 && check.stdout.contains(&named),
        "{check:#?}"
    );
    go(&home, &["deployments", "add", "b"]).ends_with(0);
    let collect = go(&home, &["collect", "--once"]).ends_with(0);
    collect.says(&named);
    // Of a profile that uses the service, they are no surprise.
    add_profile(&home, "old", &before, members);
    let collect = go(&home, &["collect", "--once"]).ends_with(0);
    assert!(!collect.stderr.contains("added under"), "{collect:#?}");
}

#[test]
fn pages_that_bring_nothing_end() {
    let service = Responder::new(|_, number| {
        let next = format!("</a?page={number}>; rel=\"next\"");
        Act::with(
            200,
            &[("Link", next.as_str())],
            if number == 0 { TRACK } else { "[]" },
        )
    });
    let home = home(&service.base_url(), "url = \"{base_url}/{id}\"");
    let said = go(&home, &["track", "a"]).ends_with(5).stderr;
    assert!(
        said.contains("the 50 pages before brought nothing new"),
        "{said}"
    );
}

#[test]
fn an_answer_without_a_usable_record_is_no_news_and_check_says_so() {
    for record in [
        r#"{"time_stamp":null,"latitude":56,"longitude":7}"#,
        r#"{"time_stamp":"soon","latitude":56,"longitude":7}"#,
        r#"{"time_stamp":1e300,"latitude":56,"longitude":7}"#,
        r#"{"time_stamp":1790000000,"latitude":null,"longitude":7}"#,
    ] {
        let service = Responder::new(move |_, number| match number {
            0 => Act::json(200, TRACK),
            _ => Act::json(200, &format!("[{record}]")),
        });
        let home = home(&service.base_url(), "url = \"{base_url}/{id}\"");
        go(&home, &["deployments", "add", "a", "--max-age", "500w"]).ends_with(0);
        go(&home, &["check", "a"]).ends_with(0);
        let words = "none of 1 record in the response can be used; the first: ";
        // The second asks nothing: by what is stored it is the same.
        for subject in ["a", "--all"] {
            let check = go(&home, &["check", subject]);
            assert_eq!(check.status, 3, "{check:#?}");
            check.prints(words);
        }
        go(&home, &["alarms"]).ends_with(0).says(words);
    }
}
