//! Entry point; all code is in the library.

use std::process::ExitCode;

// The allocator of glibc keeps what is freed of a long track: a dashboard with a million
// fixes held 258 MB after forty keys and two refreshes, and with this one 145 (202 where
// it takes pages of 2 MB).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    driftline::cli::main()
}
