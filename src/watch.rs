//! An instrument that is watched: an entry of the watch list with its limits, when it is asked
//! for, what is asked and answered, and its overview. No async, no clocks, no files.

pub(crate) mod agenda;
pub(crate) mod answer;
pub(crate) mod deployment;
pub(crate) mod id;
pub(crate) mod listed;
pub(crate) mod overview;
mod proposal;
mod update;
mod whereabouts;

pub(crate) use answer::{Answer, FetchDelta, RequestBasis, Validators};
pub(crate) use deployment::{Deployment, Limits};
pub(crate) use id::DeploymentId;
pub(crate) use overview::{LAST_DAYS_S, Overview};
pub(crate) use proposal::median_position;
pub(crate) use update::{FetchRequest, Flags, Keep, Turn, Update, Wanted};
pub(crate) use whereabouts::{Fact, Whereabouts};
