//! What is true now of the alarms that stand, by what the archive has.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use uuid::Uuid;

use super::overviews;
use super::store::Store;
use super::watch_list;
use crate::alarm::{Alarm, Current, Kind};
use crate::clock::unix_now;
use crate::settings::Settings;
use crate::track::Deployment;
use crate::track::overview::ReadOverview;

/// What is true now of each alarm, in their order; `None` where no more is known than
/// at its start, and where the watch list or the fixes cannot be read.
pub(crate) async fn current(
    settings: &Settings,
    store: &Store,
    alarms: &[Alarm],
) -> Vec<Option<Current>> {
    let now = unix_now();
    let standing = alarms.iter().filter(|one| one.cleared_at.is_none());
    let of_place = standing.filter(|one| one.kind == Kind::Outside);
    let asked: HashSet<Uuid> = of_place.filter_map(|one| one.deployment).collect();
    let mut entries = HashMap::new();
    if !asked.is_empty() {
        let list = watch_list::watched(settings, store).await;
        let list = list.unwrap_or_default().into_iter();
        let own = list.filter(|one| asked.contains(&one.uuid));
        entries = own.map(|one| (one.uuid, one)).collect();
    }
    let wanted = entries.values();
    let wanted = wanted.map(|one: &Deployment| (one.uuid, one.options(now)));
    let found = Mutex::new(HashMap::new());
    let take = |read: Vec<ReadOverview>| {
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        for one in read {
            found.insert(one.uuid, one.overview.and_then(|overview| overview.latest));
        }
    };
    let wanted: Vec<_> = wanted.collect();
    if !wanted.is_empty() {
        // Without them the alarms are listed as they began.
        let _ = overviews::load(store, wanted, take).await;
    }
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    alarms
        .iter()
        .map(|one| {
            let uuid = one.deployment.unwrap_or_default();
            let last = found.get(&uuid).copied().flatten();
            let inside = entries.get(&uuid);
            let inside = inside.and_then(|entry| entry.limits.inside.as_ref());
            one.current(last.map(|fix| (fix.time_stamp, fix.position)), inside, now)
        })
        .collect()
}
