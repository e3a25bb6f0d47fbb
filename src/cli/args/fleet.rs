//! The arguments of the commands that are about the whole watch list.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::printed::{LastFixes, Printed};

#[derive(Debug, Args)]
pub(in crate::cli) struct LatestArguments {
    /// Only these deployments, each by its id, its label, or the first 4 or more characters of its id [default: the watch list]
    #[arg(value_name = "DEPLOYMENT")]
    pub(in crate::cli) deployments: Vec<String>,
    /// The last good fix at or before this time: RFC 3339, a date, or an age such as 2d (UTC if no zone is given) [default: now]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(in crate::cli) at: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) printed: Printed<LastFixes>,
    /// Write to a file, atomically
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) output: Option<PathBuf>,
    /// Write these fields of the records to csv, json and geojson, e.g. air_temp,battery_*; none for no field [default: all]
    #[arg(long, value_name = "NAMES")]
    pub(in crate::cli) fields: Option<String>,
    /// Use only the archive; send no request
    #[arg(long)]
    pub(in crate::cli) offline: bool,
}

/// A user's reply to an alarm; also a word after `alarms`.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum AlarmCommand {
    /// Acknowledge an alarm; it sends no more reminders
    Ack {
        /// The alarm
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Silence the reminders of an alarm for a while
    Snooze {
        /// The alarm
        #[arg(value_name = "ID")]
        id: String,
        /// For how long, e.g. 12h
        #[arg(value_name = "DURATION")]
        duration: String,
    },
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(in crate::cli) struct AlarmsArguments {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<AlarmCommand>,
    /// Include alarms that have ended
    #[arg(long)]
    pub(in crate::cli) all: bool,
    #[command(flatten)]
    pub(in crate::cli) printed: Printed,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct CollectArguments {
    /// Fetch once what is due, then end; for cron
    #[arg(long)]
    pub(in crate::cli) once: bool,
    /// Most requests at once [default: the setting workers, or 8]; the setting workers_per_service limits those to one service
    #[arg(long, value_name = "NUMBER", value_parser = workers)]
    pub(in crate::cli) workers: Option<u16>,
}

/// Parses a number of requests.
fn workers(typed: &str) -> Result<u16, String> {
    let parsed = typed
        .parse()
        .ok()
        .filter(|number| (1..=64).contains(number));
    parsed.ok_or_else(|| "a number of requests is from 1 to 64".to_owned())
}
