//! Lines that are mistyped: refused in one paragraph that says what was meant.

use crate::driver::home::Home;
use crate::exit_status::UUID;
use crate::typed::{run, service};

#[test]
fn a_command_that_a_group_does_not_have_gets_those_of_the_group() {
    let (home, service) = (Home::new(), service());
    for (line, told) in [
        (
            &["deployments", "remov", "x"][..],
            "`driftline deployments remove`",
        ),
        (&["alarms", "snoze"], "`driftline alarms snooze`"),
        (&["moor", "track"], "`driftline track moor`"),
        (&["status"], "`driftline auth status`"),
        (
            &["config", "set", "base_url", "x"],
            "`driftline config --help`",
        ),
        (&["archive", "backup"], "`driftline archive --help`"),
        (&["xyzzy", "moor"], "`driftline --help`"),
    ] {
        let answer = run(&home, &service, line).ends_with(2).stderr;
        assert!(answer.contains(told), "{line:?}: {answer}");
        assert!(!answer.contains("show`"), "{line:?}: {answer}");
    }
}

#[test]
fn what_the_parser_refuses_is_one_paragraph_of_driftline() {
    let (home, service) = (Home::new(), service());
    let add = ["deployments", "add", UUID, "--label", "buoy 7"];
    run(&home, &service, &add).ends_with(0);
    for line in [
        &["latest", "--all"][..],
        &["latest", "--format", "ndjson"],
        &["collect", "--workers", "x"],
        &["alarms", "ack"],
        &["deployments", "set", "buoy 7", "--max-age", "-3h"],
        &["latest", "--json", "--format", "csv"],
        &["where", "buoy 7", "--short", "--json"],
        &["demo", "--serve", "moor"],
    ] {
        let answer = run(&home, &service, line).ends_with(2);
        let lines: Vec<&str> = answer.stderr.lines().collect();
        let prose = lines.iter().filter(|line| !line.starts_with('{'));
        let prose: Vec<_> = prose.collect();
        assert!(
            prose.len() == 1 && prose[0].starts_with("driftline: "),
            "{line:?}: {answer:?}"
        );
        assert!(!answer.stderr.contains("-- --"), "{answer:?}");
    }
    // With the reason where a monitoring system reads it.
    for line in [
        &["check", "--quiet", "moor"][..],
        &["check", "-a"],
        &["--format", "csv", "check", "moor"],
        &["--max-age", "6", "check", "moor"],
        &["moor", "check"],
    ] {
        let answer = run(&home, &service, line);
        assert_eq!(answer.status, 3, "{answer:?}");
        let told = answer.stdout.strip_prefix("DRIFTLINE UNKNOWN - ");
        let flag = line.iter().find(|word| word.starts_with('-'));
        let named = told.is_some_and(|told| told.contains(flag.unwrap_or(&"command 'check'")));
        assert!(named, "{line:?}: {answer:?}");
    }
    // `check` as another word is not the plugin.
    for line in [
        &["archive", "check", "--bogus"][..],
        &["track", "check", "--bogus"],
        &["plants", "list", "--tag", "check", "--bogus"],
        &["--profile", "check", "track", "--bogus"],
    ] {
        let answer = run(&home, &service, line).ends_with(2);
        assert!(answer.stdout.is_empty(), "{line:?}: {answer:?}");
    }
    // A word after `auth` may be a token.
    let told = run(&home, &service, &["auth", "tok-5Zz"])
        .ends_with(2)
        .stderr;
    assert!(
        !told.contains("tok-5Zz") && told.contains("auth login"),
        "{told}"
    );
    // A group alone is its help, and what is missing.
    let plants = run(&home, &service, &["plants"]).ends_with(2).stderr;
    assert!(
        plants.contains("Usage: driftline plants")
            && plants.ends_with("Add one of create, delete, list, log, resolve, import, export.\n"),
        "{plants}"
    );
}

#[test]
fn a_refusal_names_what_was_typed_or_set() {
    let home = Home::new();
    let refusing = crate::driver::wire::Responder::json(401, "{}");
    let told = run(&home, &refusing, &["track", UUID]).ends_with(3).stderr;
    assert!(
        told.contains("The token in DRIFTLINE_TOKEN is wrong") && told.contains("unset"),
        "{told}"
    );
    let service = service();
    for line in [
        &["latest", "a.csv"][..],
        &["where", "a.csv"],
        &["deployments", "remove", "a.csv"],
    ] {
        let told = run(&home, &service, line).ends_with(2).stderr;
        assert!(told.contains("'a.csv' is a file"), "{line:?}: {told}");
    }
    let label = ["deployments", "add", UUID, "--label", "Glider Newport"];
    run(&home, &service, &label).ends_with(0);
    let told = run(&home, &service, &["--base-url", "localhost:1", "latest"])
        .ends_with(2)
        .stderr;
    assert!(told.contains("--base-url cannot be used"), "{told}");
    let told = run(&home, &service, &["--config", "nosuch.toml", "latest"])
        .ends_with(2)
        .stderr;
    assert!(told.contains("there is no such file"), "{told}");
    let told = run(&home, &service, &["check", "glider", "newport"]).stdout;
    let meant = "Did you mean \"Glider Newport\"?";
    assert_eq!(told.matches(meant).count(), 2, "{told}");
    let table = run(&home, &service, &["where", UUID, "--at", "6h"])
        .ends_with(0)
        .stdout;
    assert!(
        table.lines().next().unwrap().ends_with(" UTC, 6 h ago"),
        "{table}"
    );
    // A limit that cannot be judged is on the line, and not on standard error too.
    let limit = ["deployments", "set", UUID, "--below", "battery=11.5 V"];
    run(&home, &service, &limit).ends_with(0);
    for line in [&["check", UUID][..], &["check", UUID, UUID]] {
        let check = run(&home, &service, line);
        let told = "cannot be judged";
        assert!(
            check.stdout.contains(told) && !check.stderr.contains(told),
            "{check:?}"
        );
    }
    let told = run(&home, &service, &["deployments", "import", "nosuch.csv"])
        .ends_with(2)
        .stderr;
    assert!(
        told.contains("there is no such file. Check the path."),
        "{told}"
    );
}
