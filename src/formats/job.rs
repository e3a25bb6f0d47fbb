//! A file that a user has typed in the dashboard: what goes into it, and what was written.

use std::sync::Arc;

use strum::VariantArray;

use super::format::Format;
use super::image::{ImageFormat, Style};
use crate::map::PreparedTrack;
use crate::watch::Deployment;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileFormat {
    /// Of the fixes of a track.
    Track(Format),
    /// Of the map of a track.
    Map(ImageFormat),
}

impl FileFormat {
    /// The formats that this build writes, the pictures last.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let built = Format::VARIANTS.iter().filter(|format| format.is_built());
        let pictures = [ImageFormat::Svg, ImageFormat::Png].map(Self::Map);
        built.map(|format| Self::Track(*format)).chain(pictures)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Track(format) => format.name(),
            Self::Map(format) => format.into(),
        }
    }

    /// `true` if its files have the fields of records.
    pub(crate) fn has_fields(self) -> bool {
        matches!(self, Self::Track(format) if format.has_fields())
    }

    /// The extension of its file names.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Track(format) => format.extension(),
            Self::Map(_) => self.name(),
        }
    }
}

/// A track, or its map, to write to a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ExportJob {
    pub deployment: Deployment,
    pub track: Arc<PreparedTrack>,
    /// The first and the last time of the fixes to write, UNIX seconds; `None`
    /// for all.
    pub range: Option<(f64, f64)>,
    /// `true` without the fixes that failed.
    pub without_failed: bool,
    /// When the track was fetched, UNIX seconds.
    pub fetched_at: f64,
    /// The current time, UNIX seconds.
    pub now: f64,
    pub format: FileFormat,
    /// How the map is drawn, for a map format.
    pub style: Style,
    /// The path as typed.
    pub path: String,
    /// `true` if an existing file may be replaced.
    pub replace: bool,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrittenFile {
    /// Its full path.
    pub path: String,
    pub fixes: usize,
    /// Its size.
    pub bytes: u64,
}
