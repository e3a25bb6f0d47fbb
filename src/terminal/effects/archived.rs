//! Data of the archive: read for the first frames, and where another program has written
//! to it.

use uuid::Uuid;

use super::Services;
use crate::dashboard::event::Event;
use crate::intake::archived::{Fields, archived};
use crate::intake::overviews;
use crate::intake::prepare::prepared_preview;
use crate::map::LoadedTrack;
use crate::terminal::alarms::read_alarms;
use crate::track::TrackOptions;

impl Services {
    /// Loads what lists show of archived deployments.
    pub(super) fn load_overviews(&self, wanted: Vec<(Uuid, TrackOptions)>) {
        let (store, send) = (self.store.clone(), self.tasks.sender());
        self.tasks.report(async move {
            overviews::load(&store, wanted, |read| send(Event::Overviews(read))).await
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
                    track: prepared_preview(assembled.track).await?,
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

    /// Loads the ledger of plants.
    pub(super) fn load_ledger(&self) {
        let store = self.store.clone();
        let ledger = async move { store.ledger().await.map(Event::Ledger) };
        self.tasks.spawn(ledger);
    }

    /// Looks for what another program changed in the archive, after the edits that come
    /// before are stored.
    pub(super) fn look_for_changes(&self, edits: u64, again: bool) {
        let (store, send) = (self.store.clone(), self.tasks.sender());
        self.tasks.edit(async move {
            if !store.may_be_written().await && !again {
                return Ok(());
            }
            // One that cannot be read is told by whatever needs it.
            match store.changed_by_another(again).await {
                Ok(Some(entered)) => send(Event::Archived {
                    edits,
                    watched: entered.watched,
                    overrides: entered.overrides,
                    ledger: entered.ledger,
                }),
                Ok(None) => {}
                Err(_) => store.look_again(),
            }
            match store.received().await {
                Ok(received) if received.is_empty() => {}
                Ok(received) => send(Event::Received(received)),
                Err(_) => store.look_again(),
            }
            read_alarms(&store, again, &send).await;
            Ok(())
        });
    }
}
