//! The help texts: examples of every command, and the settings of all commands only in the
//! help of the program.

use clap::builder::StyledStr;
use clap::{Command, CommandFactory};

use super::Arguments;
use super::typed::{command_of_help, is_typed};

/// Examples of the program.
const FIRST_EXAMPLES: &str = r#"Examples:
  driftline demo
  driftline
  driftline "buoy 7""#;

/// Examples of the commands: the help of a command has those that begin with its words, the
/// help of a group those of its commands.
const EXAMPLES: &str = include_str!("../../../assets/examples.txt");

/// The settings, for the help of a command.
const SETTINGS: &str = "
Every command takes --profile, --config, --base-url, --sandbox-url, --archive, --timeout
and -v: `driftline --help` explains them.
";

/// The command line with its help texts, to be shown. It cannot parse arguments that are hidden
/// in it.
pub(in crate::cli) fn command() -> Command {
    let mut command = Arguments::command();
    command.build();
    command
        .mut_subcommands(|below| with_help(below, "driftline"))
        .after_help(FIRST_EXAMPLES)
}

/// The command of these words, to be shown.
pub(in crate::cli) fn named(words: &[String]) -> Command {
    words.iter().fold(command(), |command, word| {
        command.find_subcommand(word).cloned().unwrap_or(command)
    })
}

/// The help of the command that the arguments of the program name.
pub(in crate::cli) fn asked_for() -> StyledStr {
    let mut named = named(&command_of_help());
    if is_typed("-h") {
        named.render_help()
    } else {
        named.render_long_help()
    }
}

/// A command below these words with examples in its help and in that of the commands below it;
/// the settings that every command takes are in that of the program alone.
fn with_help(command: Command, above: &str) -> Command {
    if command.get_name() == "help" {
        return command;
    }
    let words = format!("{above} {}", command.get_name());
    let is_own = |line: &&str| {
        let rest = line.strip_prefix(&words);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let mut below = String::from("Examples:\n");
    for line in EXAMPLES.lines().filter(is_own) {
        below.push_str(&format!("  {line}\n"));
    }
    below.push_str(SETTINGS);
    if let Some(more) = command.get_after_help() {
        below.push_str(&format!("\n{more}"));
    }
    command
        .mut_args(|argument| {
            let is_hidden = argument.is_hide_set() || argument.is_global_set();
            argument.hide(is_hidden)
        })
        .mut_subcommands(|below| with_help(below, &words))
        .after_help(below.trim().to_owned())
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
        for line in EXAMPLES.lines() {
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
