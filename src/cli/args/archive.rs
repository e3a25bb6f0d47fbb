//! The arguments of the commands about the archive.

use std::path::PathBuf;

use clap::{Subcommand, ValueHint};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ArchiveCommand {
    /// Show its path, size and row counts
    Info,
    /// Check the whole file
    Check,
    /// Reclaim unused disk space
    Vacuum,
    /// Write every deployment as Parquet to a folder, which DuckDB, Spark and Trino read as one table
    Export {
        /// The folder; created if it does not exist
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        folder: PathBuf,
    },
}
