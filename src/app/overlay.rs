//! The files that are drawn below the tracks.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, FailureKind};
use crate::formats::read;
use crate::map::Overlay;
use crate::os::files::read_regular;
use crate::text;

/// The most bytes of an overlay.
const MOST: u64 = 256 << 20;

/// Refuses files that are not there.
///
/// # Errors
/// [`FailureKind::Usage`] for the first of them.
pub(crate) fn are_there(files: &[PathBuf]) -> Result<(), Failure> {
    let mut missing = files
        .iter()
        .filter_map(|file| Some((file, fs::metadata(file).err()?)));
    missing.next().map_or(Ok(()), |(file, error)| {
        Err(refused(file, &error.to_string()))
    })
}

fn refused(file: &Path, why: &str) -> Failure {
    let shown = text::excerpt(&file.display().to_string(), 80);
    let failure = format!("the overlay {shown} cannot be read: {why}");
    Failure::usage(failure).with_hint("Check the path.")
}

/// Reads an overlay; the second value is a note for the user about what was left out.
///
/// # Errors
/// [`FailureKind::Usage`] for a missing file, [`FailureKind::NotUnderstood`] if it is not an
/// overlay.
pub(crate) fn read(file: &Path) -> Result<(Overlay, Option<String>), Failure> {
    let bytes = read_regular(file, MOST).map_err(|error| refused(file, &error.to_string()))?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    read::overlay(&bytes, &name).map_err(|error| {
        let shown = text::excerpt(&file.display().to_string(), 80);
        let failure = format!("the overlay {shown} cannot be read: {error}");
        Failure::new(FailureKind::NotUnderstood, failure, "")
    })
}
