//! An alarm: its kind, its states from raised to cleared, and the notifications of it.

use strum::{Display, EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::silence::Cause;

/// The greatest age at which an event is notified, seconds: an older one is recorded only.
const OLD_S: f64 = 86_400.0;
/// The wait before the first retry of a failed notification, seconds; each later wait is
/// twice as long.
const FIRST_RETRY_S: f64 = 60.0;
/// The longest wait for that, seconds.
pub(crate) const LONGEST_RETRY_S: f64 = 3600.0;
/// The clocks of programs on one archive may differ by this much, seconds.
const CLOCKS_DIFFER_S: f64 = 3600.0;
/// The first reminder comes after this long, seconds.
pub(crate) const FIRST_REMINDER_S: f64 = 86_400.0;
/// The others come this far apart, seconds.
const NEXT_REMINDER_S: f64 = 7.0 * 86_400.0;

/// The kind of an alarm: the condition that raises it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Kind {
    /// No fix came for longer than 3 T or the maximum age.
    Overdue,
    /// It left its watch circle.
    Outside,
    /// It moves straight and fast, as aboard a ship.
    PickedUp,
    /// A drifter no longer drifts.
    Stationary,
    /// A field is under its limit.
    Below,
    /// A field is over its limit.
    Above,
    /// The service cannot be reached.
    Unreachable,
}

impl Kind {
    /// The name used in files and on the command line.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }

    /// The name in a sentence: `picked up`. A service that refuses the token, or answers
    /// without records, fails as one does that cannot be reached.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::PickedUp => "picked up",
            Self::Unreachable => "fails",
            _ => self.name(),
        }
    }
}

/// The reply of a user to an alarm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum AlarmReply {
    /// It is known.
    Acknowledged,
    /// No reminder before this time, UNIX seconds.
    SnoozedUntil(f64),
}

/// An alarm.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Alarm {
    /// A short name, which never changes.
    pub id: String,
    /// The deployment; `None` if it is about the service.
    pub deployment: Option<Uuid>,
    /// The user's name for the deployment.
    pub label: Option<String>,
    /// The kind of the alarm.
    pub kind: Kind,
    /// The name of the field that it is about; empty if it is about none.
    pub field: String,
    /// When it happened, UNIX seconds.
    pub raised_at: f64,
    /// When driftline first saw it, UNIX seconds.
    pub seen_at: f64,
    /// When a user acknowledged it, UNIX seconds.
    pub acknowledged_at: Option<f64>,
    /// Until when it is snoozed, UNIX seconds.
    pub snoozed_until: Option<f64>,
    /// When it ended, UNIX seconds.
    pub cleared_at: Option<f64>,
    /// The time of the fix that raised it, UNIX seconds.
    pub fix_time: Option<f64>,
    /// The measured value: seconds, metres or metres per second.
    pub value: Option<f64>,
    /// Its limit, in the unit of the value.
    pub limit: Option<f64>,
    /// The event in words and SI units; empty for a silence.
    pub text: String,
    /// Why no fix came, of a silence.
    pub cause: Option<Cause>,
    /// Why it ended, if no fix ended it.
    pub ended: Option<String>,
    /// When the last notification was sent, UNIX seconds; `None` before the first.
    pub told_at: Option<f64>,
    /// The number of reminders sent.
    pub reminders: u32,
}

/// The state of an alarm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum AlarmState {
    /// No user has acknowledged or snoozed it.
    Raised,
    /// A user acknowledged it.
    Acknowledged,
    /// A user snoozed it.
    Snoozed,
    /// It has ended.
    Cleared,
}

impl AlarmState {
    /// The name used in files.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}

/// A transition of an alarm that is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum AlarmEvent {
    /// It was raised.
    Raised,
    /// It ended.
    Cleared,
    /// It has not ended, and nobody acknowledged it.
    Reminder,
}

impl AlarmEvent {
    /// Its name in the archive and in the object for `on_alarm`.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}

impl Alarm {
    /// Since when it has been wrong, UNIX seconds: since the fix that raised the alarm, or the
    /// last fix before a silence. Its limit may have been set later.
    pub(crate) fn since(&self) -> f64 {
        self.fix_time
            .map_or(self.raised_at, |fix| fix.min(self.raised_at))
    }

    /// Its state at `now` (UNIX seconds).
    pub(crate) fn state(&self, now: f64) -> AlarmState {
        if self.cleared_at.is_some() {
            AlarmState::Cleared
        } else if self.acknowledged_at.is_some() {
            AlarmState::Acknowledged
        } else if self.snoozed_until.is_some_and(|until| now < until) {
            AlarmState::Snoozed
        } else {
            AlarmState::Raised
        }
    }

    /// `true` if a reminder is due at `now` (UNIX seconds): a day after the notification,
    /// then weekly, and at the end of a snooze; never if it is acknowledged, or before the
    /// notification.
    pub(crate) fn is_reminder_due(&self, now: f64) -> bool {
        let Some(told_at) = self.told_at else {
            return false;
        };
        if self.state(now) != AlarmState::Raised {
            return false;
        }
        let wait = match self.reminders {
            0 => FIRST_REMINDER_S,
            _ => NEXT_REMINDER_S,
        };
        let snooze_ended = self.snoozed_until.is_some_and(|until| told_at < until);
        // The clock was ahead when the notification was sent.
        let is_ahead = told_at > now + CLOCKS_DIFFER_S;
        snooze_ended || is_ahead || now >= told_at + wait
    }
}

/// `true` if the end of an alarm at `at` that was first seen at `seen` (UNIX seconds) is
/// notified: at most a day is between them. An older end is only recorded.
pub(crate) fn is_told(at: f64, seen: f64) -> bool {
    seen - at <= OLD_S
}

/// The wait before a failed notification is sent again, seconds, after this many failures
/// in a row.
pub(crate) fn retry_wait(failures: u32) -> f64 {
    let doubled = i32::try_from(failures.saturating_sub(1)).unwrap_or(i32::MAX);
    (FIRST_RETRY_S * 2f64.powi(doubled)).min(LONGEST_RETRY_S)
}

/// `true` if a notification of an event that was first seen at `seen` is not tried again at
/// `now` (UNIX seconds).
pub(crate) fn is_given_up(seen: f64, now: f64) -> bool {
    now - seen > OLD_S
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: f64 = 86_400.0;

    fn notified() -> Alarm {
        Alarm {
            told_at: Some(0.0),
            ..crate::testing::dashboard::alarm("a", None, Kind::Outside, 0.0, 0.0)
        }
    }

    #[test]
    fn what_is_wrong_may_be_older_than_the_alarm() {
        let of = |fix_time: Option<f64>| {
            let alarm = Alarm {
                raised_at: 9.0 * DAY,
                fix_time,
                ..notified()
            };
            alarm.since()
        };
        // Its limit was set after nine days without a fix.
        assert_eq!(of(Some(0.0)), 0.0);
        assert_eq!([of(None), of(Some(10.0 * DAY))], [9.0 * DAY; 2]);
    }

    #[test]
    fn a_reminder_comes_after_a_day_then_weekly_unless_somebody_knows() {
        let mut alarm = notified();
        assert!(!alarm.is_reminder_due(DAY - 1.0));
        assert!(alarm.is_reminder_due(DAY));
        (alarm.told_at, alarm.reminders) = (Some(DAY), 1);
        assert!(!alarm.is_reminder_due(7.0 * DAY));
        assert!(alarm.is_reminder_due(8.0 * DAY));
        alarm.acknowledged_at = Some(5.0);
        assert!(!alarm.is_reminder_due(80.0 * DAY));
        assert_eq!(alarm.state(0.0), AlarmState::Acknowledged);
        // No reminder before the notification, nor after the end.
        let untold = Alarm {
            told_at: None,
            ..notified()
        };
        assert!(!untold.is_reminder_due(9.0 * DAY));
        let ended = Alarm {
            cleared_at: Some(1.0),
            ..notified()
        };
        assert!(!ended.is_reminder_due(9.0 * DAY));
        assert_eq!(ended.state(9.0), AlarmState::Cleared);
    }

    #[test]
    fn what_was_told_by_a_clock_that_was_ahead_is_reminded_of() {
        let mut alarm = notified();
        alarm.told_at = Some(3650.0 * DAY);
        assert!(alarm.is_reminder_due(DAY));
        alarm.told_at = Some(DAY + 60.0);
        assert!(!alarm.is_reminder_due(DAY));
    }

    #[test]
    fn a_snooze_ends_with_a_reminder() {
        let mut alarm = Alarm {
            snoozed_until: Some(2.0 * DAY),
            ..notified()
        };
        assert_eq!(alarm.state(DAY), AlarmState::Snoozed);
        assert!(!alarm.is_reminder_due(1.5 * DAY));
        assert!(alarm.is_reminder_due(2.0 * DAY));
        assert_eq!(alarm.state(2.0 * DAY), AlarmState::Raised);
        (alarm.told_at, alarm.reminders) = (Some(2.0 * DAY), 1);
        assert!(!alarm.is_reminder_due(2.1 * DAY));
    }

    #[test]
    fn what_could_not_be_told_is_told_again_at_growing_intervals() {
        let waits = [1, 2, 3, 6, 7, 8, 400].map(retry_wait);
        assert_eq!(waits, [60.0, 120.0, 240.0, 1920.0, 3600.0, 3600.0, 3600.0]);
        assert!(!is_given_up(0.0, DAY) && is_given_up(0.0, DAY + 1.0));
    }

    #[test]
    fn what_is_older_than_a_day_is_not_told() {
        assert!(is_told(0.0, DAY) && !is_told(0.0, DAY + 1.0));
        // A clock set back by a day.
        assert!(is_told(DAY, 0.0));
    }
}
