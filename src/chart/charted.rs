//! A track made ready for the screen: its levels of detail for map and time
//! strip, made once, off the main thread.

use std::ops::Deref;
use std::sync::Arc;

use super::detail::Detail;
use crate::geo::sphere;
use crate::track::{Flag, Track};

/// Fixes that a block of the time strip sums up, and blocks that one of the next
/// level does.
const BLOCK: usize = 16;

/// A track and what is drawn of it.
#[derive(Debug, Clone)]
pub struct Charted {
    track: Arc<Track>,
    detail: Detail,
    /// Blocks by level: of the first each sums up 16 fixes, of the next 256.
    blocks: Vec<Vec<Block>>,
}

/// What a stretch of fixes comes to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Block {
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

impl Charted {
    /// Makes a track ready.
    pub fn new(track: Arc<Track>) -> Self {
        let (detail, blocks) = std::thread::scope(|scope| {
            // Summed up here, off the thread that draws.
            let rest = scope.spawn(|| {
                track.summary();
                blocks(&track)
            });
            let detail = Detail::of(&track);
            // What a thread did not do is done here.
            (detail, rest.join().unwrap_or_else(|_| blocks(&track)))
        });
        Self {
            track,
            detail,
            blocks,
        }
    }

    /// The track.
    pub fn track(&self) -> &Arc<Track> {
        &self.track
    }

    /// The levels of detail.
    pub fn detail(&self) -> &Detail {
        &self.detail
    }

    /// What the fixes from `from` up to `to` (not with it) come to.
    pub fn block(&self, from: usize, to: usize) -> Block {
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

impl Deref for Charted {
    type Target = Track;

    fn deref(&self) -> &Track {
        &self.track
    }
}

/// Speed over ground on the leg to a fix in m/s, on the sphere, which is near
/// enough for a bar or a colour; none over no time.
pub fn rough_speed(track: &Track, index: usize) -> Option<f64> {
    let from = track.fix(track.leg_start(index)?)?;
    let to = track.fix(index)?;
    let duration = to.time_stamp - from.time_stamp;
    (duration > 0.0).then(|| sphere::distance_m(from.position, to.position) / duration)
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
    let duration = |index: usize| Some(times.get(index)? - times.get(track.leg_start(index)?)?);
    let fastest = (from..to)
        .filter(|&index| duration(index).is_some_and(|duration| !track.is_gap(duration)))
        .map(|index| rough_speed(track, index).map(|speed| (speed, index)))
        .fold(None, faster);
    let flags = track.flags().get(from..to).unwrap_or_default();
    Block {
        fastest,
        failed: flags.contains(&Flag::Fail),
        suspect: flags.contains(&Flag::Suspect),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::Position;
    use crate::track::{Assembly, Platform, Records, Transmission};

    #[test]
    fn any_stretch_comes_to_what_its_fixes_come_to() {
        let transmissions = (0u32..2000)
            .map(|n| Transmission {
                time_stamp: 600.0 * f64::from(n + n / 700 * 100),
                position: Position {
                    latitude: 60.0 + 0.001 * f64::from(n * n % 97),
                    longitude: if n == 999 { 90.0 } else { 5.0 },
                },
            })
            .collect();
        let records = Records {
            transmissions,
            ..Records::default()
        };
        let track = Track::assemble(records, &Assembly::new(Platform::Drifter, 1e9));
        let charted = Charted::new(Arc::new(track));
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
}
