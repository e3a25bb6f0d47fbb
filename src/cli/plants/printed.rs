//! Lists of plants and of requests, as tables, CSV and JSON.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Run;
use crate::app::session::connect;
use crate::cli::args::Global;
use crate::cli::output::{Out, note};
use crate::failure::Failure;
use crate::formats::Format;
use crate::formats::csv;
use crate::plant::is_whole_number;
use crate::plant::log::{Entry, Operation, PlantService, Reply};
use crate::plant::state::{self, Named, Plant};
use crate::text;
use crate::text::json::{Object, member};
use crate::track::time;

/// The services whose plants are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Services {
    InUse,
    All,
}

impl Services {
    pub(super) fn new(all: bool) -> Self {
        if all { Self::All } else { Self::InUse }
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

    /// Its tag, if it may be said.
    pub(super) fn tag(&self) -> Option<&String> {
        self.plant.named().map(|named| &named.tag)
    }

    fn reply(&self) -> Option<&Reply> {
        self.last.as_ref().map(|entry| &entry.reply)
    }
}

impl Serialize for PlantRow {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object(self, PLANT).serialize(serializer)
    }
}

/// A member of JSON, and a column of CSV: its name, and its value in a row as JSON.
type Column<T> = (&'static str, fn(&T) -> Box<RawValue>);

/// The members of a plant.
const PLANT: &[Column<PlantRow>] = &[
    ("id", |row| id_json(&row.plant.id)),
    ("name", |row| {
        member(row.plant.named().map(|named| &named.name))
    }),
    ("tag", |row| member(row.tag())),
    ("state", |row| member(<&'static str>::from(row.plant.state))),
    ("since", |row| member(time::rfc3339(row.plant.since))),
    ("address", |row| member(&row.plant.address)),
    ("requests", |row| member(&row.requests)),
    ("status", |row| {
        member(row.reply().and_then(|reply| reply.status))
    }),
    ("error", |row| {
        member(row.reply().and_then(|reply| reply.error))
    }),
    ("message", |row| {
        member(row.reply().and_then(|reply| reply.message.as_ref()))
    }),
    ("service", |row| member(row.plant.service.to_string())),
];

/// The members of a line of the log.
const LINE: &[Column<Entry>] = &[
    ("time", |line| member(time::rfc3339(line.at))),
    ("operation", |line| member(line.operation.word())),
    ("id", |line| id_json(&line.id)),
    ("name", |line| member(&line.name)),
    ("tag", |line| member(&line.tag)),
    ("address", |line| member(&line.address)),
    ("status", |line| member(line.reply.status)),
    ("outcome", |line| member(line.reply.outcome.to_string())),
    ("error", |line| member(line.reply.error)),
    ("message", |line| member(&line.reply.message)),
    ("note", |line| member(noted(line))),
    ("service", |line| member(line.service.to_string())),
];

/// A row as an object of JSON.
fn object<T>(row: &T, columns: &[Column<T>]) -> Object {
    let members = columns.iter();
    Object(members.map(|(name, value)| (*name, value(row))).collect())
}

/// Prints rows as CSV with a header, or else as JSON.
fn print<T>(columns: &[Column<T>], rows: &[T], form: Format) -> Result<u8, Failure> {
    if form == Format::Json {
        let objects: Vec<_> = rows.iter().map(|row| object(row, columns)).collect();
        return Out::new().json(&objects);
    }
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let mut written = format!("{}\n", names.join(",")).into_bytes();
    for row in rows {
        let cells = columns.iter().map(|(_, value)| csv_cell(&value(row)));
        csv::push_line(&mut written, cells);
    }
    Out::new().bytes(&written)
}

/// A value as a cell: a text as it is, words with dots between them, nothing for null.
fn csv_cell(json: &RawValue) -> String {
    match serde_json::from_str(json.get()) {
        Ok(Value::String(text)) => text,
        Ok(Value::Null) => String::new(),
        Ok(Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            words.join(" · ")
        }
        // A number, whatever its length.
        _ => json.get().to_owned(),
    }
}

/// The note of a line: what a person found, or that of the request.
fn noted(entry: &Entry) -> Option<String> {
    match entry.operation {
        Operation::FoundExisting => Some("exists".to_owned()),
        Operation::FoundAbsent => Some("absent".to_owned()),
        Operation::Create | Operation::Delete => entry.note(),
    }
}

/// An identifier as JSON: a number if it is the shortest form of a whole number.
pub(super) fn id_json(id: &str) -> Box<RawValue> {
    let is_number = is_whole_number(id);
    let written = if is_number {
        Ok(id.to_owned())
    } else {
        serde_json::to_string(id)
    };
    let raw = written.and_then(RawValue::from_string);
    raw.unwrap_or_else(|_| RawValue::NULL.to_owned())
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
    form: Format,
) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    let entries = run.store.plant_log().await?;
    let service = services.chosen(&run)?;
    let mut plants = state::plants(&entries);
    let count = plants.len();
    plants.retain(|plant| service.as_ref().is_none_or(|known| *known == plant.service));
    let elsewhere = count - plants.len();
    let known = plants.len();
    let rows: Vec<PlantRow> = plants
        .into_iter()
        .map(|plant| PlantRow::new(plant, &entries))
        .filter(is_wanted)
        .collect();
    if form != Format::Table {
        return print(PLANT, &rows, form);
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
    Out::new().text(&text::table(&columns, of_people, &[]))
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
pub(super) async fn log(global: &Global, services: Services, form: Format) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    let mut entries = run.store.plant_log().await?;
    let service = services.chosen(&run)?;
    let count = entries.len();
    entries.retain(|entry| service.as_ref().is_none_or(|known| *known == entry.service));
    let elsewhere = count - entries.len();
    if form != Format::Table {
        return print(LINE, &entries, form);
    }
    note_other_services(entries.is_empty(), elsewhere, "line", "lines");
    let shows_service = services == Services::All;
    let rows = entries.iter().map(|entry| {
        let reply = &entry.reply;
        let words = [reply.message.clone(), noted(entry)].into_iter().flatten();
        let said: Vec<String> = words.collect();
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
        cells.push(text::excerpt(&said.join(": "), 200));
        cells
    });
    let mut columns = vec![
        "time UTC", "request", "id", "name", "tag", "outcome", "status", "address",
    ];
    columns.extend(shows_service.then_some("service"));
    columns.push("answer");
    Out::new().text(&text::table(&columns, rows, &[]))
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
    let mut plants = state::plants(&entries);
    plants.retain(|plant| service.as_ref().is_none_or(|known| *known == plant.service));
    let export = state::export(&plants);
    if !export.left_out.is_empty() {
        note(&export.left_out);
    }
    let count = text::counted(export.rows.len(), "plant", "plants");
    let table = csv::plants(export.rows.into_iter());
    run.export(file, table, count).await
}
