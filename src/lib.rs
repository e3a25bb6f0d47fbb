//! driftline shows the positions and tracks of instruments at sea, if they still report, and
//! which positions pass quality control.
//!
//! # Architecture
//!
//! An I/O half and a screen half on one domain layer. Neither half imports the
//! other; only the entry points import both.
//!
//! ```text
//!   entry points   main ─ cli ──────────────────┬──────────── terminal
//!   use cases      app   (async)                │             dashboard  (Event -> state -> Effect, frame)
//!   adapters       service  archive  token  demo
//!   choices        settings
//!   domain         track  watch  alarm  plant  map  mapping  formats  (values in, values out)
//!   base           geo  text  failure  exchange  os  palette
//! ```
//!
//! Each module imports only from the layers below it. `tests/it/layers.rs` has the
//! table of allowed imports, and checks the sources against it.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

#[cfg(test)]
#[macro_use]
#[path = "testing/needs.rs"]
mod needs;

mod alarm;
mod app;
mod archive;
#[cfg(feature = "bench")]
pub mod bench;
pub mod cli;
mod dashboard;
mod demo;
mod exchange;
mod failure;
mod formats;
mod geo;
mod map;
mod mapping;
mod os;
mod palette;
mod plant;
mod service;
mod settings;
mod terminal;
#[cfg(test)]
mod testing;
mod text;
mod token;
mod track;
mod watch;
