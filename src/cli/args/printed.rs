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
    /// The output format
    #[arg(short, long, value_name = "FORMAT", value_parser = one_of::<Form>())]
    format: Option<Form>,
    /// Print JSON; same as --format json
    #[arg(long)]
    json: bool,
}

/// The flags that choose a format, before it is known that they agree.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Chosen {
    /// `--json`.
    pub(in crate::cli) json: bool,
    /// The value of `--format`.
    pub(in crate::cli) named: Option<&'static str>,
}

impl Chosen {
    /// `true` for JSON, in one value or in lines.
    pub(in crate::cli) fn is_json(self) -> bool {
        self.json || matches!(self.named, Some("json" | "ndjson"))
    }
}

impl Printed {
    pub(in crate::cli) fn chosen(&self) -> Chosen {
        Chosen {
            json: self.json,
            named: self.format.map(Into::into),
        }
    }

    pub(in crate::cli) fn form(&self) -> Form {
        match self.json {
            true => Form::Json,
            false => self.format.unwrap_or_default(),
        }
    }
}
