//! Opens an archive on a server, whose tables are made where there are none.

use std::cell::Cell;
use std::path::Path;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config, NoTls};

use super::password::{self, Found};
use super::tls::Tls;
use super::{ANSWER, Connection, schema};
use crate::archive::error::{ArchiveError, explained};
use crate::archive::sql::{Error, ErrorKind};
use crate::location::{Encryption, ServerUrl};

/// Longest wait for the server to accept a connection.
const CONNECT: Duration = Duration::from_secs(4);

impl Connection {
    /// Opens the archive for reading and writing; its tables are made where the
    /// database is empty. Another program may hold a lock for `patience`.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses, or the database is of another
    /// program or a newer driftline.
    pub(in crate::archive) fn open(
        url: &ServerUrl,
        patience: Duration,
    ) -> Result<Self, ArchiveError> {
        let connection = Self::connected(url, patience)?;
        schema::make_ready(&connection)?;
        Ok(connection)
    }

    /// Opens an existing archive for reading; `None` if the database is empty.
    ///
    /// # Errors
    /// As [`Connection::open`].
    pub(in crate::archive) fn open_existing(
        url: &ServerUrl,
        patience: Duration,
    ) -> Result<Option<Self>, ArchiveError> {
        let connection = Self::connected(url, patience)?;
        Ok(schema::is_archive(&connection)?.then_some(connection))
    }

    fn connected(url: &ServerUrl, patience: Duration) -> Result<Self, ArchiveError> {
        let (name, found) = (url.to_string(), password::of(url));
        let connected = || -> Result<(Client, Runtime), Error> {
            let runtime = Builder::new_current_thread().enable_all().build();
            let runtime =
                runtime.map_err(|error| Error::new(ErrorKind::Unreached, error.to_string()))?;
            let client = connect(&runtime, url, &found);
            match client {
                Ok(client) => Ok((client, runtime)),
                Err(error) => {
                    runtime.shutdown_background();
                    Err(error)
                }
            }
        };
        let (client, runtime) =
            connected().map_err(|error| unconnected(Path::new(&name), &error, found))?;
        Ok(Self {
            client,
            runtime: Some(runtime),
            patience,
            longest: ANSWER,
            is_given_up: Cell::new(false),
            answered: Cell::new(Instant::now()),
            in_transaction: Cell::new(false),
            name,
        })
    }
}

/// Why a server could not be connected to.
fn unconnected(path: &Path, error: &Error, found: Found) -> ArchiveError {
    match (explained(path, error), found) {
        (ArchiveError::Refused { path, reason }, Found::Ignored(file)) => {
            ArchiveError::OpenPasswordFile { path, file, reason }
        }
        (other, _) => other,
    }
}

/// Connects to a server; the connection is a task of `runtime`.
fn connect(runtime: &Runtime, url: &ServerUrl, found: &Found) -> Result<Client, Error> {
    let mut config = Config::new();
    config
        .user(url.user())
        .dbname(url.database())
        .port(url.port())
        .application_name("driftline")
        .connect_timeout(CONNECT)
        .keepalives_idle(Duration::from_secs(30));
    #[cfg(unix)]
    if url.host().starts_with('/') {
        config.host_path(url.host());
    }
    if config.get_hosts().is_empty() {
        config.host(url.host());
    }
    // An empty password is refused by a server that asks for one: without any, the
    // client itself would end, and say less.
    config.password(match found {
        Found::Password(password) => password.as_bytes(),
        Found::Nothing | Found::Ignored(_) => b"",
    });
    let connecting = async {
        // The time-out of the configuration is for the socket alone.
        match url.encryption() {
            Encryption::None => {
                config.ssl_mode(SslMode::Disable);
                let (client, connection) = config.connect(NoTls).await?;
                tokio::spawn(connection);
                Ok(client)
            }
            Encryption::Verified => {
                config.ssl_mode(SslMode::Require);
                let tls = Tls::new(url.root())
                    .map_err(|error| Error::new(ErrorKind::Unreached, error.to_string()))?;
                let (client, connection) = config.connect(tls).await?;
                tokio::spawn(connection);
                Ok(client)
            }
        }
    };
    runtime
        .block_on(async { tokio::time::timeout(2 * CONNECT, connecting).await })
        .unwrap_or_else(|_| {
            let reason = "the server did not answer within 8 s";
            Err(Error::new(ErrorKind::Unreached, reason))
        })
}
