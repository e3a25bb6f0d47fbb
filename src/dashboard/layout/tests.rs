//! The layout at every size.

use super::*;

/// Cells of a position in degrees, minutes and seconds, and of a speed in knots with
/// its course.
const FIX: FixCells = FixCells {
    shortest: 34,
    position: 26,
    motion: 15,
};

const TRACK: Arrangement = Arrangement::Track {
    fix: FIX,
    summary: 0,
    is_table_wide: true,
};
const ALL: [Arrangement; 3] = [Arrangement::List { rows: 3 }, TRACK, Arrangement::Rows];

fn laid_out(size: (u16, u16), arrangement: Arrangement, full: Option<Pane>) -> Layout {
    Layout::new(size, arrangement, Pane::Table, full)
}

#[test]
fn the_smallest_screen_loses_at_most_one_row_to_the_titles() {
    let rows = |tab| laid_out((60, 16), tab, None).rows.height;
    // Without titles there were 12, 10 and 9.
    assert_eq!(ALL.map(rows), [11, 9, 8]);
}

#[test]
fn panes_have_frames_from_100x30_up_and_on_track_rules() {
    let framed = |width, height| laid_out((width, height), Arrangement::Rows, None).framed;
    assert!(!laid_out((160, 48), TRACK, None).framed);
    assert!(framed(100, 30) && framed(160, 48));
    assert!(!framed(99, 30) && !framed(100, 29) && !framed(80, 24));
}

#[test]
fn at_every_size_the_parts_lie_within_the_screen_and_apart() {
    for width in [0u16, 1, 59, 60, 79, 80, 100, 120, 160, 220] {
        for height in (0..=70u16).step_by(3) {
            for tab in ALL {
                for full in [
                    None,
                    Some(Pane::Table),
                    Some(Pane::Map),
                    Some(Pane::Timeline),
                    Some(Pane::Summary),
                ] {
                    let layout = laid_out((width, height), tab, full);
                    let panes = [
                        (Pane::Table, layout.table),
                        (Pane::Map, layout.map),
                        (Pane::Timeline, layout.timeline),
                        (Pane::Summary, layout.summary),
                    ];
                    for (pane, content) in panes {
                        let frame = layout.frame(pane);
                        assert!(
                            content.is_empty()
                                || content.x >= frame.x
                                    && content.y > frame.y
                                    && content.x + content.width <= frame.x + frame.width
                                    && content.y + content.height <= frame.y + frame.height,
                            "{width}x{height} {tab:?} {full:?}: {pane:?} leaves its frame"
                        );
                    }
                    let parts = [
                        layout.header,
                        layout.tabs,
                        layout.footer,
                        layout.frame(Pane::Table),
                        layout.frame(Pane::Map),
                        layout.frame(Pane::Timeline),
                        layout.frame(Pane::Summary),
                        layout.divider,
                        layout.detail_divider,
                    ];
                    let mut covered = vec![false; usize::from(width) * usize::from(height)];
                    for part in parts {
                        assert!(
                            part.is_empty()
                                || part.x + part.width <= width && part.y + part.height <= height
                        );
                        for y in part.y..part.y + part.height {
                            for x in part.x..part.x + part.width {
                                let cell = &mut covered
                                    [usize::from(y) * usize::from(width) + usize::from(x)];
                                assert!(
                                    !std::mem::replace(cell, true),
                                    "{width}x{height} {tab:?} {full:?}: two parts share a cell"
                                );
                            }
                        }
                    }
                    assert_eq!(layout.too_small, width < 60 || height < 16);
                }
            }
        }
    }
}
