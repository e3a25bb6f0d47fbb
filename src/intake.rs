//! Intake: what is done with what a service has answered. The rules of alarms are applied
//! here, to what the archive has.

mod judge;
#[cfg(test)]
mod tests;

pub(crate) use judge::{AtHand, judge, judge_by_clock};
