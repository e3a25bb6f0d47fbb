//! What the benchmarks in `benches/` measure, open to them alone: the feature
//! `bench` compiles this module, and nothing else of the crate is public.

pub mod archive;
pub mod frame;
pub mod map;
pub mod track;
