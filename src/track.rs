//! Records to track: quality, legs, gaps, reporting status, summary. No async,
//! no clocks, no files. Assembly never fails: it returns a track and findings.

pub(crate) mod agenda;
pub(crate) mod answer;
pub(crate) mod arrange;
mod assemble;
pub(crate) mod deployment;
mod fault;
pub(crate) mod field;
pub(crate) mod field_limit;
mod fixes;
pub(crate) mod forecast;
pub(crate) mod health;
pub(crate) mod interval;
pub(crate) mod listed;
mod newer;
mod options;
pub(crate) mod overview;
pub(crate) mod platform;
mod points;
mod proposal;
pub(crate) mod quality;
pub(crate) mod query;
pub(crate) mod recent;
mod record;
pub(crate) mod remote;
mod service_clock;
pub(crate) mod sort;
mod statistics;
pub(crate) mod time;
mod update;

#[cfg(test)]
mod tests;

pub(crate) use answer::{Answer, FetchDelta, RequestBasis, Validators};
pub(crate) use arrange::{Arrangement, Wording, matching_rows};
pub(crate) use deployment::{DeclaredState, Deployment, Limits, Window};
pub(crate) use fault::{JsonKind, Member, RecordFault};
pub(crate) use field_limit::{FieldLimit, FieldLimitChange, Side};
pub(crate) use fixes::{Fix, Leg, Track};
pub(crate) use health::{Health, LastAsked, State, ahead_s, late_after_s, overdue_after_s};
pub(crate) use newer::Newer;
pub(crate) use options::TrackOptions;
pub(crate) use overview::{LAST_DAYS_S, Overview};
pub(crate) use platform::Platform;
pub(crate) use proposal::median_position;
pub(crate) use quality::{Flag, FlagOverrides, Reason};
pub(crate) use record::{Early, InvalidRecord, InvalidTime, Records, Transmission, Unusable};
pub(crate) use service_clock::ServiceClock;
pub(crate) use sort::{DeploymentSort, TrackSort};
pub(crate) use statistics::Summary;
pub(crate) use update::{FetchRequest, Flags, Keep, Turn, Update, Wanted};
