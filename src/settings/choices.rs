//! Settings that choose one of a few names.

use strum::{EnumString, IntoStaticStr, VariantArray};

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
