//! Export formats, one file each, which write to any `Write`: no paths, no
//! clocks.

mod columns;
pub(crate) mod csv;
pub(crate) mod elements;
mod fields;
mod format;
mod geojson;
mod gpx;
pub(crate) mod image;
pub(crate) mod items;
mod job;
mod json;
mod kml;
mod latest;
mod lines;
mod members;
mod netcdf;
#[cfg(feature = "parquet")]
mod parquet;
pub(crate) mod read;
mod subject;
mod table;
mod xml;

pub(crate) use columns::columns_help;
pub(crate) use format::{ExportError, Format};
pub(crate) use job::{ExportJob, FileFormat, WrittenFile};
pub(crate) use latest::{LatestOf, write_latest};
pub(crate) use members::{each_element, each_member, json_kind};
pub(crate) use subject::Subject;

use std::borrow::Cow;
use std::io::Write;
use std::ops::Range;

use crate::text;
use crate::track::Track;
use crate::track::field::label;

/// Writes a track in a format. It does not flush `out`; the caller does.
///
/// # Errors
/// When writing to `out` fails, or the format cannot represent the track.
pub(crate) fn write(
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
        Format::Gpx => Ok(gpx::write(subject, track, out)?),
        Format::Kml => Ok(kml::write(subject, track, out)?),
        Format::Netcdf => netcdf::write(subject, track, out),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::write(subject, track, out),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(ExportError::NotBuilt(Format::Parquet)),
    }
}

/// Writes some fixes of a track, by their index, as a part of a Parquet table of many
/// deployments.
///
/// # Errors
/// When writing to `out` fails; [`ExportError::NotBuilt`] in a build without Parquet.
pub(crate) fn write_part(
    subject: &Subject<'_>,
    track: &Track,
    fixes: Range<usize>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    #[cfg(feature = "parquet")]
    return parquet::write_part(subject, track, fixes, out);
    #[cfg(not(feature = "parquet"))]
    {
        let _ = (subject, track, fixes, out);
        Err(ExportError::NotBuilt(Format::Parquet))
    }
}

/// The deployment that a part of a table is of; `None` for another file.
pub(crate) fn deployment_of_part(file: &[u8]) -> Option<String> {
    #[cfg(feature = "parquet")]
    return parquet::deployment(file);
    #[cfg(not(feature = "parquet"))]
    {
        let _ = file;
        None
    }
}

/// The sentence about texts that a file in this format has in part, if there are any.
pub(crate) fn cut_texts(format: Format, track: &Track) -> Option<String> {
    if format != Format::Netcdf {
        return None;
    }
    let names: Vec<Cow<'_, str>> = netcdf::cut_texts(track).into_iter().map(label).collect();
    (!names.is_empty()).then(|| {
        let names = text::excerpt(&names.join(", "), 300);
        format!("texts of more than 1 kB are cut in NetCDF: those of {names}")
    })
}

#[cfg(test)]
mod tests {
    use strum::VariantArray;

    use super::*;
    use crate::testing;
    use crate::track::Platform;

    pub(super) fn track(fixes: &[(f64, f64, f64)]) -> Track {
        testing::track::track(Platform::Tag, 1e10, fixes.iter().copied())
    }

    pub(super) fn subject() -> Subject<'static> {
        Subject {
            deployment: "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa",
            label: Some("buoy <1>"),
            fetched_at: 1e9,
            now: 1e9,
            notation: Default::default(),
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

    /// A disk with room for so many bytes.
    struct Disk(usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.0 == 0 {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            let written = bytes.len().min(self.0);
            self.0 -= written;
            Ok(written)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_told_as_one_by_every_format() {
        let track = track(&[(0.0, 1.0, 2.0), (3600.0, 1.1, 2.0), (7200.0, 1.2, 2.0)]);
        let latest = LatestOf {
            judged_at: None,
            subject: subject(),
            platform: Platform::Tag,
            track: Some(&track),
            choice: None,
        };
        let is_told = |written: Result<(), ExportError>| {
            matches!(written, Err(ExportError::Io(error))
                if error.kind() == std::io::ErrorKind::StorageFull)
        };
        for room in [0, 1, 60, 150] {
            for &format in Format::VARIANTS.iter().filter(|format| format.is_built()) {
                let mut whole = Vec::new();
                write(format, &subject(), &track, &mut whole).unwrap();
                let mut disk = Disk(room.min(whole.len() - 1));
                let written = write(format, &subject(), &track, &mut disk);
                assert!(is_told(written), "{format} {room}");
            }
            for format in Format::LATEST {
                let written = write_latest(format, &[latest], &mut Disk(room.min(80)));
                assert!(is_told(written), "{format} {room}");
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
