//! A new archive, several writers, damaged files, files of other programs, and
//! read-only folders.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use uuid::Uuid;

use super::{Archive, ArchiveError, ArchiveLocation, BUSY};
use crate::plant::log::{Entry, Operation, Outcome, Reply};
use crate::testing;
use crate::track::Records;
use crate::watch::Answer;

#[cfg(feature = "postgres")]
impl Archive {
    /// A new archive on a server, where the tests run over that engine.
    pub(super) fn of_chosen_engine() -> Option<Result<Self, ArchiveError>> {
        let place = testing::postgres::chosen()?;
        Some(Self::open_at(&place, super::BUSY))
    }
}

fn records(from: u32, count: u32) -> Records {
    testing::track::records(
        (from..from + count)
            .map(f64::from)
            .map(|number| (number * 600.0, 80.0 + number * 1e-5, number * 1e-4)),
    )
}

pub(super) fn answer(records: &Records, received_at: f64) -> Answer {
    Answer {
        records: Arc::new(records.clone()),
        bytes: 9,
        ..Answer::new(200, "http://127.0.0.1:1", received_at)
    }
}

/// The answer at `at` to a request that `began` (both UNIX seconds), that nothing has changed.
pub(super) fn unchanged(at: f64, began: f64) -> Answer {
    Answer {
        took_s: at - began,
        ..Answer::new(304, "http://127.0.0.1:1", at)
    }
}

fn fresh() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    (folder, path)
}

#[test]
fn a_new_archive_is_private_and_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new").join("archive.db");
    let archive = Archive::open(&path).unwrap();
    assert!(archive.check().unwrap().is_empty());
    archive.vacuum().unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }
}

#[test]
fn what_is_no_archive_is_said_to_be_damaged_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let foreign =
        "this is a letter, not a database, and it is long enough to be read as one. ".repeat(40);
    std::fs::write(&path, &foreign).unwrap();
    assert!(matches!(
        Archive::open(&path),
        Err(ArchiveError::Damaged { .. })
    ));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign);
    assert!(matches!(
        Archive::open(folder.path()),
        Err(ArchiveError::Unopened { .. })
    ));
}

#[test]
fn one_of_a_newer_driftline_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    drop(Archive::open(&path).unwrap());
    Connection::open(&path)
        .unwrap()
        .execute_batch("PRAGMA user_version = 99")
        .unwrap();
    assert!(matches!(
        Archive::open(&path),
        Err(ArchiveError::Newer { found: 99, .. })
    ));
    assert!(matches!(
        Archive::open_existing(&path),
        Err(ArchiveError::Newer { .. })
    ));
}

#[test]
fn many_writers_that_start_at_once_lose_nothing() {
    let (_folder, path) = fresh();
    let (writers, rounds) = (8_u32, 12_u32);
    let start = std::sync::Barrier::new(writers as usize);
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let (path, start) = (&path, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..rounds {
                    // Each opens it again, as a command does.
                    let mut archive = Archive::open_within(path, Duration::from_secs(120)).unwrap();
                    let line = testing::plant::outcome(0, Operation::Create, Outcome::Sending);
                    let at = f64::from(round);
                    let written = archive.begin(&Entry { at, ..line }).unwrap();
                    let done = Entry {
                        reply: Reply::new(Outcome::Done),
                        ..written.entry().clone()
                    };
                    archive.complete(&done).unwrap();
                    archive
                        .ingest(
                            Uuid::from_u128(1),
                            &answer(&records(writer * rounds + round, 3), 1.0),
                        )
                        .unwrap();
                }
            });
        }
    });
    let archive = Archive::open(&path).unwrap();
    let lines = archive.plant_log(1.0).unwrap();
    assert_eq!(lines.len(), (writers * rounds) as usize);
    assert!(lines.iter().all(|line| line.outcome() == Outcome::Done));
    let kept = archive.stored(Uuid::from_u128(1)).unwrap().unwrap();
    assert_eq!(
        kept.records.transmissions.len(),
        (writers * rounds + 2) as usize
    );
    assert!(archive.check().unwrap().is_empty());
}

#[test]
fn what_is_read_is_one_state_while_another_program_writes() {
    let (folder, path) = fresh();
    let uuid = Uuid::from_u128(1);
    let stored = |count: u32| {
        let fixes = (0..count).map(|n| (f64::from(n) * 600.0, 80.0, 10.0));
        let value = |_, _| Some(f64::from(count));
        answer(
            &testing::fields::with_fields(fixes, &["v".to_owned()], value),
            1.0,
        )
    };
    Archive::open(&path)
        .unwrap()
        .ingest(uuid, &stored(1))
        .unwrap();
    // What one program writes while another reads is read after it.
    let reader = Archive::open_existing(&path).unwrap().unwrap();
    let mut writer = Archive::open(&path).unwrap();
    let counts = reader.reading(|one| {
        let before = one.counts()?;
        writer.ingest(uuid, &stored(2))?;
        let within = one.reading(Archive::counts)?;
        Ok((before, within, one.counts()?))
    });
    let (before, within, after) = counts.unwrap();
    assert_eq!((&before, &before), (&within, &after));
    assert_ne!(reader.counts().unwrap(), before);
    // No state that it passes through is found damaged, or makes a copy fail.
    let is_done = AtomicBool::new(false);
    let read = std::thread::scope(|scope| {
        scope.spawn(|| {
            for count in (3..40).cycle() {
                if is_done.load(Ordering::Relaxed) {
                    break;
                }
                writer.ingest(uuid, &stored(count)).unwrap();
            }
        });
        let read = || -> Result<(), ArchiveError> {
            for round in 0..40 {
                reader.stored(uuid)?;
                reader.fields(uuid)?;
                assert_eq!(reader.check()?, [""; 0]);
                let mut copy = Archive::open(&folder.path().join(format!("{round}.db")))?;
                let copied = reader.copy_into(&mut copy)?.unwrap();
                assert_eq!((copy.counts()?, copy.check()?), (copied, Vec::new()));
            }
            Ok(())
        };
        let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
        is_done.store(true, Ordering::Relaxed);
        read
    });
    read.unwrap().unwrap();
}

#[test]
fn a_lock_is_told_without_a_time_which_differs_from_wait_to_wait() {
    let (_folder, path) = fresh();
    let (one, mut two) = (Archive::open(&path).unwrap(), Archive::open(&path).unwrap());
    let _held = one.connection.begin(None).unwrap();
    two.set_lock_timeout(std::time::Duration::from_millis(50))
        .unwrap();
    let answer = answer(&records(0, 1), 1.0);
    let error = two.ingest(Uuid::from_u128(1), &answer).unwrap_err();
    assert_eq!(error, ArchiveError::Busy);
    assert!(
        !error
            .to_string()
            .contains(|letter: char| letter.is_ascii_digit())
    );
}

#[test]
fn a_database_of_another_program_is_refused_and_not_touched() {
    for statements in [
        "CREATE TABLE bookmark (id INTEGER); INSERT INTO bookmark VALUES (1);",
        "CREATE TABLE bookmark (id INTEGER); PRAGMA user_version = 1;",
        "CREATE TABLE bookmark (id INTEGER); PRAGMA user_version = 75;",
    ] {
        let (_folder, path) = fresh();
        Connection::open(&path)
            .unwrap()
            .execute_batch(statements)
            .unwrap();
        let before = std::fs::read(&path).unwrap();
        for opened in [
            Archive::open(&path).map(|_| ()),
            Archive::open_existing(&path).map(|_| ()),
        ] {
            assert!(
                matches!(opened, Err(ArchiveError::Foreign { .. })),
                "{statements} {opened:?}"
            );
        }
        assert_eq!(std::fs::read(&path).unwrap(), before, "{statements}");
    }
}

#[test]
fn one_of_a_newer_driftline_keeps_every_byte() {
    let (_folder, path) = fresh();
    drop(Archive::open(&path).unwrap());
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode = DELETE; PRAGMA user_version = 99;")
        .unwrap();
    drop(connection);
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(
        Archive::open(&path),
        Err(ArchiveError::Newer { found: 99, .. })
    ));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn an_archive_that_is_refused_stays_byte_for_byte_as_it_was() {
    for (refused, name, way_on) in [
        (
            "PRAGMA user_version = 99",
            "made by a newer driftline",
            "Update driftline",
        ),
        (
            "PRAGMA user_version = 1",
            "an earlier development version",
            "deployments import",
        ),
        (
            "PRAGMA user_version = 0",
            "a database of another program",
            "another file",
        ),
    ] {
        let (_folder, path) = fresh();
        let mut archive = Archive::open(&path).unwrap();
        archive
            .ingest(Uuid::from_u128(1), &answer(&records(0, 20), 1.0))
            .unwrap();
        drop(archive);
        // As a crash leaves it: what was written last is in the log alone.
        let crashed = rusqlite::Connection::open(&path).unwrap();
        crashed
            .set_db_config(
                rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
                true,
            )
            .unwrap();
        crashed.execute_batch(refused).unwrap();
        drop(crashed);
        let log = path.with_file_name(format!(
            "{}-wal",
            path.file_name().unwrap().to_string_lossy()
        ));
        let bytes = || (std::fs::read(&path).unwrap(), std::fs::read(&log).unwrap());
        let before = bytes();
        assert!(!before.1.is_empty(), "{refused}");
        let error = Archive::open(&path).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        assert!(error.hint().contains(way_on), "{}", error.hint());
        assert_eq!(Archive::open_existing(&path).unwrap_err(), error);
        assert_eq!(Archive::recover(&path, 1.0).unwrap_err(), error);
        assert!(bytes() == before, "{refused}");
    }
}

#[test]
fn any_damage_is_told_as_such_and_the_file_stays_as_it_was() {
    let (_folder, path) = fresh();
    let mut archive = Archive::open(&path).unwrap();
    archive
        .ingest(Uuid::from_u128(1), &answer(&records(0, 20_000), 1.0))
        .unwrap();
    drop(archive);
    let whole = std::fs::read(&path).unwrap();
    let cut = whole[..whole.len() / 2 + 77].to_vec();
    let head = [vec![0_u8; 4096], whole[4096..].to_vec()].concat();
    let mut middle = whole.clone();
    middle[8192..whole.len() - 4096].fill(0xa5);
    for (name, bytes) in [
        ("cut", cut),
        ("head", head),
        ("middle", middle),
        ("empty", Vec::new()),
    ] {
        std::fs::write(&path, &bytes).unwrap();
        let seen = Archive::open_existing(&path).and_then(|archive| {
            archive.map_or(Ok(None), |archive| archive.stored(Uuid::from_u128(1)))
        });
        assert!(
            matches!(
                seen,
                Err(ArchiveError::Damaged { .. }
                    | ArchiveError::Empty { .. }
                    | ArchiveError::Foreign { .. })
            ),
            "{name}: {:?}",
            seen.map(|kept| kept.map(|kept| kept.records.transmissions.len()))
        );
        assert!(std::fs::read(&path).unwrap() == bytes, "{name} was changed");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_folder_is_refused_at_once() {
    let (folder, path) = fresh();
    let made = std::process::Command::new("mkfifo")
        .arg(&path)
        .status()
        .unwrap();
    assert!(made.success());
    for place in [path.as_path(), folder.path()] {
        for opened in [
            Archive::open(place).map(|_| ()),
            Archive::open_existing(place).map(|_| ()),
        ] {
            assert!(matches!(opened, Err(ArchiveError::Unopened { .. })));
        }
    }
}

#[test]
fn a_name_that_sqlite_would_read_as_something_else_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    for name in [":memory:", "file:a?mode=memory", "100%25 ?#.db"] {
        let path = folder.path().join(name);
        drop(Archive::open(&path).unwrap());
        assert!(path.is_file(), "{name}");
        assert!(Archive::open_existing(&path).unwrap().is_some(), "{name}");
    }
    assert!(
        super::sqlite::file::resolved(Path::new(":memory:"))
            .unwrap()
            .is_absolute()
    );
}

#[cfg(unix)]
#[test]
fn an_archive_that_others_may_read_is_made_private() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = fresh();
    drop(Archive::open(&path).unwrap());
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o664)).unwrap();
    drop(Archive::open(&path).unwrap());
    let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
}

#[test]
fn a_deleted_archive_is_noticed() {
    let (folder, path) = fresh();
    let archive = Archive::open(&path).unwrap();
    assert!(archive.is_in_place());
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    assert!(!archive.is_in_place());
    drop(Archive::open(&path).unwrap());
    assert!(!archive.is_in_place(), "another file took its place");
    assert!(Archive::in_memory().unwrap().is_in_place());
}

#[test]
fn an_archive_without_room_says_so_and_goes_on_when_there_is_room() {
    let (_folder, path) = fresh();
    let mut archive = Archive::open(&path).unwrap();
    let room = |archive: &Archive, pages: u32| {
        let pragma = format!("PRAGMA max_page_count = {pages}");
        archive.connection.row(&pragma, (), |_| Ok(())).unwrap();
    };
    room(&archive, 1);
    let answer = answer(&records(0, 2000), 1.9e9);
    let uuid = Uuid::from_u128(7);
    let full = archive.ingest(uuid, &answer).unwrap_err();
    assert_eq!(full, ArchiveError::Full);
    assert!(full.to_string().contains("the disk is full"));
    room(&archive, 100_000);
    assert_eq!(archive.ingest(uuid, &answer).unwrap().new, 2000);
}

#[test]
fn a_file_of_one_byte_is_never_taken_for_an_archive() {
    let (folder, path) = fresh();
    // The default path of an archive, where more is taken for one that is damaged.
    let usual = folder.path().join("driftline/archive.db");
    std::fs::create_dir(usual.parent().unwrap()).unwrap();
    for path in [path, usual] {
        for byte in *b"x\0" {
            std::fs::write(&path, [byte]).unwrap();
            for refused in [
                Archive::open(&path).map(|_| ()),
                Archive::open_existing(&path).map(|_| ()),
                Archive::recover(&path, 1.0).map(|_| ()),
            ] {
                let is_foreign = matches!(refused, Err(ArchiveError::Foreign { .. }));
                assert!(is_foreign, "{refused:?}");
            }
            assert_eq!(std::fs::read(&path).unwrap(), [byte]);
        }
    }
}

impl Archive {
    /// Opens an existing archive file with the usual lock timeout; `None` if there is none.
    ///
    /// # Errors
    /// As [`Archive::open_within`].
    pub(crate) fn open_existing(path: &Path) -> Result<Option<Self>, ArchiveError> {
        Self::open_existing_at(&ArchiveLocation::File(path.to_owned()), BUSY)
    }
}
