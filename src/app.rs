//! The dashboard without a terminal: state, events, effects and update. Nothing
//! here waits, reads a clock or opens a file; time enters as an event.

pub mod effect;
pub mod event;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod state;
mod timer;
mod update;

#[cfg(test)]
mod tests;

pub use effect::{Effect, ExportJob, Secret};
pub use event::{AcceptedToken, Event, ExportOutcome, RequestId};
pub use state::{Connection, Model, Start};
pub use timer::TURN_S;
pub use update::update;
