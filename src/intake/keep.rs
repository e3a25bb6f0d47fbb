//! Stores a response and judges it. The response, its overview and the state of the service
//! are one transaction. The findings about alarms are a separate one, since a fault in a rule
//! must not lose the data, and no rule is evaluated while the archive is held.

use std::sync::Arc;

use uuid::Uuid;

use super::judge::{AtHand, WholeTrack, judge};
use super::notes;
use crate::archive::{Archive, MadeOverview, StoredRecords};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::ops::blocking::blocking;
use crate::ops::store::Store;
use crate::track::{Answer, FetchRequest, Overview, Records, Track, TrackOptions, Update, Wanted};

/// All that is archived of a deployment.
struct Whole {
    track: Arc<Track>,
    overview: Arc<Overview>,
    /// A hint that the records give.
    hint: Option<String>,
}

/// Stores a response and judges it; returns the update with all stored data. If
/// the archive cannot be written, the update says so, and the alarms are in memory.
pub(super) async fn keep(store: &Store, uuid: Uuid, answer: Answer, mut update: Update) -> Update {
    let Some(track) = update.track.clone() else {
        return update;
    };
    let options = (*update.options).clone();
    let made = made(uuid, None, &track, &update.overview, &options);
    let response = answer.clone();
    let written = store.write(move |archive| {
        let (delta, revision) = archive.ingest_with(uuid, &response, Some(&made))?;
        let stored = if delta.is_part {
            archive.stored_with_fields(uuid).ok().flatten()
        } else {
            None
        };
        Ok((delta, revision, stored))
    });
    let written = written.await;
    update.notes.extend(store.warnings());
    let (delta, revision, stored) = match written {
        Ok(written) => written,
        Err(failure) => {
            hold(store, uuid, answer, &mut update, failure).await;
            return update;
        }
    };
    store.response_stored(uuid);
    update.notes.extend(notes::unkept(delta.unstored_fields));
    let mut archived = (!delta.is_part).then_some((track, revision));
    if let Some(stored) = stored {
        let revision = stored.revision;
        if let Some(whole) = whole(store, uuid, stored, &answer, &options).await {
            archived = Some((Arc::clone(&whole.track), revision));
            update.notes.extend(notes::absent(delta.absent));
            notes::add_hint(&mut update.notes, whole.hint);
            (update.track, update.overview) = (Some(whole.track), whole.overview);
        }
    }
    let at_hand = AtHand {
        track: archived.map(|(track, revision)| WholeTrack {
            track,
            options,
            revision,
        }),
        ..AtHand::default()
    };
    let judged = judge(store, uuid, at_hand, unix_now()).await;
    note_judged(&mut update, judged);
    update.delta = Some(delta.with_cost_of(&answer));
    update
}

/// The overview of a track, to be stored; with the `revision` of its records, if these are
/// archived.
fn made(
    uuid: Uuid,
    revision: Option<i64>,
    track: &Track,
    overview: &Arc<Overview>,
    options: &TrackOptions,
) -> MadeOverview {
    let overview = Arc::clone(overview);
    MadeOverview::new(uuid, revision, overview, track, options.clone())
}

/// The track of all that is archived of a deployment, with what the response was asked for.
/// Its overview is stored. `None` if the program is ending.
async fn whole(
    store: &Store,
    uuid: Uuid,
    stored: StoredRecords,
    answer: &Answer,
    options: &TrackOptions,
) -> Option<Whole> {
    let asked = answer.asked.clone();
    let options = options.clone();
    let whole = blocking(move || {
        let hint = stored.records.hint();
        let records = stored.records.with_asked_fields(asked.as_ref());
        let track = Arc::new(Track::new(&records, &options));
        let overview = Arc::new(Overview::new(&track));
        let made = made(uuid, Some(stored.revision), &track, &overview, &options);
        let whole = Whole {
            track,
            overview,
            hint,
        };
        (whole, made)
    });
    let (whole, made) = whole.await.ok()?;
    // An overview that is not stored is made again when it is needed.
    let _ = store
        .write(move |archive| archive.store_overviews(std::slice::from_ref(&made)))
        .await;
    Some(whole)
}

/// The archived data of a deployment that has not changed.
#[derive(Default)]
pub(super) struct Confirmed {
    /// The overview with its options, if it is wanted and valid.
    pub overview: Option<(Arc<Overview>, Box<TrackOptions>)>,
    /// Its records otherwise.
    pub records: Option<Records>,
    /// Why limits could not be judged, or alarms could not be judged at all.
    pub judged: Option<Result<Vec<String>, Failure>>,
    /// Why the confirmation could not be stored.
    pub unstored: Option<Failure>,
}

/// Stores the confirmation that a deployment has not changed, and judges it; returns its
/// archived data.
pub(super) async fn confirm(store: &Store, request: &FetchRequest, answer: &Answer) -> Confirmed {
    let uuid = request.deployment;
    let confirmation = answer.clone();
    let options = match &request.wanted {
        Wanted::Overview => Some(TrackOptions {
            now: unix_now(),
            ..request.options.clone()
        }),
        Wanted::Track { .. } => None,
    };
    let written = store.write(move |archive| {
        let wanted = options.clone();
        let mut found = archive.reading(|archive| Ok(archived(archive, uuid, wanted)))?;
        if found.overview.is_some() || found.records.is_some() {
            archive.confirm(uuid, &confirmation)?;
        }
        if let Some((_, options)) = &mut found.overview {
            let by_clock = options.clone().by_clock(confirmation.clock(), unix_now());
            **options = by_clock;
        }
        Ok(found)
    });
    match written.await {
        Ok(mut found) => {
            store.response_stored(uuid);
            if found.overview.is_some() || found.records.is_some() {
                let at_hand = AtHand::default();
                let judged = judge(store, uuid, at_hand, unix_now());
                found.judged = Some(judged.await);
            }
            found
        }
        // Without it the archive shows an earlier time of fetch.
        Err(failure) => {
            let read = store.read(move |archive| Ok(archived(archive, uuid, None)));
            Confirmed {
                unstored: Some(failure),
                ..read.await.unwrap_or_default()
            }
        }
    }
}

/// The archived data of a deployment: its overview with these options, if that is valid,
/// else its records. Data that cannot be read are requested again.
fn archived(archive: &Archive, uuid: Uuid, options: Option<TrackOptions>) -> Confirmed {
    let overview = options.and_then(|options| {
        let read = archive.overviews(vec![(uuid, options)]).ok()?.pop()?;
        Some((read.overview?, read.options))
    });
    let records = match overview {
        Some(_) => None,
        None => archive.stored_with_fields(uuid).ok().flatten(),
    };
    Confirmed {
        overview,
        records: records.map(|stored| stored.records),
        ..Confirmed::default()
    }
}

/// Judges in memory a response that could not be stored, and says so in its update.
pub(super) async fn hold(
    store: &Store,
    uuid: Uuid,
    answer: Answer,
    update: &mut Update,
    failure: Failure,
) {
    let why = failure.message();
    let note = format!("not stored in the archive: {why}");
    update.notes.push(note);
    update.unstored = Some(failure);
    let at = answer.received_at;
    let last = update.last_answer();
    if let Some(held) = store.hold_unstored(uuid, answer, last).await {
        // That the response is not stored is said.
        let _ = judge(&held, uuid, AtHand::default(), at).await;
    }
}

/// Adds to an update what could not be judged.
pub(super) fn note_judged(update: &mut Update, judged: Result<Vec<String>, Failure>) {
    match judged {
        Ok(unjudged) => update.notes.extend(unjudged),
        Err(fault) => {
            let fault = fault.of("alarms could not be judged");
            update.notes.push(fault.message());
            update.unjudged = Some(fault);
        }
    }
}
