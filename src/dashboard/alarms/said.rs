//! What a user says of an alarm.

/// What a user says of an alarm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Said {
    /// The user knows of it.
    Acknowledged,
    /// It is to be reminded of after this time, UNIX seconds.
    SnoozedUntil(f64),
}
