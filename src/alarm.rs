//! Alarms of watched deployments: rules, states and words. From alarms, a track and a time
//! it makes changes; it has no clock, no input and no output.

mod life;
mod rules;
mod silence;
#[cfg(test)]
mod tests;
mod unjudged;
mod words;

pub(crate) use life::{
    Alarm, AlarmEvent, AlarmReply, AlarmState, Change, Episode, FIRST_REMINDER_S, Kind,
    LONGEST_RETRY_S, changes, is_given_up, is_told, restarted, retry_wait,
};
pub(crate) use rules::{FieldNow, Rule, episodes, rules, why_no_rule};
#[cfg(test)]
pub(crate) use silence::Unanswered;
pub(crate) use silence::{Cause, Silence};
pub(crate) use unjudged::{Unjudged, last_judged, not_numbers, unjudged, unjudged_changes};
pub(crate) use words::{FRESH_S, Length, Words, distances};
