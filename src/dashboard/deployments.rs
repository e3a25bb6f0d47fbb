//! The Deployments tab: the watch list, its map, and the details of the selected
//! deployment.

mod archived;
mod cells;
pub(super) mod deployment;
pub(super) mod detail;
pub(super) mod fetch_state;
mod fetching;
mod harm;
mod limit_words;
pub(crate) mod moment;
pub(super) mod table;
mod update;
mod widest;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use uuid::Uuid;

use self::deployment::{DeploymentState, Listing};
use self::fetch_state::Loading;
use self::moment::Moment;
use self::widest::Widest;
use crate::dashboard::event::RequestId;
use crate::dashboard::widgets::cached::Cached;
use crate::dashboard::widgets::table_state::TableState;
use crate::failure::Failure;
use crate::geo::projection::{Projection, UsualProjection};
use crate::map::View;
use crate::settings::Settings;
use crate::track::agenda::{Agenda, LastAnswer};
use crate::track::query::Query;
use crate::track::remote::Remote;
use crate::track::sort::SortedBy;
use crate::track::{Deployment, DeploymentSort};

/// The most tracks in memory: all of a list of this length, of a longer one those shown
/// last.
pub(crate) const MOST_HELD: usize = 32;

/// The state of the Deployments tab.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeploymentsTab {
    /// The watch list, in the order of the entries' creation.
    pub list: Vec<DeploymentState>,
    /// Why the watch list of the archive could not be read.
    pub unread: Option<Failure>,
    /// Seconds between two requests for one of them at least.
    refresh_s: f64,
    /// The index of each into `list`.
    indices: HashMap<Uuid, usize>,
    /// Indices into `list` in the order shown, filter applied.
    pub order: Vec<usize>,
    /// Cursor over `order`.
    pub table: TableState,
    /// `true` if the user has put the cursor on a deployment: until then it is on
    /// the first row, whatever the order.
    pub(crate) is_chosen: bool,
    /// The deployment under the cursor before the rows were filtered, unless
    /// the cursor was moved since.
    pub(crate) before_filter: Option<Uuid>,
    /// The filter of the rows: each of its words must be in a row.
    pub filter: Query,
    /// The sort order of the rows.
    pub sort: SortedBy<DeploymentSort>,
    /// The view of the world map; `None` for the fitted one.
    pub view: Option<View>,
    /// The chosen projection of a fitted view; `None` for the usual one.
    pub projection: Option<Projection>,
    /// The view that was fitted last.
    pub(crate) fitted: Arc<Mutex<Cached<FittedTo, View>>>,
    /// How often the rows were sorted and filtered.
    pub(crate) sorted: u64,
    /// Counts changes of positions: values computed before are out of date.
    pub(crate) placed: u64,
    /// The widest texts of all rows.
    pub widest: Widest,
    /// `true` if tracks arrived or a status changed since the rows were sorted.
    pub(crate) is_unsorted: bool,
    /// When the status of any of them changes next by the time alone, UNIX seconds,
    /// as it was when the rows were sorted.
    pub(in crate::dashboard) next_status: Option<f64>,
    /// Number of edits of entries and flags by the user.
    pub(in crate::dashboard) edits: u64,
    /// Which deployments are fetched, and when.
    pub(crate) agenda: Agenda,
    /// `true` while the last values of the selected deployment's fields are read.
    pub(in crate::dashboard) is_reading_values: bool,
    /// The moment that the list and its map show; `None` for now.
    pub(crate) moment: Option<Moment>,
    /// The deployment that is open on Track.
    pub open: Option<Uuid>,
    /// The deployments whose tracks were shown, the latest last.
    pub(in crate::dashboard) opened: Vec<Uuid>,
}

/// The inputs that a view of the list's map was fitted to: the positions, columns and lines,
/// the height of a cell over its width, and the chosen projection with the usual one.
pub(crate) type FittedTo = (u64, u16, u16, f64, (Option<Projection>, UsualProjection));

impl DeploymentsTab {
    pub(in crate::dashboard) fn new(
        watched: Vec<Deployment>,
        answers: &HashMap<Uuid, LastAnswer>,
        settings: &Settings,
        now: f64,
    ) -> Self {
        let refresh_s = settings.refresh.as_secs_f64();
        let sort = settings.deployments_sort;
        let mut tab = Self {
            refresh_s,
            agenda: Agenda::new(refresh_s),
            sort,
            is_unsorted: sort != SortedBy::default(),
            ..Self::default()
        };
        for entry in &watched {
            let answer = answers.get(&entry.uuid).copied();
            tab.agenda.put(entry.uuid, answer, now);
        }
        for entry in watched {
            if tab.get(entry.uuid).is_none() {
                tab.add(entry, now);
            }
        }
        for entry in &settings.deployments {
            if let Some(deployment) = tab.get_mut(entry.uuid) {
                deployment.listing = Listing::Configured;
            }
        }
        tab
    }

    /// The deployment with this UUID.
    pub(crate) fn get(&self, uuid: Uuid) -> Option<&DeploymentState> {
        self.list.get(*self.indices.get(&uuid)?)
    }

    /// The name of a deployment on the list.
    pub(crate) fn name_of(&self, uuid: Uuid) -> Option<String> {
        self.get(uuid).map(|known| known.name())
    }

    /// The deployment that its service calls so.
    pub(crate) fn called(&self, id: &str) -> Option<Uuid> {
        let mut all = self.list.iter().map(|deployment| deployment.uuid());
        all.find(|uuid| Remote::shown(*uuid) == id)
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
        // The row indices have changed.
        self.order.clear();
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
        let held = self
            .list
            .iter()
            .filter(|deployment| deployment.track.is_held());
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

    /// The deployments in the order shown.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &DeploymentState> {
        self.order.iter().filter_map(|&index| self.list.get(index))
    }

    /// The deployment under the cursor.
    pub(crate) fn selected(&self) -> Option<&DeploymentState> {
        self.list.get(*self.order.get(self.table.cursor)?)
    }

    /// Shows a deployment with default settings, unless it is on the list.
    pub(in crate::dashboard) fn ensure(&mut self, uuid: Uuid, now: f64) {
        if self.get(uuid).is_none() {
            self.add(Deployment::new(uuid), now);
            if let Some(deployment) = self.list.last_mut() {
                deployment.listing = Listing::Shown;
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
        self.indices.insert(deployment.uuid, self.list.len());
        self.agenda.put(deployment.uuid, None, now);
        self.agenda
            .limit_age(deployment.uuid, deployment.limits.max_age_s);
        let mut added = DeploymentState::new(deployment, self.refresh_s);
        if let Some(other) = self.list.first() {
            added.exclude_failed = other.exclude_failed;
        }
        self.list.push(added);
        self.order.push(self.list.len() - 1);
    }

    /// `true` if the greatest value of the sorted column comes first, of the status
    /// the worst.
    pub(crate) fn is_descending(&self) -> bool {
        let greatest_first = match self.sort.column {
            DeploymentSort::State | DeploymentSort::Speed | DeploymentSort::Fixes => true,
            DeploymentSort::Name | DeploymentSort::Group | DeploymentSort::Age => false,
        };
        greatest_first != self.sort.is_reversed
    }

    /// Puts the cursor on a deployment.
    pub(crate) fn select(&mut self, uuid: Uuid) {
        let index = self.indices.get(&uuid);
        let row = self.order.iter().position(|row| Some(row) == index);
        if let Some(row) = row {
            self.table.cursor = row;
            self.is_chosen = true;
        }
    }

    /// Sorts and filters the changed rows. The cursor stays on the deployment that the
    /// user selected, else on the first row.
    pub(crate) fn arrange(&mut self, now: f64) {
        self.placed += u64::from(self.is_unsorted);
        self.is_unsorted = false;
        self.sum_up(now);
        self.arrange_rows(now);
    }

    /// Sorts and filters unchanged rows in another order, as [`Self::arrange`] does.
    pub(crate) fn arrange_rows(&mut self, now: f64) {
        self.sorted += 1;
        let selected = self.selected().filter(|_| self.is_chosen);
        let selected = selected.map(|deployment| deployment.uuid());
        let SortedBy {
            column,
            is_reversed,
        } = self.sort;
        let is_grouped = column == DeploymentSort::Group;
        let rows = self.list.iter().enumerate();
        let rows = rows.filter(|(_, row)| row.answers(&self.filter, now));
        let mut rows: Vec<_> = rows
            .map(|(index, row)| (column.key(row, now), row, index))
            .collect();
        rows.sort_unstable_by(|(key, row, index), (other_key, other, other_index)| {
            // The groups themselves are reversed, but each has its worst row first.
            let by_group = match (is_grouped, is_reversed) {
                (false, _) => Ordering::Equal,
                (true, false) => row.sort_group().cmp(&other.sort_group()),
                (true, true) => other.sort_group().cmp(&row.sort_group()),
            };
            by_group
                .then(key.total_cmp(other_key))
                .then_with(|| row.sort_name().cmp(other.sort_name()))
                .then(index.cmp(other_index))
        });
        if is_reversed && !is_grouped {
            rows.reverse();
        }
        self.order = rows.into_iter().map(|(.., index)| index).collect();
        match selected {
            Some(uuid) if self.shown().any(|one| one.uuid() == uuid) => self.select(uuid),
            None if self.is_chosen => {}
            _ => self.table = TableState::default(),
        }
    }

    /// When a status has changed by `now` (UNIX seconds), computes the next change and
    /// marks the rows as unsorted.
    pub(in crate::dashboard) fn time_passes(&mut self, now: f64) {
        if self.next_status.is_some_and(|at| at < now) {
            self.sum_up(now);
            self.is_unsorted = true;
        }
    }

    /// Sums up all rows for the screen: once for each sort.
    fn sum_up(&mut self, now: f64) {
        (self.widest, self.next_status) = (Widest::default(), None);
        let mut next = f64::INFINITY;
        for deployment in &self.list {
            self.widest.add(deployment, now);
            let change = deployment.next_status(now);
            next = next.min(change.filter(|at| *at > now).unwrap_or(f64::INFINITY));
        }
        self.next_status = Some(next).filter(|next| next.is_finite());
    }
}

impl DeploymentSort {
    /// The key of a row before its name.
    fn key(self, deployment: &DeploymentState, now: f64) -> f64 {
        match self {
            Self::State | Self::Group => -deployment.harm(now),
            Self::Name => 0.0,
            Self::Age => deployment.health(now).age_s.unwrap_or(f64::INFINITY),
            Self::Speed => {
                let speed = deployment.latest().and_then(|fix| fix.speed_m_s);
                -speed.unwrap_or(-1.0)
            }
            #[allow(clippy::cast_precision_loss)] // no track has 2^53 fixes
            Self::Fixes => deployment.overview().map_or(0.0, |it| -(it.fixes as f64)),
        }
    }
}
