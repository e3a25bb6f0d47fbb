//! The watch list on the Deployments tab: order, filter and cursor.

use std::cmp::Ordering;

use uuid::Uuid;

use super::deployment::{Choices, DeploymentState};
use super::table::{Direction, TableState};
use crate::chart::View;
use crate::geo::projection::Projection;
use crate::track::{Deployment, State};

/// The sort orders of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum DeploymentSort {
    /// Worst status first.
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
    pub(crate) const ALL: [Self; 5] =
        [Self::State, Self::Name, Self::Age, Self::Speed, Self::Fixes];
}

/// The state of the Deployments tab.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeploymentsTab {
    /// The watch list, in the order of the entries' creation.
    pub list: Vec<DeploymentState>,
    /// Indices into `list` in the order shown, filter applied.
    pub order: Vec<usize>,
    /// Cursor over `order`.
    pub table: TableState,
    /// The filter of the rows.
    pub filter: String,
    /// The sort order of the rows.
    pub sort: DeploymentSort,
    /// The sort direction.
    pub direction: Direction,
    /// The view of the world map; `None`: the world.
    pub view: Option<View>,
    /// The chosen projection of a fitted view; `None`: a globe if one shows
    /// every instrument, else equirectangular.
    pub projection: Option<Projection>,
    /// Removed entries, the last one last, for undo.
    pub removed: Vec<Deployment>,
}

impl DeploymentsTab {
    pub(in crate::app) fn new(watched: Vec<Deployment>, now: f64) -> Self {
        let mut tab = Self::default();
        for entry in watched {
            if tab.get(entry.uuid).is_none() {
                tab.add(entry, now);
            }
        }
        tab
    }

    /// The deployment with this UUID.
    pub(crate) fn get(&self, uuid: Uuid) -> Option<&DeploymentState> {
        self.list.iter().find(|one| one.deployment.uuid == uuid)
    }

    /// The deployment with this UUID, to change.
    pub(in crate::app) fn get_mut(&mut self, uuid: Uuid) -> Option<&mut DeploymentState> {
        self.list.iter_mut().find(|one| one.deployment.uuid == uuid)
    }

    /// The deployments in the order shown.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &DeploymentState> {
        self.order.iter().filter_map(|&index| self.list.get(index))
    }

    /// The deployment under the cursor.
    pub(crate) fn selected(&self) -> Option<&DeploymentState> {
        self.list.get(*self.order.get(self.table.cursor)?)
    }

    /// Adds a deployment with default settings, unless it is on the list.
    pub(in crate::app) fn ensure(&mut self, uuid: Uuid, now: f64) {
        if self.get(uuid).is_none() {
            self.add(Deployment::new(uuid), now);
        }
    }

    /// Adds a deployment, fetched at once. Failed fixes are included or
    /// excluded as they are for the others.
    pub(in crate::app) fn add(&mut self, deployment: Deployment, now: f64) {
        let choices = Choices {
            exclude_failed: self
                .list
                .first()
                .is_none_or(|other| other.choices.exclude_failed),
            ..Choices::default()
        };
        self.list
            .push(DeploymentState::new(deployment, choices, now));
        self.order.push(self.list.len() - 1);
    }

    /// Puts the cursor on a deployment.
    pub(in crate::app) fn select(&mut self, uuid: Uuid) {
        let row = self.shown().position(|one| one.deployment.uuid == uuid);
        if let Some(row) = row {
            self.table.cursor = row;
        }
    }

    /// Sorts and filters again; the cursor stays on its deployment.
    pub(in crate::app) fn arrange(&mut self, now: f64) {
        let selected = self.selected().map(|one| one.deployment.uuid);
        let filter = self.filter.to_lowercase();
        let mut order: Vec<usize> = (0..self.list.len())
            .filter(|&index| {
                self.list.get(index).is_some_and(|one| {
                    filter.is_empty()
                        || one.name().to_lowercase().contains(&filter)
                        || one.deployment.uuid.to_string().contains(&filter)
                        || one.deployment.platform.name().contains(&filter)
                        || one.health(now).state.word().contains(&filter)
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

    fn compare(&self, a: &DeploymentState, b: &DeploymentState, now: f64) -> Ordering {
        let by_name = || a.name().to_lowercase().cmp(&b.name().to_lowercase());
        let first = match self.sort {
            DeploymentSort::State => {
                let badness = |d: &DeploymentState| match d.alarm(now) {
                    // An exceeded alarm limit is worse than any status.
                    Some(_) => u8::MAX,
                    None => badness(d.health(now).state),
                };
                badness(b).cmp(&badness(a))
            }
            DeploymentSort::Name => Ordering::Equal,
            DeploymentSort::Age => {
                let age = |d: &DeploymentState| d.health(now).age_s.unwrap_or(f64::INFINITY);
                age(a).total_cmp(&age(b))
            }
            DeploymentSort::Speed => last_speed(b).total_cmp(&last_speed(a)),
            DeploymentSort::Fixes => fixes(b).cmp(&fixes(a)),
        };
        first.then_with(by_name)
    }
}

/// Severity of a status: the list begins with the worst.
fn badness(state: State) -> u8 {
    match state {
        State::OnTime => 0,
        State::Unknown => 1,
        State::Late => 2,
        State::Overdue => 3,
        State::Lost => 4,
    }
}

fn last_speed(deployment: &DeploymentState) -> f64 {
    deployment
        .track
        .get()
        .and_then(|track| track.leg(track.latest()?.index)?.speed_m_s)
        .unwrap_or(-1.0)
}

fn fixes(deployment: &DeploymentState) -> usize {
    deployment.track.get().map_or(0, |track| track.len())
}
