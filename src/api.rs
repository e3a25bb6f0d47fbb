//! The service over HTTP: addresses, requests, answers, records, and the retry
//! of reads. Knows neither files nor the screen.

pub mod address;
mod body;
pub mod client;
pub mod error;
pub mod exchange;
mod http_client;
mod plain;
pub mod records;
mod redact;
mod redirect;
mod resolve;
mod response;
mod retry;
pub mod stream;
mod transport;
pub mod validators;
pub mod wire;

#[cfg(test)]
pub(crate) use crate::testing::service as test_server;
pub use address::{Address, AddressError};
pub use client::{Client, Connection, CreateAnswer, DataAnswer, DeleteAnswer};
pub use error::{Answered, Error, ErrorKind};
pub use exchange::{Exchange, Observer, Progress, ProgressSink};
pub use http_client::{Certificate, certificates};
pub use validators::Validators;
