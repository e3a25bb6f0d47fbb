//! driftline: where an instrument at sea is, where it has been, whether it
//! still reports, and whether its positions can be believed.
//!
//! # The house
//!
//! Two wings on one ground floor. The wing that does I/O and the wing that
//! makes the screen never see each other; only the roof sees both.
//!
//! ```text
//!   roof        main ─ cli ───────────────┬──────────── runtime
//!   2nd floor   ops  (use cases, async)   │             ui   (&Model -> Frame)
//!   1st floor   api  archive  auth  settings  demo      app  (Model, Event, Effect, update)
//!   ground      track   plant   chart   export (pure writers)
//!   cellar      geo   text   choice   loopback          values in, values out
//! ```
//!
//! Each module imports only from the floors below it; `tests/it/layers.rs`
//! holds the table of who may import whom and reads the imports against it.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod api;
pub mod app;
pub mod archive;
pub mod auth;
pub mod chart;
pub mod choice;
pub mod cli;
pub mod demo;
pub mod export;
pub mod geo;
pub mod loopback;
pub mod ops;
pub mod plant;
pub mod runtime;
pub mod settings;
pub mod text;
pub mod track;
pub mod ui;
