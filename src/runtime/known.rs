//! What the tasks of a session share, and what comes to the screen from the
//! archive.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use uuid::Uuid;

use crate::app::{Event, Exchange, Failure, FailureKind, LoadedTrack, Watched};
use crate::ops::{self, FlagOverrides, Platform, Store, Track, TrackOptions};

/// What tasks of this session share.
#[derive(Default)]
pub(super) struct Known {
    pub(super) overrules: Mutex<HashMap<Uuid, FlagOverrides>>,
    /// How each is to be assembled, as a person chose last.
    choices: Mutex<HashMap<Uuid, (Platform, bool)>>,
    /// The watch list's entries as this dashboard last saw or wrote them.
    entries: Mutex<HashMap<Uuid, ops::Watched>>,
    tracks: Mutex<HashMap<Uuid, Arc<Track>>>,
}

impl Known {
    pub(super) fn overrules(&self, deployment: Uuid) -> FlagOverrides {
        self.overrules
            .lock()
            .ok()
            .and_then(|known| known.get(&deployment).cloned())
            .unwrap_or_default()
    }

    /// Notes how a deployment is to be assembled from now on, whatever is under
    /// way.
    pub(super) fn choose(&self, deployment: Uuid, platform: Platform, exclude_failed: bool) {
        if let Ok(mut choices) = self.choices.lock() {
            choices.insert(deployment, (platform, exclude_failed));
        }
    }

    /// How a deployment is to be assembled, as a person chose last.
    pub(super) fn assembly(&self, deployment: Uuid, now: f64) -> TrackOptions {
        let chosen = self.choices.lock().ok();
        let (platform, exclude_failed) = chosen
            .and_then(|choices| choices.get(&deployment).copied())
            .unwrap_or((Platform::default(), true));
        TrackOptions {
            exclude_failed,
            overrules: self.overrules(deployment),
            ..TrackOptions::new(platform, now)
        }
    }

    /// Takes an entry of the watch list as it is now; the answer is what it was
    /// before.
    pub(super) fn entry(&self, entry: ops::Watched) -> Option<ops::Watched> {
        self.entries.lock().ok()?.insert(entry.uuid, entry)
    }

    /// Forgets an entry that was taken off the watch list.
    pub(super) fn forget(&self, deployment: Uuid) {
        if let Ok(mut entries) = self.entries.lock() {
            entries.remove(&deployment);
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
    now: f64,
    tell: impl Fn(Event),
) {
    if let Ok(overrules) = store.overrules(deployment).await
        && !overrules.is_empty()
        && let Ok(mut all) = known.overrules.lock()
    {
        all.insert(deployment, overrules);
    }
    let kept = match store.kept(deployment).await {
        Ok(Some(kept)) => kept,
        Ok(None) => return,
        Err(failure) => return tell(Event::Trouble(plain(failure))),
    };
    let assembly = known.assembly(deployment, now);
    if let Ok(track) = ops::assemble(kept.records, assembly).await {
        // A fresh answer may have come meanwhile: it counts more.
        if known.track(deployment).is_none() {
            known.keep(deployment, &track);
        }
        let sketched = ops::sketched(track).await;
        tell(Event::Kept {
            deployment,
            arrival: LoadedTrack {
                track: Arc::clone(&sketched),
                fetched_at: kept.fetched_at,
                note: None,
                brought: None,
            },
        });
        if sketched.is_sketch() {
            let track = ops::refined(sketched).await;
            tell(Event::Refined { deployment, track });
        }
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

/// An entry of the watch list as the archive has it.
pub(super) fn entry_of(watched: Watched) -> ops::Watched {
    ops::Watched {
        uuid: watched.uuid,
        label: watched.label,
        platform: watched.platform,
        limits: watched.limits,
        notes: watched.notes,
    }
}

/// An exchange as the Activity tab has it.
pub(super) fn shown(exchange: ops::Exchange) -> Exchange {
    Exchange {
        at: exchange.started_at,
        method: exchange.method,
        address: exchange.address,
        status: exchange.status,
        duration_s: exchange.duration.as_secs_f64(),
        bytes: exchange.bytes,
        words: if exchange.outcome == "OK" {
            String::new()
        } else {
            exchange.outcome
        },
    }
}
