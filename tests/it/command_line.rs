//! The command line as it is typed: flags in any order, words that are missing, files that
//! are not there.

use crate::driver::home::Home;
use crate::exit_status::UUID;
use crate::typed::{run, service};

#[test]
fn flags_are_taken_before_their_command_too() {
    let (home, service) = (Home::new(), service());
    let add = ["deployments", "add", UUID, "--label", "buoy 7"];
    run(&home, &service, &add).ends_with(0);
    for (before, behind) in [
        (
            &["--json", "deployments", "list"][..],
            &["deployments", "list", "--json"][..],
        ),
        (
            &["-f", "json", "--format=json", "deployments", "list"],
            &["deployments", "list", "--format=json", "-f", "json"],
        ),
        (
            &[
                "--format",
                "ndjson",
                "--profile",
                "default",
                "track",
                "buoy 7",
            ],
            &["track", "buoy 7", "--format", "ndjson"],
        ),
        (
            &["--all", "alarms", "--json"],
            &["alarms", "--json", "--all"],
        ),
    ] {
        let (before, behind) = (run(&home, &service, before), run(&home, &service, behind));
        assert_eq!(
            (before.status, &before.stdout),
            (behind.status, &behind.stdout)
        );
    }
    // What no command takes is refused by the command.
    let told = run(&home, &service, &["--nosuch", "deployments", "list"])
        .ends_with(2)
        .stderr;
    assert!(
        told.contains("'--nosuch'") && told.contains("driftline deployments list"),
        "{told}"
    );
    let unknown = run(&home, &service, &["--json", "check", "--nosuch"]).stdout;
    assert!(
        unknown.contains("unexpected argument '--nosuch' found"),
        "{unknown}"
    );
}

#[test]
fn a_word_that_is_missing_is_told_where_it_is_found() {
    let (home, service) = (Home::new(), service());
    for (line, step) in [
        (&["ack"][..], "`driftline alarms`"),
        (&["alarms", "snooze"], "`driftline alarms`"),
        (&["plants", "delete"], "`driftline plants list`"),
        (&["where"], "`driftline deployments list`"),
        (&["track"], "`driftline deployments list`"),
    ] {
        let told = run(&home, &service, line).ends_with(2).stderr;
        assert!(told.contains(step), "{line:?}: {told}");
    }
    let line = run(&home, &service, &["check", "--deadline"]).stdout;
    assert!(
        line.contains("DRIFTLINE UNKNOWN - a value is required for '--deadline"),
        "{line}"
    );
}

#[test]
fn a_file_that_is_not_there_has_one_status() {
    let (home, service) = (Home::new(), service());
    let file = home.file("nosuch.csv").display().to_string();
    let area = home.file("nosuch.geojson").display().to_string();
    for line in [
        &["track", &file][..],
        &["map", &file, "--output", "a.svg"],
        &["deployments", "import", &file],
        &["plants", "import", &file],
        &["deployments", "add", UUID, "--inside", &area],
        &["demo", "--serve", "--tracks", &file],
        &["config", "show", "--config", &file],
    ] {
        run(&home, &service, line).ends_with(2);
    }
    assert_eq!(run(&home, &service, &["check", &file]).status, 3);
}

#[test]
fn a_plant_that_the_service_does_not_know_is_said_once() {
    let home = Home::new();
    let service = crate::driver::wire::Responder::json(
        404,
        r#"{"error":17,"message":"there is no plant with this id"}"#,
    );
    let told = run(&home, &service, &["plants", "delete", "nosuch", "--yes"])
        .ends_with(4)
        .stderr;
    assert!(told.contains("there is no plant with this id"), "{told}");
    assert!(!told.contains("There may be no plants"), "{told}");
}
