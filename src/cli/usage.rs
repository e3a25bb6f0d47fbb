//! What the parser refuses, in the words of every other refusal: what is wrong, why, and
//! what to do next, once.

use std::error::Error as _;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use super::args::{Arguments, asks_for, first_word, help, typed, typed_command};
use super::near::{near, near_flag, near_in_group};
use crate::failure::{Failure, FailureKind};
use crate::text;

/// The failure for arguments that do not parse.
pub(super) fn failure(error: &clap::Error) -> Failure {
    if asks_for("auth") && !is_group_alone(error) {
        return of_auth(error);
    }
    if let Some(failure) = no_command(error) {
        return failure;
    }
    let arguments: Vec<String> = typed()
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    refused(error, &typed_command(), &arguments)
}

/// `true` where a group of commands, such as `plants`, stands alone.
pub(super) fn is_group_alone(error: &clap::Error) -> bool {
    error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// The failure of `auth`: any argument typed there may be a token, and is not repeated.
fn of_auth(error: &clap::Error) -> Failure {
    let near = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => near_in_group(&typed_command(), word),
        _ => Vec::new(),
    };
    let what = "`auth` does not accept this argument";
    match near.is_empty() {
        true => Failure::new(
            FailureKind::Usage,
            what,
            "A token is never given on the command line, where others can read it: run `driftline auth login` and paste it, or pipe it in.",
        ),
        false => Failure::new(FailureKind::Usage, what, did_you_mean(&near)),
    }
}

/// The failure for arguments that do not parse because a word of them is no command.
fn no_command(error: &clap::Error) -> Option<Failure> {
    let unknown = error.get(ContextKind::InvalidSubcommand);
    match (error.kind(), unknown) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(word))) => {
            let group = typed_command();
            if group.is_empty() {
                let hint = "`driftline --help` lists the commands.";
                return Some(mistyped(word).unwrap_or_else(|| not_a_command(word, hint)));
            }
            let (near, group) = (near_in_group(&group, word), group.join(" "));
            let lists = format!("`driftline {group} --help` lists the commands of `{group}`.");
            Some(match near.is_empty() {
                true => not_a_command(word, lists),
                false => not_a_command(word, did_you_mean(&near)),
            })
        }
        _ => first_word().as_deref().and_then(mistyped),
    }
}

/// The failure for a first word that is no command and near to some.
pub(super) fn mistyped(word: &str) -> Option<Failure> {
    let near = near(word);
    (!is_command(word) && !near.is_empty()).then(|| not_a_command(word, did_you_mean(&near)))
}

/// The failure of the dashboard for several words that are not all files.
pub(super) fn several_words(words: &[String]) -> Failure {
    let first = words.first().map_or("", String::as_str);
    if let Some(command) = words.iter().find(|word| is_command(word)) {
        let rest = words.iter().filter(|word| *word != command);
        let quoted = rest.map(|word| match word.contains(' ') {
            true => format!("\"{word}\""),
            false => word.clone(),
        });
        let line = format!(
            "driftline {command} {}",
            quoted.collect::<Vec<_>>().join(" ")
        );
        let what = format!("the command '{command}' is behind another word");
        return Failure::new(
            FailureKind::Usage,
            what,
            did_you_mean(&[text::excerpt(&line, 200)]),
        );
    }
    mistyped(first).unwrap_or_else(|| {
        let first = text::excerpt(first, 80);
        let what = format!(
            "'{first}' is no command, and the dashboard opens on one deployment, or on files"
        );
        let hint =
            "`driftline --help` lists the commands; a label with blanks goes in quotation marks.";
        Failure::new(FailureKind::Usage, what, hint)
    })
}

fn is_command(word: &str) -> bool {
    let all = Arguments::command();
    all.get_subcommands()
        .any(|command| command.get_name() == word)
}

fn not_a_command(word: &str, hint: impl Into<String>) -> Failure {
    let what = format!("'{}' is no command", text::excerpt(word, 40));
    Failure::new(FailureKind::Usage, what, hint)
}

fn did_you_mean(near: &[String]) -> String {
    format!("Did you mean `{}`?", near.join("` or `"))
}

/// The failure of what a command does not take, by the words of the command and all
/// arguments of the program.
fn refused(error: &clap::Error, words: &[String], arguments: &[String]) -> Failure {
    let command = match words.is_empty() {
        true => "driftline".to_owned(),
        false => format!("driftline {}", words.join(" ")),
    };
    let lists = format!("`{command} --help` lists what it takes.");
    let texts = |kind| texts(error, kind);
    let argument = texts(ContextKind::InvalidArg);
    let first = argument.first().map_or("", String::as_str);
    let value = texts(ContextKind::InvalidValue);
    let value = value.first().map(|value| text::excerpt(value, 80));
    let (what, hint) = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            let below = found(words);
            let names: Vec<&str> = (below.get_subcommands())
                .map(Command::get_name)
                .filter(|name| *name != "help")
                .collect();
            let what = format!("`{command}` is a group of commands");
            (what, format!("Add one of {}.", names.join(", ")))
        }
        ErrorKind::UnknownArgument if first.starts_with('-') => {
            let file = file_like_a_flag(first, arguments);
            let hint = match (file, near_flag(&found(words), first)) {
                (Some(file), _) => format!("For the file, give './{file}'."),
                (None, Some(flag)) => did_you_mean(&[flag]),
                (None, None) => lists,
            };
            let first = text::excerpt(first, 80);
            (format!("`{command}` has no flag '{first}'"), hint)
        }
        ErrorKind::UnknownArgument => {
            let first = text::excerpt(first, 80);
            let what = format!("`{command}` takes no further argument, and '{first}' is one");
            let hint = match words {
                [group, add] if group == "deployments" && add == "add" => {
                    "A label is given with --label; `driftline deployments import` adds many."
                        .to_owned()
                }
                _ => format!("A name with blanks goes in quotation marks; {lists}"),
            };
            (what, hint)
        }
        ErrorKind::InvalidValue => match value.filter(|value| !value.is_empty()) {
            Some(value) => {
                let known = texts(ContextKind::ValidValue).join(", ");
                (
                    format!("{}: '{value}' is none of its values", named(first)),
                    format!("Give one of {known}."),
                )
            }
            None => (
                format!("{} needs a value", named(first)),
                format!("Give {first}."),
            ),
        },
        ErrorKind::ValueValidation => {
            let why = error
                .source()
                .map_or_else(String::new, |why| why.to_string());
            let value = value.unwrap_or_default();
            (format!("{}: '{value}': {why}", named(first)), String::new())
        }
        ErrorKind::ArgumentConflict if !first.is_empty() => {
            let prior = texts(ContextKind::PriorArg);
            let others: Vec<String> = prior.iter().map(|other| named(other)).collect();
            match others.as_slice() {
                [other] if *other == named(first) => (
                    format!("{other} is given twice"),
                    "Give it once.".to_owned(),
                ),
                _ => (
                    format!("{} does not go with {}", named(first), others.join(", ")),
                    "Leave one of them out.".to_owned(),
                ),
            }
        }
        ErrorKind::MissingRequiredArgument => {
            let missing: Vec<String> = argument.iter().map(|one| named(one)).collect();
            let hint = where_listed(words, &argument).map_or(lists, str::to_owned);
            (format!("`{command}` needs {}", missing.join(", ")), hint)
        }
        _ => (first_line(error), lists),
    };
    Failure::new(FailureKind::Usage, what, hint)
}

/// The command of these words.
fn found(words: &[String]) -> Command {
    words.iter().fold(help::command(), |command, word| {
        command.find_subcommand(word).cloned().unwrap_or(command)
    })
}

/// The texts of an error's context.
fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

/// An argument without its value: `--format` of `--format <FORMAT>`, `ID` of `<ID>`.
fn named(argument: &str) -> String {
    let first = argument.split_whitespace().next().unwrap_or_default();
    first.trim_matches(['<', '>', '[', ']', '.']).to_owned()
}

/// The first line of clap's message.
fn first_line(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let first = rendered.lines().next().unwrap_or_default();
    first.trim_start_matches("error: ").to_owned()
}

/// The place to find what is missing.
fn where_listed(words: &[String], missing: &[String]) -> Option<&'static str> {
    let is = |name: &str| missing.iter().any(|argument| argument.contains(name));
    match words.first().map(String::as_str) {
        Some("alarms") if is("<ID>") => Some("`driftline alarms` lists the alarms with their ids."),
        Some("plants") if is("<ID>") => {
            Some("`driftline plants list` lists the plants that were created from here.")
        }
        Some("check") if is("<DEPLOYMENT") => {
            Some("`driftline deployments list` lists the watch list; --all is all of it.")
        }
        _ if is("<DEPLOYMENT") => Some("`driftline deployments list` lists the watch list."),
        _ => None,
    }
}

/// The argument that is the name of a file, such as `-rf.csv`, and that was taken for flags.
fn file_like_a_flag<'a>(flag: &str, arguments: &'a [String]) -> Option<&'a String> {
    let is_file = |argument: &&String| {
        let path = Path::new(argument);
        argument.starts_with(flag) && !argument.contains('=') && path.extension().is_some()
    };
    arguments.iter().skip(1).find(is_file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    /// The refusal of a line.
    fn of(line: &str) -> String {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let typed = arguments.iter().map(OsString::from).collect();
        let error = Arguments::of(typed).err().unwrap();
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
        refused(&error, &words, &arguments).to_string()
    }

    #[test]
    fn what_the_parser_refuses_is_said_once_with_what_helps() {
        for (line, told) in [
            (
                "driftline latest --all",
                "`driftline latest` has no flag '--all'. `driftline latest --help` lists what it takes.",
            ),
            (
                "driftline track a --lat-column y",
                "`driftline track` has no flag '--lat-column'. Did you mean `--latitude-column`?",
            ),
            (
                "driftline latest -f ndjson",
                "--format: 'ndjson' is none of its values. Give one of table, csv, json, geojson, kml, gpx.",
            ),
            (
                "driftline collect --workers x",
                "--workers: 'x': a number of requests is from 1 to 64",
            ),
            (
                "driftline collect --workers 0",
                "--workers: '0': a number of requests is from 1 to 64",
            ),
            (
                "driftline latest --json --format csv",
                "--json does not go with --format csv. `driftline latest --help` lists what it takes.",
            ),
            (
                "driftline check --deadline",
                "--deadline needs a value. Give --deadline <DURATION>.",
            ),
            (
                "driftline alarms ack",
                "`driftline alarms ack` needs ID. `driftline alarms` lists the alarms with their ids.",
            ),
            (
                "driftline deployments import -rf.csv",
                "`driftline deployments import` has no flag '-r'. For the file, give './-rf.csv'.",
            ),
            (
                "driftline demo --serve moor",
                "--serve does not go with DEPLOYMENT. Leave one of them out.",
            ),
            (
                "driftline latest --at 1d --at 2d",
                "--at is given twice. Give it once.",
            ),
            (
                "driftline plants",
                "`driftline plants` is a group of commands. Add one of create, delete, list, import.",
            ),
        ] {
            assert_eq!(of(line), told, "{line}");
        }
        let told = of("driftline alarms ack a b");
        assert!(
            told.contains("takes no further argument, and 'b' is one"),
            "{told}"
        );
    }

    #[test]
    fn a_file_that_was_taken_for_flags_is_known_by_its_extension() {
        let of = |flag: &str, argument: &str| {
            let all = ["driftline".to_owned(), argument.to_owned()];
            file_like_a_flag(flag, &all).cloned()
        };
        assert_eq!(of("-r", "-rf.csv").as_deref(), Some("-rf.csv"));
        assert_eq!(of("-x", "-x"), None);
        assert_eq!(of("--nosuch", "--nosuch=1.5"), None);
    }
}
