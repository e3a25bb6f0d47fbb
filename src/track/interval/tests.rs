//! T of instruments that send evenly and in bursts, and what is told of them while they send.

use super::*;
use crate::testing::labelled::labelled;
use crate::testing::track::recorded;

fn intervals(times: &[f64]) -> Intervals {
    Intervals::new(times.iter().rev().copied())
}

/// Bursts of some fixes a gap apart, a burst each period, with jitter.
fn bursts(count: u32, fixes: u32, gap_s: f64, period_s: f64) -> Vec<f64> {
    let mut times: Vec<f64> = (0..count)
        .flat_map(|burst| {
            let jitter = f64::from((burst * 7919 + 13) % 101) / 101.0;
            let from = f64::from(burst) * period_s + jitter * gap_s / 4.0;
            (0..fixes).map(move |fix| from + f64::from(fix) * gap_s)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times
}

#[test]
fn of_an_instrument_that_sends_in_bursts_the_gaps_between_them_count() {
    for (fixes, gap_s, period_s) in [
        (4, 75.0, 6000.0),
        (3, 600.0, 21_600.0),
        (3, 1.0, 3600.0),
        (2, 600.0, 21_600.0),
        (10, 60.0, 21_600.0),
        (30, 10.0, 3600.0),
    ] {
        let found = intervals(&bursts(60, fixes, gap_s, period_s));
        let between_s = period_s - f64::from(fixes - 1) * gap_s;
        let t = found.interval_s().unwrap();
        assert!((t - between_s).abs() < gap_s, "{fixes} {gap_s}: {t}");
        assert!(
            found
                .within_burst_s
                .is_some_and(|s| s > gap_s && s < between_s)
        );
    }
}

#[test]
fn outages_of_an_instrument_that_sends_evenly_are_no_bursts() {
    let every = |outages: &[(u32, f64)]| -> Vec<f64> {
        let mut time = 0.0;
        (0..200)
            .map(|n| {
                let outage = outages.iter().find(|(at, _)| *at == n);
                time += 600.0 + outage.map_or(0.0, |(_, hours)| hours * 3600.0);
                time
            })
            .collect()
    };
    for outages in [
        &[][..],
        &[(190, 30.0)],
        &[(150, 200.0), (190, 30.0)],
        &[(150, 200.0), (170, 1.0), (190, 30.0)],
    ] {
        let found = intervals(&every(outages));
        assert_eq!(found.interval_s(), Some(600.0), "{outages:?}");
        assert_eq!(found.within_burst_s, None);
    }
}

/// `true` if an instrument was silent for over three T at some time of a collector's rounds, each
/// quarter of an hour: the lengths of those silences, with the longest that had been seen until
/// then and T, seconds.
fn told_overdue(times: &[f64], t: impl Fn(&[f64]) -> Option<f64>) -> Vec<(f64, f64, f64)> {
    const ROUND_S: f64 = 900.0;
    let mut told = Vec::new();
    let mut longest = 0.0_f64;
    for place in 1..times.len() {
        let (last, next) = (times[place - 1], times[place]);
        let gap = next - last;
        // No round can tell what is shorter.
        if gap > ROUND_S.min(longest / 4.0)
            && let Some(t) = t(&times[place.saturating_sub(3000)..place])
        {
            let round = ((last + 3.0 * t) / ROUND_S).floor() * ROUND_S + ROUND_S;
            if round < next {
                told.push((gap, longest, t));
            }
        }
        longest = longest.max(gap);
    }
    told
}

/// T of before: the median of the last 20 gaps, whatever they are.
fn plain(times: &[f64]) -> Option<f64> {
    let newest = &times[times.len().saturating_sub(21)..];
    let gaps: Vec<f64> = newest.windows(2).map(|pair| pair[1] - pair[0]).collect();
    (gaps.len() >= 3).then(|| median(gaps)).flatten()
}

fn by_bursts(times: &[f64]) -> Option<f64> {
    intervals(times).interval_s()
}

#[test]
fn neither_passes_nor_sessions_make_an_instrument_overdue_and_silence_does() {
    for (fixes, gap_s, period_s) in [(4, 75.0, 6000.0), (3, 600.0, 21_600.0), (3, 1.0, 3600.0)] {
        let times = bursts(200, fixes, gap_s, period_s);
        // A few bursts must have come before they are known as such.
        let known = 4 * fixes as usize;
        let found = told_overdue(&times, |seen| {
            by_bursts(seen).filter(|_| seen.len() > known)
        });
        assert_eq!(found, [], "{fixes} {gap_s}");
        let t = by_bursts(&times).unwrap();
        assert!(3.0 * t <= 3.0 * period_s);
    }
}

fn times_of(records: &crate::track::Records) -> Vec<f64> {
    let mut times: Vec<f64> = records
        .transmissions
        .iter()
        .map(|fix| fix.time_stamp)
        .collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

#[test]
fn on_argos_tracks_a_silence_that_is_told_is_rare_and_others_are_told_as_before() {
    let mut sums = [0; 2];
    for name in [
        "argos_akbs_59974",
        "argos_bearded_seal_eb2011_3000",
        "argos_northern_fur_seal",
    ] {
        let times = times_of(&recorded(name));
        let before = told_overdue(&times, plain).len();
        let after = told_overdue(&times, by_bursts).len();
        sums = [sums[0] + before, sums[1] + after];
    }
    // The manual has these figures.
    assert_eq!(sums, [1504, 55]);
    for one in labelled().iter().filter(|one| one.classes.is_empty()) {
        let mut times: Vec<f64> = one.fixes.iter().map(|fix| fix.time_stamp).collect();
        times.dedup();
        let before = told_overdue(&times, plain).len();
        let after = told_overdue(&times, by_bursts).len();
        assert!(
            after <= before && 2 * after + 6 >= before,
            "{}: {before} {after}",
            one.name
        );
    }
}

#[test]
fn the_gaps_of_many_fixes_are_looked_at_once() {
    // Work is the number of times that are asked for: ten days of them, and one more.
    for (gap_s, most) in [(1.0, 864_002), (60.0, 14_402), (86_400.0, 61)] {
        let mut asked = 0;
        let times = (0..2_000_000).map(|n| {
            asked += 1;
            -gap_s * f64::from(n)
        });
        assert_eq!(Intervals::new(times).interval_s(), Some(gap_s));
        assert!(asked <= most, "{gap_s}: {asked}");
    }
}

proptest::proptest! {
    #[test]
    fn another_unit_and_another_start_give_the_same_reading(
        gaps in proptest::collection::vec((0u32..6, 1u32..2000), 1..200),
        power in -3i32..8,
        start in -1_000_000i32..1_000_000,
    ) {
        let times = |scale: f64, start: f64| -> Vec<f64> {
            let mut time = start;
            gaps.iter().map(|(kind, gap)| {
                time += scale * f64::from(if *kind == 0 { *gap * 40 } else { *gap % 64 });
                time
            }).collect()
        };
        // Ten days are no part of it.
        let few = |times: Vec<f64>| times[times.len().saturating_sub(60)..].to_vec();
        let one = intervals(&few(times(1.0, 0.0)));
        let moved = intervals(&few(times(1.0, f64::from(start))));
        proptest::prop_assert_eq!(one, moved);
        let scale = 2.0_f64.powi(power);
        let scaled = intervals(&few(times(scale, 0.0)));
        proptest::prop_assert_eq!(scaled.median_s, one.median_s.map(|t| t * scale));
        proptest::prop_assert_eq!(scaled.count, one.count);
    }
}
