//! The measured functions of the benchmarks in `benches/`. Only the feature
//! `bench` compiles this module; nothing else of the crate is public.

pub mod archive;
pub mod frame;
pub mod map;
pub mod track;
