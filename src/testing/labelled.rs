//! Third-party tracks with labels; `tests/data/labelled` says where they are from.

use std::io::Read;

use crate::track::{Platform, TrackOptions, Transmission};

/// A track with labels.
pub(crate) struct Labelled {
    pub name: String,
    pub platform: Platform,
    pub options: TrackOptions,
    pub fixes: Vec<Transmission>,
    pub bad: Vec<bool>,
    /// The classes of Argos locations, a fix each, or none.
    pub classes: Vec<String>,
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

/// The classes of the Argos locations among them, each with its track.
const CLASSES: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/labelled/classes.csv.gz"
));

/// The lines of a file below its header, each with the track that it is of.
fn lines(packed: &[u8]) -> Vec<(usize, String)> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed)
        .read_to_string(&mut text)
        .unwrap();
    let lines = text.lines().skip(1).map(|line| {
        let (track, rest) = line.split_once(',').unwrap();
        (track.parse().unwrap(), rest.to_owned())
    });
    lines.collect()
}

/// All of them, in the order of the manifest.
pub(crate) fn labelled() -> Vec<Labelled> {
    let mut classes = lines(CLASSES).into_iter().peekable();
    let mut all: Vec<Vec<([f64; 4], String)>> = Vec::new();
    for (track, values) in lines(FIXES) {
        let values: Vec<f64> = values.split(',').map(|v| v.parse().unwrap()).collect();
        if track == all.len() {
            all.push(Vec::new());
        }
        // As many, in the same order.
        let class = classes.next_if(|(of, _)| *of == track);
        let class = class.map_or_else(String::new, |(_, class)| class);
        all[track].push((values.try_into().unwrap(), class));
    }
    assert_eq!(classes.next(), None);
    let mut manifest = csv::Reader::from_reader(MANIFEST.as_bytes());
    manifest
        .records()
        .zip(all)
        .map(|(row, mut rows)| {
            let row = row.unwrap();
            let platform: Platform = row[1].parse().unwrap();
            let mut options = TrackOptions::new(platform, LATER);
            options.max_speed_m_s = row[2].parse().ok();
            rows.sort_by(|(a, _), (b, _)| a[0].total_cmp(&b[0]));
            // Exact repeats are folded before any test.
            let mut fixes: Vec<Transmission> = Vec::new();
            let (mut bad, mut classes) = (Vec::new(), Vec::new());
            for ([time, latitude, longitude, label], class) in rows {
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
                classes.push(class);
            }
            if classes.iter().all(String::is_empty) {
                classes.clear();
            }
            Labelled {
                name: row[0].to_owned(),
                platform,
                options,
                fixes,
                bad,
                classes,
                length_m: row[5].parse().unwrap(),
            }
        })
        .collect()
}
