//! The manual compared with the command line.

use std::collections::BTreeSet;

use clap::{Command, CommandFactory, Parser};

use super::args::Arguments;
use super::output::status;
use crate::failure::FailureKind;
use crate::testing::code_blocks;
use crate::testing::manual::{documented, part_is, table};

/// Every kind of failure.
const KINDS: [FailureKind; 9] = [
    FailureKind::Other,
    FailureKind::Usage,
    FailureKind::NotAuthenticated,
    FailureKind::Forbidden,
    FailureKind::Service,
    FailureKind::Unreachable,
    FailureKind::NotUnderstood,
    FailureKind::OutcomeUnknown,
    FailureKind::Interrupted,
];

#[test]
fn the_manual_lists_the_exit_statuses_of_the_program() {
    let documented = documented("src/failure.rs", "FailureKind");
    assert_eq!(documented.len(), KINDS.len(), "a kind is new: add it above");
    let mut rows = vec![vec![
        "0".to_owned(),
        String::new(),
        "Done. Also if the reader of a pipe closes it.".to_owned(),
    ]];
    for (kind, (name, comment)) in KINDS.into_iter().zip(documented) {
        assert_eq!(format!("{kind:?}"), name);
        let status = status(kind);
        // The comment ends with the status that it is about.
        let meaning = comment
            .replace(&format!(" ({status})"), "")
            .replace("not listed below", "not listed here");
        rows.push(vec![
            status.to_string(),
            format!("`{}`", kind.name()),
            meaning,
        ]);
    }
    let made = table(&["status", "`kind` in JSON", "meaning"], &rows);
    part_is("exit-status.md", "exit statuses", &made);
}

/// The commands below one that its help lists.
fn listed(command: &Command) -> impl Iterator<Item = &Command> {
    let below = command.get_subcommands();
    below.filter(|below| !below.is_hide_set() && below.get_name() != "help")
}

#[test]
fn the_manual_lists_every_command() {
    let rows: Vec<Vec<String>> = listed(&super::args::help::command())
        .map(|command| {
            let below: Vec<String> = listed(command)
                .map(|below| format!("`{}`", below.get_name()))
                .collect();
            let about = command.get_about().map(ToString::to_string);
            vec![
                format!("`{}`", command.get_name()),
                about.unwrap_or_default(),
                below.join(" "),
            ]
        })
        .collect();
    let made = table(&["command", "does", "commands below it"], &rows);
    part_is("commands.md", "commands", &made);
}

/// The words of a line of a shell; `None` for one that is no simple command.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for one in line.chars() {
        match (quote, one) {
            (None, ' ') => words.push(String::new()),
            (None, '"' | '\'') => quote = Some(one),
            (None, '#' | '|' | '>' | '<' | ';' | '&')
                if words.last().is_some_and(String::is_empty) =>
            {
                break;
            }
            (Some(open), one) if open == one => quote = None,
            (_, one) => words.last_mut().unwrap().push(one),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_command_in_the_manual_is_one_that_the_program_takes() {
    let mut count = 0;
    let pages = code_blocks::pages();
    for (name, page) in pages.into_iter().chain(code_blocks::pages_beside()) {
        for block in code_blocks::blocks(&name, &page) {
            let lines = block.text.replace("\\\n", " ");
            for line in lines.lines().filter(|_| block.language == "sh") {
                let words = words(line);
                // `NAME=value` and `sudo` may stand before the program.
                let start = words.iter().position(|word| word == "driftline");
                let is_program = start.is_some_and(|start| {
                    let before = words.iter().take(start);
                    let mut before = before.filter(|word| !word.contains('='));
                    before.next().is_none()
                });
                if !is_program {
                    continue;
                }
                let parsed = Arguments::try_parse_from(&words[start.unwrap_or_default()..]);
                if let Err(error) = parsed {
                    assert!(!error.use_stderr(), "{}: {line}\n{error}", block.place);
                }
                count += 1;
            }
        }
    }
    assert!(count >= 20, "{count} commands");
}

#[test]
fn the_page_of_the_program_has_every_status_and_variable() {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let (_, page) = super::packaging::page(&command).unwrap();
    let page = String::from_utf8(page).unwrap();
    for kind in KINDS {
        let status = match status(kind) {
            130 => "129, 130, 143".to_owned(),
            status => status.to_string(),
        };
        assert!(page.contains(&format!(".TP\n{status}\n")), "{status}");
    }
    let path = code_blocks::folder().join("settings.md");
    let settings = std::fs::read_to_string(path).unwrap();
    let named: BTreeSet<&str> = settings
        .split('`')
        .filter(|word| word.starts_with("DRIFTLINE_") && !word.contains('='))
        .collect();
    for name in &named {
        assert!(page.contains(&format!("\\fB{name}\\fR\n")), "{name}");
    }
    assert_eq!(named.len(), 8);
}
