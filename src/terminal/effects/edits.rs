//! Changes by the user, stored one after the other, and the alarms that follow from
//! them.

use crate::alarm::{Alarm, AlarmReply};
use crate::app::alarms::judge::judge_archived;
use crate::app::settings_file::SettingsFile;
use crate::app::store::Store;
use crate::dashboard::event::Event;
use crate::dashboard::history::LocalChange;
use crate::failure::{Failure, FailureKind};
use crate::os::clock::unix_now;
use crate::settings::NewSetting;
use crate::terminal::alarms::read_alarms;
use crate::track::{Flag, Transmission};
use crate::watch::Deployment;
use uuid::Uuid;

/// Stores an entry of the watch list, and judges by it.
pub(super) async fn watch(
    store: Store,
    send: impl Fn(Event),
    before: Option<Deployment>,
    after: Deployment,
    listed: bool,
) -> Result<(), Failure> {
    let done = store.change(before.clone(), after.clone(), listed).await;
    if done.is_err() {
        store.remember_entry(after.clone());
    }
    match (done?, before) {
        (true, _) => judge_archived(&store, after.id.uuid).await?,
        (false, Some(before)) => {
            let before = Box::new(before);
            let after = Box::new(after);
            send(Event::NotStored { before, after });
        }
        (false, None) => {}
    }
    Ok(())
}

/// Takes a deployment off the watch list.
pub(super) async fn unwatch(store: Store, uuid: Uuid) -> Result<(), Failure> {
    store.write(move |archive| archive.unwatch(uuid)).await?;
    store.alarms_may_differ();
    Ok(())
}

/// Takes a local change back, unless something else has changed the same since.
pub(super) async fn undo(
    store: Store,
    send: impl Fn(Event),
    change: Box<LocalChange>,
) -> Result<(), Failure> {
    let outcome = taken_back(&store, (*change).clone()).await;
    send(Event::Undone { change, outcome });
    store.alarms_may_differ();
    Ok(())
}

/// Acknowledges an alarm, or puts its reminders off.
pub(super) async fn reply_to_alarm(
    store: Store,
    send: impl Fn(Event) + Sync,
    id: String,
    reply: AlarmReply,
) -> Result<(), Failure> {
    let held = store.is_unstored(&id).await;
    let now = unix_now();
    let replied = store.reply(id, reply, now).await;
    let with_after = |before: Alarm| {
        let after = before.replied(reply, now);
        Box::new((before, after))
    };
    let outcome = replied.map(|mut all| all.pop().map(with_after));
    send(Event::AlarmReplied {
        reply,
        outcome,
        held,
    });
    read_alarms(&store, &send).await;
    Ok(())
}

/// Takes a local change back, by the opposite change; returns whether it was done.
async fn taken_back(store: &Store, change: LocalChange) -> Result<bool, Failure> {
    match change {
        LocalChange::Replied { alarm, .. } => store.undo_reply(alarm.0, alarm.1).await,
        LocalChange::Edited { before, after } => changed(store, Some(*after), *before).await,
        LocalChange::Removed(removed) => changed(store, None, removed).await,
        LocalChange::Overridden {
            deployment,
            fix,
            before,
            ..
        } => {
            let set = set_flag(store, deployment, fix, before);
            set.await.map(|()| true)
        }
    }
}

/// Stores or clears the flag of a fix, and judges by it.
pub(super) async fn set_flag(
    store: &Store,
    deployment: Uuid,
    fix: Transmission,
    flag: Option<Flag>,
) -> Result<(), Failure> {
    let set = store.write(move |archive| archive.set_override(deployment, fix, flag, unix_now()));
    set.await?;
    judge_archived(store, deployment).await
}

/// Changes an entry that is as it was `before`, or puts a deployment on the list, and
/// judges its alarms; returns whether it was done.
async fn changed(
    store: &Store,
    before: Option<Deployment>,
    after: Deployment,
) -> Result<bool, Failure> {
    let uuid = after.id.uuid;
    let listed = before.is_some();
    let done = store.change(before, after, listed).await?;
    if done {
        judge_archived(store, uuid).await?;
    }
    Ok(done)
}

/// Writes a setting into the settings file, if there is one.
pub(super) async fn write_setting(
    file: Option<SettingsFile>,
    send: impl Fn(Event),
    new: NewSetting,
) -> Result<(), Failure> {
    let of_table = new.table.map(|table| format!("{table} {}", new.name));
    let name = of_table.unwrap_or_else(|| new.name.clone());
    let written = match file {
        Some(file) => file.write(new).await,
        None => Err(Failure::new(
            FailureKind::Other,
            "there is no settings file: HOME is unset, empty or relative",
            "The setting stays for this session.",
        )),
    };
    let outcome = written.map(Box::new);
    send(Event::SettingWritten { name, outcome });
    Ok(())
}
