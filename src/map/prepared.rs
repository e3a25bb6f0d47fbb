//! A track prepared for drawing on map and timeline, once, off the main thread.

use std::ops::Deref;
use std::sync::Arc;

use super::stretch::{Levels, Stretch, Summary};
use super::strokes::TrackStrokes;
use super::view::{Fitted, samples};
use crate::geo::projection::Projection;
use crate::geo::{BoundingBox, Inside, Position, sphere};
use crate::track::{Flag, Track, TrackOptions};
use crate::watch::Overview;

/// About the most fixes that a view is fitted to: every frame fits it.
const MOST_FITTED: usize = 1024;

/// A track with its data for drawing.
#[derive(Debug, Clone)]
pub(crate) struct PreparedTrack {
    track: Arc<Track>,
    strokes: TrackStrokes,
    blocks: Levels<Block>,
    /// The overview of the track for lists.
    overview: Arc<Overview>,
}

/// A track from the service or from the archive, prepared for drawing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LoadedTrack {
    pub track: Arc<PreparedTrack>,
    /// The options with which it was assembled; boxed, since an event is moved
    /// often.
    pub options: Box<TrackOptions>,
    /// When it was fetched from the service, UNIX seconds.
    pub fetched_at: f64,
}

impl Fitted {
    /// Whole tracks with circles and areas, in a projection if one is chosen.
    pub(crate) fn new(
        tracks: &[&PreparedTrack],
        areas: Vec<Inside>,
        projection: Option<Projection>,
    ) -> Self {
        let boxes = tracks.iter().filter_map(|track| track.summary().bbox);
        let boxes: Vec<BoundingBox> = boxes.collect();
        Self {
            bounds: match boxes.as_slice() {
                // Exactly the box of a single track.
                [bounds] => Some(*bounds),
                boxes => BoundingBox::around(boxes.iter().flat_map(samples)),
            },
            positions: tracks
                .iter()
                .flat_map(|track| track.sample(MOST_FITTED / tracks.len()))
                .collect(),
            areas,
            projection,
        }
    }
}

/// Two are equal if they share one track in memory.
impl PartialEq for PreparedTrack {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.track, &other.track)
    }
}

/// Summary of consecutive fixes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Block {
    /// The speeds over ground of the legs to them, m/s, on the sphere, but for data gaps and
    /// jumps.
    pub speeds: Stretch,
    /// `true` if a leg over a data gap ends at one of them.
    pub has_gap: bool,
    /// `true` if a fix has the flag fail.
    pub failed: bool,
    /// The number of fixes with the flag suspect.
    pub suspects: usize,
}

impl Block {
    /// The summary of the fix at an index.
    fn new(track: &Track, index: usize) -> Self {
        let flag = track.flags().get(index);
        Self {
            speeds: Stretch::new(index, leg_speed(track, index)),
            has_gap: gap_start(track, index).is_some(),
            failed: flag == Some(&Flag::Fail),
            suspects: usize::from(flag == Some(&Flag::Suspect)),
        }
    }
}

/// The speed of the leg to a fix, m/s, on the sphere; `None` over a data gap and of a jump.
pub(crate) fn leg_speed(track: &Track, index: usize) -> Option<f64> {
    let is_leg = !track.is_break(index);
    is_leg.then(|| rough_speed(track, index)).flatten()
}

/// The fix before the data gap that ends at a fix; `None` if there is no gap.
pub(crate) fn gap_start(track: &Track, index: usize) -> Option<usize> {
    let start = track.leg_start(index)?;
    let duration = track.time_stamp(index)? - track.time_stamp(start)?;
    track.is_gap(duration).then_some(start)
}

impl Summary for Block {
    fn with(self, next: Self) -> Self {
        Self {
            speeds: self.speeds.with(next.speeds),
            has_gap: self.has_gap || next.has_gap,
            failed: self.failed || next.failed,
            suspects: self.suspects + next.suspects,
        }
    }
}

impl PreparedTrack {
    /// Prepares a track.
    pub(crate) fn new(track: Arc<Track>) -> Self {
        // Computed here, so that the thread that draws need not.
        track.summary();
        Self {
            overview: Arc::new(Overview::new(&track)),
            strokes: TrackStrokes::new(&track),
            blocks: Levels::new(track.len(), |fix| Block::new(&track, fix)),
            track,
        }
    }

    /// The included fixes among about `most` evenly spread ones. A view near a pole
    /// is fitted to them, because a box in degrees is useless there.
    fn sample(&self, most: usize) -> Vec<Position> {
        let stride = (self.track.len() / most.max(1)).max(1);
        (0..self.track.len())
            .step_by(stride)
            .filter(|&index| self.track.is_included(index))
            .map(|index| self.track.position(index))
            .collect()
    }

    pub(crate) fn track(&self) -> &Arc<Track> {
        &self.track
    }

    /// The overview of the track for lists.
    pub(crate) fn overview(&self) -> &Arc<Overview> {
        &self.overview
    }

    /// Its strokes on a map.
    pub(crate) fn strokes(&self) -> &TrackStrokes {
        &self.strokes
    }

    /// The summary of the fixes from `from` up to but excluding `to`.
    pub(crate) fn block(&self, from: usize, to: usize) -> Block {
        let fixes = from..to.min(self.track.len());
        let of = |fix| Block::new(&self.track, fix);
        self.blocks.between(fixes, of)
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
    let start = track.leg_start(index)?;
    let duration = track.time_stamp(index)? - track.time_stamp(start)?;
    let length = || sphere::distance_m(track.position(start), track.position(index));
    (duration > 0.0).then(|| length() / duration)
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
            let fixes = (from..to).map(|fix| Block::new(&charted, fix));
            let expected = fixes.fold(Block::default(), Block::with);
            let block = charted.block(from, to);
            assert_eq!(block.speeds.ends, expected.speeds.ends, "{from}..{to}");
            let counts = |block: Block| (block.has_gap, block.failed, block.suspects);
            assert_eq!(counts(block), counts(expected), "{from}..{to}");
            let means = [block, expected].map(|block| block.speeds.mean().unwrap_or(0.0));
            assert!(
                (means[0] - means[1]).abs() < 1e-9,
                "{from}..{to}: {means:?}"
            );
        }
    }
}
