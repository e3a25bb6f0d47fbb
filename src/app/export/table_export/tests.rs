//! The table in a folder: what is new is written, what is not keeps its bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use uuid::Uuid;

use super::*;
use crate::app::store::Store;
use crate::failure::FailureKind;
use crate::testing::track::records;
use crate::track::{Platform, TrackOptions};
use crate::watch::Answer;

const JANUARY: f64 = 1_767_225_600.0;
const DAY: f64 = 86_400.0;

/// An archive and a folder for the table.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn archive(&self) -> PathBuf {
        self.folder.path().join("archive.db")
    }

    fn table(&self) -> PathBuf {
        self.folder.path().join("table")
    }

    /// Stores the fixes that a response has: of these days since the beginning of
    /// January 2026.
    fn store(&self, uuid: u128, days: &[f64]) {
        let fixes = days
            .iter()
            .map(|day| (JANUARY + day * DAY, 60.0, *day * 0.1));
        let answer = Answer {
            records: Arc::new(records(fixes)),
            ..Answer::new(200, "http://127.0.0.1:1", 1.8e9)
        };
        let mut archive = Archive::open(&self.archive()).unwrap();
        archive.ingest(Uuid::from_u128(uuid), &answer).unwrap();
    }

    async fn export(&self) -> Result<TableReport, Failure> {
        let store = Store::at(self.archive());
        let options = |_: &Deployment| TrackOptions::new(Platform::Generic, 1.8e9);
        export_table(&store, &self.table(), 1.8e9, options, |_| {}).await
    }

    /// The files of the table by their path in it.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let files = files_of_table(&self.table()).unwrap();
        files
            .into_iter()
            .map(|path| {
                let inside = path.strip_prefix(self.table()).unwrap();
                (inside.display().to_string(), fs::read(&path).unwrap())
            })
            .collect()
    }
}

#[tokio::test]
async fn a_second_export_without_news_changes_no_byte_and_one_with_news_writes_it_alone() {
    let place = Place::new();
    place.store(1, &[0.0, 1.0, 30.0, 40.0, 41.0]);
    place.store(2, &[0.5, 41.0]);
    let first = place.export().await.unwrap();
    assert_eq!((first.deployments, first.rows), (2, 7));
    assert_eq!((first.files, first.written), (4, 4));
    let before = place.files();
    let names: Vec<&str> = before.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "month=2026-01/part-0001.parquet",
            "month=2026-01/part-0002.parquet",
            "month=2026-02/part-0001.parquet",
            "month=2026-02/part-0002.parquet",
        ]
    );
    let second = place.export().await.unwrap();
    assert_eq!((second.files, second.written), (4, 0));
    assert_eq!(place.files(), before);
    // A later fix of one, and another deployment that no one had before.
    place.store(2, &[0.5, 41.0, 42.0]);
    place.store(3, &[50.0]);
    let third = place.export().await.unwrap();
    assert_eq!((third.files, third.written, third.rows), (5, 2, 9));
    let after = place.files();
    for (name, bytes) in &before {
        let is_new = name == "month=2026-02/part-0002.parquet";
        assert_eq!(after[name] != *bytes, is_new, "{name}");
    }
}

#[tokio::test]
async fn a_folder_with_something_else_is_refused_and_left_as_it_is() {
    for name in [
        "notes.txt",
        "deployment=7/track.parquet",
        "month=2026-01/notes.txt",
        "month=2026-01/part-1.parquet",
    ] {
        let place = Place::new();
        place.store(1, &[0.0]);
        let other = place.table().join(name);
        fs::create_dir_all(other.parent().unwrap()).unwrap();
        fs::write(&other, b"mine").unwrap();
        let failure = place.export().await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Usage, "{name}");
        assert!(
            failure.message().contains("no file of a table"),
            "{failure}"
        );
        assert_eq!(fs::read(&other).unwrap(), b"mine");
    }
    // What readers leave out is not the export's business.
    let place = Place::new();
    place.store(1, &[0.0]);
    fs::create_dir_all(place.table()).unwrap();
    fs::write(place.table().join("_SUCCESS"), b"").unwrap();
    assert_eq!(place.export().await.unwrap().written, 1);
}

#[tokio::test]
async fn another_archive_does_not_take_the_place_of_a_table() {
    let place = Place::new();
    place.store(1, &[0.0, 1.0]);
    place.store(2, &[0.0]);
    place.export().await.unwrap();
    let before = place.files();
    fs::remove_file(place.archive()).unwrap();
    // One without anything is more likely a mistyped path.
    assert_eq!(place.export().await.unwrap().files, 0);
    assert_eq!(place.files(), before);
    // The first is the same, and has news: alone, and next to another than the second.
    place.store(1, &[0.0, 1.0, 70.0]);
    let failure = place.export().await.unwrap_err();
    assert!(failure.message().contains("another archive"), "{failure}");
    assert_eq!(place.files(), before);
    place.store(3, &[0.0]);
    let failure = place.export().await.unwrap_err();
    assert!(failure.message().contains("another archive"), "{failure}");
    assert_eq!(place.files(), before);
}

#[tokio::test]
async fn a_file_of_fixes_that_the_archive_no_longer_has_is_removed() {
    let place = Place::new();
    place.store(1, &[0.0, 40.0]);
    place.export().await.unwrap();
    let part = place.table().join("month=2026-03/part-0001.parquet");
    fs::create_dir_all(part.parent().unwrap()).unwrap();
    fs::copy(place.table().join("month=2026-02/part-0001.parquet"), &part).unwrap();
    let report = place.export().await.unwrap();
    assert_eq!((report.written, report.removed), (0, 1));
    assert!(!part.exists());
}

#[test]
fn a_month_is_that_of_the_calendar() {
    use crate::track::time::{CALENDAR, rfc3339};
    let mut time = CALENDAR.0;
    while time < CALENDAR.1 {
        let (name, end) = month(time);
        assert_eq!(name, rfc3339(time)[..7], "{time}");
        assert!(end > time && month(end - 1.0).0 == name, "{time}");
        time += 1_400_000.5 * if time < 0.0 { 40.0 } else { 7.0 };
    }
    assert_eq!(month(-0.5).0, "1969-12");
    assert_eq!(month(951_782_400.0).0, "2000-02");
}
