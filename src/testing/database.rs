//! A PostgreSQL server for the tests of this process, and a PgBouncer before it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// A server that runs as long as this process.
pub(crate) struct Server {
    /// Its standard input ends with this process, and the server with it.
    _program: Child,
    /// The folder of its sockets.
    pub(crate) folder: String,
    /// Its port.
    pub(crate) port: u16,
    /// The port of PgBouncer.
    pub(crate) pooled: u16,
}

/// The server of this process.
pub(crate) static SERVER: LazyLock<Server> = LazyLock::new(|| Server::start(None));

impl Server {
    /// Starts a server, which encrypts connections by the `server.crt` and
    /// `server.key` of a folder.
    pub(crate) fn start(tls: Option<&Path>) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/postgres");
        let mut program = Command::new(script)
            .env("TLS", tls.unwrap_or(Path::new("")))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let output = program.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        let [folder, port, pooled] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("the server did not start");
        };
        Self {
            _program: program,
            folder: folder.to_owned(),
            port: port.parse().unwrap(),
            pooled: pooled.parse().unwrap(),
        }
    }

    /// The URL of a database, through PgBouncer where `pooled`.
    pub(crate) fn url(&self, database: &str, pooled: bool) -> String {
        let port = if pooled { self.pooled } else { self.port };
        let folder = self.folder.replace('/', "%2F");
        format!("postgres://driftline@{folder}:{port}/{database}")
    }

    /// Runs SQL in a database; returns what it prints.
    pub(crate) fn run(&self, database: &str, sql: &str) -> String {
        let run = Command::new("psql")
            .args(["-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1"])
            .args(["-U", "driftline"])
            .args(["-h", &self.folder, "-p", &self.port.to_string()])
            .args(["-d", database, "-c", sql])
            .output()
            .unwrap();
        assert!(run.status.success(), "{run:?}");
        String::from_utf8(run.stdout).unwrap()
    }
}

/// The name of a database that is made by this call.
pub(crate) fn new_database() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("archive_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    SERVER.run("postgres", &format!("CREATE DATABASE {name}"));
    name
}
