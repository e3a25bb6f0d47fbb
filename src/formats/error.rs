//! Why an export failed.

use std::io;

use super::format::Format;

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
        /// The format.
        format: Format,
        /// Why it cannot.
        reason: String,
    },
}
