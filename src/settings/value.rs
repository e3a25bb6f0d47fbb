//! A setting's value with its source.

use std::path::PathBuf;
use std::time::Duration;

use crate::chart::GlyphSet;
use crate::track::time::{TimeError, parse_duration};

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// A flag on the command line.
    Flag(&'static str),
    /// An environment variable.
    Environment(&'static str),
    /// The configuration file, at this line.
    File {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// The default: nothing sets it.
    Default,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "flag {name}"),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A value with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Valued<T> {
    /// The value.
    pub value: T,
    /// The value as it is shown: as it was written.
    pub shown: String,
    /// Its source.
    pub source: Source,
}

impl<T> Valued<T> {
    pub(super) fn new(value: T, shown: impl Into<String>, source: Source) -> Self {
        Self {
            value,
            shown: shown.into(),
            source,
        }
    }

    /// A default value.
    pub(super) fn default(value: T, shown: impl Into<String>) -> Self {
        Self::new(value, shown, Source::Default)
    }
}

/// The glyphs that maps are drawn with; `None`: chosen by the terminal.
pub(crate) type Markers = Option<GlyphSet>;

/// The name of [`Markers`] that are chosen by the terminal.
pub(super) const AUTO: &str = "auto";

/// The name of the profile at the file's top level.
pub(super) const DEFAULT: &str = "default";

/// Parses a duration such as `30s`.
pub(super) fn span(text: &str) -> Result<Duration, TimeError> {
    parse_duration(text).map(Duration::from_secs_f64)
}
