//! The arguments of the commands about plants.

use std::path::PathBuf;

use clap::{Subcommand, ValueHint};

use super::printed::Printed;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum PlantsCommand {
    /// Create a plant
    Create {
        /// Its identifier, a whole number
        #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
        id: String,
        /// Its name
        #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
        name: String,
        /// Its tag
        #[arg(long, value_name = "TAG", allow_hyphen_values = true)]
        tag: String,
        #[command(flatten)]
        printed: Printed,
    },
    /// Delete a plant
    Delete {
        /// Its identifier
        #[arg(value_name = "ID", allow_hyphen_values = true)]
        id: String,
        /// Delete without confirmation
        #[arg(short, long)]
        yes: bool,
        #[command(flatten)]
        printed: Printed,
    },
    /// List plant requests from this computer: the service lists no plants
    List {
        /// Include requests to other services than the one in use
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        printed: Printed,
    },
    /// Create many plants from a CSV file with the columns id, name and tag
    Import {
        /// The file
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Print what would be done; send nothing
        #[arg(long)]
        dry_run: bool,
        /// Continue after a plant that the service refused
        #[arg(long)]
        keep_going: bool,
        #[command(flatten)]
        printed: Printed,
    },
}
