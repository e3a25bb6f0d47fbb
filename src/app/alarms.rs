//! Alarms: judged and notified, and what may be missing among those that are raised.

pub(crate) mod judge;
pub(crate) mod neighbours;
pub(crate) mod notify;

use super::fleet::last_answers;
use crate::app::store::Store;
use crate::archive::Archive;
use crate::failure::Failure;
use crate::os::clock::unix_now;
use crate::settings::Settings;
use crate::text;
use crate::track::time;
use crate::watch::Deployment;

/// A program that collects asks within this time after a request is due, seconds.
const ASKED_WITHIN_S: f64 = 120.0;
/// Nobody does who has not asked for this long after a request was due, seconds: `collect --once`
/// may run hourly.
const NOBODY_ASKS_S: f64 = 2.0 * 3600.0;

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
