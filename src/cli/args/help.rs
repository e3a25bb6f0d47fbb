//! The help texts: examples of every command, and the settings of all commands only in the
//! help of the program.

use clap::builder::StyledStr;
use clap::{Command, CommandFactory};

use super::Arguments;
use super::typed::typed;

/// Examples of the program.
const FIRST_EXAMPLES: &str = r#"driftline demo
driftline
driftline "buoy 7""#;

/// Examples of the commands: the help of a command has those that begin with its words, the
/// help of a group those of its commands.
const EXAMPLES: &str = include_str!("../../../assets/examples.txt");

/// The settings, for the help of a command.
pub(in crate::cli) const SETTINGS: &str = "
Every command takes --profile, --config, --base-url, --sandbox-url, --archive, --timeout
and -v: `driftline --help` explains them.
";

/// The command line with its help texts, to be shown. It cannot parse arguments that are hidden
/// in it.
pub(in crate::cli) fn command() -> Command {
    let mut command = Arguments::command();
    command.build();
    with_help(command, "")
}

/// The help of the command that the arguments of the program name.
pub(in crate::cli) fn asked_for() -> StyledStr {
    let arguments: Vec<String> = typed()
        .iter()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let mut named = command();
    for word in arguments.iter().filter(|word| *word != "help") {
        if let Some(below) = named.find_subcommand(word) {
            named = below.clone();
        }
    }
    if arguments.iter().any(|word| word == "-h") {
        named.render_help()
    } else {
        named.render_long_help()
    }
}

/// A command with examples in its help and in that of the commands below it; the settings
/// that every command takes are in that of the program alone.
fn with_help(mut command: Command, words: &str) -> Command {
    let mut below = String::new();
    for line in examples(words) {
        let heading = if below.is_empty() { "Examples:\n" } else { "" };
        below.push_str(&format!("{heading}  {line}\n"));
    }
    if !words.is_empty() {
        let settings: Vec<_> = command
            .get_arguments()
            .filter(|argument| argument.is_global_set())
            .map(|argument| argument.get_id().clone())
            .collect();
        for id in settings {
            command = command.mut_arg(id, |argument| argument.hide(true));
        }
        below.push_str(SETTINGS);
    }
    if let Some(more) = command.get_after_help() {
        below.push_str(&format!("\n{more}"));
    }
    let names: Vec<String> = command
        .get_subcommands()
        .map(|below| below.get_name().to_owned())
        .collect();
    for name in names {
        let words = format!("{words} {name}");
        command = command.mut_subcommand(&name, |below| match name.as_str() {
            "help" => below,
            _ => with_help(below, words.trim()),
        });
    }
    command.after_help(below.trim().to_owned())
}

/// The examples of a command.
fn examples(words: &str) -> impl Iterator<Item = &'static str> {
    let all = if words.is_empty() {
        FIRST_EXAMPLES
    } else {
        EXAMPLES
    };
    all.lines().filter(move |line| {
        let rest = line
            .strip_prefix("driftline")
            .unwrap_or_default()
            .trim_start()
            .strip_prefix(words);
        rest.is_some_and(|rest| words.is_empty() || rest.is_empty() || rest.starts_with(' '))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each(command: &Command, words: &str, found: &mut Vec<String>) {
        for below in command.get_subcommands() {
            if below.get_name() != "help" {
                let words = format!("{words} {}", below.get_name());
                each(below, &words, found);
                found.push(words.trim().to_owned());
            }
        }
    }

    #[test]
    fn the_help_of_every_command_has_examples_and_the_settings_stand_once() {
        let mut found = vec![String::new()];
        each(&command(), "", &mut found);
        for words in &found {
            let mut named = words.split_whitespace().fold(command(), |command, name| {
                command.find_subcommand(name).unwrap().clone()
            });
            let help = named.render_long_help().to_string();
            let example = format!("  driftline {words}");
            assert!(
                help.lines()
                    .any(|line| line.starts_with(example.trim_end())),
                "{words}: {help}"
            );
        }
        let mut all = command();
        assert!(all.render_help().to_string().contains("--base-url <URL>"));
        let track = all.find_subcommand_mut("track").unwrap();
        let help = track.render_help().to_string();
        assert!(!help.contains("--base-url <URL>"), "{help}");
        assert!(help.contains("Examples:"), "{help}");
        let line = ["driftline", "track", "x", "--base-url", "http://a"];
        assert!(Arguments::command().try_get_matches_from(line).is_ok());
    }

    #[test]
    fn every_example_is_taken() {
        for line in FIRST_EXAMPLES.lines().chain(EXAMPLES.lines()) {
            let typed = line.split(" > ").next().unwrap_or_default();
            let typed = typed.split(" < ").next().unwrap_or_default();
            let mut words: Vec<String> = Vec::new();
            for (index, part) in typed.split('"').enumerate() {
                match index % 2 {
                    0 => words.extend(part.split_whitespace().map(str::to_owned)),
                    _ => words.push(part.to_owned()),
                }
            }
            let taken = Arguments::command().try_get_matches_from(&words);
            assert!(taken.is_ok(), "{line}: {:?}", taken.err());
        }
    }
}
