//! Overviews of tracks for a list and a map of many deployments, without the fixes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::agenda::LastAnswer;
use crate::geo::Position;
use crate::text::hash::hash64;
use crate::track::health::{Health, LastAsked};
use crate::track::quality::FlagOverrides;
use crate::track::quality::method::method_text;
use crate::track::recent::{RECENT, Reports};
use crate::track::{Burst, Newer, Track, TrackOptions};

/// How far back the line of the last days goes from the last fix, seconds.
pub(crate) const LAST_DAYS_S: f64 = 7.0 * 86_400.0;
/// Most positions of the line of the last days.
const MOST_POSITIONS: usize = 64;

/// The last included fix.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct LastFix {
    /// UNIX time in seconds, UTC.
    pub time_stamp: f64,
    /// The position of the instrument.
    pub position: Position,
    /// `true` if a leg leads to it.
    pub has_leg: bool,
    /// Speed over ground of that leg in m/s; `None` if no time passed.
    pub speed_m_s: Option<f64>,
    /// Course over ground of that leg, degrees true; `None` if its length is zero.
    pub course_deg: Option<f64>,
}

/// The overview of a track for a list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Overview {
    /// Number of fixes, failed ones included.
    pub fixes: usize,
    /// The last included fix.
    pub latest: Option<LastFix>,
    /// The reports after it; `None` if there is nothing to report.
    pub newer: Option<Newer>,
    /// T of the health rule, seconds.
    pub interval_s: Option<f64>,
    /// The number of gaps between included fixes that it is made of.
    pub gaps: usize,
    /// The gaps within bursts; `None` if each fix is one of its own.
    pub burst: Option<Burst>,
    /// Expected times with a fix near them over expected times, in [0, 1].
    pub data_return: Option<f64>,
    /// Which of the last reports came.
    pub(crate) reports: Reports,
    /// Latitude and longitude on the line of the last days, to a metre.
    pub(crate) line: Box<[(f32, f32)]>,
    /// When the instrument last showed that it sends, UNIX seconds; `None` of an overview at an
    /// earlier moment, and without a fix.
    pub heard_at: Option<f64>,
}

/// The overview of a deployment for a list, as the archive has it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReadOverview {
    /// The deployment.
    pub uuid: Uuid,
    /// The flags that the user set in the archive.
    pub overrides: FlagOverrides,
    /// The choices that it was asked for with, and these flags; boxed, since there
    /// are many.
    pub options: Box<TrackOptions>,
    /// The overview; `None` if it must be made of the stored fixes first.
    pub overview: Option<Arc<Overview>>,
    /// When the last response was received, UNIX seconds.
    pub fetched_at: f64,
}

impl Overview {
    /// The overview of a whole track. It looks at every fix.
    pub(crate) fn new(track: &Track) -> Self {
        Self {
            newer: track.newer(),
            data_return: track.data_return(),
            heard_at: track.heard_at(),
            ..Self::at(track, f64::INFINITY)
        }
    }

    /// The overview at a moment (UNIX seconds) of a track that goes on after it. T is that
    /// of the whole track.
    pub(crate) fn at(track: &Track, moment: f64) -> Self {
        let latest = track.latest_at(moment).map(|fix| {
            let leg = track.leg_from_before(fix.index);
            LastFix {
                time_stamp: fix.time_stamp,
                position: fix.position,
                has_leg: leg.is_some(),
                speed_m_s: leg.and_then(|leg| leg.speed_m_s),
                course_deg: leg.and_then(|leg| leg.course_deg),
            }
        });
        let last = latest.map(|latest| latest.time_stamp);
        let end = track.count_until(moment);
        Self {
            fixes: end,
            latest,
            interval_s: track.interval_s(),
            gaps: track.gaps(),
            burst: track.burst(),
            reports: Reports::at(track, moment),
            line: last.map_or_else(Box::default, |last| line(track, last, end)),
            ..Self::default()
        }
    }

    /// An answer with what is known of the reports.
    pub(crate) fn last_answer(&self, answer: LastAnswer) -> LastAnswer {
        LastAnswer {
            last_fix: self.last_heard(),
            interval_s: self.interval_s,
            gaps: self.gaps,
            burst: self.burst,
            newer: self.newer,
            ..answer
        }
    }

    /// When the instrument last showed that it sends, UNIX seconds.
    fn last_heard(&self) -> Option<f64> {
        let last = self.latest.map(|latest| latest.time_stamp);
        self.heard_at.or(last)
    }

    /// The reporting status at `now` (UNIX seconds), by the time of the last
    /// request.
    pub(crate) fn health(&self, asked: LastAsked, now: f64) -> Health {
        Health::judge_as_asked(self.last_heard(), self.interval_s, asked, now)
    }

    /// The last expected reports, `true` for each that came, the latest at the end:
    /// those that were expected up to `now` (UNIX seconds) and could be asked for;
    /// at most [`RECENT`], fewer if the track is shorter,
    /// none if it has no interval T.
    pub(crate) fn recent_reports(&self, asked: LastAsked, now: f64) -> Vec<bool> {
        let last = self.latest.map(|latest| latest.time_stamp);
        let as_of = asked.judged_at(self.interval_s, now);
        self.reports.up_to(last.zip(self.interval_s), as_of)
    }

    /// Positions on the line of the last seven days before the last fix, the
    /// earliest first, to a metre.
    pub(crate) fn line(&self) -> impl Iterator<Item = Position> + '_ {
        self.line.iter().map(|(latitude, longitude)| Position {
            latitude: f64::from(*latitude),
            longitude: f64::from(*longitude),
        })
    }

    /// The overview as bytes for the archive; empty if it cannot be written.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Reads [`Overview::to_bytes`]; `None` for other bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (overview, rest): (Self, _) = postcard::take_from_bytes(bytes).ok()?;
        let is_sound = rest.is_empty() && usize::from(overview.reports.count) <= RECENT;
        is_sound.then_some(overview)
    }
}

/// A number that changes with the revision of the stored records, the options (except their
/// time), the quality tests and the version: a stored overview is valid while it is the same.
pub(crate) fn basis(revision: i64, options: &TrackOptions) -> u64 {
    let TrackOptions {
        platform,
        now: _,
        clock: _,
        max_speed_m_s,
        window,
        // The list has these from the entry itself.
        declared: _,
        max_age_s: _,
        exclude_failed,
        overrules,
    } = options;
    let limit = max_speed_m_s.unwrap_or_else(|| platform.max_speed_m_s());
    let numbers =
        [*max_speed_m_s, window.from, window.until].map(|number| number.map(f64::to_bits));
    let basis = format!(
        "{} {} {} {revision} {numbers:?} {exclude_failed:?} {}",
        env!("CARGO_PKG_VERSION"),
        method_text(*platform, limit),
        platform.name(),
        overrules.digest(),
    );
    hash64(basis.bytes())
}

/// The included positions of the last days before `last` (UNIX seconds), evenly
/// spread if there are many.
fn line(track: &Track, last: f64, end: usize) -> Box<[(f32, f32)]> {
    let from = track.count_before(last - LAST_DAYS_S);
    let stride = (end - from).div_ceil(MOST_POSITIONS).max(1);
    // Counted from the end, so that the latest fix is one of them.
    let mut line: Vec<(f32, f32)> = (from..end)
        .rev()
        .step_by(stride)
        .filter(|&index| track.is_included(index))
        .map(|index| {
            let at = track.position(index);
            // To a metre.
            (at.latitude as f32, at.longitude as f32)
        })
        .collect();
    line.reverse();
    line.into_boxed_slice()
}

#[cfg(test)]
mod tests;
