//! Stores a response and judges it: all that a fetch writes is a single piece of
//! work for the archive. The response, its overview and the state of the service
//! are one transaction. The findings about alarms are a separate one, since a fault in a rule
//! must not lose the data.

use std::sync::Arc;

use uuid::Uuid;

use super::judge::{AtHand, judge};
use super::notes;
use crate::archive::{Archive, ArchiveError, MadeOverview};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::ops::store::Store;
use crate::track::field::FieldChoice;
use crate::track::{
    Answer, FetchDelta, FetchRequest, Overview, Records, Track, TrackOptions, Update, Wanted,
};

/// The result of storing a response in the archive.
struct Ingested {
    delta: FetchDelta,
    /// All archived data, if they are more than the response.
    whole: Option<Whole>,
    /// Why limits could not be judged.
    unjudged: Vec<String>,
    /// Why alarms could not be judged at all.
    fault: Option<Failure>,
}

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
    let response = answer.clone();
    let overview = Arc::clone(&update.overview);
    let options = (*update.options).clone();
    let written = store.write(move |archive| {
        let made = made(uuid, None, &track, &overview, &options);
        let delta = archive.ingest_with(uuid, &response, Some(&made))?;
        let whole = if delta.is_part {
            whole(archive, uuid, response.asked.as_ref(), &options)
        } else {
            None
        };
        let judged = match (&whole, delta.is_part) {
            (Some(whole), _) => Some(Arc::clone(&whole.track)),
            (None, true) => None,
            (None, false) => Some(Arc::clone(&track)),
        };
        let at_hand = AtHand {
            track: judged.map(|track| (track, options.clone())),
            ..AtHand::default()
        };
        let (unjudged, fault) = apart(judge(archive, uuid, &at_hand, unix_now()));
        Ok(Ingested {
            delta,
            whole,
            unjudged,
            fault,
        })
    });
    let written = written.await;
    update.notes.extend(store.warnings());
    match written {
        Ok(ingested) => {
            store.response_stored(uuid);
            let delta = ingested.delta;
            update.notes.extend(notes::unkept(delta.unstored_fields));
            if let Some(whole) = ingested.whole {
                update.notes.extend(notes::absent(delta.absent));
                notes::add_hint(&mut update.notes, whole.hint);
                (update.track, update.overview) = (Some(whole.track), whole.overview);
            }
            note_judged(&mut update, ingested.unjudged, ingested.fault);
            update.delta = Some(delta.with_cost_of(&answer));
        }
        Err(failure) => hold(store, uuid, answer, &mut update, failure).await,
    }
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

/// All archived data of a deployment, if they can be read. Their overview is stored.
fn whole(
    archive: &mut Archive,
    uuid: Uuid,
    asked: Option<&FieldChoice>,
    options: &TrackOptions,
) -> Option<Whole> {
    let stored = archive.stored_with_fields(uuid).ok().flatten()?;
    let hint = stored.records.hint();
    let records = stored.records.with_asked_fields(asked);
    let track = Arc::new(Track::of(&records, options));
    let overview = Arc::new(Overview::of(&track));
    let made = made(uuid, Some(stored.revision), &track, &overview, options);
    // An overview that is not stored is made again when it is needed.
    let _ = archive.store_overviews(&[made]);
    Some(Whole {
        track,
        overview,
        hint,
    })
}

/// The archived data of a deployment that has not changed.
#[derive(Default)]
pub(super) struct Confirmed {
    /// The overview with its options, if it is wanted and valid.
    pub overview: Option<(Arc<Overview>, Box<TrackOptions>)>,
    /// Its records otherwise.
    pub records: Option<Records>,
    /// Why limits could not be judged.
    pub unjudged: Vec<String>,
    /// Why alarms could not be judged at all.
    pub fault: Option<Failure>,
    /// Why the confirmation could not be stored.
    pub unstored: Option<Failure>,
}

/// Stores the confirmation that a deployment has not changed, and judges it; returns its
/// archived data.
pub(super) async fn confirm(store: &Store, request: &FetchRequest, answer: &Answer) -> Confirmed {
    let uuid = request.deployment;
    let at = answer.received_at;
    let began = answer.began();
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
            archive.confirm(uuid, at, began)?;
            let judged = judge(archive, uuid, &AtHand::default(), unix_now());
            (found.unjudged, found.fault) = apart(judged);
        }
        Ok(found)
    });
    match written.await {
        Ok(found) => {
            store.response_stored(uuid);
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
    let judged =
        move |archive: &mut Archive| judge(archive, uuid, &AtHand::default(), at).map(drop);
    let last = update.last_answer();
    store.judge_unstored(uuid, answer, last, judged).await;
}

/// Why limits could not be judged, and why alarms could not be judged at all.
fn apart(judged: Result<Vec<String>, ArchiveError>) -> (Vec<String>, Option<Failure>) {
    match judged {
        Ok(unjudged) => (unjudged, None),
        Err(error) => (Vec::new(), Some(Failure::from(error))),
    }
}

/// Adds to an update what could not be judged.
pub(super) fn note_judged(update: &mut Update, unjudged: Vec<String>, fault: Option<Failure>) {
    update.notes.extend(unjudged);
    if let Some(fault) = fault {
        let fault = fault.of("alarms could not be judged");
        update.notes.push(fault.message());
        update.unjudged = Some(fault);
    }
}
