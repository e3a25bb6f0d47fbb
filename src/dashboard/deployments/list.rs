//! The watched deployments with the state of each: what every tab and the header show of them.

use std::collections::HashMap;

use uuid::Uuid;

use super::deployment::{DeploymentState, Listing};
use super::fetch_state::Loading;
use super::moment::Moment;
use super::row_words::Widest;
use crate::dashboard::event::RequestId;
use crate::dashboard::history::LocalChange;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::track::State;
use crate::watch::Deployment;
use crate::watch::agenda::{Agenda, LastAnswer};

/// The most tracks in memory: all of a list of this length, of a longer one those shown
/// last.
pub(crate) const MOST_HELD: usize = 32;

/// The rows that show the deployments against what they were sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Change {
    /// They are sorted.
    #[default]
    None,
    /// Tracks arrived or a status changed: they are sorted before the next frame. Until then
    /// a key acts on the row that the user sees.
    Values,
    /// Entries were edited, came or went: they are sorted at once.
    Entries,
}

/// The watched deployments.
#[derive(Debug, Clone, Default)]
pub(crate) struct Deployments {
    /// The watch list, in the order of the entries' creation.
    pub list: Vec<DeploymentState>,
    /// Why the watch list of the archive could not be read.
    pub unread: Option<Failure>,
    /// Seconds between two requests for one of them at least.
    refresh_s: f64,
    /// The index of each into `list`.
    indices: HashMap<Uuid, usize>,
    /// The greatest change since the rows were sorted.
    pub(in crate::dashboard) change: Change,
    /// Counts changes of positions: values computed before are out of date.
    pub(crate) placed: u64,
    /// The widest texts of all rows.
    pub widest: Widest,
    /// The status of each in the order of `list`, as it was when the rows were sorted.
    states: Vec<State>,
    /// The local changes of this session that can be undone.
    pub history: Vec<LocalChange>,
    /// Number of edits of entries and flags by the user.
    pub(in crate::dashboard) edits: u64,
    /// Which deployments are fetched, and when.
    pub(crate) agenda: Agenda,
    /// `true` if refreshing is paused.
    pub paused: bool,
    /// When they were last checked for silence, UNIX seconds.
    pub(in crate::dashboard) judged_at: f64,
    /// `true` while the last values of the selected deployment's fields are read.
    pub(in crate::dashboard) is_reading_values: bool,
    /// The moment that the list and its map show; `None` for now.
    pub(crate) moment: Option<Moment>,
    /// The deployment that is open on Track.
    pub open: Option<Uuid>,
    /// The deployments whose tracks were shown, the latest last.
    pub(in crate::dashboard) opened: Vec<Uuid>,
}

impl Deployments {
    /// Tells the deployments whether their service fails, after an answer or a failure.
    pub(in crate::dashboard) fn look_at_service(&mut self) {
        let fails = self.agenda.service().fails();
        let mut list = self.list.iter();
        if list.any(|deployment| deployment.service_fails != fails) {
            self.change = self.change.max(Change::Values);
            for deployment in &mut self.list {
                deployment.service_fails = fails;
            }
        }
    }

    /// The service has answered this program for a deployment, at `at` (UNIX
    /// seconds).
    pub(in crate::dashboard) fn answered(&mut self, uuid: Uuid, at: f64) {
        if let Some(known) = self.get(uuid) {
            self.agenda.answered(uuid, known.last_answer(at));
            self.note_wait(uuid);
            self.look_at_service();
        }
    }

    /// The service has answered another program for a deployment, at `at` (UNIX seconds).
    pub(in crate::dashboard) fn answered_to_another(&mut self, uuid: Uuid, at: f64) {
        if let Some(known) = self.get(uuid) {
            self.agenda.answered_to_another(uuid, known.last_answer(at));
            self.note_wait(uuid);
        }
    }

    /// Tells a deployment how long its last answer holds.
    fn note_wait(&mut self, uuid: Uuid) {
        let wait_s = self.agenda.shortest_wait_s(uuid);
        if let Some((deployment, wait_s)) = self.get_mut(uuid).zip(wait_s) {
            deployment.wait_s = wait_s;
        }
    }

    pub(in crate::dashboard) fn new(
        watched: Vec<Deployment>,
        answers: &HashMap<Uuid, LastAnswer>,
        settings: &Settings,
        now: f64,
    ) -> Self {
        let refresh_s = settings.refresh.as_secs_f64();
        let mut all = Self {
            refresh_s,
            agenda: Agenda::new(refresh_s),
            judged_at: now,
            ..Self::default()
        };
        for entry in &watched {
            let answer = answers.get(&entry.id.uuid).copied();
            all.agenda.put(entry.id.uuid, answer, now);
        }
        for entry in watched {
            if all.get(entry.id.uuid).is_none() {
                all.add(entry, now);
            }
        }
        for entry in &settings.deployments {
            if let Some(deployment) = all.get_mut(entry.id.uuid) {
                deployment.listing = Listing::Configured;
            }
        }
        all.states = all.states_at(now);
        all
    }

    /// The deployment with this UUID.
    pub(crate) fn get(&self, uuid: Uuid) -> Option<&DeploymentState> {
        self.list.get(*self.indices.get(&uuid)?)
    }

    /// The place of a deployment in the list.
    pub(crate) fn index(&self, uuid: Uuid) -> Option<usize> {
        self.indices.get(&uuid).copied()
    }

    /// The name of a deployment on the list.
    pub(crate) fn name_by_id(&self, uuid: Uuid) -> Option<String> {
        self.get(uuid).map(|known| known.name())
    }

    /// The deployment with this UUID, to change.
    pub(crate) fn get_mut(&mut self, uuid: Uuid) -> Option<&mut DeploymentState> {
        self.list.get_mut(*self.indices.get(&uuid)?)
    }

    /// Takes off the deployments that `stays` is false of.
    pub(in crate::dashboard) fn retain(
        &mut self,
        mut stays: impl FnMut(&mut DeploymentState) -> bool,
    ) {
        self.list.retain_mut(&mut stays);
        self.placed += 1;
        let uuids = self.list.iter().map(|deployment| deployment.uuid());
        self.indices = uuids.zip(0..).collect();
        self.change = Change::Entries;
        let indices = &self.indices;
        self.agenda.retain(|uuid| indices.contains_key(&uuid));
    }

    /// The deployments with a request in progress.
    pub(crate) fn loading(&self) -> impl Iterator<Item = (&DeploymentState, Loading)> {
        let known = self.agenda.asking().filter_map(|uuid| self.get(uuid));
        known.filter_map(|deployment| Some((deployment, deployment.track.loading?)))
    }

    /// The deployment of a request in progress.
    pub(crate) fn with_request(&self, request: RequestId) -> Option<Uuid> {
        let mut all = self.loading();
        let (deployment, _) = all.find(|(_, loading)| loading.request == request)?;
        Some(deployment.uuid())
    }

    /// `true` if all tracks of the list fit in memory.
    pub(in crate::dashboard) fn are_all_held(&self) -> bool {
        self.list.len() <= MOST_HELD
    }

    /// Drops the tracks that were shown longest ago, beyond the limit.
    pub(in crate::dashboard) fn let_go(&mut self) {
        if self.are_all_held() {
            return;
        }
        let shown = |uuid: &Uuid| self.opened.iter().rposition(|opened| opened == uuid);
        let list = self.list.iter();
        let held = list.filter(|deployment| deployment.track.is_held());
        let mut held: Vec<Uuid> = held.map(|deployment| deployment.uuid()).collect();
        let over = held.len().saturating_sub(MOST_HELD);
        let is_marked = |uuid: &Uuid| {
            self.get(*uuid)
                .is_some_and(|deployment| deployment.mark.is_some())
        };
        held.sort_by_key(|uuid| (Some(*uuid) == self.open || is_marked(uuid), shown(uuid)));
        held.truncate(over);
        for uuid in held {
            if let Some(deployment) = self.get_mut(uuid) {
                deployment.track.let_go();
            }
        }
    }

    /// Has the service judged by the deployments that alarms are raised for at `now` (UNIX
    /// seconds).
    pub(in crate::dashboard) fn count_active(&mut self, now: f64) {
        for deployment in &self.list {
            let until = if deployment.is_active(now) {
                f64::INFINITY
            } else {
                f64::NEG_INFINITY
            };
            self.agenda.counts_until(deployment.uuid(), until);
        }
    }

    /// Adds a deployment, fetched at once. Failed fixes are included or
    /// excluded as they are for the others.
    pub(in crate::dashboard) fn add(&mut self, deployment: Deployment, now: f64) {
        let uuid = deployment.id.uuid;
        // A deployment on the list is not restored again.
        self.history.retain(
            |change| !matches!(change, LocalChange::Removed(removed) if removed.id.uuid == uuid),
        );
        self.indices.insert(uuid, self.list.len());
        self.agenda.put(uuid, None, now);
        self.agenda.limit_age(uuid, deployment.limits.max_age_s);
        let mut added = DeploymentState::new(deployment, self.refresh_s);
        if let Some(other) = self.list.first() {
            added.exclude_failed = other.exclude_failed;
        }
        self.list.push(added);
        self.note_wait(uuid);
        self.change = Change::Entries;
    }

    /// Tracks arrived, or a status changed: the rows are sorted before the next frame.
    pub(in crate::dashboard) fn values_changed(&mut self) {
        self.change = self.change.max(Change::Values);
    }

    /// Entries were edited, came or went: the rows are sorted at once.
    pub(in crate::dashboard) fn entries_changed(&mut self) {
        self.change = Change::Entries;
    }

    /// Has the rows sorted if the time alone has changed a status by `now` (UNIX seconds).
    pub(in crate::dashboard) fn time_passes(&mut self, now: f64) {
        if self.states_at(now) != self.states {
            self.values_changed();
        }
    }

    fn states_at(&self, now: f64) -> Vec<State> {
        let all = self.list.iter();
        all.map(|deployment| deployment.health(now).state).collect()
    }

    /// Sums up all rows for the screen: once for each sort.
    pub(super) fn sum_up(&mut self, now: f64) {
        self.widest = Widest::default();
        for deployment in &self.list {
            self.widest.add(deployment, now);
        }
        self.states = self.states_at(now);
    }
}
