//! The test "stuck": one position again and again from a platform that moves.
//! QARTOD's flat line test (U.S. IOOS, Manual for Real-Time Quality Control of
//! In-situ Temperature and Salinity Data, 2020) for a position.

use super::REPEATS;
use super::judgement::Judgement;
use super::reason::Reason;
use crate::track::quality::Flag;

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
    /// without T none does.
    // T is between single fixes here: a track that slowed down at its end looks like bursts, and
    // its earlier runs would all be too short.
    pub(super) fn test_stuck(&mut self, runs: &[Run]) {
        let Some(interval_s) = self.intervals().plain_interval_s() else {
            return;
        };
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
}
