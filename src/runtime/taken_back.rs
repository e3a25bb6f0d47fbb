//! Local changes that are taken back.

use crate::app::state::history::LocalChange;
use crate::failure::Failure;
use crate::intake::judge::judge_archived;
use crate::ops::store::Store;
use crate::track::Deployment;

/// Takes a local change back, by the opposite change; returns whether it was done.
pub(super) async fn taken_back(store: &Store, change: LocalChange) -> Result<bool, Failure> {
    match change {
        LocalChange::Said { alarm, .. } => store.undo_said(alarm.0, alarm.1).await,
        LocalChange::Edited { before, after } => changed(store, Some(*after), *before).await,
        LocalChange::Removed(removed) => changed(store, None, removed).await,
        LocalChange::Overridden {
            deployment,
            time_stamp,
            position,
            before,
            ..
        } => {
            let set = store.set_override(deployment, time_stamp, position, before);
            set.await.map(|()| true)
        }
    }
}

/// Changes an entry that is as it was `before`, or puts a deployment on the list, and
/// judges its alarms; returns whether it was done.
async fn changed(
    store: &Store,
    before: Option<Deployment>,
    after: Deployment,
) -> Result<bool, Failure> {
    let (uuid, listed) = (after.uuid, before.is_some());
    let done = store.change(before, after, listed).await?;
    if done {
        judge_archived(store, uuid).await?;
    }
    Ok(done)
}
