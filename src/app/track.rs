//! The Track tab: one deployment's fixes as table, map and time strip under
//! one cursor.

use std::sync::Arc;

use uuid::Uuid;

use super::dialog::Dialog;
use super::effect::Effect;
use super::keymap::Action;
use super::model::{Model, Pane, Tab};
use super::table::{Direction, Step, TableState};
use super::time_range::Window;
use crate::chart::{ColourBy, PreparedTrack, View};
use crate::geo::Position;
use crate::track::{Fix, Flag, Track};

/// What the rows are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)] // each variant is the column it names
pub enum TrackSort {
    #[default]
    Time,
    Latitude,
    Longitude,
    Distance,
    Speed,
    Course,
    Gap,
    Flag,
}

impl TrackSort {
    /// In the order of the columns, which is that of the `s` key.
    pub const ALL: [Self; 8] = [
        Self::Time,
        Self::Latitude,
        Self::Longitude,
        Self::Distance,
        Self::Speed,
        Self::Course,
        Self::Gap,
        Self::Flag,
    ];
}

/// The tab.
#[derive(Debug, Clone)]
pub struct TrackTab {
    /// The deployment that is open.
    pub open: Option<Uuid>,
    /// The fix under the cursor, an index into the track.
    pub cursor: usize,
    /// Rows of the table; its cursor is the row of `cursor`.
    pub table: TableState,
    /// Whether the cursor stays on the latest fix.
    pub follow: bool,
    /// The fix that a measurement starts at, and where it ends.
    pub marks: (Option<Position>, Option<Position>),
    /// The map's view; none: fitted to the track.
    pub view: Option<View>,
    /// Whether failed fixes stay out of line and statistics.
    pub exclude_failed: bool,
    /// What the rows are sorted by.
    pub sort: TrackSort,
    /// Which way round.
    pub direction: Direction,
    /// What the rows are filtered by.
    pub filter: String,
    /// Indices of the fixes in the order shown; none: all of them by time.
    pub order: Option<Arc<Vec<u32>>>,
    /// What colours the line.
    pub ramp: ColourBy,
    /// The stretch of time that table, map and summary are kept to.
    pub window: Option<Window>,
    /// A stretch that is being drawn on the time strip: where it began and
    /// where it is, UNIX seconds.
    pub selecting: Option<(f64, f64)>,
    /// Whether there are range rings about the cursor.
    pub rings: bool,
    /// Where the mouse is over the map.
    pub pointer: Option<Position>,
    /// Where a drag on the map began, in cells.
    pub(super) drag: Option<(u16, u16)>,
}

impl Default for TrackTab {
    fn default() -> Self {
        Self {
            open: None,
            cursor: 0,
            table: TableState::default(),
            follow: true,
            marks: (None, None),
            view: None,
            exclude_failed: true,
            sort: TrackSort::Time,
            direction: Direction::Ascending,
            filter: String::new(),
            order: None,
            ramp: ColourBy::Time,
            window: None,
            selecting: None,
            rings: false,
            pointer: None,
            drag: None,
        }
    }
}

impl TrackTab {
    /// Forgets what belonged to the track that was open.
    pub(super) fn forget(&mut self) {
        *self = Self {
            open: self.open,
            exclude_failed: self.exclude_failed,
            ramp: self.ramp,
            rings: self.rings,
            ..Self::default()
        };
    }

    /// How many rows the table has.
    pub fn rows(&self, track: &Track) -> usize {
        self.order.as_ref().map_or(track.len(), |order| order.len())
    }

    /// The fix shown in a row.
    pub fn fix_in_row(&self, track: &Track, row: usize) -> Option<Fix> {
        match &self.order {
            Some(order) => track.fix(usize::try_from(*order.get(row)?).ok()?),
            None => track.fix(row),
        }
    }

    /// The row that shows a fix.
    fn row_of(&self, fix: usize) -> Option<usize> {
        match &self.order {
            Some(order) => order
                .iter()
                .position(|&index| usize::try_from(index) == Ok(fix)),
            None => Some(fix),
        }
    }

    /// Sorts and filters the rows anew.
    fn arrange(&mut self, track: &Track) {
        if self.sort == TrackSort::Time
            && self.direction == Direction::Ascending
            && self.filter.is_empty()
        {
            self.order = None;
            return;
        }
        let filter = self.filter.to_lowercase();
        let mut rows: Vec<u32> = track
            .fixes()
            .filter(|fix| filter.is_empty() || matches(track, fix, &filter))
            .filter_map(|fix| u32::try_from(fix.index).ok())
            .collect();
        if self.sort != TrackSort::Time {
            let keys: Vec<f64> = track
                .fixes()
                .map(|fix| sort_key(track, &fix, self.sort))
                .collect();
            let key = |row: &u32| keys.get(*row as usize).copied().unwrap_or(f64::NAN);
            rows.sort_by(|a, b| key(a).total_cmp(&key(b)));
        }
        if self.direction == Direction::Descending {
            rows.reverse();
        }
        self.order = Some(Arc::new(rows));
    }
}

/// Whether a fix has what the filter asks for: a part of its time, its flag's
/// number or word, its reason.
fn matches(track: &Track, fix: &Fix, filter: &str) -> bool {
    let flag = fix.flag.word();
    flag.contains(filter)
        || track.reason_text(fix.index).contains(filter)
        || crate::track::time::table(fix.time_stamp, None).contains(filter)
}

fn sort_key(track: &Track, fix: &Fix, sort: TrackSort) -> f64 {
    let leg = || track.leg(fix.index);
    match sort {
        TrackSort::Time => fix.time_stamp,
        TrackSort::Latitude => fix.position.latitude,
        TrackSort::Longitude => fix.position.longitude,
        TrackSort::Distance => leg().map_or(-1.0, |leg| leg.distance_m),
        TrackSort::Speed => leg().and_then(|leg| leg.speed_m_s).unwrap_or(-1.0),
        TrackSort::Course => leg().and_then(|leg| leg.course_deg).unwrap_or(-1.0),
        TrackSort::Gap => leg().map_or(-1.0, |leg| leg.duration_s),
        TrackSort::Flag => f64::from(fix.flag.code()),
    }
}

impl Model {
    /// The track that is open, if it has come: the part of it in the window,
    /// where there is one.
    pub fn open_one(&self) -> Option<&Arc<PreparedTrack>> {
        let part = self
            .track
            .window
            .as_ref()
            .and_then(|window| window.part.as_ref());
        part.or_else(|| self.whole_one())
    }

    /// The whole track that is open.
    pub fn whole_one(&self) -> Option<&Arc<PreparedTrack>> {
        self.deployments.get(self.track.open?)?.track.get()
    }

    /// The map's view: what was chosen, else the track fitted.
    pub fn track_view(&self) -> Option<View> {
        let area = self.layout().map;
        if area.is_empty() {
            return None;
        }
        let view = match &self.track.view {
            Some(view) => view
                .clone()
                .resized(area.width, area.height, self.cell_aspect),
            None => match self.open_one() {
                Some(track) => track.fitted(area.width, area.height, self.cell_aspect),
                None => View::fit(None, &[], area.width, area.height, self.cell_aspect),
            },
        };
        Some(view)
    }

    /// Shows a deployment's track.
    pub(super) fn open_track(&mut self, uuid: Uuid) -> Vec<Effect> {
        self.tab = Tab::Track;
        if self.track.open != Some(uuid) {
            self.track.open = Some(uuid);
            self.track.forget();
            self.track_changed();
        }
        match self.deployments.get(uuid) {
            Some(deployment)
                if deployment.track.value.is_none()
                    && deployment.track.loading.is_none()
                    && deployment.track.failure.is_none() =>
            {
                self.fetch(uuid)
            }
            _ => Vec::new(),
        }
    }

    /// The open track came or changed: rows and cursor follow it.
    pub(super) fn track_changed(&mut self) {
        let Some(track) = self.open_one().cloned() else {
            return;
        };
        self.track.arrange(&track);
        if self.track.follow {
            self.track.cursor = track
                .latest()
                .map_or(track.len().saturating_sub(1), |fix| fix.index);
        }
        self.track.cursor = self.track.cursor.min(track.len().saturating_sub(1));
        self.cursor_to_fix(self.track.cursor);
    }

    /// Puts the one cursor on a fix; table and map follow.
    pub(super) fn cursor_to_fix(&mut self, fix: usize) {
        let Some(track) = self.open_one().cloned() else {
            return;
        };
        let height = usize::from(self.layout().rows.height);
        self.track.cursor = fix.min(track.len().saturating_sub(1));
        let rows = self.track.rows(&track);
        if let Some(row) = self.track.row_of(self.track.cursor) {
            self.track.table.go(row, rows, height);
        }
        self.keep_cursor_on_map();
    }

    /// Moves a chosen view so that the cursor's fix is on the map.
    fn keep_cursor_on_map(&mut self) {
        if self.track.view.is_none() {
            return;
        }
        if let (Some(view), Some(fix)) = (
            self.track_view(),
            self.open_one()
                .and_then(|track| track.fix(self.track.cursor)),
        ) && !view.shows(fix.position)
        {
            self.track.view = Some(view.centred_on(fix.position));
        }
    }

    /// Moves the cursor by rows of the table.
    pub(super) fn step_track(&mut self, step: Step) {
        let Some(track) = self.open_one().cloned() else {
            return;
        };
        let height = usize::from(self.layout().rows.height);
        let rows = self.track.rows(&track);
        self.track.table.step(step, rows, height);
        self.cursor_from_row(&track);
    }

    /// The cursor's fix is the one in the cursor's row.
    pub(super) fn cursor_from_row(&mut self, track: &Track) {
        if let Some(fix) = self.track.fix_in_row(track, self.track.table.cursor) {
            self.track.cursor = fix.index;
            self.track.follow = track
                .latest()
                .is_some_and(|latest| latest.index == fix.index);
            self.keep_cursor_on_map();
        }
    }

    /// An action on the Track tab.
    pub(super) fn act_on_track(&mut self, action: Action) -> Vec<Effect> {
        let Some(uuid) = self.track.open else {
            return Vec::new();
        };
        let track = self.open_one().cloned();
        match action {
            Action::Follow => {
                self.track.follow = !self.track.follow;
                if self.track.follow {
                    self.track_changed();
                    self.notify("following the latest fix");
                }
            }
            Action::Earlier | Action::Later => {
                let cursor = self.track.cursor;
                let to = if action == Action::Earlier {
                    cursor.saturating_sub(1)
                } else {
                    cursor + 1
                };
                self.cursor_to_fix(to);
                self.track.follow = track
                    .and_then(|track| track.latest())
                    .is_some_and(|latest| latest.index == self.track.cursor);
            }
            Action::Mark => {
                if let Some(fix) = track.and_then(|track| track.fix(self.track.cursor)) {
                    self.track.marks = match self.track.marks {
                        (Some(start), None) if start != fix.position => {
                            (Some(start), Some(fix.position))
                        }
                        (Some(_), None) => (None, None),
                        _ => (Some(fix.position), None),
                    };
                }
            }
            Action::Overrule => {
                if let Some(fix) = track.and_then(|track| track.fix(self.track.cursor)) {
                    let flag = match (fix.reason, fix.flag) {
                        (crate::track::Reason::Overruled, _) => None,
                        (_, Flag::Fail) => Some(Flag::Pass),
                        _ => Some(Flag::Fail),
                    };
                    return vec![Effect::Overrule {
                        deployment: uuid,
                        time_stamp: fix.time_stamp,
                        position: fix.position,
                        flag,
                    }];
                }
            }
            Action::ToggleFailed => {
                self.track.exclude_failed = !self.track.exclude_failed;
                let words = if self.track.exclude_failed {
                    "out of"
                } else {
                    "in"
                };
                self.notify(format!("failed fixes {words} line and statistics"));
                return self
                    .deployments
                    .list
                    .iter()
                    .filter(|deployment| deployment.track.value.is_some())
                    .map(|deployment| Effect::Reassemble {
                        deployment: deployment.uuid,
                        platform: deployment.platform,
                        exclude_failed: self.track.exclude_failed,
                    })
                    .collect();
            }
            Action::ColourBy => {
                self.track.ramp = match self.track.ramp {
                    ColourBy::Time => ColourBy::Speed,
                    ColourBy::Speed => ColourBy::Flag,
                    ColourBy::Flag => ColourBy::Time,
                };
                self.notify(match self.track.ramp {
                    ColourBy::Time => "line coloured by time",
                    ColourBy::Speed => "line coloured by speed",
                    ColourBy::Flag => "line coloured by flag",
                });
            }
            Action::Rings => {
                self.track.rings = !self.track.rings;
                self.notify(if self.track.rings {
                    "range rings about the cursor"
                } else {
                    "no range rings"
                });
            }
            Action::WindowFrom => return self.window_from_cursor(true),
            Action::WindowTo => return self.window_from_cursor(false),
            Action::Export => match self.deployments.get(uuid) {
                Some(deployment) if deployment.track.value.is_some() => {
                    let dialog = Dialog::export(deployment);
                    self.dialogs.push(dialog);
                }
                _ => self.warn("there is no track to export yet"),
            },
            Action::NextPane => {
                self.pane = match self.pane {
                    Pane::Table => Pane::Map,
                    Pane::Map => Pane::Strip,
                    Pane::Strip => Pane::Summary,
                    Pane::Summary => Pane::Table,
                };
            }
            Action::SortColumn => {
                let all = TrackSort::ALL;
                let place = all
                    .iter()
                    .position(|sort| *sort == self.track.sort)
                    .unwrap_or(0);
                self.track.sort = all
                    .get((place + 1) % all.len())
                    .copied()
                    .unwrap_or_default();
                self.track_rearranged();
            }
            Action::SortDirection => {
                self.track.direction = self.track.direction.reversed();
                self.track_rearranged();
            }
            _ => {}
        }
        Vec::new()
    }

    /// The rows' order changed; the cursor stays on its fix where it can.
    pub(super) fn track_rearranged(&mut self) {
        if let Some(track) = self.open_one().cloned() {
            self.track.arrange(&track);
            let height = usize::from(self.layout().rows.height);
            let rows = self.track.rows(&track);
            match self.track.row_of(self.track.cursor) {
                Some(row) => self.track.table.go(row, rows, height),
                None => {
                    self.track.table.go(0, rows, height);
                    self.cursor_from_row(&track);
                }
            }
        }
    }
}
