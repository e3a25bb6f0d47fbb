//! Creates the plants of a CSV file one after the other. A plant that the log
//! has as created is skipped, so that an interrupted import can be repeated.

use std::collections::HashMap;
use std::path::Path;

use super::create_if;
use crate::archive::BeginIf;
use crate::failure::{Failure, FailureKind};
use crate::ops::reading::read_named;
use crate::ops::session::Session;
use crate::ops::store::Store;
use crate::plant::ledger::{Entry, PlantState, perhaps_there, standing};
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
    DryRun(String),
}

/// The course of an import after the service rejected a plant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterRejection {
    /// It ends.
    End,
    /// It goes on with the next plant.
    GoOn,
}

/// Creates the plants. All conflicts with the log are reported before anything
/// is sent, and those plants are left out; calls `report` with each row and its
/// outcome. A failed create ends the import, but for a rejected one as
/// `after_rejection` says. Returns the kind of the first failure.
///
/// # Errors
/// When the ledger cannot be read: nothing is sent then.
pub(crate) async fn import(
    to: ImportTo<'_>,
    store: &Store,
    rows: &[ImportRow],
    after_rejection: AfterRejection,
    mut report: impl FnMut(&ImportRow, Result<Imported, Failure>),
) -> Result<Option<FailureKind>, Failure> {
    let service = match &to {
        ImportTo::Service(session) => &session.sandbox().to_string(),
        ImportTo::DryRun(service) => service,
    };
    let mut first_failure = None;
    let mut lines: HashMap<String, Vec<Entry>> = HashMap::new();
    for entry in store.ledger().await? {
        lines.entry(entry.id.clone()).or_default().push(entry);
    }
    let mut sound = Vec::new();
    for row in rows {
        let of_plant = lines.get(&row.draft.id.to_string());
        let of_plant = of_plant.map_or(&[][..], Vec::as_slice);
        match state_in_ledger(of_plant, service, &row.draft) {
            Ok(known) => sound.push((row, known)),
            Err(failure) => {
                first_failure.get_or_insert(failure.kind);
                report(row, Err(failure));
            }
        }
    }
    for (row, known) in sound {
        let done = match (known, &to) {
            (Some(known), _) => Ok(known),
            (None, ImportTo::DryRun(_)) => Ok(Imported::WouldBeCreated),
            (None, ImportTo::Service(session)) => {
                import_one(session, service, store, &row.draft).await
            }
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
async fn import_one(
    session: &Session,
    service: &str,
    store: &Store,
    draft: &Draft,
) -> Result<Imported, Failure> {
    match create_if(session, store, draft, BeginIf::Free).await? {
        Some(created) => Ok(Imported::Created(created.note)),
        None => {
            let ledger = super::ledger_of(store, &draft.id.to_string()).await?;
            let known = state_in_ledger(&ledger, service, draft)?;
            Ok(known.unwrap_or(Imported::InProgressElsewhere))
        }
    }
}

/// The log's outcome for a plant; `None` if it may be created.
fn state_in_ledger(
    ledger: &[Entry],
    service: &str,
    draft: &Draft,
) -> Result<Option<Imported>, Failure> {
    let id = draft.id.to_string();
    match standing(ledger, service, &id) {
        PlantState::Free => match perhaps_there(ledger, service, &id) {
            None => Ok(None),
            Some(entry) => Err(perhaps_there_failure(draft, entry.service.as_deref())),
        },
        PlantState::Created(name, tag)
            if (name, tag) == (Some(draft.name.as_str()), Some(draft.tag.as_str())) =>
        {
            Ok(Some(Imported::CreatedBefore))
        }
        PlantState::Created(name, tag) => Err(Failure::new(
            FailureKind::Service,
            format!(
                "plant {} was created before under another name or tag: {} ({})",
                draft.id,
                text::excerpt(name.unwrap_or_default(), 80),
                text::excerpt(tag.unwrap_or_default(), 80)
            ),
            "Delete it first, or remove it from the file.",
        )),
        PlantState::Unknown => Err(Failure::new(
            FailureKind::OutcomeUnknown,
            format!(
                "plant {} was left out: the outcome of an earlier request for it is unknown",
                draft.id
            ),
            "Ask the service's operator whether it is there; delete it and create it again if not.",
        )),
    }
}

/// A plant that was created at what may be this service under another address.
fn perhaps_there_failure(draft: &Draft, service: Option<&str>) -> Failure {
    let there = match service {
        Some(service) => format!("at {}", text::excerpt(service, 200)),
        None => "at a service that was not recorded".to_owned(),
    };
    Failure::new(
        FailureKind::Service,
        format!(
            "plant {} was left out: it was created before {there}, which may be this service",
            draft.id
        ),
        "Remove it from the file if it is; otherwise `driftline plants create` creates it here.",
    )
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
