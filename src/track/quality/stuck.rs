//! The test "stuck": one position again and again from a platform that moves.
//! QARTOD's flat line test (U.S. IOOS, Manual for Real-Time Quality Control of
//! In-situ Temperature and Salinity Data, 2020) for a position.

use super::REPEATS;
use super::judgement::Judgement;
use super::reason::Reason;
use crate::track::interval;
use crate::track::quality::Flag;
use crate::track::record::Transmission;

/// At least over this many intervals T.
const INTERVALS: f64 = 3.0;

/// A run of a repeated position: its first and last fix, their number, and the time between
/// them in seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    first: usize,
    last: usize,
    began: f64,
    seconds: f64,
    fixes: usize,
}

/// Collects the runs that are long enough.
#[derive(Debug, Default)]
pub(super) struct Runs {
    present: Option<Run>,
    found: Vec<Run>,
}

impl Runs {
    /// A fix at a position of its own.
    pub(super) fn start(&mut self, index: usize, time_stamp: f64) {
        self.close();
        self.present = Some(Run {
            first: index,
            last: index,
            began: time_stamp,
            seconds: 0.0,
            fixes: 1,
        });
    }

    /// A fix at the position of the fix before it.
    pub(super) fn go_on(&mut self, index: usize, time_stamp: f64) {
        if let Some(run) = &mut self.present {
            run.last = index;
            run.seconds = time_stamp - run.began;
            run.fixes += 1;
        }
    }

    fn close(&mut self) {
        self.found
            .extend(self.present.take().filter(|run| run.fixes >= REPEATS));
    }

    /// The runs with enough repeats.
    pub(super) fn end(mut self) -> Vec<Run> {
        self.close();
        self.found
    }
}

impl Judgement<'_> {
    /// The test "stuck": of the runs those that last long enough, at an interval T in seconds;
    /// without T none does. Where the records come more often than new positions, as those of
    /// sensors do, and all records of a burst, T is that of the positions.
    // T is between single fixes here: a track that slowed down at its end looks like bursts, and
    // its earlier runs would all be too short.
    pub(super) fn test_stuck(&mut self, runs: &[Run]) {
        let Some(between_s) = self.intervals().plain_interval_s() else {
            return;
        };
        let interval_s = self
            .position_interval_s()
            .map_or(between_s, |t| t.max(between_s));
        for run in runs
            .iter()
            .filter(|run| run.seconds >= INTERVALS * interval_s)
        {
            for index in run.first..=run.last {
                // Failed fixes may be between.
                if self.passes(index) {
                    self.mark(index, Flag::Suspect, Reason::Stuck);
                    self.find(index, run.fixes as f64, run.seconds);
                }
            }
        }
    }

    /// How long each position stands at least, seconds: the lower quartile of the last 20 times from
    /// one to the next; `None` of fewer than three. Rounding repeats some positions, and a record of
    /// sensors alone all.
    fn position_interval_s(&self) -> Option<f64> {
        let fixes = self.sound().filter_map(|index| self.fixes.get(index));
        let fixes: Vec<&Transmission> = fixes.collect();
        let runs = fixes.chunk_by(|a, b| a.position.same_point(b.position));
        let began: Vec<f64> = runs
            .filter_map(|run| Some(run.first()?.time_stamp))
            .collect();
        let pairs = began.windows(2).rev();
        let gaps = pairs.filter_map(|pair| Some(pair.last()? - pair.first()?));
        let mut gaps: Vec<f64> = gaps.filter(|gap| *gap > 0.0).take(interval::MOST).collect();
        gaps.sort_unstable_by(f64::total_cmp);
        gaps.get(gaps.len() / 4)
            .copied()
            .filter(|_| gaps.len() >= interval::FEWEST)
    }
}
