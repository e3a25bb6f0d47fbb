//! Creates the plants of a CSV file one after the other. A plant that the log
//! has as created is skipped, so that an interrupted import can be repeated.

use std::collections::HashMap;
use std::path::Path;

use super::create_if;
use crate::archive::BeginIf;
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::ops::reading::read_named;
use crate::ops::session::Session;
use crate::ops::store::Store;
use crate::plant::log::PlantService;
use crate::plant::state::{self, Named, Plant};
use crate::plant::{Draft, table};
use crate::text;

/// A plant of the file: the first row with its identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImportRow {
    /// The plant.
    pub draft: Draft,
    /// Number of identical rows in the file.
    pub times: usize,
}

/// The outcome of the import of a plant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Imported {
    /// It was created; the note describes a peculiarity of the response.
    Created(Option<String>),
    /// The log has it as created with this name and tag; nothing was sent.
    CreatedBefore,
    /// Another process sent it at the same moment; nothing was sent.
    InProgressElsewhere,
    /// It would be created (dry run, without requests).
    WouldBeCreated,
}

/// The plants of a CSV file, each identifier once, in the order of the file.
///
/// # Errors
/// [`FailureKind::Usage`] names the first invalid line, and the whole file is
/// rejected; [`FailureKind::Other`] if two plants have one identifier, or if it
/// cannot be read.
pub(crate) async fn read_file(
    file: &Path,
    waits: &dyn Fn(&Path),
) -> Result<Vec<ImportRow>, Failure> {
    let drafts = read_named(file, waits, |opened| {
        table::drafts(std::io::BufReader::new(opened)).map_err(|error| {
            let kind = if error.is_unreadable() {
                FailureKind::Other
            } else {
                FailureKind::Usage
            };
            Failure::new(kind, error.to_string(), "")
        })
    });
    let drafts = drafts.await?;
    each_once(drafts)
}

/// The destination of the plants of a file.
#[derive(Debug)]
pub(crate) enum ImportTo<'a> {
    /// They are created at the service of a session.
    Service(&'a Session),
    /// No request is sent: the log is asked what would be created at this service.
    DryRun(PlantService),
}

/// The course of an import after the service rejected a plant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterRejection {
    /// It ends.
    End,
    /// It goes on with the next plant.
    GoOn,
}

/// Creates the plants, one after the other; calls `report` with each row and its outcome. A
/// failed create ends the import, but for a rejected one as `after_rejection` says. Returns
/// the kind of the first failure.
///
/// # Errors
/// When the plant log cannot be read: nothing is sent then.
pub(crate) async fn import(
    to: ImportTo<'_>,
    store: &Store,
    rows: &[ImportRow],
    after_rejection: AfterRejection,
    mut report: impl FnMut(&ImportRow, Result<Imported, Failure>),
) -> Result<Option<FailureKind>, Failure> {
    let service = match &to {
        ImportTo::Service(session) => session.plant_service(),
        ImportTo::DryRun(service) => service.clone(),
    };
    let mut first_failure = None;
    let entries = store.plant_log().await?;
    let plants: HashMap<String, Plant> = state::plants(&entries)
        .into_iter()
        .filter(|plant| plant.service == service)
        .map(|plant| (plant.id.clone(), plant))
        .collect();
    for row in rows {
        let known = plants.get(&row.draft.id.to_string());
        let done = match (state_in_log(known, &row.draft), &to) {
            (Err(failure), _) => Err(failure),
            (Ok(Some(known)), _) => Ok(known),
            (Ok(None), ImportTo::DryRun(_)) => Ok(Imported::WouldBeCreated),
            (Ok(None), ImportTo::Service(session)) => import_one(session, store, &row.draft).await,
        };
        let failed = done.as_ref().err().map(|failure| failure.kind);
        report(row, done);
        if let Some(kind) = failed {
            first_failure.get_or_insert(kind);
            if after_rejection == AfterRejection::End || kind != FailureKind::Service {
                break;
            }
        }
    }
    Ok(first_failure)
}

/// Creates one plant, unless another process creates it at the same moment.
async fn import_one(session: &Session, store: &Store, draft: &Draft) -> Result<Imported, Failure> {
    match create_if(session, store, draft, BeginIf::Free).await? {
        Some(created) => Ok(Imported::Created(created.reply.note)),
        None => {
            let id = draft.id.to_string();
            let asked = id.clone();
            let read = store.read(move |archive| archive.plant_log_of(&asked, unix_now()));
            let plant = state::plant(&read.await?, &session.plant_service(), &id);
            let known = state_in_log(plant.as_ref(), draft)?;
            Ok(known.unwrap_or(Imported::InProgressElsewhere))
        }
    }
}

/// The log's outcome for a plant; `None` if it may be created.
fn state_in_log(plant: Option<&Plant>, draft: &Draft) -> Result<Option<Imported>, Failure> {
    let Some(plant) = plant.filter(|plant| !plant.state.is_free()) else {
        return Ok(None);
    };
    if plant.state.is_open() {
        return Err(Failure::new(
            FailureKind::OutcomeUnknown,
            format!(
                "plant {} was left out: the outcome of an earlier request for it is unknown",
                draft.id
            ),
            format!(
                "Ask the service's operator whether it is there; `driftline plants resolve {} exists` or `absent` records it.",
                draft.id
            ),
        ));
    }
    let is_same = |named: &&Named| (&named.name, &named.tag) == (&draft.name, &draft.tag);
    if plant.named().filter(is_same).is_some() {
        return Ok(Some(Imported::CreatedBefore));
    }
    let known = match plant.named() {
        Some(named) => format!(
            "it exists as {} ({})",
            text::excerpt(&named.name, 80),
            text::excerpt(&named.tag, 80)
        ),
        None => "it exists, and not by a create from here".to_owned(),
    };
    Err(Failure::new(
        FailureKind::Service,
        format!("plant {} was left out: {known}", draft.id),
        "Delete it first, or remove it from the file.",
    ))
}

fn each_once(drafts: Vec<Draft>) -> Result<Vec<ImportRow>, Failure> {
    let mut rows: Vec<ImportRow> = Vec::new();
    let mut row_of: HashMap<i64, usize> = HashMap::new();
    for draft in drafts {
        match row_of.get(&draft.id).and_then(|row| rows.get_mut(*row)) {
            None => {
                row_of.insert(draft.id, rows.len());
                rows.push(ImportRow { draft, times: 1 });
            }
            Some(row) if row.draft == draft => row.times += 1,
            Some(row) => return Err(conflict_failure(&row.draft, &draft)),
        }
    }
    Ok(rows)
}

/// The failure for two different rows with one identifier.
fn conflict_failure(draft: &Draft, other: &Draft) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!(
            "plant {} is twice in the file, as {} ({}) and as {} ({}): nothing was sent",
            draft.id,
            text::excerpt(&draft.name, 80),
            text::excerpt(&draft.tag, 80),
            text::excerpt(&other.name, 80),
            text::excerpt(&other.tag, 80)
        ),
        "Remove the wrong one from the file.",
    )
}
