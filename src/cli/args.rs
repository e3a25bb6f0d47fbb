//! The arguments, as the help texts show them.

pub(super) mod archive;
pub(super) mod deployments;
pub(super) mod fleet;
pub(super) mod help;
pub(super) mod plants;
pub(super) mod printed;
pub(super) mod track;
pub(super) mod typed;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueHint};

use archive::ArchiveCommand;
use deployments::DeploymentsCommand;
use fleet::{AlarmsArguments, CollectArguments, LatestArguments};
use plants::PlantsCommand;
use printed::Printed;
pub(super) use track::{
    ColumnArguments, FileArguments, MapArguments, Selection, SpeedLimit, TrackArguments,
    WhereArguments,
};
use typed::with_group;

use crate::settings::Flags;

/// Shows the positions and tracks of instruments at sea, if they still report, and which
/// positions pass quality control; creates and deletes the service's plants.
#[derive(Debug, Parser)]
#[command(name = "driftline", version, about, long_about = None, max_term_width = 100)]
pub(super) struct Arguments {
    /// Open the dashboard on this deployment (its id, its label, or the first 4 or more characters of its id), or on files with tracks; - is standard input
    #[arg(value_name = "DEPLOYMENT|FILE")]
    pub(super) words: Vec<String>,
    /// Print a line for each change instead of a dashboard, for screen readers and logs
    #[arg(long)]
    pub(super) plain: bool,
    /// Draw the lines, areas and named points of this GeoJSON, GPX or KML file below the tracks; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) overlay: Vec<PathBuf>,
    // Last, because their headings apply to all arguments after them.
    #[command(flatten)]
    pub(super) columns: ColumnArguments,
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    /// `true` if errors are printed as JSON, too.
    #[arg(skip)]
    pub(super) json: bool,
}

impl Arguments {
    /// Parses a command line.
    ///
    /// # Errors
    /// As clap finds them.
    pub(super) fn parse_from(typed: Vec<OsString>) -> Result<Self, clap::Error> {
        let typed = with_group(typed);
        let mut command = Self::command();
        let matches = command.try_get_matches_from_mut(&typed)?;
        let mut arguments = Self::from_arg_matches(&matches)?;
        let mut innermost = &matches;
        while let Some((_, below)) = innermost.subcommand() {
            innermost = below;
        }
        let is_json = matches!(innermost.try_get_one("json"), Ok(Some(true)));
        let format = innermost
            .try_get_raw("format")
            .ok()
            .flatten()
            .and_then(|mut values| values.next()?.to_str());
        if let Some(format) = format.filter(|format| is_json && *format != "json") {
            let message = format!("--json does not go with --format {format}");
            return Err(command.error(ErrorKind::ArgumentConflict, message));
        }
        arguments.json = is_json || matches!(format, Some("json" | "ndjson"));
        if arguments.json && matches!(innermost.try_get_one("short"), Ok(Some(true))) {
            let message = "--short does not go with JSON";
            return Err(command.error(ErrorKind::ArgumentConflict, message));
        }
        Ok(arguments)
    }
}

/// The options of every command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Settings")]
pub(super) struct Global {
    /// Profile of the settings file to use
    #[arg(long, global = true, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(super) profile: Option<String>,
    /// Settings file to use
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
    /// Base URL of the service
    #[arg(long, global = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub(super) base_url: Option<String>,
    /// URL where plants are created [default: the base URL]
    #[arg(long, global = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub(super) sandbox_url: Option<String>,
    /// Archive to use: a file, or postgres://USER@HOST/DATABASE if built with the feature postgres
    #[arg(long, global = true, value_name = "FILE|URL", value_hint = ValueHint::FilePath)]
    pub(super) archive: Option<PathBuf>,
    /// Idle timeout of a connection [default: 30s]
    #[arg(long, global = true, value_name = "DURATION", value_hint = ValueHint::Other)]
    pub(super) timeout: Option<String>,
    /// Print each request to standard error
    #[arg(short, long, global = true)]
    pub(super) verbose: bool,
    /// The overlays that are given as flags.
    #[arg(skip)]
    pub(super) overlays: Vec<PathBuf>,
}

impl Global {
    /// The settings that are given as flags.
    pub(super) fn flags(&self) -> Flags {
        let text = |value: &Option<String>| value.clone().map(OsString::from);
        let path = |value: &Option<PathBuf>| value.clone().map(OsString::from);
        [
            ("--profile", text(&self.profile)),
            ("--config", path(&self.config)),
            ("--base-url", text(&self.base_url)),
            ("--sandbox-url", text(&self.sandbox_url)),
            ("--archive", path(&self.archive)),
            ("--timeout", text(&self.timeout)),
        ]
        .into_iter()
        .filter_map(|(flag, value)| Some((flag, value?)))
        .collect()
    }

    /// The flags before a command that take a value, as typed.
    pub(super) fn with_values() -> Vec<String> {
        Arguments::command()
            .get_arguments()
            .filter(|flag| flag.get_action().takes_values())
            .filter_map(|flag| Some(format!("--{}", flag.get_long()?)))
            .collect()
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Open the dashboard on an embedded service; needs no account, token or settings
    Demo(DemoArguments),
    /// Write tracks of deployments or files to standard output or files
    #[command(after_help = track::after_help())]
    Track(TrackArguments),
    /// Write the last good fix of every deployment on the watch list
    Latest(LatestArguments),
    /// Find an instrument again: its position now or at another time, the circle to search, the way to it
    #[command(after_help = track::WHERE_EXAMPLES)]
    Where(WhereArguments),
    /// Draw a map of one or several tracks as SVG or PNG
    Map(MapArguments),
    /// Check whether a deployment still reports, for cron and monitoring (0 OK, 1 late, 2 overdue or with another alarm, 3 unknown)
    Check(CheckArguments),
    /// List the alarms
    Alarms(AlarmsArguments),
    /// Fetch the watch list into the archive and raise alarms, without a terminal
    ///
    /// The setting on_alarm names a program that is run when an alarm is raised or cleared, with
    /// the alarm as JSON at its standard input: on_alarm = ["notify", "--sea"].
    Collect(CollectArguments),
    /// Show and change the watch list
    Deployments {
        #[command(subcommand)]
        command: DeploymentsCommand,
    },
    /// Create and delete plants; list those that the requests from this computer are about
    Plants {
        #[command(subcommand)]
        command: PlantsCommand,
    },
    /// Store the token, show its source, remove it
    Auth {
        #[command(subcommand)]
        command: AuthCommand,
    },
    /// Inspect, check, shrink, copy or export the archive
    Archive {
        #[command(subcommand)]
        command: ArchiveCommand,
    },
    /// Show the settings, and where each value comes from
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page in roff; with --output write those of all commands
    Man {
        /// Write the page of every command to this folder; created if it does not exist
        #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        output: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(super) struct DemoArguments {
    /// Open on this deployment: its id, its label, or the first 4 or more characters of its id
    #[arg(value_name = "DEPLOYMENT", conflicts_with = "serve")]
    pub(super) deployment: Option<String>,
    /// Run only the service, until Ctrl-C; the first line is a JSON object with its address and token
    #[arg(long)]
    pub(super) serve: bool,
    /// Print a line for each change instead of a dashboard
    #[arg(long, conflicts_with = "serve")]
    pub(super) plain: bool,
    /// Draw the lines, areas and named points of this GeoJSON, GPX or KML file below the tracks; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "serve")]
    pub(super) overlay: Vec<PathBuf>,
    /// The service's port [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true, value_parser = port)]
    pub(super) port: u16,
}

/// Parses the number of a port; 0 is a free one.
fn port(typed: &str) -> Result<u16, String> {
    typed
        .parse()
        .map_err(|_| "a port is a number from 1 to 65535, or 0 for a free one".to_owned())
}

#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// The deployments, each by its id, its label, or the first 4 or more characters of its id; or a file with a track; - is standard input
    #[arg(value_name = "DEPLOYMENT|FILE", conflicts_with = "all")]
    pub(super) deployments: Vec<String>,
    /// Check the whole watch list: a summary, then a line for each deployment that is not declared recovered or lost
    #[arg(long)]
    pub(super) all: bool,
    /// Overdue if the last fix is older, e.g. 6h
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub(super) max_age: Option<String>,
    /// Outside if the last fix is farther than RADIUS from this position (metres, or 500m, 2km, 1nm), or outside the polygons of a GeoJSON file (FILE#NAME: only features with this name)
    #[arg(long, value_name = "LAT,LON,RADIUS|FILE.geojson", allow_hyphen_values = true, value_hint = ValueHint::FilePath)]
    pub(super) inside: Option<String>,
    /// End with 3 (unknown) if there is no result after this time
    #[arg(
        long,
        value_name = "DURATION",
        allow_hyphen_values = true,
        default_value = "60s"
    )]
    pub(super) deadline: String,
    #[command(flatten)]
    pub(super) speed: SpeedLimit,
    #[command(flatten)]
    pub(super) printed: Printed,
    #[command(flatten)]
    pub(super) file: FileArguments,
}

#[derive(Debug, Subcommand)]
pub(super) enum AuthCommand {
    /// Store a token in the OS keyring: prompts, or reads standard input
    Login,
    /// Show where the token is stored, never the token itself
    Status {
        #[command(flatten)]
        printed: Printed,
    },
    /// Remove the token from the OS keyring
    Logout,
}

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Show the path of the settings file
    Path,
    /// Print the table that describes the service of the profile
    Service,
    /// Show every setting with its value and source
    Show {
        #[command(flatten)]
        printed: Printed,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Format;
    use crate::text::choice;
    use crate::track::Platform;

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
        assert!(alone.command.is_none() && alone.words.len() == 1);
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
            ("map", "--format", vec!["svg", "png"]),
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
            let names = choice::names::<Format>().chain(choice::names::<Platform>());
            for name in names {
                assert!(script.contains(name), "{shell}: {name}");
            }
        }
    }

    #[test]
    fn every_flag_before_a_command_has_a_value_but_those_that_switch() {
        let flags = Global::with_values();
        assert!(flags.contains(&"--base-url".to_owned()), "{flags:?}");
        assert!(!flags.contains(&"--verbose".to_owned()), "{flags:?}");
        assert!(!flags.contains(&"--plain".to_owned()), "{flags:?}");
        assert_eq!(flags.len(), 12);
    }
}
