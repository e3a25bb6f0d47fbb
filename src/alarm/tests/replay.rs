//! The labelled tracks of real buoys, replayed.

use super::*;
use crate::testing::recorded::unpacked;

/// Name, platform and good fixes of each labelled buoy.
fn buoys() -> Vec<(String, Platform, Vec<Numbers>)> {
    labelled_buoys(|is_bad| !is_bad)
}

/// Name, platform and fixes of each labelled buoy: those that are wanted by whether they
/// are labelled as bad.
fn labelled_buoys(wanted: impl Fn(bool) -> bool) -> Vec<(String, Platform, Vec<Numbers>)> {
    let root = env!("CARGO_MANIFEST_DIR");
    let manifest = std::fs::read_to_string(format!("{root}/tests/data/labelled/manifest.csv"));
    let mut all: Vec<(String, Platform, Vec<Numbers>)> = (manifest.unwrap().lines().skip(1))
        .map(|line| {
            let mut cells = line.split(',');
            let name = cells.next().unwrap().to_owned();
            (name, cells.next().unwrap().parse().unwrap(), Vec::new())
        })
        .collect();
    let table = String::from_utf8(unpacked("labelled/fixes.csv")).unwrap();
    for line in table.lines().skip(1) {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        let [track, time, latitude, longitude, bad] = cells[..] else {
            panic!("{line}")
        };
        if wanted(bad != 0.0) {
            all[track as usize].2.push((time, latitude, longitude));
        }
    }
    all.retain(|(_, platform, _)| *platform != Platform::Tag);
    for (_, _, fixes) in &mut all {
        fixes.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    all
}

fn found_of(fixes: &[Numbers], platform: Platform) -> Vec<Kind> {
    let found = at_once(fixes, platform);
    found.iter().map(|(kind, _)| *kind).collect()
}

/// Two lay on landfast ice off Davis until it broke out.
const NOT_SILENT: &[(&str, &[Kind])] = &[
    (
        "drifter_2020_january_antarctic_davis_17327",
        &[Kind::Stationary, Kind::Stationary],
    ),
    (
        "drifter_2020_january_antarctic_davis_17334",
        &[Kind::Stationary],
    ),
];

#[test]
fn every_labelled_buoy_is_silent_where_nothing_happened() {
    let all = buoys();
    assert_eq!(all.len(), 36);
    let found: Vec<(String, Vec<Kind>)> = all
        .iter()
        .map(|(name, platform, fixes)| (name.clone(), found_of(fixes, *platform)))
        .filter(|(_, kinds)| !kinds.is_empty())
        .collect();
    let expected: Vec<(String, Vec<Kind>)> = NOT_SILENT
        .iter()
        .map(|(name, kinds)| ((*name).to_owned(), kinds.to_vec()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn what_is_labelled_as_bad_raises_nothing_as_it_comes() {
    let bad = labelled_buoys(|is_bad| is_bad);
    let mut judged = 0;
    for ((name, platform, fixes), (_, _, bad)) in labelled_buoys(|_| true).into_iter().zip(bad) {
        let mut of_motion = rules(&entry(platform), 0.0);
        of_motion.retain(|rule| rule.kind() != Kind::Overdue);
        // A fix that is bad is seen, and by more fixes after it as such.
        let is_near = |count: &usize| {
            let last = &fixes[count.saturating_sub(FIXES_AFTER)..*count];
            bad.iter().any(|bad| last.contains(bad))
        };
        let counts: Vec<usize> = (1..=fixes.len()).filter(is_near).collect();
        judged += counts.len();
        let kinds = raised_by_any(&fixes, counts, platform, &of_motion);
        assert_eq!(kinds, [], "{name}");
    }
    assert!(judged > 100, "{judged}");
}

/// The fixes within which what comes after a bad fix tells what it is.
const FIXES_AFTER: usize = 12;

/// The kinds of the rules of which a fix of a track raises an alarm when so many have come.
/// Quality control looks a few days back; a shorter track is judged sooner.
fn raised_by_any(
    fixes: &[Numbers],
    counts: Vec<usize>,
    platform: Platform,
    rules: &[Rule],
) -> Vec<Kind> {
    let mut raised = vec![false; rules.len()];
    for count in counts {
        let recent = &fixes[count.saturating_sub(200)..count];
        let track = judged(recent, platform);
        let newest = recent.last().map(|fix| fix.0);
        for (rule, raised) in rules.iter().zip(&mut raised) {
            let found = episodes(rule, &track, f64::NEG_INFINITY);
            *raised |= found.last().map(|episode| episode.fix_time) == newest;
        }
    }
    let kinds = rules.iter().zip(raised).filter(|(_, raised)| *raised);
    kinds.map(|(rule, _)| rule.kind()).collect()
}

#[test]
fn less_than_half_of_the_silences_over_1_and_a_half_intervals_are_over_3() {
    const T: f64 = 4.0 * 3600.0;
    let (mut short, mut long, mut span_s, mut count) = (0, 0, 0.0, 0);
    for (_, _, fixes) in buoys() {
        // A fix each 4 h, as far as there is one.
        let mut kept: Vec<Numbers> = Vec::new();
        for fix in fixes {
            if kept.last().is_none_or(|last| fix.0 >= last.0 + T - 600.0) {
                kept.push(fix);
            }
        }
        let gaps: Vec<f64> = kept.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        let mut sorted = gaps.clone();
        sorted.sort_by(f64::total_cmp);
        if gaps.len() < 20 || sorted[gaps.len() / 2] > 1.2 * T {
            continue;
        }
        count += 1;
        span_s += kept.last().unwrap().0 - kept[0].0;
        short += gaps.iter().filter(|gap| **gap > 1.5 * T).count();
        // Judged at the end of each silence.
        for (place, gap) in gaps.iter().enumerate() {
            let silence = Silence {
                last_fix: Some(kept[place].0),
                ..Silence::default()
            };
            let now = kept[place].0 + gap - 1.0;
            long += silence.changes(Some(3.0 * T), &[], now).len();
        }
    }
    let years = span_s / 86_400.0 / 365.25;
    println!("{count} buoys, {years:.1} years: {short} over 1.5 T, {long} over 3 T");
    assert!(count >= 20 && years > 1.0, "{count} buoys, {years} years");
    assert!(long > 0 && long * 2 < short, "{long} of {short}");
}

#[test]
fn every_labelled_drifter_with_8_hours_at_8_knots_is_picked_up_once() {
    let mut judged = 0;
    for (name, platform, mut fixes) in buoys() {
        if platform != Platform::Drifter || fixes.len() < 60 {
            continue;
        }
        judged += 1;
        splice_ship(&mut fixes);
        let kinds = found_of(&fixes, platform);
        let picked_up = kinds.iter().filter(|kind| **kind == Kind::PickedUp).count();
        assert_eq!(picked_up, 1, "{name}: {kinds:?}");
    }
    assert!(judged >= 25, "{judged}");
}

/// The alarms of a rule, as each answer raised, changed and ended them.
#[derive(Default)]
struct History(Vec<Alarm>);

impl History {
    fn judge(&mut self, episodes: Vec<Episode>, now: f64) {
        for change in changes(episodes, &self.0, now) {
            match change {
                Change::Raised(episode) => {
                    let (id, raised_at) = (self.0.len().to_string(), episode.at.min(now));
                    let raised = known(&id, raised_at, episode.fix_time, episode.until);
                    self.0.push(raised);
                }
                Change::Still { id, episode } => {
                    let alarm = self.0.iter_mut().find(|one| one.id == id).unwrap();
                    alarm.fix_time = Some(episode.fix_time);
                }
                Change::Ended { id, at, .. } => {
                    let alarm = self.0.iter_mut().find(|one| one.id == id).unwrap();
                    alarm.cleared_at = Some(at);
                }
            }
        }
    }

    /// The fix that raised each alarm and its end, UNIX seconds, in the order of time.
    fn spans(&self) -> Vec<(f64, Option<f64>)> {
        let spans = self
            .0
            .iter()
            .map(|one| (one.fix_time.unwrap(), one.cleared_at));
        let mut spans: Vec<(f64, Option<f64>)> = spans.collect();
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        spans
    }
}

/// In which order fixes arrive.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    OfTime,
    NewestFirst,
    /// Every second one, then those between.
    OddFirst,
}

/// The stored fixes after each response, and the time at which the response came.
fn as_it_comes(fixes: &[Numbers], order: Order) -> Vec<(Vec<Numbers>, f64)> {
    let count = match order {
        Order::OfTime => rounds(30, 400),
        _ => rounds(8, 100),
    };
    let mut all = fixes.to_vec();
    match order {
        Order::OfTime => {}
        Order::NewestFirst => all.reverse(),
        Order::OddFirst => {
            let every_second = |from: usize| fixes.iter().skip(from).step_by(2).copied();
            all = every_second(1).chain(every_second(0)).collect();
        }
    }
    let end = fixes.last().unwrap().0;
    let mut come: Vec<Numbers> = Vec::new();
    let answers = all.chunks(all.len().div_ceil(count)).map(|answer| {
        come.extend(answer);
        come.sort_by(|a, b| a.0.total_cmp(&b.0));
        let now = match order {
            Order::OfTime => come.last().unwrap().0,
            _ => end,
        };
        (come.clone(), now)
    });
    answers.collect()
}

#[test]
fn the_history_of_the_alarms_of_every_labelled_buoy_is_that_of_its_whole_track() {
    let mut alarms = 0;
    for (name, platform, fixes) in labelled_buoys(|_| true) {
        // A circle that every drifter leaves.
        let (_, latitude, longitude) = fixes[0];
        let circle = Inside::from_stored(&format!("{latitude},{longitude},20000")).unwrap();
        let mut rules = rules(&entry(platform), 0.0);
        rules.push(Rule::Outside(circle));
        rules.retain(|rule| rule.kind() != Kind::Overdue);
        let mut histories = Vec::new();
        for order in [Order::OfTime, Order::NewestFirst, Order::OddFirst] {
            histories.clear();
            histories.resize_with(rules.len(), History::default);
            for (come, now) in as_it_comes(&fixes, order) {
                let options = TrackOptions::new(platform, now);
                let track = Track::new(&records(come), &options);
                for (rule, history) in rules.iter().zip(&mut histories) {
                    history.judge(episodes(rule, &track, f64::NEG_INFINITY), now);
                }
            }
            for (rule, history) in rules.iter().zip(&histories) {
                let whole: Vec<(f64, Option<f64>)> = (stood(&fixes, platform, rule).iter())
                    .map(|one| (one.fix_time, one.until))
                    .collect();
                let found = history.spans();
                let about = format!("{name} {:?} {order:?}: {whole:?} {found:?}", rule.kind());
                if order == Order::OfTime {
                    println!("{about}");
                    assert_eq!(found, whole, "{about}");
                    alarms += whole.len();
                    continue;
                }
                // Notified alarms that have ended stay as they are; the open alarm is the same.
                let standing = |all: &[(f64, Option<f64>)]| -> Vec<(f64, Option<f64>)> {
                    all.iter().filter(|one| one.1.is_none()).copied().collect()
                };
                assert_eq!(standing(&found), standing(&whole), "{about}");
                let end = |one: &(f64, Option<f64>)| one.1.unwrap_or(f64::INFINITY);
                let meets = |one: &(f64, Option<f64>)| {
                    let is_met = |of: &(f64, Option<f64>)| of.0 <= end(one) && one.0 <= end(of);
                    whole.iter().any(is_met)
                };
                // Half of the fixes may raise what all of them end again.
                let is_of_whole = found.iter().all(meets);
                assert!(is_of_whole || order == Order::OddFirst, "{about}");
            }
        }
    }
    assert!(alarms > 30, "{alarms}");
}
