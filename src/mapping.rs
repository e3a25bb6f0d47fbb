//! The mapping of a service whose interface differs from the usual one: how to request its
//! data, and how to read its responses. `assets/services.toml` has a mapping for each known
//! kind of service.

// Not a part of `service`, which reads answers by it: the settings hold a mapping and the dashboard
// its service, and both are without network.

mod members;
mod template;
mod time_format;

pub(crate) use template::{Asked, RESERVED, Use};
pub(crate) use time_format::{TimeFormat, seconds, unix};

use std::collections::BTreeMap;
use std::time::Duration;

use crate::watch::DeploymentId;
use crate::watch::id::is_id;

/// How to request the data of a service, and how to read its responses.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Mapping {
    /// The name of its kind.
    pub kind: Option<String>,
    /// The base URL of its kind.
    pub base_url: Option<String>,
    /// The URL of a track, with placeholders.
    pub url: String,
    /// The program whose output is the response, with its arguments; empty for HTTP.
    pub command: Vec<String>,
    /// How requests carry the token.
    pub auth: Auth,
    /// The format of a response, and the meaning of its records.
    pub answer: AnswerShape,
    /// The longest time before now that a response covers, seconds.
    pub window_s: Option<f64>,
    /// The shortest time between two requests.
    pub min_interval: Option<Duration>,
    /// The list of its deployments, if it has one.
    pub list: Option<List>,
    /// The first time to request, UNIX seconds.
    pub start: f64,
    /// The fields to request.
    pub fields: Vec<String>,
    /// The values of its own placeholders.
    pub parameters: BTreeMap<String, String>,
    /// The table in force, as TOML.
    pub written: String,
}

/// The list of the deployments of a service, and the meaning of its records.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct List {
    /// Its URL, with placeholders.
    pub url: String,
    /// Its format; times and positions are those of the last fixes.
    pub answer: AnswerShape,
    /// The member that is the id.
    pub id: String,
    /// The member with the name of a deployment; `None` for the usual names.
    pub label: Option<String>,
}

/// A service in use that has a mapping.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Service {
    /// Its base URL, or the profile of a program.
    pub name: String,
    pub mapping: Mapping,
}

/// The format of a response, and the meaning of its records.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AnswerShape {
    pub format: AnswerFormat,
    /// The pointer to the records.
    pub items: Option<String>,
    /// `true` if a response without them has no fixes.
    pub may_lack_items: bool,
    /// The pointer to the names of the cells, if a record is an array of cells.
    pub columns: Option<String>,
    /// The pointer to an error message in a response with a status of success.
    pub error: Option<String>,
    /// The pointer to the URL of the next page.
    pub next: Option<String>,
    /// The members of the time, joined with a blank.
    pub time: Vec<String>,
    pub time_format: TimeFormat,
    pub latitude: String,
    pub longitude: String,
    /// Numbers that mean "no value".
    pub missing: Vec<f64>,
    /// The member that must be the id.
    pub same: Option<String>,
    /// The member that is false where the position is invalid.
    pub valid: Option<String>,
    /// The members that are no fields.
    pub ignored: Vec<String>,
    /// The values that these members of a record must have.
    pub only: Vec<(String, serde_json::Value)>,
    /// `true` if no text is a number.
    pub is_strict: bool,
}

impl Default for AnswerShape {
    /// The shape of the interface.
    fn default() -> Self {
        Self {
            format: AnswerFormat::Json,
            items: None,
            may_lack_items: false,
            columns: None,
            error: None,
            next: None,
            time: vec!["time_stamp".to_owned()],
            time_format: TimeFormat::Unix,
            latitude: "latitude".to_owned(),
            longitude: "longitude".to_owned(),
            missing: Vec::new(),
            same: None,
            valid: None,
            ignored: Vec::new(),
            only: Vec::new(),
            is_strict: true,
        }
    }
}

/// The format of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum AnswerFormat {
    #[default]
    Json,
    /// A JSON value on each line.
    Ndjson,
    /// Cells separated by commas, semicolons or tabs.
    Csv,
    /// Cells separated by blanks.
    Table,
}

/// How a request carries the token.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Auth {
    /// `Authorization: Bearer TOKEN`.
    #[default]
    Bearer,
    /// There is no token.
    None,
    /// `Authorization: Basic`; the token is `user:password`.
    Basic,
    /// A header with this name.
    Header(String),
    /// A query parameter with this name.
    Query(String),
}

impl Service {
    /// The UUID of the deployment that the service calls so.
    ///
    /// # Errors
    /// Why it cannot be an id, as the end of a sentence.
    pub(crate) fn deployment(&self, typed: &str) -> Result<DeploymentId, String> {
        let id = typed.trim();
        if !is_id(id) {
            return Err(
                "it has 1 to 128 visible characters, with single blanks between them; \
                        `.` and `..` are none"
                    .to_owned(),
            );
        }
        self.mapping.check_id(id)?;
        Ok(DeploymentId::new(&self.name, id))
    }
}

impl Mapping {
    /// `true` if its requests carry a token.
    pub(crate) fn needs_token(&self) -> bool {
        self.auth != Auth::None && self.command.is_empty()
    }

    /// The base URL if none is set: that of its kind, or the origin of its own URL.
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

    /// A short description of its source.
    pub(crate) fn summary(&self) -> String {
        match (&self.kind, self.command.first()) {
            (Some(kind), _) => format!("kind {kind}"),
            (None, Some(program)) => format!("command {program}"),
            (None, None) => self.url.clone(),
        }
    }
}
