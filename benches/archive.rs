//! Archive benchmark: writes, reads and updates a million transmissions, and
//! reports their bytes on disk: `cargo bench --features bench --bench archive`.

use divan::Bencher;
use driftline::bench::archive::{Fresh, Response};

const FIXES: u32 = 1_000_000;

fn main() {
    let mut archive = fresh();
    archive.ingest(&Response::new(FIXES));
    #[allow(clippy::cast_precision_loss, clippy::print_stdout)] // a figure for the reader
    {
        println!(
            "{:.1} bytes on disk a fix",
            archive.size() as f64 / f64::from(FIXES)
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
