//! The archives of tests that are on a PostgreSQL server.

use std::path::Path;

use super::database::{SERVER, new_database};
use crate::archive::location::{ArchiveLocation, Password};

/// The engine that `Archive::in_memory` has in tests: `postgres`, `pgbouncer`, else
/// that of a file.
const ENGINE: &str = "DRIFTLINE_TEST_ENGINE";

/// An archive on a server.
pub(crate) fn place(url: &str) -> ArchiveLocation {
    ArchiveLocation::parse(Path::new(url), Password::Allowed).unwrap()
}

/// The archive that replaces one in memory in this run of the tests.
pub(crate) fn chosen() -> Option<ArchiveLocation> {
    let pooled = match std::env::var(ENGINE).ok()?.as_str() {
        "postgres" => false,
        "pgbouncer" => true,
        _ => return None,
    };
    Some(place(&SERVER.url(&new_database(), pooled)))
}
