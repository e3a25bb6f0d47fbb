//! Alarms of watched deployments: the rules, and the life of an alarm as a state
//! machine. (alarms, track, now) to transitions; no clocks, no input or output.

mod kind;
mod life;
mod rules;
#[cfg(test)]
mod tests;

pub(crate) use kind::Kind;
pub(crate) use life::{Alarm, AlarmEvent, AlarmState, is_told};
pub(crate) use rules::{Found, Progress, Rule, Seen, judge, rules};
