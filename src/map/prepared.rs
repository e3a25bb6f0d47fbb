//! A track prepared for drawing: its levels of detail for map and timeline,
//! computed once, off the main thread.

use std::ops::Deref;
use std::sync::Arc;

use super::detail::Detail;
use super::view::{Fitted, View, samples};
use crate::geo::projection::{Projection, UsualProjection};
use crate::geo::{BoundingBox, Inside, Position, sphere};
use crate::track::{Flag, Overview, Track, TrackOptions};

/// Number of fixes in a block of the timeline, and of blocks in one of the next
/// level.
const BLOCK: usize = 16;

/// Number of fixes from which a preview is shown first, because preparing full
/// detail takes noticeably long.
const LONG: usize = 100_000;

/// Number of fixes from which a thread of its own sums them up: a thread takes
/// longer to start than fewer fixes to sum, on a busy machine many times longer.
const APART: usize = 20_000;

/// A track with its data for drawing.
#[derive(Debug, Clone)]
pub(crate) struct PreparedTrack {
    track: Arc<Track>,
    detail: Detail,
    /// Blocks by level: 16 fixes each on the first, 256 on the next.
    blocks: Vec<Vec<Block>>,
    /// The overview of the track for lists.
    overview: Arc<Overview>,
}

/// A track from the service or from the archive, prepared for drawing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LoadedTrack {
    /// The track.
    pub track: Arc<PreparedTrack>,
    /// The options with which it was assembled; boxed, since an event is moved
    /// often.
    pub options: Box<TrackOptions>,
    /// When it was fetched from the service, UNIX seconds.
    pub fetched_at: f64,
}

/// A map that a view is fitted to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MapFrame {
    /// Columns.
    pub columns: u16,
    /// Rows.
    pub rows: u16,
    /// Height of a cell over its width.
    pub cell_aspect: f64,
    /// The watch circle or area, which is shown as well.
    pub inside: Option<Inside>,
    /// The chosen projection.
    pub projection: Option<Projection>,
    /// The projection where none is chosen, if it can show the track.
    pub usual_projection: UsualProjection,
}

impl MapFrame {
    /// The view that shows the whole tracks and the watch circle or area.
    pub(crate) fn fitted(&self, tracks: &[&PreparedTrack]) -> View {
        self.content(tracks, |fitted| {
            View::fit_to(fitted, self.columns, self.rows, self.cell_aspect)
        })
    }

    /// The projections that can show the whole tracks and the watch circle or area.
    pub(crate) fn projections(&self, tracks: &[&PreparedTrack]) -> Vec<Projection> {
        self.content(tracks, |fitted| fitted.projections())
    }

    fn content<T>(&self, tracks: &[&PreparedTrack], of: impl FnOnce(&Fitted<'_>) -> T) -> T {
        let boxes = tracks.iter().filter_map(|track| track.summary().bbox);
        let boxes: Vec<BoundingBox> = boxes.collect();
        let bounds = match boxes.as_slice() {
            // Exactly the box of a track that is alone.
            [bounds] => Some(*bounds),
            boxes => BoundingBox::around(boxes.iter().flat_map(samples)),
        };
        let places: Vec<Position> = tracks.iter().flat_map(|track| track.sample()).collect();
        of(&Fitted {
            bounds,
            places: &places,
            inside: self.inside.as_ref(),
            projection: self.projection,
            usual: self.usual_projection,
        })
    }
}

/// Two are equal if they share one track in memory and have the same detail.
impl PartialEq for PreparedTrack {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.track, &other.track) && self.is_preview() == other.is_preview()
    }
}

/// Summary of consecutive fixes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Block {
    /// Greatest speed over ground of a leg without data gap, m/s, on the
    /// sphere, and the fix at its end.
    pub fastest: Option<(f64, usize)>,
    /// `true` if a fix has the flag fail.
    pub failed: bool,
    /// The number of fixes with the flag suspect.
    pub suspects: usize,
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
            suspects: self.suspects + other.suspects,
        }
    }
}

impl PreparedTrack {
    /// Prepares a track in full detail.
    pub(crate) fn new(track: Arc<Track>) -> Self {
        Self::with(track, Detail::of)
    }

    /// Prepares a track for immediate display: of a long one the map has a
    /// preview, until [`PreparedTrack::with_full_detail`] replaces it.
    pub(crate) fn with_preview(track: Arc<Track>) -> Self {
        if track.len() < LONG {
            return Self::new(track);
        }
        Self::with(track, Detail::preview)
    }

    fn with(track: Arc<Track>, detail: impl FnOnce(&Track) -> Detail) -> Self {
        let made = || (blocks(&track), detail(&track));
        // The summary is computed here, so that the thread that draws need not.
        let (blocks, detail) = if track.len() < APART {
            track.summary();
            made()
        } else {
            std::thread::scope(|scope| {
                let summed = scope.spawn(|| {
                    track.summary();
                });
                let made = made();
                // If that thread failed, the first caller computes the summary.
                let _ = summed.join();
                made
            })
        };
        Self {
            overview: Arc::new(Overview::of(&track)),
            track,
            detail,
            blocks,
        }
    }

    /// The included ones of at most 2047 evenly spread fixes. A view near a pole
    /// is fitted to them, because a box in degrees is useless there.
    fn sample(&self) -> Vec<Position> {
        const MOST: usize = 1024;
        let stride = (self.track.len() / MOST).max(1);
        (0..self.track.len())
            .step_by(stride)
            .filter(|&index| self.track.is_included(index))
            .map(|index| self.track.position(index))
            .collect()
    }

    /// `true` if its map is a preview.
    pub(crate) fn is_preview(&self) -> bool {
        self.detail.is_preview()
    }

    /// The same track in full detail.
    #[must_use]
    pub(crate) fn with_full_detail(&self) -> Self {
        Self {
            track: Arc::clone(&self.track),
            detail: Detail::of(&self.track),
            blocks: self.blocks.clone(),
            overview: Arc::clone(&self.overview),
        }
    }

    /// The track.
    pub(crate) fn track(&self) -> &Arc<Track> {
        &self.track
    }

    /// The overview of the track for lists.
    pub(crate) fn overview(&self) -> &Arc<Overview> {
        &self.overview
    }

    /// The levels of detail.
    pub(crate) fn detail(&self) -> &Detail {
        &self.detail
    }

    /// The summary of the fixes from `from` up to but excluding `to`.
    pub(crate) fn block(&self, from: usize, to: usize) -> Block {
        self.sum(0, from, to.min(self.track.len()))
    }

    /// At both ends, fixes or blocks that do not fill a block of the next level
    /// are added one by one.
    fn sum(&self, level: usize, from: usize, to: usize) -> Block {
        let (first, last) = (from.div_ceil(BLOCK), to / BLOCK);
        if level == self.blocks.len() || first >= last {
            return self.at_level(level, from, to);
        }
        self.at_level(level, from, first * BLOCK)
            .with(self.sum(level + 1, first, last))
            .with(self.at_level(level, last * BLOCK, to))
    }

    /// The summary of consecutive elements of a level: fixes or blocks.
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

/// Speed over ground on the leg to a fix in m/s, on the sphere, which is
/// accurate enough for a bar or a colour; `None` if the leg has no duration.
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
        suspects: flags.iter().filter(|flag| **flag == Flag::Suspect).count(),
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
    fn a_long_track_has_a_preview_of_its_ends_gaps_and_symbols_and_then_full_detail() {
        let fixes = (0u32..150_000).map(|n| {
            let far = f64::from(n) * 1e-4;
            let time = 60.0 * f64::from(n + n / 70_000 * 5000);
            let longitude = if n == 77_777 { 90.0 } else { 5.0 + far };
            (time, 40.0 + (far * 7.0).sin(), longitude)
        });
        let track = track(Platform::Drifter, 1e9, fixes);
        let preview = PreparedTrack::with_preview(Arc::new(track));
        assert!(preview.is_preview());
        let whole = preview.with_full_detail();
        assert!(!whole.is_preview());
        assert!(Arc::ptr_eq(preview.track(), whole.track()));
        let view = crate::map::View::fit(preview.summary().bbox, &[], 120, 40, 2.0);
        let drawn = |charted: &PreparedTrack| {
            let mut strokes = Vec::new();
            charted
                .detail()
                .strokes(charted, &view, 2, 4, |stroke| strokes.push(stroke));
            strokes
        };
        let (few, all) = (drawn(&preview), drawn(&whole));
        let kinds = |strokes: &[crate::map::Stroke]| {
            let kinds: std::collections::BTreeSet<_> = strokes.iter().map(|one| one.kind).collect();
            kinds
        };
        assert_eq!(kinds(&few), kinds(&all));
        let ends: Vec<u32> = few.iter().map(|one| one.fix).collect();
        assert!(ends.contains(&0) && ends.contains(&149_999));
        // Every cell of the full detail is next to a cell of the preview.
        let cells = |strokes: &[crate::map::Stroke]| {
            let ends = strokes.iter().flat_map(|one| [one.from, one.to]);
            let cells: std::collections::HashSet<(i64, i64)> = ends
                .map(|(x, y)| (x.floor() as i64, y.floor() as i64))
                .collect();
            cells
        };
        let near_preview = cells(&few);
        for (x, y) in cells(&all) {
            let near = (-1..=1).any(|a| (-1..=1).any(|b| near_preview.contains(&(x + a, y + b))));
            assert!(near, "{x} {y}");
        }
    }
}
