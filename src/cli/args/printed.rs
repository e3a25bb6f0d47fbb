//! The flags that choose between a table and JSON.

use clap::Args;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::one_of::one_of;

/// The form of what a command prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub(in crate::cli) enum Form {
    /// Lines for people.
    #[default]
    Table,
    /// A JSON value on a line.
    Json,
}

/// The form, as flags: `--json` is `--format json`.
#[derive(Debug, Clone, Default, Args)]
pub(in crate::cli) struct Printed {
    /// The form
    #[arg(short, long, value_name = "FORMAT", value_parser = one_of::<Form>())]
    format: Option<Form>,
    /// Print JSON, as --format json does
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Printed {
    pub(in crate::cli) fn form(&self) -> Form {
        match self.json {
            true => Form::Json,
            false => self.format.unwrap_or_default(),
        }
    }
}
