use proptest::prelude::*;

use super::*;
use crate::testing::track::{records, track};
use crate::track::{Flag, FlagOverrides, Platform, TrackOptions, Window};

proptest! {
    #[test]
    fn an_overview_is_what_its_track_says(
        steps in proptest::collection::vec((1u32..40, -20i32..20, -20i32..20), 0..120),
        ahead in 0u32..2000,
        window in 0u32..3,
        exclude_failed: bool,
    ) {
        let (mut time, mut latitude, mut longitude) = (1.7e9, 70.0, 179.9);
        let mut fixes = Vec::new();
        for (wait, north, east) in steps {
            time += 600.0 * f64::from(wait);
            latitude += 0.01 * f64::from(north) / 20.0;
            // Once in a while too far to be true.
            longitude += f64::from(east) * if wait == 7 { 0.5 } else { 0.001 };
            longitude = (longitude + 540.0).rem_euclid(360.0) - 180.0;
            fixes.push((time, latitude, longitude));
        }
        let now = time + 60.0 * f64::from(ahead);
        let options = TrackOptions {
            exclude_failed,
            window: Window {
                from: (window == 1).then_some(1.7e9 + 86_400.0),
                until: (window == 2).then_some(time - 3600.0),
            },
            ..TrackOptions::new(Platform::Drifter, now)
        };
        let track = Track::new(&records(fixes), &options);
        let overview = Overview::new(&track);
        prop_assert_eq!(overview.fixes, track.len());
        prop_assert_eq!(overview.data_return, track.summary().completeness);
        // The service was asked long ago.
        let asked = LastAsked { at: f64::NEG_INFINITY, wait_s: 60.0 };
        let health = overview.health(asked, now).in_window(&options.window, now);
        prop_assert_eq!(health, track.health(now));
        let latest = track.latest();
        prop_assert_eq!(
            overview.latest.map(|one| (one.time_stamp, one.position)),
            latest.map(|one| (one.time_stamp, one.position))
        );
        let leg = latest.and_then(|fix| track.leg(fix.index));
        prop_assert_eq!(overview.latest.and_then(|one| one.speed_m_s), leg.and_then(|leg| leg.speed_m_s));
        prop_assert_eq!(overview.latest.and_then(|one| one.course_deg), leg.and_then(|leg| leg.course_deg));
        if let Some(last) = latest {
            let end = overview.line().last();
            let is_last = |at: Position| (at.latitude - last.position.latitude).abs() < 1e-4;
            prop_assert!(window == 2 || end.is_none_or(is_last) || track.len() > 64 || track.flags().contains(&Flag::Fail));
        }
        // What is stored is what was written, and nothing else.
        let mut bytes = overview.to_bytes();
        prop_assert_eq!(Overview::from_bytes(&bytes), Some(overview));
        let place = usize::try_from(ahead).unwrap() % bytes.len();
        bytes.truncate(place);
        prop_assert_eq!(Overview::from_bytes(&bytes), None);
    }
}

#[test]
fn other_fixes_and_other_choices_have_another_basis_and_the_time_does_not_count() {
    let options = TrackOptions::new(Platform::Drifter, 1.0);
    let mut overrules = FlagOverrides::default();
    let place = crate::testing::at(1.0, 2.0);
    overrules.set(3.0, place, Flag::Fail);
    let mut others = vec![
        TrackOptions::new(Platform::Float, 1.0),
        TrackOptions {
            max_speed_m_s: Some(2.0),
            ..options.clone()
        },
        TrackOptions {
            exclude_failed: false,
            ..options.clone()
        },
        TrackOptions {
            overrules,
            ..options.clone()
        },
    ];
    for (from, until) in [(Some(5.0), None), (None, Some(5.0))] {
        others.push(TrackOptions {
            window: Window { from, until },
            ..options.clone()
        });
    }
    let mut all: Vec<u64> = others.iter().map(|one| basis(7, one)).collect();
    all.extend([basis(7, &options), basis(8, &options)]);
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
    let later = TrackOptions {
        now: 9.0,
        ..options.clone()
    };
    assert_eq!(basis(7, &later), basis(7, &options));
}

#[test]
fn the_latest_of_two_positions_at_one_time_does_not_depend_on_their_order() {
    let before = (0..20u32).map(|hour| (1.8e9 + 3600.0 * f64::from(hour), 60.0, 5.0));
    let before: Vec<_> = before.collect();
    let last = 1.8e9 + 3600.0 * 20.0;
    // Nearer than the slack of the speed test: both are suspect.
    let (north, south) = ((last, 60.002, 5.0), (last, 59.998, 5.0));
    let (east, west) = ((last, 60.002, 5.003), (last, 60.002, 4.997));
    for (one, other, wanted) in [(north, south, north), (east, west, east)] {
        let latest = |ends: [(f64, f64, f64); 2]| {
            let fixes = before.iter().copied().chain(ends);
            Overview::new(&track(Platform::Drifter, 2e9, fixes))
                .latest
                .unwrap()
        };
        let (here, there) = (latest([one, other]), latest([other, one]));
        assert_eq!(here, there);
        assert_eq!(
            (here.position.latitude, here.position.longitude),
            (wanted.1, wanted.2)
        );
        // Its speed is that from the fix before, also where the other one is between.
        assert!(here.speed_m_s.is_some_and(|speed| speed > 0.0), "{here:?}");
    }
    // The track before and after shows which is right: the better flag comes first.
    let far = (last, 70.0, 5.0);
    let fixes = |ends: [(f64, f64, f64); 2]| before.iter().copied().chain(ends);
    for ends in [[far, south], [south, far]] {
        let track = track(Platform::Drifter, 2e9, fixes(ends));
        let latest = track.latest().unwrap();
        assert_eq!(latest.position.latitude, 59.998, "{:?}", track.flags());
    }
}
