//! Intake: the way from a request to what is stored, judged and shown, for the
//! dashboard, `collect` and the commands.

pub(crate) mod alarms;
pub(crate) mod collect;
pub(crate) mod fetch;
pub(crate) mod fleet;
pub(crate) mod judge;
pub(crate) mod overviews;
pub(crate) mod prepare;
pub(crate) mod turn;
