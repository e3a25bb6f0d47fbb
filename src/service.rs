//! HTTP client of the service: URLs, requests, responses, records, and the
//! retry of reads. It accesses neither files nor the screen.

pub(crate) mod address;
pub(crate) mod answer;
mod body;
mod causes;
pub(crate) mod client;
mod command;
mod connection;
mod gzip;
mod http_client;
mod pace;
mod proxy;
mod reading;
mod recording;
mod redact;
mod redirect;
mod resolve;
mod response;
mod retry;
mod transport;
mod validators;
mod window;
pub(crate) mod wire;

pub(crate) use address::Address;
pub(crate) use client::{Change, Client};
pub(crate) use command::Command;
pub(crate) use connection::Connection;
pub(crate) use recording::{Observer, ProgressSink, Recording};
