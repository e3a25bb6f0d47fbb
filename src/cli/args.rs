//! The arguments, as the help texts show them.

use std::path::PathBuf;

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};

use crate::chart::ColourBy;
use crate::choice::{self, Choice};
use crate::demo::Like;
use crate::export::Format;
use crate::settings::Flags;
use crate::track::Platform;

/// Reads one of a choice by its name: help and completions list the names, and
/// clap refuses any other value.
fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: Choice + FromStr<Err: std::error::Error + Send + Sync> + Send + Sync,
{
    PossibleValuesParser::new(choice::names::<T>()).try_map(|name| name.parse::<T>())
}

/// Where an instrument at sea is, where it has been, whether it still reports,
/// and whether its positions can be believed.
#[derive(Debug, Parser)]
#[command(name = "driftline", version, about, long_about = None, max_term_width = 100)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub(super) global: Global,
    /// Open the dashboard on this deployment
    #[arg(value_name = "UUID")]
    pub(super) deployment: Option<String>,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

impl Arguments {
    /// Whether errors are wanted as JSON, too.
    pub(super) fn wants_json(&self) -> bool {
        match &self.command {
            Some(Command::Track(track)) => {
                matches!(track.format, Some(Format::Json | Format::Ndjson))
            }
            Some(Command::Deployments {
                command: DeploymentsCommand::List { json },
            }) => *json,
            Some(Command::Plants { command }) => match command {
                PlantsCommand::Create { json, .. }
                | PlantsCommand::Delete { json, .. }
                | PlantsCommand::List { json } => *json,
                PlantsCommand::Import { .. } => false,
            },
            Some(Command::Config {
                command: ConfigCommand::Show { json },
            }) => *json,
            _ => false,
        }
    }
}

/// What every command takes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Settings")]
pub(super) struct Global {
    /// The profile of the configuration to use
    #[arg(long, global = true, value_name = "NAME")]
    pub(super) profile: Option<String>,
    /// Another configuration file
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// The service's base address
    #[arg(long, global = true, value_name = "URL")]
    pub(super) base_url: Option<String>,
    /// Where plants are created [default: the base address]
    #[arg(long, global = true, value_name = "URL")]
    pub(super) sandbox_url: Option<String>,
    /// Another archive file
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) archive: Option<PathBuf>,
    /// Silence after which a connection is given up [default: 30s]
    #[arg(long, global = true, value_name = "DURATION")]
    pub(super) timeout: Option<String>,
    /// Tell every request on standard error
    #[arg(short, long, global = true)]
    pub(super) verbose: bool,
}

impl Global {
    /// What the flags say about settings.
    pub(super) fn flags(&self) -> Flags {
        Flags {
            profile: self.profile.clone(),
            config: self.config.clone(),
            base_url: self.base_url.clone(),
            sandbox_url: self.sandbox_url.clone(),
            archive: self.archive.clone(),
            timeout: self.timeout.clone(),
        }
    }

    /// The flags that have a value behind them, as they are typed.
    pub(super) fn with_values() -> Vec<String> {
        Self::augment_args(clap::Command::new(""))
            .get_arguments()
            .filter(|flag| flag.get_action().takes_values())
            .filter_map(|flag| Some(format!("--{}", flag.get_long()?)))
            .collect()
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// The dashboard on an embedded service: no account, no token, no settings
    Demo(DemoArguments),
    /// One deployment's track, to standard output or a file
    Track(TrackArguments),
    /// One deployment's chart as a picture, SVG or PNG
    Map(MapArguments),
    /// Whether a deployment still reports, for cron and monitoring (0 OK, 1 late, 2 overdue or outside, 3 unknown)
    Check(CheckArguments),
    /// The watch list that the dashboard shows
    Deployments {
        #[command(subcommand)]
        command: DeploymentsCommand,
    },
    /// Create and delete plants; the ledger of what was asked from here
    Plants {
        #[command(subcommand)]
        command: PlantsCommand,
    },
    /// The token: store it, see where it is, remove it
    Auth {
        #[command(subcommand)]
        command: AuthCommand,
    },
    /// Care of the local archive
    Archive {
        #[command(subcommand)]
        command: ArchiveCommand,
    },
    /// Where the settings are, and which value came from where
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// A completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// The manual page, in roff
    Man,
}

#[derive(Debug, Args)]
pub(super) struct DemoArguments {
    /// Open on this deployment
    #[arg(value_name = "UUID")]
    pub(super) deployment: Option<String>,
    /// Only the embedded service, until Ctrl-C; its first line is a JSON object
    #[arg(long)]
    pub(super) serve: bool,
    /// The service's port [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(super) port: u16,
    /// Serve the JSON files of a folder instead of the simulated world
    #[arg(long, value_name = "DIR")]
    pub(super) tracks: Option<PathBuf>,
    /// Behave like another service of the kind [default: as the interface is described]
    #[arg(long, value_name = "SERVICE", value_parser = one_of::<Like>())]
    pub(super) like: Option<Like>,
    /// The simulated world is a function of this number
    #[arg(long, value_name = "N", default_value_t = 7)]
    pub(super) seed: u64,
}

#[derive(Debug, Args)]
pub(super) struct TrackArguments {
    /// The deployment
    #[arg(value_name = "UUID")]
    pub(super) deployment: String,
    /// The file format [default: table on a terminal, else csv]
    #[arg(long, value_name = "F", value_parser = one_of::<Format>())]
    pub(super) format: Option<Format>,
    /// Write to a file, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// From this time on: RFC 3339, a date, or an age such as 7d
    #[arg(long, value_name = "T")]
    pub(super) since: Option<String>,
    /// Up to this time
    #[arg(long, value_name = "T")]
    pub(super) until: Option<String>,
    /// The platform whose speed limits apply [default: the watch list's]
    #[arg(long, value_name = "P", value_parser = one_of::<Platform>())]
    pub(super) platform: Option<Platform>,
    /// Leave fixes out that failed a quality test
    #[arg(long)]
    pub(super) exclude_failed: bool,
    /// From the archive alone; the network is not touched
    #[arg(long)]
    pub(super) offline: bool,
}

#[derive(Debug, Args)]
pub(super) struct MapArguments {
    /// The deployment
    #[arg(value_name = "UUID")]
    pub(super) deployment: String,
    /// The file, whose name ends in .svg or .png
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,
    /// Width and height in pixels, 200 to 8000 each
    #[arg(long, value_name = "WxH", default_value = "1200x800")]
    pub(super) size: String,
    /// What colours the track
    #[arg(long, value_name = "BY", default_value = "time", value_parser = one_of::<ColourBy>())]
    pub(super) colour: ColourBy,
    /// From this time on: RFC 3339, a date, or an age such as 7d
    #[arg(long, value_name = "T")]
    pub(super) since: Option<String>,
    /// Up to this time
    #[arg(long, value_name = "T")]
    pub(super) until: Option<String>,
    /// The platform whose speed limits apply [default: the watch list's]
    #[arg(long, value_name = "P", value_parser = one_of::<Platform>())]
    pub(super) platform: Option<Platform>,
    /// From the archive alone; the network is not touched
    #[arg(long)]
    pub(super) offline: bool,
}

#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// The deployment
    #[arg(value_name = "UUID")]
    pub(super) deployment: String,
    /// Overdue when the last fix is older than this, such as 6h
    #[arg(long, value_name = "D")]
    pub(super) max_age: Option<String>,
    /// Outside when the last fix is farther than RADIUS from here (metres; 500m, 2km and 1nm are understood)
    #[arg(long, value_name = "LAT,LON,RADIUS", allow_hyphen_values = true)]
    pub(super) inside: Option<String>,
    /// The platform whose speed limits apply [default: the watch list's]
    #[arg(long, value_name = "P", value_parser = one_of::<Platform>())]
    pub(super) platform: Option<Platform>,
}

#[derive(Debug, Subcommand)]
pub(super) enum DeploymentsCommand {
    /// Put a deployment on the watch list
    Add {
        /// The deployment: a UUID, or an address that holds one
        #[arg(value_name = "UUID")]
        deployment: String,
        /// A name for people
        #[arg(long, value_name = "L")]
        label: Option<String>,
        /// What carries the instrument [default: generic]
        #[arg(long, value_name = "P", value_parser = one_of::<Platform>())]
        platform: Option<Platform>,
        /// Raise an alarm when the last fix is older than this, such as 6h; `none` takes it back
        #[arg(long, value_name = "D")]
        max_age: Option<String>,
        /// Raise an alarm when the last fix is farther than RADIUS from here; `none` takes it back
        #[arg(long, value_name = "LAT,LON,RADIUS", allow_hyphen_values = true)]
        inside: Option<String>,
        /// What is worth knowing about it
        #[arg(long, value_name = "TEXT")]
        notes: Option<String>,
    },
    /// Show the watch list
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Take a deployment off the watch list; what was kept of it stays
    Remove {
        /// The deployment
        #[arg(value_name = "UUID")]
        deployment: String,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum PlantsCommand {
    /// Create a plant
    Create {
        /// Its identifier, a whole number
        #[arg(long, value_name = "N", allow_hyphen_values = true)]
        id: String,
        /// Its name
        #[arg(long, value_name = "S", allow_hyphen_values = true)]
        name: String,
        /// Its tag
        #[arg(long, value_name = "S", allow_hyphen_values = true)]
        tag: String,
        /// The result as JSON
        #[arg(long)]
        json: bool,
    },
    /// Delete a plant
    Delete {
        /// Its identifier
        #[arg(value_name = "ID", allow_hyphen_values = true)]
        id: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
        /// The result as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show this machine's ledger: the service lists no plants
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Create many plants from a CSV file with the columns id, name and tag
    Import {
        /// The file
        #[arg(value_name = "FILE.csv")]
        file: PathBuf,
        /// Say what would be done, and send nothing
        #[arg(long)]
        dry_run: bool,
        /// Go on after a plant that the service refused
        #[arg(long)]
        keep_going: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum AuthCommand {
    /// Store a token in the OS keyring: prompts, or reads standard input
    Login,
    /// Say where the token is, never what it is
    Status,
    /// Remove the token from the OS keyring
    Logout,
}

#[derive(Debug, Subcommand)]
pub(super) enum ArchiveCommand {
    /// Where it is and how much it holds
    Info,
    /// Check the whole file
    Check,
    /// Give the room of deleted rows back
    Vacuum,
    /// Every deployment as Parquet in a folder, which DuckDB, Spark and Trino read as one table
    Export {
        /// The folder; it is made where it is not there
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// The path of the configuration file
    Path,
    /// Every setting with its value and source
    Show {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// Whether the first argument that is neither a setting nor its value is this
/// command's name: what could not be parsed has no other command.
pub(super) fn asks_for(command: &str) -> bool {
    let settings = Global::with_values();
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        if settings.iter().any(|setting| argument == **setting) {
            arguments.next();
        } else if !argument.to_string_lossy().starts_with('-') {
            return argument == command;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn settings_are_taken_before_and_after_the_command() {
        for line in [
            ["driftline", "--profile", "ship", "config", "path"],
            ["driftline", "config", "path", "--profile", "ship"],
        ] {
            let arguments = Arguments::try_parse_from(line).unwrap();
            assert_eq!(arguments.global.profile.as_deref(), Some("ship"));
        }
        let alone =
            Arguments::try_parse_from(["driftline", "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa"])
                .unwrap();
        assert!(alone.command.is_none() && alone.deployment.is_some());
    }

    #[test]
    fn the_names_of_a_choice_are_known_to_the_help_and_any_other_is_refused() {
        let uuid = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa";
        let parse = |more: &[&str]| {
            let line = [&["driftline"], more, &[uuid]].concat();
            Arguments::try_parse_from(line)
        };
        for (command, flag, names) in [
            ("track", "--format", choice::names::<Format>().collect()),
            ("track", "--platform", choice::names::<Platform>().collect()),
            ("check", "--platform", choice::names::<Platform>().collect()),
            ("map", "--colour", choice::names::<ColourBy>().collect()),
        ] {
            let names: Vec<&str> = names;
            let with = |value: &str| match command {
                "map" => parse(&[command, "--output", "a.svg", flag, value]),
                _ => parse(&[command, flag, value]),
            };
            for name in &names {
                assert!(with(name).is_ok(), "{flag} {name}");
            }
            for value in ["", "docx", "CSV", "Drifter"] {
                let error = with(value).unwrap_err();
                assert_eq!(error.exit_code(), 2);
                let words = error.to_string();
                assert!(words.contains(&names.join(", ")), "{words}");
            }
        }
    }

    #[test]
    fn completions_know_the_names_of_every_choice() {
        use clap_complete::Shell;
        for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "driftline", &mut script);
            let script = String::from_utf8(script).unwrap();
            let names = choice::names::<Format>()
                .chain(choice::names::<Platform>())
                .chain(choice::names::<ColourBy>());
            for name in names {
                assert!(script.contains(name), "{shell}: {name}");
            }
        }
    }

    #[test]
    fn every_flag_of_a_setting_has_a_value_but_the_one_that_tells() {
        let flags = Global::with_values();
        assert!(flags.contains(&"--base-url".to_owned()), "{flags:?}");
        assert!(!flags.contains(&"--verbose".to_owned()), "{flags:?}");
        assert_eq!(flags.len(), 6);
    }
}
