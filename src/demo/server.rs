//! Accepts connections, with limits on their number and on the time and size of
//! a request head.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

/// Most connections to one endpoint at a time; more wait.
const MOST_CONNECTIONS: usize = 128;
/// Timeout for a request head, and idle timeout of a connection.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// Largest request head, in bytes.
const LARGEST_HEAD: usize = 64 << 10;

/// Closes the connection of a request without an answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Cut(pub(super) Arc<Notify>);

/// Listens on a port of 127.0.0.1 only; 0 selects a free one.
pub(super) async fn listen(port: u16) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Serves until it is dropped; open connections close then.
pub(super) async fn serve(listener: TcpListener, routes: Router) {
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = connections.join_next() => {}
            (stream, place) = next(&listener, &room) => {
                connections.spawn(connection(stream, place, routes.clone()));
            }
        }
    }
}

/// The next connection, with its permit.
async fn next(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    // The semaphore is never closed, so a permit becomes available.
    let place = Arc::clone(room).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            // Out of file descriptors, or the client has gone: try again later.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn connection(stream: TcpStream, place: Option<OwnedSemaphorePermit>, routes: Router) {
    // Small responses are sent at once.
    let _ = stream.set_nodelay(true);
    let cut = Cut::default();
    let routes = routes.layer(Extension(cut.clone()));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .max_buf_size(LARGEST_HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes));
    tokio::select! {
        // An error on one connection does not affect the others.
        _ = served => {}
        () = cut.0.notified() => {}
    }
    drop(place);
}
