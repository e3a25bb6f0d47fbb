//! The lowest and the highest value of fixes, and the ends of a scale for them.

use crate::map::levels::Summary;

/// Part of the values that may be beyond either end of a scale.
const BEYOND: f64 = 0.025;
/// This many of a few values may be wrong, up to a sixteenth of all.
const BEYOND_OF_FEW: usize = 2;
/// An end that is farther out by at most this part of the scale is on it too.
const NEARLY: f64 = 0.25;
/// The same for an axis, whose end has an arrow to each value beyond it.
pub(crate) const AXIS_NEARLY: f64 = 1.0;
/// Values of a field in a sample.
const SAMPLE: usize = 4096;

/// The lowest and the highest value of some fixes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    /// The lowest value; infinite without a value.
    pub low: f64,
    /// The highest value; minus infinity without a value.
    pub high: f64,
}

impl Extent {
    /// Of no value.
    pub(crate) const NONE: Self = Self {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
    };

    /// `true` if there is no value.
    pub(crate) fn is_none(self) -> bool {
        self.low > self.high
    }

    /// Of a value, if there is one.
    pub(in crate::map) fn of(value: Option<f64>) -> Self {
        value.map_or(Self::NONE, |value| Self {
            low: value,
            high: value,
        })
    }
}

impl Summary for Extent {
    fn with(self, next: Self) -> Self {
        Self {
            low: self.low.min(next.low),
            high: self.high.max(next.high),
        }
    }
}

impl Default for Extent {
    fn default() -> Self {
        Self::NONE
    }
}

/// A colour scale for values: 95 % of them are between its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    /// The lowest and the highest value.
    pub extent: Extent,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Scale {
    /// The scale of a sample of values with this extent; `None` without a value.
    pub(super) fn of(values: Vec<f64>, extent: Extent) -> Option<Self> {
        let (low, high) = usual_ends(values.clone(), values, extent, NEARLY)?;
        Some(Self { extent, low, high })
    }

    /// The fraction of the scale, 0 to 1, of a value.
    pub(in crate::map) fn share(self, value: f64) -> f64 {
        // The means of a profile may all be the same.
        if self.high > self.low {
            ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }
}

/// At most 8191 of the values of this many fixes, evenly spread.
pub(super) fn sampled(fixes: usize, value: impl Fn(usize) -> Option<f64>) -> Vec<f64> {
    let stride = (fixes / SAMPLE).max(1);
    (0..fixes).step_by(stride).filter_map(value).collect()
}

/// The ends of a scale for values of which each is from one of the `lows` to one
/// of the `highs`: 95 % of them, or all but a few, are within. An end of
/// `whole`, the extent of all values, that is farther out by at most the part `nearly` of the
/// scale is the end of it. `None` without a value.
pub(crate) fn usual_ends(
    mut lows: Vec<f64>,
    mut highs: Vec<f64>,
    whole: Extent,
    nearly: f64,
) -> Option<(f64, f64)> {
    let beyond = |count: usize| {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss
        )] // at most a few thousand
        let share = (count as f64 * BEYOND) as usize;
        share.max(BEYOND_OF_FEW.min(count / 16))
    };
    lows.sort_unstable_by(f64::total_cmp);
    highs.sort_unstable_by(f64::total_cmp);
    let low = *lows.get(beyond(lows.len()))?;
    let high = *highs.iter().rev().nth(beyond(highs.len()))?;
    if low >= high {
        return (!whole.is_none()).then_some((whole.low, whole.high));
    }
    let near = (high - low) * nearly;
    Some((
        if whole.low >= low - near {
            whole.low
        } else {
            low
        },
        if whole.high <= high + near {
            whole.high
        } else {
            high
        },
    ))
}
