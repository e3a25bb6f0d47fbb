//! Alarms of watched deployments: the rules, and the life of an alarm as a state
//! machine. (alarms, track, now) to transitions; no clocks, no input or output.

mod again;
mod apart;
mod current;
mod field_now;
mod found;
mod kind;
mod life;
mod rules;
#[cfg(test)]
mod tests;

pub(crate) use again::{Episode, judge_again};
pub(crate) use apart::{apart, spans};
pub(crate) use current::Current;
pub(crate) use field_now::FieldNow;
pub(crate) use found::{Found, Progress, Seen};
pub(crate) use kind::Kind;
pub(crate) use life::{
    Alarm, AlarmEvent, AlarmState, FIRST_REMINDER_S, LONGEST_RETRY_S, is_given_up, is_told,
    retry_wait,
};
pub(crate) use rules::{Rule, judge, needs_earlier, rules, why_no_rule};
