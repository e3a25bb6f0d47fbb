//! Messages: of actions, failures and alarms.

use super::{Loads, Message, Notice, Short, Waiting};
use crate::alarm::Alarm;
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::keymap::Action;
use crate::dashboard::model::Model;
use crate::dashboard::tab::Tab;
use crate::text;

/// How long a message is shown, seconds.
const NOTICE_S: f64 = 4.0;
/// How long a warning is shown, seconds.
const WARNING_S: f64 = 12.0;
/// How long the hint at the start of the demo is shown at most, seconds.
const HINT_S: f64 = 60.0;
/// How long one about a refresh is shown at most, seconds: every request has ended by
/// then, or is shown in the header.
const LOADING_S: f64 = 600.0;

impl Model {
    /// Ends the message of the last action: the next one makes it untrue. A
    /// warning stays until its time or Esc.
    pub(crate) fn end_message(&mut self) {
        self.notice.take_if(|notice| !notice.is_warning);
    }

    /// Shows a message for a few seconds.
    pub(crate) fn notify(&mut self, message: impl Into<Message>) {
        self.show(message.into(), false, NOTICE_S);
    }

    /// Shows a warning for a few seconds.
    pub(crate) fn warn(&mut self, message: impl Into<Message>) {
        self.show(message.into(), true, WARNING_S);
    }

    /// Shows a warning that stays until Esc.
    pub(crate) fn warn_until_esc(&mut self, text: String) {
        self.set_notice(Notice {
            is_warning: true,
            ..Notice::new(text, f64::INFINITY)
        });
    }

    /// Shows a message, unless one is shown that stays until Esc.
    fn show(&mut self, message: Message, is_warning: bool, seconds: f64) {
        if self
            .notice
            .as_ref()
            .is_none_or(|notice| notice.until.is_finite())
        {
            self.set_notice(Notice {
                is_warning,
                kept_until: self.now + NOTICE_S,
                ..Notice::new(message, self.now + seconds)
            });
        }
    }

    /// Says that something is being loaded, for as long as it is; a message of alarms does
    /// not wait for its end.
    pub(crate) fn say_loading(&mut self, text: String, loads: Loads) {
        self.notify(text.as_str());
        if let Some(notice) = &mut self.notice
            && notice.text == text
        {
            notice.until = self.now + LOADING_S;
            notice.loads = Some(loads);
        }
    }

    /// Ends the message that something is being loaded, once it is no longer.
    pub(crate) fn end_loading(&mut self) {
        let is_loading = |model: &Self, loads: Loads| match loads {
            Loads::All => model.deployments.loading().next().is_some(),
            Loads::One(uuid) => {
                let deployment = model.deployments.get(uuid);
                deployment.is_some_and(|deployment| deployment.track.loading.is_some())
            }
            Loads::ToExport => model.deployments.to_export.is_some(),
        };
        let loads = self.notice.as_ref().and_then(|notice| notice.loads);
        let Some(ended) = loads.filter(|loads| !is_loading(self, *loads)) else {
            return;
        };
        self.notice = None;
        let asked = |deployment: &&DeploymentState| match ended {
            Loads::All => true,
            Loads::One(uuid) => deployment.uuid() == uuid,
            Loads::ToExport => false,
        };
        let asked = self.deployments.list.iter().filter(asked);
        let (count, failed, new) =
            asked.fold((0, 0, 0), |(count, failed, new), deployment| {
                match (&deployment.track.failure, deployment.delta) {
                    (Some(_), _) => (count + 1, failed + 1, new),
                    (None, delta) => (count + 1, failed, new + delta.map_or(0, |delta| delta.new)),
                }
            });
        if count > 0 {
            let found = match new {
                0 => "none new".to_owned(),
                new => text::counted(new, "new fix", "new fixes"),
            };
            let failed = match failed {
                0 => String::new(),
                failed => format!(", {} failed", text::count(failed)),
            };
            let asked = text::count(count);
            self.notify(format!("asked {asked}: {found}{failed}"));
            // An alarm that the refresh has raised is announced at once.
            if let Some(notice) = &mut self.notice {
                notice.kept_until = self.now;
            }
        }
    }

    /// Shows the first keys to press in the demo; the first key ends the message.
    pub(crate) fn say_first_keys(&mut self) {
        let says = |action, word: &str| format!("{} {word}", self.key_of(action));
        let first = match self.tab {
            Tab::Track => says(Action::NextField, "fields"),
            _ => says(Action::Open, "a track"),
        };
        let globe = says(Action::FitWorld, "the globe");
        let alarms = says(Action::Alarms, "alarms");
        let help = says(Action::Help, "help");
        let text = format!("{first}  {globe}  {alarms}  {help}");
        let short = Short::of_name(help, &first, "").more(format!("  {alarms}"));
        let message = Message::with(text, short);
        self.set_notice(Notice::new(message, self.now + HINT_S));
    }

    /// Replaces the shown message, and stores its text for later.
    fn set_notice(&mut self, notice: Notice) {
        self.last_message.clone_from(&notice.text);
        self.notice = Some(notice);
    }

    /// Shows an alarm message for a time, once the message of the last action has been
    /// read: an action often raises or ends an alarm. Of two waiting messages a warning
    /// precedes another message, else the later one is shown.
    pub(crate) fn show_of_alarms(&mut self, message: Message, alarms: &[Alarm], for_s: f64) {
        let is_of_row = alarms.iter().all(|alarm| {
            let uuid = alarm.deployment;
            uuid.is_some_and(|uuid| self.deployments.get(uuid).is_some())
        });
        let notice = Notice {
            is_warning: alarms.iter().any(|alarm| alarm.cleared_at.is_none()),
            kept_until: self.now,
            is_of_row,
            ..Notice::new(message, self.now + for_s)
        };
        let before = self.waiting.take();
        let since = before.as_ref().map_or(self.now, |before| before.since);
        let is_behind = |before: &Waiting| before.notice.is_warning && !notice.is_warning;
        self.waiting = Some(match before {
            Some(before) if is_behind(&before) => before,
            _ => Waiting {
                notice,
                for_s,
                since,
            },
        });
        self.show_waiting();
    }

    /// Shows the waiting alarm message when it is due. A warning that stays until Esc
    /// comes back after it.
    pub(crate) fn show_waiting(&mut self) {
        let is_due = |waiting: &mut Waiting| {
            let shown = self.notice.as_ref();
            shown.is_none_or(|shown| waiting.shown_at(shown) <= self.now)
        };
        if let Some(waiting) = self.waiting.take_if(is_due) {
            let lasting = self.notice.take_if(|shown| shown.until.is_infinite());
            self.covered = lasting.or(self.covered.take());
            self.set_notice(Notice {
                until: self.now + waiting.for_s,
                kept_until: self.now,
                ..waiting.notice
            });
        }
        if self.notice.is_none() {
            self.notice = self.covered.take();
        }
    }
}
