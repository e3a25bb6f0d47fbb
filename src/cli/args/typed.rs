//! Scans the typed arguments for what clap does not return if they do not parse: the command,
//! and if they choose JSON.

// A second, rough parse next to clap's, because an error of clap does not carry the matches so far:
// how to print the error (`--json`), and if it may be printed at all (`auth`), has to be known
// before anything parses.

use std::borrow::Cow;
use std::ffi::OsString;

use clap::CommandFactory;

use super::{Arguments, Global};

/// The arguments of the program up to `--`.
fn typed() -> Vec<String> {
    texts(&with_group(std::env::args_os().collect()))
}

fn texts(arguments: &[OsString]) -> Vec<String> {
    let texts = arguments.iter().map(|text| text.to_string_lossy());
    texts
        .take_while(|text| text != "--")
        .map(Cow::into_owned)
        .collect()
}

/// The command line with `ack` and `snooze` in their group, `alarms`.
pub(super) fn with_group(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let typed = texts(&arguments);
    let first = words(&typed).find(|(_, word)| *word != "help");
    if let Some((index, "ack" | "snooze")) = first {
        arguments.insert(index, "alarms".into());
    }
    arguments
}

/// The arguments that are neither options nor values of settings, with their indices.
fn words(typed: &[String]) -> impl Iterator<Item = (usize, &str)> {
    let settings = Global::with_values();
    let mut is_value = false;
    let arguments = typed.iter().enumerate().skip(1);
    arguments.filter_map(move |(index, argument)| {
        let is_word = !is_value && !argument.starts_with('-');
        is_value = !is_value && settings.contains(argument);
        is_word.then_some((index, argument.as_str()))
    })
}

/// The words of the command that the arguments name, such as `deployments` and `list`; none for
/// `help`.
pub(in crate::cli) fn typed_command() -> Vec<String> {
    match first_word().as_deref() {
        Some("help") => Vec::new(),
        _ => command_of_help(),
    }
}

/// As [`typed_command`], for `help` those of the command that it is about.
pub(in crate::cli) fn command_of_help() -> Vec<String> {
    let typed = typed();
    let mut command = Arguments::command();
    let mut names = Vec::new();
    for (_, word) in words(&typed).filter(|(_, word)| *word != "help") {
        match command.find_subcommand(word).cloned() {
            Some(below) => {
                names.push(below.get_name().to_owned());
                command = below;
            }
            None if names.is_empty() => {}
            None => break,
        }
    }
    names
}

/// `true` if the arguments name this command.
pub(in crate::cli) fn asks_for(command: &str) -> bool {
    typed_command()
        .first()
        .is_some_and(|first| first == command)
}

/// The first argument that is neither an option nor a value of an option.
pub(in crate::cli) fn first_word() -> Option<String> {
    let typed = typed();
    words(&typed).next().map(|(_, word)| word.to_owned())
}

/// `true` if this flag is among the arguments.
pub(in crate::cli) fn is_typed(flag: &str) -> bool {
    typed().iter().skip(1).any(|argument| argument == flag)
}

/// `true` if arguments that could not be parsed choose JSON.
pub(in crate::cli) fn asks_for_json() -> bool {
    let is_json = |format: &str| matches!(format.trim_start_matches('='), "json" | "ndjson");
    let mut is_format = false;
    typed().iter().skip(1).any(|argument| {
        let value = argument
            .strip_prefix("--format")
            .or_else(|| argument.strip_prefix("-f"))
            .unwrap_or_default();
        let is_named = argument == "--json" || is_json(value) || is_format && is_json(argument);
        is_format = matches!(argument.as_str(), "--format" | "-f");
        is_named
    })
}
