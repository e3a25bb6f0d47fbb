//! The location of an archive: a file, or a database on a server.

use std::path::{Path, PathBuf};

#[cfg(feature = "postgres")]
mod server;

#[cfg(feature = "postgres")]
pub(crate) use server::{Encryption, ServerUrl};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ArchiveLocation {
    File(PathBuf),
    /// A database on a PostgreSQL server.
    #[cfg(feature = "postgres")]
    Server(Box<ServerUrl>),
    /// The archive of the settings file cannot be used, for this reason: a flag or a variable
    /// may replace it.
    Unusable(LocationError),
}

/// Why a location cannot be used. It contains no value, which may be a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LocationError {
    /// The build has no such engine.
    #[cfg(not(feature = "postgres"))]
    #[error(
        "this build of driftline has no archive on a server: build it with `--features postgres`"
    )]
    NoEngine,
    /// The URL has a password, which is not allowed.
    #[cfg(feature = "postgres")]
    #[error(
        "a password is not read from here: set PGPASSWORD, write it to ~/.pgpass, or give the URL in DRIFTLINE_ARCHIVE"
    )]
    Password,
    /// The URL cannot be read.
    #[cfg(feature = "postgres")]
    #[error("the URL of the archive is not postgres://USER@HOST/DATABASE: {0}")]
    Malformed(&'static str),
    /// A URL of another kind: as a path, it would be a file in the folder of its scheme.
    #[error(
        "an archive is a file, or at a URL that begins with postgres://: this one begins otherwise"
    )]
    OtherScheme,
}

/// The permission for the URL of a server to hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Password {
    /// It may, as in an environment variable.
    Allowed,
    /// It may not: arguments are visible in the list of processes, and a settings file
    /// may be copied.
    Refused,
}

impl ArchiveLocation {
    /// The archive that a user names: a URL `postgres://USER@HOST/DATABASE`, else
    /// a path.
    ///
    /// # Errors
    /// When the URL cannot be read, or has a password that is not allowed.
    #[cfg_attr(not(feature = "postgres"), allow(unused_variables))]
    pub(crate) fn parse(given: &Path, password: Password) -> Result<Self, LocationError> {
        let is_server = given.to_str().is_some_and(is_server);
        #[cfg(not(feature = "postgres"))]
        if is_server {
            return Err(LocationError::NoEngine);
        }
        #[cfg(feature = "postgres")]
        if let (true, Some(text)) = (is_server, given.to_str()) {
            let url = ServerUrl::parse(text)?;
            if url.password().is_some() && password == Password::Refused {
                return Err(LocationError::Password);
            }
            return Ok(Self::Server(Box::new(url)));
        }
        if given.to_str().is_some_and(is_url) {
            return Err(LocationError::OtherScheme);
        }
        Ok(Self::File(given.to_owned()))
    }

    /// The file; `None` for a server.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            #[cfg(feature = "postgres")]
            Self::Server(_) => None,
            Self::Unusable(_) => None,
        }
    }
}

/// `true` if a text names an archive on a server.
fn is_server(given: &str) -> bool {
    ["postgres://", "postgresql://"]
        .iter()
        .any(|scheme| given.starts_with(scheme))
}

/// `true` if a text begins as a URL does (RFC 3986, section 3.1).
pub(crate) fn is_url(given: &str) -> bool {
    let is_scheme = |scheme: &str| {
        let is_of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(is_of_scheme)
    };
    let before = given.split_once("://").map(|(scheme, _)| scheme);
    before.is_some_and(is_scheme)
}

impl std::fmt::Display for ArchiveLocation {
    /// The path, or the URL without its password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            #[cfg(feature = "postgres")]
            Self::Server(url) => url.fmt(f),
            Self::Unusable(why) => write!(f, "not usable: {why}"),
        }
    }
}
