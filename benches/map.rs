//! One frame of the map at 160x48 for tracks of a thousand, a million and ten
//! million fixes, and the coastline: `cargo bench --features bench --bench
//! map`.

use divan::Bencher;
use driftline::bench::map::{Course, coast, frame_of, strokes_of};

fn main() {
    divan::main();
}

const SIZES: [u32; 3] = [1_000, 1_000_000, 10_000_000];

#[divan::bench(args = SIZES, consts = [1, 10, 1000], sample_count = 60)]
fn drifter_zoomed<const CLOSER: u32>(bencher: Bencher<'_, '_>, fixes: u32) {
    bencher.bench_local(frame_of(Course::Drifter, fixes, f64::from(CLOSER)));
}

#[divan::bench(args = SIZES, consts = [1, 2, 10], sample_count = 40)]
fn moored_zoomed<const CLOSER: u32>(bencher: Bencher<'_, '_>, fixes: u32) {
    bencher.bench_local(frame_of(Course::Moored, fixes, f64::from(CLOSER)));
}

/// Prepares the strokes of a million fixes, as after a fetch.
#[divan::bench(sample_count = 5)]
fn strokes_of_a_million_of_a_drifter(bencher: Bencher<'_, '_>) {
    bencher.bench_local(strokes_of(Course::Drifter, 1_000_000));
}

/// The same for a moored buoy.
#[divan::bench(sample_count = 5)]
fn strokes_of_a_million_of_a_moored_buoy(bencher: Bencher<'_, '_>) {
    bencher.bench_local(strokes_of(Course::Moored, 1_000_000));
}

/// The coast only, projected, at widths that use each of its levels.
#[divan::bench(args = [360.0, 120.0, 60.0, 20.0, 5.0, 1.0], sample_count = 60)]
fn coast_degrees(bencher: Bencher<'_, '_>, width: f64) {
    bencher.bench_local(coast(width));
}
