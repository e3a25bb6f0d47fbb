//! The tab of a track: its fixes, its timeline, its fields and their summary.

mod computing;
pub(super) mod field_values;
pub(super) mod fields;
pub(super) mod fix_detail;
pub(super) mod small_charts;
pub(super) mod state;
pub(super) mod summary;
pub(super) mod table;
pub(super) mod time_range;
pub(super) mod timeline;
pub(super) mod together;
pub(super) mod update;
