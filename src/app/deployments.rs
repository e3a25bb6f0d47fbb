//! The Deployments tab: the watch list, each with its track, state and next
//! refresh.

use std::cmp::Ordering;
use std::sync::Arc;

use uuid::Uuid;

use super::effect::Effect;
use super::event::{FailureKind, FetchDelta, Watched};
use super::keymap::Action;
use super::model::Model;
use super::remote::FetchState;
use super::table::{Direction, TableState};
use crate::chart::PreparedTrack;
use crate::choice;
use crate::track::{Alarm, Health, Limits, Platform, State};

/// At most so many fetches run side by side.
const SIDE_BY_SIDE: usize = 4;
/// A failing deployment is tried again after at most so many seconds.
const LONGEST_BACKOFF_S: f64 = 300.0;

/// One watched deployment.
#[derive(Debug, Clone)]
pub struct Deployment {
    /// The deployment.
    pub uuid: Uuid,
    /// A name for people.
    pub label: Option<String>,
    /// Kind of platform.
    pub platform: Platform,
    /// What it is held to.
    pub limits: Limits,
    /// What a person wrote down about it.
    pub notes: Option<String>,
    /// Its track.
    pub track: FetchState<Arc<PreparedTrack>>,
    /// What the last refresh added.
    pub brought: Option<FetchDelta>,
    /// Something to know about the last answer.
    pub note: Option<String>,
    /// When it is refreshed next, UNIX seconds.
    pub due: f64,
    /// Failures in a row.
    pub failures: u32,
}

impl Deployment {
    fn new(watched: Watched, now: f64) -> Self {
        Self {
            uuid: watched.uuid,
            label: watched.label,
            platform: watched.platform,
            limits: watched.limits,
            notes: watched.notes,
            track: FetchState::default(),
            brought: None,
            note: None,
            due: now,
            failures: 0,
        }
    }

    /// Its entry on the watch list.
    pub fn watched(&self) -> Watched {
        Watched {
            uuid: self.uuid,
            label: self.label.clone(),
            platform: self.platform,
            limits: self.limits,
            notes: self.notes.clone(),
        }
    }

    /// The label, or the UUID where there is none.
    pub fn name(&self) -> String {
        self.label.clone().unwrap_or_else(|| self.uuid.to_string())
    }

    /// The limit that its latest fix breaks.
    pub fn alarm(&self, now: f64) -> Option<Alarm> {
        self.limits.exceeded(&self.track.get()?.latest()?, now)
    }

    /// Whether it still reports.
    pub fn health(&self, now: f64) -> Health {
        self.track
            .get()
            .map_or_else(Health::default, |track| track.health(now))
    }
}

/// What the list is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeploymentSort {
    /// Worst state first.
    #[default]
    State,
    /// By name.
    Name,
    /// By age of the last fix.
    Age,
    /// By speed of the last leg.
    Speed,
    /// By number of fixes.
    Fixes,
}

impl DeploymentSort {
    /// In the order of the `s` key.
    pub const ALL: [Self; 5] = [Self::State, Self::Name, Self::Age, Self::Speed, Self::Fixes];
}

/// The tab.
#[derive(Debug, Clone, Default)]
pub struct DeploymentsTab {
    /// The watch list, in the order it was made.
    pub list: Vec<Deployment>,
    /// Indices into `list` in the order shown, filter applied.
    pub order: Vec<usize>,
    /// Cursor over `order`.
    pub table: TableState,
    /// What the rows are filtered by.
    pub filter: String,
    /// What the rows are sorted by.
    pub sort: DeploymentSort,
    /// Which way round.
    pub direction: Direction,
    /// The view of the world map; none: the world.
    pub view: Option<crate::chart::View>,
    /// Entries taken off, the last one last, for undo.
    pub removed: Vec<Watched>,
}

impl DeploymentsTab {
    pub(super) fn new(watched: Vec<Watched>, now: f64) -> Self {
        let mut tab = Self::default();
        for entry in watched {
            if tab.get(entry.uuid).is_none() {
                tab.list.push(Deployment::new(entry, now));
            }
        }
        tab.order = (0..tab.list.len()).collect();
        tab
    }

    /// The deployment with this UUID.
    pub fn get(&self, uuid: Uuid) -> Option<&Deployment> {
        self.list.iter().find(|deployment| deployment.uuid == uuid)
    }

    /// The deployment with this UUID, to change.
    pub(super) fn get_mut(&mut self, uuid: Uuid) -> Option<&mut Deployment> {
        self.list
            .iter_mut()
            .find(|deployment| deployment.uuid == uuid)
    }

    /// The deployments in the order shown.
    pub fn shown(&self) -> impl Iterator<Item = &Deployment> {
        self.order.iter().filter_map(|&index| self.list.get(index))
    }

    /// The deployment under the cursor.
    pub fn selected(&self) -> Option<&Deployment> {
        self.list.get(*self.order.get(self.table.cursor)?)
    }

    /// Makes sure that a deployment is on the list.
    pub(super) fn ensure(&mut self, uuid: Uuid, now: f64) {
        if self.get(uuid).is_none() {
            self.add(
                Watched {
                    uuid,
                    label: None,
                    platform: Platform::default(),
                    limits: Limits::default(),
                    notes: None,
                },
                now,
            );
        }
    }

    /// Adds a deployment, due at once.
    pub(super) fn add(&mut self, watched: Watched, now: f64) {
        self.list.push(Deployment::new(watched, now));
        self.order.push(self.list.len() - 1);
    }

    /// Puts the cursor on a deployment.
    pub(super) fn select(&mut self, uuid: Uuid) {
        let row = self.shown().position(|deployment| deployment.uuid == uuid);
        if let Some(row) = row {
            self.table.cursor = row;
        }
    }

    /// Sorts and filters anew; the cursor stays on its deployment.
    pub(super) fn arrange(&mut self, now: f64) {
        let selected = self.selected().map(|deployment| deployment.uuid);
        let filter = self.filter.to_lowercase();
        let mut order: Vec<usize> = (0..self.list.len())
            .filter(|&index| {
                self.list.get(index).is_some_and(|deployment| {
                    filter.is_empty()
                        || deployment.name().to_lowercase().contains(&filter)
                        || deployment.uuid.to_string().contains(&filter)
                        || deployment.platform.name().contains(&filter)
                        || deployment.health(now).state.word().contains(&filter)
                })
            })
            .collect();
        let compare = |a: &usize, b: &usize| match (self.list.get(*a), self.list.get(*b)) {
            (Some(a), Some(b)) => self.compare(a, b, now),
            _ => Ordering::Equal,
        };
        order.sort_by(|a, b| match self.direction {
            Direction::Ascending => compare(a, b),
            Direction::Descending => compare(b, a),
        });
        self.order = order;
        if let Some(uuid) = selected {
            self.select(uuid);
        }
    }

    fn compare(&self, a: &Deployment, b: &Deployment, now: f64) -> Ordering {
        let by_name = || a.name().to_lowercase().cmp(&b.name().to_lowercase());
        let first = match self.sort {
            DeploymentSort::State => {
                let badness = |d: &Deployment| match d.alarm(now) {
                    // A limit that a person set is the gravest to break.
                    Some(_) => u8::MAX,
                    None => badness(d.health(now).state),
                };
                badness(b).cmp(&badness(a))
            }
            DeploymentSort::Name => Ordering::Equal,
            DeploymentSort::Age => {
                let age = |d: &Deployment| d.health(now).age_s.unwrap_or(f64::INFINITY);
                age(a).total_cmp(&age(b))
            }
            DeploymentSort::Speed => last_speed(b).total_cmp(&last_speed(a)),
            DeploymentSort::Fixes => fixes(b).cmp(&fixes(a)),
        };
        first.then_with(by_name)
    }
}

/// How much a state wants a person: the worst is shown first.
fn badness(state: State) -> u8 {
    match state {
        State::OnTime => 0,
        State::Unknown => 1,
        State::Late => 2,
        State::Overdue => 3,
        State::Lost => 4,
    }
}

fn last_speed(deployment: &Deployment) -> f64 {
    deployment
        .track
        .get()
        .and_then(|track| track.leg(track.latest()?.index)?.speed_m_s)
        .unwrap_or(-1.0)
}

fn fixes(deployment: &Deployment) -> usize {
    deployment.track.get().map_or(0, |track| track.len())
}

impl Model {
    /// Begins the fetches that are due, at most four side by side.
    pub(super) fn refresh_due(&mut self) -> Vec<Effect> {
        if self.paused || matches!(self.connection, super::model::Connection::Refused(_)) {
            return Vec::new();
        }
        let mut free = SIDE_BY_SIDE.saturating_sub(
            self.deployments
                .list
                .iter()
                .filter(|d| d.track.loading.is_some())
                .count(),
        );
        let mut due: Vec<(f64, Uuid)> = self
            .deployments
            .list
            .iter()
            .filter(|d| d.track.loading.is_none() && d.due <= self.now)
            .map(|d| (d.due, d.uuid))
            .collect();
        // What a person looks at comes first, then what has waited longest.
        let open = self.track.open;
        due.sort_by(|a, b| {
            (Some(b.1) == open)
                .cmp(&(Some(a.1) == open))
                .then(a.0.total_cmp(&b.0))
        });
        let mut effects = Vec::new();
        for (_, uuid) in due {
            if free == 0 {
                break;
            }
            free -= 1;
            effects.extend(self.fetch(uuid));
        }
        effects
    }

    /// Begins a fetch of one deployment; one under way is superseded.
    pub(super) fn fetch(&mut self, uuid: Uuid) -> Vec<Effect> {
        let request = self.next_request();
        let (now, exclude_failed) = (self.now, self.track.exclude_failed);
        let Some(deployment) = self.deployments.get_mut(uuid) else {
            return Vec::new();
        };
        let superseded = deployment.track.cancel().map(Effect::Cancel);
        deployment.track.begin(request, now);
        let platform = deployment.platform;
        superseded
            .into_iter()
            .chain([Effect::FetchTrack {
                request,
                deployment: uuid,
                platform,
                exclude_failed,
            }])
            .collect()
    }

    /// When a deployment is refreshed next: after the interval, spread by up
    /// to a tenth so that many do not come at once, later after failures.
    pub(super) fn schedule(&mut self, uuid: Uuid) {
        let (now, interval) = (self.now, self.refresh_s);
        if let Some(deployment) = self.deployments.get_mut(uuid) {
            let spread = f64::from(
                uuid.as_bytes()
                    .iter()
                    .fold(0u8, |sum, byte| sum.wrapping_add(*byte)),
            ) / 255.0;
            let backoff = f64::from(2u32.saturating_pow(deployment.failures.min(8)));
            let wait = (interval * backoff).min(LONGEST_BACKOFF_S.max(interval));
            deployment.due = now + wait * (0.9 + 0.2 * spread);
        }
    }

    /// An action on the Deployments tab.
    pub(super) fn act_on_deployments(&mut self, action: Action) -> Vec<Effect> {
        let selected = self.deployments.selected().map(Deployment::watched);
        match (action, selected) {
            (Action::Open, Some(watched)) => self.open_track(watched.uuid),
            (Action::RemoveDeployment, Some(watched)) => {
                let name = watched
                    .label
                    .clone()
                    .unwrap_or_else(|| watched.uuid.to_string());
                let uuid = watched.uuid;
                let cancelled = self
                    .deployments
                    .get_mut(uuid)
                    .and_then(|d| d.track.cancel());
                self.deployments
                    .list
                    .retain(|deployment| deployment.uuid != uuid);
                self.deployments.removed.push(watched);
                self.deployments.arrange(self.now);
                if self.track.open == Some(uuid) {
                    self.track.open = None;
                    self.track.forget();
                }
                self.notify(format!("{name} taken off the list; U brings it back"));
                cancelled
                    .map(Effect::Cancel)
                    .into_iter()
                    .chain([Effect::Unwatch(uuid)])
                    .collect()
            }
            (Action::Undo, _) => match self.deployments.removed.pop() {
                Some(watched) => {
                    self.deployments.add(watched.clone(), self.now);
                    self.deployments.arrange(self.now);
                    self.deployments.select(watched.uuid);
                    let mut effects = vec![Effect::Watch(watched)];
                    effects.extend(self.refresh_due());
                    effects
                }
                None => {
                    self.notify("nothing was taken off the list");
                    Vec::new()
                }
            },
            (Action::SetPlatform, Some(mut watched)) => {
                watched.platform = choice::next(watched.platform);
                if let Some(deployment) = self.deployments.get_mut(watched.uuid) {
                    deployment.platform = watched.platform;
                }
                self.notify(format!("platform: {}", watched.platform));
                let reassemble = Effect::Reassemble {
                    deployment: watched.uuid,
                    platform: watched.platform,
                    exclude_failed: self.track.exclude_failed,
                };
                vec![Effect::Watch(watched), reassemble]
            }
            (Action::SortColumn, _) => {
                let all = DeploymentSort::ALL;
                let place = all
                    .iter()
                    .position(|sort| *sort == self.deployments.sort)
                    .unwrap_or(0);
                self.deployments.sort = all
                    .get((place + 1) % all.len())
                    .copied()
                    .unwrap_or_default();
                self.deployments.arrange(self.now);
                Vec::new()
            }
            (Action::SortDirection, _) => {
                self.deployments.direction = self.deployments.direction.reversed();
                self.deployments.arrange(self.now);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Whether no request is sent by itself because the token was refused.
    pub(super) fn refused(kind: FailureKind) -> bool {
        kind == FailureKind::NotAuthenticated
    }
}
