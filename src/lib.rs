//! driftline: where an instrument at sea is, where it has been, whether it
//! still reports, and whether its positions pass quality control.
//!
//! # Architecture
//!
//! An I/O half and a screen half on one domain layer. Neither half imports the
//! other; only the entry points import both.
//!
//! ```text
//!   entry points   main ─ cli ─────────────────┬──────────── runtime
//!                                              │             dashboard  (dialogs, update, draw)
//!   use cases      ops   (async)               │             ui   (&Model -> panes)
//!   adapters       api  archive  auth  settings  demo        app  (Model, Event, Effect)
//!   domain         track   plant   chart   export (pure writers)
//!   base           geo  text  hash  failure  exchange  choice  loopback  clock  palette
//! ```
//!
//! Each module imports only from the layers below it. `tests/it/layers.rs` has the
//! table of allowed imports, and checks the sources against it.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod alarm;
mod api;
mod app;
mod archive;
mod auth;
#[cfg(feature = "bench")]
pub mod bench;
mod chart;
mod choice;
pub mod cli;
mod clock;
mod dashboard;
mod demo;
mod exchange;
mod export;
mod failure;
mod geo;
mod hash;
mod intake;
mod location;
mod loopback;
mod ops;
mod palette;
mod plant;
mod runtime;
mod settings;
#[cfg(test)]
mod testing;
mod text;
mod track;
mod ui;
