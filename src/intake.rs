//! Intake: the way from a request to what is stored, judged and shown, for the
//! dashboard, `collect` and the commands.

pub(crate) mod alarms;
pub(crate) mod archived;
pub(crate) mod collect;
pub(crate) mod fleet;
pub(crate) mod judge;
pub(crate) mod keep;
pub(crate) mod neighbours;
mod notes;
pub(crate) mod overviews;
pub(crate) mod prepare;
mod refusal;
pub(crate) mod source;
mod turn;
pub(crate) mod update;
