//! The life of an alarm, from raised to cleared, and its transitions that are reported.

use strum::{Display, EnumString, IntoStaticStr};
use uuid::Uuid;

use super::kind::Kind;

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

/// An alarm.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Alarm {
    /// A short name, which stays.
    pub id: String,
    /// The deployment; `None` where it is about the service.
    pub deployment: Option<Uuid>,
    /// The user's name for the deployment.
    pub label: Option<String>,
    /// The kind of the alarm.
    pub kind: Kind,
    /// The field that it is about, as the service has it; empty where it is about none.
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
    /// The event in words and SI units; of a silence its cause alone. Why it ended is behind it.
    pub text: String,
    /// When it was last told or reminded of, UNIX seconds; `None` before.
    pub told_at: Option<f64>,
    /// How many reminders were told.
    pub reminders: u32,
}

/// Where an alarm is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum AlarmState {
    /// Nobody has said anything of it.
    Raised,
    /// A user knows of it.
    Acknowledged,
    /// A user snoozed it.
    Snoozed,
    /// It has ended.
    Cleared,
}

/// Begins the reason why an alarm has ended, behind its text.
pub(crate) const ENDED: &str = "ended: ";

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
    /// It still stands.
    Reminder,
}

impl AlarmEvent {
    /// Its name in the archive and in the object for `on_alarm`.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}

impl Alarm {
    /// The text without why the alarm has ended, and that where it is known.
    pub(crate) fn text_and_end(&self) -> (&str, Option<&str>) {
        let end = self.cleared_at.and_then(|_| self.text.rsplit_once(ENDED));
        match end {
            Some((text, why)) => (text.strip_suffix("; ").unwrap_or(text), Some(why)),
            None => (&self.text, None),
        }
    }

    /// Where it is in its life at `now` (UNIX seconds).
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

    /// `true` if a reminder is due at `now` (UNIX seconds): a day after it was told,
    /// then weekly, and at the end of a snooze; never of one that is acknowledged
    /// or was not told.
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
        // The clock was ahead when it was told.
        let is_ahead = told_at > now + CLOCKS_DIFFER_S;
        snooze_ended || is_ahead || now >= told_at + wait
    }
}

/// `true` if something that ended at `at` and was first seen at `seen` (UNIX seconds) is
/// told: at most a day lies between. What is older is recorded only.
pub(crate) fn is_told(at: f64, seen: f64) -> bool {
    seen - at <= OLD_S
}

/// How long what could not be told is not told again, seconds, after so many failures
/// in a row.
pub(crate) fn retry_wait(failures: u32) -> f64 {
    let doubled = i32::try_from(failures.saturating_sub(1)).unwrap_or(i32::MAX);
    (FIRST_RETRY_S * 2f64.powi(doubled)).min(LONGEST_RETRY_S)
}

/// `true` if what was first seen at `seen` and could not be told is given up at `now`
/// (UNIX seconds).
pub(crate) fn is_given_up(seen: f64, now: f64) -> bool {
    now - seen > OLD_S
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: f64 = 86_400.0;

    fn alarm() -> Alarm {
        Alarm {
            id: "a".to_owned(),
            deployment: None,
            label: None,
            kind: Kind::Outside,
            field: String::new(),
            raised_at: 0.0,
            seen_at: 0.0,
            acknowledged_at: None,
            snoozed_until: None,
            cleared_at: None,
            fix_time: None,
            value: None,
            limit: None,
            text: String::new(),
            told_at: Some(0.0),
            reminders: 0,
        }
    }

    #[test]
    fn a_reminder_comes_after_a_day_then_weekly_unless_somebody_knows() {
        let mut one = alarm();
        assert!(!one.is_reminder_due(DAY - 1.0));
        assert!(one.is_reminder_due(DAY));
        (one.told_at, one.reminders) = (Some(DAY), 1);
        assert!(!one.is_reminder_due(7.0 * DAY));
        assert!(one.is_reminder_due(8.0 * DAY));
        one.acknowledged_at = Some(5.0);
        assert!(!one.is_reminder_due(80.0 * DAY));
        assert_eq!(one.state(0.0), AlarmState::Acknowledged);
        // What was never told is not reminded of, nor is what has ended.
        let untold = Alarm {
            told_at: None,
            ..alarm()
        };
        assert!(!untold.is_reminder_due(9.0 * DAY));
        let ended = Alarm {
            cleared_at: Some(1.0),
            ..alarm()
        };
        assert!(!ended.is_reminder_due(9.0 * DAY));
        assert_eq!(ended.state(9.0), AlarmState::Cleared);
    }

    #[test]
    fn what_was_told_by_a_clock_that_was_ahead_is_reminded_of() {
        let mut one = alarm();
        one.told_at = Some(3650.0 * DAY);
        assert!(one.is_reminder_due(DAY));
        one.told_at = Some(DAY + 60.0);
        assert!(!one.is_reminder_due(DAY));
    }

    #[test]
    fn a_snooze_ends_with_a_reminder() {
        let mut one = Alarm {
            snoozed_until: Some(2.0 * DAY),
            ..alarm()
        };
        assert_eq!(one.state(DAY), AlarmState::Snoozed);
        assert!(!one.is_reminder_due(1.5 * DAY));
        assert!(one.is_reminder_due(2.0 * DAY));
        assert_eq!(one.state(2.0 * DAY), AlarmState::Raised);
        (one.told_at, one.reminders) = (Some(2.0 * DAY), 1);
        assert!(!one.is_reminder_due(2.1 * DAY));
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
