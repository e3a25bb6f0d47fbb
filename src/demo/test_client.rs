//! A client for tests that knows nothing of the service: bytes out, bytes in.

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Options, Running, start};

/// What came back.
#[derive(Debug)]
pub(super) struct ResponseToStore {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl ResponseToStore {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let name = format!("{name}: ");
        self.head.lines().find_map(|line| line.strip_prefix(&name))
    }

    /// Checks that it is an Error object with this status.
    #[track_caller]
    pub(super) fn is_error(&self, status: u16) {
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
pub(super) async fn raw(url: &str, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(url.trim_start_matches("http://"))
        .await
        .unwrap();
    // A service that refuses may close while it is written to.
    let _ = stream.write_all(request).await;
    let mut came = Vec::new();
    let _ = stream.read_to_end(&mut came).await;
    came
}

/// Sends a request with these headers and this body. None where the connection
/// ended without an answer.
pub(super) async fn ask(
    url: &str,
    line: &str,
    headers: &str,
    body: &str,
) -> Option<ResponseToStore> {
    let host = url.trim_start_matches("http://");
    let request = format!(
        "{line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    );
    understood(raw(url, request.as_bytes()).await)
}

pub(super) fn understood(came: Vec<u8>) -> Option<ResponseToStore> {
    let split = came.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8(came[..split].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Some(ResponseToStore {
        status,
        head,
        body: came[split + 4..].to_vec(),
    })
}

pub(super) struct Demo(pub(super) Running);

impl Demo {
    pub(super) async fn with(options: Options) -> Self {
        Self(start(options).await.unwrap())
    }

    pub(super) async fn new() -> Self {
        Self::with(Options::default()).await
    }

    pub(super) fn authorization(&self) -> String {
        format!("Authorization: Bearer {}\r\n", self.0.token)
    }

    pub(super) fn path(&self) -> String {
        format!("/public/deployment/data/{}", self.0.deployments[1].uuid)
    }

    pub(super) async fn base(&self, line: &str) -> ResponseToStore {
        ask(&self.0.base_url, line, &self.authorization(), "")
            .await
            .unwrap()
    }

    pub(super) async fn read(&self, headers: &str) -> Option<ResponseToStore> {
        let line = format!("GET {}", self.path());
        ask(
            &self.0.base_url,
            &line,
            &(self.authorization() + headers),
            "",
        )
        .await
    }

    pub(super) async fn create(&self, body: &str) -> Option<ResponseToStore> {
        let headers = self.authorization() + "Content-Type: application/json\r\n";
        ask(&self.0.sandbox_url, "POST /plants", &headers, body).await
    }
}
