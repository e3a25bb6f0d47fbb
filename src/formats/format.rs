//! The export formats of a track, and why an export fails.

use std::io;

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// An export format of a track, in the order shown to the user.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum Format {
    /// Aligned columns for a terminal.
    Table,
    /// Comma-separated values (RFC 4180).
    Csv,
    /// A JSON object with fixes, invalid records and summary.
    Json,
    /// JSON lines: one object for each fix.
    Ndjson,
    /// GeoJSON (RFC 7946).
    Geojson,
    /// GPX 1.1.
    Gpx,
    /// KML 2.2 with a gx:Track.
    Kml,
    /// NetCDF classic, a CF trajectory.
    Netcdf,
    /// GeoParquet 1.1.
    Parquet,
}

impl Format {
    /// The formats of the last fixes of a list, in the order shown to the user.
    pub(crate) const LATEST: [Self; 6] = [
        Self::Table,
        Self::Csv,
        Self::Json,
        Self::Geojson,
        Self::Kml,
        Self::Gpx,
    ];

    /// `true` if this build includes it.
    pub fn is_built(self) -> bool {
        self != Self::Parquet || cfg!(feature = "parquet")
    }

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The usual file name extension.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Table => "txt",
            Self::Netcdf => "nc",
            other => other.name(),
        }
    }

    /// The format of a file name extension.
    pub fn from_extension(extension: &str) -> Option<Self> {
        let extension = extension.to_ascii_lowercase();
        Self::VARIANTS
            .iter()
            .copied()
            .find(|format| format.extension() == extension)
    }

    /// `true` if its files have the fields of records.
    pub fn has_fields(self) -> bool {
        match self {
            Self::Table | Self::Gpx | Self::Kml => false,
            Self::Csv | Self::Json | Self::Ndjson | Self::Geojson => true,
            Self::Netcdf | Self::Parquet => true,
        }
    }
}

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExportError {
    /// Writing to the output failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// This build lacks the format.
    #[error(
        "this build of driftline cannot write {0}: build it with `cargo install --path . --features {0}`"
    )]
    NotBuilt(Format),
    /// The image could not be rendered.
    #[error("the image cannot be rendered: {0}")]
    Image(String),
    /// The format cannot represent the track.
    #[error("the track cannot be written as {format}: {reason}")]
    Unfit {
        format: Format,
        /// Why it cannot.
        reason: String,
    },
}
