//! Summaries of any stretch of fixes. Blocks are summarised once, by levels, so that the time
//! for a stretch grows with the logarithm of its length.

use std::ops::Range;

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
