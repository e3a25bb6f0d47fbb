//! The values of consecutive fixes, summed up: what a column of a chart shows of them.

use super::fields::extent::Extent;
use super::levels::Summary;

/// A value with the fix that has it.
pub(crate) type ValueAt = (f64, usize);

/// The lowest, the highest and the mean value of some fixes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Stretch {
    /// The lowest and the highest value; `None` without a value.
    pub ends: Option<(ValueAt, ValueAt)>,
    sum: f64,
    count: u32,
}

impl Stretch {
    /// Of the fix at an index, if it has a value.
    pub(super) fn new(fix: usize, value: Option<f64>) -> Self {
        value.map_or_else(Self::default, |value| Self {
            ends: Some(((value, fix), (value, fix))),
            sum: value,
            count: 1,
        })
    }

    /// The same in a unit of which a value has this many.
    #[must_use]
    pub(crate) fn scaled(self, by: f64) -> Self {
        let scaled = |(value, fix): ValueAt| (value * by, fix);
        Self {
            ends: self.ends.map(|(low, high)| (scaled(low), scaled(high))),
            sum: self.sum * by,
            ..self
        }
    }

    /// The lowest and the highest value.
    pub(crate) fn extent(self) -> Extent {
        let ends = self.ends.map(|((low, _), (high, _))| Extent { low, high });
        ends.unwrap_or(Extent::NONE)
    }

    /// The mean; `None` without a value.
    pub(crate) fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

impl Summary for Stretch {
    fn with(self, next: Self) -> Self {
        let ends = match (self.ends, next.ends) {
            (Some((low, high)), Some((other_low, other_high))) => Some((
                if other_low.0 < low.0 { other_low } else { low },
                if other_high.0 > high.0 {
                    other_high
                } else {
                    high
                },
            )),
            (ends, others) => ends.or(others),
        };
        Self {
            ends,
            sum: self.sum + next.sum,
            count: self.count + next.count,
        }
    }
}
