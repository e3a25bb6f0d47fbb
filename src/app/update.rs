//! One event in, effects out. The only place where the Model changes.

use std::sync::Arc;

use super::deployments::Deployment;
use super::dialog::{Dialog, Prompt, Purpose, QuitDialog, TokenForm, menu};
use super::effect::Effect;
use super::event::Event;
use super::key::Key;
use super::keymap::{self, Action};
use super::model::{Clock, Connection, EXCHANGES_KEPT, Model, Pane, Tab};
use super::replies::sentence;
use super::table::Step;

/// Takes an event in; the answer is what is to be done about it.
pub fn update(model: &mut Model, event: Event) -> Vec<Effect> {
    model.take(event)
}

impl Model {
    fn take(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::Now(now) => return self.time_passes(now),
            Event::Key(key) => return self.key(key),
            Event::Paste(text) => self.paste_to_dialog(&text),
            Event::Mouse(mouse) => return self.mouse(mouse),
            Event::Resized {
                width,
                height,
                cell_aspect,
            } => {
                (self.width, self.height) = (width, height);
                self.cell_aspect = cell_aspect;
                self.settle();
            }
            Event::Shown => {
                self.shown = true;
                for dialog in &mut self.dialogs {
                    if let Dialog::DeletePlant(question) = dialog {
                        question.shown = true;
                    }
                }
            }
            Event::Progress { request, bytes } => {
                let waiting = self
                    .deployments
                    .list
                    .iter_mut()
                    .find(|d| d.track.awaits(request));
                if let Some(loading) = waiting.and_then(|d| d.track.loading.as_mut()) {
                    loading.bytes = bytes;
                }
            }
            Event::Track {
                request,
                deployment,
                outcome,
            } => {
                return self.track_came(request, deployment, outcome);
            }
            Event::Kept {
                deployment,
                arrival,
            } => return self.kept_came(deployment, arrival),
            Event::Reassembled { deployment, track } => {
                if let Some(known) = self.deployments.get_mut(deployment)
                    && let Some((value, _)) = &mut known.track.value
                {
                    *value = track;
                    return self.after_track(deployment);
                }
            }
            Event::Refined { deployment, track } => {
                // Of another track that came meanwhile this is not the whole.
                if let Some(known) = self.deployments.get_mut(deployment)
                    && let Some((value, _)) = &mut known.track.value
                    && Arc::ptr_eq(value.track(), track.track())
                {
                    *value = track;
                    return self.after_track(deployment);
                }
            }
            Event::Windowed {
                deployment,
                window,
                track,
            } => self.window_came(deployment, window, track),
            Event::Plant { request, outcome } => return self.plant_done(request, outcome),
            Event::Ledger(entries) => {
                self.plants.ledger = entries;
                self.settle();
            }
            Event::Exchange(exchange) => {
                self.exchanges.push_back(exchange);
                if self.exchanges.len() > EXCHANGES_KEPT {
                    self.exchanges.pop_front();
                }
                // The cursor stays on the request it is on.
                if self.activity.cursor > 0 {
                    self.activity.cursor += 1;
                }
                self.settle();
            }
            Event::Token { request, outcome } => return self.token_tried(request, outcome),
            Event::Exported { request, outcome } => self.exported(request, outcome),
            Event::WatchListSaved(outcome) => {
                if let Err(failure) = outcome {
                    self.warn(sentence(&failure));
                }
            }
            Event::Trouble(failure) => self.warn(sentence(&failure)),
            Event::Resumed => {
                for deployment in &mut self.deployments.list {
                    deployment.due = deployment.due.min(self.now);
                }
                let mut effects = vec![Effect::Redraw];
                effects.extend(self.refresh_due());
                return effects;
            }
        }
        Vec::new()
    }

    fn time_passes(&mut self, now: f64) -> Vec<Effect> {
        // A clock that was set back by more than a moment makes every due time
        // meaningless: start over from the new present.
        if now < self.now - 5.0 {
            for deployment in &mut self.deployments.list {
                deployment.due = deployment.due.min(now + self.refresh_s);
            }
        }
        self.now = now;
        if self
            .notice
            .as_ref()
            .is_some_and(|notice| notice.until <= now)
        {
            self.notice = None;
        }
        self.refresh_due()
    }

    fn key(&mut self, key: Key) -> Vec<Effect> {
        if key == Key::ctrl('c') && !matches!(self.dialogs.last(), Some(Dialog::Quit(_))) {
            return self.act(Action::Quit);
        }
        if key == Key::ctrl('z') {
            return vec![Effect::Suspend];
        }
        if !self.dialogs.is_empty() {
            return self.key_to_dialog(key);
        }
        keymap::action(key, self.tab).map_or_else(Vec::new, |action| self.act(action))
    }

    /// Does what a person asked for.
    pub(super) fn act(&mut self, action: Action) -> Vec<Effect> {
        use Action as A;
        match action {
            A::Quit => return self.quit(),
            A::Suspend => return vec![Effect::Suspend],
            A::Help => self.dialogs.push(Dialog::Help(Default::default())),
            A::Palette => self.dialogs.push(menu::palette(self.tab)),
            A::Filter => {
                let filter = self.filter().to_owned();
                self.dialogs
                    .push(Dialog::Prompt(Prompt::new(Purpose::Filter, &filter)));
            }
            A::Refresh => return self.refresh_now(),
            A::Pause => {
                self.paused = !self.paused;
                self.notify(if self.paused {
                    "refreshing paused"
                } else {
                    "refreshing again"
                });
                return self.refresh_due();
            }
            A::Dismiss => return self.dismiss_on_tab(),
            A::ShowDeployments => return self.show(Tab::Deployments),
            A::ShowTrack => return self.show(Tab::Track),
            A::ShowPlants => return self.show(Tab::Plants),
            A::ShowActivity => return self.show(Tab::Activity),
            A::NextTab => return self.show(self.tab.beside(1)),
            A::PreviousTab => return self.show(self.tab.beside(-1)),
            A::Down => self.step(Step::Rows(1)),
            A::Up => self.step(Step::Rows(-1)),
            A::First => self.step(Step::First),
            A::Last => self.step(Step::Last),
            A::HalfDown => self.step(Step::Half(1)),
            A::HalfUp => self.step(Step::Half(-1)),
            A::PageDown => self.step(Step::Page(1)),
            A::PageUp => self.step(Step::Page(-1)),
            A::Units => {
                self.units = self.units.next();
                self.notify(format!("units: {}", self.units.name()));
            }
            A::Coordinates => self.coordinates = self.coordinates.next(),
            A::Clock => {
                self.clock = match self.clock {
                    Clock::Utc => Clock::Local,
                    Clock::Local => Clock::Utc,
                };
            }
            A::Copy => return self.copy(),
            A::AddDeployment => self
                .dialogs
                .push(Dialog::Prompt(Prompt::new(Purpose::Deployment, ""))),
            A::Rename => {
                if let Some(deployment) = self.deployments.selected() {
                    let prompt = Prompt::new(
                        Purpose::Label(deployment.uuid),
                        deployment.label.as_deref().unwrap_or_default(),
                    );
                    self.dialogs.push(Dialog::Prompt(prompt));
                }
            }
            A::SetCircle | A::SetMaxAge | A::SetNotes => {
                if let Some(deployment) = self.deployments.selected() {
                    let prompt = limits_prompt(action, deployment);
                    self.dialogs.push(Dialog::Prompt(prompt));
                }
            }
            A::NewPlant => {
                self.tab = Tab::Plants;
                self.full = false;
                self.dialogs.push(Dialog::PlantForm(Default::default()));
            }
            A::Login => self.dialogs.push(Dialog::Token(TokenForm::default())),
            A::FullPane => {
                self.full = !self.full;
                if self.tab == Tab::Deployments && self.full {
                    self.pane = Pane::Map;
                }
                self.settle();
            }
            A::Markers => {
                self.markers = self.markers.next();
                self.notify(format!("map drawn in {}", self.markers.words()));
            }
            A::ZoomIn
            | A::ZoomOut
            | A::Fit
            | A::FitWorld
            | A::PanLeft
            | A::PanDown
            | A::PanUp
            | A::PanRight
            | A::Projection => {
                self.act_on_map(action);
            }
            _ => {
                return match self.tab {
                    Tab::Deployments => self.act_on_deployments(action),
                    Tab::Track => self.act_on_track(action),
                    Tab::Plants => self.act_on_plants(action),
                    Tab::Activity => Vec::new(),
                };
            }
        }
        Vec::new()
    }

    fn quit(&mut self) -> Vec<Effect> {
        if self.plants.under_way.is_empty() {
            return vec![Effect::Quit];
        }
        if matches!(self.dialogs.last(), Some(Dialog::Quit(_))) {
            return vec![Effect::Quit];
        }
        self.dialogs.push(Dialog::Quit(QuitDialog::default()));
        Vec::new()
    }

    fn show(&mut self, tab: Tab) -> Vec<Effect> {
        if self.tab != tab {
            self.full = false;
        }
        self.tab = tab;
        let mut effects = Vec::new();
        if tab == Tab::Track && self.track.open.is_none() {
            let uuid = self
                .deployments
                .selected()
                .or(self.deployments.list.first())
                .map(|d| d.uuid);
            if let Some(uuid) = uuid {
                effects = self.open_track(uuid);
            }
        }
        self.settle();
        effects
    }

    /// Esc without a dialog: gives up what is under way, then the filter, then
    /// the window of time, then the full-size pane.
    fn dismiss_on_tab(&mut self) -> Vec<Effect> {
        if self.notice.take().is_some_and(|notice| notice.bad) {
            return Vec::new();
        }
        let uuid = match self.tab {
            Tab::Track => self.track.open,
            _ => self
                .deployments
                .selected()
                .map(|deployment| deployment.uuid),
        };
        if matches!(self.tab, Tab::Track | Tab::Deployments)
            && let Some(uuid) = uuid
            && let Some(deployment) = self.deployments.get_mut(uuid)
            && let Some(request) = deployment.track.cancel()
        {
            self.schedule(uuid);
            self.notify("request cancelled");
            return vec![Effect::Cancel(request)];
        }
        if !self.filter().is_empty() {
            self.set_filter("");
        } else if self.tab == Tab::Track && self.drop_window() {
        } else if self.full {
            self.full = false;
            self.settle();
        } else if self.tab == Tab::Track {
            self.track.marks = (None, None);
        }
        Vec::new()
    }

    fn refresh_now(&mut self) -> Vec<Effect> {
        if let Connection::Refused(_) = self.connection {
            // A new token may have been stored elsewhere: ask once more.
            self.connection = Connection::Untried;
        }
        match (self.tab, self.track.open) {
            (Tab::Track, Some(uuid)) => self.fetch(uuid),
            _ => {
                for deployment in &mut self.deployments.list {
                    deployment.due = self.now;
                }
                let paused = std::mem::take(&mut self.paused);
                let effects = self.refresh_due();
                self.paused = paused;
                effects
            }
        }
    }

    /// What the rows of this tab are filtered by.
    pub fn filter(&self) -> &str {
        match self.tab {
            Tab::Deployments => &self.deployments.filter,
            Tab::Track => &self.track.filter,
            Tab::Plants => &self.plants.filter,
            Tab::Activity => &self.activity_filter,
        }
    }

    pub(super) fn set_filter(&mut self, text: &str) {
        match self.tab {
            Tab::Deployments => {
                self.deployments.filter = text.to_owned();
                self.deployments.arrange(self.now);
            }
            Tab::Track => {
                self.track.filter = text.to_owned();
                self.track_rearranged();
            }
            Tab::Plants => self.plants.filter = text.to_owned(),
            Tab::Activity => self.activity_filter = text.to_owned(),
        }
        self.settle();
    }

    /// Rows of the table on this tab.
    pub fn rows(&self) -> usize {
        match self.tab {
            Tab::Deployments => self.deployments.order.len(),
            Tab::Track => self.open_one().map_or(0, |track| self.track.rows(track)),
            Tab::Plants => self.plants.shown().len(),
            Tab::Activity => self.shown_exchanges().count(),
        }
    }

    fn step(&mut self, step: Step) {
        let (rows, height) = (self.rows(), usize::from(self.layout().rows.height));
        match self.tab {
            Tab::Deployments => self.deployments.table.step(step, rows, height),
            Tab::Track => self.step_track(step),
            Tab::Plants => self.plants.table.step(step, rows, height),
            Tab::Activity => self.activity.step(step, rows, height),
        }
    }

    /// Brings the window of the shown table back to its rows.
    pub(super) fn settle(&mut self) {
        let (rows, height) = (self.rows(), usize::from(self.layout().rows.height));
        match self.tab {
            Tab::Deployments => self.deployments.table.settle(rows, height),
            Tab::Track => self.track.table.settle(rows, height),
            Tab::Plants => self.plants.table.settle(rows, height),
            Tab::Activity => self.activity.settle(rows, height),
        }
    }

    fn copy(&mut self) -> Vec<Effect> {
        let text = match self.tab {
            Tab::Deployments => self.deployments.selected().map(|d| d.uuid.to_string()),
            Tab::Track => self
                .open_one()
                .and_then(|track| track.fix(self.track.cursor))
                .map(|fix| {
                    format!(
                        "{} {} {}",
                        crate::track::time::rfc3339(fix.time_stamp),
                        fix.position.latitude,
                        fix.position.longitude
                    )
                }),
            Tab::Plants => self.plants.selected().map(|entry| entry.id.clone()),
            Tab::Activity => self
                .shown_exchanges()
                .nth(self.activity.cursor)
                .map(|exchange| {
                    let status = exchange
                        .status
                        .map_or_else(|| "-".to_owned(), |s| s.to_string());
                    format!("{} {} {status}", exchange.method, exchange.address)
                }),
        };
        match text {
            Some(text) => {
                self.notify(format!("copied: {}", crate::text::fit(&text, 60)));
                vec![Effect::Copy(crate::text::clean(&text).into_owned())]
            }
            None => Vec::new(),
        }
    }
}

/// The prompt for what a deployment is held to, with what is set.
fn limits_prompt(action: Action, deployment: &Deployment) -> Prompt {
    let uuid = deployment.uuid;
    let limits = deployment.limits;
    match action {
        Action::SetCircle => {
            let circle = limits.circle.map(|circle| circle.to_string());
            Prompt::new(Purpose::Circle(uuid), &circle.unwrap_or_default())
        }
        Action::SetMaxAge => {
            let age = limits.max_age_s.map(|age| format!("{age}s"));
            Prompt::new(Purpose::MaxAge(uuid), &age.unwrap_or_default())
        }
        _ => {
            let notes = deployment.notes.as_deref().unwrap_or_default();
            Prompt::new(Purpose::Notes(uuid), notes)
        }
    }
}
