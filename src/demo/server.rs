//! Connections: how many, how long a head may take and how large it may be.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use super::routes::TransportError;

/// The most connections to one address at a time; more wait their turn.
const MOST_CONNECTIONS: usize = 128;
/// How long a head may take to come, and a connection may lie idle.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// The largest head, in bytes.
const LARGEST_HEAD: usize = 64 << 10;

/// Listens on a port of 127.0.0.1 and on nothing else; 0 takes a free one.
pub(super) async fn listen(port: u16) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Serves until it is dropped, and every connection with it.
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

/// The next connection, and its place among those that are open.
async fn next(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    // The semaphore is never closed: there is always a place in the end.
    let place = Arc::clone(room).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            // Out of files, or gone before it was taken: others may do better.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn connection(stream: TcpStream, place: Option<OwnedSemaphorePermit>, routes: Router) {
    // Small answers leave at once.
    let _ = stream.set_nodelay(true);
    let routes = TowerToHyperService::new(routes);
    let service = service_fn(move |request: Request<Incoming>| {
        let answer = routes.call(request.map(Body::new));
        async move {
            let response: Response<Body> = match answer.await {
                Ok(response) => response,
                Err(never) => match never {},
            };
            if response.extensions().get::<TransportError>().is_some() {
                return Err(io::Error::other("closed on purpose"));
            }
            Ok(response)
        }
    });
    // What goes wrong with one connection is its own affair.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .max_buf_size(LARGEST_HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    drop(place);
}
