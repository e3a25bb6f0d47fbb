//! The flags that choose a format, and how clap parses the name of a choice.

use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::text::choice::Choice;

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

/// A form that a flag of its own names, too.
pub(in crate::cli) trait HasJson:
    Choice + Default + FromStr<Err: std::error::Error + Send + Sync> + Send + Sync + 'static
{
    const JSON: Self;
}

impl HasJson for Form {
    const JSON: Self = Self::Json;
}

impl HasJson for TableForm {
    const JSON: Self = Self::Json;
}

/// The form, as flags: `--json` is `--format json`.
#[derive(Debug, Clone, Default, Args)]
pub(in crate::cli) struct Printed<F: HasJson = Form> {
    /// The output format
    #[arg(short, long, value_name = "FORMAT", value_parser = one_of(F::VARIANTS))]
    format: Option<F>,
    /// Print JSON; same as --format json
    #[arg(long)]
    json: bool,
}

impl<F: HasJson> Printed<F> {
    pub(in crate::cli) fn form(&self) -> F {
        if self.json {
            F::JSON
        } else {
            self.format.unwrap_or_default()
        }
    }
}
