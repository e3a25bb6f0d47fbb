//! The dashboard without a terminal: Model, Event, Effect and update. Nothing
//! here waits, reads a clock or opens a file; time enters as an event.

mod deployments;
pub mod dialog;
mod effect;
mod event;
pub mod key;
pub mod keymap;
pub mod layout;
mod map;
mod model;
mod plants;
mod remote;
mod replies;
pub mod table;
mod time_range;
mod timer;
mod track;
mod update;

#[cfg(test)]
mod tests;

pub use deployments::{Deployment, DeploymentSort, DeploymentsTab};
pub use effect::{Effect, Secret, Whole};
pub use event::{
    Event, Exchange, Failure, FailureKind, FetchDelta, LoadedTrack, PlantDone, RequestId, Watched,
};
pub use model::{Clock, Connection, Model, Notice, Pane, Start, Tab};
pub use plants::{PlantsTab, UnderWay};
pub use remote::{FetchState, Loading};
pub use time_range::Window;
pub use timer::TURN_S;
pub use track::{TrackSort, TrackTab};
pub use update::update;
