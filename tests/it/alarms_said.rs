//! What commands say of alarms: of limits that are set, of deployments that are over, and
//! where nothing can be checked.

use crate::alarms::{LEFT, alarms, fixes, hook, told, unix_now, uuid, watching};
use crate::driver::home::Home;
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::exit_status::with_token;

fn run(home: &Home, service: &Responder, arguments: &[&str]) -> Answer {
    with_token(home, &service.base_url(), arguments).go()
}

fn set(home: &Home, arguments: &[&str]) -> String {
    let uuid = uuid(0);
    let all = [&["deployments", "set", &uuid], arguments].concat();
    Run::driftline(home, all).go().ends_with(0).stderr
}

#[test]
fn a_limit_that_is_set_says_what_it_raises_and_tells_it_from_then_on() {
    let home = watching(1, &hook("told", ""));
    set(&home, &["--inside", "none", "--max-age", "30d"]);
    // Outside for two days, and for some minutes.
    let long = [&[0.0, 1.0, 0.0, 2.0][..], &[240.0; 48]].concat();
    let service = {
        let body = fixes(&long, 300.0);
        Responder::new(move |_, _| Act::json(200, &body))
    };
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    let said = set(&home, &["--inside", "60,5,200"]);
    assert!(said.contains("is raised, since 20"), "{said}");
    assert!(said.contains("outside its watch circle: 240 m"), "{said}");
    assert!(said.contains("on_alarm is told"), "{said}");
    assert_eq!(alarms(&home, &[]).len(), 1);
    assert_eq!(told(&home).len(), 1);
    let said = set(&home, &["--max-age", "1min"]);
    assert!(said.contains("no fix for 5 min"), "{said}");
    assert!(said.contains("on_alarm is told"), "{said}");
    assert_eq!(told(&home).len(), 2);
    assert_eq!(told(&home)[1]["kind"], "overdue");
    // Once.
    let said = set(&home, &["--max-age", "1min"]);
    assert!(!said.contains("is raised"), "{said}");
}

#[test]
fn a_deployment_that_is_over_is_well_and_is_not_asked_for_by_check() {
    let home = watching(1, "");
    let left = fixes(&LEFT, 9.0 * 3600.0);
    let service = Responder::new(move |_, _| Act::json(200, &left));
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    assert_eq!(alarms(&home, &[]).len(), 2);
    let until = format!("{:.0}", unix_now() - 3600.0);
    set(&home, &["--until", &until]);
    assert_eq!(alarms(&home, &[]).len(), 0);
    let listed = Run::driftline(&home, ["alarms", "--all"])
        .go()
        .ends_with(0)
        .stdout;
    assert_eq!(
        listed.matches("; ended: its time window ended 20").count(),
        2,
        "{listed}"
    );
    let asked = service.requests().len();
    let one = run(&home, &service, &["check", &uuid(0)])
        .ends_with(0)
        .stdout;
    assert!(
        one.starts_with("DRIFTLINE OK - mooring 0: its time window ended 20"),
        "{one}"
    );
    let all = run(&home, &service, &["check", "--all"])
        .ends_with(0)
        .stdout;
    assert!(
        all.contains("\nOK - mooring 0: its time window ended 20"),
        "{all}"
    );
    assert_eq!(service.requests().len(), asked);
}

#[test]
fn a_check_without_a_service_says_what_to_set() {
    let home = watching(1, "");
    for arguments in [["check", "--all"], ["check", &uuid(0)]] {
        let answer = Run::driftline(&home, arguments).go();
        assert_eq!(answer.status, 3, "{answer:#?}");
        let line = &answer.stdout;
        assert!(
            line.starts_with("DRIFTLINE UNKNOWN - no service is set"),
            "{line}"
        );
        assert!(line.contains("Set base_url in "), "{line}");
    }
}

#[test]
fn what_was_understood_of_a_snooze_is_said() {
    let home = watching(1, "");
    let left = fixes(&LEFT, 300.0);
    let service = Responder::new(move |_, _| Act::json(200, &left));
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    let id = alarms(&home, &[])[0]["id"].as_str().unwrap().to_owned();
    let said = Run::driftline(&home, ["snooze", &id, "7s"])
        .go()
        .ends_with(0)
        .stderr;
    let words = format!("alarm {id} is snoozed for 7 s, until 20");
    assert!(said.contains(&words), "{said}");
    set(&home, &["--inside", "none"]);
    let said = Run::driftline(&home, ["ack", &id]).go().ends_with(1).stderr;
    assert!(
        said.contains("has ended and cannot be acknowledged: it was cleared 20"),
        "{said}"
    );
}
