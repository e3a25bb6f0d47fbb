//! Parses the options of a choice.

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::choice::{self, Choice};

/// Parses one option of a choice by its name: help and completions list the
/// names, and clap rejects any other value.
pub(super) fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: Choice + FromStr<Err: std::error::Error + Send + Sync> + Send + Sync,
{
    PossibleValuesParser::new(choice::names::<T>()).try_map(|name| name.parse::<T>())
}
