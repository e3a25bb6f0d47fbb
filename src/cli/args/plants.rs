//! The arguments of the commands about plants.

use std::path::PathBuf;

use clap::{Subcommand, ValueHint};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::printed::{Printed, Rows, one_of};
use crate::plant::state::State;

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
    /// Delete plants; stops at the first whose outcome is unknown
    #[command(visible_alias = "rm")]
    Delete {
        /// Their identifiers; after -- one may begin with a hyphen
        #[arg(value_name = "ID", required = true, allow_negative_numbers = true)]
        ids: Vec<String>,
        /// Delete without confirmation
        #[arg(short, long)]
        yes: bool,
        #[command(flatten)]
        printed: Printed,
    },
    /// List the plants that the requests from this computer are about: the service lists none
    #[command(visible_alias = "ls")]
    List {
        /// Only plants in this state
        #[arg(long, value_name = "STATE", value_parser = one_of(State::VARIANTS))]
        state: Option<State>,
        /// Only plants with this tag
        #[arg(long, value_name = "TAG", allow_hyphen_values = true)]
        tag: Option<String>,
        /// Include plants of other services than that in use
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        printed: Printed<Rows>,
    },
    /// List the requests from this computer, with what the service answered
    Log {
        /// Include requests to other services than that in use
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        printed: Printed<Rows>,
    },
    /// Record what you found out about a plant whose state is unknown
    ///
    /// A second finding corrects the first, as long as no answer of the service has confirmed
    /// it.
    Resolve {
        /// Its identifier
        #[arg(value_name = "ID", allow_hyphen_values = true)]
        id: String,
        /// exists: the service has it; absent: it does not
        #[arg(value_name = "FINDING", value_parser = one_of(Finding::VARIANTS))]
        finding: Finding,
        #[command(flatten)]
        printed: Printed,
    },
    /// Create many plants from a CSV file with the columns id, name and tag
    ///
    /// The columns are in any order, separated by commas, semicolons or tabs. A plant that
    /// exists with this name and tag is left out. Stops at the first plant that is refused
    /// or whose outcome is unknown.
    Import {
        /// The file; - is standard input
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Print what would be done; send nothing
        #[arg(long)]
        dry_run: bool,
        /// Continue after a plant that is refused or whose outcome is unknown
        #[arg(long)]
        keep_going: bool,
        #[command(flatten)]
        printed: Printed,
    },
    /// Write the plants that exist and have a name as a CSV file that `import` reads
    Export {
        /// The file, replaced if it exists [default: standard output]
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        /// The file, as a flag
        #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "file")]
        output: Option<PathBuf>,
    },
}

/// The finding of a person about a plant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub(in crate::cli) enum Finding {
    /// The service has it.
    Exists,
    /// The service does not have it.
    Absent,
}
