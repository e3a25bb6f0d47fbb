//! The tracks of deployments that may be near a silent one and have reported since, as
//! the archive has them.

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use crate::alarm::{self, Rule};
use crate::app::overviews;
use crate::app::store::Store;
use crate::app::update::prepare::{Fields, archived};
use crate::failure::Failure;
use crate::geo::geodesic;
use crate::os::blocking::blocking;
use crate::os::clock::unix_now;
use crate::track::{Fix, Track};
use crate::watch::Deployment;
use crate::watch::overview::LastFix;

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
    let options = active
        .iter()
        .map(|entry| (entry.id.uuid, entry.options(now)));
    let mut known: HashMap<Uuid, LastFix> = HashMap::new();
    overviews::load(store, options.collect(), |read| {
        known.extend(read.iter().filter_map(|read| {
            let latest = read.overview.as_ref()?.latest?;
            Some((read.uuid, latest))
        }));
    })
    .await?;
    active.retain(|entry| is_wanted(known.get(&entry.id.uuid)));
    Ok(active)
}

/// The deployments of `others` that still report, may be within reach of `fix`, and have reported
/// since, and drift freely as far as is known until a time, UNIX seconds. A damaged track is left
/// out: the damage is reported when the track is opened.
///
/// # Errors
/// When the archive cannot be read.
pub(crate) async fn near(
    store: &Store,
    others: Vec<Deployment>,
    fix: &Fix,
    known_until: f64,
) -> Result<Vec<Near>, Failure> {
    let now = unix_now();
    let since = fix.time_stamp;
    let in_reach = in_reach(store, others, |latest| {
        latest.is_some_and(|latest| {
            let later_s = latest.time_stamp - fix.time_stamp;
            later_s > 0.0 && is_within(fix, latest, later_s)
        })
    });
    let mut near = Vec::new();
    for deployment in in_reach.await? {
        let options = deployment.options(now);
        let found = archived(store, deployment.id.uuid, options, Fields::Without).await;
        let Some(got) = found.ok().and_then(|found| found.track) else {
            continue;
        };
        let judged = blocking(move || {
            let is_free = drifts_freely(&deployment, &got.track.as_known_at(known_until), since);
            is_free.then_some((deployment, got.track))
        });
        near.extend(judged.await?);
    }
    Ok(near)
}

/// `true` if by the rules of its alarms a deployment was neither aboard a ship nor at rest nor out
/// of its watch circle at any time since `since` (UNIX seconds): else it went where the water
/// around it did not. Its platform plays no part, nor what a user replied to an alarm.
fn drifts_freely(entry: &Deployment, track: &Track, since: f64) -> bool {
    let inside = entry.limits.inside.clone().map(Rule::Outside);
    let mut rules = [Rule::PickedUp, Rule::Stationary].into_iter().chain(inside);
    rules.all(|rule| alarm::episodes(&rule, track, since).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::Inside;
    use crate::testing::track::{Numbers, track};
    use crate::track::Platform;

    const START: f64 = 1_700_000_000.0;
    const HOUR: f64 = 3600.0;

    /// Hourly fixes: 200 of a drift to the north at 0.2 m/s, then so many that go on with
    /// another speed, and as many with the first one again.
    fn fixes(hours: usize, metres_a_second: f64) -> Vec<Numbers> {
        let mut latitude = 54.0;
        let speeds = std::iter::repeat_n(0.2, 200)
            .chain(std::iter::repeat_n(metres_a_second, hours))
            .chain(std::iter::repeat_n(0.2, hours));
        let fixes = (0u32..).zip(speeds).map(|(hour, speed)| {
            latitude += speed * HOUR / 111_200.0;
            (START + f64::from(hour) * HOUR, latitude, 8.0)
        });
        fixes.collect()
    }

    #[test]
    fn what_a_ship_or_the_ground_held_since_is_no_neighbour_whatever_its_platform() {
        let silent_since = START + 199.0 * HOUR;
        for platform in [Platform::Drifter, Platform::Generic, Platform::Float] {
            let entry = Deployment {
                platform,
                ..Deployment::new(Uuid::nil())
            };
            let is_free = |all: &[Numbers], since: f64| {
                let track = track(platform, START + 1e7, all.iter().copied());
                drifts_freely(&entry, &track, since)
            };
            for (hours, speed, freely) in [
                (60, 0.2, true),
                (12, 0.0, true),
                (60, 0.0, false),
                (60, 0.0002, false),
                (8, 2.9, false),
            ] {
                let all = fixes(hours, speed);
                let standing = all.get(..200 + hours).unwrap();
                assert_eq!(
                    is_free(standing, silent_since),
                    freely,
                    "{platform} {speed}"
                );
                // That it goes on since then brings back no way that is not known.
                assert_eq!(is_free(&all, silent_since), freely, "{platform} {speed}");
                // Before the other was silent it says nothing.
                let all = fixes(hours, speed);
                let since = all.last().unwrap().0 - HOUR;
                assert!(is_free(&all, since) || speed > 1.0, "{platform} {speed}");
            }
        }
    }

    #[test]
    fn what_is_out_of_its_watch_circle_is_no_neighbour() {
        let circle = |circle: &str| {
            let mut entry = Deployment::new(Uuid::nil());
            entry.limits.inside = circle.parse().ok().map(Inside::Circle);
            assert!(entry.limits.inside.is_some());
            let track = track(Platform::Generic, START + 1e7, fixes(10, 0.2));
            drifts_freely(&entry, &track, START + 100.0 * HOUR)
        };
        assert!(circle("54,8,500km") && !circle("54,8,5km"));
    }
}
