//! Archive benchmark: writes, reads and updates a million transmissions, and a
//! hundred thousand with a thermistor string, and reports their bytes on disk:
//! `cargo bench --features bench --bench archive`.

use divan::Bencher;
use driftline::bench::archive::{Fresh, Response};

const FIXES: u32 = 1_000_000;
const WITH_FIELDS: u32 = 100_000;

fn main() {
    let mut archive = fresh();
    archive.ingest(&Response::new(FIXES));
    #[allow(clippy::cast_precision_loss, clippy::print_stdout)] // a figure for the reader
    {
        println!(
            "{:.1} bytes on disk a fix",
            archive.size() as f64 / f64::from(FIXES)
        );
        let (response, json) = Response::with_thermistors(WITH_FIELDS);
        let mut archive = fresh();
        archive.ingest(&response);
        println!(
            "a thermistor string takes {:.3} of the bytes of its JSON",
            archive.size() as f64 / json as f64
        );
    }
    divan::main();
}

#[allow(clippy::expect_used)] // without a disk there is nothing to measure
fn fresh() -> Fresh {
    Fresh::new().expect("a temporary archive")
}

#[divan::bench(sample_count = 5)]
fn write_a_million(bencher: Bencher<'_, '_>) {
    let response = Response::new(FIXES);
    bencher
        .with_inputs(fresh)
        .bench_local_refs(|archive| archive.ingest(&response));
}

#[divan::bench(sample_count = 5)]
fn read_a_million(bencher: Bencher<'_, '_>) {
    let mut archive = fresh();
    archive.ingest(&Response::new(FIXES));
    bencher.bench_local(|| archive.read());
}

/// A refresh that adds one fix.
#[divan::bench(sample_count = 5)]
fn refresh_a_million(bencher: Bencher<'_, '_>) {
    let (before, after) = (Response::new(FIXES), Response::new(FIXES + 1));
    bencher
        .with_inputs(|| {
            let mut archive = fresh();
            archive.ingest(&before);
            archive
        })
        .bench_local_refs(|archive| archive.ingest(&after));
}

/// A hundred thousand transmissions without fields.
#[divan::bench(sample_count = 5)]
fn read_a_hundred_thousand(bencher: Bencher<'_, '_>) {
    let mut archive = fresh();
    archive.ingest(&Response::new(WITH_FIELDS));
    bencher.bench_local(|| archive.read());
}

/// The same of a track that has fields, which are not read.
#[divan::bench(sample_count = 5)]
fn read_a_hundred_thousand_beside_their_fields(bencher: Bencher<'_, '_>) {
    let mut archive = fresh();
    archive.ingest(&Response::with_thermistors(WITH_FIELDS).0);
    bencher.bench_local(|| archive.read());
}

/// The same with the fields.
#[divan::bench(sample_count = 5)]
fn read_a_hundred_thousand_with_their_fields(bencher: Bencher<'_, '_>) {
    let mut archive = fresh();
    archive.ingest(&Response::with_thermistors(WITH_FIELDS).0);
    bencher.bench_local(|| archive.read_with_fields());
}

#[divan::bench(sample_count = 5)]
fn write_a_hundred_thousand_with_their_fields(bencher: Bencher<'_, '_>) {
    let (response, _) = Response::with_thermistors(WITH_FIELDS);
    bencher
        .with_inputs(fresh)
        .bench_local_refs(|archive| archive.ingest(&response));
}
