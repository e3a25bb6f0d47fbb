//! The settings, each declared once: reading and checking, flags and environment
//! variables, `config show`, the dialog of the dashboard, the settings file and the
//! tables of the manual follow from [`SETTINGS`].

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{DEFAULT, Values};
use crate::choice::{self, Choice};
use crate::geo::projection::UsualProjection;
use crate::geo::{CoordinateFormat, Units};
use crate::location::ArchiveLocation;
use crate::map::GlyphSet;
use crate::mapping::Mapping;
use crate::palette::{ColourScale, ThemeName};
use crate::track::sort::{deployment_orders, track_orders};
use crate::track::time::ShownZone;

/// A setting.
pub(crate) struct Setting {
    /// Its name in the file.
    pub name: &'static str,
    /// Its meaning, for the manual.
    pub help: &'static str,
    /// Its flag.
    pub flag: Option<&'static str>,
    /// Its environment variable.
    pub variable: Option<&'static str>,
    /// Its default, as it is written in the file; `None` leaves it unset.
    pub(super) default: Option<&'static str>,
    /// The text that is shown while it is unset.
    pub(super) unset: &'static str,
    /// The time when a change counts: at once in the dashboard, or at the next start.
    pub(super) changes: Changes,
    /// The inheritance of a top-level value by a profile without one of its own.
    pub(super) inherited: Inherited,
    /// The type of its values, and where a value is put.
    pub(super) kind: Kind,
}

/// When a change of a setting counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Changes {
    /// At once in the dashboard.
    AtOnce,
    /// At the next start.
    AtNextStart,
}

/// The inheritance of a top-level value by a profile without one of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inherited {
    /// It inherits the value.
    Always,
    /// A permission for one service does not apply to another.
    Never,
    /// The token must not reach another service by the URL of the top level.
    WithBaseUrl,
    /// A program is no part of the service of the top level.
    UnlessProgram,
}

/// The type of a setting's values, and where a value is put.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Any text.
    Text(fn(&mut Values, String)),
    /// A file.
    File(fn(&mut Values, PathBuf)),
    /// An archive: a file, or a database on a server.
    Archive(fn(&mut Values, ArchiveLocation)),
    /// `true` or `false`.
    Switch(fn(&mut Values, bool)),
    /// A duration, not below the first.
    Duration(Duration, fn(&mut Values, Duration)),
    /// A number of requests at once.
    Requests(fn(&mut Values, usize)),
    /// A number of bytes.
    Bytes(fn(&mut Values, u64)),
    /// A host and a port.
    Address(fn(&mut Values, String)),
    /// Names of fields.
    Fields(fn(&mut Values, Vec<String>)),
    /// Files.
    Files(fn(&mut Values, Vec<PathBuf>)),
    /// The mapping of a service.
    Service(fn(&mut Values, Mapping)),
    /// A program with its arguments.
    Program(fn(&mut Values, Vec<String>)),
    /// A name from a short list.
    OneOf(fn() -> Vec<String>, fn(&mut Values, &str)),
}

/// A setting with the usual properties.
const USUAL: Setting = Setting {
    name: "",
    help: "",
    flag: None,
    variable: None,
    default: None,
    unset: "",
    changes: Changes::AtNextStart,
    inherited: Inherited::Always,
    kind: Kind::Switch(|_, _| ()),
};

/// The name of glyphs that are chosen by the terminal.
const AUTO: &str = "auto";

/// The settings, in the order in which they are shown.
pub(crate) static SETTINGS: &[Setting] = &[
    Setting {
        name: "profile",
        help: "The profile to use.",
        flag: Some("--profile"),
        variable: Some("DRIFTLINE_PROFILE"),
        default: Some(DEFAULT),
        kind: Kind::Text(|values, name| values.profile = name),
        ..USUAL
    },
    Setting {
        name: "base_url",
        help: "The service's base URL, if one is set.",
        flag: Some("--base-url"),
        variable: Some("DRIFTLINE_BASE_URL"),
        inherited: Inherited::UnlessProgram,
        kind: Kind::Text(|values, url| values.base_url = Some(url)),
        ..USUAL
    },
    Setting {
        name: "sandbox_url",
        help: "The URL where plants are created; unset: the base URL.",
        flag: Some("--sandbox-url"),
        variable: Some("DRIFTLINE_SANDBOX_URL"),
        inherited: Inherited::WithBaseUrl,
        kind: Kind::Text(|values, url| values.sandbox_url = Some(url)),
        ..USUAL
    },
    Setting {
        name: "service",
        help: "The table of another kind of service, see the page Other services; unset: driftline's own interface.",
        unset: "(driftline's own interface)",
        inherited: Inherited::WithBaseUrl,
        kind: Kind::Service(|values, mapping| values.service = Some(mapping)),
        ..USUAL
    },
    Setting {
        name: "allow_insecure_http",
        help: "Whether a token may be sent over plain http.",
        default: Some("false"),
        inherited: Inherited::Never,
        kind: Kind::Switch(|values, allowed| values.allow_insecure_http = allowed),
        ..USUAL
    },
    Setting {
        name: "ca_file",
        help: "Certificates to trust in addition to the system's, in PEM; a relative path is relative to the folder of the settings file, `~/` to the home directory.",
        kind: Kind::File(|values, file| values.ca_file = Some(file)),
        ..USUAL
    },
    Setting {
        name: "archive",
        help: "The archive: a file, or `postgres://USER@HOST/DATABASE`; unset without a home directory.",
        flag: Some("--archive"),
        variable: Some("DRIFTLINE_ARCHIVE"),
        kind: Kind::Archive(|values, archive| values.archive = Some(archive)),
        ..USUAL
    },
    Setting {
        name: "timeout",
        help: "Idle timeout of a connection.",
        flag: Some("--timeout"),
        default: Some("30s"),
        kind: Kind::Duration(Duration::ZERO, |values, timeout| values.timeout = timeout),
        ..USUAL
    },
    Setting {
        name: "refresh",
        help: "Shortest wait between two requests for a deployment, a day at most.",
        default: Some("60s"),
        kind: Kind::Duration(Duration::from_secs(1), |values, refresh| {
            // No wait is longer, whatever is set.
            values.refresh = refresh.min(Duration::from_secs(86_400));
        }),
        ..USUAL
    },
    Setting {
        name: "max_response",
        help: "Maximum size of a response, bytes, decompressed.",
        default: Some("1073741824"),
        kind: Kind::Bytes(|values, bytes| values.max_response = bytes),
        ..USUAL
    },
    Setting {
        name: "fields",
        help: "The fields to request in addition to time, position and fields with a limit: names, in which `*` means any characters; `[]` requests time and position only; unset requests whole records.",
        variable: Some("DRIFTLINE_FIELDS"),
        unset: "(whole records)",
        kind: Kind::Fields(|values, names| values.fields = Some(names)),
        ..USUAL
    },
    Setting {
        name: "on_alarm",
        help: "The program to run for each alarm, with its arguments; `~/` before the program is the home directory.",
        unset: "(none)",
        kind: Kind::Program(|values, words| values.on_alarm = words),
        ..USUAL
    },
    Setting {
        name: "workers",
        help: "Most requests of `collect` at once.",
        default: Some("8"),
        kind: Kind::Requests(|values, count| values.workers = count),
        ..USUAL
    },
    Setting {
        name: "workers_per_service",
        help: "Most requests of `collect` to one service at once.",
        default: Some("2"),
        kind: Kind::Requests(|values, count| values.workers_per_service = count),
        ..USUAL
    },
    Setting {
        name: "log",
        help: "Whether requests and their outcomes are written to a log: not with `off` and `error`.",
        variable: Some("DRIFTLINE_LOG"),
        default: Some("off"),
        kind: Kind::OneOf(names::<LogLevel>, |values, name| put(&mut values.log, name)),
        ..USUAL
    },
    Setting {
        name: "units",
        help: "Units of speeds and distances.",
        default: Some("nautical"),
        changes: Changes::AtOnce,
        kind: Kind::OneOf(names::<Units>, |values, name| put(&mut values.units, name)),
        ..USUAL
    },
    Setting {
        name: "coordinates",
        help: "How coordinates are written.",
        default: Some("dd"),
        changes: Changes::AtOnce,
        kind: Kind::OneOf(names::<CoordinateFormat>, |values, name| {
            put(&mut values.coordinates, name);
        }),
        ..USUAL
    },
    Setting {
        name: "time_zone",
        help: "The time zone that the dashboard shows times in.",
        default: Some("utc"),
        changes: Changes::AtOnce,
        kind: Kind::OneOf(names::<ShownZone>, |values, name| {
            put(&mut values.time_zone, name);
        }),
        ..USUAL
    },
    Setting {
        name: "deployments_sort",
        help: "The order of the list of deployments in the dashboard.",
        default: Some("status"),
        changes: Changes::AtOnce,
        kind: Kind::OneOf(
            || deployment_orders().collect(),
            |values, name| put(&mut values.deployments_sort, name),
        ),
        ..USUAL
    },
    Setting {
        name: "track_sort",
        help: "The order of the fixes of a track that the dashboard opens.",
        default: Some("time"),
        changes: Changes::AtOnce,
        kind: Kind::OneOf(
            || track_orders().collect(),
            |values, name| put(&mut values.track_sort, name),
        ),
        ..USUAL
    },
    Setting {
        name: "track_projection",
        help: "The projection of the map of a track, if it can show the track; otherwise, and with `auto`, driftline chooses.",
        default: Some("auto"),
        changes: Changes::AtOnce,
        kind: Kind::OneOf(names::<UsualProjection>, |values, name| {
            put(&mut values.track_projection, name);
        }),
        ..USUAL
    },
    Setting {
        name: "world_projection",
        help: "The projection of the map of all deployments, as `track_projection`.",
        default: Some("auto"),
        changes: Changes::AtOnce,
        kind: Kind::OneOf(names::<UsualProjection>, |values, name| {
            put(&mut values.world_projection, name);
        }),
        ..USUAL
    },
    Setting {
        name: "markers",
        help: "The glyphs that maps are drawn with.",
        default: Some(AUTO),
        changes: Changes::AtOnce,
        kind: Kind::OneOf(
            || [vec![AUTO.to_owned()], names::<GlyphSet>()].concat(),
            |values, name| values.markers = name.parse().ok(),
        ),
        ..USUAL
    },
    Setting {
        name: "theme",
        help: "The colours of the screen.",
        default: Some("auto"),
        changes: Changes::AtOnce,
        kind: Kind::OneOf(names::<ThemeName>, |values, name| {
            put(&mut values.theme, name);
        }),
        ..USUAL
    },
    Setting {
        name: "colour_scale",
        help: "The colour scale of a track.",
        default: Some("viridis"),
        changes: Changes::AtOnce,
        kind: Kind::OneOf(names::<ColourScale>, |values, name| {
            put(&mut values.colour_scale, name);
        }),
        ..USUAL
    },
    Setting {
        name: "notify",
        help: "How the dashboard notifies its terminal of an alarm.",
        default: Some("auto"),
        changes: Changes::AtOnce,
        kind: Kind::OneOf(names::<Notify>, |values, name| {
            put(&mut values.notify, name);
        }),
        ..USUAL
    },
    Setting {
        name: "gpsd",
        help: "The gpsd with the position of your ship, for the retrieval card.",
        unset: "(none)",
        kind: Kind::Address(|values, address| values.gpsd = Some(address)),
        ..USUAL
    },
    Setting {
        name: "overlays",
        help: "Files of GeoJSON, GPX or KML whose lines, areas and named points are drawn below the tracks, each read again when it changes.",
        unset: "(none)",
        kind: Kind::Files(|values, files| values.overlays = files),
        ..USUAL
    },
    Setting {
        name: "marked",
        help: "The ids of the deployments that are marked for one map, at most 26; the dashboard writes them when a mark changes.",
        unset: "(none)",
        // The ids belong to a service.
        inherited: Inherited::WithBaseUrl,
        kind: Kind::Fields(|values, ids| values.marked = ids),
        ..USUAL
    },
    Setting {
        name: "mouse",
        help: "Whether the dashboard uses the mouse; `false` leaves it to the terminal.",
        default: Some("true"),
        changes: Changes::AtOnce,
        kind: Kind::Switch(|values, used| values.mouse = used),
        ..USUAL
    },
];

fn names<T: Choice>() -> Vec<String> {
    choice::names::<T>().map(str::to_owned).collect()
}

/// Puts the value of this name, which is one of the options of its setting.
fn put<T: FromStr>(value: &mut T, name: &str) {
    if let Ok(named) = name.parse() {
        *value = named;
    }
}

/// How the dashboard notifies its terminal of an alarm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Notify {
    /// By what the terminal is.
    #[default]
    Auto,
    /// By OSC 777, with a title.
    Osc777,
    /// By OSC 9, one text.
    Osc9,
    /// By OSC 99, with a title.
    Osc99,
    /// By the bell.
    Bell,
    /// Not at all.
    Off,
}

/// The level of the log. The levels above errors write the same: each request with
/// its outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs)] // the usual names of levels
pub(crate) enum LogLevel {
    #[default]
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl LogLevel {
    /// `true` if a log is written.
    pub(crate) fn is_written(self) -> bool {
        !matches!(self, Self::Off | Self::Error)
    }
}
