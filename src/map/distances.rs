//! The distances to other instruments, as fields of a track.

use std::sync::Arc;

use super::prepared::PreparedTrack;
use crate::track::Track;
use crate::track::apart::distances_m;
use crate::track::field::{FieldRows, FieldTable, FieldValue};

/// Another instrument, whose distance is shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DistanceTo {
    /// The name of the column, with its unit.
    pub column: String,
    /// The unit in metres.
    pub unit_m: f64,
    /// Its track.
    pub track: Arc<PreparedTrack>,
}

/// The columns of the distances, to a thousandth of the unit.
pub(super) fn distances(track: &Track, others: &[DistanceTo]) -> FieldRows {
    let columns = others.iter().map(|other| {
        let metres = distances_m(track, other.track.track());
        (other, metres)
    });
    let columns: Vec<_> = columns.collect();
    let mut table = FieldTable::default();
    for fix in 0..track.len() {
        let Ok(row) = u32::try_from(fix) else {
            break;
        };
        table.begin();
        for (other, metres) in &columns {
            if let Some(Some(metres)) = metres.get(fix) {
                let thousandths = (metres / other.unit_m * 1000.0).round();
                let value = FieldValue::Number(thousandths / 1000.0);
                // Two names that are the same are of one instrument.
                let _ = table.add(row, &other.column, value, |_| true);
            }
        }
    }
    FieldRows::new(table)
}
