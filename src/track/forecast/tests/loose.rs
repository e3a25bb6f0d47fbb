//! A buoy that breaks loose: made tracks of it at rest with the errors of a receiver, then
//! adrift at a steady speed.

use super::*;
use crate::geo::Notation;
use crate::testing::chance::Chance;
use crate::watch::{Deployment, Whereabouts};

const MINUTE: f64 = 60.0;
/// The standard error of a position in each direction, metres.
const NOISE_M: f64 = 5.0;
const SEEDS: usize = 40;

/// A number from 0, exclusive, to 1.
fn share(chance: &Chance) -> f64 {
    let number = (chance.below(1_000_000) + 1) as f64;
    number / 1e6
}

/// A buoy that reports, has been at rest for a time, and breaks loose at [`START`].
struct Loose<'a> {
    chance: &'a Chance,
    /// The time between two reports, seconds.
    every_s: f64,
    /// The time at rest, seconds.
    rest_s: f64,
    course_deg: f64,
    speed_m_s: f64,
}

impl<'a> Loose<'a> {
    /// Adrift at 0.5 to 1 m/s.
    fn new(chance: &'a Chance, every_s: f64, rest_s: f64) -> Self {
        Self {
            chance,
            every_s,
            rest_s,
            course_deg: 360.0 * share(chance),
            speed_m_s: 0.5 + share(chance) / 2.0,
        }
    }

    fn truth(&self, time_s: f64) -> Position {
        let way_m = (time_s - START).max(0.0) * self.speed_m_s;
        geodesic::direct(position(75.0, 10.0), self.course_deg, way_m)
    }

    /// The fixes up to a time, UNIX seconds.
    fn fixes(&self, until_s: f64) -> Vec<Numbers> {
        let first_s = START - self.rest_s - share(self.chance) * self.every_s;
        let times = std::iter::successors(Some(first_s), |time| Some(time + self.every_s));
        let fixes = times.take_while(|time| *time <= until_s).map(|time| {
            let error_m = NOISE_M * (-2.0 * share(self.chance).ln()).sqrt();
            let seen = geodesic::direct(self.truth(time), 360.0 * share(self.chance), error_m);
            (time, seen.latitude, seen.longitude)
        });
        fixes.collect()
    }
}

/// How many of the made buoys are in the second circle, percent, for a moment so many
/// seconds after now; now is so many minutes after the break.
fn inside(every_s: f64, rest_s: f64, [from, to]: [f64; 2]) -> [usize; 3] {
    let chance = Chance::new("break loose");
    let mut inside = [0, 0, 0];
    for _ in 0..SEEDS {
        let buoy = Loose::new(&chance, every_s, rest_s);
        let now = START + (from + (to - from) * share(&chance)) * MINUTE;
        let track = drifter(buoy.fixes(now));
        for (inside, lead_s) in inside.iter_mut().zip([0.0, HOUR, 6.0 * HOUR]) {
            let at = now + lead_s;
            let found = found(&track, &[], Moment::new(at, now));
            let error_m = geodesic::length_m(found.position, buoy.truth(at));
            *inside += usize::from(error_m <= found.r90_m);
        }
    }
    inside.map(|inside| 100 * inside / SEEDS)
}

#[test]
fn a_buoy_that_breaks_loose_is_in_its_circle_minutes_later() {
    let mut faults = Vec::new();
    for (every_s, rest_s, minutes) in [
        (15.0, HOUR, [3.0, 10.0]),
        (30.0, HOUR, [3.0, 10.0]),
        (60.0, HOUR, [3.0, 10.0]),
        // Of one report since the break no speed is known.
        (300.0, HOUR, [11.0, 25.0]),
        (HOUR, DAY, [121.0, 180.0]),
        // With a record at rest.
        (60.0, 6.0 * DAY, [3.0, 10.0]),
        (300.0, 10.0 * DAY, [11.0, 25.0]),
        (HOUR, 10.0 * DAY, [121.0, 180.0]),
    ] {
        let inside = inside(every_s, rest_s, minutes);
        let row = format!("every {every_s} s after {rest_s} s at rest: {inside:?} %");
        println!("{row}");
        if inside.iter().any(|inside| *inside < 85) {
            faults.push(row);
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn a_buoy_faster_than_its_record_is_called_so() {
    let chance = Chance::new("faster");
    let buoy = Loose::new(&chance, HOUR, 10.0 * DAY);
    let note = |now: f64| {
        let track = drifter(buoy.fixes(now));
        let moment = Moment::new(now + 6.0 * HOUR, now);
        let known = Whereabouts::new(
            Deployment::new(Uuid::nil()),
            Arc::new(track),
            Vec::new(),
            moment,
        );
        known.note(None, Notation::default())
    };
    assert_eq!(note(START), None);
    let words = "faster now than in its past: the circle is wider";
    assert_eq!(note(START + 2.0 * HOUR).as_deref(), Some(words));
}

#[test]
fn neither_the_errors_of_a_receiver_nor_a_spike_are_a_break() {
    let chance = Chance::new("moored");
    for every_s in [15.0, 30.0, 60.0, 300.0] {
        for _ in 0..SEEDS {
            let mut fixes = Loose::new(&chance, every_s, 2.0 * HOUR).fixes(START);
            let spike = fixes.len() - 3 - chance.below(6);
            fixes[spike].1 += 0.001;
            let found = found(&drifter(fixes), &[], Moment::new(START + HOUR, START));
            // 1.4 of 60 m and of the errors of two positions.
            assert!(found.r90_m < 130.0, "{every_s}: {}", found.r90_m);
        }
    }
}
