//! What comes back from the tasks: tracks, plants, tokens, files.

use uuid::Uuid;

use super::dialog::{Dialog, TokenForm};
use super::effect::Effect;
use super::event::{Failure, FailureKind, LoadedTrack, PlantDone, RequestId};
use super::model::{Connection, Model};

impl Model {
    pub(super) fn track_came(
        &mut self,
        request: RequestId,
        uuid: Uuid,
        outcome: Result<LoadedTrack, Failure>,
    ) -> Vec<Effect> {
        let now = self.now;
        let Some(deployment) = self.deployments.get_mut(uuid) else {
            return Vec::new();
        };
        if !deployment.track.awaits(request) {
            return Vec::new();
        }
        match outcome {
            Ok(arrival) => {
                let fetched_at = arrival.fetched_at;
                deployment.failures = 0;
                deployment.brought = arrival.brought;
                deployment.note = arrival.note;
                deployment
                    .track
                    .settle(request, Ok(arrival.track), fetched_at);
                self.connection = Connection::Good(now);
                self.schedule(uuid);
                let mut effects = self.after_track(uuid);
                effects.extend(self.refresh_due());
                effects
            }
            Err(failure) if failure.kind == FailureKind::Cancelled => {
                deployment.track.cancel();
                self.schedule(uuid);
                Vec::new()
            }
            Err(failure) => {
                deployment.failures += 1;
                deployment.track.settle(request, Err(failure.clone()), now);
                self.schedule(uuid);
                if Self::refused(failure.kind) {
                    self.token_wanted(failure);
                } else {
                    self.connection = match failure.kind {
                        // An answer came: the service is there.
                        FailureKind::Service | FailureKind::NotUnderstood => Connection::Good(now),
                        _ => Connection::Failing(failure, now),
                    };
                }
                self.refresh_due()
            }
        }
    }

    /// No token, or one the service refused: nothing is sent by itself until
    /// there is another, and a dialog asks for it once.
    fn token_wanted(&mut self, failure: Failure) {
        let asked = matches!(self.connection, Connection::Refused(_));
        let why = failure.message.clone();
        self.connection = Connection::Refused(failure);
        if !asked
            && !self
                .dialogs
                .iter()
                .any(|dialog| matches!(dialog, Dialog::Token(_)))
        {
            self.dialogs.push(Dialog::Token(TokenForm {
                why,
                ..TokenForm::default()
            }));
        }
    }

    pub(super) fn kept_came(&mut self, uuid: Uuid, arrival: LoadedTrack) -> Vec<Effect> {
        if let Some(deployment) = self.deployments.get_mut(uuid)
            && deployment.track.value.is_none()
        {
            deployment.track.value = Some((arrival.track, arrival.fetched_at));
            return self.after_track(uuid);
        }
        Vec::new()
    }

    /// A track came or changed: what is shown of it follows. A window is cut
    /// from it anew.
    pub(super) fn after_track(&mut self, uuid: Uuid) -> Vec<Effect> {
        self.deployments.arrange(self.now);
        if self.track.open.is_none() {
            self.track.open = Some(uuid);
        }
        let mut effects = Vec::new();
        if self.track.open == Some(uuid) {
            self.track_changed();
            effects = self.window_wanted();
        }
        self.settle();
        effects
    }

    pub(super) fn plant_done(
        &mut self,
        request: RequestId,
        outcome: Result<PlantDone, Failure>,
    ) -> Vec<Effect> {
        self.plants
            .under_way
            .retain(|under_way| under_way.request != request);
        let form = self.dialogs.iter().position(
            |dialog| matches!(dialog, Dialog::PlantForm(form) if form.sending == Some(request)),
        );
        match outcome {
            Ok(done) => {
                if let Some(place) = form {
                    self.dialogs.remove(place);
                }
                self.notify(done.words);
                self.plants.table.cursor = 0;
            }
            Err(failure) => {
                if let Some(Dialog::PlantForm(form)) =
                    form.and_then(|place| self.dialogs.get_mut(place))
                {
                    form.sending = None;
                    form.failure = sentence(&failure);
                } else {
                    self.warn(sentence(&failure));
                }
                if Self::refused(failure.kind) {
                    self.token_wanted(failure);
                }
            }
        }
        let waiting = self
            .dialogs
            .iter()
            .any(|d| matches!(d, Dialog::Quit(leave) if leave.waiting));
        if self.plants.under_way.is_empty() {
            self.dialogs
                .retain(|dialog| !matches!(dialog, Dialog::Quit(_)));
            if waiting {
                return vec![Effect::Quit];
            }
        }
        Vec::new()
    }

    pub(super) fn token_tried(
        &mut self,
        request: RequestId,
        outcome: Result<String, Failure>,
    ) -> Vec<Effect> {
        let place = self.dialogs.iter().position(
            |dialog| matches!(dialog, Dialog::Token(form) if form.trying == Some(request)),
        );
        match outcome {
            Ok(words) => {
                if let Some(place) = place {
                    self.dialogs.remove(place);
                }
                self.connection = Connection::Untried;
                for deployment in &mut self.deployments.list {
                    deployment.failures = 0;
                    deployment.due = self.now;
                }
                self.notify(words);
                self.refresh_due()
            }
            Err(failure) => {
                if let Some(Dialog::Token(form)) =
                    place.and_then(|place| self.dialogs.get_mut(place))
                {
                    form.trying = None;
                    form.secret.clear();
                    form.error = sentence(&failure);
                }
                Vec::new()
            }
        }
    }

    pub(super) fn exported(&mut self, request: RequestId, outcome: Result<String, Failure>) {
        let place = self.dialogs.iter().position(
            |dialog| matches!(dialog, Dialog::Export(form) if form.writing == Some(request)),
        );
        match (outcome, place) {
            (Ok(words), place) => {
                if let Some(place) = place {
                    self.dialogs.remove(place);
                }
                self.notify(words);
            }
            (Err(failure), Some(place)) => {
                if let Some(Dialog::Export(form)) = self.dialogs.get_mut(place) {
                    form.writing = None;
                    // The file is there: Enter once more replaces it.
                    form.confirm_replace =
                        failure.kind == FailureKind::Usage && !form.confirm_replace;
                    form.path.error = sentence(&failure);
                }
            }
            (Err(failure), None) => self.warn(sentence(&failure)),
        }
    }
}

/// A failure in one line: what and why, then what to do.
pub(super) fn sentence(failure: &Failure) -> String {
    match failure.hint.as_str() {
        "" => failure.message.clone(),
        hint => format!("{}. {hint}", failure.message.trim_end_matches('.')),
    }
}
