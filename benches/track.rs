//! From the bytes of an answer to a track and its files, for a thousand and a
//! million fixes: `cargo bench --bench track`. Ten million where there is time:
//! `DRIFTLINE_BENCH_MOST=10000000`.

use std::hint::black_box;
use std::sync::OnceLock;

use divan::Bencher;
use driftline::export::{Format, Subject, write};
use driftline::geo::geodesic;
use driftline::track::{Platform, Records, Track, TrackOptions, Transmission};

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

/// An answer with so many records: a drifter's, ten seconds apart.
fn body(fixes: usize) -> &'static [u8] {
    static BODIES: [OnceLock<Vec<u8>>; 3] = [const { OnceLock::new() }; 3];
    let place = [1_000, 1_000_000, 10_000_000]
        .iter()
        .position(|size| *size == fixes);
    BODIES[place.unwrap_or(0)].get_or_init(|| {
        let mut body = String::with_capacity(fixes * 70);
        for n in 0..fixes {
            #[allow(clippy::cast_precision_loss)] // far below 2^53
            let along = n as f64;
            body.push(if n == 0 { '[' } else { ',' });
            body.push_str(&format!(
                r#"{{"time_stamp":{},"latitude":{:.6},"longitude":{:.6}}}"#,
                1_700_000_000 + 10 * n,
                70.0 + 0.4 * (along * 1e-4).sin() + 1e-5 * (along * 0.7).sin(),
                5.0 + 1e-6 * along + 2e-5 * (along * 0.9).cos(),
            ));
        }
        body.push(']');
        body.into_bytes()
    })
}

fn records(fixes: usize) -> Records {
    driftline::api::records::parse(body(fixes)).unwrap_or_default()
}

fn track(fixes: usize) -> Track {
    Track::assemble(records(fixes), &TrackOptions::new(Platform::Drifter, 1e11))
}

#[divan::bench(args = sizes(), sample_count = 10)]
fn parse(bencher: Bencher<'_, '_>, fixes: usize) {
    let body = body(fixes);
    bencher.bench_local(|| driftline::api::records::parse(black_box(body)));
}

/// The same as it arrives, in pieces as large as a connection gives.
#[divan::bench(args = sizes(), sample_count = 10)]
fn parse_arriving(bencher: Bencher<'_, '_>, fixes: usize) {
    let body = body(fixes);
    bencher.bench_local(|| driftline::api::stream::read_in_pieces(black_box(body), 64 << 10));
}

/// Sort, fold, flags with the speed check, legs, summary.
#[divan::bench(args = sizes(), sample_count = 10)]
fn assemble(bencher: Bencher<'_, '_>, fixes: usize) {
    bencher
        .with_inputs(|| records(fixes))
        .bench_local_values(|records| {
            Track::assemble(records, &TrackOptions::new(Platform::Drifter, 1e11))
        });
}

/// The same for a platform without a rule of its own for fast legs.
#[divan::bench(args = sizes(), sample_count = 10)]
fn assemble_generic(bencher: Bencher<'_, '_>, fixes: usize) {
    bencher
        .with_inputs(|| records(fixes))
        .bench_local_values(|records| {
            Track::assemble(records, &TrackOptions::new(Platform::Generic, 1e11))
        });
}

/// A million fixes that no test likes: none of them may look at every pair.
#[divan::bench(args = ["outliers", "one place", "two places", "anywhere", "one time", "spikes"], sample_count = 3)]
fn assemble_worst(bencher: Bencher<'_, '_>, name: &str) {
    let position = |n: u32| match name {
        "one place" => (60.0, 5.0),
        // A drifter's with one fix in a hundred 50 km off.
        "outliers" => (
            60.0 + 1e-5 * f64::from(n % 100_000),
            5.0 + if n % 100 == 7 { 0.9 } else { 0.0 },
        ),
        // A thousand kilometres apart.
        "two places" => (60.0 + 9.0 * f64::from(n % 2), 5.0),
        "one time" => (f64::from(n % 1000) / 12.0, 0.1 + f64::from(n / 1000) / 6.0),
        // Two kilometres apart, a quarter of an hour between.
        "spikes" => (60.0 + 0.02 * f64::from(n % 2), 5.0),
        _ => (
            f64::from(n % 120 * 79 % 120) - 60.0,
            f64::from(n % 360 * 97 % 360) - 180.0,
        ),
    };
    let seconds = |n: u32| match name {
        "one time" => 0.0,
        "spikes" => 900.0 * f64::from(n),
        _ => 10.0 * f64::from(n),
    };
    let transmissions: Vec<_> = (0..1_000_000)
        .filter_map(|n| {
            let (latitude, longitude) = position(n);
            Transmission::new(seconds(n), latitude, longitude).ok()
        })
        .collect();
    let records = Records {
        transmissions,
        ..Records::default()
    };
    bencher.bench_local(|| Track::of(&records, &TrackOptions::new(Platform::Drifter, 1e11)));
}

/// The geodesics alone, on every core.
#[divan::bench(args = sizes(), sample_count = 10)]
fn legs(bencher: Bencher<'_, '_>, fixes: usize) {
    let positions: Vec<_> = track(fixes).fixes().map(|fix| fix.position).collect();
    bencher.bench_local(|| geodesic::legs(black_box(&positions)));
}

#[divan::bench(args = ["csv", "json", "ndjson", "geojson", "gpx", "kml", "netcdf"], sample_count = 3)]
fn write_a_hundred_thousand(bencher: Bencher<'_, '_>, name: &str) {
    let mut records = records(1_000_000);
    records.transmissions.truncate(100_000);
    let track = Track::assemble(records, &TrackOptions::new(Platform::Drifter, 1e11));
    let subject = Subject {
        deployment: "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa",
        label: None,
        fetched_at: 1.8e9,
        now: 1.8e9,
    };
    let format: Format = name.parse().unwrap_or(Format::Csv);
    bencher.bench_local(|| write(format, &subject, &track, &mut std::io::sink()).is_ok());
}
