//! Exports the records of the archive as one table to an object store, or to a folder
//! in the same form: Parquet by month and by a hash of the deployment, of which each
//! export writes the files with something new.
//!
//! A file is replaced as a whole, so that a reader finds each record once. It says in its
//! metadata what it was made from: after a failure, and after another export at the same
//! time, the next one does the rest.

#[cfg(feature = "object-store")]
mod address;
#[cfg(feature = "object-store")]
mod contents;
#[cfg(feature = "object-store")]
mod export;
#[cfg(feature = "object-store")]
mod partition;
#[cfg(feature = "object-store")]
mod refusal;
#[cfg(feature = "object-store")]
mod store;
#[cfg(feature = "object-store")]
mod write;

#[cfg(feature = "object-store")]
pub(crate) use export::export_table;

#[cfg(not(feature = "object-store"))]
use crate::failure::Failure;

/// `true` if what a user names as the target of an export is an address, and not the
/// path of a folder.
pub(crate) fn is_address(given: &str) -> bool {
    given.contains("://")
}

/// The failure of a build that has no object stores.
#[cfg(not(feature = "object-store"))]
pub(crate) fn not_built() -> Failure {
    Failure::usage(
        "this build of driftline cannot write to an object store: build it with `cargo install --path . --features object-store`",
    )
}
