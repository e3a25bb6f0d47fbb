//! From the bytes of a response to a track and its files, for a thousand and a
//! million fixes: `cargo bench --features bench --bench track`.
//! `DRIFTLINE_BENCH_MOST=10000000` adds ten million.

use std::sync::OnceLock;

use divan::Bencher;
use driftline::bench::track;

fn main() {
    divan::main();
}

fn sizes() -> Vec<usize> {
    let most = std::env::var("DRIFTLINE_BENCH_MOST")
        .ok()
        .and_then(|most| most.parse().ok())
        .unwrap_or(1_000_000);
    [1_000, 1_000_000, 10_000_000]
        .into_iter()
        .filter(|size| *size <= most)
        .collect()
}

/// A response with `fixes` records, created once.
fn body(fixes: usize) -> &'static [u8] {
    static BODIES: [OnceLock<Vec<u8>>; 3] = [const { OnceLock::new() }; 3];
    let index = [1_000, 1_000_000, 10_000_000]
        .iter()
        .position(|size| *size == fixes);
    BODIES[index.unwrap_or(0)].get_or_init(|| track::body(fixes))
}

/// Parses the records in chunks, as a connection delivers them.
#[divan::bench(args = sizes(), sample_count = 10)]
fn parse(bencher: Bencher<'_, '_>, fixes: usize) {
    bencher.bench_local(track::parse(body(fixes)));
}

/// Sorts, removes duplicates, and runs quality control.
#[divan::bench(args = sizes(), sample_count = 10)]
fn assemble(bencher: Bencher<'_, '_>, fixes: usize) {
    bencher.bench_local(track::assemble(body(fixes)));
}

/// The same for a platform without a rule of its own for fast legs.
#[divan::bench(args = sizes(), sample_count = 10)]
fn assemble_generic(bencher: Bencher<'_, '_>, fixes: usize) {
    bencher.bench_local(track::assemble_generic(body(fixes)));
}

/// A million fixes that the quality tests find fault with: no test may compare
/// every pair.
#[divan::bench(args = ["outliers", "one place", "two places", "anywhere", "one time", "spikes"], sample_count = 3)]
fn assemble_worst(bencher: Bencher<'_, '_>, case: &str) {
    bencher.bench_local(track::assemble_worst(case));
}

#[divan::bench(args = ["csv", "json", "ndjson", "geojson", "gpx", "kml", "netcdf"], sample_count = 3)]
fn write_a_hundred_thousand(bencher: Bencher<'_, '_>, format: &str) {
    bencher.bench_local(track::write(body(1_000_000), 100_000, format));
}
