//! Records to track: quality, legs, gaps, reporting status, summary. No async,
//! no clocks, no files. Assembly never fails: it returns a track and findings.

pub(crate) mod arrange;
mod assemble;
mod fault;
pub(crate) mod field;
pub(crate) mod field_limit;
mod fixes;
pub(crate) mod forecast;
pub(crate) mod health;
pub(crate) mod interval;
mod newer;
mod options;
pub(crate) mod platform;
pub(crate) mod quality;
pub(crate) mod query;
pub(crate) mod recent;
mod record;
mod service_clock;
pub(crate) mod sort;
mod statistics;
pub(crate) mod time;
mod window;

#[cfg(test)]
mod tests;

pub(crate) use arrange::{Arrangement, Wording, matching_rows};
pub(crate) use fault::{JsonKind, Member, RecordFault};
pub(crate) use field_limit::{FieldLimit, FieldLimitChange, Side};
pub(crate) use fixes::{Fix, Leg, Track};
pub(crate) use health::{Health, LastAsked, State, age_s, ahead_s, late_after_s, overdue_after_s};
pub(crate) use interval::Burst;
pub(crate) use newer::Newer;
pub(crate) use options::TrackOptions;
pub(crate) use platform::Platform;
pub(crate) use quality::{Flag, FlagOverrides, Reason};
pub(crate) use record::{Early, InvalidRecord, InvalidTime, Records, Transmission, Unusable};
pub(crate) use service_clock::ServiceClock;
pub(crate) use sort::{DeploymentSort, TrackSort};
pub(crate) use statistics::Summary;
pub(crate) use window::{DeclaredState, Window};
