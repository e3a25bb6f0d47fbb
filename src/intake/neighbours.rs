//! The tracks of deployments that may be near a silent one and have reported since, as
//! the archive has them.

use std::sync::{Arc, Mutex, PoisonError};

use super::archived::{Fields, archived};
use super::overviews;
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::geo::geodesic;
use crate::ops::store::Store;
use crate::track::{Deployment, Fix, Track};

/// Farther away than this, metres, no neighbour competes.
const FARTHEST_M: f64 = 200e3;
/// Two that drift part at most this fast, m/s; their latest fixes may be of different times.
const FASTEST_M_S: f64 = 4.0;

/// A deployment that may be near, with its track.
pub(crate) type Near = (Deployment, Arc<Track>);

/// The deployments of `others` that report still, may be within reach of `fix`, and have reported
/// since. One whose archived track is damaged is left out: it is told of when it is opened.
///
/// # Errors
/// When the archive cannot be read.
pub(crate) async fn near(
    store: &Store,
    others: Vec<Deployment>,
    fix: &Fix,
) -> Result<Vec<Near>, Failure> {
    let now = unix_now();
    let active = others.into_iter().filter(|one| one.state.is_active());
    let active: Vec<Deployment> = active.collect();
    let wanted = active.iter().map(|one| (one.uuid, one.options(now)));
    let in_reach = Mutex::new(Vec::new());
    overviews::load(store, wanted.collect(), |read| {
        let may_be_near = read.iter().filter(|one| {
            let latest = one.overview.as_ref().and_then(|overview| overview.latest);
            latest.is_some_and(|latest| {
                let later_s = latest.time_stamp - fix.time_stamp;
                let distance_m = geodesic::length_m(fix.position, latest.position);
                later_s > 0.0 && distance_m <= FARTHEST_M + FASTEST_M_S * later_s
            })
        });
        let mut in_reach = in_reach.lock().unwrap_or_else(PoisonError::into_inner);
        in_reach.extend(may_be_near.map(|one| one.uuid));
    })
    .await?;
    let in_reach = in_reach
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let mut near = Vec::new();
    for deployment in active {
        if in_reach.contains(&deployment.uuid) {
            let options = deployment.options(now);
            let found = archived(store, deployment.uuid, options, Fields::Without).await;
            let track = found.ok().and_then(|found| found.track);
            near.extend(track.map(|got| (deployment, got.track)));
        }
    }
    Ok(near)
}
