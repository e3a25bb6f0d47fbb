//! The client: the three operations of the service.

use std::time::Duration;

use super::{
    address::Address,
    error::{Error, ErrorKind},
    exchange::{Observer, ProgressSink},
    wire::{PlantEcho, PlantRequest},
};
use crate::{auth::Token, track::Records};

/// Where a client talks to, and within which bounds.
#[derive(Clone)]
pub struct Connection {
    /// The service.
    pub base: Address,
    /// Where plants are created.
    pub sandbox: Address,
    /// Whether the profile allows a token over plain http.
    pub allow_insecure_http: bool,
    /// Silence after which a connection is given up.
    pub timeout: Duration,
    /// Bytes an answer may have, decompressed.
    pub max_response: u64,
    /// Told of every exchange.
    pub observer: Option<Observer>,
}

/// A deployment's records as they came.
#[derive(Debug, Clone, PartialEq)]
pub struct DataAnswer {
    /// The records, in the service's order.
    pub records: Records,
    /// The HTTP status.
    pub status: u16,
    /// Bytes of the body, decompressed.
    pub bytes: u64,
    /// Seconds that the service's clock is ahead of this machine's, where it
    /// said its time.
    pub clock_ahead_s: Option<f64>,
}

/// A plant was created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateAnswer {
    /// The HTTP status.
    pub status: u16,
    /// What the service echoed, if it could be read.
    pub echo: Option<PlantEcho>,
    /// What is odd about the answer.
    pub note: Option<String>,
}

/// A plant was deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeleteAnswer {
    /// The HTTP status.
    pub status: u16,
    /// What is odd about the answer: confirmed at the second try.
    pub note: Option<String>,
}

/// A client of one service.
#[derive(Clone)]
pub struct Client {
    connection: Connection,
}

impl Client {
    /// A client; nothing is connected or looked up yet.
    pub fn new(connection: Connection) -> Self {
        Self { connection }
    }

    /// The records of a deployment.
    ///
    /// # Errors
    /// [`Error`], after the tries of an idle read.
    pub async fn deployment_data(
        &self,
        _token: &Token,
        _deployment: uuid::Uuid,
        _progress: Option<ProgressSink>,
    ) -> Result<DataAnswer, Error> {
        Err(self.unconnected())
    }

    /// Creates a plant. Sent once, whatever happens.
    ///
    /// # Errors
    /// [`Error`]; [`ErrorKind::OutcomeUnknown`] if it was sent and not
    /// answered.
    pub async fn create_plant(
        &self,
        _token: &Token,
        _plant: &PlantRequest,
    ) -> Result<CreateAnswer, Error> {
        Err(self.unconnected())
    }

    /// Deletes a plant. A lost answer is tried once more.
    ///
    /// # Errors
    /// [`Error`], as [`Client::create_plant`].
    pub async fn delete_plant(&self, _token: &Token, _id: &str) -> Result<DeleteAnswer, Error> {
        Err(self.unconnected())
    }

    fn unconnected(&self) -> Error {
        Error::new(
            ErrorKind::Unreachable,
            format!("{} is not connected", self.connection.base),
            "",
        )
    }
}
