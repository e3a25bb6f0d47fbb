//! The settings, each declared once: reading and checking, flags and environment
//! variables, `config show`, the dialog of the dashboard, the settings file and the
//! tables of the manual follow from [`SETTINGS`].

use std::path::PathBuf;
use std::time::Duration;

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::DEFAULT;
use crate::archive::location::ArchiveLocation;
use crate::geo::{CoordinateFormat, Units};
use crate::map::GlyphSet;
use crate::map::fields::ProfileScale;
use crate::mapping::Mapping;
use crate::palette::ThemeName;
use crate::text::choice::{self, Choice};
use crate::track::time::ShownZone;

pub(crate) struct Setting {
    /// Its name in the file.
    pub name: &'static str,
    /// Its meaning, for the manual.
    pub help: &'static str,
    /// Its name in the dialog of the dashboard; empty: that of the file, with blanks.
    pub(super) label: &'static str,
    /// The words of values in the dialog, if they are not those of the file.
    pub(super) words: &'static [(&'static str, &'static str)],
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
    /// An archive: a file, or a database on a server.
    Archive(fn(&mut Values, ArchiveLocation)),
    /// `true` or `false`.
    Switch(fn(&mut Values, bool)),
    /// A duration, not below the first; a longer one than the second counts as that.
    Duration(Duration, Duration, fn(&mut Values, Duration)),
    /// A number of requests at once.
    Requests(fn(&mut Values, usize)),
    /// A number of bytes.
    Bytes(fn(&mut Values, u64)),
    /// A host and a port.
    Address(fn(&mut Values, String)),
    /// Names of fields.
    Fields(fn(&mut Values, Vec<String>)),
    Files(fn(&mut Values, Vec<PathBuf>)),
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
    label: "",
    words: &[],
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

/// Glyphs of maps, or those that suit the terminal.
const MARKERS: Kind = Kind::OneOf(
    || [vec![AUTO.to_owned()], names::<GlyphSet>()].concat(),
    |values, name| values.markers = name.parse().ok(),
);

/// No wait is longer, whatever is set.
const LONGEST_WAIT: Duration = Duration::from_secs(86_400);

/// The kind of a setting's values, and the member that a value is put into.
macro_rules! kind {
    ($name:ident: $type:ty, = $kind:expr) => { $kind };
    ($name:ident: $type:ty, one_of) => {
        Kind::OneOf(names::<$type>, |values, name| {
            // It is one of the options.
            if let Ok(value) = name.parse() {
                values.$name = value;
            }
        })
    };
    ($name:ident: $type:ty, $kind:ident $(($($bound:expr),*))?) => {
        Kind::$kind($($($bound,)*)? |values, value| values.$name = value.into())
    };
}

/// Declares the settings: the name and type of each, the kind of its values, and what is
/// given for it if it differs from [`USUAL`].
macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident: $type:ty [$($kind:tt)*] {
        $($member:ident: $value:expr),* $(,)?
    })*) => {
        /// The values of the settings; [`SETTINGS`] has the meaning of each.
        #[derive(Debug, Clone, PartialEq, Default)]
        #[allow(missing_docs)]
        pub(crate) struct Values {
            $($(#[$doc])* pub $name: $type,)*
        }

        /// The settings, in the order in which they are shown.
        pub(crate) static SETTINGS: &[Setting] = &[$(Setting {
            name: stringify!($name),
            kind: kind!($name: $type, $($kind)*),
            $($member: $value,)*
            ..USUAL
        }),*];
    };
}

settings! {
    profile: String [Text] {
        help: "The profile to use.",
        flag: Some("--profile"),
        variable: Some("DRIFTLINE_PROFILE"),
        default: Some(DEFAULT),
    }
    base_url: Option<String> [Text] {
        help: "The service's base URL, if one is set.",
        flag: Some("--base-url"),
        variable: Some("DRIFTLINE_BASE_URL"),
        inherited: Inherited::UnlessProgram,
    }
    sandbox_url: Option<String> [Text] {
        help: "The URL where plants are created; unset: the base URL.",
        flag: Some("--sandbox-url"),
        variable: Some("DRIFTLINE_SANDBOX_URL"),
        inherited: Inherited::WithBaseUrl,
    }
    /// The requests to another kind of service.
    service: Option<Mapping> [Service] {
        help: "The table of another kind of service, see the page Other services; unset: driftline's own interface.",
        unset: "(driftline's own interface)",
        inherited: Inherited::WithBaseUrl,
    }
    allow_insecure_http: bool [Switch] {
        help: "Whether a token may be sent over plain http.",
        default: Some("false"),
        inherited: Inherited::Never,
    }
    archive: Option<ArchiveLocation> [Archive] {
        help: "The archive: a file, or `postgres://USER@HOST/DATABASE`; unset without a home directory.",
        flag: Some("--archive"),
        variable: Some("DRIFTLINE_ARCHIVE"),
    }
    timeout: Duration [Duration(Duration::ZERO, Duration::MAX)] {
        help: "Idle timeout of a connection.",
        flag: Some("--timeout"),
        default: Some("30s"),
    }
    refresh: Duration [Duration(Duration::from_secs(1), LONGEST_WAIT)] {
        help: "Shortest wait between two requests for a deployment, a day at most.",
        default: Some("60s"),
    }
    max_response: u64 [Bytes] {
        help: "Maximum size of a response, bytes, decompressed.",
        default: Some("1073741824"),
    }
    fields: Option<Vec<String>> [Fields] {
        help: "The fields to request in addition to time, position and fields with a limit: names, in which `*` means any characters; `[]` requests time and position only; unset requests whole records.",
        variable: Some("DRIFTLINE_FIELDS"),
        unset: "(whole records)",
    }
    on_alarm: Vec<String> [Program] {
        help: "The program to run for each alarm, with its arguments; `~/` before the program is the home directory.",
        unset: "(none)",
    }
    workers: usize [Requests] {
        help: "Most requests of `collect` at once.",
        default: Some("8"),
    }
    workers_per_service: usize [Requests] {
        help: "Most requests of `collect` to one service at once.",
        default: Some("2"),
    }
    log: LogLevel [one_of] {
        help: "Whether requests and their outcomes are written to a log: not with `off` and `error`.",
        variable: Some("DRIFTLINE_LOG"),
        default: Some("off"),
    }
    units: Units [one_of] {
        help: "Units of speeds and distances.",
        default: Some("nautical"),
        changes: Changes::AtOnce,
        words: &[
            ("nautical", "nautical: nm, kn"),
            ("metric", "metric: km, km/h"),
            ("si", "SI: m, m/s"),
        ],
    }
    coordinates: CoordinateFormat [one_of] {
        help: "How coordinates are written.",
        default: Some("dd"),
        changes: Changes::AtOnce,
        words: &[
            ("dd", "decimal degrees"),
            ("ddm", "degrees, decimal minutes"),
            ("dms", "degrees, minutes, seconds"),
        ],
    }
    time_zone: ShownZone [one_of] {
        help: "The time zone that the dashboard shows times in.",
        default: Some("utc"),
        changes: Changes::AtOnce,
        words: &[("utc", "UTC")],
    }
    /// `None`: chosen by the terminal.
    markers: Option<GlyphSet> [= MARKERS] {
        help: "The glyphs that maps are drawn with.",
        default: Some(AUTO),
        changes: Changes::AtOnce,
        label: "glyphs of maps",
    }
    theme: ThemeName [one_of] {
        help: "The colours of the screen.",
        default: Some("auto"),
        changes: Changes::AtOnce,
    }
    profile_scale: ProfileScale [one_of] {
        help: "How the values of a profile are spread over its colours.",
        default: Some("auto"),
        changes: Changes::AtOnce,
        label: "colours of profiles",
    }
    notify: Notify [one_of] {
        help: "How the dashboard notifies its terminal of an alarm.",
        default: Some("auto"),
        changes: Changes::AtOnce,
        label: "notification",
    }
    gpsd: Option<String> [Address] {
        help: "The gpsd with the position of your ship, for the retrieval card.",
        unset: "(none)",
    }
    overlays: Vec<PathBuf> [Files] {
        help: "Files of GeoJSON, GPX or KML whose lines, areas and named points are drawn below the tracks, each read again when it changes.",
        unset: "(none)",
    }
    mouse: bool [Switch] {
        help: "Whether the dashboard uses the mouse; `false` leaves it to the terminal.",
        default: Some("true"),
        changes: Changes::AtOnce,
        words: &[("true", "on"), ("false", "off")],
    }
}

fn names<T: Choice>() -> Vec<String> {
    choice::names::<T>().map(str::to_owned).collect()
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
