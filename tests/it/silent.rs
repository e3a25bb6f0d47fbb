//! Deployments of which nothing comes: not found at their service, or not due.

use serde_json::Value;

use crate::driver::home::Home;
use crate::driver::wire::{Act, Responder};
use crate::mapped::{DATASETTE, go, home, rows};

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
