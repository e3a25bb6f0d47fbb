//! Alarms of watched deployments: the rules, and the life of an alarm as a state
//! machine. (alarms, track, now) to transitions; no clocks, no input or output.

mod apart;
mod episode;
mod field_now;
mod kind;
mod life;
mod rules;
mod silence;
#[cfg(test)]
mod tests;
mod unjudged;
mod words;

pub(crate) use episode::{Change, Episode, Known, changes};
pub(crate) use field_now::FieldNow;
pub(crate) use kind::Kind;
pub(crate) use life::{
    Alarm, AlarmEvent, AlarmState, ENDED, FIRST_REMINDER_S, LONGEST_RETRY_S, is_given_up, is_told,
    retry_wait,
};
pub(crate) use rules::{Rule, episodes, rules, why_no_rule};
pub(crate) use silence::Silence;
pub(crate) use unjudged::{last_judged, why_unjudged};
pub(crate) use words::{Length, Measured, Words};
