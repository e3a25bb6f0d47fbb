//! A track made ready for the screen: its levels of detail for map and time
//! strip, made once, off the main thread.

use std::ops::Deref;
use std::sync::{Arc, Mutex};

use super::detail::Detail;
use super::view::View;
use crate::geo::{Position, sphere};
use crate::track::{Flag, Track};

/// Fixes that a block of the time strip sums up, and blocks that one of the next
/// level does.
const BLOCK: usize = 16;

/// A track of so many fixes is sketched first: its levels of detail would keep
/// a person waiting.
const LONG: usize = 100_000;

/// A track and what is drawn of it.
#[derive(Debug, Clone)]
pub(crate) struct PreparedTrack {
    track: Arc<Track>,
    detail: Detail,
    /// Blocks by level: of the first each sums up 16 fixes, of the next 256.
    blocks: Vec<Vec<Block>>,
    /// The view that it was fitted to last.
    fitted: Arc<Mutex<Option<View>>>,
}

/// Two are equal where they are of one track in memory and prepared alike.
impl PartialEq for PreparedTrack {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.track, &other.track) && self.is_sketch() == other.is_sketch()
    }
}

/// What a stretch of fixes comes to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Block {
    /// Greatest speed over ground of a leg that is no gap, m/s, on the sphere,
    /// and the fix that the leg leads to.
    pub fastest: Option<(f64, usize)>,
    /// Whether a fix failed.
    pub failed: bool,
    /// Whether a fix is suspect.
    pub suspect: bool,
}

fn faster(one: Option<(f64, usize)>, other: Option<(f64, usize)>) -> Option<(f64, usize)> {
    match (one, other) {
        (Some(a), Some(b)) => Some(if b.0 > a.0 { b } else { a }),
        (a, b) => a.or(b),
    }
}

impl Block {
    fn with(self, other: Self) -> Self {
        Self {
            fastest: faster(self.fastest, other.fastest),
            failed: self.failed || other.failed,
            suspect: self.suspect || other.suspect,
        }
    }
}

impl PreparedTrack {
    /// Makes a track ready.
    pub(crate) fn new(track: Arc<Track>) -> Self {
        Self::with(track, Detail::of)
    }

    /// Makes a track ready to be shown at once: of a long one the map has a
    /// sketch, until [`PreparedTrack::refined`] has made the whole.
    pub(crate) fn sketched(track: Arc<Track>) -> Self {
        if track.len() < LONG {
            return Self::new(track);
        }
        Self::with(track, Detail::sketch)
    }

    fn with(track: Arc<Track>, detail: impl FnOnce(&Track) -> Detail) -> Self {
        let (detail, blocks) = std::thread::scope(|scope| {
            // Summed up here, off the thread that draws.
            let summed = scope.spawn(|| {
                track.summary();
            });
            let (blocks, detail) = (blocks(&track), detail(&track));
            // What a thread did not do is done by whoever asks.
            let _ = summed.join();
            (detail, blocks)
        });
        Self {
            track,
            detail,
            blocks,
            fitted: Arc::default(),
        }
    }

    /// The view that shows all of it on a map of this size: asked for by every
    /// frame, and the same until the size changes.
    pub(crate) fn fitted(&self, columns: u16, rows: u16, cell_aspect: f64) -> View {
        let made = || {
            let bounds = self.track.summary().bbox;
            View::fit(bounds, &self.sample(), columns, rows, cell_aspect)
        };
        let Ok(mut fitted) = self.fitted.lock() else {
            return made();
        };
        let same = |view: &View| {
            (view.columns, view.rows, view.cell_aspect) == (columns, rows, cell_aspect)
        };
        match fitted.take().filter(same) {
            Some(known) => fitted.insert(known).clone(),
            None => fitted.insert(made()).clone(),
        }
    }

    /// A few hundred fixes from all along the track that are in: what a picture
    /// of it about the pole is fitted to, where a box in degrees says little.
    fn sample(&self) -> Vec<Position> {
        const MOST: usize = 1024;
        let stride = (self.track.len() / MOST).max(1);
        (0..self.track.len())
            .step_by(stride)
            .filter(|&index| self.track.is_included(index))
            .map(|index| self.track.position(index))
            .collect()
    }

    /// Whether the map has a sketch of it.
    pub(crate) fn is_sketch(&self) -> bool {
        self.detail.is_sketch()
    }

    /// The same with the whole where it was sketched.
    #[must_use]
    pub(crate) fn refined(&self) -> Self {
        Self {
            track: Arc::clone(&self.track),
            detail: Detail::of(&self.track),
            blocks: self.blocks.clone(),
            fitted: Arc::clone(&self.fitted),
        }
    }

    /// The track.
    pub(crate) fn track(&self) -> &Arc<Track> {
        &self.track
    }

    /// The levels of detail.
    pub(crate) fn detail(&self) -> &Detail {
        &self.detail
    }

    /// What the fixes from `from` up to `to` (not with it) come to.
    pub(crate) fn block(&self, from: usize, to: usize) -> Block {
        self.sum(0, from, to.min(self.track.len()))
    }

    /// What does not fill a block of the next level is taken singly, at both
    /// ends.
    fn sum(&self, level: usize, from: usize, to: usize) -> Block {
        let (first, last) = (from.div_ceil(BLOCK), to / BLOCK);
        if level == self.blocks.len() || first >= last {
            return self.at_level(level, from, to);
        }
        self.at_level(level, from, first * BLOCK)
            .with(self.sum(level + 1, first, last))
            .with(self.at_level(level, last * BLOCK, to))
    }

    /// What a stretch of a level comes to: of fixes, or of blocks.
    fn at_level(&self, level: usize, from: usize, to: usize) -> Block {
        match level
            .checked_sub(1)
            .and_then(|level| self.blocks.get(level))
        {
            None => one_by_one(&self.track, from, to),
            Some(blocks) => blocks
                .get(from..to)
                .unwrap_or_default()
                .iter()
                .copied()
                .fold(Block::default(), Block::with),
        }
    }
}

impl Deref for PreparedTrack {
    type Target = Track;

    fn deref(&self) -> &Track {
        &self.track
    }
}

/// Speed over ground on the leg to a fix in m/s, on the sphere, which is near
/// enough for a bar or a colour; none over no time.
pub(crate) fn rough_speed(track: &Track, index: usize) -> Option<f64> {
    let from = track.fix(track.leg_start(index)?)?;
    let to = track.fix(index)?;
    let duration = to.time_stamp - from.time_stamp;
    (duration > 0.0).then(|| sphere::rough_distance_m(from.position, to.position) / duration)
}

fn blocks(track: &Track) -> Vec<Vec<Block>> {
    let mut levels: Vec<Vec<Block>> = Vec::new();
    let whole = track.len() / BLOCK * BLOCK;
    let mut level: Vec<Block> = (0..whole)
        .step_by(BLOCK)
        .map(|from| one_by_one(track, from, from + BLOCK))
        .collect();
    while !level.is_empty() {
        let next = level
            .chunks_exact(BLOCK)
            .map(|some| some.iter().copied().fold(Block::default(), Block::with))
            .collect();
        levels.push(std::mem::replace(&mut level, next));
    }
    levels
}

fn one_by_one(track: &Track, from: usize, to: usize) -> Block {
    let times = track.time_stamps();
    let flags = track.flags().get(from..to).unwrap_or_default();
    let mut block = Block {
        fastest: None,
        failed: flags.contains(&Flag::Fail),
        suspect: flags.contains(&Flag::Suspect),
    };
    for index in from..to {
        let Some(start) = track.leg_start(index) else {
            continue;
        };
        let (Some(began), Some(ended)) = (times.get(start), times.get(index)) else {
            continue;
        };
        let duration = ended - began;
        if duration > 0.0 && !track.is_gap(duration) && !track.is_jump(index) {
            let metres = sphere::rough_distance_m(track.position(start), track.position(index));
            block.fastest = faster(block.fastest, Some((metres / duration, index)));
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::track::track;
    use crate::track::Platform;

    #[test]
    fn any_stretch_comes_to_what_its_fixes_come_to() {
        let fixes = (0u32..2000).map(|n| {
            let time = 600.0 * f64::from(n + n / 700 * 100);
            let longitude = if n == 999 { 90.0 } else { 5.0 };
            (time, 60.0 + 0.001 * f64::from(n * n % 97), longitude)
        });
        let track = track(Platform::Drifter, 1e9, fixes);
        let charted = PreparedTrack::new(Arc::new(track));
        assert!(charted.block(0, 2000).failed);
        for (from, to) in [
            (0, 2000),
            (0, 1),
            (255, 257),
            (256, 512),
            (16, 32),
            (15, 33),
            (1, 1999),
            (240, 1800),
            (300, 300),
            (3, 1777),
        ] {
            assert_eq!(
                charted.block(from, to),
                one_by_one(&charted, from, to),
                "{from}..{to}"
            );
        }
    }

    #[test]
    fn a_long_track_is_sketched_with_its_ends_its_gaps_and_its_marks_and_then_whole() {
        let fixes = (0u32..150_000).map(|n| {
            let far = f64::from(n) * 1e-4;
            let time = 60.0 * f64::from(n + n / 70_000 * 5000);
            let longitude = if n == 77_777 { 90.0 } else { 5.0 + far };
            (time, 40.0 + (far * 7.0).sin(), longitude)
        });
        let track = track(Platform::Drifter, 1e9, fixes);
        let sketch = PreparedTrack::sketched(Arc::new(track));
        assert!(sketch.is_sketch());
        let whole = sketch.refined();
        assert!(!whole.is_sketch());
        assert!(Arc::ptr_eq(sketch.track(), whole.track()));
        let view = crate::chart::View::fit(sketch.summary().bbox, &[], 120, 40, 2.0);
        let drawn = |charted: &PreparedTrack| {
            let mut strokes = Vec::new();
            charted
                .detail()
                .strokes(charted, &view, (2, 4), |stroke| strokes.push(stroke));
            strokes
        };
        let (few, all) = (drawn(&sketch), drawn(&whole));
        let kinds = |strokes: &[crate::chart::Stroke]| {
            let kinds: std::collections::BTreeSet<_> = strokes.iter().map(|one| one.kind).collect();
            kinds
        };
        assert_eq!(kinds(&few), kinds(&all));
        let ends: Vec<u32> = few.iter().map(|one| one.fix).collect();
        assert!(ends.contains(&0) && ends.contains(&149_999));
        // Every cell that the whole sets is near one that the sketch sets.
        let cells = |strokes: &[crate::chart::Stroke]| {
            let ends = strokes.iter().flat_map(|one| [one.from, one.to]);
            let cells: std::collections::HashSet<(i64, i64)> = ends
                .map(|(x, y)| (x.floor() as i64, y.floor() as i64))
                .collect();
            cells
        };
        let sketched = cells(&few);
        for (x, y) in cells(&all) {
            let near = (-1..=1).any(|a| (-1..=1).any(|b| sketched.contains(&(x + a, y + b))));
            assert!(near, "{x} {y}");
        }
    }
}
