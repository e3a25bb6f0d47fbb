//! From the bytes of a response to a track and its files.

use std::hint::black_box;

use crate::formats::{Format, Subject, write as write_track};
use crate::service::answer;
use crate::track::{Platform, Records, Track, TrackOptions, Transmission};

/// A response with `fixes` records of a drifter, ten seconds apart.
pub fn body(fixes: usize) -> Vec<u8> {
    let mut body = String::with_capacity(fixes * 70);
    for n in 0..fixes {
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
}

fn records(body: &[u8]) -> Records {
    answer::parse(body, 64 << 10).unwrap_or_default()
}

fn options() -> TrackOptions {
    TrackOptions::new(Platform::Drifter, 1e11)
}

/// Parses a body in chunks, as a connection delivers them.
pub fn parse(body: &[u8]) -> impl FnMut() -> usize {
    move || records(black_box(body)).transmissions.len()
}

/// Sorts, removes duplicates, and runs quality control.
pub fn assemble(body: &[u8]) -> impl FnMut() -> usize {
    let records = records(body);
    move || Track::new(black_box(&records), &options()).len()
}

/// The same for a platform without a rule of its own for fast legs.
pub fn assemble_generic(body: &[u8]) -> impl FnMut() -> usize {
    let records = records(body);
    let options = TrackOptions::new(Platform::Generic, 1e11);
    move || Track::new(black_box(&records), &options).len()
}

/// A million fixes that the quality tests find fault with, by the name of the
/// case.
pub fn assemble_worst(case: &str) -> impl FnMut() -> usize {
    let position = |n: u32| match case {
        "one place" => (60.0, 5.0),
        // A drifter's, with one fix in a hundred 50 km off.
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
    let seconds = |n: u32| match case {
        "one time" => 0.0,
        "spikes" => 900.0 * f64::from(n),
        _ => 10.0 * f64::from(n),
    };
    let transmissions = (0..1_000_000)
        .filter_map(|n| {
            let (latitude, longitude) = position(n);
            Transmission::new(seconds(n), latitude, longitude).ok()
        })
        .collect();
    let records = Records {
        transmissions,
        ..Records::default()
    };
    move || Track::new(black_box(&records), &options()).len()
}

/// Exports the first `fixes` fixes of a body in a format.
pub fn write(body: &[u8], fixes: usize, format: &str) -> impl FnMut() -> bool {
    let mut records = records(body);
    records.transmissions.truncate(fixes);
    let track = Track::new(&records, &options());
    let format: Format = format.parse().unwrap_or(Format::Csv);
    move || {
        let subject = Subject {
            deployment: "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa",
            label: None,
            fetched_at: 1.8e9,
            now: 1.8e9,
            notation: Default::default(),
        };
        write_track(format, &subject, &track, &mut std::io::sink()).is_ok()
    }
}
