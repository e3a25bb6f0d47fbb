//! A fix found again in another track, and the fix that is nearest in time.

use crate::geo::Position;
use crate::track::Track;

/// The index of the fix with this time stamp and position.
pub(crate) fn exact_fix(track: &Track, time: f64, position: Position) -> Option<usize> {
    let first = track.count_before(time);
    let mut same = (first..track.len())
        .map_while(|index| track.fix(index).filter(|fix| fix.time_stamp <= time));
    Some(same.find(|fix| fix.position == position)?.index)
}

/// The same, else the index of the fix nearest in time.
pub(crate) fn same_fix(track: &Track, time: f64, position: Position) -> Option<usize> {
    exact_fix(track, time, position).or_else(|| nearest_in_time(track, time))
}

/// The fix nearest in time; the earlier of two at equal distance.
pub(crate) fn nearest_in_time(track: &Track, time: f64) -> Option<usize> {
    let after = track.count_before(time);
    let before = after.checked_sub(1).and_then(|index| track.fix(index));
    match (before, track.fix(after)) {
        (Some(before), Some(behind)) if time - before.time_stamp > behind.time_stamp - time => {
            Some(behind.index)
        }
        (Some(before), _) => Some(before.index),
        (None, behind) => behind.map(|fix| fix.index),
    }
}
