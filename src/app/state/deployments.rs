//! The watch list on the Deployments tab: order, filter and cursor.

use std::collections::HashSet;

use uuid::Uuid;

use super::deployment::{Choices, DeploymentState, Listing};
use super::deployment_sort::DeploymentSort;
use super::table::{Direction, TableState};
use crate::alarm::AlarmState;
use crate::chart::View;
use crate::geo::projection::Projection;
use crate::track::{Deployment, State};

/// The state of the Deployments tab.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeploymentsTab {
    /// The watch list, in the order of the entries' creation.
    pub list: Vec<DeploymentState>,
    /// Indices into `list` in the order shown, filter applied.
    pub order: Vec<usize>,
    /// Cursor over `order`.
    pub table: TableState,
    /// Whether the user has put the cursor on a deployment: until then it is on
    /// the first row, whatever the order.
    pub(in crate::app) is_chosen: bool,
    /// The deployment under the cursor before the rows were filtered, unless
    /// the cursor was moved since.
    pub(in crate::app) before_filter: Option<Uuid>,
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
    /// Whether tracks arrived since the rows were sorted.
    pub(in crate::app) is_unsorted: bool,
    /// Number of edits of entries and flags by the user.
    pub(in crate::app) edits: u64,
}

impl DeploymentsTab {
    pub(in crate::app) fn new(watched: Vec<Deployment>, configured: &[Uuid], now: f64) -> Self {
        let mut tab = Self::default();
        let mut known = HashSet::new();
        for entry in watched {
            if known.insert(entry.uuid) {
                tab.add(entry, now);
            }
        }
        let configured: HashSet<&Uuid> = configured.iter().collect();
        for one in &mut tab.list {
            if configured.contains(&one.deployment.uuid) {
                one.listing = Listing::Configured;
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

    /// Shows a deployment with default settings, unless it is on the list.
    pub(in crate::app) fn ensure(&mut self, uuid: Uuid, now: f64) {
        if self.get(uuid).is_none() {
            self.add(Deployment::new(uuid), now);
            if let Some(one) = self.list.last_mut() {
                one.listing = Listing::Shown;
            }
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

    /// Whether the greatest value of the sorted column comes first, of the status
    /// the worst.
    pub(crate) fn is_descending(&self) -> bool {
        let greatest_first = match self.sort {
            DeploymentSort::State | DeploymentSort::Speed | DeploymentSort::Fixes => true,
            DeploymentSort::Name | DeploymentSort::Age => false,
        };
        greatest_first == (self.direction == Direction::Ascending)
    }

    /// Puts the cursor on a deployment.
    pub(in crate::app) fn select(&mut self, uuid: Uuid) {
        let row = self.shown().position(|one| one.deployment.uuid == uuid);
        if let Some(row) = row {
            self.table.cursor = row;
            self.is_chosen = true;
        }
    }

    /// Sorts and filters again. The cursor stays on the deployment that the user
    /// put it on, else on the first row.
    pub(in crate::app) fn arrange(&mut self, now: f64) {
        self.is_unsorted = false;
        let selected = self.selected().filter(|_| self.is_chosen);
        let selected = selected.map(|one| one.deployment.uuid);
        let filter = self.filter.to_lowercase();
        let mut rows: Vec<(SortKey, String, usize)> = Vec::with_capacity(self.list.len());
        for (index, one) in self.list.iter().enumerate() {
            if one.contains(&filter, now) {
                rows.push((self.sort.key(one, now), one.name().to_lowercase(), index));
            }
        }
        let compare = |a: &(SortKey, String, usize), b: &(SortKey, String, usize)| {
            a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1))
        };
        rows.sort_by(|a, b| match self.direction {
            Direction::Ascending => compare(a, b),
            Direction::Descending => compare(b, a),
        });
        self.order = rows.into_iter().map(|(_, _, index)| index).collect();
        match selected {
            Some(uuid) => self.select(uuid),
            None if !self.is_chosen => self.table = TableState::default(),
            None => {}
        }
    }
}

/// What rows are sorted by before their name: the smallest first.
type SortKey = f64;

impl DeploymentSort {
    /// The key of a row, worked out once for each sort.
    fn key(self, one: &DeploymentState, now: f64) -> SortKey {
        match self {
            Self::State => match one.alarm(now) {
                // An alarm that nobody has acknowledged is worse than any status,
                // a known one as bad as `overdue`.
                Some((_, AlarmState::Raised)) => f64::NEG_INFINITY,
                Some(_) => -f64::from(badness(one.health(now).state).max(4)),
                None => -f64::from(badness(one.health(now).state)),
            },
            Self::Name => 0.0,
            Self::Age => one.health(now).age_s.unwrap_or(f64::INFINITY),
            Self::Speed => -last_speed(one),
            #[allow(clippy::cast_precision_loss)] // no track has 2^53 fixes
            Self::Fixes => -(fixes(one) as f64),
        }
    }
}

/// Severity of a status: the list begins with the worst.
fn badness(state: State) -> u8 {
    match state {
        State::Recovered | State::DeclaredLost => 0,
        State::OnTime => 1,
        State::Unknown => 2,
        State::Late => 3,
        State::Overdue => 4,
        State::Lost => 5,
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
