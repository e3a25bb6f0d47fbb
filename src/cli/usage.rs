//! The messages for command lines that do not parse: clap's own, and what to do next.

// clap's own suggestion is not enough: it knows commands of one level alone (`driftline list` is
// `deployments list`), and for `--lat-column` it proposes `--time-column`. Its message also prints what was typed, which after `auth` may be a
// token. What is its own here is which words are meant (`near`) and what to do next.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use super::args::Arguments;
use super::args::typed::{asks_for, first_word, typed_command};
use super::near::{named, near, near_flag, near_in_group};
use crate::failure::Failure;
use crate::text;

/// The failure for arguments that do not parse.
pub(super) fn failure(error: &clap::Error) -> Failure {
    if asks_for("auth") && !is_group_alone(error) {
        return of_auth(error);
    }
    if let Some(failure) = no_command(error) {
        return failure;
    }
    refused(error, &typed_command())
}

/// `true` for a group of commands, such as `plants`, without one of them.
pub(super) fn is_group_alone(error: &clap::Error) -> bool {
    error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// The failure of `auth`: any argument typed there may be a token, so none is printed.
fn of_auth(error: &clap::Error) -> Failure {
    let near = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => near_in_group(&["auth".to_owned()], word),
        _ => Vec::new(),
    };
    if !near.is_empty() {
        return Failure::usage("`auth` has no such command").with_hint(did_you_mean(&near));
    }
    Failure::usage("`auth` does not accept this argument").with_hint("A token is never given on the command line, where others can read it: run `driftline auth login` and paste it, or pipe it in. `driftline auth --help` lists its commands.")
}

/// The failure for an unknown command.
fn no_command(error: &clap::Error) -> Option<Failure> {
    let unknown = error.get(ContextKind::InvalidSubcommand);
    match (error.kind(), unknown) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(word))) => {
            let group = typed_command();
            if group.is_empty() {
                let hint = "`driftline --help` lists the commands.";
                return Some(mistyped(word).unwrap_or_else(|| not_a_command(word, hint)));
            }
            let near = near_in_group(&group, word);
            let group = group.join(" ");
            let lists = format!("`driftline {group} --help` lists the commands of `{group}`.");
            Some(if near.is_empty() {
                not_a_command(word, lists)
            } else {
                not_a_command(word, did_you_mean(&near))
            })
        }
        _ => first_word().as_deref().and_then(mistyped),
    }
}

/// The failure for a first word that is like a command.
pub(super) fn mistyped(word: &str) -> Option<Failure> {
    let near = near(word);
    (!is_command(word) && !near.is_empty()).then(|| not_a_command(word, did_you_mean(&near)))
}

/// The failure of the dashboard for several words that are not all files.
pub(super) fn several_words(words: &[String]) -> Failure {
    let first = words.first().map_or("", String::as_str);
    if let Some(command) = words.iter().find(|word| is_command(word)) {
        let rest = words.iter().filter(|word| *word != command);
        let quoted = rest.map(|word| {
            if word.contains(' ') {
                format!("\"{word}\"")
            } else {
                word.clone()
            }
        });
        let line = format!(
            "driftline {command} {}",
            quoted.collect::<Vec<_>>().join(" ")
        );
        let what = format!("the command '{command}' is behind another word");
        return Failure::usage(what).with_hint(did_you_mean(&[text::excerpt(&line, 200)]));
    }
    mistyped(first).unwrap_or_else(|| {
        let first = text::excerpt(first, 80);
        let what = format!(
            "'{first}' is no command, and the dashboard opens on one deployment, or on files"
        );
        let hint =
            "`driftline --help` lists the commands; a label with blanks goes in quotation marks.";
        Failure::usage(what).with_hint(hint)
    })
}

fn is_command(word: &str) -> bool {
    let all = Arguments::command();
    all.get_subcommands()
        .any(|command| command.get_name() == word)
}

fn not_a_command(word: &str, hint: impl Into<String>) -> Failure {
    let what = format!("'{}' is no command", text::excerpt(word, 40));
    Failure::usage(what).with_hint(hint)
}

fn did_you_mean(near: &[String]) -> String {
    format!("Did you mean `{}`?", near.join("` or `"))
}

/// The failure of a command: clap's message, and what helps. `words` are those of the command.
fn refused(error: &clap::Error, words: &[String]) -> Failure {
    let command = if words.is_empty() {
        "driftline".to_owned()
    } else {
        format!("driftline {}", words.join(" "))
    };
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand
    ) {
        let group = named(words);
        let names = group.get_subcommands().map(Command::get_name);
        let names: Vec<&str> = names.filter(|name| *name != "help").collect();
        let what = format!("`{command}` is a group of commands");
        let hint = format!("Add one of {}.", names.join(", "));
        return Failure::usage(what).with_hint(hint);
    }
    let hint =
        hint(error, words).unwrap_or_else(|| format!("`{command} --help` lists what it takes."));
    Failure::usage(message(error)).with_hint(hint)
}

/// The first paragraph of clap's message.
fn message(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let lines = rendered.lines().map(str::trim);
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let message = lines.join(" ");
    text::excerpt(message.trim_start_matches("error: "), 300)
}

/// The next step after a mistake; `None` without special advice.
fn hint(error: &clap::Error, words: &[String]) -> Option<String> {
    let argument = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(text)) => std::slice::from_ref(text),
        Some(ContextValue::Strings(texts)) => texts,
        _ => return None,
    };
    let first = argument.first()?;
    match error.kind() {
        ErrorKind::UnknownArgument if first.starts_with('-') => {
            near_flag(&named(words), first).map(|flag| did_you_mean(&[flag]))
        }
        ErrorKind::UnknownArgument if *words == ["deployments", "add"] => Some(
            "A label is given with --label; `driftline deployments import` adds many.".to_owned(),
        ),
        ErrorKind::MissingRequiredArgument => where_listed(words, argument).map(str::to_owned),
        // The message says which values there are.
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => Some(String::new()),
        _ => None,
    }
}

/// The command that lists the values of a missing argument.
fn where_listed(words: &[String], missing: &[String]) -> Option<&'static str> {
    let is = |name: &str| missing.iter().any(|argument| argument.contains(name));
    match words.first().map(String::as_str) {
        Some("alarms") if is("<ID>") => Some("`driftline alarms` lists the alarms with their ids."),
        Some("plants") if is("<ID>") => {
            Some("`driftline plants list` lists the plants that are known from here.")
        }
        Some("check") if is("<DEPLOYMENT") => {
            Some("`driftline deployments list` lists the watch list; --all is all of it.")
        }
        _ if is("<DEPLOYMENT") => Some("`driftline deployments list` lists the watch list."),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    /// The refusal of a line.
    fn of(line: &str) -> String {
        // A blank that was in quotation marks is an underscore.
        let quoted = |word: &str| word.replace('_', " ");
        let arguments: Vec<String> = line.split_whitespace().map(quoted).collect();
        let typed = arguments.iter().map(OsString::from).collect();
        let error = Arguments::parse_from(typed).err().unwrap();
        let words: Vec<String> = [
            "track",
            "latest",
            "check",
            "alarms",
            "ack",
            "deployments",
            "import",
            "set",
            "plants",
            "create",
            "demo",
            "collect",
        ]
        .into_iter()
        .map(str::to_owned)
        .collect();
        let words: Vec<String> = arguments
            .iter()
            .filter(|one| words.contains(one))
            .cloned()
            .collect();
        refused(&error, &words).to_string()
    }

    #[test]
    fn a_mistyped_command_of_auth_is_named_and_what_may_be_a_token_is_not() {
        let said = |word: &str| {
            let typed = ["driftline", "auth", word].map(OsString::from);
            of_auth(&Arguments::parse_from(typed.to_vec()).err().unwrap()).to_string()
        };
        assert_eq!(
            said("logn"),
            "`auth` has no such command. Did you mean `driftline auth login`?"
        );
        let token = said("demo-dfc4e8966db24efb");
        assert!(token.contains("does not accept this argument"), "{token}");
        assert!(!token.contains("dfc4"), "{token}");
    }

    #[test]
    fn what_the_parser_refuses_is_said_once_with_what_helps() {
        for (line, told) in [
            (
                "driftline latest --all",
                "unexpected argument '--all' found. `driftline latest --help` lists what it takes.",
            ),
            (
                "driftline track a --lat-column y",
                "unexpected argument '--lat-column' found. Did you mean `--latitude-column`?",
            ),
            (
                "driftline latest -f ndjson",
                "invalid value 'ndjson' for '--format <FORMAT>' [possible values: table, csv, json, geojson, kml, gpx]",
            ),
            (
                "driftline collect --workers x",
                "invalid value 'x' for '--workers <NUMBER>': a number of requests is from 1 to 64",
            ),
            (
                "driftline latest --json --format csv",
                "--json does not go with --format csv. `driftline latest --help` lists what it takes.",
            ),
            (
                "driftline check --deadline",
                "a value is required for '--deadline <DURATION>' but none was supplied",
            ),
            (
                "driftline alarms ack",
                "the following required arguments were not provided: <ID>. `driftline alarms` lists the alarms with their ids.",
            ),
            (
                "driftline deployments import -rf.csv",
                "unexpected argument '-r' found. `driftline deployments import --help` lists what it takes.",
            ),
            (
                "driftline demo --serve moor",
                "the argument '--serve' cannot be used with '[DEPLOYMENT]'. `driftline demo --help` lists what it takes.",
            ),
            (
                "driftline latest --at 1d --at 2d",
                "the argument '--at <TIME>' cannot be used multiple times. `driftline latest --help` lists what it takes.",
            ),
            (
                "driftline plants",
                "`driftline plants` is a group of commands. Add one of create, delete, list, log, resolve, import, export.",
            ),
            (
                "driftline alarms ack a b",
                "unexpected argument 'b' found. `driftline alarms ack --help` lists what it takes.",
            ),
            (
                "driftline alarms ack a b_c",
                "unexpected argument 'b c' found. `driftline alarms ack --help` lists what it takes.",
            ),
            (
                "driftline plants create Test_buoy --id 78",
                "unexpected argument 'Test buoy' found. `driftline plants create --help` lists what it takes.",
            ),
        ] {
            assert_eq!(of(line), told, "{line}");
        }
    }
}
