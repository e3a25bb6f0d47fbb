//! The record of a deployment's own forecasts of one lead: each start with what was known
//! then, the chosen motion, and its outcome.

use std::ops::Range;

use super::circle::{Circle, LEAST_SPEED_M_S, Ratios};
use super::motion::{Candidate, Displacement, Drift, State};
use super::path::Path;
use crate::geo::Position;
use crate::track::Platform;

/// Starts are at least this far apart, seconds: a velocity is measured over an hour.
const SHORTEST_STEP_S: f64 = 3600.0;
/// They are an eighth of the lead apart, so that 20 outcomes are not one.
const STEPS_A_LEAD: f64 = 8.0;

/// A forecast from a fix with what was known at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Start {
    pub drift: Drift,
    /// The way that the speed leads in the lead, metres: s·t.
    pub scale_m: f64,
    /// The number of outcomes that count.
    pub samples: usize,
    /// Mean error of the chosen motion over them; `None` if they are too few.
    pub mean_error_m: Option<f64>,
    given: Ratios,
}

impl Start {
    /// The radii in metres.
    pub(super) fn radii(&self) -> Ratios {
        self.given.scaled(self.scale_m)
    }
}

/// The outcome of a start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outcome {
    pub state: State,
    pub scale_m: f64,
    pub truth: Displacement,
    /// The error of each candidate, in their order.
    errors_m: [f64; Candidate::ALL.len()],
    /// The error of the chosen candidate.
    pub error_m: f64,
}

/// The record of a path at one lead.
#[derive(Debug)]
pub(super) struct Record<'a> {
    pub path: &'a Path,
    pub lead_s: f64,
    candidates: &'static [Candidate],
    circle: Circle,
    /// A count for each outcome of the circle.
    outcomes: Vec<Outcome>,
}

impl<'a> Record<'a> {
    pub(super) fn new(path: &'a Path, lead_s: f64) -> Self {
        Self {
            path,
            lead_s,
            candidates: Candidate::for_platform(path.platform),
            circle: Circle::new(lead_s),
            outcomes: Vec::new(),
        }
    }

    /// Goes through the starts of the path; returns the forecast from its last fix.
    pub(super) fn run(&mut self) -> Option<Start> {
        let last = self.path.len().checked_sub(1)?;
        let mut starts = self.starts();
        starts.retain(|index| *index != last);
        for index in starts {
            self.step(index);
        }
        self.forecast(self.path.state(last)?)
    }

    /// The fixes from which forecasts are judged: at least an hour and an eighth of the
    /// lead apart.
    pub(super) fn starts(&self) -> Vec<usize> {
        let step_s = (self.lead_s / STEPS_A_LEAD).max(SHORTEST_STEP_S);
        let mut starts = Vec::new();
        let mut next_s = f64::NEG_INFINITY;
        for index in 0..self.path.len() {
            if let Some(fix) = self.path.get(index)
                && fix.time_s >= next_s
            {
                starts.push(index);
                // Reports jitter by some seconds.
                next_s = fix.time_s + step_s - 60.0;
            }
        }
        starts
    }

    /// Makes the forecast from the fix `index` and stores its outcome; `None` if no motion
    /// is known, or the outcome is not.
    pub(super) fn step(&mut self, index: usize) -> Option<(Start, Outcome)> {
        let state = self.path.state(index).filter(|state| !state.is_after_gap)?;
        let start = self.forecast(state)?;
        let longest_gap_s = self.path.longest_gap_s(index);
        let end = (self.path).position_at(state.time_s + self.lead_s, longest_gap_s)?;
        let truth = Displacement::between(state.position, end);
        let error_m = |candidate: Candidate| {
            let displacement = candidate.displacement(&state, self.lead_s);
            displacement.minus(truth).length_m()
        };
        let outcome = Outcome {
            state,
            scale_m: start.scale_m,
            truth,
            errors_m: Candidate::ALL.map(error_m),
            error_m: error_m(start.drift.candidate),
        };
        (self.circle).add(state.time_s, start.scale_m, outcome.error_m, start.given);
        self.outcomes.push(outcome);
        Some((start, outcome))
    }

    /// The forecast from a state with what is known at it; it leaves no trace.
    pub(super) fn forecast(&mut self, state: State) -> Option<Start> {
        let known = self.circle.advance(state.time_s);
        let (candidate, mean_error_m) = self.choose(known.clone(), &state)?;
        let scale_m = scale_m(&state, self.lead_s);
        let given = self.circle.ratios(scale_m).unwrap_or(Ratios::FALLBACK);
        Some(Start {
            drift: Drift { state, candidate },
            scale_m,
            samples: known.len(),
            mean_error_m,
            given,
        })
    }

    /// `true` if the scale of a start is over twice the scale that 20 outcomes reach.
    pub(super) fn is_outrun_by(&self, start: &Start) -> bool {
        let known_m = self.circle.known_scale_m();
        known_m.is_some_and(|known_m| start.scale_m > 2.0 * known_m)
    }

    /// The candidate with the least mean error over the outcomes that count; of too few
    /// the candidate that is best early in most records.
    fn choose(&self, known: Range<usize>, state: &State) -> Option<(Candidate, Option<f64>)> {
        let count = known.len() as f64;
        if !self.circle.is_enough() {
            let early = if is_pack_ice(self.path.platform, state.position) {
                Candidate::LastLeg
            } else {
                Candidate::MeanAndInertial
            };
            return Some(early)
                .filter(|early| self.candidates.contains(early))
                .or(self.candidates.first().copied())
                .map(|candidate| (candidate, None));
        }
        let mut sums_m = [0.0; Candidate::ALL.len()];
        for outcome in self.outcomes.get(known)? {
            for (sum_m, error_m) in sums_m.iter_mut().zip(outcome.errors_m) {
                *sum_m += error_m;
            }
        }
        let all = Candidate::ALL.into_iter().zip(sums_m);
        let competing = all.filter(|(candidate, _)| self.candidates.contains(candidate));
        let best = competing.min_by(|(_, one), (_, other)| one.total_cmp(other));
        best.map(|(candidate, sum_m)| (candidate, Some(sum_m / count)))
    }

    /// The outcomes of the starts, oldest first.
    pub(super) fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }
}

/// The radii of a path at a lead, metres, no less than those at any shorter one.
///
/// The error of an Argos location is greater than an hour's way. By a speed that is mostly this
/// error a circle may shrink with the lead, which no drift does. So it goes from lead to
/// lead, each twice the one before, and grows evenly between two.
pub(super) fn widest_until(path: &Path, lead_s: f64) -> Ratios {
    let mut from = (0.0, Ratios::default());
    let mut next_s = SHORTEST_STEP_S;
    loop {
        let radii = Record::new(path, next_s).run().map(|start| start.radii());
        let next = radii.unwrap_or_default().max(from.1);
        if next_s >= lead_s {
            let share = (lead_s - from.0) / (next_s - from.0);
            return from.1.scaled(1.0 - share).plus(next.scaled(share));
        }
        from = (next_s, next);
        next_s *= 2.0;
    }
}

/// `true` for a drifter beyond 70° of latitude, where what drifts together stays together.
pub(super) fn is_pack_ice(platform: Platform, position: Position) -> bool {
    platform == Platform::Drifter && position.latitude.abs() >= 70.0
}

/// The way that the speed at a start leads in the lead, metres: s·t.
pub(super) fn scale_m(state: &State, lead_s: f64) -> f64 {
    (state.speed_m_s + LEAST_SPEED_M_S) * lead_s
}
