//! The files that are drawn below the tracks.

use std::fs;
use std::path::Path;

use crate::failure::{Failure, FailureKind};
use crate::formats::read;
use crate::map::Overlay;
use crate::text;

/// Reads an overlay; the second value says what was left out, for a person.
///
/// # Errors
/// [`FailureKind::Usage`] where there is no such file, [`FailureKind::NotUnderstood`] where
/// it is no overlay.
pub(crate) fn read(file: &Path) -> Result<(Overlay, Option<String>), Failure> {
    let shown = text::excerpt(&file.display().to_string(), 80);
    let bytes = fs::read(file).map_err(|error| {
        let failure = format!("the overlay {shown} cannot be read: {error}");
        Failure::new(FailureKind::Usage, failure, "Check the path.")
    })?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    read::overlay(&bytes, &name).map_err(|error| {
        let failure = format!("the overlay {shown} cannot be read: {error}");
        Failure::new(FailureKind::NotUnderstood, failure, "")
    })
}
