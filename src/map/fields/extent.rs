//! The lowest and the highest value of any stretch of fixes.

/// Fixes of a block, and blocks of one of the next level.
const BLOCK: usize = 16;

/// Part of the values that may be beyond either end of a scale.
const BEYOND: f64 = 0.025;
/// This many of a few values may be wrong, up to a sixteenth of all.
const BEYOND_OF_FEW: usize = 2;
/// An end that is farther out by at most this part of the scale is on it too.
const NEARLY: f64 = 0.25;
/// This many values stand for all of a field.
const SAMPLE: usize = 4096;

/// The lowest and the highest value of some fixes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    /// The lowest value; infinite where there is none.
    pub low: f64,
    /// The highest value; minus infinite where there is none.
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

    pub(super) fn with(self, value: f64) -> Self {
        Self {
            low: self.low.min(value),
            high: self.high.max(value),
        }
    }

    fn joined(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }
}

/// The extents of a field's values by level: 16 fixes each on the first, 256 on
/// the next.
#[derive(Debug)]
pub(in crate::map) struct Extents(Vec<Vec<Extent>>);

impl Extents {
    /// The extents of the values of this many fixes.
    pub(super) fn new(fixes: usize, value: impl Fn(usize) -> Option<f64>) -> Self {
        let mut levels = Vec::new();
        let whole = fixes / BLOCK * BLOCK;
        let mut level: Vec<Extent> = (0..whole)
            .step_by(BLOCK)
            .map(|from| one_by_one(from, from + BLOCK, &value))
            .collect();
        while !level.is_empty() {
            let next = level
                .chunks_exact(BLOCK)
                .map(|some| some.iter().copied().fold(Extent::NONE, Extent::joined))
                .collect();
            levels.push(std::mem::replace(&mut level, next));
        }
        Self(levels)
    }

    /// The extent of the values of the fixes from `from` up to but excluding
    /// `to`. The cost grows with the logarithm of their number.
    pub(in crate::map) fn between(
        &self,
        from: usize,
        to: usize,
        value: impl Fn(usize) -> Option<f64>,
    ) -> Extent {
        self.sum(0, from, to, &value)
    }

    fn sum(
        &self,
        level: usize,
        from: usize,
        to: usize,
        value: &impl Fn(usize) -> Option<f64>,
    ) -> Extent {
        let (first, last) = (from.div_ceil(BLOCK), to / BLOCK);
        if level == self.0.len() || first >= last {
            return self.at_level(level, from, to, value);
        }
        self.at_level(level, from, first * BLOCK, value)
            .joined(self.sum(level + 1, first, last, value))
            .joined(self.at_level(level, last * BLOCK, to, value))
    }

    fn at_level(
        &self,
        level: usize,
        from: usize,
        to: usize,
        value: &impl Fn(usize) -> Option<f64>,
    ) -> Extent {
        match level.checked_sub(1).and_then(|level| self.0.get(level)) {
            None => one_by_one(from, to, value),
            Some(blocks) => blocks
                .get(from..to)
                .unwrap_or_default()
                .iter()
                .copied()
                .fold(Extent::NONE, Extent::joined),
        }
    }
}

fn one_by_one(from: usize, to: usize, value: &impl Fn(usize) -> Option<f64>) -> Extent {
    (from..to)
        .filter_map(value)
        .fold(Extent::NONE, Extent::with)
}

/// At most 8191 of the values of this many fixes, evenly spread.
pub(super) fn sampled(fixes: usize, value: impl Fn(usize) -> Option<f64>) -> Vec<f64> {
    let stride = (fixes / SAMPLE).max(1);
    (0..fixes).step_by(stride).filter_map(value).collect()
}

/// The ends of a scale for values of which each is from one of the `lows` to one
/// of the `highs`: 95 % of them, or all but a few, are within. An end of
/// `whole`, the extent of all values, that is little farther out is the end of
/// the scale. `None` where there is no value.
pub(crate) fn usual_ends(
    mut lows: Vec<f64>,
    mut highs: Vec<f64>,
    whole: Extent,
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
    let near = (high - low) * NEARLY;
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
