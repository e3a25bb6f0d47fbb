//! The last value of a field with a limit, beside the value that raised its alarm.

use super::life::Alarm;
use super::rules::{Rule, last_value};
use crate::track::{FieldLimit, Track, time};

/// The last value of a field with a limit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldNow {
    /// The limit.
    limit: FieldLimit,
    /// The value, in the unit of the limit.
    value: f64,
    /// The time of its fix, UNIX seconds.
    at: f64,
}

impl FieldNow {
    /// The last values in a track of the fields of these limits; without those that no
    /// included fix has.
    pub(crate) fn of_track(limits: &[FieldLimit], track: &Track) -> Vec<Self> {
        let all = limits.iter().filter_map(|limit| {
            let (at, value) = last_value(limit, track)?;
            let limit = limit.clone();
            Some(Self { limit, value, at })
        });
        all.collect()
    }

    /// The value in a sentence on an alarm: "now 11.4 V at 2026-11-22T10:00:00Z". `None`
    /// where the alarm is of another field or side, and where no value came after the one
    /// that raised it.
    pub(crate) fn text(&self, alarm: &Alarm) -> Option<String> {
        let is_of_alarm =
            alarm.field == self.limit.field && alarm.kind == Rule::Field(self.limit.clone()).kind();
        let is_later = alarm.fix_time.is_none_or(|fix| fix < self.at);
        (is_of_alarm && is_later).then(|| {
            format!(
                "now {} at {}",
                self.limit.with_unit(self.value),
                time::rfc3339(self.at.floor())
            )
        })
    }
}
