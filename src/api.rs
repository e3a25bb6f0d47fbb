//! The service over HTTP: addresses, requests, answers, records, and the retry
//! of reads. Knows neither files nor the screen.

pub mod address;
mod answer;
pub mod arriving;
mod body;
#[cfg(test)]
mod changing_tests;
pub mod client;
pub mod error;
pub mod exchange;
mod line;
mod plain;
#[cfg(test)]
mod reading_tests;
pub mod records;
mod redirect;
mod resolve;
#[cfg(test)]
pub(crate) mod responder;
mod retry;
mod transport;
pub mod validators;
pub mod wire;
mod withheld;

pub use address::{Address, AddressError};
pub use client::{Client, Connection, CreateAnswer, DataAnswer, DeleteAnswer};
pub use error::{Answered, Error, ErrorKind};
pub use exchange::{Exchange, Observer, Progress, ProgressSink};
pub use line::{Certificate, certificates};
pub use validators::Validators;
