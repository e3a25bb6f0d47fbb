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
//!   use cases      intake  ops   (async)        │             dashboard  (Event -> Model -> Effect, frame)
//!   adapters       service  archive  token  demo
//!   choices        settings
//!   domain         track  alarm  plant  map  mapping  formats  (values in, values out)
//!   base           geo  text  hash  failure  exchange  choice  loopback  clock  location  program  palette
//! ```
//!
//! Each module imports only from the layers below it. `tests/it/layers.rs` has the
//! table of allowed imports, and checks the sources against it.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod alarm;
mod archive;
#[cfg(feature = "bench")]
pub mod bench;
mod choice;
pub mod cli;
mod clock;
mod dashboard;
mod demo;
mod exchange;
mod failure;
mod files;
mod formats;
mod geo;
mod hash;
mod intake;
mod location;
mod loopback;
mod map;
mod mapping;
mod ops;
mod palette;
mod plant;
mod program;
mod service;
mod settings;
mod terminal;
#[cfg(test)]
mod testing;
mod text;
mod token;
mod track;
