//! Creates and deletes with a line in the ledger each: on the disk before the
//! request is sent, and completed with what came of it. Where the line cannot
//! be written nothing is sent: the ledger could not tell the truth.

use super::failure::{Failure, FailureKind};
use super::plants::{Created, Deleted, create_plant, delete_plant, to_its_end};
use super::session::Session;
use super::store::Store;
use crate::plant::ledger::{Entry, Operation, Outcome};
use crate::plant::{Draft, PlantId};

/// Creates a plant, with a line in the ledger. Dropping the future ends
/// neither the request nor the line's completion.
///
/// # Errors
/// As [`create_plant`]; [`FailureKind::Other`] where the ledger cannot be
/// written.
pub async fn create(session: &Session, store: &Store, draft: &Draft) -> Result<Created, Failure> {
    // Without a token nothing would be sent, and the ledger tells of requests.
    super::authenticate(session).await?;
    let (session, store, draft) = (session.clone(), store.clone(), draft.clone());
    to_its_end(async move {
        let line = asked(&session, &draft);
        let sequence = store.begin(line.clone()).await.map_err(unwritten)?;
        send(&session, &store, &draft, Entry { sequence, ..line }).await
    })
    .await
}

/// As [`create`], unless the ledger knows the plant at this service already:
/// then nothing is sent, and the answer is none. Of two processes that ask at
/// once, one creates.
///
/// # Errors
/// As [`create`].
pub async fn create_once(
    session: &Session,
    store: &Store,
    draft: &Draft,
) -> Result<Option<Created>, Failure> {
    super::authenticate(session).await?;
    let (session, store, draft) = (session.clone(), store.clone(), draft.clone());
    to_its_end(async move {
        let line = asked(&session, &draft);
        let begun = store.begin_if_free(line.clone()).await.map_err(unwritten)?;
        let Some(sequence) = begun else {
            return Ok(None);
        };
        send(&session, &store, &draft, Entry { sequence, ..line })
            .await
            .map(Some)
    })
    .await
}

/// The line of a create that is about to be sent.
fn asked(session: &Session, draft: &Draft) -> Entry {
    let now = super::fetch::unix_now();
    Entry {
        name: Some(draft.name.clone()),
        tag: Some(draft.tag.clone()),
        service: Some(session.sandbox().to_string()),
        ..Entry::pending(now, Operation::Create, draft.id.to_string())
    }
}

async fn send(
    session: &Session,
    store: &Store,
    draft: &Draft,
    mut line: Entry,
) -> Result<Created, Failure> {
    let outcome = create_plant(session, draft).await;
    match &outcome {
        Ok(created) => {
            line.outcome = Outcome::Done;
            line.words.clone_from(&created.note);
            line.answered = created
                .echo
                .as_ref()
                .filter(|echo| echo.name != draft.name || echo.tag != draft.tag)
                .map(|echo| (echo.name.clone(), echo.tag.clone()));
        }
        Err(failure) => note_failure(&mut line, failure),
    }
    close(store, line, outcome, |created| &mut created.note).await
}

/// Deletes a plant, with a line in the ledger. Dropping the future ends
/// neither the request nor the line's completion.
///
/// # Errors
/// As [`delete_plant`]; [`FailureKind::Other`] where the ledger cannot be
/// written.
pub async fn delete(session: &Session, store: &Store, id: &PlantId) -> Result<Deleted, Failure> {
    super::authenticate(session).await?;
    let (session, store, id) = (session.clone(), store.clone(), id.as_str().to_owned());
    to_its_end(async move {
        let known = store.ledger().await.unwrap_or_default();
        let known = known
            .into_iter()
            .rev()
            .find(|entry| entry.id == id && entry.name.is_some());
        let (name, tag) = known.map_or((None, None), |entry| (entry.name, entry.tag));
        let mut line = Entry {
            name,
            tag,
            service: Some(session.sandbox().to_string()),
            ..Entry::pending(super::fetch::unix_now(), Operation::Delete, id.clone())
        };
        line.sequence = store.begin(line.clone()).await.map_err(unwritten)?;
        let outcome = delete_plant(&session, &id).await;
        match &outcome {
            Ok(deleted) => {
                line.outcome = Outcome::Done;
                line.words.clone_from(&deleted.note);
            }
            Err(failure) => {
                note_failure(&mut line, failure);
                if failure
                    .service
                    .as_ref()
                    .is_some_and(|service| service.status == 404)
                {
                    line.outcome = Outcome::Gone;
                }
            }
        }
        close(&store, line, outcome, |deleted| &mut deleted.note).await
    })
    .await
}

fn unwritten(failure: Failure) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!(
            "nothing was sent, because the ledger cannot be written: {}",
            failure.message
        ),
        failure.hint,
    )
}

/// Completes the line. What the service did counts even where that fails: the
/// line stays pending then, which reads as unknown later, and `told` says so.
async fn close<T>(
    store: &Store,
    line: Entry,
    outcome: Result<T, Failure>,
    told: impl FnOnce(&mut T) -> &mut Option<String>,
) -> Result<T, Failure> {
    let Err(unwritten) = store.complete(line).await else {
        return outcome;
    };
    let words = format!(
        "the ledger could not take this down and will call it unknown: {}",
        unwritten.message
    );
    match outcome {
        Ok(mut done) => {
            let note = told(&mut done);
            *note = Some(match note.take() {
                Some(said) => format!("{said}; {words}"),
                None => words,
            });
            Ok(done)
        }
        Err(mut failure) => {
            failure.message = format!("{}; {words}", failure.message);
            Err(failure)
        }
    }
}

fn note_failure(entry: &mut Entry, failure: &Failure) {
    entry.outcome = match failure.kind {
        FailureKind::OutcomeUnknown | FailureKind::Interrupted => Outcome::Unknown,
        FailureKind::Service | FailureKind::NotUnderstood => Outcome::Refused,
        FailureKind::NotAuthenticated if failure.service.is_some() => Outcome::Refused,
        _ => Outcome::NotSent,
    };
    entry.words = Some(failure.message.clone());
}
