//! Summaries of any stretch of fixes: what a column of a chart shows of them. Blocks are summarised
//! once, by levels, so that the time for a stretch grows with the logarithm of its length.

use std::ops::Range;

use super::fields::extent::Extent;

/// Number of fixes in a block of the first level, and of blocks in a block of the next.
const BLOCK: usize = 16;

/// A summary of consecutive fixes; the default is that of no fix.
pub(super) trait Summary: Copy + Default {
    /// The summary of these fixes and of the `next` ones.
    fn with(self, next: Self) -> Self;
}

/// The summaries of blocks by level: 16 fixes each on the first, 256 on the next.
#[derive(Debug, Clone)]
pub(in crate::map) struct Levels<T>(Vec<Vec<T>>);

impl<T: Summary> Levels<T> {
    /// The levels of this many fixes, each of which has a summary `of` its own.
    pub(super) fn new(fixes: usize, of: impl Fn(usize) -> T) -> Self {
        let mut levels = Vec::new();
        let blocks = 0..fixes / BLOCK;
        let mut level: Vec<T> = blocks
            .map(|block| sum((block * BLOCK..(block + 1) * BLOCK).map(&of)))
            .collect();
        while !level.is_empty() {
            let blocks = level.chunks_exact(BLOCK);
            let next = blocks.map(|block| sum(block.iter().copied())).collect();
            levels.push(std::mem::replace(&mut level, next));
        }
        Self(levels)
    }

    /// The summary of the fixes in a range.
    pub(in crate::map) fn between(&self, fixes: Range<usize>, of: impl Fn(usize) -> T) -> T {
        self.sum(0, fixes, &of)
    }

    /// The summary of a range of a level. At both ends, elements that do not fill a block of
    /// the next level are added one by one.
    fn sum(&self, level: usize, range: Range<usize>, of: &impl Fn(usize) -> T) -> T {
        let blocks = range.start.div_ceil(BLOCK)..range.end / BLOCK;
        if level == self.0.len() || blocks.is_empty() {
            return self.at_level(level, range, of);
        }
        let start = blocks.start * BLOCK;
        let end = blocks.end * BLOCK;
        self.at_level(level, range.start..start, of)
            .with(self.sum(level + 1, blocks, of))
            .with(self.at_level(level, end..range.end, of))
    }

    /// The summary of consecutive elements of a level: fixes or blocks.
    fn at_level(&self, level: usize, range: Range<usize>, of: &impl Fn(usize) -> T) -> T {
        match level.checked_sub(1).and_then(|level| self.0.get(level)) {
            None => sum(range.map(of)),
            Some(blocks) => sum(blocks.get(range).unwrap_or_default().iter().copied()),
        }
    }
}

fn sum<T: Summary>(summaries: impl Iterator<Item = T>) -> T {
    summaries.fold(T::default(), T::with)
}

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
