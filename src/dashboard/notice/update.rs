//! Messages come and go.

use crate::alarm::Alarm;
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::keymap::Action;
use crate::dashboard::notice::{Loads, Notice};
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::TabId;
use crate::dashboard::widgets::text::Text;
use crate::failure::{Failure, FailureKind, sentence};
use crate::text;

/// How long a message is shown, and how long it is read, seconds.
const NOTICE_S: f64 = 4.0;

/// How long a warning is shown, seconds.
const WARNING_S: f64 = 12.0;

/// How long a message of alarms waits and is shown, seconds.
const ALARM_S: f64 = 24.0;

/// How long it is shown at least, seconds, whatever it replaces: messages of a person who
/// goes on do not hold it back.
const ALARM_LEAST_S: f64 = 12.0;

/// How long the hint at the start of the demo is shown at most, seconds.
const HINT_S: f64 = 60.0;

/// How long one about a refresh is shown at most, seconds: every request has ended by
/// then, or is shown in the header.
const LOADING_S: f64 = 600.0;

impl Shared {
    /// Ends the message of the last action: the next one makes it untrue. A
    /// warning stays until its time or Esc.
    pub(crate) fn end_message(&mut self) {
        self.messages.notice.take_if(|notice| !notice.is_warning);
    }

    /// The message, unless it is of an alarm, for a dialog that repeats what its keys did.
    pub(crate) fn message_of_action(&self) -> Option<&Notice> {
        let notice = self.messages.notice.as_ref();
        notice.filter(|notice| !notice.is_of_row)
    }

    /// A failure as a message. Where a token helps, it begins with the key for it.
    pub(crate) fn failure_text(&self, failure: &Failure) -> Text {
        let short = match (failure.is_of_token(), failure.short.as_str()) {
            (true, _) => format!("{} token  {}", self.key_of(Action::Login), failure.reason),
            (_, "") => failure.reason.clone(),
            (_, short) => short.to_owned(),
        };
        Text::from(self.said_of(failure)).or(short)
    }

    /// A failure in words. Where a token helps, they begin with the key for it, in place of
    /// the command of a shell.
    pub(crate) fn said_of(&self, failure: &Failure) -> String {
        if !failure.is_of_token() {
            return failure.to_string();
        }
        let key = self.key_of(Action::Login);
        format!("{key} token  {}", sentence(&failure.message()))
    }

    /// The next step after a failure, by the keys of the dashboard.
    pub(crate) fn next_step(&self, failure: &Failure) -> String {
        if !failure.is_of_token() {
            return failure.hint.clone();
        }
        let key = self.key_of(Action::Login);
        match failure.kind {
            FailureKind::Forbidden => {
                format!("{key}: another token. The service's operator grants access.")
            }
            _ => format!("{key}: another token."),
        }
    }

    /// Shows a message for a few seconds.
    pub(crate) fn notify(&mut self, text: impl Into<Text>) {
        self.show(text.into(), false, NOTICE_S);
    }

    /// Shows a warning for a few seconds.
    pub(crate) fn warn(&mut self, text: impl Into<Text>) {
        self.show(text.into(), true, WARNING_S);
    }

    /// Shows a warning that stays until Esc: nothing replaces it.
    pub(crate) fn warn_until_esc(&mut self, text: String) {
        self.messages.notice = None;
        self.show(text.into(), true, f64::INFINITY);
    }

    /// Shows a message for a time, unless one is shown that stays until Esc.
    fn show(&mut self, text: Text, is_warning: bool, for_s: f64) {
        let shown = self.messages.notice.as_ref();
        if shown.is_some_and(|shown| shown.until.is_infinite()) {
            return;
        }
        self.messages.last.clone_from(&text.long);
        self.messages.notice = Some(Notice {
            text: text.long,
            short: text.short.unwrap_or_default(),
            is_warning,
            until: self.now + for_s,
            // The hint of the demo is read until a key is pressed.
            read_at: self.now + if is_warning { NOTICE_S } else { for_s },
            is_of_row: false,
            loads: None,
        });
    }

    /// Says that something is being loaded, for as long as it is; a message of alarms does
    /// not wait for its end.
    pub(crate) fn say_loading(&mut self, text: String, loads: Loads) {
        self.notify(text.as_str());
        if let Some(notice) = &mut self.messages.notice
            && notice.text == text
        {
            notice.until = self.now + LOADING_S;
            notice.loads = Some(loads);
        }
    }

    /// Ends the message that something is being loaded, once it is no longer.
    pub(crate) fn end_loading(&mut self) {
        let notice = self.messages.notice.as_ref();
        let Some(loads) = notice.and_then(|notice| notice.loads) else {
            return;
        };
        let is_asked = |deployment: &&DeploymentState| match loads {
            Loads::All => true,
            Loads::One(uuid) => deployment.uuid() == uuid,
        };
        let asked = || self.deployments.list.iter().filter(is_asked);
        if asked().any(|deployment| deployment.track.loading.is_some()) {
            return;
        }
        let count = asked().count();
        let (failed, answered): (Vec<_>, Vec<_>) =
            asked().partition(|deployment| deployment.track.failure.is_some());
        let deltas = answered.iter().filter_map(|deployment| deployment.delta);
        let new = deltas.map(|delta| delta.new).sum();
        let not_stored: Vec<_> = (answered.iter())
            .filter_map(|deployment| deployment.unstored.as_ref())
            .collect();
        let unstored = not_stored.len();
        let failed = failed.len();
        self.messages.notice = None;
        if count > 0 {
            let found = match (new, unstored) {
                (0, 0) => Some("none new".to_owned()),
                // What is new in a response is known once it is stored.
                (0, _) => None,
                (new, _) => Some(text::counted(new, "new fix", "new fixes")),
            };
            let others = text::counts(&[(unstored, "not stored"), (failed, "failed")]);
            let said = Some(others).filter(|others| !others.is_empty());
            let all: Vec<String> = found.into_iter().chain(said).collect();
            let asked = text::count(count);
            let why = (not_stored.first()).map(|why| format!(": {}", why.message()));
            let result = all.join(", ");
            self.notify(format!(
                "asked {asked}: {result}{}",
                why.unwrap_or_default()
            ));
        }
    }

    /// Shows the first keys to press in the demo; the first key ends the message.
    pub(crate) fn say_first_keys(&mut self) {
        let says = |action, word: &str| format!("{}: {word}", self.key_of(action));
        let first = match self.screen.tab {
            TabId::Track => says(Action::NextField, "fields"),
            _ => says(Action::Open, "track"),
        };
        let globe = says(Action::FitWorld, "globe");
        let alarms = says(Action::Alarms, "alarms");
        let help = says(Action::Help, "help");
        let hint = format!("{help}  {first}  {alarms}  {globe}");
        self.show(hint.into(), false, HINT_S);
    }

    /// Shows a message of alarms once the shown one has been read: an action often raises
    /// or ends an alarm. Of two that wait a warning precedes another message, else the
    /// later one is shown.
    pub(crate) fn show_of_alarms(&mut self, text: Text, alarms: &[Alarm]) {
        let is_warning = alarms.iter().any(|alarm| alarm.cleared_at.is_none());
        let waiting = self.messages.waiting.as_ref();
        if waiting.is_some_and(|waiting| waiting.is_warning && !is_warning) {
            return;
        }
        let is_of_row = alarms.iter().all(|alarm| {
            let uuid = alarm.uuid();
            uuid.is_some_and(|uuid| self.deployments.get(uuid).is_some())
        });
        let until = waiting.map_or(self.now + ALARM_S, |waiting| waiting.until);
        self.messages.waiting = Some(Notice {
            text: text.long,
            short: text.short.unwrap_or_default(),
            is_warning,
            until,
            read_at: self.now,
            is_of_row,
            loads: None,
        });
        self.show_waiting();
    }

    /// When the waiting message of alarms is shown or too late, UNIX seconds; `None` if
    /// none waits.
    fn waits_until(&self) -> Option<f64> {
        let waiting = self.messages.waiting.as_ref()?;
        let latest = waiting.until - ALARM_LEAST_S;
        Some(match &self.messages.notice {
            Some(shown) if shown.until.is_infinite() => waiting.until,
            Some(shown) => shown.read_at.min(latest),
            None => self.now,
        })
    }

    /// Shows the waiting message of alarms when it is due.
    pub(crate) fn show_waiting(&mut self) {
        if self.waits_until().is_some_and(|due| due <= self.now)
            && let Some(waiting) = self.messages.waiting.take()
            && waiting.until > self.now
        {
            self.messages.last.clone_from(&waiting.text);
            self.messages.notice = Some(waiting);
        }
    }
}
