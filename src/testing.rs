//! Test tools. Only tests compile this module; the integration tests include
//! some of its files in their own binary (`tests/it/driver.rs`).

pub(crate) mod chance;
pub(crate) mod code_blocks;
pub(crate) mod cpu_time;
pub(crate) mod dashboard;
#[cfg(feature = "postgres")]
pub(crate) mod database;
pub(crate) mod fields;
mod fuzz;
pub(crate) mod http;
pub(crate) mod json_rules;
pub(crate) mod labelled;
pub(crate) mod manual;
pub(crate) mod plant;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
pub(crate) mod recorded;
pub(crate) mod service;
pub(crate) mod track;
pub(crate) mod untyped;

use crate::geo::Position;

/// A position in degrees.
pub(crate) const fn at(latitude: f64, longitude: f64) -> Position {
    Position {
        latitude,
        longitude,
    }
}
