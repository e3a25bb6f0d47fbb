//! The URL of an archive on a PostgreSQL server.

use std::fmt;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use zeroize::Zeroizing;

use super::LocationError;

/// The port of PostgreSQL.
const PORT: u16 = 5432;
/// Connections at once, at most, unless the URL says otherwise.
const CONNECTIONS: usize = 4;

/// How the connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encryption {
    /// TLS, with a certificate that is verified.
    Verified,
    /// None: the URL says so, or the server is on this computer.
    None,
}

/// The URL of a database: `postgres://USER[:PASSWORD]@HOST[:PORT]/DATABASE`, with
/// the parameters `host` (a folder of a socket), `sslmode` (`disable`, `require`),
/// `sslrootcert` (a file) and `connections` (at once, at most).
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ServerUrl {
    pub(crate) user: String,
    password: Option<Zeroizing<String>>,
    /// The host: a name, an address, or the folder of a socket.
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) database: String,
    sslmode: Option<Encryption>,
    root: Option<PathBuf>,
    /// The most connections of one program.
    pub(crate) connections: usize,
}

impl ServerUrl {
    /// Reads a URL.
    ///
    /// # Errors
    /// When it is not as above. No part of it is in the error.
    pub(super) fn parse(text: &str) -> Result<Self, LocationError> {
        use LocationError::Malformed;

        let (_, rest) = text
            .split_once("://")
            .ok_or(Malformed("it has no scheme"))?;
        let (rest, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest
            .split_once('/')
            .ok_or(Malformed("it names no database"))?;
        let (account, place) = authority
            .rsplit_once('@')
            .ok_or(Malformed("it names no user"))?;
        let (user, password) = match account.split_once(':') {
            Some((user, password)) => (user, Some(Zeroizing::new(decoded(password)?))),
            None => (account, None),
        };
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => {
                let port = port.parse().ok().filter(|port| *port > 0);
                (host, port.ok_or(Malformed("its port is no port"))?)
            }
            _ => (place, PORT),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let mut url = Self {
            user: decoded(user)?,
            password,
            host: decoded(host)?,
            port,
            database: decoded(database)?,
            sslmode: None,
            root: None,
            connections: CONNECTIONS,
        };
        for parameter in parameters
            .split('&')
            .filter(|parameter| !parameter.is_empty())
        {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            url.take(name, decoded(value)?)?;
        }
        if url.user.is_empty() {
            return Err(Malformed("it names no user"));
        }
        if url.host.is_empty() {
            return Err(Malformed("it names no host"));
        }
        if url.database.is_empty() || url.database.contains('/') {
            return Err(Malformed("it names no database"));
        }
        Ok(url)
    }

    fn take(&mut self, name: &str, value: String) -> Result<(), LocationError> {
        match (name, value.as_str()) {
            ("host", _) if value.starts_with('/') => self.host = value,
            ("sslmode", "disable") => self.sslmode = Some(Encryption::None),
            ("sslmode", "require" | "verify-ca" | "verify-full") => {
                self.sslmode = Some(Encryption::Verified)
            }
            ("sslrootcert", _) if !value.is_empty() => self.root = Some(value.into()),
            ("connections", _) => {
                let number = value
                    .parse()
                    .ok()
                    .filter(|number| (1..=100).contains(number));
                self.connections = number.ok_or(LocationError::Malformed(
                    "`connections` is a number from 1 to 100",
                ))?;
            }
            _ => {
                return Err(LocationError::Malformed(
                    "its parameters are host=/FOLDER, sslmode=disable or require, sslrootcert=FILE, connections=N",
                ));
            }
        }
        Ok(())
    }

    pub(crate) fn password(&self) -> Option<&str> {
        self.password.as_ref().map(|password| password.as_str())
    }

    /// How the connection is encrypted: with TLS, except to this computer and
    /// where the URL says otherwise.
    pub(crate) fn encryption(&self) -> Encryption {
        let is_here = self.host.starts_with('/') || crate::os::loopback::is_host(&self.host);
        let usual = if is_here {
            Encryption::None
        } else {
            Encryption::Verified
        };
        self.sslmode.unwrap_or(usual)
    }

    /// The file of the certificates that are trusted besides those of the system.
    pub(crate) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }
}

fn decoded(part: &str) -> Result<String, LocationError> {
    percent_decode_str(part)
        .decode_utf8()
        .ok()
        .filter(|text| !text.chars().any(char::is_control))
        .map(std::borrow::Cow::into_owned)
        .ok_or(LocationError::Malformed("a part of it is no text"))
}

impl fmt::Display for ServerUrl {
    /// The URL without its password, as it can be given again.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "postgres://{}@", self.user)?;
        if self.host.contains(':') {
            write!(f, "[{}]", self.host)?;
        } else {
            // The folder of a socket.
            write!(f, "{}", self.host.replace('/', "%2F"))?;
        }
        if self.port != PORT {
            write!(f, ":{}", self.port)?;
        }
        write!(f, "/{}", self.database)
    }
}

impl fmt::Debug for ServerUrl {
    /// As [`fmt::Display`]: the password is never shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServerUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_read_in_all_its_parts_and_shown_without_its_password() {
        let url = ServerUrl::parse(
            "postgres://an%40a:s%2Fecret@db.example:6432/buoys?sslmode=require&connections=9",
        )
        .unwrap();
        assert_eq!(
            (
                url.user.as_str(),
                url.password(),
                url.host.as_str(),
                url.port,
                url.database.as_str()
            ),
            ("an@a", Some("s/ecret"), "db.example", 6432, "buoys")
        );
        assert_eq!(url.connections, 9);
        for shown in [format!("{url}"), format!("{url:?}")] {
            assert!(shown.contains("an@a@db.example:6432/buoys"), "{shown}");
            assert!(!shown.contains("ecret"), "{shown}");
        }
        let socket = ServerUrl::parse("postgresql://u@%2Frun%2Fpg/d").unwrap();
        assert_eq!((socket.host.as_str(), socket.port), ("/run/pg", 5432));
        assert_eq!(socket.to_string(), "postgres://u@%2Frun%2Fpg/d");
    }

    #[test]
    fn a_connection_is_encrypted_unless_the_server_is_here_or_the_url_says_so() {
        for (text, encryption) in [
            ("postgres://u@db.example/d", Encryption::Verified),
            (
                "postgres://u@db.example/d?sslmode=disable",
                Encryption::None,
            ),
            ("postgres://u@127.0.0.1/d", Encryption::None),
            ("postgres://u@[::1]:7/d", Encryption::None),
            (
                "postgres://u@localhost/d?sslmode=require",
                Encryption::Verified,
            ),
            ("postgres://u@h/d?host=/run/postgresql", Encryption::None),
        ] {
            let url = ServerUrl::parse(text).unwrap();
            assert_eq!(url.encryption(), encryption, "{text}");
        }
    }

    #[test]
    fn what_is_no_url_is_said_without_any_part_of_it() {
        for text in [
            "postgres://",
            "postgres://secret@h",
            "postgres://u:secret@/d",
            "postgres://u:secret@h/",
            "postgres://h/secret",
            "postgres://u:secret@h:0/d",
            "postgres://u:secret@h/d?what=1",
            "postgres://u:secret@h/d?connections=0",
            "postgres://u:%ff@h/d",
        ] {
            let error = ServerUrl::parse(text).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
