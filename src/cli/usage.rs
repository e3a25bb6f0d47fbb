//! The messages for command lines that do not parse: clap's own, and what to do next.

// clap's own suggestion is not enough: it knows commands of one level alone (`driftline list` is
// `deployments list`), and for `--lat-column` it proposes `--time-column`. Its message also prints
// what was typed, which after `auth` may be a token. `strsim` is the crate that clap itself
// compares words with.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use super::args::help::named;
use super::args::typed::{first_word, typed_command};
use crate::failure::Failure;
use crate::text;

/// The similarity (Jaro-Winkler, 0 to 1) from which a word is near another.
const LIKE: f64 = 0.84;

/// The failure for arguments that do not parse.
pub(super) fn failure(error: &clap::Error) -> Failure {
    let command = typed_command();
    let unknown = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    };
    if command.first().is_some_and(|word| word == "auth") && !is_group_alone(error) {
        return of_auth(unknown);
    }
    match unknown {
        Some(word) => unknown_command(&command, word),
        None => {
            (first_word().as_deref().and_then(mistyped)).unwrap_or_else(|| refused(error, &command))
        }
    }
}

/// `true` for a group of commands, such as `plants`, without one of them.
pub(super) fn is_group_alone(error: &clap::Error) -> bool {
    error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// The failure of `auth`: any argument typed there may be a token, so none is printed.
fn of_auth(unknown: Option<&str>) -> Failure {
    let near = unknown.map(|word| near(&["auth".to_owned()], word));
    match near.unwrap_or_default().as_slice() {
        [] => Failure::usage("`auth` does not accept this argument").with_hint("A token is never given on the command line, where others can read it: run `driftline auth login` and paste it, or pipe it in. `driftline auth --help` lists its commands."),
        near => Failure::usage("`auth` has no such command").with_hint(did_you_mean(near)),
    }
}

/// The failure for a word that is no command of a group, or of the program.
fn unknown_command(group: &[String], word: &str) -> Failure {
    let what = format!("'{}' is no command", text::excerpt(word, 40));
    Failure::usage(what).with_hint(match near(group, word).as_slice() {
        [] => format!("`{} --help` lists the commands.", typed(group)),
        near => did_you_mean(near),
    })
}

/// The failure for a first word that is like a command.
pub(super) fn mistyped(word: &str) -> Option<Failure> {
    let is_meant = !is_command(word) && !near(&[], word).is_empty();
    is_meant.then(|| unknown_command(&[], word))
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
    let program = named(&[]);
    let mut commands = program.get_subcommands();
    commands.any(|command| command.get_name() == word)
}

/// A command as it is typed: `driftline deployments list`.
fn typed(words: &[String]) -> String {
    let program = "driftline".to_owned();
    [&[program], words].concat().join(" ")
}

fn did_you_mean(near: &[String]) -> String {
    format!("Did you mean `{}`?", near.join("` or `"))
}

/// The commands of a group, or of the program, that are like a word, as they are typed, the most
/// similar first; if the word is the name of some, only those.
fn near(group: &[String], word: &str) -> Vec<String> {
    let mut found = Vec::new();
    collect(&named(group), &typed(group), word, &mut found);
    let is_same = |likeness: f64| likeness > 1.0 - f64::EPSILON;
    let has_same = found.iter().any(|(likeness, _)| is_same(*likeness));
    found.retain(|(likeness, _)| *likeness >= LIKE && (!has_same || is_same(*likeness)));
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().map(|(_, typed)| typed).collect()
}

/// The commands below one, each with its likeness to a word.
fn collect(command: &Command, path: &str, word: &str, found: &mut Vec<(f64, String)>) {
    let is_program = path == "driftline";
    for below in command.get_subcommands() {
        if below.get_name() == "help" && !is_program {
            continue;
        }
        let typed = format!("{path} {}", below.get_name());
        let names = std::iter::once(below.get_name()).chain(below.get_visible_aliases());
        let nearest = names.map(|name| likeness(word, name)).fold(0.0, f64::max);
        if below.get_name() != "help" {
            collect(below, &typed, word, found);
        }
        found.push((nearest, typed));
    }
}

/// The flag of a command that is most like a typed flag.
fn near_flag(command: &Command, typed: &str) -> Option<String> {
    let typed = typed.strip_prefix("--")?;
    let flags = command.get_arguments().filter_map(Arg::get_long);
    let near = flags.map(|flag| (likeness(typed, flag), flag));
    let nearest = near.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (nearest.0 >= LIKE).then(|| format!("--{}", nearest.1))
}

/// The similarity by Jaro and Winkler. It is low for `akc`, so a name at an edit distance of 1
/// is near, too.
fn likeness(word: &str, name: &str) -> f64 {
    let word = word.to_lowercase();
    let likeness = strsim::jaro_winkler(&word, name);
    if name.len() > 2 && strsim::osa_distance(&word, name) == 1 {
        likeness.max(LIKE)
    } else {
        likeness
    }
}

/// The failure of a command: clap's message, and what helps. `words` are those of the command.
fn refused(error: &clap::Error, words: &[String]) -> Failure {
    let command = typed(words);
    if is_group_alone(error) || error.kind() == ErrorKind::MissingSubcommand {
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
    use std::ffi::OsString;

    use super::*;
    use crate::cli::args::Arguments;

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
        let said = |word: &str| of_auth(Some(word)).to_string();
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

    #[test]
    fn a_mistyped_command_of_a_group_gets_those_of_the_group() {
        for (group, word, all) in [
            ("alarms", "snoze", &["driftline alarms snooze"][..]),
            ("deployments", "lst", &["driftline deployments list"]),
            ("config", "set", &[]),
        ] {
            let found = near(&[group.to_owned()], word);
            assert_eq!(found, all, "{group} {word}");
        }
    }

    #[test]
    fn a_mistyped_command_gets_those_that_are_near_all_of_them() {
        for (word, all) in [
            (
                "list",
                &["driftline deployments list", "driftline plants list"][..],
            ),
            (
                "ls",
                &["driftline deployments list", "driftline plants list"],
            ),
            ("traks", &["driftline track"]),
            ("Deployment", &["driftline deployments"]),
            ("colect", &["driftline collect"]),
            ("akc", &["driftline alarms ack"]),
            ("hlp", &["driftline help"]),
            ("buoy", &[]),
        ] {
            assert_eq!(near(&[], word), all, "{word}");
        }
    }
}
