//! Exports into a folder: each record once, whatever happened before.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use uuid::Uuid;

use super::super::partition::slot;
use super::*;
use crate::formats::table_file::{TableFile, TableRow};
use crate::testing::track::records;
use crate::track::{Answer, Flag, Transmission};

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

    fn archive(&self) -> Archive {
        Archive::open(&self.folder.path().join("archive.db")).unwrap()
    }

    fn table(&self) -> PathBuf {
        self.folder.path().join("table")
    }

    fn store(&self) -> TableStore {
        let address = format!("file://{}", self.table().display());
        let address = TableAddress::parse(&address).unwrap();
        TableStore::open(address, Duration::from_secs(5)).unwrap()
    }

    /// Stores fixes of these days since the beginning of January 2026.
    fn stored(&self, uuid: u128, days: &[f64]) {
        let fixes = days.iter().map(|day| (JANUARY + day * DAY, 60.0, *day));
        let answer = Answer {
            records: Arc::new(records(fixes)),
            ..Answer::new(200, "http://127.0.0.1:1", 1.8e9)
        };
        let mut archive = self.archive();
        archive.ingest(Uuid::from_u128(uuid), &answer).unwrap();
    }

    async fn exported(&self) -> Result<TableReport, Failure> {
        let now = JANUARY + 100.0 * DAY;
        let (archive, store) = (self.archive(), self.store());
        let done = export(archive, &store, now, |_| {}, &Stop::default()).await;
        done.map(Option::unwrap)
    }

    /// The files of the table, in order.
    fn files(&self) -> Vec<PathBuf> {
        fn below(folder: &Path, found: &mut Vec<PathBuf>) {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                match path.is_dir() {
                    true => below(&path, found),
                    false => found.push(path),
                }
            }
        }
        let mut found = Vec::new();
        below(&self.table(), &mut found);
        found.retain(|path| path.extension().is_some_and(|one| one == "parquet"));
        found.sort();
        found
    }

    /// Deployment, day and flag of each row of all files, in order.
    fn rows(&self) -> Vec<(String, f64, Option<i32>)> {
        let mut rows = Vec::new();
        for path in self.files() {
            let file = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
            for row in file.get_row_iter(None).unwrap() {
                let mut of = (String::new(), 0.0, None);
                for (name, value) in row.unwrap().get_column_iter() {
                    match (name.as_str(), value) {
                        ("deployment", Field::Str(text)) => of.0.clone_from(text),
                        ("time_stamp", Field::Double(time)) => of.1 = (time - JANUARY) / DAY,
                        ("qc_override", Field::Int(flag)) => of.2 = Some(*flag),
                        _ => {}
                    }
                }
                rows.push(of);
            }
        }
        rows.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        rows
    }

    /// The days of a deployment's rows.
    fn days(&self, uuid: u128) -> Vec<f64> {
        let name = Uuid::from_u128(uuid).to_string();
        let rows = self.rows().into_iter().filter(|row| row.0 == name);
        rows.map(|row| row.1).collect()
    }
}

#[tokio::test]
async fn an_export_writes_what_is_new_and_has_each_record_once() {
    let place = Place::new();
    place.stored(1, &[0.0, 1.0, 40.0]);
    place.stored(2, &[0.5, 41.0]);
    let report = place.exported().await.unwrap();
    assert_eq!((report.written, report.files, report.rows), (2, 2, 5));
    assert_eq!(place.days(1), [0.0, 1.0, 40.0]);
    let unchanged = place.exported().await.unwrap();
    assert_eq!((unchanged.written, unchanged.rows), (0, 5));
    // One at the end, one that came late, one of another deployment.
    place.stored(1, &[39.0, 42.0]);
    place.stored(3, &[43.0]);
    let report = place.exported().await.unwrap();
    assert_eq!((report.written, report.files, report.rows), (1, 2, 8));
    assert_eq!(place.days(1), [0.0, 1.0, 39.0, 40.0, 42.0]);
    assert_eq!(place.rows().len(), 8);
    let at = Transmission {
        time_stamp: JANUARY + 40.0 * DAY,
        position: crate::geo::Position {
            latitude: 60.0,
            longitude: 40.0,
        },
    };
    let mut archive = place.archive();
    let of = Uuid::from_u128(1);
    archive
        .set_override(of, at, Some(Flag::Fail), 1.8e9)
        .unwrap();
    drop(archive);
    assert_eq!(place.exported().await.unwrap().written, 1);
    let flagged: Vec<f64> = (place.rows().iter())
        .filter(|row| row.2 == Some(4))
        .map(|row| row.1)
        .collect();
    assert_eq!(flagged, [40.0]);
}

#[tokio::test]
async fn after_a_failure_in_the_middle_the_next_export_does_the_rest() {
    let place = Place::new();
    place.stored(1, &[0.0, 40.0, 70.0]);
    // A folder in the place of a file of the second month.
    let in_the_way = place
        .table()
        .join("month=2026-02/bucket=00/records.parquet");
    std::fs::create_dir_all(in_the_way.join("_x")).unwrap();
    let failure = place.exported().await.unwrap_err();
    assert!(failure.message().contains("month=2026-02"), "{failure}");
    assert_eq!(failure.kind, FailureKind::Other);
    assert_eq!(place.days(1), [0.0]);
    std::fs::remove_dir_all(&in_the_way).unwrap();
    place.stored(1, &[0.5, 41.0]);
    let report = place.exported().await.unwrap();
    assert_eq!((report.written, report.rows), (3, 5));
    assert_eq!(place.days(1), [0.0, 0.5, 40.0, 41.0, 70.0]);
    // A file that was removed since is written again.
    std::fs::remove_file(&place.files()[0]).unwrap();
    assert_eq!(place.exported().await.unwrap().written, 1);
    assert_eq!(place.days(1), [0.0, 0.5, 40.0, 41.0, 70.0]);
}

#[tokio::test]
async fn a_folder_with_something_else_is_refused_and_left_as_it_is() {
    for (name, hint) in [
        ("deployment=7/track.parquet", "empty prefix"),
        ("month=2026-01/bucket=00/records.parquet", "empty prefix"),
        ("notes.txt", "empty prefix"),
    ] {
        let place = Place::new();
        place.stored(1, &[0.0]);
        let other = place.table().join(name);
        std::fs::create_dir_all(other.parent().unwrap()).unwrap();
        std::fs::write(&other, b"mine").unwrap();
        let failure = place.exported().await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Usage);
        assert!(failure.message().contains(name), "{failure}");
        assert!(failure.hint.contains(hint), "{failure}");
        assert_eq!(std::fs::read(&other).unwrap(), b"mine");
        assert_eq!(std::fs::read_dir(place.table()).unwrap().count(), 1);
    }
    // Beside a table as well; what readers leave out does not matter.
    let place = Place::new();
    place.stored(1, &[0.0]);
    place.exported().await.unwrap();
    std::fs::write(place.table().join("_SUCCESS"), b"").unwrap();
    assert_eq!(place.exported().await.unwrap().written, 0);
    let foreign = place.table().join("month=2026-01/bucket=01");
    std::fs::create_dir_all(&foreign).unwrap();
    std::fs::write(foreign.join("records.parquet"), b"mine").unwrap();
    let failure = place.exported().await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage, "{failure}");
}

#[tokio::test]
async fn another_archive_does_not_take_the_place_of_a_table() {
    let place = Place::new();
    place.stored(1, &[0.0, 1.0]);
    place.exported().await.unwrap();
    let before = std::fs::read(&place.files()[0]).unwrap();
    std::fs::remove_file(place.folder.path().join("archive.db")).unwrap();
    place.stored(1, &[0.0]);
    let failure = place.exported().await.unwrap_err();
    assert!(failure.message().contains("another archive"), "{failure}");
    assert_eq!(std::fs::read(&place.files()[0]).unwrap(), before);
    // One with another deployment alone.
    std::fs::remove_file(place.folder.path().join("archive.db")).unwrap();
    place.stored(2, &[40.0]);
    let failure = place.exported().await.unwrap_err();
    assert!(failure.message().contains("another archive"), "{failure}");
    assert_eq!(place.files().len(), 1);
}

#[tokio::test]
async fn two_exports_at_once_write_the_same_table() {
    let place = Place::new();
    place.stored(1, &[0.0, 40.0]);
    place.stored(2, &[0.5, 41.0]);
    let (one, other) = tokio::join!(place.exported(), place.exported());
    assert_eq!((one.unwrap().rows, other.unwrap().rows), (4, 4));
    assert_eq!(
        (place.days(1), place.days(2)),
        (vec![0.0, 40.0], vec![0.5, 41.0])
    );
    assert_eq!(place.exported().await.unwrap().written, 0);
}

#[tokio::test]
async fn a_month_stays_divided_as_it_was_first() {
    let place = Place::new();
    place.stored(1, &[0.0]);
    // One that belongs to another of two files.
    let bucket = |number| slot(Uuid::from_u128(number)) % 2;
    let other = (2..).find(|number| bucket(*number) != bucket(1)).unwrap();
    place.stored(other, &[0.5, 40.0]);
    place.exported().await.unwrap();
    // As an export of many records would have left it after one of two files.
    let of_two = TableFileState {
        rows: 1,
        buckets: 2,
        basis: 0,
    };
    let january = Partition::read("month=2026-01/bucket=00/records.parquet").unwrap();
    let file = place.table().join(january.to_string());
    let mut written = TableFile::new(Vec::new()).unwrap();
    written.deployment("x", None);
    std::fs::write(&file, {
        written = of_a_row(written);
        written.finish(&of_two).unwrap()
    })
    .unwrap();
    place.exported().await.unwrap();
    let names: Vec<String> = (place.files().iter())
        .map(|path| {
            path.strip_prefix(place.table())
                .unwrap()
                .display()
                .to_string()
        })
        .collect();
    let expected = [0, 1].map(|bucket| format!("month=2026-01/bucket=0{bucket}/records.parquet"));
    assert_eq!(names[..2], expected);
    assert_eq!(
        (place.days(1), place.days(other)),
        (vec![0.0], vec![0.5, 40.0])
    );
}

fn of_a_row(mut file: TableFile<Vec<u8>>) -> TableFile<Vec<u8>> {
    let position = crate::geo::Position {
        latitude: 60.0,
        longitude: 5.0,
    };
    file.push(TableRow {
        time_stamp: JANUARY,
        position,
        received_by: None,
        flag: None,
        fields: None,
    })
    .unwrap();
    file
}

#[tokio::test]
async fn a_large_file_goes_in_parts_and_is_whole_or_not_there() {
    let place = Place::new();
    let store = place.store();
    let body: Vec<u8> = (0..20_000_000u32).map(|n| n.to_le_bytes()[1]).collect();
    let file = || {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &body).unwrap();
        std::fs::File::open(file.path()).unwrap()
    };
    let size = body.len() as u64;
    store.upload("a/large", file(), size).await.unwrap();
    assert!(std::fs::read(place.table().join("a/large")).unwrap() == body);
    assert_eq!(store.list().await.unwrap().len(), 1);
    // Ended in the middle, nothing is left.
    let stopped = tokio::time::timeout(Duration::ZERO, store.upload("a/next", file(), size));
    assert!(stopped.await.is_err());
    store.give_up().await;
    assert_eq!(store.list().await.unwrap().len(), 1);
    assert_eq!(
        std::fs::read_dir(place.table().join("a")).unwrap().count(),
        1
    );
}

#[test]
fn months_are_divided_by_what_they_hold_and_the_current_one_by_the_largest() {
    let month = |text: &str| {
        let path = format!("month={text}/bucket=00/records.parquet");
        Partition::read(&path).unwrap().month
    };
    let records = [("2025-12", 10_000), ("2026-01", 16_000_000), ("2026-02", 5)];
    let mut records: BTreeMap<Month, u64> = records.map(|(name, rows)| (month(name), rows)).into();
    let mut table = Table {
        files: BTreeMap::new(),
        bytes: 0,
    };
    let now = month("2026-02").range().start + DAY;
    let expected = [("2025-12", 1), ("2026-01", 4), ("2026-02", 4)];
    let expected = expected
        .map(|(name, buckets)| (month(name), buckets))
        .into();
    assert_eq!(table.divide(&records, now), expected);
    // Once chosen it stays, whatever comes.
    for (month, buckets) in &expected {
        let state = TableFileState {
            rows: 1,
            buckets: *buckets,
            basis: 0,
        };
        table
            .files
            .insert(Partition::of(*month, 0, *buckets), state);
    }
    records.insert(month("2025-12"), 90_000_000);
    assert_eq!(table.divide(&records, now), expected);
}
