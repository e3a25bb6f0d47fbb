//! The arguments of the commands on the watch list.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use strum::VariantArray;

use super::printed::{Printed, one_of};
use crate::track::{DeclaredState, Platform};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum DeploymentsCommand {
    /// Add a deployment to the watch list, or change its entry
    Add {
        /// The deployment: a UUID, or a URL that contains one; at another kind of service its id there
        #[arg(value_name = "UUID")]
        deployment: String,
        #[command(flatten)]
        members: MemberArguments,
    },
    /// Show the watch list
    #[command(visible_alias = "ls")]
    List {
        /// Show the deployments of all services, not only of that in use
        #[arg(long)]
        all_services: bool,
        #[command(flatten)]
        printed: Printed,
    },
    /// Stop watching deployments; keep their data
    #[command(visible_alias = "rm")]
    Remove {
        /// The deployments, each by its id, its label, or the first 4 or more characters of its id
        #[arg(value_name = "DEPLOYMENT", required = true)]
        deployments: Vec<String>,
    },
    /// Change an entry of the watch list; leave everything else unchanged
    Set {
        /// The deployment: its id, its label, or the first 4 or more characters of its id
        #[arg(value_name = "DEPLOYMENT")]
        deployment: String,
        #[command(flatten)]
        members: MemberArguments,
    },
    /// Show the deployments that another kind of service lists
    Find(FindArguments),
    /// Add or change many deployments from a CSV file; its header has uuid and any of label, group, platform, max_age, inside, below, above, max_speed, from, until, state, notes
    Import {
        /// The file; - is standard input
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Write the watch list as a CSV file that `import` reads
    Export {
        /// The file, replaced if it exists [default: standard output]
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        /// The file, as a flag
        #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "file")]
        output: Option<PathBuf>,
    },
}

/// The arguments of `deployments find`.
#[derive(Debug, Args)]
pub(in crate::cli) struct FindArguments {
    /// Only deployments with this text in their id or label
    #[arg(value_name = "TEXT")]
    pub(in crate::cli) text: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) printed: Printed,
}

/// The members of a watch list entry.
#[derive(Debug, Default, Args)]
pub(in crate::cli) struct MemberArguments {
    /// Display name; empty clears
    #[arg(long, value_name = "LABEL")]
    pub(in crate::cli) label: Option<String>,
    /// Group that it is shown in; `none` clears
    #[arg(long, value_name = "GROUP")]
    pub(in crate::cli) group: Option<String>,
    /// Platform that carries the instrument [default: generic]
    #[arg(long, value_name = "PLATFORM", value_parser = one_of(Platform::VARIANTS))]
    pub(in crate::cli) platform: Option<Platform>,
    /// Alarm if the last fix is older, e.g. 6h; `none` clears
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub(in crate::cli) max_age: Option<String>,
    /// Alarm if it leaves this circle, or the polygons of a GeoJSON file (FILE#NAME: only features with this name); `none` clears
    #[arg(long, value_name = "LAT,LON,RADIUS|FILE.geojson", allow_hyphen_values = true, value_hint = ValueHint::FilePath)]
    pub(in crate::cli) inside: Option<String>,
    /// Alarm if a field is below this value, which may have a unit: battery=11.5 or "battery=11.5 V"; FIELD=none clears that limit, `none` all
    #[arg(long, value_name = "FIELD=VALUE")]
    pub(in crate::cli) below: Vec<String>,
    /// Alarm if a field is above this value; FIELD=none clears that limit, `none` all
    #[arg(long, value_name = "FIELD=VALUE")]
    pub(in crate::cli) above: Vec<String>,
    /// Speed limit of the quality tests instead of the platform's, e.g. 10kn, 5m/s, 18km/h; `none` clears
    #[arg(long, value_name = "SPEED", allow_hyphen_values = true)]
    pub(in crate::cli) max_speed: Option<String>,
    /// Fixes before this time do not count: RFC 3339, a date, or an age such as 7d (UTC if no zone is given); `none` clears
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(in crate::cli) from: Option<String>,
    /// Fixes after this time do not count; `none` clears
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(in crate::cli) until: Option<String>,
    /// Declare its state; a recovered or lost deployment is never late and raises no alarm
    #[arg(long, value_name = "STATE", value_parser = one_of(DeclaredState::VARIANTS))]
    pub(in crate::cli) state: Option<DeclaredState>,
    /// Notes about the deployment; empty clears
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) notes: Option<String>,
}
