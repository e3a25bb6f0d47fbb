//! One frame of each tab at 160x48, and from a key to its frame, for tracks of
//! a thousand, a million and ten million fixes:
//! `cargo bench --features bench --bench frame`.

use divan::Bencher;
use driftline::bench::frame;

fn main() {
    divan::main();
}

const SIZES: [u32; 3] = [1_000, 1_000_000, 10_000_000];

#[divan::bench(args = SIZES, consts = [1, 2, 3, 4], sample_count = 50)]
fn tab<const NUMBER: u32>(bencher: Bencher<'_, '_>, fixes: u32) {
    let number = char::from_digit(NUMBER, 10).unwrap_or('2');
    bencher.bench_local(frame::tab(number, fixes));
}

/// The most frequent key, held down: it moves one row down in the table, and
/// updates map and timeline.
#[divan::bench(args = SIZES, sample_count = 50)]
fn key_to_frame(bencher: Bencher<'_, '_>, fixes: u32) {
    bencher.bench_local(frame::key_to_frame(fixes));
}

/// Deployments on one map, and fixes of each.
const SEVERAL: (u32, u32) = (20, 100_000);

/// Several tracks on one map.
#[divan::bench(sample_count = 50)]
fn several(bencher: Bencher<'_, '_>) {
    bencher.bench_local(frame::several(SEVERAL.0, SEVERAL.1));
}

/// The same, with the most frequent key held down.
#[divan::bench(sample_count = 50)]
fn several_key_to_frame(bencher: Bencher<'_, '_>) {
    bencher.bench_local(frame::several_key_to_frame(SEVERAL.0, SEVERAL.1));
}

/// Fixes, fields and values of a profile.
const FIELDS: [(u32, u32, u32); 2] = [(1_000_000, 10, 0), (10_000, 0, 160)];

/// A field, or a profile, on the timeline.
#[divan::bench(args = FIELDS, sample_count = 50)]
fn field(bencher: Bencher<'_, '_>, of: (u32, u32, u32)) {
    bencher.bench_local(frame::field(of, "v"));
}

/// The same with the line coloured by it.
#[divan::bench(args = FIELDS, sample_count = 50)]
fn field_line(bencher: Bencher<'_, '_>, of: (u32, u32, u32)) {
    bencher.bench_local(frame::field(of, "vCCC"));
}

/// The same at full size.
#[divan::bench(args = FIELDS, sample_count = 50)]
fn field_full_size(bencher: Bencher<'_, '_>, of: (u32, u32, u32)) {
    bencher.bench_local(frame::field(of, "vwwz"));
}

/// The most frequent key, held down.
#[divan::bench(args = FIELDS, sample_count = 50)]
fn field_key_to_frame(bencher: Bencher<'_, '_>, of: (u32, u32, u32)) {
    bencher.bench_local(frame::field_key_to_frame(of, "vCCC"));
}

/// Once for each response, beside the thread that draws.
#[divan::bench(args = FIELDS, sample_count = 5)]
fn field_charts(bencher: Bencher<'_, '_>, of: (u32, u32, u32)) {
    bencher.bench_local(frame::field_charts(of));
}

/// The list and the world map of so many deployments, with the base map of the frame
/// before, and without it.
#[divan::bench(args = [100, 10_000], sample_count = 50)]
fn world(bencher: Bencher<'_, '_>, deployments: u32) {
    bencher.bench_local(frame::world(deployments, true));
}

/// The same as the first frame, or after a change of the view.
#[divan::bench(args = [100, 10_000], sample_count = 50)]
fn world_first(bencher: Bencher<'_, '_>, deployments: u32) {
    bencher.bench_local(frame::world(deployments, false));
}
