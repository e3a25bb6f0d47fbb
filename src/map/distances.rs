//! The distances to other instruments, as fields of a track.

use std::sync::Arc;

use super::prepared::PreparedTrack;
use crate::geo::Position;
use crate::geo::geodesic::leg;
use crate::geo::vector::Vector;
use crate::track::field::{FieldRows, FieldTable, FieldValue};
use crate::track::{Fix, Track};

/// Another instrument, whose distance is shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DistanceTo {
    /// The name of the column, with its unit.
    pub column: String,
    /// The unit in metres.
    pub unit_m: f64,
    pub track: Arc<PreparedTrack>,
}

/// The columns of the distances: to a thousandth of the unit where all are below ten of it, else
/// to a hundredth.
pub(super) fn distances(track: &Track, others: &[DistanceTo]) -> FieldRows {
    let measured = others.iter().map(|other| {
        let metres = distances_m(track, other.track.track());
        let greatest_m = metres.iter().flatten().copied().fold(0.0, f64::max);
        let parts = if greatest_m < 10.0 * other.unit_m {
            1000.0
        } else {
            100.0
        };
        (other, metres, parts)
    });
    let columns: Vec<_> = measured.collect();
    let mut table = FieldTable::default();
    for fix in 0..track.len() {
        let Ok(row) = u32::try_from(fix) else {
            break;
        };
        table.begin();
        for (other, metres, parts) in &columns {
            if let Some(Some(metres)) = metres.get(fix) {
                let value = FieldValue::Number((metres / other.unit_m * parts).round() / parts);
                // Only the same instrument has the same name twice.
                let _ = table.add(row, &other.column, value, |_| true);
            }
        }
    }
    FieldRows::new(table)
}

/// The distance in metres from each included fix of a track to another instrument at that time,
/// which is assumed to move evenly between its included fixes, and to be at its first and its last
/// one for an interval before and after. `None` farther beyond them, and within a data gap.
fn distances_m(track: &Track, other: &Track) -> Vec<Option<f64>> {
    let theirs: Vec<Fix> = other.included_fixes().collect();
    let near_s = other.interval_s().unwrap_or(0.0);
    let distance = |fix: Fix| {
        let time = fix.time_stamp;
        let to = |there: Position| leg(fix.position, there).0;
        let next = theirs.partition_point(|their| their.time_stamp < time);
        let before = next.checked_sub(1).and_then(|last| theirs.get(last));
        match (before, theirs.get(next)) {
            (_, Some(after)) if after.time_stamp == time => Some(to(after.position)),
            (Some(before), Some(after)) => {
                let span = after.time_stamp - before.time_stamp;
                let share = (time - before.time_stamp) / span;
                let [start, end] = [before, after].map(|fix| Vector::new(fix.position));
                let way = start.towards(end, share).position();
                (!other.is_gap(span)).then(|| to(way))
            }
            (before, after) => {
                let end = before.or(after)?;
                let is_near = (time - end.time_stamp).abs() <= near_s;
                is_near.then(|| to(end.position))
            }
        }
    };
    let included = |fix: &Fix| track.is_included(fix.index);
    let fixes = track.fixes();
    fixes
        .map(|fix| Some(fix).filter(included).and_then(distance))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::chance::Chance;
    use crate::testing::track::track;
    use crate::track::Platform;

    fn hourly(fixes: &[(f64, f64, f64)]) -> Track {
        let fixes = fixes
            .iter()
            .map(|(hour, north, east)| (3600.0 * hour, *north, *east));
        track(Platform::Generic, 1e9, fixes)
    }

    #[test]
    fn a_distance_is_to_a_hundredth_unless_all_are_short() {
        let still: Vec<_> = (0..9).map(|n| (f64::from(n), 60.0, 5.0)).collect();
        let written = |north| {
            let theirs: Vec<_> = (0..9).map(|n| (f64::from(n), north, 5.0)).collect();
            let other = DistanceTo {
                column: "km to b".to_owned(),
                unit_m: 1000.0,
                track: Arc::new(PreparedTrack::new(Arc::new(hourly(&theirs)))),
            };
            let rows = distances(&hourly(&still), &[other]);
            rows.of_fix(0).find_map(|(_, value)| value.number())
        };
        assert_eq!(written(60.01), Some(1.114));
        assert_eq!(written(61.0), Some(111.42));
    }

    #[test]
    fn for_an_interval_about_its_ends_the_other_is_at_its_last_fix() {
        let still: Vec<_> = (0..13).map(|n| (f64::from(n) / 2.0, 60.0, 5.0)).collect();
        let theirs: Vec<_> = (1..6).map(|n| (f64::from(n), 60.1, 5.0)).collect();
        let apart = distances_m(&hourly(&still), &hourly(&theirs));
        let known: Vec<bool> = apart.iter().map(Option::is_some).collect();
        assert!(known.iter().all(|is_known| *is_known), "{known:?}");
        let (later, last) = (
            distances_m(&hourly(&[(7.5, 60.0, 5.0)]), &hourly(&theirs)),
            apart[10],
        );
        assert_eq!(later, [None]);
        assert_eq!(apart[12], last);
    }

    /// A degree of latitude at 60° N is 111.42 km on WGS84 (from 60° to 61°: 111 420.7 m).
    #[test]
    fn between_two_fixes_the_other_moved_evenly() {
        let still: Vec<_> = (0..9).map(|n| (f64::from(n) / 2.0, 60.0, 5.0)).collect();
        let moving: Vec<_> = (1..4)
            .map(|n| (f64::from(n), 60.0 + 0.01 * f64::from(n), 5.0))
            .collect();
        let apart = distances_m(&hourly(&still), &hourly(&moving));
        let shown: Vec<Option<i64>> = apart.iter().map(|m| m.map(|m| m.round() as i64)).collect();
        let none = None;
        assert_eq!(shown[..2], [none, none]);
        assert_eq!(shown[7..], [none, none]);
        for (fix, hundredths) in [(2, 1.0), (3, 1.5), (4, 2.0), (5, 2.5), (6, 3.0)] {
            let expected = 1114.1 * hundredths;
            let found = apart[fix].unwrap();
            assert!((found - expected).abs() < 0.5, "{fix}: {found} {expected}");
        }
    }

    #[test]
    fn a_data_gap_and_a_failed_fix_say_nothing_of_where_the_other_was() {
        let still: Vec<_> = (0..40).map(|n| (f64::from(n), 60.0, 5.0)).collect();
        let mut theirs: Vec<_> = (0..40).map(|n| (f64::from(n), 60.1, 5.0)).collect();
        theirs[30].1 = 75.0;
        theirs.drain(10..20);
        let apart = distances_m(&hourly(&still), &hourly(&theirs));
        assert!(apart[10..20].iter().all(Option::is_none), "{apart:?}");
        // The spike is left out: both neighbours are at the same position.
        let (before, spike) = (apart[29].unwrap(), apart[30].unwrap());
        assert!((before - spike).abs() < 1.0, "{before} {spike}");
        // From the track with the spike it has no distance, and the fixes around it have one.
        let apart = distances_m(&hourly(&theirs), &hourly(&still));
        assert_eq!(apart[20], None);
        assert!(apart[19].is_some() && apart[21].is_some(), "{apart:?}");
    }

    /// At the times that both have, each is as far from the other, also over the pole and
    /// the antimeridian; and an instrument is nowhere apart from itself.
    #[test]
    fn each_is_as_far_from_the_other() {
        let chance = Chance::new("apart");
        for _ in 0..200 {
            let centre = [(89.9, 0.0), (0.0, 179.99), (-60.0, 20.0)][chance.below(3)];
            let wandering = || {
                let jitter = || chance.below(1000) as f64 / 1e5;
                let fix = |n: u32| (f64::from(n), centre.0 + jitter(), centre.1 + jitter());
                hourly(&(0..12).map(fix).collect::<Vec<_>>())
            };
            let (a, b) = (wandering(), wandering());
            let (from_a, from_b) = (distances_m(&a, &b), distances_m(&b, &a));
            for (x, y) in from_a.iter().zip(&from_b) {
                let both = x.zip(*y);
                assert!(both.is_none_or(|(x, y)| (x - y).abs() < 1e-6), "{both:?}");
            }
            let own = distances_m(&a, &a);
            assert!(own.iter().flatten().all(|m| *m < 1e-6), "{own:?}");
        }
    }
}
