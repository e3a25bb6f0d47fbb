//! The tracks of deployments that may be near a silent one and have reported since, as
//! the archive has them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use super::archived::{Fields, archived};
use super::overviews;
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::geo::geodesic;
use crate::ops::store::Store;
use crate::track::overview::LastFix;
use crate::track::{Deployment, Fix, Track};

/// Farther away than this, metres, no neighbour competes.
const FARTHEST_M: f64 = 200e3;
/// Two that drift part at most this fast, m/s; their latest fixes may be of different times.
const FASTEST_M_S: f64 = 4.0;

/// A deployment that may be near, with its track.
pub(crate) type Near = (Deployment, Arc<Track>);

/// The deployments of `others` that still report and may be within reach of `fix` by now, as far
/// as the archive knows; a deployment without an archived fix may be anywhere.
///
/// # Errors
/// When the archive cannot be read.
pub(crate) async fn worth_asking(
    store: &Store,
    others: Vec<Deployment>,
    fix: &Fix,
) -> Result<Vec<Deployment>, Failure> {
    let now = unix_now();
    in_reach(store, others, |latest| {
        let since_s = (now - latest.map_or(now, |latest| latest.time_stamp)).max(0.0);
        latest.is_none_or(|latest| is_within(fix, latest, since_s))
    })
    .await
}

/// `true` if a fix is so near that a neighbour may reach it in so many seconds.
fn is_within(fix: &Fix, latest: &LastFix, later_s: f64) -> bool {
    let distance_m = geodesic::length_m(fix.position, latest.position);
    distance_m <= FARTHEST_M + FASTEST_M_S * later_s
}

/// The deployments that still report and whose latest archived fix is as wanted.
async fn in_reach(
    store: &Store,
    others: Vec<Deployment>,
    is_wanted: impl Fn(Option<&LastFix>) -> bool + Send + Sync,
) -> Result<Vec<Deployment>, Failure> {
    let now = unix_now();
    let mut active = others;
    active.retain(|entry| entry.state.is_active());
    let options = active.iter().map(|entry| (entry.uuid, entry.options(now)));
    let reached = Mutex::new(active.iter().map(|entry| (entry.uuid, None)).collect());
    overviews::load(store, options.collect(), |read| {
        let mut reached: MutexGuard<'_, HashMap<Uuid, Option<LastFix>>> =
            reached.lock().unwrap_or_else(PoisonError::into_inner);
        reached.extend(read.iter().map(|read| {
            let latest = read.overview.as_ref().and_then(|overview| overview.latest);
            (read.uuid, latest)
        }));
    })
    .await?;
    let reached = reached.into_inner().unwrap_or_else(PoisonError::into_inner);
    active.retain(|entry| is_wanted(reached.get(&entry.uuid).and_then(Option::as_ref)));
    Ok(active)
}

/// The deployments of `others` that still report, may be within reach of `fix`, and have reported
/// since. A damaged track is left out: the damage is reported when the track is opened.
///
/// # Errors
/// When the archive cannot be read.
pub(crate) async fn near(
    store: &Store,
    others: Vec<Deployment>,
    fix: &Fix,
) -> Result<Vec<Near>, Failure> {
    let now = unix_now();
    let in_reach = in_reach(store, others, |latest| {
        latest.is_some_and(|latest| {
            let later_s = latest.time_stamp - fix.time_stamp;
            later_s > 0.0 && is_within(fix, latest, later_s)
        })
    });
    let mut near = Vec::new();
    for deployment in in_reach.await? {
        let options = deployment.options(now);
        let found = archived(store, deployment.uuid, options, Fields::Without).await;
        let track = found.ok().and_then(|found| found.track);
        near.extend(track.map(|got| (deployment, got.track)));
    }
    Ok(near)
}
