//! Creates and deletes plants. The log entry is on the disk before the request
//! is sent, and is completed with the outcome. If the entry cannot be written,
//! nothing is sent.
//!
//! The functions that send are private to this file, and the client requires
//! the written entry: no other code can send a create or a delete.

mod import;
#[cfg(test)]
mod tests;

pub(crate) use import::{AfterRejection, ImportRow, ImportTo, Imported, import, read_file};

use std::sync::atomic::{AtomicUsize, Ordering};

use super::session::Session;
use super::store::Store;
use crate::archive::BeginIf;
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::plant::ledger::{
    Entry, Operation, Outcome, WrittenEntry, last_create, may_be_at_one_service,
};
use crate::plant::{Draft, PlantId};
use crate::service::{PlantAnswer, address};

/// Creates a plant, with an entry in the plant log. Dropping the future stops
/// neither the request nor the completion of the entry.
///
/// # Errors
/// [`FailureKind::Unreachable`] if nothing was sent,
/// [`FailureKind::OutcomeUnknown`] if it was sent without a response,
/// [`FailureKind::Other`] if the log cannot be written, else the service's
/// error.
pub(crate) async fn create(
    session: &Session,
    store: &Store,
    draft: &Draft,
) -> Result<PlantAnswer, Failure> {
    // Checked first, because without a token nothing is sent and the log must
    // list sent requests only.
    session.token_for_plants().await?;
    let (session, store, entry) = (session.clone(), store.clone(), new_entry(session, draft));
    to_its_end(async move {
        let begun = store.write(move |archive| archive.begin(&entry));
        send(&session, &store, begun.await.map_err(unwritten)?).await
    })
    .await
}

/// As [`create`], on a condition; `None` and nothing is sent if it is not met. Of two
/// processes that call this at once, one creates.
///
/// # Errors
/// As [`create`].
pub(crate) async fn create_if(
    session: &Session,
    store: &Store,
    draft: &Draft,
    condition: BeginIf,
) -> Result<Option<PlantAnswer>, Failure> {
    session.token_for_plants().await?;
    let (session, store, entry) = (session.clone(), store.clone(), new_entry(session, draft));
    to_its_end(async move {
        let begun = store.write(move |archive| archive.begin_if(&entry, condition));
        match begun.await.map_err(unwritten)? {
            Some(written) => send(&session, &store, written).await.map(Some),
            None => Ok(None),
        }
    })
    .await
}

/// Creates the plant of a line of the ledger again, as [`create`], unless another program
/// has done so since the ledger was read.
///
/// # Errors
/// As [`create`]; [`FailureKind::Usage`] if the plant was created again since.
pub(crate) async fn create_again(
    session: &Session,
    store: &Store,
    draft: &Draft,
    line: i64,
) -> Result<PlantAnswer, Failure> {
    let created = create_if(session, store, draft, BeginIf::NotBackSince(line)).await?;
    created.ok_or_else(|| {
        let id = draft.id;
        Failure::new(
            FailureKind::Usage,
            format!("plant {id} was created again by another program; nothing was sent"),
            "The list of plants shows it now.",
        )
    })
}

/// Deletes a plant, with an entry in the plant log. After a lost response the
/// request is sent once more; "not found" at the second attempt counts as
/// deleted. Dropping the future stops neither the request nor the completion of
/// the entry.
///
/// # Errors
/// As [`create`]; [`FailureKind::Usage`] for an identifier that cannot be part
/// of a URL.
pub(crate) async fn delete(
    session: &Session,
    store: &Store,
    id: &PlantId,
) -> Result<PlantAnswer, Failure> {
    address::segment(id.as_str()).map_err(|error| Failure::usage(error.to_string()))?;
    session.token_for_plants().await?;
    let session = session.clone();
    let store = store.clone();
    let id = id.as_str().to_owned();
    to_its_end(async move {
        // The name only helps the user who reads the log: a delete continues
        // without it.
        let known = ledger_of(&store, &id).await.unwrap_or_default();
        let service = session.sandbox().to_string();
        let known = last_create(&known, &service, &id).cloned();
        let (name, tag) = known.map_or((None, None), |entry| (entry.name, entry.tag));
        let entry = Entry {
            name,
            tag,
            service: Some(service),
            ..Entry::pending(unix_now(), Operation::Delete, id)
        };
        let written = store
            .write(move |archive| archive.begin(&entry))
            .await
            .map_err(unwritten)?;
        send(&session, &store, written).await
    })
    .await
}

/// The log entry of a create.
fn new_entry(session: &Session, draft: &Draft) -> Entry {
    Entry {
        name: Some(draft.name.clone()),
        tag: Some(draft.tag.clone()),
        service: Some(session.sandbox().to_string()),
        ..Entry::pending(unix_now(), Operation::Create, draft.id.to_string())
    }
}

/// Sends the request of an entry, and completes the entry with the outcome.
async fn send(
    session: &Session,
    store: &Store,
    written: WrittenEntry,
) -> Result<PlantAnswer, Failure> {
    let outcome = match session.token_for_plants().await {
        Ok((token, _)) => session.client().change_plant(&token, &written).await,
        Err(failure) => Err(failure),
    };
    let outcome = session.checked(outcome).await;
    let mut entry = written.into_entry();
    match &outcome {
        Ok(done) => {
            entry.outcome = Outcome::Done;
            entry.words.clone_from(&done.note);
            entry.answered = done.echo.as_ref().and_then(|echo| {
                let differs = Some(&echo.name) != entry.name.as_ref()
                    || Some(&echo.tag) != entry.tag.as_ref();
                differs.then(|| (echo.name.clone(), echo.tag.clone()))
            });
        }
        Err(failure) => {
            add_failure(&mut entry, failure);
            let status = failure.service.as_ref().map(|service| service.status);
            let is_delete = entry.operation == Operation::Delete;
            if is_delete && status == Some(404) && was_there(store, &entry).await {
                entry.outcome = Outcome::Gone;
            }
        }
    }
    complete(store, entry, outcome).await
}

/// The lines of the ledger about a plant, oldest first.
async fn ledger_of(store: &Store, plant: &str) -> Result<Vec<Entry>, Failure> {
    let plant = plant.to_owned();
    store
        .read(move |archive| archive.ledger_of(&plant, unix_now()))
        .await
}

/// `true` if the ledger says that the plant of an entry was, or may have been, at its
/// service. Else a 404 may be of an address that has no plants at all.
async fn was_there(store: &Store, entry: &Entry) -> bool {
    let known = ledger_of(store, &entry.id).await.unwrap_or_default();
    known.iter().any(|line| {
        may_be_at_one_service(line, entry)
            && matches!(
                line.outcome,
                Outcome::Done | Outcome::Gone | Outcome::Unknown
            )
    })
}

fn unwritten(failure: Failure) -> Failure {
    Failure {
        kind: FailureKind::Other,
        ..failure.of("nothing was sent, because the ledger cannot be written")
    }
}

/// Completes the entry. If that fails, the outcome at the service is returned
/// all the same, with a note: the entry stays pending, and is later shown as
/// unknown.
async fn complete(
    store: &Store,
    entry: Entry,
    outcome: Result<PlantAnswer, Failure>,
) -> Result<PlantAnswer, Failure> {
    let completed = store.write_anyway(move |archive| archive.complete(&entry));
    let Err(unwritten) = completed.await else {
        return outcome;
    };
    let warning = format!(
        "the ledger could not be completed and will call it unknown: {}",
        unwritten.message()
    );
    match outcome {
        Ok(mut done) => {
            done.note = Some(match done.note.take() {
                Some(known) => format!("{known}; {warning}"),
                None => warning,
            });
            Ok(done)
        }
        Err(mut failure) => {
            failure.reason = format!("{}; {warning}", failure.reason);
            Err(failure)
        }
    }
}

fn add_failure(entry: &mut Entry, failure: &Failure) {
    entry.outcome = match failure.kind {
        FailureKind::OutcomeUnknown | FailureKind::Interrupted => Outcome::Unknown,
        FailureKind::Service | FailureKind::NotUnderstood | FailureKind::Forbidden => {
            Outcome::Refused
        }
        FailureKind::NotAuthenticated if failure.service.is_some() => Outcome::Refused,
        _ => Outcome::NotSent,
    };
    entry.words = Some(failure.message());
}

/// Number of creates and deletes in progress.
static IN_PROGRESS: AtomicUsize = AtomicUsize::new(0);

/// `true` if a create or delete is in progress: if the program ends now, its
/// outcome stays unknown.
pub(crate) fn change_is_in_progress() -> bool {
    IN_PROGRESS.load(Ordering::SeqCst) > 0
}

struct InProgress;

impl InProgress {
    fn begin() -> Self {
        IN_PROGRESS.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        IN_PROGRESS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs a request as a separate task, which continues when the returned future
/// is dropped.
async fn to_its_end<T: Send + 'static>(
    request: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, Failure> {
    let in_progress = InProgress::begin();
    let request = async move {
        let done = request.await;
        drop(in_progress);
        done
    };
    tokio::spawn(request).await.unwrap_or_else(|_| {
        Err(Failure::new(
            FailureKind::OutcomeUnknown,
            "the program ended while the request was in progress",
            "",
        ))
    })
}
