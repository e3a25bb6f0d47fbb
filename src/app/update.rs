//! One event in, effects out. Only this module and its children change the
//! Model.

mod actions;
mod alarms;
mod archived;
mod copy;
mod deployments;
mod dialogs;
mod export;
mod fetching;
mod fields;
mod map;
mod messages;
mod mouse;
mod plants;
mod replies;
mod rows;
mod search;
mod service;
mod settings;
mod time_range;
mod token;
mod track;
mod undo;

use uuid::Uuid;

use super::effect::Effect;
use super::event::{Event, RequestId};
use super::key::Key;
use super::keymap::Action;
use super::state::Model;
use super::state::dialog::Dialog;
use super::state::tab::Tab;
use crate::exchange::{Exchange, Progress};

/// Maximum number of requests on the Activity tab.
const EXCHANGES_MAX: usize = 1000;
/// A clock that was set back by more than this makes every due time
/// meaningless, seconds.
const CLOCK_SET_BACK_S: f64 = 5.0;

/// Handles an event; returns the effects.
pub(crate) fn update(model: &mut Model, event: Event) -> Vec<Effect> {
    let mut effects = handle(model, event);
    effects.extend(model.read_fields());
    model.end_loading();
    model.show_waiting();
    model.ask_for_token_when_due();
    effects
}

fn handle(model: &mut Model, event: Event) -> Vec<Effect> {
    match event {
        Event::Started => model.started(),
        Event::Now(now) => model.time_passes(now),
        Event::Key(key) => {
            model.token.key_pressed(model.now);
            model.deployments.to_export = None;
            model.key(key)
        }
        Event::Paste(text) => {
            model.token.key_pressed(model.now);
            model.deployments.to_export = None;
            model.paste(&text)
        }
        Event::Mouse(mouse) => model.mouse(mouse),
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
            model.frame_shown(at);
            Vec::new()
        }
        Event::Progress { request, progress } => model.progressed(request, progress),
        Event::Preview {
            request,
            deployment,
            loaded,
        } => model.preview_arrived(request, deployment, loaded),
        Event::Track {
            request,
            deployment,
            outcome,
        } => model.fetch_ended(request, deployment, outcome),
        Event::Refreshed {
            request,
            deployment,
            outcome,
        } => model.refreshed(request, deployment, outcome),
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
        Event::Alarms(alarms) => model.alarms_read(alarms),
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
        Event::FieldsRead { track, outcome } => model.fields_read(&track, outcome),
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
        Event::Plant { request, outcome } => model.plant_ended(request, outcome),
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
        } => model.token_tested(request, outcome, answered),
        Event::SettingWritten { name, outcome } => model.setting_written(&name, outcome),
        Event::NotStored { before, after } => model.not_stored(&before, &after),
        Event::Undone { change, outcome } => model.undone(*change, outcome),
        Event::Exported { request, outcome } => {
            model.exported(request, outcome);
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

impl Model {
    /// Loads the ledger and the archived tracks.
    fn started(&mut self) -> Vec<Effect> {
        let list = &self.deployments.list;
        let wanted = list.iter();
        let wanted = wanted.map(|one| (one.deployment.uuid, one.options(self.now)));
        let wanted: Vec<_> = wanted.collect();
        // Of a long list the track is read that is opened.
        let all = self.deployments.are_all_held();
        let held = list.iter().map(|one| one.deployment.uuid);
        let held = held.filter(|uuid| all || self.track.open == Some(*uuid));
        let stored: Vec<_> = held.filter_map(|uuid| self.load_stored(uuid)).collect();
        // What is there now, to tell later what another program changed.
        let again = true;
        let mut effects = vec![
            Effect::LoadOverviews(wanted),
            Effect::LoadLedger,
            self.look_for_changes(),
            Effect::LoadAlarms { again },
        ];
        effects.extend(stored);
        effects
    }

    /// The effect that loads the archived track of a deployment.
    fn load_stored(&self, uuid: Uuid) -> Option<Effect> {
        let one = self.deployments.get(uuid)?;
        Some(Effect::LoadStored {
            deployment: uuid,
            options: one.options(self.now),
        })
    }

    fn time_passes(&mut self, now: f64) -> Vec<Effect> {
        if now < self.now - CLOCK_SET_BACK_S {
            for one in &mut self.deployments.list {
                one.schedule.due = one.schedule.due.min(now + self.refresh_s);
            }
            self.deployments.queue.scan_again();
        }
        // An alarm whose snooze ends stands above the others again.
        let snooze_end = self.alarms.next_change(self.now);
        self.deployments.is_unsorted |= snooze_end.is_some_and(|at| at <= now);
        self.now = now;
        self.deployments.time_passes(now);
        if self
            .notice
            .as_ref()
            .is_some_and(|notice| notice.until <= now)
        {
            self.notice = None;
        }
        let mut effects = self.announce_ended_snoozes();
        effects.extend(self.refresh_due());
        effects
    }

    /// Deployments that became due during the pause are fetched.
    fn resumed(&mut self, now: f64) -> Vec<Effect> {
        self.now = now;
        self.refresh_due()
    }

    fn frame_shown(&mut self, at: f64) {
        self.shown = true;
        for dialog in &mut self.dialogs {
            match dialog {
                Dialog::DeletePlant(question) => {
                    question.shown_at.get_or_insert(at);
                }
                Dialog::RemoveDeployment(question) => {
                    question.shown_at.get_or_insert(at);
                }
                _ => {}
            }
        }
    }

    /// A request has begun or ended. The cursor stays on its request; on the
    /// first row it stays on the first row.
    fn exchange_reported(&mut self, exchange: Exchange) {
        let chosen = match self.activity.cursor {
            0 => None,
            cursor => self.shown_exchanges().nth(cursor).map(|one| one.id),
        };
        if exchange.is_under_way() {
            self.under_way.push((exchange, Progress::default()));
        } else {
            self.under_way.retain(|(one, _)| one.id != exchange.id);
            self.exchanges.push_back(exchange);
            if self.exchanges.len() > EXCHANGES_MAX {
                self.exchanges.pop_front();
            }
        }
        let row = chosen.and_then(|id| self.shown_exchanges().position(|one| one.id == id));
        if let Some(row) = row {
            self.activity.cursor = row;
        }
        self.settle();
    }

    fn key(&mut self, key: Key) -> Vec<Effect> {
        if key == Key::ctrl('c') && !matches!(self.dialogs.last(), Some(Dialog::Quit(_))) {
            return self.act(Action::Quit);
        }
        if key == Key::ctrl('z') {
            return vec![Effect::Suspend];
        }
        if !self.dialogs.is_empty() {
            self.end_message();
            return self.key_to_dialog(key);
        }
        if self.search.is_some()
            && let Some(action) = self.keymap.search_action(key)
        {
            self.end_message();
            return self.act(action);
        }
        let Some(action) = self.keymap.action(key, self.tab) else {
            self.notify(self.keymap.no_action(key, self.tab));
            return Vec::new();
        };
        // Esc itself takes a message away.
        if action != Action::Dismiss {
            self.end_message();
        }
        self.act(action)
    }

    /// A number for a new request.
    fn next_request(&mut self) -> RequestId {
        self.requests += 1;
        RequestId(self.requests)
    }

    /// Limits cursor and viewport of the shown table to its rows.
    fn settle(&mut self) {
        let (rows, height) = (self.rows(), usize::from(self.layout().rows.height));
        match self.tab {
            Tab::Deployments => self.deployments.table.settle(rows, height),
            Tab::Track => self.track.table.settle(rows, height),
            Tab::Plants => self.plants.table.settle(rows, height),
            Tab::Activity => self.activity.settle(rows, height),
        }
    }

    /// The filter of the list is kept: the deployment that is chosen in it by now stays
    /// chosen when it ends, since the next key may be about it.
    fn keep_filter(&mut self) {
        if self.tab == Tab::Deployments && self.deployments.selected().is_some() {
            self.deployments.before_filter = None;
            self.deployments.is_chosen = true;
        }
    }

    /// Sets the filter of this tab's rows.
    fn set_filter(&mut self, text: &str) -> Vec<Effect> {
        let mut effects = Vec::new();
        match self.tab {
            Tab::Deployments => {
                let selected = self.deployments.selected();
                let selected = selected.map(|one| one.deployment.uuid);
                if self.deployments.before_filter.is_none() {
                    self.deployments.before_filter = selected;
                }
                self.deployments.filter = text.to_owned();
                self.deployments.arrange(self.now);
                if text.is_empty()
                    && let Some(uuid) = self.deployments.before_filter.take()
                {
                    self.deployments.select(uuid);
                }
            }
            Tab::Track => {
                if self.track.arrangement.filter.is_empty() {
                    let follow = self.track.follow;
                    self.track.before_filter = self.track.at.map(|at| (at, follow));
                }
                self.track.arrangement.filter = text.to_owned();
                self.track.arrangement.wording = self.wording();
                let before = self.track.before_filter;
                effects = if text.is_empty()
                    && let Some((at, follow)) = before
                {
                    (self.track.at, self.track.follow) = (Some(at), follow);
                    self.track.before_filter = None;
                    self.open_track_changed()
                } else {
                    self.arrange_rows()
                };
            }
            Tab::Plants => self.plants.filter = text.to_owned(),
            Tab::Activity => self.activity_filter = text.to_owned(),
        }
        self.settle();
        effects
    }
}
