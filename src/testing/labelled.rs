//! Tracks of others that carry labels; `tests/data/labelled` says where they are from.

use std::io::Read;

use crate::track::{Platform, TrackOptions, Transmission};

/// A track with labels.
pub(crate) struct Labelled {
    pub name: String,
    pub platform: Platform,
    pub options: TrackOptions,
    pub fixes: Vec<Transmission>,
    pub bad: Vec<bool>,
    pub length_m: f64,
}

/// After every time in the data.
pub(crate) const LATER: f64 = 1_790_000_000.0;

const MANIFEST: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/labelled/manifest.csv"
));
const FIXES: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/labelled/fixes.csv.gz"
));

/// All of them, in the order of the manifest.
pub(crate) fn labelled() -> Vec<Labelled> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(FIXES)
        .read_to_string(&mut text)
        .unwrap();
    let mut all: Vec<Vec<[f64; 4]>> = Vec::new();
    for line in text.lines().skip(1) {
        let (track, values) = line.split_once(',').unwrap();
        let values: Vec<f64> = values.split(',').map(|v| v.parse().unwrap()).collect();
        let track: usize = track.parse().unwrap();
        if track == all.len() {
            all.push(Vec::new());
        }
        all[track].push(values.try_into().unwrap());
    }
    let mut manifest = csv::Reader::from_reader(MANIFEST.as_bytes());
    manifest
        .records()
        .zip(all)
        .map(|(row, mut rows)| {
            let row = row.unwrap();
            let platform: Platform = row[1].parse().unwrap();
            let mut options = TrackOptions::new(platform, LATER);
            options.max_speed_m_s = row[2].parse().ok();
            rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
            // Exact repeats are folded before any test.
            let mut fixes: Vec<Transmission> = Vec::new();
            let mut bad = Vec::new();
            for [time, latitude, longitude, label] in rows {
                let fix = Transmission::new(time, latitude, longitude).unwrap();
                let same = fixes.iter().rev().take_while(|one| one.time_stamp == time);
                if same
                    .into_iter()
                    .any(|one| one.position.same_point(fix.position))
                {
                    continue;
                }
                fixes.push(fix);
                bad.push(label == 1.0);
            }
            Labelled {
                name: row[0].to_owned(),
                platform,
                options,
                fixes,
                bad,
                length_m: row[5].parse().unwrap(),
            }
        })
        .collect()
}
