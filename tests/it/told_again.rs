//! What the program of `on_alarm` could not be told, it is told later.

use serde_json::Value;

use crate::alarms::{LEFT, fixes, hook, told, watching};
use crate::driver::home::Home;
use crate::driver::run::Answer;
use crate::driver::wire::{Act, Responder};
use crate::exit_status::with_token;

fn collect(home: &Home, service: &Responder) -> Answer {
    with_token(home, &service.base_url(), &["collect", "--once"]).go()
}

#[test]
fn what_a_program_could_not_be_told_it_is_told_when_it_can_be_once() {
    let failing = "on_alarm = [\"sh\", \"-c\", \"cat >> tried; kill -9 $$\"]\n";
    let home = watching(3, failing);
    let left = fixes(&LEFT, 300.0);
    let service = Responder::new(move |_, _| Act::json(200, &left));
    let failed = collect(&home, &service).ends_with(1);
    // Of three alarms and one reason.
    let said = failed.stderr.matches("the program of on_alarm").count();
    assert_eq!(said, 1, "{failed:#?}");
    assert!(failed.stderr.contains("signal: 9"), "{failed:#?}");
    // How many, and which.
    let all = "3 messages not told: raised: mooring ";
    assert!(failed.stderr.contains(all), "{failed:#?}");
    for number in 0..3 {
        let name = format!("raised: mooring {number}, outside");
        assert!(failed.stderr.contains(&name), "{failed:#?}");
    }
    let tried = std::fs::read_to_string(home.file("tried")).unwrap();
    assert_eq!(tried.lines().count(), 3);
    home.write(".config/driftline/config.toml", hook("told", ""));
    for _ in 0..2 {
        collect(&home, &service).ends_with(0);
    }
    let ids = |lines: &[Value]| {
        let mut ids: Vec<String> = lines.iter().map(|one| one["id"].to_string()).collect();
        ids.sort();
        ids
    };
    let tried: Vec<Value> = tried
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(ids(&told(&home)), ids(&tried));
    assert!(told(&home).iter().all(|one| one["event"] == "raised"));
}
