//! How the table is divided: by month of the record and by a hash of the
//! deployment. A record belongs to one file, whatever else is in the archive.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use ring::digest::{SHA256, digest};
use uuid::Uuid;

/// Bytes of a file, at most, that the number of buckets of a month is chosen for:
/// as it is a power of two, the files of a full month have 96 to 192 MB.
const FILE: f64 = 192e6;
/// Buckets of a month, at most.
const MOST_BUCKETS: u16 = 256;
/// The name of every file.
const NAME: &str = "records.parquet";

/// A month of UTC, as its number since the year 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Month(i32);

impl Month {
    /// The month of a time, UNIX seconds.
    pub(super) fn of(time: f64) -> Self {
        #[allow(clippy::cast_possible_truncation)] // within the calendar
        let day = (time / 86_400.0).floor() as i64;
        // The other way round than `first_day`, in cycles of 400 years.
        let from = day + MARCH;
        let (cycle, day) = (from.div_euclid(146_097), from.rem_euclid(146_097));
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        // Counted from March.
        let month = (5 * day + 2) / 153;
        let months = (cycle * 400 + year) * 12 + month + 2;
        Self(i32::try_from(months).unwrap_or(0))
    }

    /// The times from its first moment to that of the next, UNIX seconds.
    pub(super) fn range(self) -> Range<f64> {
        #[allow(clippy::cast_precision_loss)] // seconds of the calendar
        let begin = |month| first_day(month) as f64 * 86_400.0;
        begin(self.0)..begin(self.0 + 1)
    }
}

/// Days from 0000-03-01 to 1970-01-01.
const MARCH: i64 = 719_468;

/// Days from 1970-01-01 to the first of a month in the Gregorian calendar.
fn first_day(month: i32) -> i64 {
    let (year, month) = (
        i64::from(month).div_euclid(12),
        i64::from(month).rem_euclid(12),
    );
    // Years that begin in March have the leap day as their last.
    let (year, month) = match month {
        0 | 1 => (year - 1, month + 10),
        _ => (year, month - 2),
    };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leaps + (153 * month + 2) / 5 - MARCH
}

impl fmt::Display for Month {
    /// As `2026-01`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month) = (self.0.div_euclid(12), self.0.rem_euclid(12) + 1);
        write!(f, "{year:04}-{month:02}")
    }
}

/// A text is not a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a month such as 2026-01")]
pub(super) struct NotAMonth;

impl FromStr for Month {
    type Err = NotAMonth;

    fn from_str(text: &str) -> Result<Self, NotAMonth> {
        let (year, month) = text.split_once('-').ok_or(NotAMonth)?;
        let number = |part: &str, digits: usize| -> Option<i32> {
            let is_number = part.len() == digits && part.bytes().all(|b| b.is_ascii_digit());
            is_number.then(|| part.parse().ok()).flatten()
        };
        match (number(year, 4), number(month, 2)) {
            (Some(year), Some(month @ 1..=12)) => Ok(Self(year * 12 + month - 1)),
            _ => Err(NotAMonth),
        }
    }
}

/// A number from 0 to 255 for a deployment: the first byte of the SHA-256 of its
/// UUID as text. Its bucket is the remainder by the number of buckets.
pub(super) fn slot(uuid: Uuid) -> u8 {
    let hash = digest(&SHA256, uuid.to_string().as_bytes());
    hash.as_ref().first().copied().unwrap_or(0)
}

/// The number of buckets of a month with so many records of so many bytes.
pub(super) fn buckets(records: u64, bytes_of_record: f64) -> u16 {
    #[allow(clippy::cast_precision_loss)] // an estimate
    let files = (records as f64 * bytes_of_record / FILE).ceil();
    let mut buckets = 1;
    while f64::from(buckets) < files && buckets < MOST_BUCKETS {
        buckets *= 2;
    }
    buckets
}

/// A file of the table, by its month and bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Partition {
    pub(super) month: Month,
    pub(super) bucket: u16,
}

impl Partition {
    /// The file that holds a deployment's records of a month with so many buckets.
    pub(super) fn of(month: Month, slot: u8, buckets: u16) -> Self {
        let bucket = u16::from(slot) % buckets.max(1);
        Self { month, bucket }
    }
}

impl fmt::Display for Partition {
    /// The path below the prefix, as Hive names partitions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "month={}/bucket={:02}/{NAME}", self.month, self.bucket)
    }
}

/// A path is not that of a file of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotOfTheTable;

impl FromStr for Partition {
    type Err = NotOfTheTable;

    fn from_str(path: &str) -> Result<Self, NotOfTheTable> {
        let read = || -> Option<Self> {
            let rest = path.strip_prefix("month=")?;
            let (month, rest) = rest.split_once("/bucket=")?;
            let bucket = rest.strip_suffix(NAME)?.strip_suffix('/')?;
            Some(Self {
                month: month.parse().ok()?,
                bucket: bucket.parse().ok()?,
            })
        };
        // The same bucket has one name.
        read()
            .filter(|read| read.to_string() == path)
            .ok_or(NotOfTheTable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track::time::{CALENDAR, rfc3339};

    #[test]
    fn a_month_is_that_of_the_calendar() {
        let mut time = CALENDAR.0;
        while time < CALENDAR.1 {
            let month = Month::of(time);
            let date = rfc3339(time);
            assert_eq!(month.to_string(), date.get(..7).unwrap(), "{date}");
            let range = month.range();
            let (from, until) = (range.start, range.end);
            assert!(from <= time && time < until, "{date}");
            // Its ends, and 16 days and a bit on.
            assert_eq!(Month::of(from), month);
            assert_eq!(Month::of(until), Month(month.0 + 1));
            assert!(rfc3339(from).ends_with("-01T00:00:00Z"));
            time += 1_400_000.5 * if time < 0.0 { 40.0 } else { 7.0 };
        }
        assert_eq!(Month::of(-0.5).to_string(), "1969-12");
        assert_eq!(Month::of(951_782_400.0).to_string(), "2000-02");
        for wrong in [
            "2026-13", "2026-00", "26-01", "2026-1", "+026-01", "2026", "",
        ] {
            assert_eq!(wrong.parse::<Month>(), Err(NotAMonth), "{wrong}");
        }
    }

    #[test]
    fn a_path_leads_to_its_file_and_back() {
        let month: Month = "2026-01".parse().unwrap();
        let one = Partition::of(month, 0x27, 16);
        assert_eq!(one.to_string(), "month=2026-01/bucket=07/records.parquet");
        for slot in 0..=255 {
            let one = Partition::of(month, slot, 256);
            assert_eq!(one.to_string().parse(), Ok(one));
        }
        for other in [
            "month=2026-01/bucket=7/records.parquet",
            "month=2026-01/bucket=007/records.parquet",
            "month=2026-01/bucket=07/other.parquet",
            "month=2026-01/bucket=+7/records.parquet",
            "month=2026-01/x/bucket=07/records.parquet",
            "deployment=7/track.parquet",
        ] {
            assert_eq!(other.parse::<Partition>(), Err(NotOfTheTable), "{other}");
        }
    }

    #[test]
    fn the_slot_of_a_deployment_is_one_that_sql_works_out_too() {
        // printf 00000000-0000-0000-0000-000000000007 | sha256sum
        assert_eq!(slot(Uuid::from_u128(7)), 0x0d);
        let mut counts = [0u32; 16];
        for number in 0..16_000 {
            let slot = slot(Uuid::from_u128(number));
            let bucket = Partition::of(Month(0), slot, 16).bucket;
            counts[usize::from(bucket)] += 1;
        }
        assert!(counts.iter().all(|count| (900..1100).contains(count)));
    }

    #[test]
    fn a_month_has_as_many_buckets_as_files_of_useful_size() {
        for (records, bytes, expected) in [
            (0, 50.0, 1),
            (3_800_000, 50.0, 1),
            (4_000_000, 50.0, 2),
            (18_000_000, 50.0, 8),
            (18_000_000, 500.0, 64),
            (u64::MAX, 50.0, 256),
        ] {
            assert_eq!(buckets(records, bytes), expected, "{records}");
        }
    }
}
