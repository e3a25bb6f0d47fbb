//! Scans the typed arguments for what clap does not return if they do not parse: the command,
//! and if they choose JSON.

// A second, rough parse beside clap's, because an error of clap does not carry the matches so far:
// how to print the error (`--json`), and if it may be printed at all (`auth`), has to be known
// before anything parses.

use std::ffi::OsString;

use clap::CommandFactory;

use super::Arguments;

/// The arguments of the program up to `--`.
pub(in crate::cli) fn typed() -> impl Iterator<Item = String> {
    let arguments = with_group(std::env::args_os().collect());
    let texts = arguments.into_iter().skip(1);
    texts
        .map(|argument| argument.to_string_lossy().into_owned())
        .take_while(|argument| argument != "--")
}

/// The command line with `ack` and `snooze`, where no command is before them, in their group,
/// `alarms`.
pub(super) fn with_group(mut typed: Vec<OsString>) -> Vec<OsString> {
    let all = Arguments::command();
    let is_of_group = |word: &OsString| word == "ack" || word == "snooze";
    let is_command = |word: &OsString| is_of_group(word) || all.find_subcommand(word).is_some();
    if let Some(first) = typed.iter().position(is_command)
        && is_of_group(&typed[first])
    {
        typed.insert(first, "alarms".into());
    }
    typed
}

/// `true` if this word or flag is among the arguments.
pub(in crate::cli) fn is_typed(word: &str) -> bool {
    typed().any(|argument| argument == word)
}

/// The words of the command that the arguments name, such as `deployments` and `list`, for a
/// message: a value of an option before them may be mistaken for one.
pub(in crate::cli) fn typed_command() -> Vec<String> {
    let mut command = Arguments::command();
    let mut words = Vec::new();
    for argument in typed() {
        match command.find_subcommand(&argument).cloned() {
            Some(below) => {
                command = below;
                words.push(argument);
            }
            None if words.is_empty() => {}
            None => break,
        }
    }
    words
}

/// `true` if arguments that could not be parsed choose JSON.
pub(in crate::cli) fn asks_for_json() -> bool {
    let is_json = |format: &str| matches!(format.trim_start_matches('='), "json" | "ndjson");
    let mut arguments = typed();
    while let Some(argument) = arguments.next() {
        let mut flags = ["--format", "-f"].iter();
        let is_named = match flags.find_map(|flag| argument.strip_prefix(flag)) {
            Some("") => arguments.next().as_deref().is_some_and(is_json),
            Some(value) => is_json(value),
            None => argument == "--json",
        };
        if is_named {
            return true;
        }
    }
    false
}
