//! The flags that choose a format, and how clap parses the name of a choice.

use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::choice::{self, Choice};

/// Parses an option of a choice by its name: help and completions list the names, and clap
/// rejects any other value.
pub(super) fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: Choice + FromStr<Err: std::error::Error + Send + Sync> + Send + Sync,
{
    PossibleValuesParser::new(choice::names::<T>()).try_map(|name| name.parse::<T>())
}

/// The form of the output of a command.
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
    /// The output format
    #[arg(short, long, value_name = "FORMAT", value_parser = one_of::<Form>())]
    format: Option<Form>,
    /// Print JSON; same as --format json
    #[arg(long)]
    json: bool,
}

impl Printed {
    pub(in crate::cli) fn form(&self) -> Form {
        if self.json {
            Form::Json
        } else {
            self.format.unwrap_or_default()
        }
    }
}
