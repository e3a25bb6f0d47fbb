//! The archive: a million transmissions written, read, written again with one
//! more, and how many bytes each takes on disk: `cargo bench --bench archive`.

use std::sync::Arc;

use divan::Bencher;
use driftline::archive::Archive;
use driftline::geo::Position;
use driftline::track::{Answer, Records, Transmission};
use uuid::Uuid;

const FIXES: u32 = 1_000_000;
const DEPLOYMENT: Uuid = Uuid::from_u128(7);

fn main() {
    let (folder, mut archive) = fresh();
    ingest(&mut archive, &records(FIXES));
    drop(archive);
    let size = std::fs::metadata(folder.path().join("archive.db")).map_or(0, |file| file.len());
    #[allow(clippy::cast_precision_loss, clippy::print_stdout)] // a figure for a person
    {
        println!("{:.1} bytes on disk a fix", size as f64 / f64::from(FIXES));
    }
    divan::main();
}

fn records(count: u32) -> Arc<Records> {
    let transmissions = (0..count)
        .map(|n| Transmission {
            time_stamp: 1.7e9 + 10.0 * f64::from(n),
            position: Position {
                latitude: 70.0 + 0.4 * (f64::from(n) * 1e-4).sin(),
                longitude: 5.0 + 1e-6 * f64::from(n),
            },
        })
        .collect();
    Arc::new(Records {
        transmissions,
        ..Records::default()
    })
}

#[allow(clippy::expect_used)] // without a disk there is nothing to measure
fn fresh() -> (tempfile::TempDir, Archive) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = Archive::open(&folder.path().join("archive.db")).expect("an archive");
    (folder, archive)
}

fn ingest(archive: &mut Archive, records: &Arc<Records>) {
    let answer = Answer {
        records: Arc::clone(records),
        ..Answer::new(200, "http://127.0.0.1:1", 1.8e9)
    };
    let _ = archive.ingest(DEPLOYMENT, &answer);
}

#[divan::bench(sample_count = 5)]
fn write_a_million(bencher: Bencher<'_, '_>) {
    let records = records(FIXES);
    bencher
        .with_inputs(fresh)
        .bench_local_refs(|(_, archive)| ingest(archive, &records));
}

#[divan::bench(sample_count = 5)]
fn read_a_million(bencher: Bencher<'_, '_>) {
    let (_folder, mut archive) = fresh();
    ingest(&mut archive, &records(FIXES));
    bencher.bench_local(|| archive.stored(DEPLOYMENT));
}

/// A refresh that brings one fix more.
#[divan::bench(sample_count = 5)]
fn refresh_a_million(bencher: Bencher<'_, '_>) {
    let (before, after) = (records(FIXES), records(FIXES + 1));
    bencher
        .with_inputs(|| {
            let (folder, mut archive) = fresh();
            ingest(&mut archive, &before);
            (folder, archive)
        })
        .bench_local_refs(|(_, archive)| ingest(archive, &after));
}
