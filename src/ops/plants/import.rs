//! Creates the plants of a CSV file one after the other. A plant that the log
//! has as created is skipped, so that an interrupted import can be repeated.

use std::collections::HashMap;
use std::path::Path;

use super::create_once;
use crate::failure::{Failure, FailureKind};
use crate::ops::session::Session;
use crate::ops::store::Store;
use crate::plant::ledger::{PlantState, standing};
use crate::plant::{Draft, table};
use crate::text;

/// A plant of the file: the first row with its identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImportRow {
    /// The plant.
    pub draft: Draft,
    /// Number of identical rows in the file.
    pub times: usize,
    /// Another plant of the file with the same identifier.
    pub conflict: Option<Draft>,
}

/// The outcome of the import of one plant.
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
/// rejected; [`FailureKind::Other`] if it cannot be read.
pub(crate) fn read_file(file: &Path) -> Result<Vec<ImportRow>, Failure> {
    let name = text::clean(&file.display().to_string()).into_owned();
    let opened = std::fs::File::open(file).map_err(|error| {
        Failure::new(FailureKind::Other, error.to_string(), "").of(name.clone())
    })?;
    let drafts = table::drafts(std::io::BufReader::new(opened)).map_err(|error| {
        let kind = if error.is_unreadable() {
            FailureKind::Other
        } else {
            FailureKind::Usage
        };
        Failure::new(kind, error.to_string(), "").of(name)
    })?;
    Ok(each_once(drafts))
}

/// Creates the plants. Calls `report` with each row, its outcome, and the
/// failure of a second plant with the same identifier. Without a session
/// nothing is sent. A failure that may also affect the next plant ends the
/// import unless `keep_going`. Returns the kind of the first failure.
pub(crate) async fn import(
    session: Option<&Session>,
    service: &str,
    store: &Store,
    rows: &[ImportRow],
    keep_going: bool,
    mut report: impl FnMut(&ImportRow, Result<Imported, Failure>, Option<Failure>),
) -> Option<FailureKind> {
    let mut first_failure = None;
    for row in rows {
        let (done, goes_on) = import_one(session, service, store, &row.draft, keep_going).await;
        if let Err(failure) = &done {
            first_failure.get_or_insert(failure.kind);
        }
        let conflict = row.conflict.as_ref().filter(|_| goes_on);
        let conflict = conflict.map(|other| conflict_failure(&row.draft, other));
        if let Some(failure) = &conflict {
            first_failure.get_or_insert(failure.kind);
        }
        report(row, done, conflict);
        if !goes_on {
            break;
        }
    }
    first_failure
}

/// Imports one plant; returns the outcome and whether to continue.
async fn import_one(
    session: Option<&Session>,
    service: &str,
    store: &Store,
    draft: &Draft,
    keep_going: bool,
) -> (Result<Imported, Failure>, bool) {
    match state_in_ledger(store, service, draft).await {
        Ok(Some(known)) => return (Ok(known), true),
        Ok(None) => {}
        Err(failure) => {
            // A conflict with the log concerns this plant only.
            let of_this_plant = matches!(
                failure.kind,
                FailureKind::Service | FailureKind::OutcomeUnknown
            );
            return (Err(failure), of_this_plant);
        }
    }
    let Some(session) = session else {
        return (Ok(Imported::WouldBeCreated), true);
    };
    let done = match create_once(session, store, draft).await {
        Ok(Some(created)) => Ok(Imported::Created(created.note)),
        Ok(None) => state_in_ledger(store, service, draft)
            .await
            .map(|known| known.unwrap_or(Imported::InProgressElsewhere)),
        Err(failure) => Err(failure),
    };
    let refused = done
        .as_ref()
        .is_err_and(|failure| failure.kind == FailureKind::Service);
    let goes_on = done.is_ok() || (keep_going && refused);
    (done, goes_on)
}

/// The log's outcome for a plant; `None` if it may be created.
async fn state_in_ledger(
    store: &Store,
    service: &str,
    draft: &Draft,
) -> Result<Option<Imported>, Failure> {
    let id = draft.id.to_string();
    let ledger = store.ledger_of(id.clone()).await?;
    match standing(&ledger, service, &id) {
        PlantState::Free => Ok(None),
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
            "Delete it first, or take it out of the file.",
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

fn each_once(drafts: Vec<Draft>) -> Vec<ImportRow> {
    let mut rows: Vec<ImportRow> = Vec::new();
    let mut row_of: HashMap<i64, usize> = HashMap::new();
    for draft in drafts {
        match row_of.get(&draft.id).and_then(|row| rows.get_mut(*row)) {
            None => {
                row_of.insert(draft.id, rows.len());
                rows.push(ImportRow {
                    draft,
                    times: 1,
                    conflict: None,
                });
            }
            Some(row) if row.draft == draft => row.times += 1,
            Some(row) => row.conflict = Some(draft),
        }
    }
    rows
}

/// The failure for two different rows with one identifier.
fn conflict_failure(draft: &Draft, other: &Draft) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!(
            "plant {} is twice in the file, as {} ({}) and as {} ({}): only the first was used",
            draft.id,
            text::excerpt(&draft.name, 80),
            text::excerpt(&draft.tag, 80),
            text::excerpt(&other.name, 80),
            text::excerpt(&other.tag, 80)
        ),
        "Delete it and create it again if the other is meant.",
    )
}
