//! driftline: where an instrument at sea is, where it has been, whether it
//! still reports, and whether its positions can be believed.
//!
//! # Architecture
//!
//! Two halves that never see each other, the one that does I/O and the one that
//! makes the screen, on one domain layer. Only the entry points see both.
//!
//! ```text
//!   entry points   main ─ cli ─────────────────┬──────────── runtime
//!   use cases      ops   (async)               │             ui   (&Model -> Frame)
//!   adapters       api  archive  auth  settings  demo        app  (Model, Event, Effect, update)
//!   domain         track   plant   chart   export (pure writers)
//!   ground         geo  text  failure  exchange  choice  loopback  clock
//! ```
//!
//! Each module imports only from the layers below it. `tests/it/layers` has the
//! table of who may import whom, and reads the sources against it.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod api;
pub mod app;
pub mod archive;
pub mod auth;
pub mod chart;
pub mod choice;
pub mod cli;
pub mod clock;
pub mod demo;
pub mod exchange;
pub mod export;
pub mod failure;
pub mod geo;
pub mod loopback;
pub mod ops;
pub mod plant;
pub mod runtime;
pub mod settings;
#[cfg(test)]
mod testing;
pub mod text;
pub mod track;
pub mod ui;
