//! The arguments of the commands about the archive.

use std::path::PathBuf;

use clap::{Subcommand, ValueHint};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ArchiveCommand {
    /// Show its path, size and row counts
    Info,
    /// Check the whole archive, and recover a damaged one
    Check,
    /// Reclaim unused disk space
    Vacuum,
    /// Copy an archive into an empty one, between files and servers
    Copy {
        /// The archive to copy: a file, or postgres://USER@HOST/DATABASE
        #[arg(value_name = "FROM", value_hint = ValueHint::FilePath)]
        from: PathBuf,
        /// The new archive, or an empty one
        #[arg(value_name = "TO", value_hint = ValueHint::FilePath)]
        to: PathBuf,
    },
    /// Write every deployment as Parquet to a folder that DuckDB, Spark and Trino read as one table
    Export {
        /// The folder; created if it does not exist
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        folder: PathBuf,
    },
}
