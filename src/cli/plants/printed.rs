//! Lists of plants and of requests, as tables, CSV and JSON.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::value::RawValue;

use super::Run;
use crate::cli::args::Global;
use crate::cli::args::printed::TableForm;
use crate::cli::output::{Out, note, waits};
use crate::failure::Failure;
use crate::formats::csv::{self, push_quoted, push_text};
use crate::formats::{each_member, json_kind};
use crate::ops::blocking::blocking;
use crate::ops::connect;
use crate::ops::output::{Destination, write_bytes};
use crate::plant::is_whole_number;
use crate::plant::log::{Entry, Operation, PlantService};
use crate::plant::state::{self, Named, Plant};
use crate::text;
use crate::track::{JsonKind, time};

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

    fn json(&self) -> PlantJson<'_> {
        let plant = &self.plant;
        let named = plant.named();
        let reply = self.last.as_ref().map(|entry| &entry.reply);
        PlantJson {
            id: id_json(&plant.id),
            name: named.map(|named| named.name.as_str()),
            tag: named.map(|named| named.tag.as_str()),
            state: plant.state.into(),
            since: time::rfc3339(plant.since),
            address: &plant.address,
            requests: &self.requests,
            status: reply.and_then(|reply| reply.status),
            error: reply.and_then(|reply| reply.error),
            message: reply.and_then(|reply| reply.message.as_deref()),
            service: plant.service.to_string(),
        }
    }
}

const PLANT_COLUMNS: &str = "id,name,tag,state,since,address,requests,status,error,message,service";
const LOG_COLUMNS: &str =
    "time,operation,id,name,tag,address,status,outcome,error,message,note,service";

/// A plant as JSON. Its members are those of [`PLANT_COLUMNS`].
#[derive(Serialize)]
struct PlantJson<'a> {
    id: Box<RawValue>,
    name: Option<&'a str>,
    tag: Option<&'a str>,
    state: &'static str,
    since: String,
    address: &'a str,
    requests: &'a [&'static str],
    status: Option<u16>,
    error: Option<i64>,
    message: Option<&'a str>,
    service: String,
}

impl Serialize for PlantRow {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json().serialize(serializer)
    }
}

/// A line of the log as JSON. Its members are those of [`LOG_COLUMNS`].
#[derive(Serialize)]
struct LineJson<'a> {
    time: String,
    operation: &'static str,
    id: Box<RawValue>,
    name: Option<&'a str>,
    tag: Option<&'a str>,
    address: &'a str,
    status: Option<u16>,
    outcome: String,
    error: Option<i64>,
    message: Option<&'a str>,
    note: Option<&'a str>,
    service: String,
}

impl<'a> LineJson<'a> {
    fn new(entry: &'a Entry) -> Self {
        let reply = &entry.reply;
        let found = match entry.operation {
            Operation::FoundExisting => Some("exists"),
            Operation::FoundAbsent => Some("absent"),
            Operation::Create | Operation::Delete => None,
        };
        Self {
            time: time::rfc3339(entry.at),
            operation: entry.operation.word(),
            id: id_json(&entry.id),
            name: entry.name.as_deref(),
            tag: entry.tag.as_deref(),
            address: &entry.address,
            status: reply.status,
            outcome: reply.outcome.to_string(),
            error: reply.error,
            message: reply.message.as_deref(),
            note: found.or(reply.note.as_deref()),
            service: entry.service.to_string(),
        }
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

/// JSON objects as CSV: a column for each member, in the order of `header`.
fn csv(header: &str, objects: &[impl Serialize]) -> Result<Vec<u8>, Failure> {
    let mut written = format!("{header}\n").into_bytes();
    for object in objects {
        let mut comma = None;
        let cells = serde_json::to_string(object).and_then(|object| {
            each_member(&object, |_, value| {
                written.extend(comma.replace(b','));
                match csv_cell(value) {
                    cell if cell.is_empty() => {}
                    // A negative number is no formula.
                    cell if is_whole_number(&cell) => push_quoted(&mut written, &cell),
                    cell => push_text(&mut written, &cell),
                }
            })
        });
        cells.map_err(|error| Failure::other(error.to_string()))?;
        written.push(b'\n');
    }
    Ok(written)
}

/// A text, texts, or a number as it is written.
fn csv_cell(value: &RawValue) -> String {
    let value = value.get();
    match json_kind(value) {
        JsonKind::Null => String::new(),
        JsonKind::Text => serde_json::from_str(value).unwrap_or_default(),
        JsonKind::Array => {
            let texts: Vec<String> = serde_json::from_str(value).unwrap_or_default();
            texts.join(" · ")
        }
        _ => value.to_owned(),
    }
}

/// A table for people with a heading; empty without a row.
fn table(heading: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut rows = rows.peekable();
    let heading = rows
        .peek()
        .map(|_| heading.iter().map(|&column| column.to_owned()).collect());
    text::table(&heading.into_iter().chain(rows).collect::<Vec<_>>(), &[])
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
    match form {
        TableForm::Json => return Out::new().json(&rows),
        TableForm::Csv => return Out::new().bytes(&csv(PLANT_COLUMNS, &rows)?),
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
    Out::new().text(&table(&columns, of_people))
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
    let lines: Vec<LineJson<'_>> = entries.iter().map(LineJson::new).collect();
    match form {
        TableForm::Json => return Out::new().json(&lines),
        TableForm::Csv => return Out::new().bytes(&csv(LOG_COLUMNS, &lines)?),
        TableForm::Table => {}
    }
    note_other_services(entries.is_empty(), elsewhere, "line", "lines");
    let shows_service = services == Services::All;
    let rows = entries.iter().zip(lines).map(|(entry, line)| {
        let said = line.message.or(line.note).unwrap_or_default();
        let mut cells = vec![
            time::table(entry.at, None),
            line.operation.to_owned(),
            text::excerpt(&entry.id, 40),
            text::fit(line.name.unwrap_or_default(), 24),
            text::fit(line.tag.unwrap_or_default(), 16),
            line.outcome,
            cell(line.status),
            text::excerpt(line.address, 200),
        ];
        cells.extend(shows_service.then(|| text::excerpt(&line.service, 400)));
        cells.push(text::excerpt(said, 200));
        cells
    });
    let mut columns = vec![
        "time UTC", "request", "id", "name", "tag", "outcome", "status", "address",
    ];
    columns.extend(shows_service.then_some("service"));
    columns.push("answer");
    Out::new().text(&table(&columns, rows))
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
    let Some(file) = file.filter(|file| file.as_os_str() != "-") else {
        return Out::new().bytes(&table);
    };
    run.refuse_own(Some(&file), &[])?;
    blocking(move || {
        write_bytes(&Destination::that_waits(&file, &waits), &table)?;
        note(&format!("{count} to {}", file.display()));
        Ok(0)
    })
    .await?
}
