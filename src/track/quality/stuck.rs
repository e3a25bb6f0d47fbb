//! The test "stuck": one position again and again from a platform that moves.
//! QARTOD's flat line test (U.S. IOOS, Manual for Real-Time Quality Control of
//! In-situ Temperature and Salinity Data, 2020) for a position.

use super::REPEATS;
use super::judgement::Judgement;
use super::reason::Reason;
use crate::track::interval;
use crate::track::quality::Flag;

/// At least over this many intervals T.
const INTERVALS: f64 = 3.0;

impl Judgement<'_> {
    /// The test "stuck": of the runs with enough repeats those that last long enough, at an interval
    /// T in seconds; without T none does. Where the records come more often than new positions, as
    /// those of sensors do, and all records of a burst, T is that of the positions.
    // T is between single fixes here: a track that slowed down at its end looks like bursts, and
    // its earlier runs would all be too short.
    pub(super) fn test_stuck(&mut self) {
        let sound: Vec<usize> = self.sound().collect();
        let runs = self.runs(&sound);
        let long = || runs.iter().filter(|run| run.len() >= REPEATS);
        if long().next().is_none() {
            return;
        }
        let Some(between_s) = self.intervals().plain_interval_s() else {
            return;
        };
        let interval_s = self
            .position_interval_s(&runs)
            .map_or(between_s, |t| t.max(between_s));
        for run in long() {
            let ends = run.first().zip(run.last());
            let span = ends.and_then(|(first, last)| Some(self.time(*last)? - self.time(*first)?));
            let seconds = span.unwrap_or_default();
            if seconds < INTERVALS * interval_s {
                continue;
            }
            for index in *run {
                if self.passes(*index) {
                    self.mark(*index, Flag::Suspect, Reason::Stuck);
                    self.find(*index, run.len() as f64, seconds);
                }
            }
        }
    }

    /// How long each position stands at least, seconds: the lower quartile of the last 20 times from
    /// one to the next; `None` of fewer than three. Rounding repeats some positions, and a record of
    /// sensors alone all.
    fn position_interval_s(&self, runs: &[&[usize]]) -> Option<f64> {
        let began = |run: &&[usize]| self.time(*run.first()?);
        let pairs = runs.windows(2).rev();
        let gaps = pairs.filter_map(|pair| Some(began(pair.last()?)? - began(pair.first()?)?));
        let mut gaps: Vec<f64> = gaps.filter(|gap| *gap > 0.0).take(interval::MOST).collect();
        gaps.sort_unstable_by(f64::total_cmp);
        gaps.get(gaps.len() / 4)
            .copied()
            .filter(|_| gaps.len() >= interval::FEWEST)
    }
}
