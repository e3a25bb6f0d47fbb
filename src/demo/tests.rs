//! The service over real sockets, with an independent raw client.

mod conduct;
mod interface;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::world::Clock;
use super::{Running, start, start_at};
use crate::service::wire::PlantRequest;

/// A received response.
#[derive(Debug)]
struct Response {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Response {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let name = format!("{name}: ");
        self.head.lines().find_map(|line| line.strip_prefix(&name))
    }

    /// Asserts that it is an Error object with this status.
    #[track_caller]
    fn is_error(&self, status: u16) {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        let object = self.json();
        assert!(
            object["error"].is_i64() && object["message"].is_string(),
            "{object}"
        );
    }
}

/// Sends bytes and reads until the connection ends.
async fn raw(url: &str, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(url.trim_start_matches("http://"))
        .await
        .unwrap();
    // A service that refuses may close the connection during the write.
    let _ = stream.write_all(request).await;
    let mut came = Vec::new();
    let _ = stream.read_to_end(&mut came).await;
    came
}

/// Sends a request with these headers and this body; `None` if the connection
/// ended without a response.
async fn ask(url: &str, line: &str, headers: &str, body: &str) -> Option<Response> {
    let host = url.trim_start_matches("http://");
    let request = format!(
        "{line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    );
    understood(raw(url, request.as_bytes()).await)
}

fn understood(came: Vec<u8>) -> Option<Response> {
    let split = came.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8(came[..split].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Some(Response {
        status,
        head,
        body: came[split + 4..].to_vec(),
    })
}

struct Demo(Running);

impl Demo {
    async fn new() -> Self {
        Self(start(0).await.unwrap())
    }

    /// Its clock stands at this time, UNIX seconds.
    async fn stopped(at: f64) -> Self {
        Self(start_at(Clock::stopped(at), 0).await.unwrap())
    }

    fn authorization(&self) -> String {
        format!("Authorization: Bearer {}\r\n", self.0.token)
    }

    fn path(&self) -> String {
        format!("/public/deployment/data/{}", self.0.deployments[1].id.uuid)
    }

    async fn base(&self, line: &str) -> Response {
        ask(&self.0.base_url, line, &self.authorization(), "")
            .await
            .unwrap()
    }

    async fn read(&self, headers: &str) -> Option<Response> {
        let line = format!("GET {}", self.path());
        ask(
            &self.0.base_url,
            &line,
            &(self.authorization() + headers),
            "",
        )
        .await
    }

    async fn create(&self, body: &str) -> Option<Response> {
        let headers = self.authorization() + "Content-Type: application/json\r\n";
        ask(&self.0.sandbox_url, "POST /plants", &headers, body).await
    }
}

impl Running {
    /// The created plants, by id.
    pub(crate) fn plants(&self) -> Vec<PlantRequest> {
        self.service.plants.all()
    }

    /// Ends the service and waits until its ports are free.
    pub(crate) async fn shutdown(mut self) {
        for server in std::mem::take(&mut self.servers) {
            server.abort();
            // An aborted task returns an error, as expected.
            let _ = server.await;
        }
    }
}
