//! The operating system: files, programs, the clock, threads for work that waits.

pub(crate) mod blocking;
pub(crate) mod clock;
pub(crate) mod files;
pub(crate) mod loopback;
pub(crate) mod output;
pub(crate) mod program;
pub(crate) mod reading;
pub(crate) mod supervisor;
