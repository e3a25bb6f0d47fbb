//! Lists of plants and of requests, as tables, CSV and JSON.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::value::RawValue;

use super::Run;
use crate::app::session::connect;
use crate::cli::args::Global;
use crate::cli::args::printed::TableForm;
use crate::cli::output::{Out, note};
use crate::failure::Failure;
use crate::formats::csv::{self, push_quoted, push_text};
use crate::os::blocking::blocking;
use crate::os::output::{Destination, write_bytes};
use crate::plant::is_whole_number;
use crate::plant::log::{Entry, Operation, PlantService};
use crate::plant::state::{self, Named, Plant};
use crate::text;
use crate::track::time;

/// The services whose plants are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Services {
    InUse,
    All,
}

impl Services {
    pub(super) fn new(all: bool) -> Self {
        match all {
            true => Self::All,
            false => Self::InUse,
        }
    }

    /// The service that is listed; `None` for all, or if no service is set.
    fn chosen(self, run: &Run) -> Result<Option<PlantService>, Failure> {
        match self {
            Self::All => Ok(None),
            Self::InUse => connect::plant_service(&run.settings),
        }
    }
}

/// A plant with its last request.
pub(super) struct PlantRow {
    pub(super) plant: Plant,
    requests: Vec<&'static str>,
    last: Option<Entry>,
}

impl PlantRow {
    pub(super) fn new(plant: Plant, entries: &[Entry]) -> Self {
        let requests: Vec<&Entry> = plant.requests(entries).collect();
        Self {
            last: requests.last().map(|entry| Entry::clone(entry)),
            requests: requests
                .iter()
                .map(|entry| entry.operation.word())
                .collect(),
            plant,
        }
    }

    /// Its tag, where it may be said.
    pub(super) fn tag(&self) -> Option<&String> {
        self.plant.named().map(|named| &named.tag)
    }

    fn values(&self) -> [Value<'_>; PLANT.len()] {
        let plant = &self.plant;
        let named = plant.named();
        let reply = self.last.as_ref().map(|entry| &entry.reply);
        [
            Value::Id(&plant.id),
            Value::Text(named.map(|named| named.name.as_str())),
            Value::Text(named.map(|named| named.tag.as_str())),
            Value::Text(Some(plant.state.into())),
            Value::Made(time::rfc3339(plant.since)),
            Value::Text(Some(&plant.address)),
            Value::List(&self.requests),
            Value::Number(reply.and_then(|reply| reply.status).map(i64::from)),
            Value::Number(reply.and_then(|reply| reply.error)),
            Value::Text(reply.and_then(|reply| reply.message.as_deref())),
            Value::Made(plant.service.to_string()),
        ]
    }
}

impl Serialize for PlantRow {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(PLANT.iter().zip(self.values()))
    }
}

/// The members of a plant, in JSON and as columns of CSV.
const PLANT: [&str; 11] = [
    "id", "name", "tag", "state", "since", "address", "requests", "status", "error", "message",
    "service",
];

/// The members of a line of the log.
const LINE: [&str; 12] = [
    "time",
    "operation",
    "id",
    "name",
    "tag",
    "address",
    "status",
    "outcome",
    "error",
    "message",
    "note",
    "service",
];

/// The value of a member: in JSON of its kind, or null; in CSV a cell, perhaps empty.
enum Value<'a> {
    Id(&'a str),
    Text(Option<&'a str>),
    Made(String),
    Number(Option<i64>),
    List(&'a [&'static str]),
}

impl Value<'_> {
    fn cell(&self) -> String {
        match self {
            Self::Id(text) => (*text).to_owned(),
            Self::Text(text) => text.unwrap_or_default().to_owned(),
            Self::Made(text) => text.clone(),
            Self::Number(number) => cell(*number),
            Self::List(words) => words.join(" · "),
        }
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Id(id) => id_json(id).serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
            Self::Made(text) => text.serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
            Self::List(words) => words.serialize(serializer),
        }
    }
}

/// The note of a line: what a person found, or that of the request.
fn noted(entry: &Entry) -> Option<&str> {
    match entry.operation {
        Operation::FoundExisting => Some("exists"),
        Operation::FoundAbsent => Some("absent"),
        Operation::Create | Operation::Delete => entry.reply.note.as_deref(),
    }
}

/// A line of the log.
struct Line<'a>(&'a Entry);

impl Line<'_> {
    fn values(&self) -> [Value<'_>; LINE.len()] {
        let Entry { reply, .. } = self.0;
        [
            Value::Made(time::rfc3339(self.0.at)),
            Value::Text(Some(self.0.operation.word())),
            Value::Id(&self.0.id),
            Value::Text(self.0.name.as_deref()),
            Value::Text(self.0.tag.as_deref()),
            Value::Text(Some(&self.0.address)),
            Value::Number(reply.status.map(i64::from)),
            Value::Made(reply.outcome.to_string()),
            Value::Number(reply.error),
            Value::Text(reply.message.as_deref()),
            Value::Text(noted(self.0)),
            Value::Made(self.0.service.to_string()),
        ]
    }
}

impl Serialize for Line<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(LINE.iter().zip(self.values()))
    }
}

/// An identifier as JSON: a number where it is the shortest form of a whole number.
pub(super) fn id_json(id: &str) -> Box<RawValue> {
    let is_number = is_whole_number(id);
    let written = match is_number {
        true => Ok(id.to_owned()),
        false => serde_json::to_string(id),
    };
    let raw = written.and_then(RawValue::from_string);
    raw.unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// A table with a header, in one of its forms.
struct Table {
    columns: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new(columns: &[&'static str], rows: impl Iterator<Item = Vec<String>>) -> Self {
        Self {
            columns: columns.to_vec(),
            rows: rows.collect(),
        }
    }

    fn print_csv(&self) -> Result<u8, Failure> {
        let mut written = self.columns.join(",").into_bytes();
        written.push(b'\n');
        for row in &self.rows {
            for (index, cell) in row.iter().enumerate() {
                if index > 0 {
                    written.push(b',');
                }
                // A negative number is no formula.
                match is_whole_number(cell) {
                    _ if cell.is_empty() => {}
                    true => push_quoted(&mut written, cell),
                    false => push_text(&mut written, cell),
                }
            }
            written.push(b'\n');
        }
        Out::new().bytes(&written)
    }

    /// For people, with the cells of each row cut to fit; empty without a row.
    fn text(mut self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let heading = self.columns.iter().map(|&column| column.to_owned());
        self.rows.insert(0, heading.collect());
        text::table(&self.rows, &[])
    }
}

/// Whole numbers and texts that are there, as cells.
fn cell(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Lists the plants of the services that are wanted.
pub(super) async fn list(
    global: &Global,
    services: Services,
    is_wanted: impl Fn(&PlantRow) -> bool,
    form: TableForm,
) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    let entries = run.store.plant_log().await?;
    let service = services.chosen(&run)?;
    let all = state::plants(&entries);
    let count = all.len();
    let is_of_service =
        |plant: &Plant| service.as_ref().is_none_or(|known| *known == plant.service);
    let plants: Vec<Plant> = all.into_iter().filter(is_of_service).collect();
    let elsewhere = count - plants.len();
    let known = plants.len();
    let rows: Vec<PlantRow> = plants
        .into_iter()
        .map(|plant| PlantRow::new(plant, &entries))
        .filter(is_wanted)
        .collect();
    match form {
        TableForm::Json => return Out::new().json(&rows),
        TableForm::Csv => {
            let rows = rows
                .iter()
                .map(|row| row.values().map(|value| value.cell()).to_vec());
            return Table::new(&PLANT, rows).print_csv();
        }
        TableForm::Table => {}
    }
    note_other_services(known == 0, elsewhere, "plant", "plants");
    if rows.is_empty() && known > 0 {
        note(&format!("None of {known} plants is listed by these flags."));
    }
    let shows_address = rows.iter().any(|row| !row.plant.service.has_one_address());
    let shows_service = services == Services::All;
    let of_people = rows.iter().map(|row| {
        let plant = &row.plant;
        let named = plant.named();
        let mark = |named: &Named| if named.is_sure { "" } else { "?" };
        let name = named.map(|named| format!("{}{}", text::fit(&named.name, 24), mark(named)));
        let mut cells = vec![
            plant.state.to_string(),
            text::excerpt(&plant.id, 40),
            name.unwrap_or_default(),
            text::fit(&cell(row.tag()), 16),
            time::table(plant.since, None),
            requests_text(&row.requests),
        ];
        cells.extend(shows_address.then(|| text::excerpt(&plant.address, 200)));
        cells.extend(shows_service.then(|| text::excerpt(&plant.service.to_string(), 400)));
        cells
    });
    let mut columns = vec!["state", "id", "name", "tag", "since UTC", "requests"];
    columns.extend(shows_address.then_some("address"));
    columns.extend(shows_service.then_some("service"));
    Out::new().text(&Table::new(&columns, of_people).text())
}

/// The requests of a plant for people: the last four.
fn requests_text(requests: &[&'static str]) -> String {
    const LAST: usize = 4;
    let first = requests.len().saturating_sub(LAST);
    let last = requests.get(first..).unwrap_or_default().join(" · ");
    match first {
        0 => last,
        _ => format!("… {last}"),
    }
}

/// Lists the requests to the services that are wanted, the newest last.
pub(super) async fn log(
    global: &Global,
    services: Services,
    form: TableForm,
) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    let mut entries = run.store.plant_log().await?;
    let service = services.chosen(&run)?;
    let count = entries.len();
    entries.retain(|entry| service.as_ref().is_none_or(|known| *known == entry.service));
    let elsewhere = count - entries.len();
    let lines = entries.iter().map(Line);
    match form {
        TableForm::Json => return Out::new().json(&lines.collect::<Vec<_>>()),
        TableForm::Csv => {
            let rows = lines.map(|line| line.values().map(|value| value.cell()).to_vec());
            return Table::new(&LINE, rows).print_csv();
        }
        TableForm::Table => {}
    }
    note_other_services(entries.is_empty(), elsewhere, "line", "lines");
    let shows_service = services == Services::All;
    let rows = entries.iter().map(|entry| {
        let reply = &entry.reply;
        let said = reply.message.as_deref().or(noted(entry));
        let mut cells = vec![
            time::table(entry.at, None),
            entry.operation.word().to_owned(),
            text::excerpt(&entry.id, 40),
            text::fit(&cell(entry.name.as_ref()), 24),
            text::fit(&cell(entry.tag.as_ref()), 16),
            reply.outcome.to_string(),
            cell(reply.status),
            text::excerpt(&entry.address, 200),
        ];
        cells.extend(shows_service.then(|| text::excerpt(&entry.service.to_string(), 400)));
        cells.push(text::excerpt(said.unwrap_or_default(), 200));
        cells
    });
    let mut columns = vec![
        "time UTC", "request", "id", "name", "tag", "outcome", "status", "address",
    ];
    columns.extend(shows_service.then_some("service"));
    columns.push("answer");
    Out::new().text(&Table::new(&columns, rows).text())
}

/// Notes how many plants or lines are of other services, and that there are none.
fn note_other_services(is_empty: bool, elsewhere: usize, one: &str, many: &str) {
    const NONE: &str = "has been created or deleted from this computer";
    let others = text::counted(elsewhere, one, many);
    match (is_empty, elsewhere) {
        (true, 0) => note(&format!("No plant {NONE}; the service lists no plants.")),
        (true, _) => note(&format!(
            "No plant of this service {NONE}; --all shows {others} of other services."
        )),
        (false, 0) => {}
        (false, _) => note(&format!("--all shows {others} of other services.")),
    }
}

/// Writes the plants that exist and have a name as CSV.
pub(super) async fn export(global: &Global, file: Option<PathBuf>) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    let entries = run.store.plant_log().await?;
    let service = Services::InUse.chosen(&run)?;
    let is_of_service =
        |plant: &Plant| service.as_ref().is_none_or(|known| *known == plant.service);
    let mut plants = state::plants(&entries);
    plants.retain(is_of_service);
    let export = state::export(&plants);
    if !export.left_out.is_empty() {
        note(&export.left_out);
    }
    let count = text::counted(export.rows.len(), "plant", "plants");
    let table = csv::plants(export.rows.into_iter());
    let Some(file) = file.filter(|file| file.as_os_str() != "-") else {
        return Out::new().bytes(&table);
    };
    run.refuse_own(Some(&file), &[])?;
    blocking(move || {
        write_bytes(&Destination::that_waits(&file), &table)?;
        note(&format!("{count} to {}", file.display()));
        Ok(0)
    })
    .await?
}
