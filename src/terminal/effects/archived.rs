//! Data of the archive: read for the first frames, and after another program has written
//! to it.

use std::sync::Arc;

use uuid::Uuid;

use super::Services;
use crate::app::alarms::neighbours;
use crate::app::overviews;
use crate::app::store::Store;
use crate::app::update::prepare::prepared;
use crate::app::update::prepare::{Fields, archived};
use crate::dashboard::effect::Search;
use crate::dashboard::event::Event;
use crate::failure::{Failure, FailureKind};
use crate::map::LoadedTrack;
use crate::os::blocking::blocking;
use crate::os::clock::unix_now;
use crate::terminal::alarms::read_alarms;
use crate::track::TrackOptions;
use crate::watch::{Deployment, Overview, Whereabouts};

/// The whereabouts of a deployment.
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
        Failure::new(FailureKind::Other, words, "")
    })?;
    let near = match track.latest_at(moment.known_until) {
        Some(fix) => neighbours::near(store, search.others, &fix, moment.known_until).await?,
        None => Vec::new(),
    };
    blocking(move || Whereabouts::new(deployment, track, near, moment)).await
}

impl Services {
    /// Loads the overviews of archived deployments.
    pub(super) fn load_overviews(&self, wanted: Vec<(Uuid, TrackOptions)>) {
        let store = self.store.clone();
        let send = self.tasks.sender();
        self.tasks.report(async move {
            overviews::load(&store, wanted, |read| send(Event::Overviews(read))).await
        });
    }

    /// Loads overviews at a moment of archived deployments; leaves out damaged ones.
    pub(super) fn load_past(&self, at: f64, wanted: Vec<(Uuid, TrackOptions)>) {
        let store = self.store.clone();
        self.tasks.spawn(async move {
            let mut overviews = Vec::new();
            for (uuid, options) in wanted {
                let found = archived(&store, uuid, options, Fields::Without).await;
                if let Some(found) = found.ok().and_then(|found| found.track) {
                    let then = blocking(move || Overview::at(&found.track, at)).await?;
                    overviews.push((uuid, Arc::new(then)));
                }
            }
            Ok(Event::Past { at, overviews })
        });
    }

    /// Loads an archived track with the flags that the user set.
    pub(super) fn load_stored(&self, deployment: Uuid, options: TrackOptions) {
        let store = self.store.clone();
        self.tasks.spawn(async move {
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
        });
    }

    /// Computes the search area of a deployment, from its track and those of other
    /// deployments in the archive.
    pub(super) fn look_for(&self, search: Search) {
        let store = self.store.clone();
        let deployment = search.deployment.id.uuid;
        self.tasks.spawn(async move {
            let outcome = whereabouts(&store, search).await.map(Box::new);
            Ok(Event::Whereabouts {
                deployment,
                outcome,
            })
        });
    }

    /// Reads the last values of the fields of deployments, one after the other.
    pub(super) fn read_last_values(&self, list: Vec<Deployment>) {
        let store = self.store.clone();
        self.tasks.spawn(async move {
            let mut all = Vec::with_capacity(list.len());
            for entry in list {
                let uuid = entry.id.uuid;
                let values = store.read(move |archive| archive.last_values(&entry, unix_now()));
                all.push((uuid, values.await?));
            }
            Ok(Event::LastValues(all))
        });
    }

    pub(super) fn load_plant_log(&self) {
        let store = self.store.clone();
        let load = async move { store.plant_log().await.map(Event::PlantLog) };
        self.tasks.spawn(load);
    }

    /// Looks for changes of another program in the archive, after all earlier edits are
    /// stored.
    pub(super) fn look_for_changes(&self, edits: u64, again: bool) {
        let store = self.store.clone();
        let send = self.tasks.sender();
        self.tasks.edit(async move {
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
        });
    }
}
