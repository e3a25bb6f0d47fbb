//! Fields from an answer to the archive and to every file.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use strum::VariantArray;
use uuid::Uuid;

use super::*;
use crate::archive::Archive;
use crate::failure::FailureKind;
use crate::service::answer::parse;
use crate::track::{Platform, Records, TrackOptions};
use crate::watch::{Answer, Deployment};

const DEPLOYMENT: Uuid = Uuid::from_u128(7);

/// The files of records by format, those that have fields.
fn files(records: &Records) -> BTreeMap<&'static str, Vec<u8>> {
    let track = Track::new(records, &TrackOptions::new(Platform::Generic, 2e9));
    written(&track)
}

fn written(track: &Track) -> BTreeMap<&'static str, Vec<u8>> {
    let subject = Subject {
        deployment: &DEPLOYMENT.to_string(),
        label: None,
        fetched_at: 1.8e9,
        now: 1.8e9,
        notation: Default::default(),
    };
    // The attributes of kml come in any order.
    let formats = Format::VARIANTS
        .iter()
        .filter(|format| format.is_built() && **format != Format::Kml);
    formats
        .map(|format| {
            let mut out = Vec::new();
            formats::write(*format, &subject, track, &mut out).unwrap();
            (format.name(), out)
        })
        .collect()
}

/// Records that were stored and are read from the archive.
fn stored(records: &Records) -> Records {
    let mut archive = Archive::in_memory().unwrap();
    let answer = Answer {
        records: Arc::new(records.clone()),
        ..Answer::new(200, "http://127.0.0.1:1", 1.8e9)
    };
    archive.ingest(DEPLOYMENT, &answer).unwrap();
    let stored = archive.stored_with_fields(DEPLOYMENT).unwrap().unwrap();
    stored.records
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("a number", |one| one.is_finite().then(|| json!(one))),
        (-9999i32..9999).prop_map(|n| json!(f64::from(n) / 100.0)),
        any::<String>().prop_map(Value::from),
        prop::collection::vec(any::<u8>(), 0..4).prop_map(Value::from),
        Just(json!({"a": [1, {"b": null}]})),
    ]
}

/// Records of every type: fields come late, go, and change their type.
fn any_records() -> impl Strategy<Value = Vec<serde_json::Map<String, Value>>> {
    let name = prop_oneof![
        prop::sample::select(vec![
            "a", "b", "t_0", "t_1", "time", "qc_flag", "=x", "geometry"
        ])
        .prop_map(str::to_owned),
        any::<String>().prop_filter("no number of a record", |name| !matches!(
            name.as_str(),
            "time_stamp" | "latitude" | "longitude"
        )),
    ];
    let fields = prop::collection::btree_map(name, any_value(), 0..6);
    prop::collection::vec(fields, 0..12).prop_map(|records| {
        let record = |(number, fields): (usize, BTreeMap<String, Value>)| {
            let mut record: serde_json::Map<String, Value> = fields.into_iter().collect();
            record.insert("time_stamp".to_owned(), json!(600 * (number % 9)));
            record.insert(
                "latitude".to_owned(),
                json!(60.0005 + 0.001 * number as f64),
            );
            record.insert("longitude".to_owned(), json!(5));
            record
        };
        records.into_iter().enumerate().map(record).collect()
    })
}

/// The value in a file for a value of the service.
fn expected(value: &Value) -> Value {
    match value {
        Value::Array(_) | Value::Object(_) => Value::from(value.to_string()),
        Value::Number(number) => match number.as_f64() {
            // A whole number has no decimals, and nought no sign.
            Some(one) if one.fract() == 0.0 && one.abs() < 9e15 => json!(one as i64),
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn fields_go_from_the_answer_through_the_archive_to_each_file_unchanged(
        sent in any_records(), size in 1usize..400
    ) {
        let body = serde_json::to_vec(&sent).unwrap();
        let records = parse(&body, size).unwrap();
        prop_assert_eq!(records.transmissions.len(), sent.len());
        let (online, offline) = (files(&records), files(&stored(&records)));
        for (format, bytes) in &online {
            prop_assert!(bytes == &offline[format], "{}", format);
        }
        let lines = std::str::from_utf8(&online["ndjson"]).unwrap();
        let fixes: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        prop_assert_eq!(fixes.len(), sent.len());
        for record in sent {
            let fix = fixes.iter().find(|fix| fix["latitude"] == record["latitude"]).unwrap();
            let theirs = record.iter().filter(|(name, _)| {
                !matches!(name.as_str(), "time_stamp" | "latitude" | "longitude")
            });
            let theirs: BTreeMap<_, _> = theirs.map(|(name, value)| (name.clone(), expected(value))).collect();
            let kept: BTreeMap<String, Value> = match fix.get("fields") {
                Some(fields) => serde_json::from_value(fields.clone()).unwrap(),
                None => BTreeMap::new(),
            };
            prop_assert!(kept.keys().eq(theirs.keys()), "{:?} {:?}", kept, theirs);
            for (kept, theirs) in kept.values().zip(theirs.values()) {
                // The reader of the test is not exact to the last bit.
                let near = |a: f64, b: f64| (a - b).abs() <= 1e-15 * b.abs();
                let both = kept.as_f64().zip(theirs.as_f64());
                let same = both.is_some_and(|(a, b)| near(a, b)) || kept == theirs;
                prop_assert!(same, "{} {}", kept, theirs);
            }
        }
    }
}

const PLAIN: &str = r#"[{"time_stamp":0,"latitude":1,"longitude":2},{"time_stamp":600,"latitude":1.001,"longitude":2}]"#;

#[test]
fn a_track_without_fields_gives_the_files_it_gave_before() {
    let plain = files(&parse(PLAIN.as_bytes(), 99).unwrap());
    let csv = String::from_utf8(plain["csv"].clone()).unwrap();
    assert!(csv.starts_with("time,time_stamp,latitude,longitude,distance_m,speed_m_s,course_deg,gap_s,qc_flag,qc_reason\n"));
    for format in ["json", "ndjson", "geojson"] {
        assert!(!String::from_utf8_lossy(&plain[format]).contains("fields"));
    }
    // With fields that are not picked it is the same to the byte.
    let body = PLAIN.replace("\"latitude\"", r#""x":1,"y":"z","latitude""#);
    let records = parse(body.as_bytes(), 99).unwrap();
    let track = Track::new(&records, &TrackOptions::new(Platform::Generic, 2e9));
    assert!(written(&track)["csv"] != plain["csv"]);
    let none = track.with_chosen_fields(&"none".parse().unwrap());
    assert!(written(&none) == plain);
    for format in ["gpx", "table"] {
        assert!(written(&track)[format] == plain[format], "{format}");
    }
}

#[test]
fn a_table_has_the_fields_in_their_order_and_makes_texts_harmless() {
    let body = r#"[
        {"time_stamp":0,"latitude":1,"longitude":2,"b":1.50,"time":"x","=a":"=1+1"},
        {"time_stamp":600,"latitude":1,"longitude":2,"b":null,"late":"a,\"b\"\n","c\u001b":"\u001b[2J\u009b"},
        {"time_stamp":1200,"latitude":1,"longitude":2,"b":-7,"late":true,"time":"","field_time":[1, 2]}]"#;
    let files = files(&parse(body.as_bytes(), 4096).unwrap());
    let csv = String::from_utf8(files["csv"].clone()).unwrap();
    let cells: Vec<&str> = csv
        .lines()
        .filter_map(|line| line.split_once(",qc_reason,").or(line.split_once(",1,,")))
        .map(|(_, cells)| cells)
        .collect();
    assert_eq!(
        cells.first(),
        Some(&r"b,field_field_time,'=a,late,c\u001b,field_time")
    );
    assert_eq!(cells.get(1), Some(&"1.5,x,'=1+1,,,"));
    assert!(
        csv.contains(",,,,\"a,\"\"b\"\"\n\",\\u001b[2J\\u009b,\n"),
        "{csv}"
    );
    assert!(csv.ends_with(",-7,\"\",,true,,\"[1, 2]\"\n"), "{csv}");
    for (format, bytes) in &files {
        if !["netcdf", "parquet"].contains(format) {
            assert!(!bytes.contains(&0x1b), "{format}");
        }
    }
}

#[tokio::test]
async fn a_track_that_was_opened_without_its_fields_is_exported_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().join("archive.db"));
    let body = PLAIN.replace("\"latitude\"", r#""battery":12.5,"latitude""#);
    let answer = Answer {
        records: Arc::new(parse(body.as_bytes(), 99).unwrap()),
        ..Answer::new(200, "http://127.0.0.1:1", 1.8e9)
    };
    let stored = store.write(move |archive| {
        archive.ingest(DEPLOYMENT, &answer)?;
        archive.stored(DEPLOYMENT)
    });
    let plain = stored.await.unwrap().unwrap();
    let options = TrackOptions::new(Platform::Generic, 2e9);
    let track = Arc::new(Track::new(&plain.records, &options));
    assert!(track.fields().is_empty());
    let own = OwnFiles::default();
    for (range, rows) in [(None, 3), (Some((500.0, 700.0)), 2)] {
        let path = folder.path().join("track.csv");
        let job = ExportJob {
            range,
            ..typed(&path, &track)
        };
        typed_path(&store, &own, job).await.unwrap();
        let csv = std::fs::read_to_string(path).unwrap();
        assert_eq!(csv.lines().count(), rows);
        assert!(csv.lines().next().unwrap().ends_with(",battery"));
        assert!(
            csv.lines().skip(1).all(|line| line.ends_with(",12.5")),
            "{csv}"
        );
    }
    // Where the fields cannot be read, no file without them is written.
    let path = folder.path().join("poorer.csv");
    let written = |store: Store| {
        let (own, job) = (OwnFiles::default(), typed(&path, &track));
        async move { typed_path(&store, &own, job).await }
    };
    let moved = folder.path().join("elsewhere.db");
    std::fs::rename(folder.path().join("archive.db"), &moved).unwrap();
    match written(store.clone()).await {
        Err(WriteError::Failed(failure)) => {
            assert!(failure.message().contains("fields"), "{failure:?}");
        }
        other => panic!("{other:?}"),
    }
    assert!(!path.exists());
    // A track without fields is exported where no archive was ever opened.
    written(Store::nowhere("HOME is unset")).await.unwrap();
    assert!(path.exists());
    std::fs::rename(&moved, folder.path().join("archive.db")).unwrap();
    // What is driftline's own is not replaced.
    let path = folder.path().join("track.csv");
    let archive = OwnFiles::archive_at(path.clone());
    let mut read = OwnFiles::default();
    read.add_read(vec![path.clone()]);
    for own in [archive, read] {
        let refused = typed_path(&store, &own, typed(&path, &track));
        match refused.await {
            Err(WriteError::Failed(failure)) => assert_eq!(failure.kind, FailureKind::Usage),
            other => panic!("{other:?}"),
        }
    }
}

/// A file that may be replaced, with the whole track.
fn typed(path: &Path, track: &Arc<Track>) -> ExportJob {
    ExportJob {
        track: Arc::new(PreparedTrack::new(Arc::clone(track))),
        format: FileFormat::Track(Format::Csv),
        style: Style {
            size: (400, 300),
            colour: crate::map::LineColour::By(crate::map::ColourBy::Time),
            units: crate::geo::Units::default(),
            overlays: Vec::new(),
        },
        path: path.display().to_string(),
        replace: true,
        deployment: Deployment::new(DEPLOYMENT),
        fetched_at: 1.8e9,
        now: 1.8e9,
        range: None,
        without_failed: false,
    }
}

#[tokio::test]
async fn fixes_that_failed_are_left_out_where_that_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let hourly = |n: u32| 1_790_000_000.0 + 3600.0 * f64::from(n);
    // The third is at 0, 0.
    let fixes = (0..5).map(|n| (hourly(n), if n == 2 { 0.0 } else { 50.0 }, 0.0));
    let track = crate::testing::track::track(crate::track::Platform::Drifter, 1.9e9, fixes);
    let track = Arc::new(track);
    let store = Store::nowhere("HOME is unset");
    let own = OwnFiles::archive_at(folder.path().join("archive.db"));
    for (without_failed, range, fixes) in [
        (false, None, 5),
        (true, None, 4),
        (true, Some((hourly(1), hourly(2))), 1),
    ] {
        for format in [
            FileFormat::Track(Format::Csv),
            FileFormat::Map(ImageFormat::Svg),
        ] {
            let job = ExportJob {
                without_failed,
                range,
                format,
                ..typed(&folder.path().join("file"), &track)
            };
            let written = typed_path(&store, &own, job).await.unwrap();
            assert_eq!(
                written.fixes, fixes,
                "{without_failed} {range:?} {format:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_picture_typed_in_the_dashboard_is_written_and_never_over_its_archive() {
    let folder = tempfile::tempdir().unwrap();
    let hourly = |n: u32| 1_790_000_000.0 + 3600.0 * f64::from(n);
    let fixes = (0..5).map(|n| (hourly(n), 50.0 + 0.01 * f64::from(n), -4.0));
    let track = crate::testing::track::track(crate::track::Platform::Drifter, 1.9e9, fixes);
    let track = Arc::new(track);
    let picture = |path: &Path, format| ExportJob {
        format: FileFormat::Map(format),
        ..typed(path, &track)
    };
    let store = Store::nowhere("HOME is unset");
    let own = OwnFiles::archive_at(folder.path().join("archive.db"));
    for (name, format, begins) in [
        ("map.svg", ImageFormat::Svg, b"<svg".as_slice()),
        ("map.png", ImageFormat::Png, b"\x89PNG".as_slice()),
    ] {
        let path = folder.path().join(name);
        let job = ExportJob {
            range: Some((hourly(1), hourly(3))),
            replace: false,
            ..picture(&path, format)
        };
        let drawn = typed_path(&store, &own, job);
        let WrittenFile { fixes, bytes, .. } = drawn.await.unwrap();
        let written = std::fs::read(&path).unwrap();
        assert_eq!((fixes, bytes), (3, written.len() as u64));
        assert!(written.starts_with(begins), "{name}");
    }
    let path = folder.path().join("archive.db");
    let refused = typed_path(&store, &own, picture(&path, ImageFormat::Png));
    assert!(matches!(refused.await, Err(WriteError::Failed(_))));
}

#[test]
fn different_ids_have_different_files() {
    let long = "x".repeat(110);
    let ids = [
        "a/b",
        "a_b",
        "a:b",
        ".a",
        "_.a",
        &long[..100],
        &long[..101],
        &long,
    ];
    let names = ids.map(safe_file_name);
    assert_eq!((names[1].as_str(), names[4].as_str()), ("a_b", "_.a"));
    for (index, name) in names.iter().enumerate() {
        assert!(!names[..index].contains(name), "{name}");
        assert!(!name.contains('/') && !name.starts_with('.'), "{name}");
    }
    assert_eq!(safe_file_name("a/b"), names[0]);
}
