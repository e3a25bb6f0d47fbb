//! Scans the typed arguments for what clap does not return if they do not parse: the command,
//! and if they choose JSON.

// A second, rough parse beside clap's, because an error of clap does not carry the matches so far:
// how to print the error (`--json`), and if it may be printed at all (`auth`), has to be known
// before anything parses.

use std::ffi::OsString;
use std::ops::Range;

use clap::CommandFactory;

use super::{Arguments, Global};

/// The arguments of the program.
pub(in crate::cli) fn typed() -> Vec<OsString> {
    with_group(std::env::args_os().collect())
}

/// The command line with `ack` and `snooze` in their group, `alarms`.
pub(super) fn with_group(mut typed: Vec<OsString>) -> Vec<OsString> {
    let is_help = |index: &usize| typed.get(*index).is_some_and(|word| word == "help");
    let first = words(&typed).find(|index| !is_help(index));
    if let Some(index) = first
        && typed
            .get(index)
            .is_some_and(|word| word == "ack" || word == "snooze")
    {
        typed.insert(index, "alarms".into());
    }
    typed
}

/// `true` if the arguments name this command. For arguments that do not parse, this is
/// the only way to find the command.
pub(in crate::cli) fn asks_for(command: &str) -> bool {
    let typed = typed();
    command_words(&typed)
        .is_some_and(|words| typed.get(words.start).is_some_and(|word| word == command))
}

/// The words of the command that the arguments name, such as `deployments` and `list`.
pub(in crate::cli) fn typed_command() -> Vec<String> {
    let typed = typed();
    let words = command_words(&typed).and_then(|words| typed.get(words));
    let text = |word: &OsString| word.to_string_lossy().into_owned();
    words.unwrap_or_default().iter().map(text).collect()
}

/// The first argument that is neither an option nor a value of an option.
pub(in crate::cli) fn first_word() -> Option<String> {
    let typed = typed();
    let word = words(&typed).next().and_then(|index| typed.get(index));
    word.map(|word| word.to_string_lossy().into_owned())
}

/// The indices of the arguments that are neither options nor values of settings.
fn words(typed: &[OsString]) -> impl Iterator<Item = usize> {
    let settings = Global::with_values();
    let is_setting = move |argument: &OsString| settings.iter().any(|name| argument == &**name);
    let ends = |argument: &&OsString| **argument != "--";
    let mut is_value = false;
    let arguments = typed.iter().take_while(ends).enumerate().skip(1);
    arguments.filter_map(move |(index, argument)| {
        let is_word = !is_value && !argument.to_string_lossy().starts_with('-');
        is_value = !is_value && is_setting(argument);
        is_word.then_some(index)
    })
}

/// The indices of the words of a command, such as `deployments list`.
fn command_words(typed: &[OsString]) -> Option<Range<usize>> {
    let below = |command: &clap::Command, index: usize| {
        let word = typed.get(index)?.to_str()?;
        command.find_subcommand(word).cloned()
    };
    let all = Arguments::command();
    let (start, mut command) = words(typed).find_map(|index| Some((index, below(&all, index)?)))?;
    let mut end = start + 1;
    while let Some(next) = below(&command, end) {
        (command, end) = (next, end + 1);
    }
    Some(start..end)
}

/// `true` if this flag is among the arguments.
pub(in crate::cli) fn is_typed(flag: &str) -> bool {
    let arguments = std::env::args_os().skip(1);
    let mut flags = arguments.take_while(|argument| argument != "--");
    flags.any(|argument| argument == flag)
}

/// `true` if arguments that could not be parsed choose JSON.
pub(in crate::cli) fn asks_for_json() -> bool {
    let mut arguments = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .take_while(|argument| argument != "--");
    let is_json = |format: &str| matches!(format.trim_start_matches('='), "json" | "ndjson");
    while let Some(argument) = arguments.next() {
        let value = ["--format", "-f"]
            .iter()
            .find_map(|flag| argument.strip_prefix(flag));
        let is_named = match value {
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
