//! Benchmarks of a frame of the map at 160x48, and of the coastline.
//!
//! The tracks are simulated: a drifter, which moves from fix to fix, and a
//! moored buoy, whose fixes are close together.

use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};

use crate::geo::{BoundingBox, Position};
use crate::map::scene::coast as coastline;
use crate::map::strokes::TrackStrokes;
use crate::map::{
    Fitted, FixDots, GRATICULE_SPACING, GlyphSet, LayerTrack, Layers, PreparedTrack, Raster, View,
    scene,
};
use crate::track::{Platform, Records, Track, TrackOptions, Transmission};

/// The motion of an instrument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Course {
    /// About 500 km in the Norwegian Sea.
    Drifter,
    /// Within 15 m of one position.
    Moored,
}

/// The map of the Track tab on a terminal of 160x48, and a pane of full size.
const COLUMNS: u16 = 160;
const ROWS: u16 = 45;

/// Deterministic numbers in [0, 1) (Marsaglia 2003, xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

/// The same path for any number of fixes: about 500 km in the Norwegian Sea.
fn drifter(fixes: u32) -> Vec<Position> {
    let mut random = Random(42);
    let eddies: Vec<(f64, f64)> = (0..40)
        .map(|_| (random.next() * 6.3, random.normal()))
        .collect();
    (0..fixes)
        .map(|n| {
            let along = f64::from(n) / f64::from(fixes);
            let turn = |by: f64| {
                eddies
                    .iter()
                    .zip(1u32..)
                    .map(|((phase, size), k)| {
                        size / f64::from(k) * (along * 6.3 * f64::from(k) + phase + by).sin()
                    })
                    .sum::<f64>()
            };
            Position {
                latitude: 66.0 + 2.0 * along + 0.5 * turn(0.0),
                longitude: 2.0 + 4.0 * along + turn(1.6),
            }
        })
        .collect()
}

/// A moored buoy, within 15 m of one position.
fn moored(fixes: u32) -> Vec<Position> {
    let mut random = Random(43);
    (0..fixes)
        .map(|_| Position {
            latitude: 54.0 + random.normal() * 1.35e-4,
            longitude: 7.9 + random.normal() * 2.3e-4,
        })
        .collect()
}

fn prepared(positions: Vec<Position>) -> PreparedTrack {
    let transmissions = positions
        .into_iter()
        .zip(0u32..)
        .map(|(position, n)| Transmission {
            time_stamp: 60.0 * f64::from(n),
            position,
        })
        .collect();
    let records = Records {
        transmissions,
        ..Records::default()
    };
    let mut options = TrackOptions::new(Platform::Tag, 1e12);
    options.exclude_failed = false;
    PreparedTrack::new(Arc::new(Track::new(&records, &options)))
}

/// The track of a course, created once.
fn track(course: Course, fixes: u32) -> Arc<PreparedTrack> {
    static TRACKS: Mutex<Vec<(Course, u32, Arc<PreparedTrack>)>> = Mutex::new(Vec::new());
    let mut tracks = TRACKS.lock().unwrap_or_else(PoisonError::into_inner);
    let made = tracks.iter().find(|one| (one.0, one.1) == (course, fixes));
    if let Some((_, _, track)) = made {
        return Arc::clone(track);
    }
    let made = Arc::new(prepared(match course {
        Course::Drifter => drifter(fixes),
        Course::Moored => moored(fixes),
    }));
    tracks.push((course, fixes, Arc::clone(&made)));
    made
}

/// The fitted view, magnified by `closer`.
fn view(track: &PreparedTrack, closer: f64) -> View {
    let fitted = Fitted {
        bounds: track.summary().bbox,
        ..Fitted::default()
    };
    let fitted = View::fit_to(&fitted, COLUMNS, ROWS, 2.0);
    let middle = track.fix(track.len() / 2).map(|fix| fix.position);
    let view = middle.map_or(fitted.clone(), |middle| fitted.centred_on(middle));
    if closer > 1.0 {
        view.zoomed(closer, None)
    } else {
        fitted
    }
}

/// Draws a frame of the map, except for the terminal's own buffer.
fn frame(track: &PreparedTrack, view: &View) -> usize {
    let layers = Layers {
        tracks: vec![LayerTrack::alone(track)],
        cursor: track.latest().map(|fix| fix.position),
        ..Layers::default()
    };
    let scene = scene(view, &layers, GRATICULE_SPACING);
    let mut raster = Raster::new(COLUMNS, ROWS, GlyphSet::Braille);
    raster.draw_lines(&scene);
    raster.track(track, 0, view, FixDots::default());
    raster.cells().count()
}

/// Draws a frame of a track, fitted and magnified by `closer`.
pub fn frame_of(course: Course, fixes: u32, closer: f64) -> impl FnMut() -> usize {
    let track = track(course, fixes);
    let view = view(&track, closer);
    move || frame(&track, &view)
}

/// Prepares the strokes of a track, as after a fetch.
pub fn strokes_of(course: Course, fixes: u32) -> impl FnMut() -> usize {
    let track = track(course, fixes);
    move || size_of_val(&black_box(TrackStrokes::new(black_box(&track))))
}

/// The coast only, projected, on a map `width` degrees of longitude wide.
pub fn coast(width: f64) -> impl FnMut() -> usize {
    let bounds = BoundingBox {
        west: 10.0 - width / 2.0,
        east: 10.0 + width / 2.0 - 0.01,
        south: 62.0 - (width / 4.0).min(30.0),
        north: 62.0 + (width / 4.0).min(23.0),
    };
    let fitted = Fitted {
        bounds: Some(bounds),
        ..Fitted::default()
    };
    let view = View::fit_to(&fitted, COLUMNS, ROWS, 2.0);
    move || coastline(&view).len()
}
