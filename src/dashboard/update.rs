//! An event in, effects out.

use super::Dashboard;
use super::deployments::list::Change;
use super::dialogs::{Dialog, Outcome};
use super::effect::Effect;
use super::event::Event;
use super::key::{Key, KeyCode};
use super::keymap::Action;
use super::tab::TabId;
use super::targets::Targets;
use crate::dashboard::shared::Screen;
use crate::failure::Failure;

/// Handles an event; returns the effects.
pub(crate) fn update(dashboard: &mut Dashboard, event: Event) -> Vec<Effect> {
    dashboard.handle(event);
    let shell = &mut dashboard.shell;
    for id in TabId::ALL {
        shell.tabs.get_mut(*id).follow(&mut shell.shared);
    }
    dashboard.dialogs_follow();
    dashboard.shell.shared.end_loading();
    dashboard.shell.shared.show_waiting();
    dashboard.ask_for_token_when_due();
    dashboard.shell.settle();
    dashboard.shell.shared.effects.take()
}

impl Dashboard {
    /// Sorts the rows that have changed since the last frame.
    pub(crate) fn before_frame(&mut self) {
        let shell = &mut self.shell;
        if shell.shared.deployments.change != Change::None {
            shell.arrange_deployments();
            shell.settle();
        }
    }

    /// A frame with everything up to here, and with these click targets, is on the screen.
    pub(crate) fn frame_shown(&mut self, targets: Targets) {
        self.shell.targets = targets;
        self.dialogs.iter_mut().for_each(|dialog| dialog.shown());
    }

    fn handle(&mut self, event: Event) {
        let shell = &mut self.shell;
        for id in TabId::ALL {
            shell.tabs.get_mut(*id).event(&event, &shell.shared);
        }
        match event {
            Event::Started => shell.shared.started(),
            Event::Now(now) => shell.shared.time_passes(now),
            Event::Key(key) => {
                shell.shared.service.token.key_pressed(shell.shared.now);
                self.key(key)
            }
            Event::Paste(text) => {
                shell.shared.service.token.key_pressed(shell.shared.now);
                self.paste(&text)
            }
            Event::Mouse(mouse) => self.mouse(mouse),
            Event::Resized {
                width,
                height,
                cell_aspect,
            } => {
                let screen = &mut shell.shared.screen;
                (screen.width, screen.height) = (width, height);
                screen.cell_aspect = cell_aspect;
            }
            Event::Progress { request, progress } => shell.shared.progressed(request, progress),
            Event::Fetch(fetch, news) => shell.shared.fetch_news(fetch, news),
            Event::Overviews(read) => shell.shared.overviews_arrived(read),
            Event::ArchiveWritten => shell.shared.look_for_changes(),
            Event::Received(received) => shell.shared.received_by_any(&received),
            Event::Stored {
                deployment,
                overrides,
                loaded,
            } => {
                let is_none = loaded.is_none();
                shell.shared.stored_arrived(deployment, overrides, loaded);
                if is_none {
                    let why = "the archive has no track to export";
                    self.not_read(Some(deployment), &Failure::other(why));
                }
            }
            Event::Archived {
                edits,
                watched,
                overrides,
                ..
            } => shell.shared.changed_by_another(edits, watched, &overrides),
            Event::Alarms(alarms) => shell.shared.alarms_read(alarms),
            Event::Unjudged(unjudged) => shell.shared.unjudged_read(unjudged),
            Event::AlarmReplied {
                reply,
                outcome,
                held,
            } => shell.shared.alarm_replied(reply, outcome, held),
            Event::Computed(request, computed) => shell.computed(request, computed),
            Event::FieldsRead { track, outcome } => {
                shell
                    .tabs
                    .track
                    .fields_read(&mut shell.shared, &track, outcome);
                // A name of a field may be understood from now on.
                shell.rewrite_rows();
            }
            Event::Listed { request, outcome } => self.list_read(request, outcome),
            Event::Plant { request, outcome } => self.plant_ended(request, outcome),
            Event::PlantsRead(request, ids) => self.plants_read(request, ids),
            Event::Overlays(overlays) => shell.shared.map.overlays = overlays,
            Event::FileChanged(uuid) => shell.shared.file_changed(uuid),
            Event::Past { at, overviews } => shell.shared.past_read(at, overviews),
            Event::LastValues(all) => shell.last_values_read(all),
            Event::OwnShip(ship) => shell.shared.map.sought.ship_reported(ship),
            Event::Whereabouts {
                deployment,
                outcome,
            } => shell
                .shared
                .whereabouts_known(deployment, outcome.map(|found| *found)),
            Event::PlantLog(_) => self.plants_logged(),
            // News for tabs alone.
            Event::Exchange(_) => {}
            Event::Token {
                request,
                outcome,
                answered,
            } => self.token_tested(request, outcome, answered),
            Event::SettingWritten { name, outcome } => shell.setting_written(&name, outcome),
            Event::NotStored { before, after } => shell.shared.not_stored(&before, &after),
            Event::Undone { change, outcome } => shell.undone(*change, outcome),
            Event::Exported { request, outcome } => self.exported(request, outcome),
            Event::Warning(failure) => {
                // It may be about reading values of fields.
                shell.shared.deployments.is_reading_values = false;
                shell.shared.warn(shell.shared.failure_text(&failure));
                self.not_read(None, &failure);
            }
            Event::ArchiveLost(words) => shell.shared.archive_lost(words),
        }
    }

    /// Dialogs follow the shell.
    fn dialogs_follow(&mut self) {
        if self.dialogs.iter().any(|dialog| dialog.is_beside_map()) {
            self.shell.shared.look_again();
        } else {
            self.shell.close_picture();
        }
        for dialog in &mut self.dialogs {
            dialog.follow(&self.shell);
        }
    }

    pub(super) fn key(&mut self, key: Key) {
        if key == Key::ctrl('c') && !matches!(self.dialogs.last(), Some(Dialog::Quit(_))) {
            return self.act(Action::Quit);
        }
        if key == Key::ctrl('z') {
            return self.shell.shared.send(Effect::Suspend);
        }
        if !self.dialogs.is_empty() {
            self.shell.shared.end_message();
            return self.key_to_dialog(key);
        }
        let shell = &mut self.shell;
        if shell.shared.screen.search.is_some()
            && let Some(action) = shell.shared.screen.keymap.search_action(key)
        {
            shell.shared.end_message();
            return self.act(action);
        }
        let Screen { keymap, tab, .. } = &shell.shared.screen;
        let Some(action) = keymap.action(key, *tab) else {
            let why = keymap.no_action(key, *tab);
            shell.shared.notify(why);
            return;
        };
        // Esc itself takes a message away.
        if action != Action::Dismiss {
            shell.shared.end_message();
        }
        self.act(action)
    }

    /// Gives a key to the dialog on top.
    fn key_to_dialog(&mut self, key: Key) {
        let Some(mut dialog) = self.dialogs.pop() else {
            return;
        };
        if key.code == KeyCode::Esc {
            return dialog.dismissed(&mut self.shell);
        }
        // On a screen too small for the dialog the user does not see what a key would
        // confirm.
        if self.shell.shared.screen.width > 0 && self.shell.layout().too_small {
            self.dialogs.push(dialog);
            return;
        }
        match dialog.key(key, &mut self.shell) {
            Outcome::Stay => self.dialogs.push(dialog),
            Outcome::Close => {}
            Outcome::Open(next) => self.dialogs.extend([dialog, *next]),
            Outcome::Replace(next) => self.dialogs.push(*next),
            Outcome::Run(command) => self.run(command),
        }
    }

    /// Gives pasted text to the dialog on top.
    fn paste(&mut self, text: &str) {
        if let Some(dialog) = self.dialogs.last_mut() {
            dialog.paste(text, &mut self.shell);
        }
    }
}
