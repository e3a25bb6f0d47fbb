//! Changes by the user, stored one after the other, and the alarms that follow from
//! them.

use super::Services;
use crate::alarm::{Alarm, AlarmReply};
use crate::app::alarms::judge::{judge_archived, judge_by_clock, judge_unjudged};
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

impl Services {
    /// Stores or clears a flag of a fix.
    pub(super) fn store_flag(&self, deployment: Uuid, fix: Transmission, flag: Option<Flag>) {
        let store = self.store.clone();
        let set = async move { set_flag(&store, deployment, fix, flag).await };
        self.tasks.edit(set);
    }

    /// Stores an entry of the watch list, and judges by it.
    pub(super) fn watch(&self, before: Option<Deployment>, after: Deployment, listed: bool) {
        let store = self.store.clone();
        let send = self.tasks.sender();
        self.tasks.edit(async move {
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
        });
    }

    /// Takes a deployment off the watch list.
    pub(super) fn unwatch(&self, uuid: Uuid) {
        let store = self.store.clone();
        self.tasks.edit(async move {
            store.write(move |archive| archive.unwatch(uuid)).await?;
            store.alarms_may_differ();
            Ok(())
        });
    }

    /// Takes a local change back, unless something else has changed the same since.
    pub(super) fn undo(&self, change: Box<LocalChange>) {
        let store = self.store.clone();
        let send = self.tasks.sender();
        self.tasks.edit(async move {
            let outcome = taken_back(&store, (*change).clone()).await;
            send(Event::Undone { change, outcome });
            store.alarms_may_differ();
            Ok(())
        });
    }

    /// Judges what a program stored that ended before it judged it.
    pub(in crate::terminal) fn judge_unjudged(&self, list: Vec<Deployment>) {
        let store = self.store.clone();
        self.tasks.report(async move {
            // An archive that cannot be read or written is reported where its data are shown.
            let _ = judge_unjudged(&store, list).await;
            Ok(())
        });
    }

    /// Checks deployments for silence.
    pub(super) fn judge_by_clock(&self, list: Vec<Deployment>, refresh_s: f64) {
        let store = self.store.clone();
        self.tasks.report(async move {
            // If the archive cannot be written, the next write reports the fault.
            let _ = judge_by_clock(&store, list, refresh_s).await;
            Ok(())
        });
    }

    /// Acknowledges an alarm, or puts its reminders off.
    pub(super) fn reply_to_alarm(&self, id: String, reply: AlarmReply) {
        let store = self.store.clone();
        let send = self.tasks.sender();
        self.tasks.edit(async move {
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
        });
    }

    /// Reads the alarms.
    pub(super) fn load_alarms(&self) {
        let store = self.store.clone();
        let send = self.tasks.sender();
        self.tasks.edit(async move {
            read_alarms(&store, &send).await;
            Ok(())
        });
    }

    /// Writes a setting into the settings file.
    pub(super) fn write_setting(&self, new: NewSetting) {
        let file = self.settings_file.clone();
        let send = self.tasks.sender();
        self.tasks.edit(async move {
            send(written_setting(file, new).await);
            Ok(())
        });
    }
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
async fn set_flag(
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

/// Writes a setting into the settings file, if there is one; returns the event that says
/// so.
async fn written_setting(file: Option<SettingsFile>, new: NewSetting) -> Event {
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
    Event::SettingWritten { name, outcome }
}
