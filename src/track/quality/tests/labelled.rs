//! Tracks with labels, and faults spliced into clean ones: what the tests find
//! of them and what they flag besides. `tests/data/labelled` says where the
//! tracks are from.

use std::fmt::Write as _;

use strum::VariantArray;

use super::*;
use crate::geo::geodesic;
use crate::testing::labelled::{LATER, Labelled, labelled};
use crate::track::field::{FieldRows, FieldTable, FieldValue};

/// The page that says what the data is and what the tests find in it.
const PAGE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/labelled/README.md"
));
/// The fixes that are flagged suspect or failed.
fn flagged(fixes: &[Transmission], options: &TrackOptions) -> Vec<bool> {
    let flags = judge(fixes, &[], &[], options.now, options).flags;
    let bad = |flag| matches!(flag, Flag::Suspect | Flag::Fail);
    flags.into_iter().map(bad).collect()
}

/// A track of fixes with the field `lc`.
fn with_classes(fixes: &[Transmission], classes: &[String], options: &TrackOptions) -> Track {
    let mut table = FieldTable::default();
    for (row, class) in (0..).zip(classes) {
        table.begin();
        let class = FieldValue::Text(class);
        table.add(row, "lc", class, |_| true).unwrap();
    }
    let records = Records {
        transmissions: fixes.to_vec().into(),
        fields: FieldRows::new(table),
        ..Records::default()
    };
    Track::new(&records, options)
}

/// The fixes of a track that are flagged suspect or failed.
fn flagged_of(track: &Track) -> Vec<bool> {
    track
        .flags()
        .iter()
        .map(|flag| matches!(flag, Flag::Suspect | Flag::Fail))
        .collect()
}

/// How often a fault was present, was found, and was found without being present, of
/// how many fixes.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    there: usize,
    found: usize,
    false_ones: usize,
    fixes: usize,
}

impl Count {
    fn add(&mut self, is: &[bool], seen: &[bool]) {
        self.there += is.iter().filter(|is| **is).count();
        self.fixes += is.len();
        for (is, seen) in is.iter().zip(seen) {
            self.found += usize::from(*is && *seen);
            self.false_ones += usize::from(!*is && *seen);
        }
    }

    fn row(&self, table: &mut String, what: &str, platform: Platform) {
        writeln!(
            table,
            "| {what} | {platform} | {} | {} | {} | {} |",
            self.fixes, self.there, self.found, self.false_ones
        )
        .unwrap();
    }
}

/// A track with a fault in it, and which fixes the fault touches.
type Spliced = (Vec<Transmission>, Vec<usize>);

/// Puts a fault into a track at a fix; `None` if it cannot be there.
type Fault = fn(Vec<Transmission>, usize, &TrackOptions) -> Option<Spliced>;

fn moved(fix: &mut Transmission, at: usize, metres: f64) {
    let course = at as f64 * 137.5 % 360.0;
    fix.position = geodesic::direct(fix.position, course, metres);
}

/// The distance off this part of the track that makes a fix a spike, metres.
fn threshold(fixes: &[Transmission], at: usize, options: &TrackOptions) -> f64 {
    let around: Vec<f64> = (at.max(16) - 15..(at + 16).min(fixes.len() - 1))
        .filter(|&other| other != at)
        .map(|other| {
            let [a, b, c] = [other - 1, other, other + 1].map(|i| fixes[i]);
            let share = (b.time_stamp - a.time_stamp) / (c.time_stamp - a.time_stamp).max(1e-9);
            let line = geodesic::inverse(a.position, c.position);
            let between =
                geodesic::direct(a.position, line.initial_course_deg, share * line.distance_m);
            sphere::distance_m(between, b.position)
        })
        .collect();
    let median = crate::track::interval::median(around).unwrap_or(0.0);
    (8.0 * 1.4826 * median).max(options.platform.spike_floor_m())
}

fn spike_of_two_floors(
    mut fixes: Vec<Transmission>,
    at: usize,
    options: &TrackOptions,
) -> Option<Spliced> {
    // The track is so straight here that the floor of the platform counts, and
    // its legs are so short that a spike turns them back.
    let floor = options.platform.spike_floor_m();
    let leg = |to: usize| geodesic::length_m(fixes[to - 1].position, fixes[to].position);
    let straight = threshold(&fixes, at, options) <= floor
        && leg(at) < floor / 2.0
        && leg(at + 1) < floor / 2.0;
    straight.then(|| moved(&mut fixes[at], at, 2.0 * floor));
    straight.then(|| (fixes, vec![at]))
}

fn spike_of_two_thresholds(
    mut fixes: Vec<Transmission>,
    at: usize,
    options: &TrackOptions,
) -> Option<Spliced> {
    let metres = 2.0 * threshold(&fixes, at, options);
    moved(&mut fixes[at], at, metres);
    Some((fixes, vec![at]))
}

fn spike_of<const KM: u32>(
    mut fixes: Vec<Transmission>,
    at: usize,
    _: &TrackOptions,
) -> Option<Spliced> {
    moved(&mut fixes[at], at, f64::from(KM) * 1000.0);
    Some((fixes, vec![at]))
}

fn jump_of<const KM: u32>(
    mut fixes: Vec<Transmission>,
    at: usize,
    _: &TrackOptions,
) -> Option<Spliced> {
    for fix in &mut fixes[at..] {
        let far = geodesic::direct(fix.position, 200.0, f64::from(KM) * 1000.0);
        fix.position = far;
    }
    Some((fixes, vec![at]))
}

fn latitude_and_longitude_swapped(
    mut fixes: Vec<Transmission>,
    at: usize,
    _: &TrackOptions,
) -> Option<Spliced> {
    let Position {
        latitude,
        longitude,
    } = fixes[at].position;
    fixes[at].position = Position::new(longitude, latitude)?;
    Some((fixes, vec![at]))
}

fn stuck_for<const FIXES: usize>(
    mut fixes: Vec<Transmission>,
    at: usize,
    _: &TrackOptions,
) -> Option<Spliced> {
    let to = at + FIXES;
    let stands = fixes[at].position;
    for fix in fixes.get_mut(at..to)? {
        fix.position = stands;
    }
    Some((fixes, (at..to).collect()))
}

fn second_position(mut fixes: Vec<Transmission>, at: usize, _: &TrackOptions) -> Option<Spliced> {
    let mut other = fixes[at];
    moved(&mut other, at, 50_000.0);
    fixes.insert(at + 1, other);
    Some((fixes, vec![at + 1]))
}

const FAULTS: [(&str, Fault); 12] = [
    ("spike of twice the floor", spike_of_two_floors),
    ("spike of twice the threshold", spike_of_two_thresholds),
    ("spike of 5 km", spike_of::<5>),
    ("spike of 50 km", spike_of::<50>),
    ("spike of 500 km", spike_of::<500>),
    (
        "latitude and longitude swapped",
        latitude_and_longitude_swapped,
    ),
    ("jump of 50 km", jump_of::<50>),
    ("jump of 2000 km", jump_of::<2000>),
    ("stuck for 5 fixes", stuck_for::<5>),
    ("stuck for 8 fixes", stuck_for::<8>),
    ("stuck for 20 fixes", stuck_for::<20>),
    ("second position 50 km away", second_position),
];

/// Counts the findings of the tests for a fault that was put into one track at
/// many fixes, one at a time.
fn spliced(one: &Labelled, platform: Platform, fault: Fault) -> Count {
    let options = TrackOptions::new(platform, LATER);
    let before = flagged(&one.fixes, &options);
    let mut count = Count::default();
    let step = (one.fixes.len() / 12).max(1);
    for at in (20..one.fixes.len().saturating_sub(40)).step_by(step) {
        // Only if nothing was found before.
        if before[at - 3..at + 25].contains(&true) {
            continue;
        }
        let Some((fixes, touched)) = fault(one.fixes.clone(), at, &options) else {
            continue;
        };
        let mut known = before.clone();
        if fixes.len() > known.len() {
            known.insert(at + 1, false);
        }
        let mut is = vec![false; fixes.len()];
        for index in touched {
            is[index] = true;
        }
        let seen: Vec<bool> = flagged(&fixes, &options)
            .iter()
            .zip(&known)
            .map(|(seen, known)| *seen && !*known)
            .collect();
        count.add(&is, &seen);
    }
    count
}

/// The table of what the tests see, as it is stored with the data.
fn table() -> (String, Vec<(String, Platform, Count)>) {
    let all = labelled();
    let mut counts: Vec<(String, Platform, Count)> = Vec::new();
    let mut add = |what: &str, platform: Platform, count: Count| {
        let known = counts
            .iter_mut()
            .find(|(name, kind, _)| name == what && *kind == platform);
        let sum = match known {
            Some((_, _, sum)) => sum,
            None => {
                counts.push((what.to_owned(), platform, Count::default()));
                &mut counts.last_mut().unwrap().2
            }
        };
        sum.there += count.there;
        sum.found += count.found;
        sum.false_ones += count.false_ones;
        sum.fixes += count.fixes;
    };
    for one in &all {
        let mut count = Count::default();
        count.add(&one.bad, &flagged(&one.fixes, &one.options));
        let group = one.name.split('_').next().unwrap_or_default();
        add(&format!("labelled: {group}"), one.platform, count);
    }
    for one in all.iter().filter(|one| !one.classes.is_empty()) {
        let track = with_classes(&one.fixes, &one.classes, &one.options);
        let mut count = Count::default();
        count.add(&one.bad, &flagged_of(&track));
        add("labelled, with classes: seal", one.platform, count);
        for class in ["3", "2", "1", "0", "A", "B"] {
            let is_of = |index: &usize| one.classes[*index] == class;
            let of_class = |all: &[bool]| -> Vec<bool> {
                (0..all.len())
                    .filter(is_of)
                    .map(|index| all[index])
                    .collect()
            };
            let mut count = Count::default();
            count.add(&of_class(&one.bad), &of_class(&flagged_of(&track)));
            add(
                &format!("labelled, class {class}: seal"),
                one.platform,
                count,
            );
        }
    }
    for (what, fault) in FAULTS {
        for one in &all {
            let judged: &[Platform] = match one.platform {
                Platform::Drifter => &[Platform::Drifter, Platform::Float, Platform::Vessel],
                Platform::Tag if one.name.starts_with("seal") => continue,
                Platform::Tag => &[Platform::Tag],
                _ => &[Platform::Mooring],
            };
            for &platform in judged {
                add(what, platform, spliced(one, platform, fault));
            }
        }
    }
    let mut table = String::from(
        "| what | judged as | fixes | bad | found | besides |\n|---|---|--:|--:|--:|--:|\n",
    );
    for (what, platform, count) in &counts {
        count.row(&mut table, what, *platform);
    }
    (table, counts)
}

/// How many of a hundred that were there must be found, by kind and platform;
/// kinds without a floor are in the table alone.
fn least_found(what: &str, platform: Platform) -> Option<usize> {
    let moving = platform.is_always_moving();
    match what {
        "spike of twice the floor" => Some(90),
        "spike of 50 km" | "spike of 500 km" | "latitude and longitude swapped" => Some(99),
        "spike of twice the threshold" => Some(70),
        "jump of 2000 km" => Some(95),
        "second position 50 km away" => Some(99),
        "stuck for 8 fixes" | "stuck for 20 fixes" if moving => Some(95),
        "stuck for 5 fixes" if moving => Some(85),
        "labelled: drifter" => Some(90),
        _ => None,
    }
}

#[test]
fn the_tests_find_what_is_labelled_and_what_was_put_in_and_little_else() {
    let (table, counts) = table();
    for (what, platform, count) in &counts {
        if let Some(least) = least_found(what, *platform) {
            let enough = count.found * 100 >= count.there * least;
            assert!(enough, "{what}, {platform}: {count:?}\n{table}");
        }
        // A repeated position is no fault of an instrument that does not move.
        if what.starts_with("stuck") && !platform.is_always_moving() {
            assert_eq!(count.found, 0, "{what}, {platform}: {count:?}");
        }
    }
    // A filter that knows no classes made the labels: not all of them are errors.
    let seals = counts
        .iter()
        .find(|(what, ..)| what.contains("with classes"));
    assert!(seals.unwrap().2.false_ones <= 300, "{seals:?}");
    let clean = counts.iter().find(|(what, ..)| what == "labelled: drifter");
    let clean = clean.unwrap().2;
    assert!(
        clean.fixes > 20_000 && clean.false_ones * 5000 <= clean.fixes,
        "{clean:?}"
    );
    assert!(PAGE.contains(&table), "the page says otherwise:\n{table}");
}

#[test]
fn every_leg_is_within_the_limit_or_flagged() {
    for one in labelled() {
        for platform in Platform::VARIANTS.iter().copied() {
            let options = TrackOptions::new(platform, LATER);
            let middle = one.fixes.len() / 2;
            let jumped = jump_of::<300>(one.fixes.clone(), middle, &options);
            let (fixes, _) = jumped.unwrap();
            let track = Track::new(
                &Records {
                    transmissions: fixes.clone().into(),
                    ..Records::default()
                },
                &options,
            );
            let mut judgement = Judgement::new(&fixes, &[], &options);
            judgement.verdict.flags = track.flags().to_vec();
            let slack_m = judgement.speed_slack_m();
            for index in 0..track.len() {
                let Some(from) = track.leg(index).map(|leg| leg.from) else {
                    continue;
                };
                let over = judgement.is_violation(from, index, slack_m);
                let is_carried = |index| track.fix(index).unwrap().reason == Reason::UnderWay;
                // A ship carries it on that leg.
                let is_carried = is_carried(from) || is_carried(index);
                assert!(over || !track.is_jump(index), "{} {index}", one.name);
                assert!(!over || is_carried || track.is_jump(index));
                assert!(!track.is_jump(index) || track.flags()[index] == Flag::Suspect);
            }
        }
    }
}

#[test]
fn the_quick_reading_is_the_plain_one_on_real_tracks() {
    let mut fixes = 0;
    for one in labelled() {
        if one.fixes.len() > 1000 {
            continue;
        }
        fixes += one.fixes.len();
        // The present of the plain reading is long before these.
        let earlier: Vec<Transmission> = one
            .fixes
            .iter()
            .map(|fix| Transmission {
                time_stamp: fix.time_stamp - 1e9,
                ..*fix
            })
            .collect();
        let earlier = match order_by_position(&earlier) {
            Some(order) => order.into_iter().map(|index| earlier[index]).collect(),
            None => earlier,
        };
        let plain = plain::read(&earlier, one.platform);
        assert_eq!(quickly(&earlier, one.platform), plain, "{}", one.name);
    }
    assert!(fixes > 10_000, "{fixes}");
}

#[test]
fn lengths_are_those_of_another_library() {
    for one in labelled() {
        let options = TrackOptions {
            exclude_failed: false,
            ..one.options
        };
        let track = Track::new(
            &Records {
                transmissions: one.fixes.into(),
                ..Records::default()
            },
            &options,
        );
        // The library knows nothing of times: it measures between two fixes of one
        // time, too.
        let metres = |index: usize| {
            let from = track.position(track.leg_start(index)?);
            Some(geodesic::length_m(from, track.position(index)))
        };
        let length: f64 = (0..track.len()).filter_map(metres).sum();
        let wrong = (length - one.length_m).abs();
        assert!(
            wrong < 1e-3 + 1e-9 * length,
            "{}: {length} and {}",
            one.name,
            one.length_m
        );
    }
}
