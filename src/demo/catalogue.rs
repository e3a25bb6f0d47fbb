//! The simulated instruments. Times are days from the simulation's midnight.
//! Every instrument has a past of weeks and continues from there.

use std::collections::HashMap;

use uuid::Uuid;

use super::instrument::{DataFault, Instrument, Path, Receiver, Schedule};
use super::motion::{Ellipse, Motion, Plane, Storms};
use super::random::Chance;
use super::thermistor::IceStation;
use crate::geo::Inside;
use crate::geo::circle::WatchCircle;
use crate::track::{Deployment, Platform};

const HOUR: f64 = 3600.0;
const DAY: f64 = 86_400.0;

/// All instruments for `seed`, for a service that starts `started` seconds
/// after the simulation's midnight.
pub(super) fn instruments(seed: u64, started: f64) -> Vec<Instrument> {
    vec![
        launch(seed, started),
        ice_drifter(seed),
        ocean_drifter(seed),
        mooring(seed),
        glider(seed),
        silent_drifter(seed),
        float(seed),
        seal(seed),
        ice_buoy(seed),
        wave_buoy(seed, started),
    ]
}

/// An instrument with the most frequent properties.
fn instrument(
    (label, platform): (&str, Platform),
    chance: Chance,
    plane: Plane,
    path: Path,
    schedule: Schedule,
) -> Instrument {
    // A name always gets the same UUID, whatever the seed, so that it can be
    // used on the command line.
    let name = format!("urn:driftline:demo:{label}");
    Instrument {
        deployment: Deployment {
            label: Some(label.to_owned()),
            platform,
            ..Deployment::new(Uuid::new_v5(&Uuid::NAMESPACE_URL, name.as_bytes()))
        },
        chance,
        plane,
        path,
        schedule,
        receiver: Receiver::Gps(5.0),
        decimals: 5,
        east_only: false,
        newest_first: false,
        data_faults: HashMap::new(),
        station: None,
    }
}

/// A schedule from time `first` at interval `every_s`, with random offsets.
fn every(every_s: f64, spread_s: f64, first: f64) -> Schedule {
    Schedule {
        first,
        every_s,
        spread_s,
        tick_s: 1.0,
        until: f64::INFINITY,
        silences: Vec::new(),
    }
}

/// A random phase for the `number`-th ellipse, radians.
fn phase(chance: Chance, number: i64) -> f64 {
    std::f64::consts::TAU * chance.unit(30, number)
}

/// A launch that surveys lines off Plymouth and reports every 15 s, so that its
/// track grows while the user watches.
fn launch(seed: u64, started: f64) -> Instrument {
    let chance = Chance::of(seed, "launch");
    let mut corners = Vec::new();
    for line in 0..6 {
        let north = f64::from(line) * 500.0 - 1_250.0;
        let (from, to) = if line % 2 == 0 {
            (-1.0, 1.0)
        } else {
            (1.0, -1.0)
        };
        corners.push((from * 2_500.0, north));
        corners.push((to * 2_500.0, north));
    }
    let path = Path::UnderWay {
        corners,
        speed_m_s: 4.0,
        set: Motion {
            ellipses: vec![Ellipse {
                major_m: 12.0,
                minor_m: 5.0,
                tilt: 0.4,
                period_s: 170.0,
                phase: phase(chance, 1),
            }],
            ..Motion::default()
        },
    };
    // Launched three hours ago, rounded down to a quarter of an hour.
    let first = ((started - 3.0 * HOUR) / 900.0).floor() * 900.0;
    let mut launch = instrument(
        ("Survey launch, Plymouth", Platform::Vessel),
        chance,
        Plane::at(50.22, -4.2),
        path,
        every(15.0, 0.0, first),
    );
    launch.receiver = Receiver::Gps(1.5);
    launch.decimals = 6;
    launch
        .with_data_fault(first + 0.8 * HOUR, DataFault::Twice)
        .with_data_fault(first + 1.7 * HOUR, DataFault::Spike(-5_000.0, 3_000.0))
}

/// An ice drifter that the Transpolar Drift carried past the pole; reports
/// hourly.
fn ice_drifter(seed: u64) -> Instrument {
    let chance = Chance::of(seed, "ice");
    // From the East Siberian Sea towards Fram Strait, along 10° W.
    let towards = (-10.0_f64).to_radians();
    let motion = Motion {
        mean: (0.085 * towards.cos(), 0.085 * towards.sin()),
        ellipses: vec![
            Ellipse::tide(0.03, 0.7, phase(chance, 1)),
            Ellipse::eddy(0.03, 11.0, phase(chance, 2)),
        ],
        storms: Some(Storms {
            chance,
            latitude: 88.0,
            every_s: 5.5 * DAY,
            drift_m_s: 0.16,
            inertial_m_s: 0.12,
        }),
    };
    let path = Path::Drifting {
        motion,
        pinned_at: -12.0 * DAY,
        pinned: (4_000.0, 6_000.0),
    };
    let mut schedule = every(HOUR, 20.0, -44.0 * DAY);
    schedule.silences = vec![(-27.4 * DAY, -26.2 * DAY)];
    instrument(
        ("Ice drifter, Arctic Ocean", Platform::Drifter),
        chance,
        Plane::at(90.0, 0.0),
        path,
        schedule,
    )
    .with_data_fault(-33.2 * DAY, DataFault::Second(260.0, -140.0))
    .with_data_fault(-19.6 * DAY, DataFault::Spike(52_000.0, -47_000.0))
    .with_data_fault(-8.42 * DAY, DataFault::Null("latitude"))
    .with_data_fault(-8.38 * DAY, DataFault::Null("longitude"))
}

/// A drogued drifter in the North Pacific Current that eddies carry back and
/// forth across the antimeridian; reports hourly.
fn ocean_drifter(seed: u64) -> Instrument {
    let chance = Chance::of(seed, "ocean");
    let motion = Motion {
        mean: (0.2, 0.02),
        ellipses: vec![
            Ellipse::eddy(0.32, 8.5, phase(chance, 1)),
            Ellipse::eddy(0.12, -19.0, phase(chance, 2)),
            Ellipse::tide(0.015, 1.2, phase(chance, 3)),
        ],
        storms: Some(Storms {
            chance,
            latitude: 33.0,
            every_s: 7.0 * DAY,
            drift_m_s: 0.18,
            inertial_m_s: 0.16,
        }),
    };
    let path = Path::Drifting {
        motion,
        pinned_at: -21.0 * DAY,
        pinned: (0.0, 0.0),
    };
    let mut schedule = every(HOUR, 25.0, -55.0 * DAY);
    schedule.silences = vec![(-38.5 * DAY, -37.9 * DAY)];
    instrument(
        ("Ocean drifter, date line", Platform::Drifter),
        chance,
        Plane::at(33.2, 180.0),
        path,
        schedule,
    )
    .with_data_fault(-47.0 * DAY, DataFault::Twice)
    .with_data_fault(-30.1 * DAY, DataFault::Second(-310.0, 420.0))
    .with_data_fault(-16.3 * DAY, DataFault::Spike(96_000.0, 75_000.0))
    .with_data_fault(-5.5 * DAY, DataFault::Twice)
    .with_data_fault(-2.2 * DAY, DataFault::Missing("longitude"))
}

/// A surface mooring in the Gulf of Alaska that broke loose some days ago;
/// reports every ten minutes and is listed newest first.
fn mooring(seed: u64) -> Instrument {
    let chance = Chance::of(seed, "mooring");
    let parts_at = -4.6 * DAY;
    let watch = Motion {
        ellipses: vec![
            Ellipse {
                major_m: 420.0,
                minor_m: 240.0,
                tilt: 0.9,
                period_s: 5.2 * DAY,
                phase: phase(chance, 1),
            },
            Ellipse::tide(0.035, 0.3, phase(chance, 2)),
            Ellipse::eddy(0.012, -0.65, phase(chance, 3)),
        ],
        ..Motion::default()
    };
    let adrift = Motion {
        mean: (0.19, 0.09),
        ellipses: vec![
            Ellipse::eddy(0.11, 7.0, phase(chance, 4)),
            Ellipse::tide(0.035, 0.3, phase(chance, 2)),
        ],
        storms: Some(Storms {
            chance,
            latitude: 50.0,
            every_s: 4.0 * DAY,
            drift_m_s: 0.17,
            inertial_m_s: 0.14,
        }),
    };
    let path = Path::Moored {
        watch,
        parts_at,
        adrift,
        towed: None,
    };
    let mut schedule = every(600.0, 3.0, -16.0 * DAY);
    schedule.silences = vec![(parts_at + 1.1 * HOUR, parts_at + 7.0 * HOUR)];
    let mut mooring = instrument(
        ("Mooring, Gulf of Alaska", Platform::Mooring),
        chance,
        Plane::at(50.13, -144.83),
        path,
        schedule,
    );
    mooring.newest_first = true;
    mooring
        .with_data_fault(-9.7 * DAY, DataFault::Null("time_stamp"))
        // The receiver restarts after the jolt.
        .with_data_fault(parts_at + 0.4 * HOUR, DataFault::NullIsland)
        .with_data_fault(-1.3 * DAY, DataFault::Twice)
}

/// How long after the start of the service the wave buoy breaks loose, seconds.
const BREAKS_LOOSE_S: f64 = 30.0;
/// How long it drifts, and how long it is towed back, seconds.
const ADRIFT_S: f64 = 150.0;
const TOWED_S: f64 = 150.0;

/// A wave buoy moored off St Helena that reports every 15 s. It breaks loose half
/// a minute after the start of the service, so that its alarm is raised while the
/// user watches; a boat tows it back to its mooring within the next minutes.
fn wave_buoy(seed: u64, started: f64) -> Instrument {
    let chance = Chance::of(seed, "waves");
    let plane = Plane::at(-15.91, -5.73);
    let watch = Motion {
        ellipses: vec![Ellipse {
            major_m: 18.0,
            minor_m: 9.0,
            tilt: 0.6,
            period_s: 540.0,
            phase: phase(chance, 1),
        }],
        ..Motion::default()
    };
    let adrift = Motion {
        mean: (-1.8, 0.8),
        ..Motion::default()
    };
    let parts_at = started + BREAKS_LOOSE_S;
    let towed_at = parts_at + ADRIFT_S;
    let path = Path::Moored {
        watch,
        parts_at,
        adrift,
        towed: Some((towed_at, towed_at + TOWED_S)),
    };
    let first = ((started - 2.0 * HOUR) / 900.0).floor() * 900.0;
    let mut buoy = instrument(
        ("Wave buoy, St Helena", Platform::Mooring),
        chance,
        plane,
        path,
        every(15.0, 0.0, first),
    );
    buoy.receiver = Receiver::Gps(1.5);
    buoy.decimals = 6;
    let circle = WatchCircle {
        centre: plane.position((0.0, 0.0)),
        radius_m: 60.0,
    };
    buoy.deployment.limits.inside = Some(Inside::Circle(circle));
    buoy
}

/// A glider that dives back and forth along a line off Oregon and surfaces
/// about every four hours.
fn glider(seed: u64) -> Instrument {
    let chance = Chance::of(seed, "glider");
    let mut corners = Vec::new();
    for tooth in 0..=8 {
        let across = if tooth % 2 == 0 { 5_500.0 } else { -5_500.0 };
        corners.push((26_000.0 - f64::from(tooth) * 15_000.0, across));
    }
    // Back in a straight line.
    corners.push((-94_000.0, 0.0));
    corners.push((26_000.0, 0.0));
    let path = Path::UnderWay {
        corners,
        speed_m_s: 0.26,
        set: Motion {
            ellipses: vec![
                Ellipse::tide(0.07, 1.4, phase(chance, 1)),
                Ellipse::eddy(0.08, -6.0, phase(chance, 2)),
            ],
            ..Motion::default()
        },
    };
    let mut schedule = every(4.0 * HOUR, 2_400.0, -34.0 * DAY);
    schedule.tick_s = 0.25;
    schedule.silences = vec![(-15.2 * DAY, -14.1 * DAY)];
    instrument(
        ("Glider, Newport line", Platform::Glider),
        chance,
        Plane::at(44.65, -125.0),
        path,
        schedule,
    )
    .with_data_fault(-22.0 * DAY, DataFault::OutOfRange("longitude"))
    .with_data_fault(-6.5 * DAY, DataFault::Missing("latitude"))
}

/// A drifter that crossed Drake Passage and stopped reporting nine days ago.
fn silent_drifter(seed: u64) -> Instrument {
    let chance = Chance::of(seed, "silent");
    let motion = Motion {
        mean: (0.36, 0.02),
        ellipses: vec![
            Ellipse::eddy(0.22, -9.0, phase(chance, 1)),
            Ellipse::eddy(0.1, 23.0, phase(chance, 2)),
        ],
        storms: Some(Storms {
            chance,
            latitude: -57.5,
            every_s: 4.5 * DAY,
            drift_m_s: 0.2,
            inertial_m_s: 0.15,
        }),
    };
    let path = Path::Drifting {
        motion,
        pinned_at: -30.0 * DAY,
        pinned: (-200_000.0, 0.0),
    };
    let mut schedule = every(3.0 * HOUR, 600.0, -52.0 * DAY);
    // Data gaps while its battery failed.
    schedule.silences = vec![(-12.6 * DAY, -11.9 * DAY), (-10.9 * DAY, -9.9 * DAY)];
    schedule.until = -9.0 * DAY;
    instrument(
        ("Drifter, Drake Passage", Platform::Drifter),
        chance,
        Plane::at(-57.6, -52.0),
        path,
        schedule,
    )
    .with_data_fault(-41.0 * DAY, DataFault::Text("latitude"))
    .with_data_fault(-11.2 * DAY, DataFault::Null("latitude"))
    .with_data_fault(-9.4 * DAY, DataFault::NullIsland)
}

/// A profiling float that surfaces every ten days, with longitudes from 0 to
/// 360.
fn float(seed: u64) -> Instrument {
    let chance = Chance::of(seed, "float");
    let motion = Motion {
        mean: (0.014, 0.005),
        ellipses: vec![
            Ellipse::eddy(0.045, 64.0, phase(chance, 1)),
            Ellipse::eddy(0.02, -27.0, phase(chance, 2)),
        ],
        storms: None,
    };
    let path = Path::Drifting {
        motion,
        pinned_at: -150.0 * DAY,
        pinned: (0.0, 0.0),
    };
    let mut float = instrument(
        ("Float, South Pacific", Platform::Float),
        chance,
        Plane::at(-29.5, -172.0),
        path,
        every(10.0 * DAY, 0.2 * DAY, -306.4 * DAY),
    );
    float.receiver = Receiver::Gps(20.0);
    float.decimals = 4;
    float.east_only = true;
    float
}

/// A tag on a seal that feeds off Kerguelen; positions by Argos.
fn seal(seed: u64) -> Instrument {
    let chance = Chance::of(seed, "seal");
    let path = Path::UnderWay {
        corners: vec![
            (0.0, 0.0),
            (60_000.0, -180_000.0),
            (140_000.0, -420_000.0),
            (40_000.0, -560_000.0),
            (-30_000.0, -300_000.0),
        ],
        speed_m_s: 0.8,
        set: Motion {
            ellipses: vec![
                Ellipse::eddy(0.5, 0.9, phase(chance, 1)),
                Ellipse::eddy(0.3, -3.1, phase(chance, 2)),
            ],
            ..Motion::default()
        },
    };
    let mut schedule = every(2.2 * HOUR, 0.8 * HOUR, -40.0 * DAY);
    schedule.silences = vec![(-27.9 * DAY, -27.2 * DAY)];
    let mut seal = instrument(
        ("Elephant seal, Kerguelen", Platform::Tag),
        chance,
        Plane::at(-50.0, 71.2),
        path,
        schedule,
    );
    seal.receiver = Receiver::Argos;
    seal.decimals = 3;
    seal
        // The Doppler shift has two solutions; this is the wrong one.
        .with_data_fault(-23.0 * DAY, DataFault::Spike(900_000.0, 350_000.0))
        .with_data_fault(-18.0 * DAY, DataFault::Twice)
        .with_data_fault(-9.1 * DAY, DataFault::Text("longitude"))
        .with_data_fault(-3.3 * DAY, DataFault::NullIsland)
}

/// A buoy on growing sea ice in the Beaufort Gyre, with a weather station and a
/// thermistor string through snow and ice; reports every three hours.
fn ice_buoy(seed: u64) -> Instrument {
    let chance = Chance::of(seed, "buoy");
    let motion = Motion {
        mean: (-0.05, 0.01),
        ellipses: vec![
            Ellipse::tide(0.02, 0.4, phase(chance, 1)),
            Ellipse::eddy(0.025, -9.0, phase(chance, 2)),
        ],
        storms: Some(Storms {
            chance,
            latitude: 76.0,
            every_s: 6.5 * DAY,
            drift_m_s: 0.14,
            inertial_m_s: 0.08,
        }),
    };
    let path = Path::Drifting {
        motion,
        pinned_at: 0.0,
        pinned: (0.0, 0.0),
    };
    let mut buoy = instrument(
        ("Ice buoy, Beaufort Sea", Platform::Drifter),
        chance,
        Plane::at(76.4, -148.0),
        path,
        every(3.0 * HOUR, 15.0, -42.0 * DAY),
    );
    buoy.station = Some(IceStation {
        chance,
        installed: -42.0 * DAY,
    });
    buoy
}
