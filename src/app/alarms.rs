//! The current state of active alarms, by the archived data.

pub(crate) mod judge;
pub(crate) mod neighbours;
pub(crate) mod notify;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;

use super::fleet::last_answers;
use super::overviews;
use crate::alarm::{Alarm, FieldNow, Kind, Measured};
use crate::app::store::Store;
use crate::archive::Archive;
use crate::failure::Failure;
use crate::geo::Units;
use crate::os::clock::unix_now;
use crate::settings::Settings;
use crate::text;
use crate::track::{Health, State, time};
use crate::watch::Deployment;
use crate::watch::overview::{Overview, ReadOverview};

/// A program that collects asks within this time after a request is due, seconds.
const ASKED_WITHIN_S: f64 = 120.0;
/// Nobody does who has not asked for this long after a request was due, seconds: `collect --once`
/// may run hourly.
const NOBODY_ASKS_S: f64 = 2.0 * 3600.0;

/// The current state of an alarm.
#[derive(Debug, Default)]
pub(crate) struct Now {
    /// Its value; `None` where no more is known than at its start.
    pub current: Option<Measured>,
    /// Text to add to that of the alarm, if any: the last value of its field, or that its
    /// deployment is silent.
    pub more: Option<String>,
}

/// The current state of each alarm, in their order, with the watch list; the state at its start
/// if the fixes cannot be read.
pub(crate) async fn current(
    settings: &Settings,
    store: &Store,
    list: &[Deployment],
    alarms: &[Alarm],
) -> Vec<Now> {
    let now = unix_now();
    let active = alarms.iter().filter(|alarm| alarm.cleared_at.is_none());
    let asked: HashSet<Uuid> = active
        .filter(|alarm| alarm.kind != Kind::Unreachable)
        .filter_map(Alarm::uuid)
        .collect();
    let own = list.iter().filter(|entry| asked.contains(&entry.id.uuid));
    let entries: HashMap<_, _> = own.map(|entry| (entry.id.uuid, entry)).collect();
    let options = entries
        .values()
        .map(|entry| (entry.id.uuid, entry.options(now)));
    let read_so_far: Mutex<HashMap<Uuid, Arc<Overview>>> = Mutex::default();
    let take = |read: Vec<ReadOverview>| {
        let mut found = read_so_far.lock().unwrap_or_else(PoisonError::into_inner);
        let read = read.into_iter();
        found.extend(read.filter_map(|read| Some((read.uuid, read.overview?))));
    };
    let wanted: Vec<_> = options.collect();
    if !wanted.is_empty() {
        // Without them the alarms are listed with their state at the start.
        let _ = overviews::load(store, wanted, take).await;
    }
    let found = read_so_far
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let fields = fields_now(store, alarms, &entries).await;
    alarms
        .iter()
        .map(|alarm| {
            let uuid = alarm.uuid().unwrap_or_default();
            let overview = found.get(&uuid);
            let last = (overview.and_then(|overview| overview.latest))
                .map(|fix| (fix.time_stamp, fix.position));
            let entry = entries.get(&uuid).copied();
            let inside = entry.and_then(|entry| entry.limits.inside.as_ref());
            let current = alarm.current(last, inside, now);
            let more = match alarm.kind {
                _ if alarm.cleared_at.is_some() => None,
                Kind::Below | Kind::Above => {
                    let all = fields.get(&uuid).into_iter().flatten();
                    all.filter_map(|field| field.text(alarm)).next()
                }
                Kind::Outside if current.is_some() => overview
                    .zip(entry)
                    .and_then(|(overview, entry)| silent(overview, entry, now, settings.units)),
                Kind::Stationary => {
                    let newer = overview.and_then(|overview| overview.newer);
                    newer.and_then(|newer| newer.text(settings.units))
                }
                _ => None,
            };
            Now { current, more }
        })
        .collect()
}

/// The limits of the watched deployments that cannot be judged, so that an active alarm may
/// be missing. Each is a sentence with the name of its deployment.
///
/// # Errors
/// When the archive cannot be read.
pub(crate) async fn unjudged(store: &Store, list: &[Deployment]) -> Result<Vec<String>, Failure> {
    let found = store.read(|archive| archive.unjudged()).await?.into_iter();
    let named = found.filter_map(|(uuid, why)| {
        let entry = list.iter().find(|entry| entry.id.uuid == uuid)?;
        Some(format!("{}: {why}", text::excerpt(&entry.name(), 60)))
    });
    Ok(named.collect())
}

/// The warning that an alarm may be missing because nothing is stored of what was due: the archive
/// cannot be written, or nothing has asked for long.
pub(crate) async fn not_stored(
    settings: &Settings,
    store: &Store,
    list: &[Deployment],
) -> Option<String> {
    let now = unix_now();
    let answers = last_answers(store).await;
    let refresh_s = settings.refresh.as_secs_f64();
    let active = list
        .iter()
        .filter(|entry| entry.state.is_active() && !entry.window.has_ended(now));
    let of_active = active.filter_map(|entry| answers.get(&entry.id.uuid));
    let due = of_active
        .map(|answer| answer.next(refresh_s).at)
        .reduce(f64::min)?;
    let failures = store.read(|archive| archive.all_failures_at()).await.ok()?;
    let newest = answers
        .values()
        .map(|answer| answer.at)
        .chain(failures)
        .filter(|at| *at <= now)
        .reduce(f64::max)?;
    let late_s = now - due;
    if newest > due || late_s < ASKED_WITHIN_S.max(2.0 * refresh_s) {
        return None;
    }
    let why = match store.write(Archive::try_write).await {
        Err(failure) => failure.message(),
        Ok(()) if late_s > NOBODY_ASKS_S => "nothing was asked for since".to_owned(),
        Ok(()) => return None,
    };
    let since = time::rfc3339(newest.floor());
    Some(format!("what was raised after {since} is not known: {why}"))
}

/// The last values of the fields with a limit, of the deployments with an active alarm about
/// a field.
async fn fields_now(
    store: &Store,
    alarms: &[Alarm],
    entries: &HashMap<Uuid, &Deployment>,
) -> HashMap<Uuid, Vec<FieldNow>> {
    let active = alarms.iter().filter(|alarm| alarm.cleared_at.is_none());
    let of_field = active.filter(|alarm| matches!(alarm.kind, Kind::Below | Kind::Above));
    let asked: HashSet<Uuid> = of_field.filter_map(Alarm::uuid).collect();
    let mut fields = HashMap::new();
    for uuid in asked {
        if let Some(entry) = entries.get(&uuid) {
            let entry = Deployment::clone(entry);
            let read = store.read(move |archive| archive.fields_now(&entry, unix_now()));
            fields.extend(read.await.ok().map(|found| (uuid, found)));
        }
    }
    fields
}

/// The text for an overdue or lost deployment, whose position is not known, with the age of
/// its last fix. `None` if it reports, or is within its maximum age, and after the end of
/// its time window.
fn silent(overview: &Overview, entry: &Deployment, now: f64, units: Units) -> Option<String> {
    if entry.window.has_ended(now) {
        return None;
    }
    let last = overview.latest.map(|fix| fix.time_stamp);
    let health = Health::judge(last, overview.interval_s, now);
    let age = health.age_s?;
    let is_late = matches!(health.state, State::Overdue | State::Lost);
    let is_silent = entry.limits.max_age_s.map_or(is_late, |most| age > most);
    is_silent.then(|| {
        let state = match health.state {
            State::Lost => State::Lost,
            _ => State::Overdue,
        };
        let newer = overview
            .newer
            .and_then(|newer| newer.text(units))
            .map_or_else(String::new, |newer| format!(", {newer}"));
        let age = time::duration(age);
        format!("{}: last fix {age} old{newer}", state.word())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::track::records;
    use crate::track::{Platform, Track, TrackOptions};

    const NOW: f64 = 1.8e9;

    #[test]
    fn one_that_is_outside_is_said_to_be_lost_until_its_time_window_ends() {
        let of = |age: f64| {
            let fixes = (0..5).map(|n| (NOW - age - 3600.0 * f64::from(4 - n), 60.0, 5.0));
            let options = TrackOptions::new(Platform::Mooring, NOW);
            Arc::new(Overview::new(&Track::new(&records(fixes), &options)))
        };
        let mut entry = Deployment::new(Uuid::nil());
        let said = |age: f64, entry: &Deployment| silent(&of(age), entry, NOW, Units::Metric);
        assert_eq!(said(600.0, &entry), None);
        let overdue = said(4.0 * 3600.0, &entry);
        assert_eq!(overdue.as_deref(), Some("overdue: last fix 4 h old"));
        let lost = said(5.0 * 86_400.0, &entry);
        assert_eq!(lost.as_deref(), Some("lost: last fix 5 d old"));
        entry.window.until = Some(NOW);
        assert_eq!(said(5.0 * 86_400.0, &entry), lost);
        entry.window.until = Some(NOW - 1.0);
        assert_eq!(said(5.0 * 86_400.0, &entry), None);
    }
}
