//! The message of the last action or a warning, and its form for few cells.

mod update;

use uuid::Uuid;

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
        let (before, behind) = (text::clean(&self.before), text::clean(&self.behind));
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
        let (left, wanted) = (cells - used, text::width(&more));
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
