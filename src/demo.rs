//! The embedded service: a simulated world behind the real interface, on
//! loopback. It is what the demonstration and many tests talk to; nothing but
//! its addresses tells it from a service elsewhere.

mod catalogue;
mod files;
mod motion;
mod routes;
mod world;

pub use files::FilesError;
pub use routes::{Fault, Seen};
pub use world::{Deployment, World};

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use uuid::Uuid;

/// What kind of service to start.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The simulated world is a function of this number and the time alone.
    pub seed: u64,
    /// The port of the base address; 0 takes a free one.
    pub port: u16,
    /// A folder whose JSON files are served instead of the simulated world.
    pub tracks: Option<PathBuf>,
    /// The token to ask for; none makes a random one.
    pub token: Option<String>,
    /// What goes wrong, on every request.
    pub faults: Vec<Fault>,
}

/// Why the service could not be started.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The port cannot be had.
    #[error("the embedded service cannot listen on 127.0.0.1:{port}: {source}")]
    Listen {
        /// The port asked for.
        port: u16,
        /// The system's word for it.
        source: std::io::Error,
    },
    /// The folder of tracks cannot be served.
    #[error(transparent)]
    Files(#[from] FilesError),
}

impl DemoError {
    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Listen { .. } => "Leave --port out to take a free one",
            Self::Files(_) => "Name a folder of JSON files, each a service's answer",
        }
    }
}

/// A service that is running; it ends when this is dropped.
#[derive(Debug)]
pub struct Running {
    /// Where tracks are read and plants deleted.
    pub base_url: String,
    /// Where plants are created.
    pub sandbox_url: String,
    /// The token it asks for.
    pub token: String,
    /// The deployments it knows.
    pub deployments: Vec<Deployment>,
    seen: Arc<Mutex<Vec<Seen>>>,
    servers: Vec<JoinHandle<()>>,
}

impl Running {
    /// The requests so far, oldest first; at most the last thousand.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen
            .lock()
            .map(|seen| seen.clone())
            .unwrap_or_default()
    }

    /// What a script needs to know of it, as one line of JSON.
    pub fn announcement(&self) -> String {
        #[derive(Serialize)]
        struct Line<'a> {
            base_url: &'a str,
            sandbox_url: &'a str,
            token: &'a str,
            deployments: Vec<Named<'a>>,
        }
        #[derive(Serialize)]
        struct Named<'a> {
            uuid: Uuid,
            label: &'a str,
        }
        let line = Line {
            base_url: &self.base_url,
            sandbox_url: &self.sandbox_url,
            token: &self.token,
            deployments: self
                .deployments
                .iter()
                .map(|deployment| Named {
                    uuid: deployment.uuid,
                    label: &deployment.label,
                })
                .collect(),
        };
        // Strings and UUIDs always have a JSON form.
        serde_json::to_string(&line).unwrap_or_default()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for server in &self.servers {
            server.abort();
        }
    }
}

/// Starts the service on two ports of 127.0.0.1: the base address and the
/// sandbox, two origins as the real service has them.
///
/// # Errors
/// When a port cannot be had or the folder of tracks not be read.
pub async fn start(options: Options) -> Result<Running, DemoError> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64());
    let world = match &options.tracks {
        Some(folder) => World::of_files(folder)?,
        None => World::simulated(options.seed, now),
    };
    let token = options
        .token
        .unwrap_or_else(|| format!("demo-{}", Uuid::new_v4().simple()));
    let (base, base_url) = listen(options.port).await?;
    let (sandbox, sandbox_url) = listen(0).await?;
    let deployments = world.deployments();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let service = routes::Service::new(world, token.clone(), options.faults, Arc::clone(&seen));
    let servers = vec![
        tokio::spawn(serve(base, routes::base(service.clone()))),
        tokio::spawn(serve(sandbox, routes::sandbox(service))),
    ];
    Ok(Running {
        base_url,
        sandbox_url,
        token,
        deployments,
        seen,
        servers,
    })
}

async fn listen(port: u16) -> Result<(TcpListener, String), DemoError> {
    let failed = |source| DemoError::Listen { port, source };
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .await
        .map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, format!("http://{address}")))
}

async fn serve(listener: TcpListener, router: axum::Router) {
    // It ends when the task is aborted; an error of one connection is its own.
    let _ = axum::serve(listener, router).await;
}
