//! The files that are drawn below the tracks.

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::failure::{Failure, FailureKind};
use crate::formats::read;
use crate::map::Overlay;
use crate::text;

/// The most bytes of an overlay.
const MOST: u64 = 256 << 20;

/// Reads an overlay; the second value says what was left out, for a person.
///
/// # Errors
/// [`FailureKind::Usage`] where there is no such file, [`FailureKind::NotUnderstood`] where
/// it is no overlay.
pub(crate) fn read(file: &Path) -> Result<(Overlay, Option<String>), Failure> {
    let shown = text::excerpt(&file.display().to_string(), 80);
    let refused = |why: String| {
        let failure = format!("the overlay {shown} cannot be read: {why}");
        Failure::new(FailureKind::Usage, failure, "Check the path.")
    };
    let mut bytes = Vec::new();
    // A device or a pipe may have no end.
    let read = fs::File::open(file).and_then(|file| file.take(MOST).read_to_end(&mut bytes));
    let read = read.map_err(|error| refused(error.to_string()))?;
    if read as u64 == MOST {
        return Err(refused(format!("it has {} MB or more", MOST >> 20)));
    }
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    read::overlay(&bytes, &name).map_err(|error| {
        let failure = format!("the overlay {shown} cannot be read: {error}");
        Failure::new(FailureKind::NotUnderstood, failure, "")
    })
}
