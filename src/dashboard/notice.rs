//! The message of the last action or a warning, and its form for few cells.

use uuid::Uuid;

use super::deployments::deployment::DeploymentState;
use super::keymap::Action;
use super::model::Model;
use super::tab::Tab;
use crate::alarm::Alarm;
use crate::text;

/// A message on the line of the tabs, for a few seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Notice {
    /// The message.
    pub text: String,
    /// A shorter form; without one it is cut at its end.
    pub short: Option<Short>,
    /// `true` if it is a warning.
    pub is_warning: bool,
    /// When it disappears, UNIX seconds; infinite if it stays until Esc.
    pub until: f64,
    /// Until when an alarm message waits for it, UNIX seconds.
    pub kept_until: f64,
    /// `true` if it only repeats the row of a deployment with an alarm.
    pub is_of_row: bool,
    /// The load that it announces: it ends with that.
    pub loads: Option<Loads>,
}

impl Notice {
    /// A message that stays until this time, UNIX seconds.
    fn new(message: impl Into<Message>, until: f64) -> Self {
        let Message { text, short } = message.into();
        Self {
            text,
            short,
            is_warning: false,
            until,
            kept_until: until,
            is_of_row: false,
            loads: None,
        }
    }
}

/// An alarm message that waits until the message of the last action has been read.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::dashboard) struct Waiting {
    /// The message.
    pub notice: Notice,
    /// How long it is shown then, seconds.
    pub for_s: f64,
    /// When messages of alarms began to wait, UNIX seconds.
    pub since: f64,
}

/// The longest wait of an alarm message, seconds: after that it is shown whatever it
/// replaces.
const WAITS_S: f64 = 12.0;

impl Waiting {
    /// When it replaces the shown message, UNIX seconds.
    pub(in crate::dashboard) fn shown_at(&self, shown: &Notice) -> f64 {
        shown.kept_until.min(self.since + WAITS_S)
    }
}

/// The load that a message announces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Loads {
    /// All deployments with a request.
    All,
    /// A single deployment.
    One(Uuid),
    /// The stored track of an export.
    ToExport,
}

/// The text of a message: in full, and for few cells.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    /// All of it.
    pub text: String,
    /// A shorter form; without one it is cut at its end.
    pub short: Option<Short>,
}

impl Message {
    /// A message with a form for few cells.
    pub(in crate::dashboard) fn with(text: String, short: Short) -> Self {
        Self {
            text,
            short: Some(short),
        }
    }
}

impl<T: Into<String>> From<T> for Message {
    fn from(text: T) -> Self {
        Self {
            text: text.into(),
            short: None,
        }
    }
}

/// A name or a path within a message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Named {
    /// A name.
    Name(String),
    /// The path of a file.
    Path(String),
}

/// A message for few cells: the key comes first, and a name or a path is cut in its
/// middle.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Short {
    /// The key and its action: "u undo"; may be empty.
    pub key: String,
    /// The text before the name; may be empty.
    pub before: String,
    /// The name or path.
    pub named: Named,
    /// The text after the name, which must be shown.
    pub behind: String,
    /// Further text if there is room.
    pub more: String,
}

/// A name or path in fewer cells than this says nothing.
const LEAST_NAME: usize = 8;
/// More of a message in fewer cells than this says nothing.
const LEAST_MORE: usize = 12;

impl Short {
    /// A message with a key about a name: "u undo  buoy 7: outside acknowledged".
    pub(in crate::dashboard) fn of_name(
        key: String,
        name: &str,
        behind: impl Into<String>,
    ) -> Self {
        Self {
            key,
            before: String::new(),
            named: Named::Name(name.to_owned()),
            behind: behind.into(),
            more: String::new(),
        }
    }

    /// A message about a file: "12 fixes to /home/…/buoy_7.csv".
    pub(crate) fn of_path(before: String, path: &str) -> Self {
        Self {
            key: String::new(),
            before,
            named: Named::Path(path.to_owned()),
            behind: String::new(),
            more: String::new(),
        }
    }

    /// With further text, if there is room for it.
    pub(in crate::dashboard) fn more(self, more: impl Into<String>) -> Self {
        Self {
            more: more.into(),
            ..self
        }
    }

    /// The text in this many cells, and the part that is missing.
    pub(crate) fn fit(&self, cells: usize) -> (String, Missing) {
        let key = match self.key.as_str() {
            "" => String::new(),
            key => format!("{key}  "),
        };
        let before = text::clean(&self.before);
        let behind = text::clean(&self.behind);
        let fixed = text::width(&key) + text::width(&before) + text::width(&behind);
        let room = cells.saturating_sub(fixed).max(LEAST_NAME);
        let (named, whole) = match &self.named {
            Named::Name(name) => (text::fit_name(name, room), name),
            Named::Path(path) => (text::fit_path(path, room), path),
        };
        let is_whole = named == text::clean(whole);
        let line = format!("{key}{before}{named}{behind}");
        let used = text::width(&line);
        if !is_whole || used > cells {
            return (text::fit(&line, cells), Missing::Name);
        }
        let more = text::clean(&self.more);
        let left = cells - used;
        let wanted = text::width(&more);
        match wanted <= left {
            true => (format!("{line}{more}"), Missing::Nothing),
            false if left >= LEAST_MORE => {
                (format!("{line}{}", text::fit(&more, left)), Missing::More)
            }
            false => (line, Missing::More),
        }
    }
}

/// The part that a short message leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Nothing.
    Nothing,
    /// Text that is shown if there is room.
    More,
    /// A part of the name or path, or of the required text.
    Name,
}

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
        self.covered.take_if(|notice| !notice.is_warning);
    }

    /// The message, unless it is of an alarm, for a dialog that repeats what its keys did.
    pub(crate) fn message_of_action(&self) -> Option<&Notice> {
        self.notice.as_ref().filter(|notice| !notice.is_of_row)
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
        let says = |action, word: &str| format!("{}: {word}", self.key_of(action));
        let first = match self.tab {
            Tab::Track => says(Action::NextField, "fields"),
            _ => says(Action::Open, "track"),
        };
        let globe = says(Action::FitWorld, "globe");
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

    /// Shows the waiting alarm message when it is due. A warning that stays until Esc and
    /// the first keys of the demo come back after it.
    pub(crate) fn show_waiting(&mut self) {
        let is_due = |waiting: &mut Waiting| {
            let shown = self.notice.as_ref();
            shown.is_none_or(|shown| waiting.shown_at(shown) <= self.now)
        };
        if let Some(waiting) = self.waiting.take_if(is_due) {
            let end = self.now + waiting.for_s;
            let lasts = |shown: &mut Notice| shown.until > end && shown.loads.is_none();
            let lasting = self.notice.take_if(lasts);
            self.covered = lasting.or(self.covered.take());
            self.set_notice(Notice {
                until: self.now + waiting.for_s,
                kept_until: self.now,
                ..waiting.notice
            });
        }
        if self.notice.is_none() {
            let covered = self.covered.take();
            self.notice = covered.filter(|covered| covered.until > self.now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_stays_first_and_the_name_is_cut_in_its_middle() {
        let short = Short {
            more: " until 2026-11-23 06:00:00 UTC".to_owned(),
            ..Short::of_name("u undo".to_owned(), "Drifter, Drake Passage", ": snoozed")
        };
        let all = "u undo  Drifter, Drake Passage: snoozed until 2026-11-23 06:00:00 UTC";
        assert_eq!(short.fit(80), (all.to_owned(), Missing::Nothing));
        let fits = |cells| short.fit(cells).0;
        assert_eq!(fits(44), "u undo  Drifter, Drake Passage: snoozed");
        assert_eq!(fits(32), "u undo  Drifter, …ssage: snoozed");
        assert_eq!(fits(12), "u undo  Dri…");
        assert_eq!(short.fit(44).1, Missing::More);
        assert_eq!(short.fit(12).1, Missing::Name);
    }

    #[test]
    fn a_path_keeps_its_start_and_the_name_of_the_file() {
        let path = "/home/ana/cruise/PS142/exports/Drifter_Drake_Passage.csv";
        let short = Short::of_path("12 fixes to ".to_owned(), path);
        assert_eq!(
            short.fit(50).0,
            "12 fixes to /home/ana/c…/Drifter_Drake_Passage.csv"
        );
        assert_eq!(short.fit(40).0, "12 fixes to /…/Drifter_Drake_Passage.csv");
        assert_eq!(short.fit(30).0, "12 fixes to Drifter_Dr…age.csv");
        assert_eq!(
            short.fit(90),
            (format!("12 fixes to {path}"), Missing::Nothing)
        );
    }
}
