//! A track to a file.

use std::io::{self, Write};
use std::path::Path;

use super::failure::{Failure, FailureKind};
use super::output::write_file;
use crate::chart::Charted;
use crate::export::picture::{PictureFormat, Style};
use crate::export::{self, ExportError, Format, Subject};
use crate::track::Track;

/// Writes a track to a file, whole or not at all; the answer is its size in
/// bytes.
///
/// # Errors
/// As [`write_file`]; [`FailureKind::Usage`] for a format that this build does
/// not have.
pub fn export_file(
    path: &Path,
    replace: bool,
    format: Format,
    subject: &Subject<'_>,
    track: &Track,
) -> Result<u64, Failure> {
    let mut size = 0;
    write_file(path, replace, |out| {
        let mut counted = Counted { out, bytes: 0 };
        write_track(format, subject, track, &mut counted)?;
        size = counted.bytes;
        Ok(())
    })?;
    Ok(size)
}

/// Writes a track in a format.
///
/// # Errors
/// [`FailureKind::Usage`] for a format that this build does not have,
/// [`FailureKind::Other`] when writing fails.
pub fn write_track(
    format: Format,
    subject: &Subject<'_>,
    track: &Track,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    export::write(format, subject, track, out).map_err(told)
}

/// Writes the chart of a track to a file, whole or not at all.
///
/// # Errors
/// As [`write_file`]; [`FailureKind::Other`] when the picture cannot be made.
pub fn picture_file(
    path: &Path,
    format: PictureFormat,
    subject: &Subject<'_>,
    track: &Charted,
    style: Style,
) -> Result<(), Failure> {
    write_file(path, true, |out| {
        export::picture::write(format, subject, track, style, out).map_err(told)
    })
}

fn told(error: ExportError) -> Failure {
    match error {
        ExportError::NotBuilt(_) => Failure::new(FailureKind::Usage, error.to_string(), ""),
        ExportError::Io(error) => Failure::new(
            FailureKind::Other,
            format!("writing failed: {error}"),
            "Make room or choose another place.",
        ),
        ExportError::Unfit { .. } => Failure::new(
            FailureKind::Other,
            error.to_string(),
            "Choose another format.",
        ),
        ExportError::Picture(_) => Failure::new(
            FailureKind::Other,
            error.to_string(),
            "Choose another size, or SVG.",
        ),
    }
}

struct Counted<'a> {
    out: &'a mut dyn Write,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
