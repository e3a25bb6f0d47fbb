//! The embedded service in a separate process, by `demo --serve`.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::home::{DRIFTLINE, Home};

/// A running service. It is killed on drop.
pub(crate) struct Service {
    child: Child,
    pub base_url: String,
    pub token: String,
    /// (UUID, label) of each deployment.
    pub deployments: Vec<(String, String)>,
    _home: Home,
}

impl Service {
    pub(crate) fn start() -> Service {
        Service::with(&[])
    }

    /// Starts it with further arguments of `demo --serve`.
    pub(crate) fn with(arguments: &[&str]) -> Service {
        let home = Home::new();
        let mut child = Command::new(DRIFTLINE)
            .args(["demo", "--serve"])
            .args(arguments)
            .env_clear()
            .envs(home.environment())
            .current_dir(home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let said: Value = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("the first line is {line:?}: {error}"));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let deployments = said["deployments"].as_array().unwrap();
        Service {
            child,
            base_url: text(&said["base_url"]),
            token: text(&said["token"]),
            deployments: deployments
                .iter()
                .map(|one| (text(&one["uuid"]), text(&one["label"])))
                .collect(),
            _home: home,
        }
    }

    /// The address on which it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        let rest = self.base_url.trim_start_matches("http://");
        rest.split('/').next().unwrap().parse().unwrap()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
