//! What the tasks of a session share, and what comes to the screen from the
//! archive.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use uuid::Uuid;

use crate::app::{Arrival, Event, Failure, FailureKind};
use crate::ops::{self, Assembly, Overrules, Platform, Store, Track};

/// What tasks of this session share.
#[derive(Default)]
pub(super) struct Known {
    pub(super) overrules: Mutex<HashMap<Uuid, Overrules>>,
    tracks: Mutex<HashMap<Uuid, Arc<Track>>>,
}

impl Known {
    pub(super) fn overrules(&self, deployment: Uuid) -> Overrules {
        self.overrules
            .lock()
            .ok()
            .and_then(|known| known.get(&deployment).cloned())
            .unwrap_or_default()
    }

    pub(super) fn assembly(
        &self,
        deployment: Uuid,
        platform: Platform,
        exclude_failed: bool,
        now: f64,
    ) -> Assembly {
        Assembly {
            exclude_failed,
            overrules: self.overrules(deployment),
            ..Assembly::new(platform, now)
        }
    }

    /// Keeps the track that came last.
    pub(super) fn keep(&self, deployment: Uuid, track: &Arc<Track>) {
        if let Ok(mut tracks) = self.tracks.lock() {
            tracks.insert(deployment, Arc::clone(track));
        }
    }

    pub(super) fn track(&self, deployment: Uuid) -> Option<Arc<Track>> {
        self.tracks.lock().ok()?.get(&deployment).cloned()
    }
}

/// Tells the ledger as it is now.
pub(super) async fn tell_ledger(store: &Store, tell: impl Fn(Event)) {
    for words in store.news() {
        tell(Event::Trouble(Failure {
            kind: FailureKind::Other,
            message: words,
            hint: String::new(),
        }));
    }
    match store.ledger().await {
        Ok(entries) => tell(Event::Ledger(entries)),
        Err(failure) => tell(Event::Trouble(plain(failure))),
    }
}

/// The archive's copy of a track, if there is one.
pub(super) async fn load_kept(
    store: &Store,
    known: &Known,
    deployment: Uuid,
    platform: Platform,
    now: f64,
    tell: impl Fn(Event),
) {
    if let Ok(overrules) = store.overrules(deployment).await
        && !overrules.is_empty()
        && let Ok(mut all) = known.overrules.lock()
    {
        all.insert(deployment, overrules);
    }
    let Ok(Some(kept)) = store.kept(deployment).await else {
        return;
    };
    let assembly = known.assembly(deployment, platform, true, now);
    if let Ok(track) = ops::assemble(kept.records, assembly).await {
        // A fresh answer may have come meanwhile: it counts more.
        if known.track(deployment).is_none() {
            known.keep(deployment, &track);
        }
        tell(Event::Kept {
            deployment,
            arrival: Arrival {
                track: ops::charted(track).await,
                fetched_at: kept.fetched_at,
                note: None,
                brought: None,
            },
        });
    }
}

/// A failure as the screen's wing knows it.
pub(super) fn plain(failure: ops::Failure) -> Failure {
    let kind = match failure.kind {
        ops::FailureKind::Usage => FailureKind::Usage,
        ops::FailureKind::NotAuthenticated => FailureKind::NotAuthenticated,
        ops::FailureKind::Service => FailureKind::Service,
        ops::FailureKind::Unreachable => FailureKind::Unreachable,
        ops::FailureKind::NotUnderstood => FailureKind::NotUnderstood,
        ops::FailureKind::OutcomeUnknown => FailureKind::OutcomeUnknown,
        ops::FailureKind::Interrupted => FailureKind::Cancelled,
        ops::FailureKind::Other => FailureKind::Other,
    };
    Failure {
        kind,
        message: failure.message,
        hint: failure.hint,
    }
}
