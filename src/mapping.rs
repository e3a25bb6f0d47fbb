//! How a service of another shape is asked, and how its answers become records: a table of
//! data, of which `assets/services.toml` has one for each known kind of service.

mod members;
mod template;

pub(crate) use template::{Asked, Place};

use std::collections::BTreeMap;
use std::time::Duration;

/// How a service of another shape is asked, and what its answers mean.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Mapping {
    /// The name of its kind.
    pub kind: Option<String>,
    /// The base address of its kind.
    pub base_url: Option<String>,
    /// The address of a track, with placeholders.
    pub url: String,
    /// The program whose output is the answer, with its arguments; none asks over HTTP.
    pub command: Vec<String>,
    /// How the token goes along.
    pub auth: Auth,
    /// How the answer is written, and what its records mean.
    pub answer: AnswerShape,
    /// The longest time that an answer reaches back, seconds.
    pub window_s: Option<f64>,
    /// The shortest time between two requests.
    pub min_interval: Option<Duration>,
    /// The list of its deployments.
    pub list: Option<List>,
    /// The first time that is asked for, UNIX seconds.
    pub start: f64,
    /// The fields that are asked for.
    pub fields: Vec<String>,
    /// What placeholders of its own stand for.
    pub parameters: BTreeMap<String, String>,
    /// The table in force, as TOML.
    pub written: String,
}

/// Where a service lists its deployments, and what the records of that list mean.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct List {
    /// Its address, with placeholders.
    pub url: String,
    /// How it is written; times and positions are those of the last fixes.
    pub answer: AnswerShape,
    /// The member that is the id.
    pub id: String,
    /// The member that names a deployment; none takes the usual ones.
    pub label: Option<String>,
}

/// A service of another shape that is in use.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Service {
    /// Its base address, or the profile of a program.
    pub name: String,
    /// How it is asked.
    pub mapping: Mapping,
}

/// How an answer is written, and what its records mean.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct AnswerShape {
    pub format: AnswerFormat,
    /// The JSON pointer to the records.
    pub items: Option<String>,
    /// `true` if a response without them has no fixes.
    pub may_lack_items: bool,
    /// The JSON pointer to the names of the cells, if a record is an array of cells.
    pub columns: Option<String>,
    /// The JSON pointer to the message of an error in a response with a status of success.
    pub error: Option<String>,
    /// The JSON pointer to the URL of the next page.
    pub next: Option<String>,
    /// The members of the time, which are joined with a blank.
    pub time: Vec<String>,
    pub time_format: TimeFormat,
    pub latitude: String,
    pub longitude: String,
    /// Numbers that mean none.
    pub missing: Vec<f64>,
    /// The member that has to be the id.
    pub same: Option<String>,
    /// The members with the values that a record has.
    pub only: Vec<(String, serde_json::Value)>,
}

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum AnswerFormat {
    /// JSON.
    #[default]
    Json,
    /// A JSON value a line.
    Ndjson,
    /// Cells that commas, semicolons or tabs part.
    Csv,
    /// Cells that blanks part.
    Table,
}

/// How a time is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum TimeFormat {
    /// UNIX seconds.
    #[default]
    Unix,
    /// UNIX milliseconds.
    UnixMs,
    /// A date and a time of day as of ISO 8601.
    Iso,
    /// A year and a day of it from 1 on, with a fraction.
    YearDay,
    /// A pattern of `strptime`.
    Pattern(String),
}

/// How the token goes along with a request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Auth {
    /// `Authorization: Bearer TOKEN`.
    #[default]
    Bearer,
    /// There is none.
    None,
    /// `Authorization: Basic`; the token is `user:password`.
    Basic,
    /// A header of this name.
    Header(String),
    /// A parameter of this name in the query.
    Query(String),
}

impl Mapping {
    /// `true` if a token goes along with its requests.
    pub(crate) fn needs_token(&self) -> bool {
        self.auth != Auth::None && self.command.is_empty()
    }

    /// The base URL if none is set: that of its kind, or the origin of `url`.
    pub(crate) fn usual_base(&self) -> Option<String> {
        let origin = || {
            let (scheme, rest) = self.url.split_once("://")?;
            let host = rest.split(['/', '?', '#']).next()?;
            Some(format!("{scheme}://{host}"))
        };
        self.base_url.clone().or_else(origin)
    }

    /// The table in force, in TOML, with the base URL of the profile and the defaults of a
    /// service that is asked over HTTP.
    pub(crate) fn in_force(&self, base_url: Option<&str>) -> String {
        let mut table: toml::Table = self.written.parse().unwrap_or_default();
        if self.command.is_empty() {
            let base_url = base_url.map(|url| ("base_url".to_owned(), url.into()));
            table.extend(base_url);
            table.entry("auth").or_insert_with(|| "bearer".into());
        }
        toml::to_string(&table).unwrap_or_default()
    }

    /// The address of its tracks, in a few words.
    pub(crate) fn summary(&self) -> String {
        match (&self.kind, self.command.first()) {
            (Some(kind), _) => format!("kind {kind}"),
            (None, Some(program)) => format!("command {program}"),
            (None, None) => self.url.clone(),
        }
    }
}
