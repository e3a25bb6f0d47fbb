//! The arguments of the commands about tracks.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use strum::VariantArray;

use super::printed::{Printed, Tracks, one_of};
use crate::formats::columns_help;
use crate::formats::image::ImageFormat;
use crate::formats::read::{ChosenColumns, IdChoice};
use crate::mapping::TimeFormat;
use crate::track::Platform;
use crate::track::quality::method;

/// The part of a track, and the speed limit of its quality tests.
#[derive(Debug, Args)]
pub(in crate::cli) struct Selection {
    /// From this time on: RFC 3339, a date, or an age such as 7d (UTC if no zone is given)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(in crate::cli) since: Option<String>,
    /// Up to this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(in crate::cli) until: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) speed: SpeedLimit,
}

/// How a file is read whose columns have unusual names.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Files")]
pub(in crate::cli) struct FileArguments {
    /// The deployment of a file that has several
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) id: Option<String>,
    #[command(flatten)]
    columns: ColumnArguments,
}

impl FileArguments {
    /// The columns that are named.
    pub(in crate::cli) fn columns(&self) -> ChosenColumns {
        self.columns.chosen()
    }
}

/// The columns of a file whose names are unusual, and how its times are written.
#[derive(Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Files")]
pub(in crate::cli) struct ColumnArguments {
    /// The column with the time, or two of date and time: DATE,TIME
    #[arg(long, value_name = "NAME")]
    time_column: Option<String>,
    /// The column with the latitude
    #[arg(long, value_name = "NAME")]
    latitude_column: Option<String>,
    /// The column with the longitude
    #[arg(long, value_name = "NAME")]
    longitude_column: Option<String>,
    /// The column with the id of the deployment; none takes the file as one track
    #[arg(long, value_name = "NAME|none")]
    id_column: Option<String>,
    /// How the times are written: a pattern such as '%d.%m.%y %H:%M', or unix, unix_ms, year_doy, excel
    #[arg(long, value_name = "PATTERN", value_parser = time_format)]
    time_format: Option<TimeFormat>,
}

/// The format of times that is typed.
fn time_format(typed: &str) -> Result<TimeFormat, String> {
    TimeFormat::read(typed).ok_or_else(|| format!("{} is expected", TimeFormat::FORMS))
}

impl ColumnArguments {
    /// The columns that are named.
    pub(in crate::cli) fn chosen(&self) -> ChosenColumns {
        ChosenColumns {
            time: self.time_column.clone(),
            latitude: self.latitude_column.clone(),
            longitude: self.longitude_column.clone(),
            id: match self.id_column.as_deref() {
                None => IdChoice::ByName,
                Some("none") => IdChoice::None,
                Some(name) => IdChoice::Column(name.to_owned()),
            },
            time_format: self.time_format.clone(),
            ..ChosenColumns::default()
        }
    }
}

/// The speed limit of the quality tests.
#[derive(Debug, Args)]
pub(in crate::cli) struct SpeedLimit {
    /// The platform whose speed limits apply [default: the watch list's]
    #[arg(long, value_name = "PLATFORM", value_parser = one_of(Platform::VARIANTS))]
    pub(in crate::cli) platform: Option<Platform>,
    /// Speed limit of the quality tests, e.g. 10kn, 5m/s, 18km/h [default: the watch list's, else the platform's]
    #[arg(long, value_name = "SPEED", allow_hyphen_values = true)]
    pub(in crate::cli) max_speed: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct TrackArguments {
    /// The deployments, each by its id, its label, or the first 4 or more characters of its id; or a file with a track; - is standard input
    #[arg(value_name = "DEPLOYMENT|FILE", required = true)]
    pub(in crate::cli) deployments: Vec<String>,
    #[command(flatten)]
    pub(in crate::cli) printed: Printed<Tracks>,
    /// Write to a file, atomically; to DIR/ a file for each deployment, named by its id; - is standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) output: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) selection: Selection,
    /// Leave out fixes that failed a quality test
    #[arg(long)]
    pub(in crate::cli) exclude_failed: bool,
    /// Write these fields of the records, e.g. air_temp,dtc_values_*; none for no field [default: all]
    #[arg(long, value_name = "NAMES")]
    pub(in crate::cli) fields: Option<String>,
    /// Use only the archive; send no request
    #[arg(long)]
    pub(in crate::cli) offline: bool,
    // Last, as its heading is that of all arguments behind it.
    #[command(flatten)]
    pub(in crate::cli) file: FileArguments,
}

/// The text of `track --help` below its options: the columns of the files, and the quality
/// tests with their limits.
pub(super) fn after_help() -> String {
    format!(
        "Columns of csv and parquet, members of a fix in json, ndjson and geojson:\n{}Then every field of the records by its own name (csv and parquet: with the prefix field_ if it has a name of this list),\nin json, ndjson and geojson as members of `fields`. NetCDF has a variable for each\n(with the prefix field_ if the file has a variable or dimension of that name); gpx and kml have none.\n\n{}",
        columns_help(),
        method::help_text()
    )
}

/// The text of `where --help` below its options.
pub(in crate::cli) const WHERE_EXAMPLES: &str = "Examples:
  driftline where 'buoy 7'                                   now, from its last good fix on
  driftline where 'buoy 7' --at +6h                          in six hours
  driftline where 'buoy 7' --from '81 30 N 20 15 W' --speed 10kn
                                                             with bearing, range, and where a ship meets it
  driftline where 'buoy 7' --short                           one line for a text message
  driftline where 'buoy 7' --json | jq .r90_m

The last good fix moves on by the motion that was nearest over its own last 30 days, or
by the motion of a neighbour on the watch list since then. Half of the true positions lie within
the first circle (r50_m), nine of ten within the second (r90_m).";

#[derive(Debug, Args)]
pub(in crate::cli) struct WhereArguments {
    /// The deployment: its id, its label, or the first 4 or more characters of its id
    #[arg(value_name = "DEPLOYMENT")]
    pub(in crate::cli) deployment: String,
    /// The moment: +6h from now, RFC 3339, a date, or an age such as 2d (UTC if no zone is given); for a past moment only what was known then counts [default: now]
    #[arg(long, value_name = "TIME|+DURATION", allow_hyphen_values = true)]
    pub(in crate::cli) at: Option<String>,
    /// Position of your ship: adds range and bearing
    #[arg(long, value_name = "LAT,LON", allow_hyphen_values = true)]
    pub(in crate::cli) from: Option<String>,
    /// Speed of your ship, e.g. 10kn, 5m/s, 18km/h: adds its arrival, and where it meets the instrument
    #[arg(
        long,
        value_name = "SPEED",
        requires = "from",
        allow_hyphen_values = true
    )]
    pub(in crate::cli) speed: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) printed: Printed,
    /// Print one line of at most 160 ASCII characters
    #[arg(long)]
    pub(in crate::cli) short: bool,
    /// Use only the archive; send no request
    #[arg(long)]
    pub(in crate::cli) offline: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct MapArguments {
    /// The deployments, each by its id, its label, or the first 4 or more characters of its id; or files with tracks; - is standard input
    #[arg(
        value_name = "DEPLOYMENT|FILE",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    pub(in crate::cli) deployments: Vec<String>,
    /// Draw the whole watch list: what is due is fetched, the rest is from the archive
    #[arg(long)]
    pub(in crate::cli) all: bool,
    /// The file, whose name ends in .svg or .png; - is standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) output: PathBuf,
    /// The format [default: by the name of the file, else svg]
    #[arg(short, long, value_name = "FORMAT", value_parser = one_of(ImageFormat::VARIANTS))]
    pub(in crate::cli) format: Option<ImageFormat>,
    /// Width and height in pixels, 200 to 8000 each
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1200x800")]
    pub(in crate::cli) size: String,
    /// Colour the line of a single track by time, speed, flag, or a field of the records [default: time]
    #[arg(long, visible_alias = "color", value_name = "FIELD")]
    pub(in crate::cli) colour: Option<String>,
    /// Draw the lines, areas and named points of this GeoJSON, GPX or KML file below the tracks; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) overlay: Vec<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) selection: Selection,
    /// Use only the archive; send no request
    #[arg(long)]
    pub(in crate::cli) offline: bool,
    // Last, as its heading is that of all arguments behind it.
    #[command(flatten)]
    pub(in crate::cli) file: FileArguments,
}
