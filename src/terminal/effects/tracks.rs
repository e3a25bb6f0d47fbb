//! Work on a track, off the thread that draws.

use std::sync::Arc;

use uuid::Uuid;

use super::Services;
use crate::dashboard::compute::Job;
use crate::dashboard::event::Event;
use crate::intake::prepare;
use crate::map::{DistanceTo, PreparedTrack};

impl Services {
    /// Does a job of the dashboard.
    pub(super) fn compute(&mut self, job: Job) {
        self.tasks.job(job.request, async move {
            let change = match job.waits {
                true => prepare::in_turn(|| job.run()).await,
                false => prepare::off_the_loop(|| job.run()).await,
            };
            change.map(Event::Computed)
        });
    }

    /// Reads the fields of a track, and prepares them for drawing.
    pub(super) fn read_fields(
        &self,
        deployment: Uuid,
        track: Arc<PreparedTrack>,
        others: Vec<DistanceTo>,
    ) {
        let store = self.store.clone();
        self.tasks.spawn(async move {
            let whole = Arc::clone(track.track());
            let outcome = prepare::fields(&store, deployment, whole, others).await;
            Ok(Event::FieldsRead { track, outcome })
        });
    }
}
