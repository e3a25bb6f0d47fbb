//! An overview as bytes, as the archive stores it, and what it was made of.

use super::{HOURS, LastFix, MOST_POSITIONS, Overview};
use crate::geo::Position;
use crate::track::recent::{RECENT, Reports};
use crate::track::{NewerFailed, TrackOptions};

/// Another number for another way to make an overview of the same fixes, such as a
/// test of quality that flags others: what is stored is made anew.
const VERSION: u64 = 3;

/// The FNV-1a hash (Fowler, Noll and Vo) of bytes.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A number that differs where an overview is made of another revision of the stored
/// records, or with other choices. The time of the choices does not count.
pub(crate) fn basis(revision: i64, options: &TrackOptions) -> u64 {
    let TrackOptions {
        platform,
        now: _,
        max_speed_m_s,
        window,
        // The list has what is declared from the entry itself.
        declared: _,
        exclude_failed,
        overrules,
    } = options;
    let mut bytes = Vec::with_capacity(64);
    let mut take = |number: u64| bytes.extend(number.to_le_bytes());
    let limit = |limit: &Option<f64>| limit.map_or(u64::MAX, f64::to_bits);
    take(VERSION);
    take(revision.cast_unsigned());
    take(limit(max_speed_m_s));
    take(limit(&window.from));
    take(limit(&window.until));
    take(u64::from(*exclude_failed));
    take(overrules.digest());
    bytes.extend(platform.name().as_bytes());
    hash(&bytes)
}

impl Overview {
    /// The overview as bytes, with a hash of them at the end.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let latest = self.latest.as_ref();
        #[allow(clippy::cast_precision_loss)] // a count
        let numbers = [
            latest.map(|fix| fix.time_stamp),
            latest.map(|fix| fix.position.latitude),
            latest.map(|fix| fix.position.longitude),
            latest.and_then(|fix| fix.speed_m_s),
            latest.and_then(|fix| fix.course_deg),
            self.interval_s,
            self.data_return,
            self.newer_failed.map(|newer| newer.count as f64),
            self.newer_failed.map(|newer| newer.distance_m),
        ];
        let mut bytes = vec![u8::from(latest.is_some_and(|fix| fix.has_leg))];
        let fixes = u64::try_from(self.fixes).unwrap_or(u64::MAX);
        bytes.extend(fixes.to_le_bytes());
        bytes.push(u8::try_from(self.gaps).unwrap_or(u8::MAX));
        for number in numbers {
            bytes.push(u8::from(number.is_some()));
            bytes.extend(number.unwrap_or_default().to_le_bytes());
        }
        bytes.extend(self.reports.came.to_le_bytes());
        bytes.push(self.reports.count);
        bytes.push(u8::try_from(self.speeds.len()).unwrap_or(0));
        // One bit an hour, then the speeds of the hours that have one.
        for hours in self.speeds.chunks(8) {
            let bits = hours.iter().rev();
            bytes.push(bits.fold(0, |bits, speed| bits << 1 | u8::from(*speed >= 0.0)));
        }
        for speed in self.speeds.iter().filter(|speed| **speed >= 0.0) {
            bytes.extend(speed.to_le_bytes());
        }
        bytes.push(u8::try_from(self.line.len()).unwrap_or(0));
        for (latitude, longitude) in &self.line {
            bytes.extend(latitude.to_le_bytes());
            bytes.extend(longitude.to_le_bytes());
        }
        bytes.extend(hash(&bytes).to_le_bytes());
        bytes
    }

    /// The overview of bytes; `None` where they are not what was written.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (body, written) = bytes.split_last_chunk::<8>()?;
        if hash(bytes.get(..bytes.len() - written.len())?) != u64::from_le_bytes(*written) {
            return None;
        }
        let mut read = Reader(body);
        let has_leg = read.byte()? == 1;
        let fixes = usize::try_from(u64::from_le_bytes(read.take()?)).ok()?;
        let gaps = usize::from(read.byte()?);
        let mut numbers = [None; 9];
        for number in &mut numbers {
            let is_some = read.byte()? == 1;
            let value = f64::from_le_bytes(read.take()?);
            *number = Some(value).filter(|value| is_some && value.is_finite());
        }
        let [
            time_stamp,
            latitude,
            longitude,
            speed_m_s,
            course_deg,
            interval_s,
            data_return,
            newer,
            newer_m,
        ] = numbers;
        let latest = match (time_stamp, latitude, longitude) {
            (Some(time_stamp), Some(latitude), Some(longitude)) => Some(LastFix {
                time_stamp,
                position: Position::new(latitude, longitude)?,
                has_leg,
                speed_m_s,
                course_deg,
            }),
            _ => None,
        };
        let reports = Reports {
            came: u16::from_le_bytes(read.take()?),
            count: read.byte().filter(|count| usize::from(*count) <= RECENT)?,
        };
        let hours = usize::from(read.byte()?);
        if hours > HOURS {
            return None;
        }
        let mut known = Vec::with_capacity(HOURS);
        for _ in 0..hours.div_ceil(8) {
            let bits = read.byte()?;
            known.extend((0..8).map(|hour| bits >> hour & 1 == 1));
        }
        let mut speeds = Vec::with_capacity(hours);
        for is_known in known.into_iter().take(hours) {
            speeds.push(match is_known {
                true => f32::from_le_bytes(read.take()?),
                false => -1.0,
            });
        }
        let positions = usize::from(read.byte()?);
        let mut line = Vec::with_capacity(positions.min(MOST_POSITIONS));
        for _ in 0..positions {
            let latitude = f32::from_le_bytes(read.take()?);
            line.push((latitude, f32::from_le_bytes(read.take()?)));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a count
        let newer_failed = newer.zip(newer_m).map(|(count, distance_m)| NewerFailed {
            count: count as usize,
            distance_m,
        });
        Some(Self {
            fixes,
            gaps,
            latest,
            newer_failed,
            interval_s,
            data_return,
            reports,
            speeds: speeds.into_boxed_slice(),
            line: line.into_boxed_slice(),
        })
    }
}

/// Bytes that are read from the first on.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }
}
