//! The fixes and legs in each column of the timeline.

use crate::map::PreparedTrack;

/// The fixes and legs in one column.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bin {
    /// Number of fixes.
    pub fixes: usize,
    /// The greatest speed of a leg in m/s and the fix at its end; `None` in a
    /// data gap.
    pub fastest: Option<(f64, usize)>,
    /// `true` if a fix has the flag fail.
    pub failed: bool,
    /// The number of fixes with the flag suspect.
    pub suspects: usize,
}

impl Bin {
    /// `true` if it is in a data gap.
    pub(super) fn is_gap(self) -> bool {
        self.fixes == 0 && self.fastest.is_none()
    }

    /// `true` if more than a twentieth of its fixes are suspect: of a long track nearly
    /// every column has one.
    pub(super) fn is_suspect(self) -> bool {
        self.suspects * 20 > self.fixes
    }
}

/// The time at which a column begins: the first and the last time are in the
/// middle of the first and the last of `width` columns.
pub(super) fn edge(x: u16, width: u16, (first, last): (f64, f64)) -> f64 {
    let steps = f64::from(width.saturating_sub(1).max(1));
    first + (last - first) * (f64::from(x) - 0.5) / steps
}

/// The columns of a track from its first to its last fix. A column's fixes are found by binary search and summed
/// by blocks, so that the cost depends on the width and not on the length of the
/// track.
pub(super) fn bins(track: &PreparedTrack, width: u16) -> Vec<Bin> {
    let Some((first, last)) = track.ends() else {
        return Vec::new();
    };
    let edge = |x: u16| edge(x, width, (first, last));
    (0..width)
        .map(|x| {
            let from = track.count_before(edge(x));
            let to = if last > first {
                track.count_before(edge(x + 1))
            } else if x == 0 {
                // All fixes have the same time: one column has them all.
                track.len()
            } else {
                return Bin::default();
            };
            // A column without a fix shows the leg that spans it, unless that
            // leg is a data gap: then the column stays empty.
            let until = if from == to { from + 1 } else { to };
            let block = track.block(from, until.min(track.len()));
            Bin {
                fixes: to - from,
                fastest: block.fastest,
                failed: from < to && block.failed,
                suspects: if from < to { block.suspects } else { 0 },
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_many_fixes_is_suspect_only_where_more_than_a_twentieth_are() {
        let of = |fixes, suspects| Bin {
            fixes,
            suspects,
            ..Bin::default()
        };
        assert!(of(1, 1).is_suspect() && of(19, 1).is_suspect());
        assert!(!of(20, 1).is_suspect() && !of(6000, 12).is_suspect());
        assert!(of(6000, 301).is_suspect() && !of(0, 0).is_suspect());
    }
}
