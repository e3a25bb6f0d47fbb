//! Compares what is drawn with drawing the arc of every leg.

use std::collections::HashSet;

use strum::VariantArray;

use crate::geo::BoundingBox;
use crate::geo::projection::{Projection, wrap};
use crate::map::View;
use crate::map::pen::Pen;
use crate::map::raster::GlyphSet;
use crate::map::strokes::*;
use crate::testing::chance::rounds;
use crate::testing::track::records;
use crate::track::{Platform, TrackOptions};

/// A deterministic generator of numbers in [0, 1) (Marsaglia 2003, xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// An approximately standard normal number.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

/// Tracks of different shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Course {
    /// A drifter: each step continues from the last.
    Drift,
    /// A moored buoy: all fixes near one position.
    Moored,
    /// Random positions on Earth.
    Anywhere,
    /// Across the pole and back.
    Polar,
    /// Along the antimeridian.
    DateLine,
}

fn track(course: Course, fixes: u32, seed: u64) -> Track {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let (mut latitude, mut longitude) = match course {
        Course::Polar => (88.0, 20.0),
        Course::DateLine => (-20.0, 179.9),
        _ => (random.next() * 140.0 - 70.0, random.next() * 360.0 - 180.0),
    };
    let (home, mut time) = ((latitude, longitude), 0.0);
    let mut heading = 0.0f64;
    let fixes = (0..fixes).map(|n| {
        match course {
            Course::Drift | Course::DateLine => {
                heading += random.normal() * 0.3;
                latitude = (latitude + heading.cos() * 0.003).clamp(-84.0, 84.0);
                longitude = wrap(longitude + heading.sin() * 0.003);
            }
            Course::Moored => {
                latitude = home.0 + random.normal() * 0.0002;
                longitude = wrap(home.1 + random.normal() * 0.0002);
            }
            Course::Anywhere => {
                latitude = random.next() * 178.0 - 89.0;
                longitude = random.next() * 360.0 - 180.0;
            }
            Course::Polar => {
                latitude = 87.0 + 2.99 * (f64::from(n) * 0.37).sin().abs();
                longitude = wrap(longitude + 7.0);
            }
        }
        // Occasional data gaps, too short altogether to make bursts of the rest.
        time += if random.next() < 0.01 {
            12_000.0
        } else {
            600.0
        };
        (time, latitude, longitude)
    });
    let records = records(fixes);
    let mut options = TrackOptions::new(Platform::Tag, 1e10);
    // Draws failed fixes too: the test is about drawing, not quality control.
    options.exclude_failed = false;
    Track::new(&records, &options)
}

type Dots = HashSet<(i64, i64)>;

/// The dots of strokes, as the raster sets them.
fn dots(view: &View, marker: GlyphSet, strokes: impl FnOnce(&mut dyn FnMut(Stroke))) -> Dots {
    let CellDots { across, down } = marker.dots();
    let (across, down) = (f64::from(across), f64::from(down));
    let (width, height) = (
        f64::from(view.columns) * across,
        f64::from(view.rows) * down,
    );
    let mut set = Dots::new();
    strokes(&mut |stroke: Stroke| {
        let Segment { from, to } = stroke.segment;
        let (x0, y0) = (from.0 * across, from.1 * down);
        let (x1, y1) = (to.0 * across, to.1 * down);
        let steps = ((x1 - x0).abs().max((y1 - y0).abs()).ceil() * 2.0).clamp(1.0, 1e5);
        for step in 0..=steps as u64 {
            let part = step as f64 / steps;
            let (x, y) = (x0 + (x1 - x0) * part, y0 + (y1 - y0) * part);
            if x >= 0.0 && y >= 0.0 && x < width && y < height {
                set.insert((x.floor() as i64, y.floor() as i64));
            }
        }
    });
    set
}

fn near(dot: &(i64, i64), others: &Dots) -> bool {
    (-1..=1).any(|x| (-1..=1).any(|y| others.contains(&(dot.0 + x, dot.1 + y))))
}

/// `true` if a dot is not at the very edge, where its neighbour may be outside.
fn inside(dot: &&(i64, i64), view: &View, marker: GlyphSet) -> bool {
    let CellDots { across, down } = marker.dots();
    dot.0 > 0
        && dot.1 > 0
        && dot.0 < i64::from(view.columns * across) - 1
        && dot.1 < i64::from(view.rows * down) - 1
}

/// Every leg as the pen draws it, without blocks, steps or shortcuts.
fn every_leg(track: &Track, plotter: &Plotter, each: &mut dyn FnMut(Stroke)) {
    for fix in (0..track.len()).filter(|fix| track.is_included(*fix)) {
        let mut pen = Pen::new(plotter, |line: &[(f64, f64)]| {
            for (from, to) in line.iter().zip(line.iter().skip(1).chain(line.last())) {
                let segment = Segment {
                    from: *from,
                    to: *to,
                };
                each(Stroke {
                    segment,
                    fix: fix as u32,
                    kind: Kind::Leg,
                });
            }
        });
        let at = |fix: usize| Vector::new(track.position(fix));
        pen.to(at(track.leg_start(fix).unwrap_or(fix)));
        pen.arc(at(fix));
        pen.lift();
    }
}

fn agree(track: &Track, view: &View, marker: GlyphSet) -> Result<(), String> {
    let strokes = TrackStrokes::new(track);
    let quick = dots(view, marker, |each| {
        strokes.draw(track, view, marker.dots(), |stroke| {
            if matches!(stroke.kind, Kind::Leg | Kind::Gap | Kind::Jump) {
                each(stroke);
            }
        });
    });
    let plotter = view.plotter();
    let slow = dots(view, marker, |each| every_leg(track, &plotter, each));
    let spare = |some: &Dots, others: &Dots| {
        some.iter()
            .filter(|dot| inside(dot, view, marker))
            .find(|dot| !near(dot, others))
            .copied()
    };
    if let Some(dot) = spare(&quick, &slow) {
        return Err(format!("{dot:?} is set by no leg"));
    }
    if let Some(dot) = spare(&slow, &quick) {
        return Err(format!("{dot:?} of a leg is missing"));
    }
    Ok(())
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(rounds(48, 1600) as u32))]
    #[test]
    fn what_is_drawn_is_what_drawing_every_fix_sets(
        seed in 1u64..1_000_000, course in 0usize..5, fixes in 1u32..1500, marker in 0usize..5,
        projection in 0usize..5, zoom in 0.0f64..1.0, aside in -0.7f64..0.7, columns in 20u16..200, rows in 8u16..60,
    ) {
        let course = [Course::Drift, Course::Moored, Course::Anywhere, Course::Polar, Course::DateLine][course];
        let track = track(course, fixes, seed);
        let marker = GlyphSet::VARIANTS[marker];
        // Around a fix, from the world down to a hundred metres.
        let about = track.fix(seed as usize % track.len()).unwrap().position;
        let mut view = View::fit(Some(BoundingBox { west: about.longitude, east: about.longitude, south: about.latitude, north: about.latitude }), &[], columns, rows, 2.0);
        view.projection = [Projection::Mercator, Projection::PolarNorth, Projection::PolarSouth, Projection::Globe, Projection::Equirectangular][projection];
        view = view.centred_on(about);
        if view.cell(view.centre).is_none() {
            return Ok(());
        }
        // The bounds of a view: see `View::zoomed`.
        view.metres_a_column = (4.2e7 * 10f64.powf(-5.6 * zoom) / f64::from(columns)).max(100.0 / f64::from(columns));
        view = view.panned(aside, aside / 2.0);
        if let Err(reason) = agree(&track, &view, marker) {
            proptest::prop_assert!(false, "{course:?} {view:?} {marker:?}: {reason}");
        }
    }
}

#[test]
fn a_crowd_on_one_spot_is_drawn_as_every_fix_would_be() {
    let track = track(Course::Moored, 12_000, 7);
    for metres in [100.0, 400.0, 5000.0] {
        let bbox = track.summary().bbox;
        let mut view = View::fit(bbox, &[], 80, 30, 2.0);
        view.metres_a_column = metres / 80.0;
        agree(&track, &view, GlyphSet::Braille).unwrap();
    }
}

#[test]
fn one_fix_is_a_dot_and_none_is_nothing() {
    for fixes in [0, 1] {
        let track = track(Course::Drift, fixes, 3);
        let view = View::fit(track.summary().bbox, &[], 40, 20, 2.0);
        let mut strokes = Vec::new();
        TrackStrokes::new(&track).draw(&track, &view, GlyphSet::Braille.dots(), |stroke| {
            strokes.push(stroke)
        });
        assert_eq!(strokes.len(), fixes as usize);
    }
}

#[test]
fn the_nearest_fix_is_the_nearest_of_all() {
    for course in [
        Course::Drift,
        Course::Anywhere,
        Course::Polar,
        Course::DateLine,
    ] {
        let track = track(course, 3000, 11);
        let mut random = Random(5);
        for _ in 0..60 {
            let position =
                crate::testing::at(random.next() * 180.0 - 90.0, random.next() * 360.0 - 180.0);
            let far = |index: usize| {
                Vector::new(track.fix(index).unwrap().position).chord(Vector::new(position))
            };
            let found = far(track.nearest(position).unwrap());
            let nearest = (0..track.len()).map(far).fold(f64::MAX, f64::min);
            assert!(
                found <= nearest + 1e-12,
                "{course:?} {position:?}: {found} {nearest}"
            );
        }
    }
}

/// The strokes of a track with about so many legs of its line.
fn with_at_most(most: usize, strokes: &TrackStrokes, track: &Track, view: &View) -> Vec<Stroke> {
    let mut drawn = Vec::new();
    let dots = GlyphSet::Braille.dots();
    strokes.draw_about(most, track, view, dots, |stroke| drawn.push(stroke));
    drawn
}

#[test]
fn of_a_crowd_each_nth_fix_is_drawn_with_all_gaps_and_the_line_is_whole() {
    for (course, most) in [(Course::Drift, 6000), (Course::Moored, 2000)] {
        let track = track(course, 30_000, 9);
        let mut view = View::fit(track.summary().bbox, &[], 120, 40, 2.0);
        view = view.zoomed(3.0, None);
        let strokes = TrackStrokes::new(&track);
        let few = with_at_most(most, &strokes, &track, &view);
        let all = with_at_most(usize::MAX, &strokes, &track, &view);
        let of = |strokes: &[Stroke], kind: Kind| {
            let strokes = strokes.iter().filter(|stroke| stroke.kind == kind);
            strokes.map(|stroke| stroke.fix).collect::<Vec<u32>>()
        };
        assert_eq!(of(&few, Kind::Gap), of(&all, Kind::Gap), "{course:?}");
        let (legs, whole) = (of(&few, Kind::Leg).len(), of(&all, Kind::Leg).len());
        // Both ends of each gap, and the last of each block, are drawn besides.
        assert!(legs < whole / 2, "{course:?}: {legs} of {whole}");
        let set = |strokes: &[Stroke]| {
            dots(&view, GlyphSet::Braille, |each: &mut dyn FnMut(Stroke)| {
                strokes.iter().copied().for_each(each)
            })
        };
        let (of_few, of_all) = (set(&few), set(&all));
        let missing = of_all.iter().filter(|dot| !near(dot, &of_few)).count();
        assert!(missing * 50 < of_all.len(), "{course:?}: {missing}");
    }
}

#[test]
fn what_is_out_of_view_or_shares_a_dot_costs_nearly_nothing() {
    let track = track(Course::Drift, 100_000, 4);
    let strokes = TrackStrokes::new(&track);
    let mut view = View::fit(track.summary().bbox, &[], 120, 40, 2.0);
    let blocks = |view: &View| {
        let dots = GlyphSet::Braille.dots();
        strokes
            .blocks
            .in_view(&view.plotter(), dots, usize::MAX)
            .blocks
    };
    let size = |blocks: &[Block]| blocks.iter().map(|block| block.points.len()).sum::<usize>();
    assert_eq!(size(&blocks(&view)), 100_000);
    view = view.centred_on(track.position(50_000));
    view.metres_a_column = 10.0;
    let near = blocks(&view);
    assert!(near.iter().any(|block| block.points.contains(&50_000)));
    assert!(size(&near) < 5000, "{}", size(&near));
    view.metres_a_column = 1e5;
    let far = blocks(&view);
    assert!(far.len() < 5000, "{}", far.len());
}

#[test]
fn of_legs_in_one_dot_the_newest_gives_the_colour() {
    let track = track(Course::Moored, 5000, 9);
    let mut view = View::fit(track.summary().bbox, &[], 40, 20, 2.0);
    view.metres_a_column = 1e5;
    let drawn = with_at_most(usize::MAX, &TrackStrokes::new(&track), &track, &view);
    let newest = drawn.iter().map(|stroke| stroke.fix).max();
    assert_eq!(newest, Some(4999));
    assert!(drawn.len() < 400, "{}", drawn.len());
}

#[test]
fn a_fix_outside_the_window_is_a_dot_beside_the_line() {
    let fixes = (0..100).map(|n| (600.0 * f64::from(n), 60.0 + 0.01 * f64::from(n), 5.0));
    let mut options = TrackOptions::new(Platform::Tag, 1e10);
    options.window.from = Some(6000.0);
    let track = Track::new(&records(fixes), &options);
    let view = View::fit(track.summary().bbox, &[], 400, 200, 2.0);
    let (mut outside, mut line) = (HashSet::new(), HashSet::new());
    TrackStrokes::new(&track).draw(
        &track,
        &view,
        GlyphSet::Braille.dots(),
        |stroke| match stroke.kind {
            Kind::Outside => {
                assert_eq!(stroke.segment.from, stroke.segment.to);
                outside.insert(stroke.fix);
            }
            _ => {
                line.insert(stroke.fix);
            }
        },
    );
    assert!(outside.iter().all(|fix| *fix < 10), "{outside:?}");
    assert!(outside.contains(&9) && !line.is_empty());
    assert!(line.iter().all(|fix| *fix >= 10), "{line:?}");
}
