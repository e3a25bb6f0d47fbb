//! Why what names an archive names none.

/// Why what names an archive names none. No value is in it: it may hold a
/// password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LocationError {
    /// The build has no such engine.
    #[cfg(not(feature = "postgres"))]
    #[error(
        "this build of driftline has no archive on a server: build it with `--features postgres`"
    )]
    NoEngine,
    /// The URL holds a password where it may not.
    #[cfg(feature = "postgres")]
    #[error(
        "a password is not read from here: set PGPASSWORD, write it to ~/.pgpass, or give the URL in DRIFTLINE_ARCHIVE"
    )]
    Password,
    /// The URL cannot be read.
    #[cfg(feature = "postgres")]
    #[error("the URL of the archive is not postgres://USER@HOST/DATABASE: {0}")]
    Malformed(&'static str),
}
