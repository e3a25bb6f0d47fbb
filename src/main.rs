//! Entry point; all code is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    driftline::cli::main()
}
