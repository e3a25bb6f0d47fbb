//! A simulated instrument: its path, its schedule and its data faults, as the table has them.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde::Deserialize;

use super::motion::{Motion, Offset, Plane, sum};
use super::random::Chance;
use super::thermistor::IceStation;
use crate::geo::Position;
use crate::watch::Deployment;

/// Most transmissions listed. The oldest are dropped beyond it, so that a
/// service that runs for years stays small.
const MOST_TRANSMISSIONS: i64 = 100_000;

/// Seconds of an hour.
pub(super) const HOUR: f64 = 3600.0;

/// The path.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Path {
    /// Free drift that passes a given point at a given time.
    Drifting {
        /// The motion of the water or ice.
        motion: Motion,
        /// The time at the point, hours from the simulation's midnight.
        pinned_h: f64,
        /// The point.
        #[serde(default)]
        pinned: Offset,
    },
    /// Moored near the plane's origin, adrift after the line breaks.
    Moored {
        /// The motion within the watch circle.
        watch: Motion,
        /// The motion after the line broke.
        adrift: Motion,
        /// When the line breaks, and the start and end of a tow back, after which it is moored
        /// again: seconds from the simulation's midnight; in the table from the start of the
        /// service.
        loose_s: Vec<f64>,
    },
    /// Self-propelled on a closed course, displaced by the water.
    UnderWay {
        /// The corners of the course.
        corners: Vec<Offset>,
        /// Speed along the course in m/s.
        speed_m_s: f64,
        /// The displacement.
        set: Motion,
    },
}

impl Path {
    /// The position at a time (seconds from the simulation's midnight), in metres on the plane.
    pub(super) fn offset(&self, time: f64, chance: Chance) -> Offset {
        match self {
            Self::Drifting {
                motion,
                pinned_h,
                pinned,
            } => sum(*pinned, motion.between(pinned_h * HOUR, time, chance)),
            Self::Moored {
                watch,
                adrift,
                loose_s,
                ..
            } => {
                let parts_at = loose_s.first().copied().unwrap_or(f64::INFINITY);
                let loose = |time: f64| {
                    let held = watch.offset(time.min(parts_at), chance);
                    sum(held, adrift.between(parts_at, time.max(parts_at), chance))
                };
                match *loose_s.as_slice() {
                    [_, _, end] if time >= end => watch.offset(time, chance),
                    [_, start, end] if time > start => {
                        let from = loose(start);
                        let to = watch.offset(end, chance);
                        between(from, to, (time - start) / (end - start))
                    }
                    _ => loose(time),
                }
            }
            Self::UnderWay {
                corners,
                speed_m_s,
                set,
            } => sum(along(corners, speed_m_s * time), set.offset(time, chance)),
        }
    }
}

/// The point at a part of the way from one to another.
fn between(from: Offset, to: Offset, share: f64) -> Offset {
    (
        from.0 + share * (to.0 - from.0),
        from.1 + share * (to.1 - from.1),
    )
}

/// The point at a distance along a closed course; the distance may exceed one
/// lap.
fn along(corners: &[Offset], distance: f64) -> Offset {
    let next = corners.iter().cycle().skip(1);
    let sides: Vec<(Offset, Offset, f64)> = corners
        .iter()
        .zip(next)
        .map(|(from, to)| (*from, *to, (to.0 - from.0).hypot(to.1 - from.1)))
        .collect();
    let round: f64 = sides.iter().map(|side| side.2).sum();
    let mut left = if round > 0.0 {
        distance.rem_euclid(round)
    } else {
        0.0
    };
    for (from, to, length) in sides {
        if left < length {
            return between(from, to, left / length);
        }
        left -= length;
    }
    corners.first().copied().unwrap_or_default()
}

/// When the instrument reports. Times are hours from the simulation's midnight.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Schedule {
    /// In the table, the times of the instrument count from so many hours before the start of
    /// the service.
    pub(super) before_start_h: Option<f64>,
    /// The first transmission.
    pub(super) first_h: f64,
    /// Mean interval, seconds.
    every_s: f64,
    /// Largest random offset of a transmission from its scheduled time,
    /// seconds; less than half of `every_s`, so that the order does not change.
    #[serde(default)]
    spread_s: f64,
    /// Resolution of the receiver's clock, seconds: times are multiples of it.
    tick_s: Option<f64>,
    /// When the instrument stopped reporting for good.
    until_h: Option<f64>,
    /// Start and end of each data gap.
    #[serde(default)]
    silences_h: Vec<(f64, f64)>,
}

/// The accuracy of positions.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Receiver {
    /// Satellite navigation, with a standard deviation in metres.
    Gps(f64),
    /// Argos: positions from the Doppler shift, in location classes 3, 2, 1 and
    /// worse (standard deviations from CLS, Argos User's Manual).
    Argos,
}

/// A fault in the data of a report.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DataFault {
    /// The position is wrong by these metres along the two axes.
    Spike(f64, f64),
    /// The report is sent twice.
    Twice,
    /// A second position for the same time, offset by these metres.
    Second(f64, f64),
    /// These members have another value, as JSON; one that is empty is missing.
    Set(HashMap<String, String>),
}

/// An instrument as the table describes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) label: String,
    pub(super) platform: String,
    /// The name of its random numbers.
    pub(super) chance: String,
    /// The plane of its path.
    pub(super) at: Plane,
    pub(super) path: Path,
    pub(super) schedule: Schedule,
    /// The accuracy of its positions.
    #[serde(default = "gps")]
    receiver: Receiver,
    /// Number of decimals of its degrees.
    #[serde(default = "decimals")]
    decimals: usize,
    /// `true` if its longitudes are in [0, 360).
    #[serde(default)]
    east_only: bool,
    /// `true` if the service lists its newest transmission first.
    #[serde(default)]
    newest_first: bool,
    /// The radius of its watch circle, metres.
    pub(super) watch_circle_m: Option<f64>,
    /// `true` if it is a station on sea ice.
    #[serde(default)]
    pub(super) has_station: bool,
    /// Its data faults, each in the first report from a time (hours) on.
    #[serde(default)]
    pub(super) faults: Vec<(f64, DataFault)>,
}

fn gps() -> Receiver {
    Receiver::Gps(5.0)
}

fn decimals() -> usize {
    5
}

/// A simulated instrument.
#[derive(Debug, Clone)]
pub(super) struct Instrument {
    pub(super) deployment: Deployment,
    /// Its random numbers.
    pub(super) chance: Chance,
    /// Its path, schedule and receiver.
    pub(super) entry: Entry,
    /// Its data faults, by the number of the report.
    pub(super) data_faults: HashMap<i64, DataFault>,
    /// Its further measurements, those of a station on sea ice.
    pub(super) station: Option<IceStation>,
}

impl Instrument {
    /// The number of the first report at or after a time.
    pub(super) fn first_from(&self, time: f64) -> i64 {
        let guess = self.number_near(time) - 1;
        (guess..)
            .find(|number| self.time(*number) >= time)
            .unwrap_or(guess)
    }

    /// When the `number`-th report is sent, seconds from the simulation's
    /// midnight.
    fn time(&self, number: i64) -> f64 {
        let schedule = &self.entry.schedule;
        let even = schedule.first_h * HOUR + number as f64 * schedule.every_s;
        let off = schedule.spread_s * self.chance.signed(10, number);
        let tick_s = schedule.tick_s.unwrap_or(1.0);
        ((even + off) / tick_s).round() * tick_s
    }

    /// The number of the report nearest to a time.
    fn number_near(&self, time: f64) -> i64 {
        let schedule = &self.entry.schedule;
        // `as` saturates.
        ((time - schedule.first_h * HOUR) / schedule.every_s).floor() as i64
    }

    /// The position in the `number`-th report, before data faults.
    fn position(&self, number: i64, off: Offset) -> Position {
        let truth = self.entry.path.offset(self.time(number), self.chance);
        let deviation = match self.entry.receiver {
            Receiver::Gps(metres) => metres,
            Receiver::Argos => match self.chance.unit(20, number) {
                class if class < 0.15 => 250.0,
                class if class < 0.35 => 500.0,
                class if class < 0.6 => 1_200.0,
                _ => 3_500.0,
            },
        };
        let error = (
            deviation * self.chance.bell(21, number),
            deviation * self.chance.bell(22, number),
        );
        self.entry.at.position(sum(sum(truth, error), off))
    }

    /// The response at time `now` (seconds from the simulation's midnight,
    /// which is `midnight` in UNIX seconds): a JSON array.
    pub(super) fn body(&self, midnight: f64, now: f64) -> String {
        let Schedule {
            until_h,
            silences_h,
            ..
        } = &self.entry.schedule;
        let until = until_h.map_or(now, |until| now.min(until * HOUR));
        let last = self.number_near(until) + 1;
        let first = (last - MOST_TRANSMISSIONS).max(0);
        let mut records = Vec::new();
        for number in first..=last {
            let time = self.time(number);
            let is_silent = |(from, to): &(f64, f64)| (from * HOUR..to * HOUR).contains(&time);
            if time > until || silences_h.iter().any(is_silent) {
                continue;
            }
            self.report(number, midnight + time, &mut records);
        }
        if self.entry.newest_first {
            records.reverse();
        }
        let mut body = String::from("[");
        body.push_str(&records.join(",\n"));
        body.push(']');
        body
    }

    /// Adds the records of a report: 0, 1 or 2.
    fn report(&self, number: i64, time_stamp: f64, records: &mut Vec<String>) {
        let sound = |off| self.fields(time_stamp, self.position(number, off));
        let data_fault = self.data_faults.get(&number);
        let mut here = match data_fault {
            Some(DataFault::Spike(first, second)) => sound((*first, *second)),
            _ => sound((0.0, 0.0)),
        };
        if let Some(DataFault::Set(others)) = data_fault {
            for (name, value) in &mut here {
                if let Some(other) = others.get(*name) {
                    value.clone_from(other);
                }
            }
        }
        let station = self.station.as_ref();
        let measured = station.map_or_else(String::new, |station| {
            station.members(number, self.time(number))
        });
        records.push(written(&here, &measured));
        match data_fault {
            Some(DataFault::Twice) => records.push(written(&here, &measured)),
            Some(DataFault::Second(first, second)) => {
                records.push(written(&sound((*first, *second)), &measured))
            }
            _ => {}
        }
    }

    /// The three members of a record with their values as JSON.
    fn fields(&self, time_stamp: f64, position: Position) -> Fields {
        let decimals = self.entry.decimals;
        let longitude = if self.entry.east_only {
            position.longitude.rem_euclid(360.0)
        } else {
            position.longitude
        };
        [
            // Shortest form; whole seconds have no decimals.
            ("time_stamp", format!("{time_stamp}")),
            ("latitude", format!("{:.decimals$}", position.latitude)),
            ("longitude", format!("{longitude:.decimals$}")),
        ]
    }
}

type Fields = [(&'static str, String); 3];

/// A record with these members, and with those `measured` besides.
fn written(fields: &Fields, measured: &str) -> String {
    let mut record = String::from("{");
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        let comma = if record.len() > 1 { "," } else { "" };
        // Writing to a String cannot fail.
        let _ = write!(record, "{comma}\"{name}\":{value}");
    }
    record.push_str(measured);
    record.push('}');
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_course_is_gone_round_and_round() {
        let square = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)];
        for (distance, place) in [
            (0.0, (0.0, 0.0)),
            (5.0, (5.0, 0.0)),
            (12.0, (10.0, 2.0)),
            (39.0, (0.0, 1.0)),
            (45.0, (5.0, 0.0)),
            (-1.0, (0.0, 1.0)),
        ] {
            assert_eq!(along(&square, distance), place, "{distance}");
        }
        assert_eq!(along(&[], 3.0), (0.0, 0.0));
    }
}
