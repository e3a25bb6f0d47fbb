//! How the table is divided: by month of the record and by a hash of the
//! deployment. A record belongs to one file, whatever else is in the archive.

use std::fmt;
use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::Offset;
use ring::digest::{SHA256, digest};
use uuid::Uuid;

/// Bytes of a file, at most, that the number of buckets of a month is chosen for:
/// as it is a power of two, the files of a full month have 96 to 192 MB.
const FILE: f64 = 192e6;
/// Buckets of a month, at most.
const MOST_BUCKETS: u16 = 256;
/// The name of every file.
const NAME: &str = "records.parquet";

/// A month of UTC, by its first day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Month(Date);

impl Month {
    /// The month of a time within the calendar, UNIX seconds.
    pub(super) fn of(time: f64) -> Self {
        #[allow(clippy::cast_possible_truncation)] // within the calendar
        let time = Timestamp::from_second(time.floor() as i64).unwrap_or_default();
        Self(Offset::UTC.to_datetime(time).date().first_of_month())
    }

    /// The times from its first moment to that of the next, UNIX seconds.
    pub(super) fn range(self) -> Range<f64> {
        let next = self.0.saturating_add(jiff::Span::new().months(1));
        begin(self.0)..begin(next)
    }
}

/// The first moment of a day, UNIX seconds.
fn begin(day: Date) -> f64 {
    let begin = Offset::UTC.to_timestamp(day.to_datetime(Time::midnight()));
    #[allow(clippy::cast_precision_loss)] // seconds of the calendar
    begin.map_or(f64::INFINITY, |begin| begin.as_second() as f64)
}

impl fmt::Display for Month {
    /// As `2026-01`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.0.year(), self.0.month())
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
    /// The partition of the file at a path below the table; `None` for another path.
    pub(super) fn read(path: &str) -> Option<Self> {
        let rest = path.strip_prefix("month=")?;
        let (month, rest) = rest.split_once("/bucket=")?;
        let bucket = rest.strip_suffix(NAME)?.strip_suffix('/')?;
        let read = Self {
            month: Month(format!("{month}-01").parse().ok()?),
            bucket: bucket.parse().ok()?,
        };
        // The same bucket has one name.
        (read.to_string() == path).then_some(read)
    }

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
            if until.is_finite() {
                assert!(Month::of(until) > month && Month::of(until - 1.0) == month);
            }
            assert!(rfc3339(from).ends_with("-01T00:00:00Z"));
            time += 1_400_000.5 * if time < 0.0 { 40.0 } else { 7.0 };
        }
        assert_eq!(Month::of(-0.5).to_string(), "1969-12");
        assert_eq!(Month::of(951_782_400.0).to_string(), "2000-02");
        for wrong in [
            "2026-13", "2026-00", "26-01", "2026-1", "+026-01", "2026", "",
        ] {
            let path = format!("month={wrong}/bucket=00/{NAME}");
            assert_eq!(Partition::read(&path), None, "{wrong}");
        }
    }

    #[test]
    fn a_path_leads_to_its_file_and_back() {
        let month = Month::of(1_767_225_600.0);
        let one = Partition::of(month, 0x27, 16);
        assert_eq!(one.to_string(), "month=2026-01/bucket=07/records.parquet");
        for slot in 0..=255 {
            let one = Partition::of(month, slot, 256);
            assert_eq!(Partition::read(&one.to_string()), Some(one));
        }
        for other in [
            "month=2026-01/bucket=7/records.parquet",
            "month=2026-01/bucket=007/records.parquet",
            "month=2026-01/bucket=07/other.parquet",
            "month=2026-01/bucket=+7/records.parquet",
            "month=2026-01/x/bucket=07/records.parquet",
            "deployment=7/track.parquet",
        ] {
            assert_eq!(Partition::read(other), None, "{other}");
        }
    }

    #[test]
    fn the_slot_of_a_deployment_is_one_that_sql_works_out_too() {
        // printf 00000000-0000-0000-0000-000000000007 | sha256sum
        assert_eq!(slot(Uuid::from_u128(7)), 0x0d);
        let mut counts = [0u32; 16];
        for number in 0..16_000 {
            let slot = slot(Uuid::from_u128(number));
            let bucket = Partition::of(Month::of(0.0), slot, 16).bucket;
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
