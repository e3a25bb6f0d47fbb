//! The service over HTTP: addresses, requests, answers, records, and the retry
//! of reads. Knows neither files nor the screen.

pub mod address;
mod body;
#[cfg(test)]
mod changing_tests;
pub mod client;
mod http_client;
mod plain;
#[cfg(test)]
mod reading_tests;
pub mod recording;
pub mod records;
mod redact;
mod redirect;
mod resolve;
mod response;
mod retry;
pub mod stream;
#[cfg(test)]
pub(crate) mod test_server;
mod transport;
mod validators;
pub mod wire;

pub use address::{Address, AddressError};
pub use client::{Client, Connection, CreateAnswer, DeleteAnswer};
pub use http_client::{Certificate, certificates};
pub use recording::{Observer, ProgressSink};
