//! Creates and deletes plants. The line of the plant log is on the disk before the request
//! is sent, and is completed with the outcome. If it cannot be written, nothing is sent.
//!
//! The functions that send are private to this file, and the client requires
//! the written line: no other code can send a create or a delete.

mod import;
pub(crate) mod table;
#[cfg(test)]
mod tests;

pub(crate) use import::{
    AfterFailure, Course, ImportTo, Imported, Running, import, import_rows, read_file, read_typed,
};
pub(crate) use table::ImportRow;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::session::Session;
use super::store::Store;
use crate::archive::{BeginIf, RENEW_CLAIM_S};
use crate::exchange::Attempt;
use crate::failure::{Failure, FailureKind};
use crate::os::clock::unix_now;
use crate::plant::log::{Entry, Operation, Outcome, Reply, WrittenEntry};
use crate::plant::state::{self, State};
use crate::plant::{Draft, PlantId};
use crate::service::{Change, address};

/// Creates a plant, with a line in the plant log; returns the line. A plant that may exist is
/// created only if `again` is the number of its last line. Dropping the future stops neither the
/// request nor the completion of the line.
///
/// # Errors
/// [`FailureKind::Unreachable`] if nothing was sent,
/// [`FailureKind::OutcomeUnknown`] if it was sent without a response,
/// [`FailureKind::Other`] if the log cannot be written, another program sends a request for
/// the plant at this moment, or the log has a newer line of it, else the service's error.
pub(crate) async fn create(
    session: &Session,
    store: &Store,
    draft: &Draft,
    again: Option<i64>,
) -> Result<Entry, Failure> {
    let condition = again.map_or(BeginIf::NotOpen, BeginIf::LastLine);
    let created = create_if(session, store, draft, condition).await?;
    created.ok_or_else(|| {
        let id = draft.id;
        let why = match again {
            None => format!("plant {id} may exist by a request of another program"),
            Some(_) => format!("something was requested for plant {id} meanwhile"),
        };
        Failure::other(format!("{why}; nothing was sent"))
            .with_hint("The list of plants shows what comes of it.")
    })
}

/// As [`create`], on a condition; `None` and nothing is sent if it is not met. Of two
/// processes that call this at once, one creates.
///
/// # Errors
/// As [`create`].
async fn create_if(
    session: &Session,
    store: &Store,
    draft: &Draft,
    condition: BeginIf,
) -> Result<Option<Entry>, Failure> {
    session.token_for_plants().await?;
    let (session, store, entry) = (session.clone(), store.clone(), new_entry(session, draft));
    to_its_end(async move {
        let begun = store.write(move |archive| archive.begin_if(&entry, condition));
        match begun.await.map_err(unwritten)? {
            Some(written) => send(&session, &store, written, Attempt::ONLY)
                .await
                .map(Some),
            None => Ok(None),
        }
    })
    .await
}

/// Deletes a plant, with a line in the plant log; returns the last line. After a lost response
/// the request is sent once more, as a line of its own; "not found" counts as deleted then.
/// Dropping the future stops neither the request nor the completion of the line.
///
/// # Errors
/// As [`create`]; [`FailureKind::Usage`] for an identifier that cannot be part
/// of a URL.
pub(crate) async fn delete(
    session: &Session,
    store: &Store,
    id: &PlantId,
) -> Result<Entry, Failure> {
    address::segment(id.as_str()).map_err(|error| Failure::usage(error.to_string()))?;
    let (session, store, id) = (session.clone(), store.clone(), id.as_str().to_owned());
    to_its_end(async move {
        let send = |number| {
            let service = session.plant_service();
            let entry = Entry::new(unix_now(), Operation::Delete, &id, &service);
            begin_and_send(&session, &store, entry, Attempt { number, most: 2 })
        };
        let lost = match send(1).await {
            Err(failure) if failure.kind == FailureKind::OutcomeUnknown => failure,
            Err(failure) => return confirmed_delete(&session, &store, &id).await.ok_or(failure),
            deleted => return deleted,
        };
        send(2).await.map_err(|second| {
            let reason = if second.reason == lost.reason {
                format!("{}, twice", lost.reason)
            } else {
                format!("{}; at the second try {}", lost.reason, second.reason)
            };
            Failure { reason, ..lost }
        })
    })
    .await
}

/// The last line of a plant, if by the log a delete whose answer was lost was done: the service
/// has just answered to another one that it has no such plant.
async fn confirmed_delete(session: &Session, store: &Store, id: &str) -> Option<Entry> {
    let asked = id.to_owned();
    let read = store.read(move |archive| archive.plant_lines(&asked, unix_now()));
    let lines = read.await.ok()?;
    let plant = state::plant(&lines, &session.plant_service(), id)?;
    let mut last = lines.get(*plant.lines.last()?)?.clone();
    let is_settled = plant.state == State::Deleted && plant.since == last.at;
    is_settled.then(|| {
        let note = "the service no longer has it: the delete without an answer was done";
        add_note(&mut last, note.to_owned());
        last
    })
}

/// Records that a person found out whether a plant exists, whose last line in the log is this
/// one.
///
/// # Errors
/// [`FailureKind::Usage`] if the log has a newer line of the plant, [`FailureKind::Other`] if
/// it cannot be written.
pub(crate) async fn resolve(store: &Store, finding: Entry, last_line: i64) -> Result<(), Failure> {
    let id = finding.id.clone();
    let finding = Entry {
        reply: Reply::new(Outcome::Done),
        ..finding
    };
    let recorded = store
        .write(move |archive| archive.record_finding(&finding, last_line))
        .await?;
    if recorded {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "something was requested for plant {id} meanwhile; nothing was recorded"
    ))
    .with_hint("The list of plants shows it now."))
}

/// The line of a create.
fn new_entry(session: &Session, draft: &Draft) -> Entry {
    let service = session.plant_service();
    Entry {
        name: Some(draft.name.clone()),
        tag: Some(draft.tag.clone()),
        ..Entry::new(
            unix_now(),
            Operation::Create,
            draft.id.to_string(),
            &service,
        )
    }
}

/// Writes a line, sends its request, and completes the line; returns it.
async fn begin_and_send(
    session: &Session,
    store: &Store,
    entry: Entry,
    attempt: Attempt,
) -> Result<Entry, Failure> {
    // Checked first, because without a token nothing is sent and the log must
    // list sent requests only.
    session.token_for_plants().await?;
    let begun = store.write(move |archive| archive.begin(&entry));
    send(session, store, begun.await.map_err(unwritten)?, attempt).await
}

/// Sends the request of a line, and completes the line with the reply.
async fn send(
    session: &Session,
    store: &Store,
    written: WrittenEntry,
    attempt: Attempt,
) -> Result<Entry, Failure> {
    let change = match session.token_for_plants().await {
        Ok((token, _)) => {
            let change = session.client().change_plant(&token, &written, attempt);
            claimed(store, written.entry(), change).await
        }
        Err(failure) => Change {
            reply: None,
            failure: Some(failure),
        },
    };
    let failure = match change.failure {
        Some(failure) => session.checked::<()>(Err(failure)).await.err(),
        None => session.checked(Ok(())).await.err(),
    };
    let mut entry = written.entry().clone();
    let Some(reply) = change.reply else {
        let withdrawn = entry.clone();
        let taken_back = store.write_anyway(move |archive| archive.withdraw(&withdrawn));
        // A line that stays reads as unknown.
        let _ = taken_back.await;
        return Err(failure.unwrap_or_else(|| Failure::usage("nothing was sent")));
    };
    entry.reply = reply;
    // The first delete, whose answer was lost, was done.
    let is_confirmed = attempt.number > 1 && entry.reply.is_not_there();
    if is_confirmed {
        entry.reply.outcome = Outcome::Done;
    }
    if attempt.number > 1 && entry.outcome() == Outcome::Done {
        // A plant that was created elsewhere may be in another store.
        let found = if is_confirmed && !entry.service.has_one_address() {
            format!("{} does not have it now", entry.address)
        } else {
            "confirmed at the second try".to_owned()
        };
        add_note(&mut entry, format!("the first answer was lost; {found}"));
    }
    let outcome = match failure {
        Some(failure) if !is_confirmed => Err(failure),
        _ => Ok(()),
    };
    let done = complete(store, entry, outcome).await;
    // Only now: until the line is completed, the other programs see it as being sent.
    drop(written);
    done
}

/// Waits for a request, and extends its claim meanwhile.
async fn claimed(store: &Store, entry: &Entry, change: impl Future<Output = Change>) -> Change {
    let renewing = async {
        // A lock on a file is held without being renewed.
        while store.is_shared() {
            tokio::time::sleep(Duration::from_secs(RENEW_CLAIM_S)).await;
            let entry = entry.clone();
            let _ = store
                .write(move |archive| archive.renew_claim(&entry))
                .await;
        }
        std::future::pending().await
    };
    tokio::select! {
        change = change => change,
        never = renewing => never,
    }
}

fn add_note(entry: &mut Entry, note: String) {
    let known = entry.reply.note.take();
    entry.reply.note = Some(match known {
        Some(known) => format!("{known}; {note}"),
        None => note,
    });
}

fn unwritten(failure: Failure) -> Failure {
    Failure {
        kind: FailureKind::Other,
        ..failure.context("nothing was sent, because the plant log cannot be written")
    }
}

/// Completes a line; returns it, or why the request failed. If it cannot be completed, the
/// outcome at the service is returned all the same, with a note: the line is then shown as
/// unknown.
async fn complete(
    store: &Store,
    mut entry: Entry,
    outcome: Result<(), Failure>,
) -> Result<Entry, Failure> {
    let line = entry.clone();
    let completed = store.write_anyway(move |archive| archive.complete(&line));
    let unwritten = completed.await.err().map(|unwritten| {
        format!(
            "the plant log could not be completed and will call it unknown: {}",
            unwritten.message()
        )
    });
    match (outcome, unwritten) {
        (Ok(()), None) => Ok(entry),
        (Ok(()), Some(warning)) => {
            add_note(&mut entry, warning);
            Ok(entry)
        }
        (Err(failure), None) => Err(failure),
        (Err(failure), Some(warning)) => Err(Failure {
            reason: format!("{}; {warning}", failure.reason),
            ..failure
        }),
    }
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
