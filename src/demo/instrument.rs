//! A simulated instrument: where it goes, when it reports, and what is wrong
//! with a report now and then.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::deployment::Deployment;
use super::motion::{Motion, Offset, Plane};
use super::random::Chance;
use crate::geo::Position;

/// The most transmissions that are listed: beyond them the oldest are
/// forgotten, so that a world that runs for years stays small.
const MOST_TRANSMISSIONS: i64 = 100_000;

/// How it gets about. Times are seconds from the world's midnight.
#[derive(Debug, Clone)]
pub(super) enum Path {
    /// Carried along; at one time it is at one place.
    Drifting {
        /// What carries it.
        motion: Motion,
        /// When it is at the place.
        pinned_at: f64,
        /// The place.
        pinned: Offset,
    },
    /// Held near the plane's origin, adrift after its line has parted.
    Moored {
        /// What moves it about within its watch circle.
        watch: Motion,
        /// When the line parts.
        parts_at: f64,
        /// What carries it from then on.
        adrift: Motion,
    },
    /// Under way on a closed course, set off it by the water.
    UnderWay {
        /// The corners of the course.
        corners: Vec<Offset>,
        /// Speed along it in m/s.
        speed_m_s: f64,
        /// What sets it off.
        set: Motion,
    },
}

impl Path {
    /// Where it is, in metres on the plane.
    pub(super) fn offset(&self, time: f64) -> Offset {
        match self {
            Self::Drifting {
                motion,
                pinned_at,
                pinned,
            } => {
                let carried = motion.between(*pinned_at, time);
                (pinned.0 + carried.0, pinned.1 + carried.1)
            }
            Self::Moored {
                watch,
                parts_at,
                adrift,
            } => {
                let held = watch.offset(time.min(*parts_at));
                let carried = adrift.between(*parts_at, time.max(*parts_at));
                (held.0 + carried.0, held.1 + carried.1)
            }
            Self::UnderWay {
                corners,
                speed_m_s,
                set,
            } => {
                let on_course = along(corners, speed_m_s * time);
                let off = set.offset(time);
                (on_course.0 + off.0, on_course.1 + off.1)
            }
        }
    }
}

/// The place a distance along a closed course, which may go round often.
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
            let share = left / length;
            return (
                from.0 + share * (to.0 - from.0),
                from.1 + share * (to.1 - from.1),
            );
        }
        left -= length;
    }
    corners.first().copied().unwrap_or_default()
}

/// When it reports. Times are seconds from the world's midnight.
#[derive(Debug, Clone)]
pub(super) struct Schedule {
    /// The first transmission.
    pub(super) first: f64,
    /// Time between two in the mean, seconds.
    pub(super) every_s: f64,
    /// How far a transmission lies off its time at most, seconds; less than
    /// half of `every_s`, so that they stay in order.
    pub(super) spread_s: f64,
    /// Times of the receiver's clock are whole multiples of this, seconds.
    pub(super) tick_s: f64,
    /// When it fell silent for good.
    pub(super) until: f64,
    /// From when to when nothing came.
    pub(super) silences: Vec<(f64, f64)>,
}

/// How good its positions are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Receiver {
    /// Satellite navigation, with a deviation in metres.
    Gps(f64),
    /// Positions from the Doppler shift, of classes 3, 2, 1 and worse
    /// (deviations as CLS, Argos User's Manual, gives them).
    Argos,
}

/// What is wrong with one report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum DataFault {
    /// The position is off by so many metres.
    Spike(f64, f64),
    /// A receiver without a position says (0, 0).
    NullIsland,
    /// Sent twice.
    Twice,
    /// A second position for the same time, so many metres off.
    Second(f64, f64),
    /// The field is null.
    Null(&'static str),
    /// The field is not there.
    Missing(&'static str),
    /// The field is text.
    Text(&'static str),
    /// The field is out of its range: the decimal point was lost.
    OutOfRange(&'static str),
}

/// A simulated instrument.
#[derive(Debug, Clone)]
pub(super) struct Instrument {
    /// Who it is.
    pub(super) deployment: Deployment,
    /// Its own chance.
    pub(super) chance: Chance,
    /// The plane its path lies on.
    pub(super) plane: Plane,
    /// How it gets about.
    pub(super) path: Path,
    /// When it reports.
    pub(super) schedule: Schedule,
    /// How good its positions are.
    pub(super) receiver: Receiver,
    /// Decimals of the degrees it sends.
    pub(super) decimals: usize,
    /// Whether its longitudes run from 0 to 360.
    pub(super) east_only: bool,
    /// Whether the service lists its newest transmission first.
    pub(super) newest_first: bool,
    /// What is wrong, by the number of the report.
    pub(super) quirks: HashMap<i64, DataFault>,
}

impl Instrument {
    /// Lets something be wrong with the first report at or after a time.
    pub(super) fn with_quirk(mut self, time: f64, quirk: DataFault) -> Self {
        let guess = self.number_near(time) - 1;
        let number = (guess..)
            .find(|number| self.time(*number) >= time)
            .unwrap_or(guess);
        self.quirks.insert(number, quirk);
        self
    }

    /// When the `number`-th report is sent, seconds from the world's midnight.
    fn time(&self, number: i64) -> f64 {
        let Schedule {
            first,
            every_s,
            spread_s,
            tick_s,
            ..
        } = self.schedule;
        #[allow(clippy::cast_precision_loss)] // far below 2^53
        let even = first + number as f64 * every_s;
        let off = spread_s * self.chance.signed(10, number);
        ((even + off) / tick_s).round() * tick_s
    }

    /// The number of the report that is due at about a time.
    fn number_near(&self, time: f64) -> i64 {
        #[allow(clippy::cast_possible_truncation)] // `as` saturates
        let number = ((time - self.schedule.first) / self.schedule.every_s).floor() as i64;
        number
    }

    /// The position that the `number`-th report tells, before what is wrong.
    fn position(&self, number: i64, off: Offset) -> Position {
        let truth = self.path.offset(self.time(number));
        let deviation = match self.receiver {
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
        self.plane
            .position((truth.0 + error.0 + off.0, truth.1 + error.1 + off.1))
    }

    /// The body of the answer at a time (seconds from the world's midnight)
    /// whose midnight is `midnight` (UNIX seconds): a JSON array.
    pub(super) fn body(&self, midnight: f64, now: f64) -> String {
        let until = now.min(self.schedule.until);
        let last = self.number_near(until) + 1;
        let first = (last - MOST_TRANSMISSIONS).max(0);
        let mut records = Vec::new();
        for number in first..=last {
            let time = self.time(number);
            let is_silent = |(from, to): &(f64, f64)| (*from..*to).contains(&time);
            if time > until || self.schedule.silences.iter().any(is_silent) {
                continue;
            }
            self.report(number, midnight + time, &mut records);
        }
        if self.newest_first {
            records.reverse();
        }
        let mut body = String::from("[");
        body.push_str(&records.join(",\n"));
        body.push(']');
        body
    }

    /// The records of one report: none, one or two.
    fn report(&self, number: i64, time_stamp: f64, records: &mut Vec<String>) {
        let sound = |off| self.fields(time_stamp, self.position(number, off));
        let mut here = sound((0.0, 0.0));
        let field =
            |name: &str| usize::from(name != "time_stamp") + usize::from(name == "longitude");
        let quirk = self.quirks.get(&number);
        match quirk {
            Some(DataFault::Spike(first, second)) => here = sound((*first, *second)),
            Some(DataFault::NullIsland) => {
                here[1].1 = Some("0".to_owned());
                here[2].1 = Some("0".to_owned());
            }
            Some(DataFault::Null(name)) => here[field(name)].1 = Some("null".to_owned()),
            Some(DataFault::Missing(name)) => here[field(name)].1 = None,
            Some(DataFault::Text(name)) => {
                let value = &mut here[field(name)].1;
                *value = value.as_ref().map(|number| format!("\"{number}\""));
            }
            Some(DataFault::OutOfRange(name)) => {
                let value = &mut here[field(name)].1;
                *value = value.as_ref().map(|number| number.replace('.', ""));
            }
            Some(DataFault::Twice | DataFault::Second(..)) | None => {}
        }
        records.push(written(&here));
        match quirk {
            Some(DataFault::Twice) => records.push(written(&here)),
            Some(DataFault::Second(first, second)) => {
                records.push(written(&sound((*first, *second))))
            }
            _ => {}
        }
    }

    /// The three members of a record and their values as JSON.
    fn fields(&self, time_stamp: f64, position: Position) -> Fields {
        let decimals = self.decimals;
        let longitude = if self.east_only {
            position.longitude.rem_euclid(360.0)
        } else {
            position.longitude
        };
        [
            // Shortest form, whole seconds without a fraction.
            ("time_stamp", Some(format!("{time_stamp}"))),
            (
                "latitude",
                Some(format!("{:.decimals$}", position.latitude)),
            ),
            ("longitude", Some(format!("{longitude:.decimals$}"))),
        ]
    }
}

type Fields = [(&'static str, Option<String>); 3];

fn written(fields: &Fields) -> String {
    let mut record = String::from("{");
    for (name, value) in fields {
        if let Some(value) = value {
            let comma = if record.len() > 1 { "," } else { "" };
            // Writing to a String cannot fail.
            let _ = write!(record, "{comma}\"{name}\":{value}");
        }
    }
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
