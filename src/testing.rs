//! Tools of the tests. Only the tests compile this module; the integration
//! tests take some of its files into their own binary (`tests/it/driver.rs`).

pub(crate) mod dashboard;
mod fuzz;
pub(crate) mod http;
pub(crate) mod json_rules;
pub(crate) mod recorded;
pub(crate) mod service;
pub(crate) mod track;
