//! The tab of a track: its fixes, its timeline, its fields and their summary.

pub(super) mod field_values;
pub(super) mod fields;
pub(super) mod fix_detail;
mod follow;
mod forms;
mod keys;
pub(super) mod label;
pub(super) mod nearest;
pub(super) mod small_charts;
pub(super) mod summary;
mod tab;
pub(super) mod table;
pub(super) mod time_range;
pub(super) mod timeline;
pub(super) mod together;
pub(super) mod update;
mod view;
mod waiting;

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use crate::dashboard::compute::JobKind;
use crate::dashboard::shared::Shared;
use crate::dashboard::widgets::table_state::TableState;
use crate::geo::Position;
use crate::geo::projection::Projection;
use crate::map::{ColourBy, DistanceTo, FieldCharts, PreparedTrack, View};
use crate::track::{Arrangement, Fix, Track, Transmission};

/// A time range of the open track.
#[derive(Debug, Clone, Default)]
pub(crate) struct TimeRange {
    /// The first and the last time, UNIX seconds.
    pub range: (f64, f64),
    /// The parts in it of the tracks on the map, once they are ready.
    pub parts: HashMap<Uuid, Arc<PreparedTrack>>,
}

/// The fields of a track on the map, read after the track is shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadFields {
    /// The fields that were read last, perhaps of an earlier response.
    pub charts: Option<Arc<FieldCharts>>,
    /// The track whose fields were requested last, and the others whose distances are among them.
    of: Option<Arc<Track>>,
    pub(in crate::dashboard) others: Vec<DistanceTo>,
    /// `true` while they are read.
    pub is_reading: bool,
}

/// The state of the Track tab.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrackTab {
    /// The deployment that this is about.
    deployment: Option<Uuid>,
    /// The tracks on the map after the last event.
    seen: Vec<(Uuid, Arc<PreparedTrack>)>,
    /// The fix under the cursor, an index into the track.
    pub cursor: usize,
    /// The time stamp and the position of that fix. The cursor stays on it when
    /// a response with more or fewer fixes replaces the track.
    pub(in crate::dashboard) at: Option<(f64, Position)>,
    /// Rows of the table; its cursor is the row of `cursor`.
    pub table: TableState,
    /// `true` if the cursor stays on the latest fix.
    pub follow: bool,
    /// The fixes at the start and the end of a measurement.
    pub marks: (Option<Transmission>, Option<Transmission>),
    /// The map's view; `None` for one fitted to the track.
    pub view: Option<View>,
    /// The projection of a fitted view; `None` for the usual one.
    pub projection: Option<Projection>,
    /// `true` if flagged fixes have their symbols on the map.
    pub shows_flagged: bool,
    /// How the rows are sorted and filtered.
    pub arrangement: Arrangement,
    /// Indices of the fixes in the shown order; `None` for all by time. It may be of an
    /// earlier sort or filter until the new order is ready.
    pub order: Option<Arc<Vec<u32>>>,
    /// The fix under the cursor before the rows were filtered, and whether the
    /// cursor followed the latest, unless the cursor was moved since.
    pub(crate) before_filter: Option<((f64, Position), bool)>,
    /// The attribute that colours the track line; `None` for the field of the timeline.
    pub colour_by: Option<ColourBy>,
    /// The name of the field on the timeline; `None` for speed. A track without it shows
    /// speed.
    pub field: Option<String>,
    /// `true` if the user has chosen the field of the timeline: until then it is a
    /// profile if the track has one.
    pub(in crate::dashboard) is_field_chosen: bool,
    /// The fields of the open track.
    pub fields: ReadFields,
    /// The fields of the others on its map.
    fields_beside: HashMap<Uuid, ReadFields>,
    /// The time range that table, map and summary are limited to.
    pub time_range: Option<TimeRange>,
    /// A time range that is being dragged on the timeline: its start and its
    /// current end, UNIX seconds.
    pub selecting: Option<(f64, f64)>,
    /// `true` if range rings are shown around the cursor.
    pub rings: bool,
    /// `true` if the table has had the focus since the map had it.
    pub(in crate::dashboard) is_table_wide: bool,
}

impl TrackTab {
    /// The state before a track is opened.
    pub(in crate::dashboard) fn new() -> Self {
        Self {
            follow: true,
            shows_flagged: true,
            colour_by: Some(ColourBy::Time),
            ..Self::default()
        }
    }

    /// Clears the state of the previous track.
    pub(crate) fn forget(&mut self, shared: &mut Shared) {
        shared.cancel_job(JobKind::Rows);
        *self = Self {
            colour_by: self.colour_by,
            field: self.field.take().filter(|_| self.is_field_chosen),
            is_field_chosen: self.is_field_chosen,
            rings: self.rings,
            is_table_wide: self.is_table_wide,
            deployment: self.deployment,
            seen: std::mem::take(&mut self.seen),
            shows_flagged: self.shows_flagged,
            ..Self::new()
        };
    }

    /// The number of rows of the table.
    pub(crate) fn rows(&self, track: &Track) -> usize {
        self.order.as_ref().map_or(track.len(), |order| order.len())
    }

    /// The fix shown in a row.
    pub(crate) fn fix_in_row(&self, track: &Track, row: usize) -> Option<Fix> {
        match &self.order {
            Some(order) => track.fix(usize::try_from(*order.get(row)?).ok()?),
            None => track.fix(row),
        }
    }

    /// Moves the cursor to a fix.
    pub(in crate::dashboard) fn set_cursor(&mut self, fix: Fix) {
        self.cursor = fix.index;
        self.at = Some((fix.time_stamp, fix.position));
    }

    /// The row that shows a fix.
    pub(in crate::dashboard) fn row_by_fix(&self, fix: usize) -> Option<usize> {
        match &self.order {
            Some(order) => order
                .iter()
                .position(|&index| usize::try_from(index) == Ok(fix)),
            None => Some(fix),
        }
    }
}
