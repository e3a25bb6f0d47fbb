//! The service over HTTP: addresses, requests, answers, records, and the retry
//! of reads. Knows neither files nor the screen.

pub mod address;
mod body;
mod causes;
pub mod client;
mod http_client;
mod plain;
mod plant_answer;
pub mod recording;
pub mod records;
mod redact;
mod redirect;
mod resolve;
mod response;
mod retry;
pub mod stream;
mod transport;
mod validators;
pub mod wire;

pub use address::{Address, AddressError};
pub use client::{Client, Connection};
pub use http_client::{Certificate, certificates};
pub use plant_answer::{CreateAnswer, DeleteAnswer};
pub use recording::{Observer, ProgressSink};
