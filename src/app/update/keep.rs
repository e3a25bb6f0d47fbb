//! The way of a response: its track is assembled, stored and judged. The response, its
//! overview and the state of the service are one transaction. The findings about alarms are a
//! separate one, since a fault in a rule must not lose the data, and no rule is evaluated while
//! the archive is held.

use std::borrow::Cow;
use std::sync::Arc;

use tokio::sync::oneshot;
use uuid::Uuid;

use super::prepare::{assemble, overview};
use crate::app::alarms::judge::{AtHand, WholeTrack, judge};
use crate::app::store::Store;
use crate::archive::{Archive, MadeOverview, StoredRecords};
use crate::failure::{Failure, FailureKind};
use crate::formats::read::ids::of_several;
use crate::os::blocking::{blocking, to_its_end};
use crate::os::clock::unix_now;
use crate::text;
use crate::track::field::{FieldColumn, MOST_FIELDS, label};
use crate::track::{Records, Track, TrackOptions};
use crate::watch::DeploymentId;
use crate::watch::{Answer, FetchDelta, FetchRequest, Overview, Update, Wanted};

/// A track with the options that it was assembled with.
#[derive(Debug, Clone)]
pub(crate) struct Assembled {
    pub track: Arc<Track>,
    pub options: Box<TrackOptions>,
    /// When its records were received, UNIX seconds.
    pub fetched_at: f64,
}

impl Assembled {
    /// The track of an update, if it has one.
    pub(crate) fn new(update: Update) -> Option<Self> {
        Some(Self {
            track: update.track?,
            options: update.options,
            fetched_at: update.fetched_at,
        })
    }
}

/// Makes the update of a response with records, before it is stored, and reports its track.
///
/// # Errors
/// [`crate::failure::FailureKind::Interrupted`] if the program is ending.
pub(crate) async fn assembled(
    request: &FetchRequest,
    answer: &Answer,
    report: Option<oneshot::Sender<Assembled>>,
) -> Result<Update, Failure> {
    let by_clock = request.options.clone();
    let options = Box::new(by_clock.by_clock(answer.clock(), answer.received_at));
    let shown = match &request.wanted {
        Wanted::Track { shown } => shown.clone(),
        Wanted::Overview => None,
    };
    let track = assemble(Arc::clone(&answer.records), (*options).clone(), shown).await?;
    if let Some(report) = report {
        // A cancelled request has no receiver.
        let _ = report.send(Assembled {
            track: Arc::clone(&track),
            options: options.clone(),
            fetched_at: answer.received_at,
        });
    }
    let unjudged = none_usable(&answer.records, &track);
    let mut notes = about_answer(answer);
    notes.extend(unjudged.iter().map(Failure::message));
    notes.extend(track.conflicting_repeats());
    Ok(Update {
        track: Some(Arc::clone(&track)),
        notes,
        unjudged,
        ..fetched(answer, overview(track).await?, options)
    })
}

/// The update of a response of which only the overview is known.
fn fetched(answer: &Answer, overview: Arc<Overview>, options: Box<TrackOptions>) -> Update {
    Update {
        track: None,
        overview,
        options,
        fetched_at: answer.received_at,
        took_s: answer.took_s,
        delta: None,
        notes: Vec::new(),
        unstored: None,
        unjudged: None,
    }
}

/// Assembles the track of a response with records, also of one to the test of a token, stores
/// and judges it, and notifies those that follow the alarms. If the archive cannot be written,
/// the update says so, and the alarms are in memory.
///
/// # Errors
/// [`crate::failure::FailureKind::Interrupted`] if the program is ending.
pub(crate) async fn keep(
    store: &Store,
    request: FetchRequest,
    answer: Answer,
    report: Option<oneshot::Sender<Assembled>>,
) -> Result<Update, Failure> {
    // A response about a part of the track is not shown as the track.
    let report = report.filter(|_| !answer.span.is_bounded());
    let received = assembled(&request, &answer, report).await?;
    let deployment = request.deployment;
    let shared = store.clone();
    // What is stored is judged, even if nobody waits for it any more.
    let update =
        to_its_end(async move { stored(&shared, deployment, answer, received).await }).await?;
    store.alarms_may_differ();
    Ok(update)
}

/// Stores a response and judges it; returns the update with all stored data.
async fn stored(
    store: &Store,
    deployment: DeploymentId,
    answer: Answer,
    mut update: Update,
) -> Update {
    let uuid = deployment.uuid;
    let Some(track) = update.track.clone() else {
        return update;
    };
    let options = (*update.options).clone();
    let overview = Arc::clone(&update.overview);
    let made = MadeOverview::new(uuid, None, overview, &track, options.clone());
    let response = answer.clone();
    let written = store
        .write(move |archive| {
            let (delta, revision) = archive.ingest_with(&deployment, &response, Some(&made))?;
            let stored = if delta.is_part {
                archive.stored_with_fields(uuid).ok().flatten()
            } else {
                None
            };
            Ok((delta, revision, stored))
        })
        .await;
    update.notes.extend(store.warnings());
    let (delta, mut revision, stored) = match written {
        Ok(written) => written,
        Err(failure) => {
            hold(store, uuid, answer, &mut update, failure).await;
            return update;
        }
    };
    store.response_stored(uuid).await;
    update.notes.extend(unkept(delta.unstored_fields));
    let mut is_whole = !delta.is_part;
    if let Some(stored) = stored {
        revision = stored.revision;
        is_whole = take_whole(store, uuid, stored, &answer, &mut update).await;
        if is_whole {
            update.notes.extend(absent(delta.absent));
        }
    }
    let at_hand = AtHand {
        track: update
            .track
            .clone()
            .filter(|_| is_whole)
            .map(|track| WholeTrack {
                track,
                options,
                revision,
            }),
        ..AtHand::default()
    };
    let judged = judge(store, uuid, at_hand, unix_now()).await;
    note_judged(&mut update, judged);
    update.delta = Some(delta.with_cost(&answer));
    update
}

/// Replaces the track of an update by that of all that is archived of the deployment, and stores
/// its overview. Returns `false` if the program is ending.
async fn take_whole(
    store: &Store,
    uuid: Uuid,
    stored: StoredRecords,
    answer: &Answer,
    update: &mut Update,
) -> bool {
    let asked = answer.asked.clone();
    let options = (*update.options).clone();
    let revision = stored.revision;
    let hint = stored.records.hint();
    let assembled = blocking(move || {
        let records = stored.records.with_asked_fields(asked.as_ref());
        let track = Track::new(&records, &options);
        let overview = Arc::new(Overview::new(&track));
        let made = MadeOverview::new(uuid, Some(revision), overview, &track, options);
        (Arc::new(track), made)
    });
    let Ok((track, made)) = assembled.await else {
        return false;
    };
    add_hint(&mut update.notes, hint);
    (update.track, update.overview) = (Some(track), Arc::clone(&made.overview));
    // An overview that is not stored is made again when it is needed.
    let _ = store
        .write(move |archive| archive.store_overviews(std::slice::from_ref(&made)))
        .await;
    true
}

/// The archived data of a deployment, as far as they are wanted.
#[derive(Default)]
enum Archived {
    /// Its overview, which is valid with these options.
    Overview(Arc<Overview>, Box<TrackOptions>),
    Records(Records),
    /// No fields that can be read: they are requested again.
    #[default]
    Nothing,
}

impl Archived {
    /// The overview with these options, if that is valid, else the records.
    fn read(archive: &Archive, uuid: Uuid, options: Option<TrackOptions>) -> Self {
        let overview = options.and_then(|options| {
            let read = archive.overviews(vec![(uuid, options)]).ok()?.pop()?;
            Some(Self::Overview(read.overview?, read.options))
        });
        overview.unwrap_or_else(|| {
            let stored = archive.stored_with_fields(uuid).ok().flatten();
            stored.map_or(Self::Nothing, |stored| Self::Records(stored.records))
        })
    }
}

/// Stores the confirmation that a deployment has not changed, and judges it; returns the update
/// made from the archive, `None` if the archive lost its data.
///
/// # Errors
/// [`crate::failure::FailureKind::Interrupted`] if the program is ending.
pub(crate) async fn confirm(
    store: &Store,
    request: &FetchRequest,
    mut answer: Answer,
    report: &mut Option<oneshot::Sender<Assembled>>,
) -> Result<Option<Update>, Failure> {
    let uuid = request.deployment.uuid;
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
        let mut found = archive.reading(|archive| Ok(Archived::read(archive, uuid, wanted)))?;
        if !matches!(found, Archived::Nothing) {
            archive.confirm(uuid, &confirmation)?;
        }
        if let Archived::Overview(_, options) = &mut found {
            let by_clock = options.clone().by_clock(confirmation.clock(), unix_now());
            **options = by_clock;
        }
        Ok(found)
    });
    let (found, unstored) = match written.await {
        Ok(found) => {
            store.response_stored(uuid).await;
            (found, None)
        }
        // Without it the archive shows an earlier time of fetch.
        Err(failure) => {
            let read = store.read(move |archive| Ok(Archived::read(archive, uuid, None)));
            (read.await.unwrap_or_default(), Some(failure))
        }
    };
    let mut update = match found {
        Archived::Nothing => return Ok(None),
        Archived::Overview(overview, options) => fetched(&answer, overview, options),
        Archived::Records(records) => {
            answer.records = Arc::new(records.with_asked_fields(answer.asked.as_ref()));
            let mut update = assembled(request, &answer, report.take()).await?;
            update.notes.extend(absent(answer.records.unsent.len()));
            update
        }
    };
    update.delta = Some(FetchDelta::default());
    match unstored {
        Some(failure) => hold(store, uuid, answer, &mut update, failure).await,
        None => {
            let at_hand = AtHand::default();
            let judged = judge(store, uuid, at_hand, unix_now());
            note_judged(&mut update, judged.await);
        }
    }
    Ok(Some(update))
}

/// Judges in memory a response that could not be stored, and says so in its update.
async fn hold(store: &Store, uuid: Uuid, answer: Answer, update: &mut Update, failure: Failure) {
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
fn note_judged(update: &mut Update, judged: Result<Vec<String>, Failure>) {
    match judged {
        Ok(unjudged) => update.notes.extend(unjudged),
        Err(fault) => {
            let fault = fault.context("alarms could not be judged");
            update.notes.push(fault.message());
            update.unjudged = Some(fault);
        }
    }
}

/// The notes on a response.
pub(super) fn about_answer(answer: &Answer) -> Vec<String> {
    let mut notes = Vec::new();
    if answer.status == 204 {
        notes.push("the service answered 204, no content: no fixes".to_owned());
    }
    if let Some(differ) = answer.clock().differs() {
        notes.push(format!("{differ}: ages are counted by the later of both"));
    }
    notes.extend(answer.notes.iter().cloned());
    if answer.others > 0 {
        let records = text::counted(answer.others, "record", "records");
        notes.push(format!("{records} of other deployments left out"));
    }
    let is_empty = answer.records.count() == 0 && answer.others == 0;
    if is_empty && answer.unmet.count > 0 {
        let records = text::counted(answer.unmet.count, "record", "records");
        let filter = text::excerpt(&answer.unmet.filter, 100);
        notes.push(format!(
            "{records}, none with {filter}: check `where` of the service"
        ));
    }
    notes.extend(of_several(&answer.records).map(|(field, values)| {
        let field = text::excerpt(field, 60);
        format!("all is taken as one track, though the {values} values of '{field}' take turns")
    }));
    add_hint(&mut notes, answer.records.hint());
    notes.extend(answer.records.fields.note());
    notes.extend(missing_fields(answer));
    notes
}

/// The failure of a response whose records all lack a usable time. Of a part of a track this
/// alone says so: a record with a time and without a position is a sign of life.
fn none_usable(records: &Records, track: &Track) -> Option<Failure> {
    let why = track.none_usable()?;
    let has_no_time = records.invalid_times.is_empty();
    has_no_time.then(|| Failure::new(FailureKind::NotUnderstood, why, ""))
}

/// Adds what records hint at, once.
fn add_hint(notes: &mut Vec<String>, hint: Option<String>) {
    notes.extend(hint.filter(|hint| !notes.contains(hint)));
}

/// The note on fields that are requested, and that no record has.
fn missing_fields(answer: &Answer) -> Option<String> {
    if answer.records.transmissions.is_empty() {
        return None;
    }
    let names = || answer.records.fields.columns().map(FieldColumn::name);
    let missing: Vec<Cow<'_, str>> = answer.asked.as_ref()?.without(names).map(label).collect();
    let of_nobody = text::excerpt(&missing.join(", "), 200);
    (!missing.is_empty()).then(|| {
        format!("no record has a field {of_nobody}, which the setting 'fields' or a limit names")
    })
}

/// The note on fields that the archive has no room for.
fn unkept(count: usize) -> Option<String> {
    let fields = text::counted(count, "field", "fields");
    (count > 0).then(|| {
        format!(
            "the archive holds {MOST_FIELDS} fields of this deployment and keeps no more: {fields} of this response not stored"
        )
    })
}

/// The note on fixes that a response no longer has.
fn absent(count: usize) -> Option<String> {
    let fixes = text::counted(count, "archived fix is", "archived fixes are");
    (count > 0).then(|| format!("{fixes} absent from this response; still shown"))
}
