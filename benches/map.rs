//! One frame of the map at 160x48 for tracks of a thousand, a million and ten
//! million fixes, and the coastline alone: `cargo bench --bench map`.
//!
//! The tracks are made up: a drifter's, whose way goes on from fix to fix, and
//! a moored buoy's, whose fixes crowd on one spot.

use std::sync::{Arc, OnceLock};

use divan::Bencher;
use driftline::chart::{GlyphSet, Layers, PreparedTrack, Raster, View, coast, picture};
use driftline::geo::{BoundingBox, Position};
use driftline::track::{Platform, Records, Track, TrackOptions, Transmission};

fn main() {
    divan::main();
}

const SIZES: [u32; 3] = [1_000, 1_000_000, 10_000_000];
/// The map of the Track tab on a terminal of 160x48, and a pane of full size.
const COLUMNS: u16 = 160;
const ROWS: u16 = 45;

/// Numbers in [0, 1), the same ones each time (Marsaglia 2003, xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        #[allow(clippy::cast_precision_loss)] // 53 bits
        let share = (self.0 >> 11) as f64 / (1u64 << 53) as f64;
        share
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

/// The same way at any number of fixes: about 500 km in the Norwegian Sea.
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

/// A moored buoy, 15 m about its place.
fn moored(fixes: u32) -> Vec<Position> {
    let mut random = Random(43);
    (0..fixes)
        .map(|_| Position {
            latitude: 54.0 + random.normal() * 1.35e-4,
            longitude: 7.9 + random.normal() * 2.3e-4,
        })
        .collect()
}

fn charted(positions: Vec<Position>) -> PreparedTrack {
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
    let mut assembly = TrackOptions::new(Platform::Tag, 1e12);
    assembly.exclude_failed = false;
    PreparedTrack::new(Arc::new(Track::assemble(records, &assembly)))
}

fn track(course: &str, fixes: u32) -> &'static PreparedTrack {
    static TRACKS: [OnceLock<PreparedTrack>; 6] = [const { OnceLock::new() }; 6];
    let place = SIZES.iter().position(|size| *size == fixes).unwrap_or(0);
    let (place, make): (usize, fn(u32) -> Vec<Position>) = if course == "moored" {
        (place + 3, moored)
    } else {
        (place, drifter)
    };
    TRACKS[place].get_or_init(|| charted(make(fixes)))
}

/// The track fitted, a tenth and a thousandth of that across.
fn view(charted: &PreparedTrack, closer: f64) -> View {
    let fitted = View::fit(charted.summary().bbox, &[], COLUMNS, ROWS, 2.0);
    let middle = charted.fix(charted.len() / 2).map(|fix| fix.position);
    let view = middle.map_or(fitted.clone(), |middle| fitted.centred_on(middle));
    if closer > 1.0 {
        view.zoomed(closer, None)
    } else {
        fitted
    }
}

/// All that a frame of the map does short of the terminal's own buffer.
fn frame(charted: &PreparedTrack, view: &View) -> usize {
    let layers = Layers {
        track: Some(charted),
        cursor: Some(charted.len() - 1),
        ..Layers::default()
    };
    let picture = picture(view, &layers);
    let mut raster = Raster::new(COLUMNS, ROWS, GlyphSet::Braille.dots());
    raster.draw_lines(&picture);
    raster.track(charted, view);
    raster.cells().count()
}

#[divan::bench(args = SIZES, consts = [1, 10, 1000], sample_count = 60)]
fn drifter_zoomed<const CLOSER: u32>(bencher: Bencher<'_, '_>, fixes: u32) {
    let charted = track("drifter", fixes);
    let view = view(charted, f64::from(CLOSER));
    bencher.bench_local(|| frame(charted, &view));
}

#[divan::bench(args = SIZES, consts = [1, 2, 10], sample_count = 40)]
fn moored_zoomed<const CLOSER: u32>(bencher: Bencher<'_, '_>, fixes: u32) {
    let charted = track("moored", fixes);
    let view = view(charted, f64::from(CLOSER));
    bencher.bench_local(|| frame(charted, &view));
}

/// Levels of detail for a million fixes, made once after a fetch.
#[divan::bench(args = ["drifter", "moored"], sample_count = 5)]
fn detail_of_a_million(bencher: Bencher<'_, '_>, course: &str) {
    let charted = track(course, 1_000_000);
    bencher.bench_local(|| driftline::chart::Detail::of(charted));
}

/// The coast alone, projected, at widths that take each of its levels.
#[divan::bench(args = [360.0, 120.0, 60.0, 20.0, 5.0, 1.0], sample_count = 60)]
fn coast_degrees(bencher: Bencher<'_, '_>, width: f64) {
    let bounds = BoundingBox {
        west: 10.0 - width / 2.0,
        east: 10.0 + width / 2.0 - 0.01,
        south: 62.0 - (width / 4.0).min(30.0),
        north: 62.0 + (width / 4.0).min(23.0),
    };
    let view = View::fit(Some(bounds), &[], COLUMNS, ROWS, 2.0);
    bencher.bench_local(|| coast(&view).len());
}
