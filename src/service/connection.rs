//! The address of the requests of a client, and their limits.

use std::sync::Arc;
use std::time::Duration;

use super::address::Address;
use super::recording::Observer;
use crate::mapping::Service;
use crate::track::field::FieldChoice;

/// Endpoints and limits of a client.
#[derive(Clone)]
pub(crate) struct Connection {
    /// Base URL of the service.
    pub base: Address,
    /// Base URL at which plants are created.
    pub sandbox: Address,
    /// The service, if it has a mapping.
    pub service: Option<Arc<Service>>,
    /// `true` if the profile allows a token over plain http.
    pub allow_insecure_http: bool,
    /// Idle timeout of a connection.
    pub timeout: Duration,
    /// Largest response in bytes, after decompression.
    pub max_response: u64,
    /// Fields of a record to request in addition to the three numbers; `None`
    /// requests whole records.
    pub fields: Option<FieldChoice>,
    /// Receives every exchange.
    pub observer: Option<Observer>,
}

impl Connection {
    /// The name of the service, which is stored with its responses.
    pub(crate) fn service_name(&self) -> String {
        match &self.service {
            Some(service) => service.name.clone(),
            None => self.base.to_string(),
        }
    }

    /// `true` if its requests carry a token.
    pub(crate) fn needs_token(&self) -> bool {
        self.service
            .as_ref()
            .is_none_or(|service| service.mapping.needs_token())
    }

    /// `true` if its requests may go over plain http to another computer.
    pub(super) fn allows_http(&self) -> bool {
        self.allow_insecure_http || !self.needs_token()
    }

    /// A connection with the default limits: idle timeout of 30 s, responses of 1 GiB.
    pub(crate) fn new(base: Address, sandbox: Address) -> Self {
        Self {
            base,
            sandbox,
            service: None,
            allow_insecure_http: false,
            timeout: Duration::from_secs(30),
            max_response: 1 << 30,
            fields: None,
            observer: None,
        }
    }
}
