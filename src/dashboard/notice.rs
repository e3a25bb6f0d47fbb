//! The message of the last action, a warning, or an alarm. Its text begins with a key that
//! acts on it or with what happened: few cells show only the beginning.

mod update;

use uuid::Uuid;

/// A message on the line of the tabs, for a few seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Notice {
    /// The message.
    pub text: String,
    /// The same for a line with less room; empty if there is no shorter one.
    pub short: String,
    /// `true` if it is a warning.
    pub is_warning: bool,
    /// When it disappears, UNIX seconds; infinite if it stays until Esc.
    pub until: f64,
    /// When it has been read and a message of alarms replaces it, UNIX seconds.
    pub read_at: f64,
    /// `true` if it only repeats the row of a deployment with an alarm.
    pub is_of_row: bool,
    /// The load that it announces: it ends with that.
    pub loads: Option<Loads>,
}

/// The messages: what is shown, what waits, and what was shown last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Messages {
    /// The message that is shown.
    pub notice: Option<Notice>,
    /// An alarm message that waits until the message of the last action has been read.
    pub(in crate::dashboard) waiting: Option<Notice>,
    /// The text of the last message; empty before the first.
    pub(crate) last: String,
}

/// The load that a message announces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Loads {
    /// All deployments with a request.
    All,
    /// A single deployment.
    One(Uuid),
}
