//! The simulated instruments: where they are, how they move, how often they
//! report, and what goes wrong with them.

use serde_json::{Value, json};
use uuid::Uuid;

use super::motion::{Current, Dice, from_pole, shifted};
use super::world::Deployment;
use crate::geo::Position;
use crate::track::Platform;

const HOUR: f64 = 3600.0;
const DAY: f64 = 86_400.0;

/// How an instrument moves.
#[derive(Debug, Clone)]
enum Path {
    /// Carried by the ice over the pole: metres right and down of it at time 0,
    /// and the ice's own motion.
    OverThePole { start: (f64, f64), current: Current },
    /// Carried by the water from a place.
    Adrift { start: Position, current: Current },
    /// Held by a line of some metres until it breaks, carried after that.
    Moored {
        anchor: Position,
        swing: Current,
        breaks: f64,
        current: Current,
    },
    /// Along a line there and back, carried sideways meanwhile.
    Survey {
        start: Position,
        course: (f64, f64),
        turn_s: f64,
        current: Current,
    },
}

/// A simulated instrument.
#[derive(Debug, Clone)]
pub struct Instrument {
    pub(super) deployment: Deployment,
    /// Its first transmission, UNIX seconds.
    pub(super) first: f64,
    /// Time between transmissions in seconds.
    pub(super) interval_s: f64,
    /// When it fell silent, UNIX seconds.
    pub(super) silent_from: f64,
    /// Times without transmissions.
    pub(super) gaps: Vec<(f64, f64)>,
    /// Whether the service lists its newest transmission first.
    pub(super) newest_first: bool,
    /// Whether its longitudes run from 0 to 360.
    pub(super) to_360: bool,
    /// Spread of its positions in metres.
    noise_m: f64,
    seed: u64,
    path: Path,
    faults: Vec<(u32, Wrong)>,
}

/// What is wrong with one transmission.
#[derive(Debug, Clone, Copy)]
enum Wrong {
    /// No position.
    Null,
    /// A receiver without a position says 0, 0.
    NullIsland,
    /// A position far off.
    Spike,
    /// Sent twice.
    Twice,
    /// Two positions at one time.
    Conflict,
    /// A field is missing.
    Missing,
    /// A latitude that no place has.
    OutOfRange,
    /// Numbers as text.
    Text,
}

impl Instrument {
    /// Where it is at a time; `number` makes the receiver's noise its own.
    pub(super) fn at(&self, time: f64, number: u32) -> Position {
        let since = time - self.first;
        let place = match &self.path {
            Path::OverThePole { start, current } => {
                let (right, down) = current.offset(since);
                from_pole(start.0 + right, start.1 + down)
            }
            Path::Adrift { start, current } => shifted(*start, current.offset(since)),
            Path::Moored {
                anchor,
                swing,
                breaks,
                current,
            } => {
                let held = shifted(*anchor, swing.offset(since.min(*breaks)));
                if since > *breaks {
                    shifted(held, current.offset(since - breaks))
                } else {
                    held
                }
            }
            Path::Survey {
                start,
                course,
                turn_s,
                current,
            } => {
                let leg = (since / turn_s).rem_euclid(2.0);
                let along = (if leg < 1.0 { leg } else { 2.0 - leg }) * turn_s;
                let (east, north) = current.offset(since);
                shifted(*start, (course.0 * along + east, course.1 * along + north))
            }
        };
        let mut dice = Dice::new(self.seed ^ (u64::from(number) << 20));
        // The sum of a few even numbers is near enough to a bell.
        let mut bell = || (0..4).map(|_| dice.roll() - 0.5).sum::<f64>() * self.noise_m * 1.7;
        let noise = (bell(), bell());
        shifted(place, noise)
    }

    /// A record as it is sent: sound, or with what is wrong with this one.
    pub(super) fn with_faults(&self, number: u32, sound: Value) -> Vec<Value> {
        let wrong = self
            .faults
            .iter()
            .find(|(at, _)| *at == number)
            .map(|(_, wrong)| *wrong);
        let changed = |field: &str, value: Value| {
            let mut record = sound.clone();
            if let Some(known) = record.get_mut(field) {
                *known = value;
            }
            record
        };
        let latitude = sound
            .get("latitude")
            .and_then(Value::as_f64)
            .unwrap_or_default();
        match wrong {
            None => vec![sound],
            Some(Wrong::Null) => vec![changed("latitude", Value::Null)],
            Some(Wrong::NullIsland) => {
                let mut record = changed("latitude", json!(0));
                if let Some(longitude) = record.get_mut("longitude") {
                    *longitude = json!(0);
                }
                vec![record]
            }
            Some(Wrong::Spike) => vec![changed("latitude", json!(latitude - 1.5))],
            Some(Wrong::Twice) => vec![sound.clone(), sound],
            Some(Wrong::Conflict) => {
                let other = changed("latitude", json!(latitude + 0.0004));
                vec![sound, other]
            }
            Some(Wrong::Missing) => {
                vec![json!({ "time_stamp": sound.get("time_stamp"), "latitude": latitude })]
            }
            Some(Wrong::OutOfRange) => vec![changed("latitude", json!(latitude + 400.0))],
            Some(Wrong::Text) => vec![changed("latitude", json!(latitude.to_string()))],
        }
    }
}

/// The instruments of a world that begins at `began` (UNIX seconds): each has a
/// past by then.
pub(super) fn instruments(seed: u64, began: f64) -> Vec<Instrument> {
    let mut dice = Dice::new(seed);
    // Whole minutes, so that times look like an instrument's.
    let began = (began / 60.0).floor() * 60.0;
    vec![
        ice(&mut dice, began),
        ocean(&mut dice, began),
        mooring(&mut dice, began),
        glider(&mut dice, began),
        seal(&mut dice, began),
        surf(&mut dice, began),
        float(&mut dice, began),
    ]
}

struct Report {
    label: &'static str,
    platform: Platform,
    began: f64,
    days: f64,
    interval_s: f64,
    noise_m: f64,
}

fn instrument(dice: &mut Dice, report: &Report, path: Path) -> Instrument {
    // The same name is the same deployment, whenever it is started.
    let uuid = Uuid::new_v5(
        &Uuid::NAMESPACE_URL,
        format!("urn:driftline:demo:{}", report.label).as_bytes(),
    );
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a share of 2^53
    let seed = (dice.roll() * 9e15) as u64;
    let count = (report.days * DAY / report.interval_s).floor();
    Instrument {
        deployment: Deployment {
            uuid,
            label: report.label.to_owned(),
            platform: report.platform,
        },
        first: report.began - count * report.interval_s,
        interval_s: report.interval_s,
        silent_from: f64::INFINITY,
        gaps: Vec::new(),
        newest_first: false,
        to_360: false,
        noise_m: report.noise_m,
        seed,
        path,
        faults: Vec::new(),
    }
}

/// Over the pole with the Transpolar Drift.
fn ice(dice: &mut Dice, began: f64) -> Instrument {
    let report = Report {
        label: "ice drifter NP",
        platform: Platform::Drifter,
        began,
        days: 40.0,
        interval_s: HOUR,
        noise_m: 8.0,
    };
    // From the Siberian side towards Fram Strait: past the pole five days ago.
    let (right, down) = (0.03, 0.11);
    let start = (12_000.0 - right * 35.0 * DAY, -down * 35.0 * DAY);
    let current = Current::new(dice, 88.0, (right, down), 0.06, 0.03, 0.02);
    let mut ice = instrument(dice, &report, Path::OverThePole { start, current });
    ice.gaps = vec![(began - 12.2 * DAY, began - 11.4 * DAY)];
    ice.faults = vec![
        (120, Wrong::Spike),
        (300, Wrong::Null),
        (301, Wrong::Null),
        (512, Wrong::Conflict),
    ];
    ice
}

/// Westward along the trades, over the antimeridian south of Fiji.
fn ocean(dice: &mut Dice, began: f64) -> Instrument {
    let report = Report {
        label: "ocean drifter Fiji",
        platform: Platform::Drifter,
        began,
        days: 24.0,
        interval_s: 1800.0,
        noise_m: 12.0,
    };
    let start = Position {
        latitude: -19.4,
        longitude: -176.9,
    };
    let current = Current::new(dice, -19.0, (-0.24, 0.03), 0.14, 0.06, 0.14);
    let mut ocean = instrument(dice, &report, Path::Adrift { start, current });
    ocean.newest_first = true;
    ocean.to_360 = true;
    ocean.faults = vec![
        (77, Wrong::Twice),
        (402, Wrong::Twice),
        (640, Wrong::Missing),
    ];
    ocean
}

/// At its anchor in the North Sea until two days ago.
fn mooring(dice: &mut Dice, began: f64) -> Instrument {
    let report = Report {
        label: "mooring M3",
        platform: Platform::Mooring,
        began,
        days: 21.0,
        interval_s: HOUR,
        noise_m: 5.0,
    };
    let anchor = Position {
        latitude: 57.92,
        longitude: 2.11,
    };
    let swing = Current::new(dice, 58.0, (0.0, 0.0), 0.004, 0.012, 0.0008);
    let current = Current::new(dice, 58.0, (0.26, 0.14), 0.08, 0.12, 0.03);
    let breaks = 21.0 * DAY - 2.2 * DAY;
    let mut mooring = instrument(
        dice,
        &report,
        Path::Moored {
            anchor,
            swing,
            breaks,
            current,
        },
    );
    mooring.faults = vec![(90, Wrong::NullIsland), (200, Wrong::Text)];
    mooring
}

/// There and back across the Iceland Basin, up every four hours.
fn glider(dice: &mut Dice, began: f64) -> Instrument {
    let report = Report {
        label: "glider Skua",
        platform: Platform::Glider,
        began,
        days: 34.0,
        interval_s: 4.0 * HOUR,
        noise_m: 15.0,
    };
    let start = Position {
        latitude: 60.9,
        longitude: -20.4,
    };
    let current = Current::new(dice, 61.0, (0.02, 0.015), 0.05, 0.03, 0.05);
    let path = Path::Survey {
        start,
        course: (0.26, -0.05),
        turn_s: 8.0 * DAY,
        current,
    };
    let mut glider = instrument(dice, &report, path);
    glider.gaps = vec![(began - 9.3 * DAY, began - 8.5 * DAY)];
    glider.faults = vec![(60, Wrong::OutOfRange)];
    glider
}

/// A seal on the Weddell Sea's edge, not heard for nine days.
fn seal(dice: &mut Dice, began: f64) -> Instrument {
    let report = Report {
        label: "seal tag 7",
        platform: Platform::Tag,
        began,
        days: 45.0,
        interval_s: 2.0 * HOUR,
        noise_m: 300.0,
    };
    let start = Position {
        latitude: -66.3,
        longitude: -44.0,
    };
    let current = Current::new(dice, -66.0, (0.12, -0.06), 0.3, 0.1, 0.5);
    let mut seal = instrument(dice, &report, Path::Adrift { start, current });
    seal.silent_from = began - 9.0 * DAY;
    seal.faults = vec![(222, Wrong::NullIsland)];
    seal
}

/// Off Bergen, every ten seconds: it moves while one watches.
fn surf(dice: &mut Dice, began: f64) -> Instrument {
    let report = Report {
        label: "surf drifter Bergen",
        platform: Platform::Drifter,
        began,
        days: 0.25,
        interval_s: 10.0,
        noise_m: 1.5,
    };
    let start = Position {
        latitude: 60.33,
        longitude: 4.86,
    };
    let current = Current::new(dice, 60.0, (0.22, 0.3), 0.2, 0.25, 0.1);
    let mut surf = instrument(dice, &report, Path::Adrift { start, current });
    surf.faults = vec![(900, Wrong::Twice), (1500, Wrong::Spike)];
    surf
}

/// Up every ten days for two years in the Agulhas.
fn float(dice: &mut Dice, began: f64) -> Instrument {
    let report = Report {
        label: "float Agulhas",
        platform: Platform::Float,
        began: began - 4.0 * DAY,
        days: 760.0,
        interval_s: 10.0 * DAY,
        noise_m: 60.0,
    };
    let start = Position {
        latitude: -34.2,
        longitude: 27.5,
    };
    let current = Current::new(dice, -36.0, (-0.012, -0.012), 0.02, 0.0, 0.16);
    instrument(dice, &report, Path::Adrift { start, current })
}
