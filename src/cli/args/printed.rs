//! The flags that choose a format, and how clap parses the name of a choice.

use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::choice::Choice;

/// Parses one of these options of a choice by its name: help and completions list the names,
/// and clap rejects any other value.
pub(super) fn one_of<T>(options: &[T]) -> impl TypedValueParser<Value = T> + use<T>
where
    T: Choice + FromStr<Err: std::error::Error + Send + Sync> + Send + Sync,
{
    let names: Vec<&'static str> = options.iter().map(|option| (*option).into()).collect();
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
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
    #[arg(short, long, value_name = "FORMAT", value_parser = one_of(Form::VARIANTS))]
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

/// The form of the output of a command that prints a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub(in crate::cli) enum TableForm {
    /// Lines for people.
    #[default]
    Table,
    /// Comma-separated values with a header.
    Csv,
    /// A JSON array on a line.
    Json,
}

/// The form of a table, as flags: `--json` is `--format json`.
#[derive(Debug, Clone, Default, Args)]
pub(in crate::cli) struct PrintedTable {
    /// The output format
    #[arg(short, long, value_name = "FORMAT", value_parser = one_of(TableForm::VARIANTS))]
    format: Option<TableForm>,
    /// Print JSON; same as --format json
    #[arg(long)]
    json: bool,
}

impl PrintedTable {
    pub(in crate::cli) fn form(&self) -> TableForm {
        if self.json {
            TableForm::Json
        } else {
            self.format.unwrap_or_default()
        }
    }
}
