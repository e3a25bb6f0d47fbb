//! Opens an archive on a server, and makes its tables in an empty database.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config, NoTls};

use super::password::{self, Found};
use super::tls::Tls;
use super::{ANSWER, Connection, explained, schema};
use crate::archive::error::ArchiveError;
use crate::archive::location::{Encryption, ServerUrl};

/// Longest wait for the server to accept a connection.
const CONNECT: Duration = Duration::from_secs(4);

impl Connection {
    /// Opens the archive for reading and writing; makes its tables in an empty database.
    /// Waits up to `lock_timeout` for another program's lock.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses, or the database is of a different
    /// program or a newer driftline.
    pub(in crate::archive) fn open(
        url: &ServerUrl,
        lock_timeout: Duration,
    ) -> Result<Self, ArchiveError> {
        let connection = Self::connected(url, lock_timeout)?;
        schema::make_ready(&connection)?;
        Ok(connection)
    }

    /// Opens an existing archive for reading; `None` if the database is empty.
    ///
    /// # Errors
    /// As [`Connection::open`].
    pub(in crate::archive) fn open_existing(
        url: &ServerUrl,
        lock_timeout: Duration,
    ) -> Result<Option<Self>, ArchiveError> {
        let connection = Self::connected(url, lock_timeout)?;
        Ok(schema::is_archive(&connection)?.then_some(connection))
    }

    fn connected(url: &ServerUrl, lock_timeout: Duration) -> Result<Self, ArchiveError> {
        let name = PathBuf::from(url.to_string());
        let found = password::find(url);
        let unreached = |error: std::io::Error| ArchiveError::Unreached {
            path: name.clone(),
            reason: error.to_string(),
        };
        let built = Builder::new_current_thread().enable_all().build();
        let runtime = built.map_err(unreached)?;
        let client = match connect(&runtime, url, &name, &found) {
            Ok(client) => client,
            Err(error) => {
                runtime.shutdown_background();
                return Err(match (error, found) {
                    (ArchiveError::Refused { path, reason }, Found::Ignored(file)) => {
                        let file = file.display();
                        let reason = format!(
                            "{reason}; the password file {file} was ignored, because others may read it: run `chmod 600` on it"
                        );
                        ArchiveError::Refused { path, reason }
                    }
                    (other, _) => other,
                });
            }
        };
        Ok(Self {
            client,
            runtime: Some(runtime),
            lock_timeout,
            longest: ANSWER,
            is_abandoned: Cell::new(false),
            answered: Cell::new(Instant::now()),
            in_transaction: Cell::new(false),
            name,
        })
    }
}

/// Connects to a server; the connection is a task of `runtime`.
fn connect(
    runtime: &Runtime,
    url: &ServerUrl,
    name: &Path,
    found: &Found,
) -> Result<Client, ArchiveError> {
    let failed = |error: tokio_postgres::Error| explained(name, &error);
    let unreached = |reason: String| ArchiveError::Unreached {
        path: name.to_owned(),
        reason,
    };
    let mut config = Config::new();
    config
        .user(&url.user)
        .dbname(&url.database)
        .port(url.port)
        .application_name("driftline")
        .connect_timeout(CONNECT)
        .keepalives_idle(Duration::from_secs(30));
    #[cfg(unix)]
    if url.host.starts_with('/') {
        config.host_path(&url.host);
    }
    if config.get_hosts().is_empty() {
        config.host(&url.host);
    }
    // A server that needs a password rejects an empty one with its reason. Without a
    // password the client itself would fail, with less detail.
    config.password(match found {
        Found::Password(password) => password.as_bytes(),
        Found::Nothing | Found::Ignored(_) => b"",
    });
    let connecting = async {
        // The timeout of the configuration is for the socket only.
        match url.encryption() {
            Encryption::None => {
                config.ssl_mode(SslMode::Disable);
                let (client, connection) = config.connect(NoTls).await.map_err(failed)?;
                tokio::spawn(connection);
                Ok(client)
            }
            Encryption::Verified => {
                config.ssl_mode(SslMode::Require);
                let tls = Tls::new(url.root()).map_err(|error| unreached(error.to_string()))?;
                let (client, connection) = config.connect(tls).await.map_err(failed)?;
                tokio::spawn(connection);
                Ok(client)
            }
        }
    };
    runtime
        .block_on(async { tokio::time::timeout(2 * CONNECT, connecting).await })
        .unwrap_or_else(|_| Err(unreached("the server did not answer within 8 s".to_owned())))
}
