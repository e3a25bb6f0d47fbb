//! The whole watch list at once: the last fixes, and the check of all.

use serde_json::Value;

use crate::alarms::unix_now;
use crate::driver::SOON;
use crate::driver::home::Home;
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::exit_status::run;

const ONE: &str = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e101";
const TWO: &str = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e102";
const THREE: &str = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e103";
const FOUR: &str = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e104";

/// Hourly fixes, the last one so many seconds ago.
fn fixes(age_s: f64) -> String {
    let last = (unix_now() - age_s).floor();
    let fixes: Vec<String> = (0..6)
        .rev()
        .map(|back: i32| {
            let time = last - 3600.0 * f64::from(back);
            format!("{{\"time_stamp\":{time},\"latitude\":60.5,\"longitude\":-5.25}}")
        })
        .collect();
    format!("[{}]", fixes.join(","))
}

/// The first is on time, the second overdue, the third is refused, the fourth
/// never answers.
fn service() -> Responder {
    let (one, two) = (fixes(600.0), fixes(5.0 * 3600.0));
    Responder::new(move |request, _| match &request.target {
        target if target.contains(ONE) => Act::json(200, &one),
        target if target.contains(TWO) => Act::json(200, &two),
        target if target.contains(THREE) => Act::json(403, "{\"error\":403,\"message\":\"no\"}"),
        _ => Act::silence(),
    })
}

fn listed(home: &Home, uuids: &[&str]) {
    for uuid in uuids {
        let label = format!("buoy | {}", &uuid[uuid.len() - 1..]);
        Run::driftline(home, ["deployments", "add", uuid, "--label", &label]).ends_with(0);
    }
}

#[test]
fn check_all_sums_up_and_no_deployment_hides_another() {
    let (home, service) = (Home::new(), service());
    let none = run(&home, &service, &["check", "--all"]);
    assert_eq!(none.status, 3, "{none:#?}");
    listed(&home, &[ONE, TWO, THREE, FOUR]);
    let answer = run(&home, &service, &["check", "--all", "--deadline", "3s"]);
    assert_eq!(answer.status, 2, "{answer:#?}");
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert_eq!(lines.len(), 5, "{answer:#?}");
    let sum = "DRIFTLINE CRITICAL - 4 deployments: 1 CRITICAL, 2 UNKNOWN, 1 OK; \
               buoy / 2, buoy / 3, buoy / 4 | ";
    assert!(lines[0].starts_with(sum), "{answer:#?}");
    assert!(lines[0].contains(&format!("{ONE}_age=")), "{answer:#?}");
    assert!(lines[0].contains(&format!("{TWO}_age=")), "{answer:#?}");
    assert!(
        lines[1].starts_with("OK - buoy / 1: on time"),
        "{answer:#?}"
    );
    assert!(
        lines[2].starts_with("CRITICAL - buoy / 2: overdue"),
        "{answer:#?}"
    );
    assert!(lines[3].starts_with("UNKNOWN - buoy / 3: "), "{answer:#?}");
    assert!(lines[4].contains("no verdict within 3 s"), "{answer:#?}");
    assert!(answer.took < SOON, "{answer:#?}");
    // Nor if the others are not due, so that the archive answers for them.
    let again = run(&home, &service, &["check", "--all", "--deadline", "3s"]);
    assert_eq!(again.status, 2, "{again:#?}");
    let again: Vec<&str> = again.stdout.lines().collect();
    assert!(again[1].starts_with("OK - buoy / 1: on time"), "{again:#?}");
    assert!(again[2].starts_with("CRITICAL - buoy / 2: "), "{again:#?}");
    // What is recovered or lost is left out.
    for (uuid, state) in [(TWO, "recovered"), (FOUR, "lost")] {
        Run::driftline(&home, ["deployments", "set", uuid, "--state", state]).ends_with(0);
    }
    let answer = run(&home, &service, &["check", "--all"]);
    assert_eq!(answer.status, 3, "{answer:#?}");
    assert_eq!(answer.stdout.lines().count(), 3, "{answer:#?}");
    Run::driftline(&home, ["deployments", "remove", THREE]).ends_with(0);
    let answer = run(&home, &service, &["check", "--all", "--max-age", "5m"]);
    assert_eq!(answer.status, 2, "{answer:#?}");
    let answer = run(&home, &service, &["check", "--all"]).ends_with(0);
    assert!(
        answer
            .stdout
            .starts_with("DRIFTLINE OK - 1 deployment: 1 OK | ")
    );
    run(
        &home,
        &service,
        &["deployments", "set", ONE, "--state", "recovered"],
    )
    .ends_with(0);
    let answer = run(&home, &service, &["check", "--all"]).ends_with(0);
    let words =
        "DRIFTLINE OK - nothing to check: 3 deployments on the watch list, recovered or lost\n";
    assert_eq!(answer.stdout, words);
}

#[test]
fn check_takes_a_deployment_or_all_and_every_fault_is_3() {
    let (home, service) = (Home::new(), service());
    for arguments in [&["check"][..], &["check", ONE, "--all"]] {
        assert_eq!(run(&home, &service, arguments).status, 3, "{arguments:?}");
    }
    let archive = home.write("broken.db", "this is no archive".repeat(100));
    let arguments = ["check", "--all", "--archive", archive.to_str().unwrap()];
    assert_eq!(run(&home, &service, &arguments).status, 3);
}

#[test]
fn an_entry_that_is_damaged_leaves_the_others_readable() {
    let (home, service) = (Home::new(), service());
    listed(&home, &[ONE, TWO]);
    let archive = home.file(".local/share/driftline/archive.db");
    rusqlite::Connection::open(archive)
        .unwrap()
        .execute("UPDATE deployment SET uuid = 'x' WHERE uuid = ?1", [TWO])
        .unwrap();
    let answer = run(&home, &service, &["check", "--all"]);
    assert_eq!(answer.status, 3, "{answer:#?}");
    answer.prints("\nOK - buoy / 1: on time");
    answer.prints("\nUNKNOWN - an entry of the watch list");
}

#[test]
fn latest_has_a_row_for_each_and_of_the_archive_where_the_service_fails() {
    let (home, service) = (Home::new(), service());
    let empty = run(&home, &service, &["latest", "--format", "json"]).ends_with(0);
    assert_eq!(empty.stdout.trim(), "[]");
    listed(&home, &[ONE, TWO, THREE]);
    let rows = |answer: &Answer| -> Vec<Value> { serde_json::from_str(&answer.stdout).unwrap() };
    let answer = run(&home, &service, &["latest", "--format", "json"]);
    // The refused one has an empty row, and its kind is the exit status.
    assert_eq!(answer.status, 3, "{answer:#?}");
    let all = rows(&answer);
    assert_eq!(all.len(), 3);
    assert_eq!(
        (&all[0]["deployment"], &all[0]["health"]),
        (&ONE.into(), &"on time".into())
    );
    assert_eq!(
        (&all[1]["latitude"], &all[1]["health"]),
        (&60.5.into(), &"overdue".into())
    );
    assert!(all[2]["latitude"].is_null(), "{answer:#?}");
    // From the archive, without a request.
    let before = service.requests().len();
    let answer = run(
        &home,
        &service,
        &["latest", "--format", "json", "--offline"],
    );
    assert_eq!((answer.status, rows(&answer).len()), (1, 3), "{answer:#?}");
    assert_eq!(rows(&answer)[0]["time"], all[0]["time"]);
    assert_eq!(service.requests().len(), before);
    // The service is gone: rows of the archive, and the fault.
    let gone = Responder::new(|_, _| Act::hang_up());
    let answer = run(&home, &gone, &["latest", "--timeout", "2s"]);
    assert_eq!(answer.status, 5, "{answer:#?}");
    assert_eq!(answer.stdout.lines().count(), 4, "{answer:#?}");
    answer.prints(",60.5,");
    // The extension names the format.
    Run::driftline(&home, ["deployments", "remove", THREE]).ends_with(0);
    run(&home, &service, &["latest", "-o", "last.kml"]).ends_with(0);
    let kml = std::fs::read_to_string(home.file("last.kml")).unwrap();
    assert_eq!(kml.matches("<Placemark>").count(), 2);
}

#[test]
fn what_never_sent_is_overdue_by_its_maximum_age() {
    let home = Home::new();
    // Nothing at all, a fix that fails, and nothing yet within the time.
    let failed = "[{\"time_stamp\":1700000000,\"latitude\":0,\"longitude\":0}]";
    let service = Responder::new(move |request, _| match request.target.contains(TWO) {
        true => Act::json(200, failed),
        false => Act::json(200, "[]"),
    });
    listed(&home, &[ONE, TWO, THREE]);
    for (uuid, from) in [(ONE, "2026-01-01"), (TWO, "2023-01-01")] {
        let set = [
            "deployments",
            "set",
            uuid,
            "--max-age",
            "6h",
            "--from",
            from,
        ];
        Run::driftline(&home, set).ends_with(0);
    }
    let set = ["deployments", "set", THREE, "--max-age", "6h"];
    Run::driftline(&home, set).ends_with(0);
    for (uuid, status) in [(ONE, 2), (TWO, 2), (THREE, 3)] {
        let answer = run(&home, &service, &["check", uuid]);
        assert_eq!(answer.status, status, "{answer:#?}");
        let told = answer.stdout.contains("over its maximum age");
        assert_eq!(told, status == 2, "{answer:#?}");
    }
    for round in 0..2 {
        let all = run(&home, &service, &["check", "--all"]);
        assert_eq!(all.status, 2, "{round} {all:#?}");
        let critical = all
            .stdout
            .lines()
            .filter(|line| line.starts_with("CRITICAL"));
        assert_eq!(critical.count(), 2, "{round} {all:#?}");
    }
}

#[test]
fn two_services_with_the_same_deployment_in_an_archive_have_their_own_verdicts() {
    let (late, fresh) = (fixes(5.0 * 3600.0), fixes(600.0));
    let (a, b) = (Responder::json(200, &late), Responder::json(200, &fresh));
    let home = Home::new();
    run(&home, &a, &["deployments", "add", ONE, "--label", "a"]).ends_with(0);
    run(&home, &a, &["collect", "--once"]).ends_with(0);
    let alarms = || {
        let raised = run(&home, &a, &["alarms", "--json"]).ends_with(0).stdout;
        raised.matches("\"overdue\"").count()
    };
    assert_eq!(alarms(), 1);
    let at_a = format!("1 deployment added under {}", a.base_url());
    let check_all = |service: &Responder, status: i32| {
        let answer = run(&home, service, &["check", "--all"]);
        assert_eq!(answer.status, status, "{answer:#?}");
        answer
    };
    // The list of the other is empty, and each command says why.
    let of_b = check_all(&b, 3);
    of_b.prints(&at_a);
    for command in [
        &["deployments", "list"][..],
        &["latest"],
        &["collect", "--once"],
    ] {
        let answer = run(&home, &b, command).ends_with(0);
        answer.says(&at_a);
        answer.says("deployments add UUID");
        assert!(!answer.stdout.contains(ONE), "{answer:#?}");
    }
    let every = ["deployments", "list", "--all-services"];
    run(&home, &b, &every).ends_with(0).prints(ONE);
    assert!(b.requests().is_empty());
    // By its id it has the verdict of the service in use, which leaves no trace.
    run(&home, &b, &["check", ONE]).ends_with(0);
    run(&home, &b, &["track", ONE]).ends_with(0);
    // What is archived of it is of the other service.
    run(&home, &b, &["track", ONE, "--offline"]).ends_with(1);
    home.let_a_day_pass();
    assert_eq!(alarms(), 1);
    check_all(&a, 2);
    assert_eq!(alarms(), 1);
    // A profile of the settings file that asks for it needs no words.
    let profile = format!("[profile.a]\nbase_url = \"{}/\"\n", a.base_url());
    let file = home.write(".config/driftline/config.toml", profile);
    let of_b = run(&home, &b, &["latest"]).ends_with(0);
    assert!(!of_b.stderr.contains(&at_a), "{of_b:#?}");
    std::fs::remove_file(file).unwrap();

    // Adding it again moves it with its settings, and that is not silent either.
    let moved = run(&home, &b, &["deployments", "add", ONE]).ends_with(0);
    let words = format!("1 deployment moved here from {}", a.base_url());
    moved.says(&words);
    home.let_a_day_pass();
    check_all(&b, 0).prints("OK - a: on time");
    assert_eq!(alarms(), 0);
    check_all(&a, 3).prints(&b.base_url());
    // So does a list.
    let list = home.write("list.csv", format!("uuid\n{ONE}\n"));
    let import = ["deployments", "import", list.to_str().unwrap()];
    let moved = run(&home, &a, &import).ends_with(0);
    moved.says("1 added");
    moved.says("1 deployment moved here");
}

#[test]
fn a_uuid_of_the_services_of_two_profiles_is_two_deployments() {
    let (late, fresh) = (fixes(5.0 * 3600.0), fixes(600.0));
    let (a, b) = (Responder::json(200, &late), Responder::json(200, &fresh));
    let home = Home::new();
    let profile = |name, service: &Responder| {
        format!("[profile.{name}]\nbase_url = \"{}\"\n", service.base_url())
    };
    home.write(
        ".config/driftline/config.toml",
        profile("a", &a) + &profile("b", &b),
    );
    let run = |profile, arguments: &[&str]| {
        let arguments = [&["--profile", profile][..], arguments].concat();
        let run = Run::driftline(&home, arguments);
        run.env("DRIFTLINE_TOKEN", "s3cret").go()
    };
    let add = |profile| run(profile, &["deployments", "add", ONE, "--label", profile]);
    add("a").ends_with(0);
    run("a", &["collect", "--once"]).ends_with(0);
    let added = add("b").ends_with(0);
    assert!(!added.stderr.contains("moved"), "{added:#?}");
    added.says(ONE);
    run("b", &["collect", "--once"]).ends_with(0);
    for (profile, status) in [("a", 2), ("b", 0)] {
        // Its own list has it, by its label, its UUID and the beginning of that.
        let list = run(profile, &["deployments", "list"]).ends_with(0).stdout;
        let lines: Vec<&str> = list.lines().filter(|line| line.contains(ONE)).collect();
        assert_eq!(lines.len(), 1, "{list}");
        assert!(lines[0].contains(&format!(" {profile} ")) || lines[0].ends_with(profile));
        for name in [profile, ONE, &ONE[..8]] {
            let answer = run(profile, &["check", name]);
            assert_eq!(answer.status, status, "{name} {answer:#?}");
        }
        let track = run(profile, &["track", ONE, "--offline", "--format", "csv"]);
        let track = track.ends_with(0).stdout;
        assert_eq!(track.lines().count(), 1 + 6, "{track}");
    }
    let every = ["deployments", "list", "--all-services", "--json"];
    let every = run("a", &every).ends_with(0).stdout;
    for service in [&a, &b] {
        let member = format!("\"service\":\"{}\"", service.base_url());
        assert!(every.contains(&member), "{every}");
    }
    let alarms = run("a", &["alarms", "--json"]).ends_with(0).stdout;
    assert_eq!(alarms.matches("\"overdue\"").count(), 1, "{alarms}");
    // Both see it, and whose it is.
    let elsewhere = format!("a at {}", a.base_url());
    for (profile, names_service) in [("a", false), ("b", true)] {
        let told = run(profile, &["alarms"]).ends_with(0).stdout;
        assert_eq!(told.contains(&elsewhere), names_service, "{told}");
    }
    let asked = |service: &Responder| {
        let path = format!("/public/deployment/data/{ONE}");
        (service.requests().iter()).all(|request| request.target == path)
    };
    assert!(asked(&a) && asked(&b));
    // Each stays itself after the other is gone, and without the other's profile.
    run("a", &["deployments", "remove", ONE]).ends_with(0);
    home.write(".config/driftline/config.toml", profile("b", &b));
    add("b").ends_with(0).says("unchanged");
    run("b", &["check", "--all"]).ends_with(0);
}

#[test]
fn what_was_added_without_a_service_belongs_to_each() {
    let home = Home::new();
    listed(&home, &[ONE]);
    for service in [service(), service()] {
        run(&home, &service, &["check", "--all"])
            .ends_with(0)
            .prints("buoy / 1: on time");
    }
}

#[test]
fn the_check_of_all_says_that_the_service_fails_while_nothing_is_due() {
    let fresh = fixes(600.0);
    let service = Responder::new(move |_, number| match number {
        0 | 1 => Act::json(200, &fresh),
        _ => Act::json(401, "{}"),
    });
    let home = Home::new();
    listed(&home, &[ONE, TWO]);
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    let before = run(&home, &service, &["check", "--all"]).ends_with(0);
    assert!(!before.stdout.contains("refuses"), "{before:#?}");
    for uuid in [ONE, TWO] {
        run(&home, &service, &["track", uuid]).ends_with(3);
    }
    let asked = service.requests().len();
    let after = run(&home, &service, &["check", "--all"]);
    assert_eq!(after.status, 3, "{after:#?}");
    let words = format!("2 OK; {} refuses the token (401)", service.base_url());
    after.prints(&words);
    assert_eq!(service.requests().len(), asked);
    let json = run(&home, &service, &["check", "--all", "--json"]);
    assert_eq!(json.status, 3, "{json:#?}");
    json.says("refuses the token");
}
