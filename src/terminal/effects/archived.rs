//! Data of the archive: read for the first frames, and after another program has written
//! to it.

use std::sync::Arc;

use uuid::Uuid;

use crate::app::alarms::neighbours;
use crate::app::store::Store;
use crate::app::update::archived::{Fields, archived};
use crate::app::update::prepare::prepared;
use crate::dashboard::effect::Search;
use crate::dashboard::event::Event;
use crate::failure::Failure;
use crate::map::LoadedTrack;
use crate::os::blocking::blocking;
use crate::os::clock::unix_now;
use crate::terminal::alarms::read_alarms;
use crate::track::TrackOptions;
use crate::watch::{Deployment, Overview, Whereabouts};

/// Computes the search area of a deployment, from its track and those of other
/// deployments in the archive.
pub(super) async fn looked_for(store: Store, search: Search) -> Result<Event, Failure> {
    let deployment = search.deployment.id.uuid;
    let outcome = whereabouts(&store, search).await.map(Box::new);
    Ok(Event::Whereabouts {
        deployment,
        outcome,
    })
}

async fn whereabouts(store: &Store, search: Search) -> Result<Whereabouts, Failure> {
    let deployment = search.deployment;
    let moment = search.moment;
    let held = match search.track {
        Some(held) => Some(held),
        None => {
            let found =
                archived(store, deployment.id.uuid, search.options, Fields::Without).await?;
            found.track.map(|assembled| assembled.track)
        }
    };
    let track = held.ok_or_else(|| {
        let words = format!("nothing is archived of {} yet", deployment.name());
        Failure::other(words)
    })?;
    let near = match track.latest_at(moment.known_until) {
        Some(fix) => neighbours::near(store, search.others, &fix, moment.known_until).await?,
        None => Vec::new(),
    };
    blocking(move || Whereabouts::new(deployment, track, near, moment)).await
}

/// Loads overviews at a moment of archived deployments; leaves out damaged ones.
pub(super) async fn past(
    store: Store,
    at: f64,
    wanted: Vec<(Uuid, TrackOptions)>,
) -> Result<Event, Failure> {
    let mut overviews = Vec::new();
    for (uuid, options) in wanted {
        let found = archived(&store, uuid, options, Fields::Without).await;
        if let Some(found) = found.ok().and_then(|found| found.track) {
            let then = blocking(move || Overview::at(&found.track, at)).await?;
            overviews.push((uuid, Arc::new(then)));
        }
    }
    Ok(Event::Past { at, overviews })
}

/// Loads an archived track with the flags that the user set.
pub(super) async fn stored(
    store: Store,
    deployment: Uuid,
    options: TrackOptions,
) -> Result<Event, Failure> {
    let found = archived(&store, deployment, options, Fields::Without).await?;
    let loaded = match found.track {
        None => None,
        Some(assembled) => Some(LoadedTrack {
            track: prepared(assembled.track).await?,
            options: assembled.options,
            fetched_at: assembled.fetched_at,
        }),
    };
    Ok(Event::Stored {
        deployment,
        overrides: found.flags,
        loaded,
    })
}

/// Reads the last values of the fields of deployments, one after the other.
pub(super) async fn last_values(store: Store, list: Vec<Deployment>) -> Result<Event, Failure> {
    let mut all = Vec::with_capacity(list.len());
    for entry in list {
        let uuid = entry.id.uuid;
        let values = store.read(move |archive| archive.last_values(&entry, unix_now()));
        all.push((uuid, values.await?));
    }
    Ok(Event::LastValues(all))
}

/// Looks for changes of another program in the archive.
pub(super) async fn changes(
    store: Store,
    send: impl Fn(Event) + Sync,
    edits: u64,
    again: bool,
) -> Result<(), Failure> {
    if again {
        store.forget_entries();
    }
    // If it cannot be read, the next read reports the fault.
    match store.changes().await {
        Ok(None) => return Ok(()),
        Ok(Some(changes)) => {
            if let Some(entered) = changes.entered {
                send(Event::Archived {
                    edits,
                    watched: entered.watched,
                    overrides: entered.overrides,
                    plant_log: entered.plant_log,
                });
            }
            if !changes.received.is_empty() {
                send(Event::Received(changes.received));
            }
        }
        Err(_) => {}
    }
    read_alarms(&store, &send).await;
    Ok(())
}
