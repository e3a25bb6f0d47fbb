//! An event in, effects out.

use super::Dashboard;
use super::dialogs::{Dialog, Outcome};
use super::effect::Effect;
use super::event::Event;
use super::key::{Key, KeyCode};
use super::keymap::Action;
use super::tabs::News;
use super::targets::Targets;
use crate::dashboard::shared::Shared;
use crate::failure::{Failure, FailureKind};

/// Handles an event; returns the effects.
pub(crate) fn update(dashboard: &mut Dashboard, event: Event) -> Vec<Effect> {
    dashboard.handle(event);
    let model = &mut dashboard.model;
    model.track.follow(&mut model.shared);
    dashboard.model.read_selected_values();
    dashboard.dialogs_follow();
    dashboard.model.shared.end_loading();
    dashboard.model.shared.show_waiting();
    dashboard.ask_for_token_when_due();
    dashboard.model.settle();
    dashboard.model.shared.effects.take()
}

impl Dashboard {
    /// Sorts the rows that have changed since the last frame.
    pub(crate) fn before_frame(&mut self) {
        let model = &mut self.model;
        if model.shared.deployments.is_unsorted {
            model.shared.deployments.arrange(model.shared.now);
            model.settle();
        }
    }

    /// A frame with everything up to here, and with these click targets, is on the
    /// screen since this time, UNIX seconds.
    pub(crate) fn frame_shown(&mut self, targets: Targets, at: f64) {
        self.model.targets = targets;
        self.dialogs.iter_mut().for_each(|dialog| dialog.shown(at));
    }

    fn handle(&mut self, event: Event) {
        let model = &mut self.model;
        match event {
            Event::Started => model.shared.started(),
            Event::Now(now) => model.shared.time_passes(now),
            Event::Key(key) => {
                model.shared.token.key_pressed(model.shared.now);
                self.key(key)
            }
            Event::Paste(text) => {
                model.shared.token.key_pressed(model.shared.now);
                self.paste(&text)
            }
            Event::Mouse(mouse) => self.mouse(mouse),
            Event::Resized {
                width,
                height,
                cell_aspect,
            } => {
                (
                    model.shared.width,
                    model.shared.height,
                    model.shared.cell_aspect,
                ) = (width, height, cell_aspect)
            }
            Event::Progress { request, progress } => {
                model.tell_tabs(&News::Progress(progress));
                model.shared.progressed(request, progress);
            }
            Event::Fetch(fetch, news) => model.shared.fetch_news(fetch, news),
            Event::Overviews(read) => model.shared.overviews_arrived(read),
            Event::ArchiveWritten => model.shared.look_for_changes(),
            Event::Received(received) => model.shared.received_by_any(&received),
            Event::Stored {
                deployment,
                overrides,
                loaded,
            } => {
                let is_none = loaded.is_none();
                model.shared.stored_arrived(deployment, overrides, loaded);
                if is_none {
                    let why = "the archive has no track to export";
                    self.not_read(Some(deployment), &Failure::new(FailureKind::Other, why, ""));
                }
            }
            Event::Archived {
                edits,
                watched,
                overrides,
                plant_log,
            } => {
                model.tell_tabs(&News::PlantLog(plant_log));
                model.shared.changed_by_another(edits, watched, &overrides);
            }
            Event::Alarms(alarms) => model.shared.alarms_read(alarms),
            Event::Unjudged(unjudged) => model.shared.unjudged_read(unjudged),
            Event::AlarmReplied {
                reply,
                outcome,
                held,
            } => model.shared.alarm_replied(reply, outcome, held),
            Event::Computed(request, computed) => model.computed(request, computed),
            Event::FieldsRead { track, outcome } => {
                model.track.fields_read(&mut model.shared, &track, outcome);
                // A name of a field may be understood from now on.
                model.rewrite_rows();
            }
            Event::Listed { request, outcome } => self.list_read(request, outcome),
            Event::Plant { request, outcome } => self.plant_ended(request, outcome),
            Event::PlantsRead(request) => self.close_waiting(request),
            Event::Overlays(overlays) => model.shared.overlays = overlays,
            Event::FileChanged(uuid) => model.shared.file_changed(uuid),
            Event::Past { at, overviews } => model.shared.past_read(at, overviews),
            Event::LastValues(all) => model.last_values_read(all),
            Event::OwnShip(ship) => model.shared.sought.ship_reported(ship),
            Event::Whereabouts {
                deployment,
                outcome,
            } => model
                .shared
                .whereabouts_known(deployment, outcome.map(|found| *found)),
            Event::PlantLog(entries) => model.tell_tabs(&News::PlantLog(entries)),
            Event::Exchange(exchange) => model.exchange_reported(exchange),
            Event::Token {
                request,
                outcome,
                answered,
            } => self.token_tested(request, outcome, answered),
            Event::SettingWritten { name, outcome } => model.setting_written(&name, outcome),
            Event::NotStored { before, after } => model.shared.not_stored(&before, &after),
            Event::Undone { change, outcome } => model.shared.undone(*change, outcome),
            Event::Exported { request, outcome } => self.exported(request, outcome),
            Event::Warning(failure) => {
                model.shared.warned(&failure);
                self.not_read(None, &failure);
            }
            Event::ArchiveLost(words) => model.shared.archive_lost(words),
        }
    }

    /// Dialogs follow the model.
    fn dialogs_follow(&mut self) {
        for dialog in &mut self.dialogs {
            dialog.follow(&self.model);
        }
    }

    pub(super) fn key(&mut self, key: Key) {
        if key == Key::ctrl('c') && !matches!(self.dialogs.last(), Some(Dialog::Quit(_))) {
            return self.act(Action::Quit);
        }
        if key == Key::ctrl('z') {
            return self.model.shared.send(Effect::Suspend);
        }
        if !self.dialogs.is_empty() {
            self.model.shared.end_message();
            return self.key_to_dialog(key);
        }
        let model = &mut self.model;
        if model.shared.search.is_some()
            && let Some(action) = model.shared.keymap.search_action(key)
        {
            model.shared.end_message();
            return self.act(action);
        }
        let Some(action) = model.shared.keymap.action(key, model.shared.tab) else {
            model
                .shared
                .notify(model.shared.keymap.no_action(key, model.shared.tab));
            return;
        };
        // Esc itself takes a message away.
        if action != Action::Dismiss {
            model.shared.end_message();
        }
        self.act(action)
    }

    /// Gives a key to the dialog on top.
    fn key_to_dialog(&mut self, key: Key) {
        let Some(mut dialog) = self.dialogs.pop() else {
            return;
        };
        if key.code == KeyCode::Esc {
            return dialog.dismissed(&mut self.model);
        }
        // On a screen too small for the dialog the user does not see what a key would
        // confirm.
        if self.model.shared.width > 0 && self.model.layout().too_small {
            self.dialogs.push(dialog);
            return;
        }
        match dialog.key(key, &mut self.model) {
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
            dialog.paste(text, &mut self.model);
        }
    }
}

impl Shared {
    fn warned(&mut self, failure: &Failure) {
        // The warning may be about reading values of fields.
        self.deployments.is_reading_values = false;
        self.warn(self.said_of(failure));
    }
}
