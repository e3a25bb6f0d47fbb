//! An archive that was named and is not there: a check by it has no verdict.

use crate::failure::Failure;
use crate::ops::store::Store;
use crate::settings::{Settings, Source};

/// Checks that an archive that was named is there: without it what is watched, and by
/// which limits, is not known. The first check may make it where the settings file
/// names it and lists what is watched.
///
/// # Errors
/// When it is missing, or cannot be read.
pub(super) async fn look_for_archive(settings: &Settings, store: &Store) -> Result<(), Failure> {
    let is_of_file = matches!(settings.source("archive"), Source::File { .. });
    if is_of_file && !settings.deployments.is_empty() {
        return Ok(());
    }
    store.look_for_named().await
}
