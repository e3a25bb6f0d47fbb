//! What packagers and scripts take from the program: manual pages, completions,
//! errors as objects.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::driver::home::Home;
use crate::driver::pty::{Setting, TAB, Terminal};
use crate::driver::run::Run;

#[test]
fn every_page_that_a_page_of_the_manual_names_is_made() {
    let home = Home::new();
    Run::driftline(&home, ["man", "--output", "share/man1"]).ends_with(0);
    let mut made = BTreeSet::new();
    let mut named = BTreeSet::new();
    for entry in std::fs::read_dir(home.file("share/man1")).unwrap() {
        let entry = entry.unwrap();
        made.insert(entry.file_name().into_string().unwrap());
        let page = std::fs::read_to_string(entry.path())
            .unwrap()
            .replace('\\', "");
        assert!(page.contains(".SH NAME"), "{page}");
        for (at, _) in page.match_indices("(1)") {
            let name = page[..at].rsplit(|one: char| !one.is_ascii_alphanumeric() && one != '-');
            let name = name.into_iter().next().unwrap();
            // A number in brackets that follows no name is none of a page.
            if !name.is_empty() {
                named.insert(format!("{name}.1"));
            }
        }
    }
    assert!(named.contains("driftline-plants-import.1"), "{named:?}");
    let missing: Vec<&String> = named.difference(&made).collect();
    assert_eq!(missing, [""; 0]);
    assert!(made.contains("driftline.1") && made.len() > 20, "{made:?}");
    // Alone on standard output it is the same first page.
    let page = Run::driftline(&home, ["man"]).ends_with(0).stdout;
    assert_eq!(
        page,
        std::fs::read_to_string(home.file("share/man1/driftline.1")).unwrap()
    );
    Run::driftline(&home, ["man", "--output", "share/man1/driftline.1"]).ends_with(1);
}

#[test]
fn bash_completes_files_where_a_command_or_a_flag_takes_one() {
    let home = Home::new();
    home.write("files/only one.csv", "id,name,tag\n");
    Run::shell(&home, "\"$DRIFTLINE\" completions bash > completions").ends_with(0);
    let terminal = Terminal::program(&home, "bash", &["--norc", "-i"], Setting::default());
    terminal.keys("PS1='> '; . ./completions; cd files; driftline() { printf 'got:%s;' \"$@\"; }; echo rea''dy\r");
    terminal.shows("ready");
    for (number, line) in [
        "plants import ",
        "plants import --dry-run ",
        "plants import on",
        "track --output ",
        "--config on",
        "map -o ",
    ]
    .iter()
    .enumerate()
    {
        terminal.keys(&format!("clear; driftline {line}{TAB}"));
        std::thread::sleep(std::time::Duration::from_millis(400));
        terminal.keys(&format!("; echo en''d{number}\r"));
        let screen = terminal.shows(&format!("end{number}"));
        assert!(screen.contains("got:only one.csv;"), "{line}\n{screen}");
    }
    // A flag is completed as before.
    terminal.keys(&format!(
        "clear; driftline plants import --dr{TAB}; echo fla''g\r"
    ));
    let screen = terminal.shows("flag");
    assert!(screen.contains("got:--dry-run;"), "{screen}");
}

#[test]
fn an_argument_that_is_wrong_is_an_object_too_where_json_is_wanted() {
    let home = Home::new();
    for arguments in [
        &["plants", "list", "--json", "--nope"][..],
        &["plants", "create", "--json"],
        &["plants", "list", "--json", "--timeout"],
        &["deployments", "list", "--json", "extra"],
        &["config", "show", "--json", "--profile"],
        &["plants", "--json"],
        &["track", "--format", "json"],
        &["track", "--format=ndjson"],
        &["auth", "login", "--json", "secret-of-mine"],
        // Beyond the parser, as before.
        &["track", "x", "--format", "json"],
    ] {
        let answer = Run::driftline(&home, arguments).ends_with(2);
        let last = answer.stderr.lines().last().unwrap();
        let object: Value = serde_json::from_str(last)
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {answer:#?}"));
        assert_eq!(object["error"]["kind"], "usage", "{arguments:?}");
        assert_eq!(object["error"]["code"], 2);
        let message = object["error"]["message"].as_str().unwrap();
        assert!(
            message.len() > 5 && !message.starts_with("error"),
            "{message}"
        );
        assert!(!answer.stderr.contains("secret-of-mine"));
        assert!(answer.stderr.lines().count() > 1, "{answer:#?}");
    }
    for arguments in [&["plants", "list", "--nope"][..], &["plants", "create"]] {
        let answer = Run::driftline(&home, arguments).ends_with(2);
        assert!(!answer.stderr.contains('{'), "{answer:#?}");
    }
}
