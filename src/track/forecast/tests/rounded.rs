//! Circles about positions that are not where the instrument is: rounded ones, and Argos
//! locations; and neighbours that are not followed.

use super::hindcast::drifters;
use super::*;
use crate::testing::chance::{Chance, rounds};
use crate::testing::fields::with_texts;
use crate::testing::track::times_of;
use crate::track::TrackOptions;
use path::Path;
use record::Record;

/// Leads of the table, hours.
const LEADS_H: [f64; 6] = [1.0 / 60.0, 1.0 / 6.0, 1.0, 6.0, 24.0, 72.0];

fn rounded(fixes: &[Numbers], decimals: Option<i32>) -> Vec<Numbers> {
    let by = decimals.map(|decimals| 10f64.powi(decimals));
    let rounded = |degrees: f64| by.map_or(degrees, |by| (degrees * by).round() / by);
    let rounded = fixes
        .iter()
        .map(|(time, latitude, longitude)| (*time, rounded(*latitude), rounded(*longitude)));
    rounded.collect()
}

/// How many true positions were in both circles of a lead, and of how many.
#[derive(Default)]
struct Inside {
    half: usize,
    ninety: usize,
    all: usize,
}

impl Inside {
    fn add(&mut self, sent: &Path, truth: &Path, lead_s: f64) {
        let mut record = Record::new(sent, lead_s);
        for index in record.starts() {
            let Some((start, _)) = record.step(index) else {
                continue;
            };
            let at = start.drift.state.time_s + lead_s;
            let longest_gap_s = truth.longest_gap_s(index.min(truth.len() - 1));
            let place = truth.position_at(at, longest_gap_s);
            let (Some(place), Some(_)) = (place, start.mean_error_m) else {
                continue;
            };
            let error_m = geodesic::length_m(start.drift.position_at(at), place);
            let radii = start.radii().about(sent.error_m);
            self.all += 1;
            self.half += usize::from(error_m <= radii.half);
            self.ninety += usize::from(error_m <= radii.ninety);
        }
    }

    fn percent(&self, part: usize) -> usize {
        (200 * part + self.all) / (2 * self.all.max(1))
    }
}

#[test]
fn the_second_circle_holds_true_positions_that_were_rounded() {
    let tracks: Vec<(String, Track)> = drifters().into_iter().step_by(rounds(9, 1)).collect();
    for decimals in [None, Some(2), Some(1)] {
        for lead_h in LEADS_H {
            let mut inside = Inside::default();
            for (_, track) in tracks.iter().filter(|(_, track)| track.len() > 40) {
                let truth = Path::new(track, f64::INFINITY);
                // What it did between two reports is not known.
                if track
                    .interval_s()
                    .is_none_or(|interval_s| interval_s > 2.0 * HOUR.max(lead_h * HOUR))
                {
                    continue;
                }
                let fixes = (0..truth.len()).filter_map(|index| truth.get(index));
                let fixes: Vec<Numbers> = fixes
                    .map(|fix| (fix.time_s, fix.position.latitude, fix.position.longitude))
                    .collect();
                let sent = drifter(rounded(&fixes, decimals));
                inside.add(&Path::new(&sent, f64::INFINITY), &truth, lead_h * HOUR);
            }
            let [half, ninety] = [inside.half, inside.ninety].map(|part| inside.percent(part));
            println!(
                "{decimals:?}, {lead_h:.2} h: {half}/{ninety} % of {}",
                inside.all
            );
            // A step is the greatest error of a coordinate that is cut off; of one that is
            // rounded it is twice that, so that the circle of minutes holds all.
            let least = if rounds(0, 1) == 1 { 85 } else { 80 };
            assert!(
                inside.all > 100 && ninety >= least,
                "{decimals:?}, {lead_h} h"
            );
        }
    }
}

#[test]
fn rounded_and_cut_positions_are_in_the_circle_of_minutes() {
    let chance = Chance::new("cut off");
    let way = meander(position(54.0, 8.0), 30 * 24 + 1, 0.3);
    for by in [10.0, 100.0, 1000.0] {
        let (mut held, mut all) = (0, 0);
        for _ in 0..rounds(20, 400) {
            let last = 26 * 24 + chance.below(4 * 24);
            let cut = way[..=last].iter().map(|(time, latitude, longitude)| {
                (
                    *time,
                    (latitude * by).floor() / by,
                    (longitude * by).floor() / by,
                )
            });
            let (time, latitude, longitude) = way[last];
            let moment = Moment::new(time + 60.0, time + 60.0);
            let found = found(&drifter(cut.collect()), &[], moment);
            let error_m = geodesic::length_m(found.position, position(latitude, longitude));
            held += usize::from(error_m <= found.r90_m);
            all += 1;
        }
        assert!(held * 100 >= all * 85, "{by}: {held} of {all}");
    }
}

/// Hourly Argos locations about a way, the last of them of a class, with the errors of
/// their classes.
fn argos(chance: &Chance, way: &[Numbers], last: &'static str) -> Track {
    const CLASSES: [(&str, f64); 4] = [("3", 250.0), ("2", 500.0), ("1", 1500.0), ("B", 10e3)];
    let share = || {
        let number = (chance.below(1_000_000) + 1) as f64;
        number / 1e6
    };
    let mut classes = Vec::new();
    let fixes: Vec<Numbers> = way
        .iter()
        .enumerate()
        .map(|(index, (time, latitude, longitude))| {
            let of = CLASSES
                .iter()
                .find(|(name, _)| index + 1 == way.len() && *name == last);
            let (name, error_m) = of.copied().unwrap_or(CLASSES[chance.below(4)]);
            classes.push(name);
            // 68 % within the error of the class.
            let away_m = error_m / 1.51 * (-2.0 * share().ln()).sqrt();
            let seen = geodesic::direct(position(*latitude, *longitude), 360.0 * share(), away_m);
            (*time, seen.latitude, seen.longitude)
        })
        .collect();
    let class = |row: u32| classes[row as usize].to_owned();
    let records = with_texts(fixes, "lc", class);
    Track::new(&records, &TrackOptions::new(Platform::Tag, LATER))
}

#[test]
fn an_argos_location_has_the_circle_of_its_class_and_that_grows() {
    let chance = Chance::new("argos");
    let way = meander(position(54.0, 8.0), 20 * 24 + 1, 0.3);
    let (time, latitude, longitude) = *way.last().unwrap();
    let truth = position(latitude, longitude);
    for (last, error_m) in [("3", 250.0), ("2", 500.0), ("1", 1500.0), ("B", 10e3)] {
        let (mut held, all) = (0, rounds(4, 80));
        for _ in 0..all {
            let track = argos(&chance, &way, last);
            let of = |lead_s: f64| {
                found(
                    &track,
                    &[],
                    Moment {
                        at: time + lead_s,
                        known_until: time + 1.0,
                    },
                )
            };
            let mut before = (0.0, 0.0);
            for lead_h in [1.0 / 60.0, 7.0, 100.0] {
                let found = of(lead_h * HOUR);
                assert!(found.r50_m >= 0.8 * error_m && found.r90_m >= 1.4 * error_m);
                assert!(
                    found.r50_m >= before.0 && found.r90_m >= before.1,
                    "{last}, {lead_h} h"
                );
                before = (found.r50_m, found.r90_m);
            }
            let soon = of(60.0);
            held += usize::from(geodesic::length_m(soon.position, truth) <= soon.r90_m);
        }
        println!("{last}: {held} of {all}");
        assert!(held * 100 >= all * 75, "{last}: {held} of {all}");
    }
}

/// The states in which a neighbour is not followed, made of its way: from a fix on it is
/// stuck, aground, or goes with a ship or another current.
#[derive(Debug, Clone, Copy)]
enum Parting {
    Stuck,
    Aground,
    Elsewhere,
    Carried,
}

/// A way that parts after a fix.
fn parted(way: &[Numbers], from: usize, parting: Parting) -> Vec<Numbers> {
    let chance = Chance::new("parted");
    let start = way[from];
    let there = position(start.1, start.2);
    let rows = way.iter().enumerate().map(|(index, fix)| {
        if index <= from {
            return *fix;
        }
        let hours = (fix.0 - start.0) / HOUR;
        let noise_m = chance.below(10) as f64;
        let place = match parting {
            Parting::Stuck => there,
            Parting::Aground => geodesic::direct(there, hours * 77.0, noise_m),
            // 1.4 and 3 m/s: below and above the speed of `picked_up`.
            Parting::Elsewhere => geodesic::direct(there, 200.0, hours * 1.4 * HOUR),
            Parting::Carried => geodesic::direct(there, 200.0, hours * 3.0 * HOUR),
        };
        (fix.0, place.latitude, place.longitude)
    });
    rows.collect()
}

#[test]
fn a_neighbour_that_stands_still_or_goes_elsewhere_is_not_followed() {
    let (all, other) = pair(40 * 24);
    let end = all.last().unwrap().0;
    for parting in [
        Parting::Stuck,
        Parting::Aground,
        Parting::Elsewhere,
        Parting::Carried,
    ] {
        for platform in [Platform::Drifter, Platform::Generic] {
            // Before and after the own last fix.
            for (silent_h, parted_h) in [(36, 30), (36, 40), (96, 90), (96, 98), (240, 12)] {
                let silent = drifter(all[..all.len() - silent_h].to_vec());
                let alone = found(&silent, &[], Moment::new(end, end));
                let way = parted(&other, other.len() - parted_h, parting);
                let near = track(platform, LATER, way);
                let near = Neighbour {
                    deployment: Uuid::from_u128(2),
                    track: &near,
                };
                // What left after most of a long silence, and no faster than water, is no other
                // motion than what is forecast of ten days.
                if matches!(parting, Parting::Elsewhere) && parted_h == 12 {
                    continue;
                }
                let found = found(&silent, &[near], Moment::new(end, end));
                assert_eq!(
                    found, alone,
                    "{parting:?} {platform:?} {silent_h} {parted_h}"
                );
            }
        }
    }
    // Of two at rest in fast ice one is followed, or the own rest goes on: neither leaves.
    let still =
        |hours: usize| -> Vec<Numbers> { parted(&all, 1, Parting::Aground)[2..hours].to_vec() };
    let silent = drifter(still(all.len() - 48));
    let both = drifter(still(all.len()));
    let near = Neighbour {
        deployment: Uuid::from_u128(2),
        track: &both,
    };
    let found = found(&silent, &[near], Moment::new(end, end));
    let last = silent.latest().unwrap().position;
    assert!(
        geodesic::length_m(found.position, last) < 100.0,
        "{found:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(10, 24) as u32))]

    #[test]
    fn no_circle_is_smaller_than_the_error_of_its_position(
        steps in proptest::collection::vec((0.2f64..5.0, -0.03f64..0.03, -0.05f64..0.05), 12..160),
        lead_h in 0.0f64..200.0, south in any::<bool>(),
    ) {
        let mut at = (START, if south { -60.0 } else { 82.0 }, 175.0);
        let fixes: Vec<Numbers> = steps.iter().map(|(hours, north, east)| {
            at = (at.0 + hours * HOUR, at.1 + north, at.2 + east);
            (at.0, at.1, (at.2 + 180.0).rem_euclid(360.0) - 180.0)
        }).collect();
        let time = fixes.last().unwrap().0;
        let mut before = 0.0;
        for decimals in [None, Some(3), Some(2), Some(1)] {
            let track = drifter(rounded(&fixes, decimals));
            // A receiver that is stuck by the rounding may have one position.
            let Ok(found) = forecast(&track, &[], Moment::new(time + lead_h * HOUR, LATER)) else {
                continue;
            };
            let error_m = Path::new(&track, LATER).error_m;
            prop_assert!(found.r50_m >= 0.8 * error_m && found.r90_m >= 1.4 * error_m);
            // Of the same last fix.
            if times_of(&track).last() == Some(&time) && track.latest().unwrap().time_stamp == time {
                prop_assert!(error_m >= 0.99 * before, "{decimals:?}: {error_m} {before}");
                before = error_m;
            }
        }
    }

    #[test]
    fn the_order_of_the_neighbours_plays_no_part(
        away in proptest::collection::vec((0u16..360, 1u16..60, 0u8..4), 1..6), turn in 0usize..6,
    ) {
        let (all, _) = pair(15 * 24);
        let end = all.last().unwrap().0;
        let silent = drifter(all[..all.len() - 48].to_vec());
        let others: Vec<Track> = away.iter().map(|(course, km, phase)| {
            let about = geodesic::direct(position(84.0, 170.0), f64::from(*course), f64::from(*km) * 1e3);
            drifter(meander(about, 15 * 24, 1.0 + 0.02 * f64::from(*phase)))
        }).collect();
        let mut near: Vec<Neighbour<'_>> = (0u128..).zip(&others).map(|(id, track)| Neighbour {
            deployment: Uuid::from_u128(id),
            track,
        }).collect();
        let moment = Moment::new(end, end);
        let first = forecast(&silent, &near, moment);
        near.rotate_left(turn % away.len());
        near.reverse();
        prop_assert_eq!(first, forecast(&silent, &near, moment));
    }
}
