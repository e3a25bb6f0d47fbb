//! What commands say of alarms: of limits that are set, of deployments that are over, and
//! where nothing can be checked.

use crate::alarms::{LEFT, alarms, fixes, hook, told, unix_now, uuid, watching};
use crate::driver::home::Home;
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::exit_status::run;

fn set(home: &Home, arguments: &[&str]) -> String {
    let uuid = uuid(0);
    let all = [&["deployments", "set", &uuid], arguments].concat();
    Run::driftline(home, all).ends_with(0).stderr
}

#[test]
fn a_limit_that_is_set_is_judged_at_once_and_notified_once() {
    let home = watching(1, &hook("told", ""));
    set(&home, &["--inside", "none", "--max-age", "30d"]);
    // Outside for two days, and for some minutes.
    let long = [&[0.0, 1.0, 0.0, 2.0][..], &[240.0; 48]].concat();
    let service = {
        let body = fixes(&long, 300.0);
        Responder::new(move |_, _| Act::json(200, &body))
    };
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    set(&home, &["--inside", "60,5,200"]);
    assert_eq!(alarms(&home, &[]).len(), 1);
    assert_eq!(told(&home).len(), 1);
    set(&home, &["--max-age", "1min"]);
    assert_eq!(told(&home).len(), 2);
    assert_eq!(told(&home)[1]["kind"], "overdue");
    // Once.
    set(&home, &["--max-age", "1min"]);
    assert_eq!(told(&home).len(), 2);
}

#[test]
fn the_program_of_on_alarm_runs_after_the_output_of_a_command() {
    let left = fixes(&LEFT, 9.0 * 3600.0);
    let service = Responder::new(move |_, _| Act::json(200, &left));
    for command in [&["track"][..], &["map"]] {
        // The program tells what it sees of the output.
        let hook = "on_alarm = [\"sh\", \"-c\", \"cat > told; ls out.* >> seen\"]\n";
        let home = watching(1, hook);
        let output = match command {
            ["map"] => "out.svg",
            _ => "out.csv",
        };
        let deployment = uuid(0);
        let arguments = [command, &[&deployment, "--output", output]].concat();
        run(&home, &service, &arguments).ends_with(0);
        let seen = std::fs::read_to_string(home.file("seen")).unwrap();
        assert!(seen.contains(output), "{command:?}: {seen}");
    }
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
        .ends_with(0)
        .stdout;
    assert_eq!(
        listed.matches("Z: its time window ended 20").count(),
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
        .ends_with(0)
        .stderr;
    assert!(said.starts_with("snoozed for 7 s, until 20"), "{said}");
    assert!(said.contains(&format!("({id})")), "{said}");
    set(&home, &["--inside", "none"]);
    let said = Run::driftline(&home, ["ack", &id]).ends_with(1).stderr;
    assert!(said.starts_with("ended before: "), "{said}");
}

#[test]
fn newer_records_that_tell_no_place_leave_no_limit_well_and_are_named_by_a_silence() {
    // The time stands behind more members than an excerpt shows.
    let many: String = (0..20).map(|n| format!("\"f{n}\":\"{n:0>20}\",")).collect();
    let last = (unix_now() - 6.0 * 3600.0).floor();
    let record = |time: f64, latitude: &str| {
        format!(
            "{{{many}\"battery\":12,\"time_stamp\":{time},\"latitude\":{latitude},\"longitude\":5}}"
        )
    };
    let older = (0..1100).map(|n| record(last - 1e6 - f64::from(n), "null"));
    let good = (0..30).map(|n| record(last - 600.0 * f64::from(29 - n), "60"));
    let body = |newer: &[String]| {
        let all: Vec<String> = older.clone().chain(good.clone()).collect();
        format!("[{}]", [&all, newer].concat().join(","))
    };
    let lost: Vec<String> = (1..=6)
        .map(|n| record(last + 600.0 * f64::from(n), "null"))
        .collect();
    let ahead: Vec<String> = (1..=6)
        .map(|n| record(last + 40_000.0 + 600.0 * f64::from(n), "60"))
        .collect();
    for (newer, words) in [
        (lost, "6 newer records cannot be used: no position"),
        (ahead, "6 newer fixes are ahead of the clock"),
    ] {
        let home = watching(1, &hook("told", ""));
        set(&home, &["--max-age", "2d", "--below", "battery=3"]);
        let before = body(&[]);
        let after = body(&newer);
        let service = Responder::new(move |_, number| {
            Act::json(200, if number == 0 { &before } else { &after })
        });
        run(&home, &service, &["collect", "--once"]).ends_with(0);
        let check = run(&home, &service, &["check", &uuid(0)]);
        assert_eq!(check.status, 3, "{check:#?}");
        let line = check.stdout;
        for limit in ["the watch circle", "the limit battery below 3"] {
            let unjudged = format!("{limit} cannot be judged: {words}");
            assert!(line.contains(&unjudged), "{line}");
        }
        let listed = Run::driftline(&home, ["alarms"]).ends_with(0).stderr;
        assert!(listed.contains(words), "{listed}");
        // The clock alone raises the silence, and its text says what came since.
        set(&home, &["--max-age", "1h"]);
        let text = told(&home)[0]["text"].as_str().unwrap().to_owned();
        assert!(text.starts_with("overdue: no fix for "), "{text}");
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_number_that_is_sent_as_text_is_held_to_its_limit() {
    let home = watching(1, "");
    set(&home, &["--inside", "none", "--below", "battery=3"]);
    let numbers = fixes(&[0.0; 6], 300.0);
    let texts = numbers.replace("\"longitude\"", "\"battery\":\"2.5\",\"longitude\"");
    let service = Responder::new(move |_, _| Act::json(200, &texts));
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    let raised = alarms(&home, &[]);
    assert_eq!(raised.len(), 1, "{raised:#?}");
    assert_eq!(
        (&raised[0]["kind"], &raised[0]["value"]),
        (&"below".into(), &2.5.into())
    );
    let check = run(&home, &service, &["check", &uuid(0)]);
    assert_eq!(check.status, 2, "{check:#?}");
}

#[test]
fn a_second_round_asks_for_nothing_that_is_not_due() {
    let home = watching(5, "");
    let body = fixes(&[0.0; 8], 300.0);
    let service = Responder::new(move |_, _| Act::json(200, &body));
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    assert_eq!(service.requests().len(), 5);
    for command in [&["collect", "--once"][..], &["check", "--all"], &["latest"]] {
        run(&home, &service, command).ends_with(0);
        assert_eq!(service.requests().len(), 5, "{command:?}");
    }
}

#[test]
fn a_collector_without_a_standard_output_stores_what_comes() {
    let home = watching(1, "");
    let body = fixes(&[0.0; 8], 300.0);
    let service = Responder::new(move |_, _| Act::json(200, &body));
    Run::shell(&home, "\"$DRIFTLINE\" collect --once >&-")
        .at(service.base_url())
        .ends_with(0)
        .says("fetched deployment=");
    let stored = Run::driftline(&home, ["track", &uuid(0), "--offline"]);
    assert_eq!(stored.ends_with(0).stdout.lines().count(), 9);
    Run::driftline(&home, ["archive", "check"]).ends_with(0);
}
