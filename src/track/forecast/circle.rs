//! The circle: quantiles of earlier errors, each divided by the way that its speed would
//! have led, at a level that follows how often the circle held. Beyond the speeds of the
//! record it grows as that of an instrument without a record.

use std::ops::Range;

/// Outcomes of this time count, seconds: 30 days.
pub(crate) const WINDOW_S: f64 = 30.0 * 86_400.0;
/// The least number of outcomes, and the time over which they are spread, seconds.
const FEWEST: usize = 20;
const SPREAD_S: f64 = 5.0 * 86_400.0;
/// Step of the adaptive conformal updating (Gibbs and Candès 2021, arXiv:2106.00170).
const GAMMA: f64 = 0.02;
const LEVELS: std::ops::RangeInclusive<f64> = 0.005..=0.995;
/// With too few outcomes: R90 over s·t, and R50 over R90. The first holds 91 to 98 % of
/// the true positions of 74 tracks, the second 51 to 88 %.
const FALLBACK_90: f64 = 1.4;
const FALLBACK_50: f64 = 0.4;
/// Added to the speed of the scale, m/s: 0.06 km/h, so that an instrument at rest has a circle.
pub(super) const LEAST_SPEED_M_S: f64 = 0.06 / 3.6;
/// Of a position that is within its error in two of three cases, one in two and nine in ten
/// are within these parts of it, as of a circular normal distribution.
const OF_ERROR: Ratios = Ratios {
    half: 0.8,
    ninety: 1.4,
};

/// Radii in parts of the scale s·t.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Ratios {
    pub half: f64,
    pub ninety: f64,
}

impl Ratios {
    pub(super) const FALLBACK: Self = Self {
        half: FALLBACK_90 * FALLBACK_50,
        ninety: FALLBACK_90,
    };

    pub(super) fn scaled(self, by: f64) -> Self {
        Self {
            half: self.half * by,
            ninety: self.ninety * by,
        }
    }

    fn zipped(self, other: Self, with: fn(f64, f64) -> f64) -> Self {
        Self {
            half: with(self.half, other.half),
            ninety: with(self.ninety, other.ninety),
        }
    }

    /// The radii of the sum of two errors that are independent.
    pub(super) fn with(self, other: Self) -> Self {
        self.zipped(other, f64::hypot)
    }

    /// Radii in metres about a position that has an error of its own, metres.
    pub(super) fn about(self, error_m: f64) -> Self {
        self.with(OF_ERROR.scaled(error_m))
    }

    pub(super) fn plus(self, other: Self) -> Self {
        self.zipped(other, |a, b| a + b)
    }

    /// The greater of each.
    pub(super) fn max(self, other: Self) -> Self {
        self.zipped(other, f64::max)
    }
}

/// The share of misses that a level allows, moved by the outcomes.
#[derive(Debug, Clone, Copy)]
struct Level {
    wanted: f64,
    misses: f64,
}

impl Level {
    fn new(wanted: f64) -> Self {
        Self {
            wanted,
            misses: wanted,
        }
    }

    fn learn(&mut self, missed: bool) {
        let missed = f64::from(u8::from(missed));
        let moved = self.misses + GAMMA * (self.wanted - missed);
        self.misses = moved.clamp(*LEVELS.start(), *LEVELS.end());
    }

    /// The quantile of `ratios` at this level, of which there is one more than is known.
    fn quantile(self, ratios: &mut [f64]) -> Option<f64> {
        let count = ratios.len() as f64;
        quantile(ratios, (1.0 - self.misses) * (count + 1.0) / count)
    }
}

/// The quantile of values in any order, interpolated between the two about it (Hyndman and
/// Fan 1996, definition 7).
// Within the slice.
pub(super) fn quantile(values: &mut [f64], share: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let rank = share.clamp(0.0, 1.0) * last as f64;
    let below = (rank.floor() as usize).min(last);
    let (_, lower, above) = values.select_nth_unstable_by(below, f64::total_cmp);
    let lower = *lower;
    let upper = above.iter().copied().reduce(f64::min).unwrap_or(lower);
    Some(lower + (upper - lower) * (rank - below as f64))
}

/// The outcome of a forecast: its scale, its error over its scale, and the circle that was
/// given.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    start_s: f64,
    scale_m: f64,
    ratio: f64,
    given: Ratios,
}

/// The outcomes of forecasts of one lead, oldest first, of which only those count that are
/// known at the time of the next one.
#[derive(Debug, Clone)]
pub(super) struct Circle {
    lead_s: f64,
    outcomes: Vec<Outcome>,
    /// The outcomes of the last 30 days that are known.
    known: Range<usize>,
    half: Level,
    ninety: Level,
}

impl Circle {
    pub(super) fn new(lead_s: f64) -> Self {
        Self {
            lead_s,
            outcomes: Vec::new(),
            known: 0..0,
            half: Level::new(0.5),
            ninety: Level::new(0.1),
        }
    }

    /// Goes on to a time, UNIX seconds, and learns from what has become known; returns
    /// which outcomes count then.
    pub(super) fn advance(&mut self, time_s: f64) -> Range<usize> {
        let newest_s = time_s - self.lead_s;
        while let Some(outcome) = self.outcomes.get(self.known.end)
            && outcome.start_s <= newest_s
        {
            self.half.learn(outcome.ratio > outcome.given.half);
            self.ninety.learn(outcome.ratio > outcome.given.ninety);
            self.known.end += 1;
        }
        let is_old = |outcome: &Outcome| outcome.start_s < newest_s - WINDOW_S;
        while self.outcomes.get(self.known.start).is_some_and(is_old) {
            self.known.start += 1;
        }
        self.known.clone()
    }

    /// `true` if the outcomes that count are enough: 20 over 5 days.
    pub(super) fn is_enough(&self) -> bool {
        let known = self.outcomes.get(self.known.clone()).unwrap_or_default();
        let spread = |(first, last): (&Outcome, &Outcome)| last.start_s - first.start_s;
        let spread_s = known.first().zip(known.last()).map(spread);
        known.len() >= FEWEST && spread_s.is_some_and(|spread_s| spread_s >= SPREAD_S)
    }

    /// The radii of a forecast of this scale, metres, now; `None` of too few outcomes.
    ///
    /// An instrument that was at rest for weeks and breaks loose has small errors in its record,
    /// and no outcome at its present speed. The part of the scale that fewer than 20 outcomes
    /// reach has the ratio of a forecast with too few outcomes, if that is the greater.
    pub(super) fn ratios(&self, scale_m: f64) -> Option<Ratios> {
        let share = (self.known_scale_m()? / scale_m).min(1.0);
        let known = self.outcomes.get(self.known.clone())?.iter();
        let mut ratios: Vec<f64> = known.map(|outcome| outcome.ratio).collect();
        let ninety = self.ninety.quantile(&mut ratios)?;
        let half = self.half.quantile(&mut ratios)?;
        let mixed = |own: f64, fallback: f64| own + (fallback - own).max(0.0) * (1.0 - share);
        Some(Ratios {
            // Each level moves by itself.
            half: mixed(half.min(ninety), FALLBACK_50 * FALLBACK_90),
            ninety: mixed(ninety, FALLBACK_90),
        })
    }

    /// The scale that 20 of the outcomes reach, metres; `None` of too few outcomes.
    pub(super) fn known_scale_m(&self) -> Option<f64> {
        if !self.is_enough() {
            return None;
        }
        let known = self.outcomes.get(self.known.clone())?.iter();
        let mut scales_m: Vec<f64> = known.map(|outcome| outcome.scale_m).collect();
        let place = scales_m.len().checked_sub(FEWEST)?;
        let (_, scale_m, _) = scales_m.select_nth_unstable_by(place, f64::total_cmp);
        Some(*scale_m)
    }

    /// Adds the outcome, known or not yet, of a forecast from `start_s` (UNIX seconds) of
    /// this scale and error, metres.
    pub(super) fn add(&mut self, start_s: f64, scale_m: f64, error_m: f64, given: Ratios) {
        self.outcomes.push(Outcome {
            start_s,
            scale_m,
            ratio: error_m / scale_m,
            given,
        });
    }
}
