//! The life of an alarm: its kind and states, the episodes of a whole track that raise and
//! clear it, and when it is notified.

use std::borrow::Cow;

use strum::{Display, EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::silence::Cause;
use super::words::{Edge, Measured};
use crate::geo::{Inside, Position};
use crate::text::excerpt;
use crate::watch::DeploymentId;

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
/// Why an alarm ends which the fixes do not raise any more.
const NOT_RAISED: &str = "the fixes as they are now do not raise it";
/// Why an alarm ends whose limit was set again.
const NEW_LIMIT: &str = "its limit is another now";

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
    /// A limit cannot be judged.
    Unjudged,
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
            Self::Unjudged => "not judged",
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

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Alarm {
    /// A short name, which never changes.
    pub id: String,
    /// The deployment; `None` if it is about the service.
    pub deployment: Option<DeploymentId>,
    /// The user's name for the deployment.
    pub label: Option<String>,
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
    pub notified_at: Option<f64>,
    /// The number of reminders sent.
    pub reminders: u32,
}

/// The most urgent first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Display, EnumString, IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum AlarmState {
    /// No user has acknowledged or snoozed it.
    Raised,
    /// A user snoozed it.
    Snoozed,
    /// A user acknowledged it.
    Acknowledged,
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
    /// The UUID of the deployment; `None` if it is about the service.
    pub(crate) fn uuid(&self) -> Option<Uuid> {
        self.deployment.as_ref().map(|id| id.uuid)
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

    /// The alarm after a reply at `now` (UNIX seconds).
    pub(crate) fn replied(&self, reply: AlarmReply, now: f64) -> Self {
        let (acknowledged_at, snoozed_until) = match reply {
            _ if self.cleared_at.is_some() => (self.acknowledged_at, self.snoozed_until),
            AlarmReply::SnoozedUntil(until) => (None, Some(until)),
            AlarmReply::Acknowledged if self.acknowledged_at.is_some() => {
                (self.acknowledged_at, self.snoozed_until)
            }
            AlarmReply::Acknowledged => (Some(now), None),
        };
        Self {
            acknowledged_at,
            snoozed_until,
            ..self.clone()
        }
    }

    /// Its kind, with the field of a limit: `outside`, `below battery`.
    pub(crate) fn name(&self) -> Cow<'static, str> {
        match self.kind {
            Kind::Below | Kind::Above if !self.field.is_empty() => {
                let field = excerpt(&self.field, 40);
                Cow::Owned(format!("{} {field}", self.kind.word()))
            }
            kind => Cow::Borrowed(kind.word()),
        }
    }

    /// The measured value at `now` (UNIX seconds), by the time (UNIX seconds) and
    /// position of the last fix and the present watch circle or area. `None` if nothing
    /// newer is known than at its start, and if it has ended.
    pub(crate) fn current(
        &self,
        last: Option<(f64, Position)>,
        inside: Option<&Inside>,
        now: f64,
    ) -> Option<Measured> {
        if self.cleared_at.is_some() {
            return None;
        }
        match self.kind {
            Kind::Overdue => {
                let fix = self.fix_time?;
                let limit_s = self.limit?;
                let last = last.map_or(fix, |(time, _)| time.max(fix));
                let age_s = now - last;
                // A newer fix may not have been judged yet.
                (age_s > limit_s).then_some(Measured::Silent { age_s, limit_s })
            }
            Kind::Outside => {
                // An older fix means that the fix which raised it is excluded now.
                let (_, position) = last.filter(|(time, _)| Some(*time) >= self.fix_time)?;
                Some(Measured::new(inside?, inside?.over_m(position)))
            }
            Kind::PickedUp
            | Kind::Stationary
            | Kind::Below
            | Kind::Above
            | Kind::Unjudged
            | Kind::Unreachable => None,
        }
    }

    /// The measured value that raised it; `None` if its text says more than its numbers.
    pub(super) fn at_start(&self) -> Option<Measured> {
        let value = self.value?;
        let limit = self.limit?;
        match self.kind {
            Kind::Overdue => Some(Measured::Silent {
                age_s: value,
                limit_s: limit,
            }),
            // An area has no centre, and its limit is 0.
            Kind::Outside => Some(Measured::Outside {
                over_m: value - limit,
                edge: match limit {
                    radius_m if radius_m > 0.0 => Edge::Circle(radius_m),
                    _ => Edge::Area("area".to_owned()),
                },
            }),
            Kind::PickedUp => Some(Measured::Carried {
                speed_m_s: value,
                limit_m_s: limit,
            }),
            Kind::Stationary => Some(Measured::Still {
                spread_m: value,
                limit_m: limit,
            }),
            // Only the text has the unit of a field, or why.
            Kind::Below | Kind::Above | Kind::Unjudged | Kind::Unreachable => None,
        }
    }

    /// `true` if a reminder is due at `now` (UNIX seconds): a day after the notification,
    /// then weekly, and at the end of a snooze; never if it is acknowledged, or before the
    /// notification.
    pub(crate) fn is_reminder_due(&self, now: f64) -> bool {
        let Some(notified_at) = self.notified_at else {
            return false;
        };
        if self.state(now) != AlarmState::Raised {
            return false;
        }
        let wait = match self.reminders {
            0 => FIRST_REMINDER_S,
            _ => NEXT_REMINDER_S,
        };
        let snooze_ended = self.snoozed_until.is_some_and(|until| notified_at < until);
        snooze_ended || now >= notified_at + wait
    }

    /// `true` if the clock was ahead of `now` (UNIX seconds) when the last notification was sent:
    /// the wait for a reminder begins again.
    pub(crate) fn is_notified_ahead(&self, now: f64) -> bool {
        self.notified_at
            .is_some_and(|at| at > now + CLOCKS_DIFFER_S)
    }

    /// `true` if it is active by a fix that is later than `now` (UNIX seconds): a fix raises
    /// nothing before its time, so the clock is behind now, and cannot judge it.
    pub(crate) fn is_ahead(&self, now: f64) -> bool {
        self.cleared_at.is_none() && self.fix_time.is_some_and(|fix| fix > now)
    }

    /// `true` if it was open at a time of an episode.
    fn meets(&self, episode: &Episode) -> bool {
        let end = |until: Option<f64>| until.unwrap_or(f64::INFINITY);
        let from = self.fix_time.unwrap_or(self.raised_at);
        from <= end(episode.until) && episode.fix_time <= end(self.cleared_at)
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

/// A time in which the fixes of a whole track, or the clock, raise an alarm.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Episode {
    /// When it began, UNIX seconds.
    pub at: f64,
    /// The fix that raised it, UNIX seconds.
    pub fix_time: f64,
    /// The measured value.
    pub value: f64,
    /// Its limit, in the unit of the value.
    pub limit: f64,
    /// The event in words; empty for a silence, because its age goes on.
    pub text: String,
    /// Why no fix came, of a silence.
    pub cause: Option<Cause>,
    /// Its end, UNIX seconds; `None` before.
    pub until: Option<f64>,
}

impl Episode {
    /// An episode that begins with a fix at a time (UNIX seconds), by what was measured.
    /// `more` is added to the text; it may be empty.
    pub(super) fn by_fix(at: f64, measured: &Measured, more: &str) -> Self {
        let (value, limit) = measured.numbers();
        let mut text = measured.text();
        if !more.is_empty() {
            text.push_str("; ");
            text.push_str(more);
        }
        Self {
            at,
            fix_time: at,
            value,
            limit,
            text,
            cause: None,
            until: None,
        }
    }
}

/// A change to the alarms of a rule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// A new alarm, which may have ended already.
    Raised(Episode),
    /// An alarm goes on, with the numbers of the present fixes.
    Still {
        id: String,
        /// The episode of the alarm as it is now.
        episode: Episode,
    },
    /// The end of an alarm.
    Ended {
        id: String,
        /// When, UNIX seconds.
        at: f64,
        /// Why, if no fix ended it: "its limit was taken away".
        why: Option<String>,
    },
}

/// Ends the open episode at a time, UNIX seconds.
pub(super) fn end(episodes: &mut [Episode], at: f64) {
    if let Some(episode) = episodes.last_mut() {
        episode.until = Some(at);
    }
}

/// `true` if an episode has not ended.
pub(super) fn is_open(episodes: &[Episode]) -> bool {
    episodes
        .last()
        .is_some_and(|episode| episode.until.is_none())
}

/// The episodes of a rule that was set at `since` (UNIX seconds): without those that had
/// ended by then, and beginning then at the earliest.
pub(super) fn counted(mut episodes: Vec<Episode>, since: f64) -> Vec<Episode> {
    episodes.retain(|episode| episode.until.is_none_or(|until| until > since));
    for episode in &mut episodes {
        episode.at = episode.at.max(since);
    }
    episodes
}

/// The changes at `now` (UNIX seconds) to the `known` alarms of a rule after which each
/// episode of the whole track has an alarm, and the open episode has the open alarm. The
/// episodes are in the order of time.
pub(crate) fn changes(episodes: Vec<Episode>, known: &[Alarm], now: f64) -> Vec<Change> {
    let mut open = known.iter().find(|alarm| alarm.cleared_at.is_none());
    // The open alarm belongs to the first episode in which or after which it was raised: a
    // later episode is another alarm, even if nobody judged the track in between.
    let own = open.and_then(|open| episodes.iter().position(|episode| open.meets(episode)));
    let mut changes = Vec::new();
    let mut ended = Vec::new();
    if let Some(alarm) = open.take_if(|_| own.is_none()) {
        ended.push(Change::Ended {
            id: alarm.id.clone(),
            // The clock may have been set back.
            at: now.max(alarm.raised_at),
            why: Some(NOT_RAISED.to_owned()),
        });
    }
    for (index, episode) in episodes.into_iter().enumerate() {
        if let Some(alarm) = open.take_if(|_| own == Some(index)) {
            let id = alarm.id.clone();
            match episode.until {
                None => changes.push(Change::Still { id, episode }),
                Some(at) => ended.push(Change::Ended { id, at, why: None }),
            }
            continue;
        }
        let mut ends = known
            .iter()
            .filter(|alarm| alarm.meets(&episode))
            .filter_map(|alarm| alarm.cleared_at)
            .peekable();
        match episode.until {
            // A new alarm does not begin before the end of an earlier one of this episode.
            None => {
                let at = ends.fold(episode.at, f64::max);
                changes.push(Change::Raised(Episode { at, ..episode }));
            }
            Some(_) if ends.peek().is_none() => changes.push(Change::Raised(episode)),
            Some(_) => {}
        }
    }
    // The open alarm ends before another is raised.
    ended.extend(changes);
    ended
}

/// The same changes where the limit was set again at `since` (UNIX seconds): an alarm that is active
/// by the earlier limit ends, with its acknowledgement, and another begins.
pub(crate) fn restarted(changes: Vec<Change>, since: f64) -> Vec<Change> {
    let anew = |change| match change {
        Change::Still { id, episode } => {
            let at = episode.at.max(since);
            let why = Some(NEW_LIMIT.to_owned());
            let ended = Change::Ended { id, at: since, why };
            vec![ended, Change::Raised(Episode { at, ..episode })]
        }
        change => vec![change],
    };
    changes.into_iter().flat_map(anew).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: f64 = 86_400.0;

    fn notified() -> Alarm {
        Alarm {
            notified_at: Some(0.0),
            ..crate::testing::dashboard::alarm("a", None, Kind::Outside, 0.0, 0.0)
        }
    }

    #[test]
    fn a_reminder_comes_after_a_day_then_weekly_unless_somebody_knows() {
        let mut alarm = notified();
        assert!(!alarm.is_reminder_due(DAY - 1.0));
        assert!(alarm.is_reminder_due(DAY));
        (alarm.notified_at, alarm.reminders) = (Some(DAY), 1);
        assert!(!alarm.is_reminder_due(7.0 * DAY));
        assert!(alarm.is_reminder_due(8.0 * DAY));
        alarm.acknowledged_at = Some(5.0);
        assert!(!alarm.is_reminder_due(80.0 * DAY));
        assert_eq!(alarm.state(0.0), AlarmState::Acknowledged);
        // No reminder before the notification, nor after the end.
        let untold = Alarm {
            notified_at: None,
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
    fn what_was_told_by_a_clock_that_was_ahead_is_known_as_such() {
        let mut alarm = notified();
        alarm.notified_at = Some(3650.0 * DAY);
        assert!(alarm.is_notified_ahead(DAY) && !alarm.is_reminder_due(DAY));
        alarm.notified_at = Some(DAY + 60.0);
        assert!(!alarm.is_notified_ahead(DAY) && !alarm.is_reminder_due(DAY));
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
        (alarm.notified_at, alarm.reminders) = (Some(2.0 * DAY), 1);
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
