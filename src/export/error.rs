//! Why a file could not be written.

use std::io;

use super::format::Format;

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExportError {
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
    Image(String),
    /// The track does not fit the format.
    #[error("the track cannot be written as {format}: {reason}")]
    Unfit {
        /// The format.
        format: Format,
        /// Why not.
        reason: String,
    },
}
