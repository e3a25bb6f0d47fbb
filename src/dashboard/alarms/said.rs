//! A user's reply to an alarm.

/// A user's reply to an alarm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Said {
    /// The user knows of it.
    Acknowledged,
    /// It is to be reminded of after this time, UNIX seconds.
    SnoozedUntil(f64),
}
