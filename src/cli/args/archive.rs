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
    /// Copy an archive whole into an empty one, from a file to a server too
    Copy {
        /// The archive that is there: a file, or postgres://USER@HOST/DATABASE
        #[arg(value_name = "FROM", value_hint = ValueHint::FilePath)]
        from: PathBuf,
        /// The archive that is made, or an empty one
        #[arg(value_name = "TO", value_hint = ValueHint::FilePath)]
        to: PathBuf,
    },
    /// Write every deployment as Parquet to a folder, which DuckDB, Spark and Trino read as one table
    Export {
        /// The folder; created if it does not exist
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        folder: PathBuf,
    },
}
