//! An event in, effects out.

use super::Dashboard;
use super::dialogs::{Dialog, Outcome};
use super::effect::Effect;
use super::event::Event;
use super::key::{Key, KeyCode};
use super::keymap::Action;

/// Handles an event; returns the effects.
pub(crate) fn update(dashboard: &mut Dashboard, event: Event) -> Vec<Effect> {
    let mut effects = dashboard.handle(event);
    effects.extend(dashboard.model.read_fields());
    dashboard.open_what_waited();
    dashboard.model.end_loading();
    dashboard.model.show_waiting();
    dashboard.ask_for_token_when_due();
    effects
}

impl Dashboard {
    fn handle(&mut self, event: Event) -> Vec<Effect> {
        let model = &mut self.model;
        match event {
            Event::Started => model.started(),
            Event::Now(now) => model.time_passes(now),
            Event::Key(key) => {
                model.token.key_pressed(model.now);
                model.deployments.to_export = None;
                self.key(key)
            }
            Event::Paste(text) => {
                model.token.key_pressed(model.now);
                model.deployments.to_export = None;
                self.paste(&text)
            }
            Event::Mouse(mouse) => self.mouse(mouse),
            Event::Resized {
                width,
                height,
                cell_aspect,
            } => {
                (model.width, model.height) = (width, height);
                model.cell_aspect = cell_aspect;
                model.settle();
                Vec::new()
            }
            Event::BeforeFrame => {
                if model.deployments.is_unsorted {
                    model.deployments.arrange(model.now);
                    model.settle();
                }
                Vec::new()
            }
            Event::Drawn(targets) => {
                model.targets = targets;
                Vec::new()
            }
            Event::Shown(at) => {
                model.shown = true;
                self.dialogs.iter_mut().for_each(|dialog| dialog.shown(at));
                Vec::new()
            }
            Event::Progress { request, progress } => model.progressed(request, progress),
            Event::Preview {
                request,
                deployment,
                loaded,
            } => model.preview_arrived(request, deployment, loaded),
            Event::Updated {
                request,
                deployment,
                outcome,
                track,
            } => model.updated(request, deployment, outcome, track),
            Event::Overviews(read) => model.overviews_arrived(read),
            Event::ArchiveWritten => vec![model.look_for_changes()],
            Event::NotDue {
                request,
                deployment,
                wait_s,
            } => model.not_due(request, deployment, wait_s),
            Event::Received(received) => model.received_by_any(&received),
            Event::Stored {
                deployment,
                overrides,
                loaded,
            } => model.stored_arrived(deployment, overrides, loaded),
            Event::Archived {
                edits,
                watched,
                overrides,
                ledger,
            } => {
                model.deployments.unread = None;
                model.changed_by_another(edits, watched, &overrides, ledger)
            }
            Event::Alarms(alarms) => {
                let effects = model.alarms_read(alarms);
                for dialog in &mut self.dialogs {
                    if let Dialog::Alarms(list) = dialog {
                        list.follow(model);
                    }
                }
                effects
            }
            Event::AlarmSaid {
                said,
                outcome,
                held,
            } => model.alarm_said(said, outcome, held),
            Event::Reassembled {
                deployment,
                from,
                loaded,
            } => model.reassembled(deployment, &from, loaded),
            Event::Detailed { deployment, track } => model.detailed(deployment, track),
            Event::Arranged {
                track,
                arrangement,
                rows,
            } => model.arranged(&track, &arrangement, rows),
            Event::FieldsRead { track, outcome } => {
                let effects = model.fields_read(&track, outcome);
                for dialog in &mut self.dialogs {
                    if let Dialog::Fields(list) = dialog {
                        list.take_fields(model);
                    }
                }
                effects
            }
            Event::Found {
                track,
                order,
                text,
                rows,
            } => {
                model.found(&track, order.as_ref(), &text, rows);
                Vec::new()
            }
            Event::TimeRangeCut {
                deployment,
                whole,
                range,
                part,
            } => model.time_range_cut(deployment, &whole, range, part),
            Event::Plant { request, outcome } => self.plant_ended(request, outcome),
            Event::Ledger(entries) => {
                model.plants.take_ledger(entries);
                model.settle();
                Vec::new()
            }
            Event::Exchange(exchange) => {
                model.exchange_reported(exchange);
                Vec::new()
            }
            Event::Token {
                request,
                outcome,
                answered,
            } => self.token_tested(request, outcome, answered),
            Event::SettingWritten { name, outcome } => model.setting_written(&name, outcome),
            Event::NotStored { before, after } => model.not_stored(&before, &after),
            Event::Undone { change, outcome } => model.undone(*change, outcome),
            Event::Exported { request, outcome } => {
                self.exported(request, outcome);
                Vec::new()
            }
            Event::Warning(failure) => {
                // It may say that the track could not be read.
                model.deployments.to_export = None;
                model.warn(failure.to_string());
                Vec::new()
            }
            Event::LastingWarning(words) => {
                model.warn_until_esc(words);
                Vec::new()
            }
            Event::Resumed(now) => model.resumed(now),
        }
    }

    pub(super) fn key(&mut self, key: Key) -> Vec<Effect> {
        if key == Key::ctrl('c') && !matches!(self.dialogs.last(), Some(Dialog::Quit(_))) {
            return self.act(Action::Quit);
        }
        if key == Key::ctrl('z') {
            return vec![Effect::Suspend];
        }
        if !self.dialogs.is_empty() {
            self.model.end_message();
            return self.key_to_dialog(key);
        }
        let model = &mut self.model;
        if model.search.is_some()
            && let Some(action) = model.keymap.search_action(key)
        {
            model.end_message();
            return self.act(action);
        }
        let Some(action) = model.keymap.action(key, model.tab) else {
            model.notify(model.keymap.no_action(key, model.tab));
            return Vec::new();
        };
        // Esc itself takes a message away.
        if action != Action::Dismiss {
            model.end_message();
        }
        self.act(action)
    }

    /// Gives a key to the dialog on top.
    fn key_to_dialog(&mut self, key: Key) -> Vec<Effect> {
        let Some(mut dialog) = self.dialogs.pop() else {
            return Vec::new();
        };
        if key.code == KeyCode::Esc {
            return dialog.dismissed(&mut self.model);
        }
        // On a screen too small for it nobody sees what a key would confirm.
        if self.model.width > 0 && self.model.layout().too_small {
            self.dialogs.push(dialog);
            return Vec::new();
        }
        match dialog.key(key, &mut self.model) {
            Outcome::Stay(effects) => {
                self.dialogs.push(dialog);
                effects
            }
            Outcome::Close(effects) => effects,
            Outcome::Open(next) => {
                self.dialogs.extend([dialog, *next]);
                Vec::new()
            }
            Outcome::Replace(next) => {
                self.dialogs.push(*next);
                Vec::new()
            }
            Outcome::Run(command) => self.run(command),
        }
    }

    /// Gives pasted text to the dialog on top.
    fn paste(&mut self, text: &str) -> Vec<Effect> {
        match self.dialogs.last_mut() {
            Some(dialog) => dialog.paste(text, &mut self.model),
            None => Vec::new(),
        }
    }
}
