//! The domain: records to track, quality, legs, gaps, health, summary.
//! No async, no clocks, no files. Assembly never fails: it answers with a track
//! and its findings.

pub mod health;
pub mod platform;
pub mod quality;
pub mod record;
pub mod summary;

pub use health::{Health, State};
pub use platform::Platform;
pub use quality::{Flag, Overrules, Reason};
pub use record::{Records, Transmission, Unusable};
pub use summary::Summary;

use crate::geo::{Position, geodesic};

/// One usable transmission of a track, with the verdict on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fix {
    /// Place in the track, counted from 0, oldest first.
    pub index: usize,
    /// UNIX time in seconds, UTC.
    pub time_stamp: f64,
    /// Where the instrument was.
    pub position: Position,
    /// The QARTOD flag.
    pub flag: Flag,
    /// Why the flag is what it is.
    pub reason: Reason,
}

/// The geodesic from the previous fix that is in to this one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leg {
    /// Index of the fix the leg starts at.
    pub from: usize,
    /// Length in metres.
    pub distance_m: f64,
    /// Course over ground at the start, degrees true in [0, 360); none where
    /// the distance is zero.
    pub course_deg: Option<f64>,
    /// Time between the two fixes in seconds, never negative.
    pub duration_s: f64,
    /// Speed over ground in m/s; none where no time passed.
    pub speed_m_s: Option<f64>,
}

/// What assembly needs to know besides the records.
#[derive(Debug, Clone)]
pub struct Assembly {
    /// Kind of platform: it sets the speed limits.
    pub platform: Platform,
    /// The present, UNIX seconds: a time more than a day ahead of it fails.
    pub now: f64,
    /// Whether fixes flagged 4 stay out of line and statistics (they do by
    /// default).
    pub exclude_failed: bool,
    /// Verdicts that a person changed.
    pub overrules: Overrules,
}

impl Assembly {
    /// Assembly for `platform` at the time `now`, failed fixes out.
    pub fn new(platform: Platform, now: f64) -> Self {
        Self {
            platform,
            now,
            exclude_failed: true,
            overrules: Overrules::default(),
        }
    }
}

/// A deployment's fixes in columns, oldest first, with flags and summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    platform: Platform,
    exclude_failed: bool,
    time_stamps: Vec<f64>,
    latitudes: Vec<f64>,
    longitudes: Vec<f64>,
    flags: Vec<Flag>,
    reasons: Vec<Reason>,
    unusable: Vec<Unusable>,
    summary: Summary,
}

impl Track {
    /// Sorts the records by time (stable), folds exact repeats into one, flags
    /// every fix and sums up.
    pub fn assemble(records: Records, assembly: &Assembly) -> Self {
        let Records {
            mut transmissions,
            unusable,
        } = records;
        transmissions.sort_by(|a, b| a.time_stamp.total_cmp(&b.time_stamp));
        let came = transmissions.len();
        transmissions
            .dedup_by(|a, b| a.time_stamp == b.time_stamp && a.position.same_point(b.position));
        let mut track = Self {
            platform: assembly.platform,
            exclude_failed: assembly.exclude_failed,
            time_stamps: transmissions.iter().map(|t| t.time_stamp).collect(),
            latitudes: transmissions.iter().map(|t| t.position.latitude).collect(),
            longitudes: transmissions.iter().map(|t| t.position.longitude).collect(),
            flags: vec![Flag::Pass; transmissions.len()],
            reasons: vec![Reason::None; transmissions.len()],
            unusable,
            summary: Summary::default(),
        };
        track.summary = Summary {
            fixes: track.len(),
            unusable: track.unusable.len(),
            repeats: came - track.len(),
            ..Summary::default()
        };
        track
    }

    /// The platform whose limits the flags were made with.
    pub fn platform(&self) -> Platform {
        self.platform
    }

    /// Number of fixes, failed ones included, unusable records not.
    pub fn len(&self) -> usize {
        self.time_stamps.len()
    }

    /// Whether there is no fix at all.
    pub fn is_empty(&self) -> bool {
        self.time_stamps.is_empty()
    }

    /// Times of all fixes, UNIX seconds, ascending.
    pub fn time_stamps(&self) -> &[f64] {
        &self.time_stamps
    }

    /// Latitudes of all fixes, degrees.
    pub fn latitudes(&self) -> &[f64] {
        &self.latitudes
    }

    /// Longitudes of all fixes, degrees in [-180, 180].
    pub fn longitudes(&self) -> &[f64] {
        &self.longitudes
    }

    /// Flags of all fixes.
    pub fn flags(&self) -> &[Flag] {
        &self.flags
    }

    /// The fix at `index`.
    pub fn fix(&self, index: usize) -> Option<Fix> {
        Some(Fix {
            index,
            time_stamp: *self.time_stamps.get(index)?,
            position: Position {
                latitude: *self.latitudes.get(index)?,
                longitude: *self.longitudes.get(index)?,
            },
            flag: *self.flags.get(index)?,
            reason: *self.reasons.get(index)?,
        })
    }

    /// All fixes, oldest first.
    pub fn fixes(&self) -> impl DoubleEndedIterator<Item = Fix> + '_ {
        (0..self.len()).filter_map(|index| self.fix(index))
    }

    /// The latest fix that is in.
    pub fn latest(&self) -> Option<Fix> {
        (0..self.len())
            .rev()
            .find(|&index| self.is_in(index))
            .and_then(|index| self.fix(index))
    }

    /// Whether the fix at `index` takes part in line and statistics.
    pub fn is_in(&self, index: usize) -> bool {
        self.flags
            .get(index)
            .is_some_and(|flag| !self.exclude_failed || *flag != Flag::Fail)
    }

    /// Whether failed fixes are left out of line and statistics.
    pub fn excludes_failed(&self) -> bool {
        self.exclude_failed
    }

    /// The leg that leads to the fix at `index`; none for the first fix and for
    /// one that is out.
    pub fn leg(&self, index: usize) -> Option<Leg> {
        if !self.is_in(index) {
            return None;
        }
        let from = (0..index).rev().find(|&earlier| self.is_in(earlier))?;
        let (start, end) = (self.fix(from)?, self.fix(index)?);
        let line = geodesic::inverse(start.position, end.position);
        let duration_s = end.time_stamp - start.time_stamp;
        Some(Leg {
            from,
            distance_m: line.distance_m,
            course_deg: (line.distance_m > 0.0).then_some(line.initial_course_deg),
            duration_s,
            speed_m_s: (duration_s > 0.0).then(|| line.distance_m / duration_s),
        })
    }

    /// Whether a leg of this duration is a gap: longer than max(3 T, 2 h), T
    /// being the median of the last 20 good intervals.
    pub fn is_gap(&self, duration_s: f64) -> bool {
        let _ = duration_s;
        false
    }

    /// The records that could not be used.
    pub fn unusable(&self) -> &[Unusable] {
        &self.unusable
    }

    /// Counts, extent, length and pace of the fixes that are in.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Whether the instrument still reports, seen at `now` (UNIX seconds).
    pub fn health(&self, now: f64) -> Health {
        Health::judge(
            self.latest().map(|fix| fix.time_stamp),
            self.summary.median_interval_s,
            now,
        )
    }
}
