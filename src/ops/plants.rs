//! Creating and deleting plants. Once begun, neither is ever taken back:
//! dropping the future leaves the request to run to its end.

use std::sync::atomic::{AtomicUsize, Ordering};

use std::time::{Duration, Instant};

use super::{
    failure::{Failure, FailureKind},
    session::Session,
};
use crate::{
    api::{
        address,
        wire::{PlantEcho, PlantRequest},
    },
    plant::Draft,
};

/// A plant that now exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// The HTTP status.
    pub status: u16,
    /// What the service echoed, if it could be read.
    pub echo: Option<PlantEcho>,
    /// What is odd about the answer, a sentence without its full stop.
    pub note: Option<String>,
    /// How long it took.
    pub duration: Duration,
}

/// A plant that no longer exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deleted {
    /// The HTTP status.
    pub status: u16,
    /// What is odd about the answer, a sentence without its full stop.
    pub note: Option<String>,
    /// How long it took.
    pub duration: Duration,
}

/// Creates a plant: one request on the wire, ever.
///
/// # Errors
/// [`FailureKind::Unreachable`] if nothing was sent,
/// [`FailureKind::OutcomeUnknown`] if it was sent and not answered, else what
/// the service said.
pub async fn create_plant(session: &Session, draft: &Draft) -> Result<Created, Failure> {
    let started = Instant::now();
    let (token, _) = session.token().await?;
    let request = PlantRequest {
        name: draft.name.clone(),
        id: draft.id,
        tag: draft.tag.clone(),
    };
    let session = session.clone();
    to_its_end(async move {
        match session.client().create_plant(&token, &request).await {
            Ok(answer) => Ok(Created {
                status: answer.status,
                echo: answer.echo,
                note: answer.note,
                duration: started.elapsed(),
            }),
            Err(error) => Err(session.failed(error).await),
        }
    })
    .await
}

/// Deletes a plant. A lost answer is tried once more; gone at the second try
/// counts as deleted.
///
/// # Errors
/// As [`create_plant`]; [`FailureKind::Usage`] for an identifier that cannot
/// be part of an address.
pub async fn delete_plant(session: &Session, id: &str) -> Result<Deleted, Failure> {
    let started = Instant::now();
    check_plant_id(id)?;
    let (token, _) = session.token().await?;
    let (session, id) = (session.clone(), id.to_owned());
    to_its_end(async move {
        match session.client().delete_plant(&token, &id).await {
            Ok(answer) => Ok(Deleted {
                status: answer.status,
                note: answer.note,
                duration: started.elapsed(),
            }),
            Err(error) => Err(session.failed(error).await),
        }
    })
    .await
}

/// Whether a plant of this identifier can be asked for at all.
///
/// # Errors
/// [`FailureKind::Usage`] for an empty one, `.`, `..` and control characters.
pub fn check_plant_id(id: &str) -> Result<(), Failure> {
    address::segment(id)
        .map(|_| ())
        .map_err(|error| Failure::usage(error.to_string()))
}

/// Creates and deletes that were begun and have not come to their end.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// Whether a create or delete is under way: whoever leaves now does not know
/// what becomes of it.
pub fn change_is_under_way() -> bool {
    UNDER_WAY.load(Ordering::SeqCst) > 0
}

struct UnderWay;

impl Drop for UnderWay {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs a request as a task of its own, which a dropped future does not end.
pub(super) async fn to_its_end<T: Send + 'static>(
    request: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, Failure> {
    UNDER_WAY.fetch_add(1, Ordering::SeqCst);
    let under_way = UnderWay;
    let request = async move {
        let done = request.await;
        drop(under_way);
        done
    };
    tokio::spawn(request).await.unwrap_or_else(|_| {
        Err(Failure::new(
            FailureKind::OutcomeUnknown,
            "the program ended while the request was under way",
            "",
        ))
    })
}
