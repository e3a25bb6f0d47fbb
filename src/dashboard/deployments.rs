//! The Deployments tab: the watch list, its map, and the details of the selected
//! deployment.

mod archived;
mod cells;
pub(super) mod deployment;
pub(super) mod detail;
pub(super) mod fetch_state;
mod fetching;
mod harm;
mod keys;
pub(super) mod list;
pub(crate) mod moment;
mod row_words;
mod tab;
pub(super) mod table;
mod update;
mod world;

use std::sync::{Arc, Mutex};

use uuid::Uuid;

use self::deployment::DeploymentState;
use self::list::{Change, Deployments};
use crate::dashboard::layout::{Arrangement, Layout};
use crate::dashboard::shared::Shared;
use crate::dashboard::widgets::cached::Cached;
use crate::dashboard::widgets::table_state::TableState;
use crate::geo::projection::Projection;
use crate::map::View;
use crate::track::DeploymentSort;
use crate::track::query::Query;
use crate::track::sort::SortedBy;

/// The state of the Deployments tab: its rows and its map.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeploymentsTab {
    /// The deployments in the order shown, filter applied.
    pub order: Vec<Uuid>,
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
}

/// The inputs that a view of the list's map was fitted to: the positions, columns and lines,
/// the height of a cell over its width, and the chosen projection.
pub(crate) type FittedTo = (u64, u16, u16, f64, Option<Projection>);

impl DeploymentsTab {
    /// The rows of a list as it was created.
    pub(in crate::dashboard) fn new(list: &mut Deployments) -> Self {
        list.change = Change::None;
        let uuids = list.list.iter().map(|deployment| deployment.uuid());
        Self {
            order: uuids.collect(),
            ..Self::default()
        }
    }

    /// The deployments in the order shown.
    pub(crate) fn shown<'a>(
        &'a self,
        list: &'a Deployments,
    ) -> impl Iterator<Item = &'a DeploymentState> {
        self.order.iter().filter_map(|uuid| list.get(*uuid))
    }

    /// The deployment under the cursor.
    pub(crate) fn selected<'a>(&self, list: &'a Deployments) -> Option<&'a DeploymentState> {
        list.get(*self.order.get(self.table.cursor)?)
    }

    /// The layout at the current size.
    pub(crate) fn layout(&self, shared: &Shared) -> Layout {
        shared.layout_at(
            (shared.screen.width, shared.screen.height),
            Self::panes(shared),
        )
    }

    fn panes(shared: &Shared) -> Arrangement {
        let rows = u16::try_from(shared.deployments.list.len());
        Arrangement::List {
            rows: rows.unwrap_or(u16::MAX),
        }
    }

    /// The row of a deployment.
    pub(crate) fn row(&self, uuid: Uuid) -> Option<usize> {
        self.order.iter().position(|shown| *shown == uuid)
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
        if let Some(row) = self.row(uuid) {
            self.table.cursor = row;
            self.is_chosen = true;
        }
    }

    /// Sorts and filters the changed rows at `now`, UNIX seconds. The cursor stays on the
    /// deployment that the user selected, else on the first row.
    pub(crate) fn arrange(&mut self, list: &mut Deployments, now: f64) {
        list.placed += u64::from(list.change != Change::None);
        list.change = Change::None;
        list.sum_up(now);
        self.arrange_rows(list, now);
    }

    /// Sorts and filters unchanged rows in another order, as [`Self::arrange`] does.
    pub(crate) fn arrange_rows(&mut self, list: &Deployments, now: f64) {
        self.sorted += 1;
        let at_cursor = self.order.get(self.table.cursor).copied();
        let selected = at_cursor.filter(|_| self.is_chosen);
        let SortedBy {
            column,
            is_reversed,
        } = self.sort;
        let is_grouped = column == DeploymentSort::Group;
        let rows = list.list.iter().enumerate();
        let mut rows: Vec<_> = rows
            .filter(|(_, row)| row.answers(&self.filter, now))
            .map(|(index, row)| {
                let group = is_grouped.then(|| row.sort_group());
                (
                    group,
                    column.key(row, now),
                    row.sort_name(),
                    index,
                    row.uuid(),
                )
            })
            .collect();
        rows.sort_unstable_by(|row, other| {
            let by_group = row.0.cmp(&other.0);
            // The groups themselves are reversed, but each has its worst row first.
            let by_group = if is_reversed {
                by_group.reverse()
            } else {
                by_group
            };
            by_group
                .then(row.1.total_cmp(&other.1))
                .then_with(|| (&row.2, row.3).cmp(&(&other.2, other.3)))
        });
        if is_reversed && !is_grouped {
            rows.reverse();
        }
        self.order = rows.into_iter().map(|(.., uuid)| uuid).collect();
        match selected {
            Some(uuid) if self.row(uuid).is_some() => self.select(uuid),
            // It was removed: the next one has its row.
            Some(uuid) if list.get(uuid).is_none() => {}
            None if self.is_chosen => {}
            _ => self.table = TableState::default(),
        }
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
            Self::Fixes => deployment.overview().map_or(0.0, |it| -(it.fixes as f64)),
        }
    }
}
