//! Local changes that are taken back.

use crate::app::state::history::LocalChange;
use crate::failure::Failure;
use crate::ops::store::Store;

/// Takes a local change back; returns whether it was done. What was removed is
/// then as it is on the list again.
pub(super) async fn taken_back(store: &Store, change: &mut LocalChange) -> Result<bool, Failure> {
    match change.clone() {
        LocalChange::Said { alarm, .. } => store.undo_said(alarm.0, alarm.1).await,
        LocalChange::Edited { before, after } => {
            let uuid = after.uuid;
            let done = store.undo_change(*before, *after).await?;
            if done {
                store.judge_again(uuid).await?;
            }
            Ok(done)
        }
        LocalChange::Removed(removed) => {
            let restored = store.undo_removal(removed).await?;
            let done = restored.is_some();
            if let Some(entry) = restored {
                *change = LocalChange::Removed(entry);
            }
            Ok(done)
        }
        LocalChange::Overridden {
            deployment,
            time_stamp,
            position,
            before,
            after,
            ..
        } => {
            let fix = (time_stamp, position);
            store.undo_override(deployment, fix, (before, after)).await
        }
    }
}
