//! The fixes after the last good one: all of them failed.

use super::fixes::Track;
use super::flag::Flag;
use super::quality::Reason;
use crate::geo::{Units, geodesic};

/// Fixes after the last included one that the quality tests failed. The instrument sends,
/// and it may be far from where it is taken to be.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct NewerFailed {
    /// How many there are, one at least.
    pub count: usize,
    /// The distance of the newest from the last included fix, metres.
    pub distance_m: f64,
}

impl NewerFailed {
    /// "3 newer fixes failed, the newest 22.2 km away".
    pub(crate) fn text(&self, units: Units) -> String {
        let distance = units.distance(self.distance_m);
        match self.count {
            1 => format!("1 newer fix failed, {distance} away"),
            count => format!("{count} newer fixes failed, the newest {distance} away"),
        }
    }
}

impl Track {
    /// The fixes after the last included one that failed; `None` where there are none. Those
    /// ahead of the clock are not newer, and what a user has failed needs no word.
    pub(crate) fn newer_failed(&self) -> Option<NewerFailed> {
        let last = self.latest()?;
        let is_failed = |index: &usize| {
            self.is_inside(*index)
                && self.flags.get(*index) == Some(&Flag::Fail)
                && !matches!(
                    self.reasons.get(*index),
                    Some(Reason::Future | Reason::Overruled)
                )
        };
        let times = self.time_stamps();
        let from = times.partition_point(|time| *time <= last.time_stamp);
        let come = times.partition_point(|time| *time <= self.now);
        let failed: Vec<usize> = (from..come).filter(is_failed).collect();
        let newest = times.get(*failed.last()?)?;
        // Of several positions at one time the farthest.
        let distance_m = (failed.iter().rev())
            .take_while(|index| times.get(**index) == Some(newest))
            .map(|index| geodesic::length_m(last.position, self.position(*index)))
            .fold(0.0, f64::max);
        Some(NewerFailed {
            count: failed.len(),
            distance_m,
        })
    }
}

impl Track {
    /// Why the newest records do not tell where the instrument is: how many failed, and how
    /// many cannot be used. `None` where that is fewer than `least`.
    pub(crate) fn newer_lost(&self, least: usize) -> Option<String> {
        let failed = self.newer_failed().map_or(0, |newer| newer.count);
        let invalid = self.newer_invalid();
        let counted = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 newer {one}")),
            count => Some(format!("{count} newer {many}")),
        };
        let failed_words = counted(failed, "fix failed", "fixes failed");
        let invalid_words = counted(invalid, "record is invalid", "records are invalid");
        let words: Vec<String> = failed_words.into_iter().chain(invalid_words).collect();
        (failed + invalid >= least.max(1)).then(|| words.join(" and "))
    }

    /// How many records after the last included fix cannot be used.
    pub(crate) fn newer_invalid(&self) -> usize {
        let Some(last) = self.latest() else { return 0 };
        let invalid = self.unusable().iter();
        invalid
            .filter(|record| record.is_between(last.time_stamp, self.now))
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::track::track;
    use crate::track::{Platform, TrackOptions};

    #[test]
    fn fixes_after_the_last_good_one_are_counted_with_the_distance_of_the_newest() {
        let still = (0..30).map(|n| (1.7e9 + 600.0 * f64::from(n), 60.0, 5.0));
        let at = |n: u32, latitude| (1.7e9 + 600.0 * f64::from(29 + n), latitude, 5.0);
        let now = 1.7e9 + 600.0 * 32.0;
        let of = |more: &[(f64, f64, f64)]| {
            let fixes = still.clone().chain(more.iter().copied());
            let track = track(Platform::Drifter, now, fixes);
            track.newer_failed().map(|newer| newer.text(Units::Metric))
        };
        assert_eq!(of(&[]), None);
        let one = "1 newer fix failed, 111.421 km away";
        assert_eq!(of(&[at(1, 61.0)]).as_deref(), Some(one));
        let two = "2 newer fixes failed, the newest 111.421 km away";
        assert_eq!(of(&[at(1, 61.0), at(2, 61.0)]).as_deref(), Some(two));
        // A good one after it, a clock that is ahead, and three, which are a lasting move.
        assert_eq!(of(&[at(1, 61.0), at(2, 60.0)]), None);
        assert_eq!(of(&[at(1000, 61.0)]), None);
        assert_eq!(of(&[at(1, 61.0), at(2, 61.0), at(3, 61.0)]), None);
        // The user knows of what the user has failed.
        let mut options = TrackOptions::new(Platform::Drifter, now);
        let fixes = track(Platform::Drifter, now, still.clone().chain([at(1, 61.0)]));
        let far = fixes.fix(30).unwrap();
        let (time, position) = (far.time_stamp, far.position);
        options.overrules.set(time, position, Flag::Fail);
        assert_eq!(fixes.reassembled(&options).newer_failed(), None);
    }
}
