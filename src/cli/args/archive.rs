//! The arguments of the commands about the archive.

use std::path::PathBuf;

use clap::{Subcommand, ValueHint};

use super::FileArguments;
use super::printed::Printed;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ArchiveCommand {
    /// Show its path, size and row counts
    Info {
        #[command(flatten)]
        printed: Printed,
    },
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
        #[command(flatten)]
        printed: Printed,
    },
    /// Add the records of files to a deployment, such as those of a logger for a gap
    ///
    /// An archived fix has precedence over one at the same time. Importing again adds
    /// nothing.
    Import {
        /// The files, as `driftline FILE` reads them; - is standard input
        #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
        files: Vec<String>,
        /// The deployment: its id, its label, or the first 4 or more characters of its id
        #[arg(long, value_name = "DEPLOYMENT")]
        deployment: String,
        #[command(flatten)]
        file: FileArguments,
    },
    /// Write all tracks as one table of Parquet files (built with the feature parquet)
    ///
    /// A folder for each month of UTC, month=2026-01, with a file of each deployment in it,
    /// part-0007.parquet, with the columns of `track --format parquet` and the deployment:
    /// DuckDB, Polars and Spark read the folder as one table. A file in which nothing is new
    /// is not written again, so that a program such as rclone sends what is new to an
    /// object store.
    Export {
        /// The folder, created if it does not exist
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        folder: PathBuf,
    },
}
