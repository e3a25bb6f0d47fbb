//! The flags that choose a format, and how clap parses the name of a choice.

use std::marker::PhantomData;
use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::VariantArray;

use crate::formats::Format;
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

/// The form in which a command prints or writes.
pub(in crate::cli) trait Output:
    std::fmt::Debug + Clone + Default + Send + Sync + 'static
{
    const FORMATS: &'static [Format];
    const HELP: &'static str = "The output format";
}

/// Lines for people, or a JSON value.
#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct Lines;

impl Output for Lines {
    const FORMATS: &'static [Format] = &[Format::Table, Format::Json];
}

/// Rows of a table.
#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct Rows;

impl Output for Rows {
    const FORMATS: &'static [Format] = &[Format::Table, Format::Csv, Format::Json];
}

/// The format of a file by default.
const OF_FILE: &str =
    "The file format [default: by the name of the file, table on a terminal, else csv]";

/// Tracks.
#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct Tracks;

impl Output for Tracks {
    const FORMATS: &'static [Format] = Format::VARIANTS;
    const HELP: &'static str = OF_FILE;
}

/// The last fixes of a list.
#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct LastFixes;

impl Output for LastFixes {
    const FORMATS: &'static [Format] = &Format::LATEST;
    const HELP: &'static str = OF_FILE;
}

/// The format, as flags: `--json` is `--format json`.
#[derive(Debug, Clone, Default, Args)]
pub(in crate::cli) struct Printed<O: Output = Lines> {
    #[arg(short, long, value_name = "FORMAT", help = O::HELP, value_parser = one_of(O::FORMATS))]
    format: Option<Format>,
    /// Print JSON; same as --format json
    #[arg(long)]
    json: bool,
    #[arg(skip)]
    output: PhantomData<O>,
}

impl<O: Output> Printed<O> {
    /// The format that a flag names.
    pub(in crate::cli) fn named(&self) -> Option<Format> {
        if self.json {
            Some(Format::Json)
        } else {
            self.format
        }
    }

    /// The format that a flag names, else lines for people.
    pub(in crate::cli) fn form(&self) -> Format {
        self.named().unwrap_or(Format::Table)
    }
}
