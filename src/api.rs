//! The service over HTTP: addresses, requests, answers, records, and the retry
//! of reads. Knows neither files nor the screen.

pub mod address;
pub mod client;
pub mod error;
pub mod exchange;
pub mod wire;

pub use address::{Address, AddressError};
pub use client::{Client, Connection, CreateAnswer, DataAnswer, DeleteAnswer};
pub use error::{Answered, Error, ErrorKind};
pub use exchange::{Exchange, Observer, Progress, ProgressSink};
