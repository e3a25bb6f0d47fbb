//! The model of the dashboard: state, events, effects, and what changes the state.
//! Nothing here waits, reads a clock or opens a file; time enters as an event.

pub(crate) mod columns;
pub(crate) mod effect;
pub(crate) mod event;
pub(crate) mod field;
mod file_format;
pub(crate) mod first_run;
pub(crate) mod footer;
pub(crate) mod key;
pub(crate) mod keymap;
pub(crate) mod layout;
mod said;
pub(crate) mod state;
pub(crate) mod targets;
mod timer;
mod update;

pub(crate) use effect::{Announcement, Effect, ExportJob, Fetch, Secret, Wanted};
pub(crate) use event::{AcceptedToken, Event, ExportOutcome, RequestId};
pub(crate) use file_format::FileFormat;
pub(crate) use said::Said;
pub(crate) use state::{Connection, Host, Model, Watched};
pub(crate) use timer::TURN_S;
