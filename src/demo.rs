//! The embedded service: simulated instruments behind the real interface, on
//! loopback, for the demonstration and for trying things out. Only its URLs distinguish it
//! from a real service.
//!
//! It has two base URLs, as the described service has: tracks are read and
//! plants deleted at the base, plants created at the sandbox, or at the base by
//! a client without a sandbox URL. It accepts connections from this computer
//! only, requires a token that is new at every start, and ends with the
//! process.

mod catalogue;
mod instrument;
mod motion;
mod plants;
mod random;
mod routes;
#[cfg(test)]
mod tests;
mod thermistor;
mod world;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::{fmt, io};

use axum::Router;
use axum::serve::ListenerExt;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::watch::Deployment;
use routes::Service;
use world::{Clock, World};

/// Random seed. The tracks depend on it, the day and the time only; two of them on the time of the
/// start, too.
const SEED: u64 = 7;

/// The service cannot listen on a port of 127.0.0.1.
#[derive(Debug, thiserror::Error)]
#[error("the embedded service cannot listen on 127.0.0.1, port {port}: {source}")]
pub(crate) struct ListenError {
    /// The requested port, 0 for any.
    pub port: u16,
    /// The system's error.
    pub source: io::Error,
}

/// A running service. It ends on drop.
pub(crate) struct Running {
    /// Base URL for tracks and for deleting plants, without a trailing slash.
    pub base_url: String,
    /// Base URL for creating plants, without a trailing slash.
    pub sandbox_url: String,
    /// The token it requires.
    pub token: String,
    /// Its deployments, in display order.
    pub deployments: Vec<Deployment>,
    service: Arc<Service>,
    servers: Vec<JoinHandle<()>>,
}

/// Starts the service in the current tokio runtime, its base URL at a port; 0
/// selects a free one. The sandbox always has a free one.
///
/// # Errors
/// When it cannot listen on a port.
pub(crate) async fn start(port: u16) -> Result<Running, ListenError> {
    start_at(Clock::default(), port).await
}

async fn start_at(clock: Clock, port: u16) -> Result<Running, ListenError> {
    let world = World::simulated(SEED, clock.start());
    let base = listen(port).await?;
    let sandbox = listen(0).await?;
    let deployments = world.deployments();
    let service = Arc::new(Service {
        world,
        clock,
        token: format!("demo-{}", Uuid::new_v4().simple()),
        plants: plants::Plants::default(),
    });
    Ok(Running {
        base_url: format!("http://{}", base.1),
        sandbox_url: format!("http://{}", sandbox.1),
        token: service.token.clone(),
        deployments,
        servers: vec![
            serve(base.0, routes::base(&service)),
            serve(sandbox.0, routes::sandbox(&service)),
        ],
        service,
    })
}

/// Listens on a port of 127.0.0.1 only; 0 selects a free one.
async fn listen(port: u16) -> Result<(TcpListener, SocketAddr), ListenError> {
    let listen = async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    listen.await.map_err(|source| ListenError { port, source })
}

fn serve(listener: TcpListener, routes: Router) -> JoinHandle<()> {
    // Small responses are sent at once.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let serving = axum::serve(listener, routes);
    tokio::spawn(async move { drop(serving.await) })
}

impl Running {
    /// The URLs, the token and the deployments for a script, as one line of
    /// JSON.
    pub(crate) fn announcement(&self) -> String {
        let deployments = self.deployments.iter();
        let deployments: Vec<_> = deployments
            .map(|entry| json!({ "uuid": entry.id.uuid.to_string(), "label": entry.name() }))
            .collect();
        json!({
            "base_url": self.base_url,
            "sandbox_url": self.sandbox_url,
            "token": self.token,
            "deployments": deployments,
        })
        .to_string()
    }

    /// Answers the next create of a plant as a gateway does that lost the answer.
    pub(crate) fn lose_answer(&self, id: i64) {
        self.service.plants.lose_answer(id);
    }
}

/// Without the token, so that a debug log does not contain it.
impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("base_url", &self.base_url)
            .field("sandbox_url", &self.sandbox_url)
            .field("deployments", &self.deployments)
            .finish_non_exhaustive()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for server in &self.servers {
            server.abort();
        }
    }
}
