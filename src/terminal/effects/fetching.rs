//! Fetches: each effect is one call of `app::update`, whose track is drawn while its response
//! is stored.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::app::session::{Session, login};
use crate::app::source::Source;
use crate::app::store::Store;
use crate::app::update::keep::{Assembled, keep};
use crate::app::update::prepare::prepared;
use crate::app::update::{Outcome, Reports, update};
use crate::dashboard::effect::{Fetch, Secret};
use crate::dashboard::event::{Event, FetchNews, RequestId};
use crate::exchange::Progress;
use crate::failure::Failure;
use crate::map::{LoadedTrack, PreparedTrack};
use crate::track::{Track, TrackOptions};
use crate::watch::{DeploymentId, FetchRequest, Flags, Keep, Turn, Update, Wanted};

/// Fetches a deployment.
pub(super) async fn fetched(
    source: Source,
    store: Store,
    send: impl Fn(Event) + Clone + Send + Sync + 'static,
    fetch: Fetch,
) -> Result<Event, Failure> {
    #[cfg(debug_assertions)]
    crate::terminal::test_panic::provoke("worker");
    let Fetch { request, of, held } = fetch;
    let is_drawn = of.wanted != Wanted::Overview;
    let (report, assembled) = oneshot::channel();
    // Without a sender nothing is drawn.
    let report = Some(report).filter(|_| is_drawn);
    let reports = Reports {
        progress: Some(progress(request, send.clone())),
        assembled: report,
    };
    let (outcome, begun) = tokio::join!(
        update(&source, &store, of, reports),
        begin_to_draw(assembled, held, |loaded| {
            send(Event::Fetch(request, FetchNews::Assembled(loaded)));
        }),
    );
    let mut update = match outcome? {
        Outcome::Updated(update) => update,
        Outcome::NotDue(wait_s) => return Ok(Event::Fetch(request, FetchNews::NotDue { wait_s })),
    };
    let track = update.track.take().filter(|_| is_drawn);
    let drawn = drawn(track, begun?).await?;
    Ok(ended(request, Ok(update), drawn))
}

/// Tests a token. The records that come with the test are stored after its outcome
/// is sent, and their track follows.
pub(super) async fn token_tried(
    session: Result<Session, Failure>,
    store: Store,
    send: impl Fn(Event) + Send + Sync,
    request: RequestId,
    token: Secret,
    deployments: Vec<(DeploymentId, TrackOptions)>,
) -> Result<Event, Failure> {
    let ids = deployments.iter().map(|(id, _)| id.clone()).collect();
    let tried = login::try_token(&session?, &token.0, ids).await?;
    let accepted = |answered| Event::Token {
        request,
        outcome: Ok(tried.kept),
        answered,
    };
    let answered = tried.answer.and_then(|(id, answer)| {
        let (_, options) = deployments.into_iter().find(|(known, _)| *known == id)?;
        Some((id, answer, options))
    });
    let Some((deployment, answer, options)) = answered else {
        return Ok(accepted(None));
    };
    send(accepted(Some(deployment.uuid)));
    let of = FetchRequest {
        deployment,
        options,
        flags: Flags::Given,
        keep: Keep::Always,
        wanted: Wanted::Track { shown: None },
        turn: Turn::Now,
    };
    let taken_in = async {
        let mut update = keep(&store, of, answer, None).await?;
        let drawn = drawn(update.track.take(), None).await?;
        Ok((Box::new(update), drawn))
    };
    Ok(match taken_in.await {
        Ok((update, drawn)) => ended(request, Ok(update), drawn),
        Err(failure) => ended(request, Err(failure), None),
    })
}

/// The event that ends a fetch.
pub(super) fn ended(
    request: RequestId,
    outcome: Result<Box<Update>, Failure>,
    track: Option<Arc<PreparedTrack>>,
) -> Event {
    Event::Fetch(request, FetchNews::Ended { outcome, track })
}

/// Prepares the track of a response for drawing, and shows it before it is stored. The track in
/// memory is reused if it is the same.
async fn begin_to_draw(
    assembled: oneshot::Receiver<Assembled>,
    held: Option<Arc<PreparedTrack>>,
    show: impl FnOnce(LoadedTrack),
) -> Result<Option<Arc<PreparedTrack>>, Failure> {
    let Ok(assembled) = assembled.await else {
        return Ok(None);
    };
    let track = match held.filter(|held| Arc::ptr_eq(held.track(), &assembled.track)) {
        Some(held) => held,
        None => prepared(assembled.track).await?,
    };
    show(LoadedTrack {
        track: Arc::clone(&track),
        options: assembled.options,
        fetched_at: assembled.fetched_at,
    });
    Ok(Some(track))
}

/// The drawing of a track that is to be shown: that which was begun, unless the archive
/// has more than the response.
async fn drawn(
    track: Option<Arc<Track>>,
    begun: Option<Arc<PreparedTrack>>,
) -> Result<Option<Arc<PreparedTrack>>, Failure> {
    match (track, begun) {
        (Some(track), Some(begun)) if Arc::ptr_eq(&track, begun.track()) => Ok(Some(begun)),
        (Some(track), _) => prepared(track).await.map(Some),
        (None, _) => Ok(None),
    }
}

/// A sink that reports the progress of a request.
fn progress(
    request: RequestId,
    send: impl Fn(Event) + Send + Sync + 'static,
) -> Arc<dyn Fn(Progress) + Send + Sync> {
    Arc::new(move |progress| send(Event::Progress { request, progress }))
}
