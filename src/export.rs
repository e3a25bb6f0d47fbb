//! One file a format, each written to a `Write`: no paths, no clocks.

mod csv;
mod geojson;
mod gpx;
pub mod image;
mod json;
mod kml;
mod lines;
mod netcdf;
#[cfg(feature = "parquet")]
mod parquet;
mod row;
mod table;

use std::io::{self, Write};

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

use crate::track::Track;

/// Whose track it is, and as of when.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The deployment's UUID.
    pub deployment: &'a str,
    /// Its name for people.
    pub label: Option<&'a str>,
    /// When it was fetched, UNIX seconds.
    pub fetched_at: f64,
    /// The present, UNIX seconds: the state of health is as of it.
    pub now: f64,
}

impl Subject<'_> {
    /// The label, or the UUID where there is none.
    fn name(&self) -> &str {
        self.label.unwrap_or(self.deployment)
    }
}

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// It could not be written to.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// This build does not have the format.
    #[error(
        "this build of driftline cannot write {0}: build it with `cargo install --path . --features {0}`"
    )]
    NotBuilt(Format),
    /// The picture could not be made.
    #[error("the picture cannot be made: {0}")]
    Picture(String),
    /// The track does not fit the format.
    #[error("the track cannot be written as {format}: {reason}")]
    Unfit {
        /// The format.
        format: Format,
        /// Why not.
        reason: String,
    },
}

/// Writes a track in a format. Nothing is flushed: that is the caller's, who
/// knows what stands behind `out`.
///
/// # Errors
/// When `out` fails, or the track does not fit the format.
pub fn write(
    format: Format,
    subject: &Subject<'_>,
    track: &Track,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    match format {
        Format::Table => Ok(table::write(subject, track, out)?),
        Format::Csv => Ok(csv::write(track, out)?),
        Format::Json => Ok(json::write(subject, track, out)?),
        Format::Ndjson => Ok(json::write_lines(track, out)?),
        Format::Geojson => Ok(geojson::write(subject, track, out)?),
        Format::Gpx => gpx::write(subject, track, out),
        Format::Kml => kml::write(subject, track, out),
        Format::Netcdf => netcdf::write(subject, track, out),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::write(subject, track, out),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(ExportError::NotBuilt(Format::Parquet)),
    }
}

/// A file format that a track can be written in, in the order of the contract.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum Format {
    /// Aligned columns for a terminal.
    Table,
    /// Comma-separated values (RFC 4180).
    Csv,
    /// One JSON object with fixes, unusable records and summary.
    Json,
    /// One JSON object a line for each fix.
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
    /// Whether this build can write it.
    pub fn is_built(self) -> bool {
        self != Self::Parquet || cfg!(feature = "parquet")
    }

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The usual extension of such a file.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Table => "txt",
            Self::Netcdf => "nc",
            other => other.name(),
        }
    }

    /// The format that a file's extension stands for.
    pub fn from_extension(extension: &str) -> Option<Self> {
        let extension = extension.to_ascii_lowercase();
        Self::VARIANTS
            .iter()
            .copied()
            .find(|format| format.extension() == extension)
    }

    /// Whether it is no text.
    pub fn is_binary(self) -> bool {
        matches!(self, Self::Netcdf | Self::Parquet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::Position;
    use crate::track::{Platform, Records, TrackOptions, Transmission};

    pub(super) fn track(places: &[(f64, f64, f64)]) -> Track {
        let transmissions = places
            .iter()
            .map(|&(time_stamp, latitude, longitude)| Transmission {
                time_stamp,
                position: Position {
                    latitude,
                    longitude,
                },
            })
            .collect();
        Track::assemble(
            Records {
                transmissions,
                ..Records::default()
            },
            &TrackOptions::new(Platform::Tag, 1e10),
        )
    }

    pub(super) fn subject() -> Subject<'static> {
        Subject {
            deployment: "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa",
            label: Some("buoy <1>"),
            fetched_at: 1e9,
            now: 1e9,
        }
    }

    #[test]
    fn every_format_takes_nothing_one_fix_and_times_before_1970() {
        let same_time: Vec<_> = (0..5).map(|n| (-1e9, f64::from(n) * 1e-3, 180.0)).collect();
        for places in [
            vec![],
            vec![(0.0, 1.0, 2.0)],
            vec![(-2e9, 1.0, 2.0), (-1.5e9, 1.1, 2.0)],
            same_time,
        ] {
            let track = track(&places);
            for &format in Format::VARIANTS {
                let mut out = Vec::new();
                match write(format, &subject(), &track, &mut out) {
                    Ok(()) => assert!(format == Format::Ndjson || !out.is_empty(), "{format}"),
                    Err(ExportError::NotBuilt(missing)) => assert_eq!(missing, Format::Parquet),
                    Err(error) => panic!("{format}: {error}"),
                }
            }
        }
    }

    #[test]
    fn names_lead_there_and_back() {
        for &format in Format::VARIANTS {
            assert_eq!(format.name().parse(), Ok(format));
            assert_eq!(
                Format::from_extension(&format.extension().to_uppercase()),
                Some(format)
            );
        }
        assert!("xlsx".parse::<Format>().is_err());
        assert_eq!(Format::from_extension("table"), None);
    }
}
