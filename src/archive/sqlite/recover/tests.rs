//! Recovery of damaged archives.

use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::{BUSY, Recovered};
use crate::archive::sqlite::Connection as Engine;
use crate::archive::tests::answer;
use crate::archive::{Archive, ArchiveError, Basis};
use crate::plant::log::{Entry, Operation, Outcome};
use crate::testing::plant;
use crate::testing::track::records;
use crate::testing::untyped::change_untyped;
use crate::track::{DeclaredState, Platform, Window};
use crate::watch::{Deployment, Limits};

fn fresh() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    (folder, path)
}

const DEPLOYMENT: Uuid = Uuid::from_u128(0x5b6a_c2a0_43c5_4d30_9f1b_3c06_a7f0_0001);

/// An archive of a deployment with `fixes` fixes and a plant log of a hundred
/// entries.
fn filled(path: &Path, fixes: u32) {
    let mut archive = Archive::open(path).unwrap();
    let watched = Deployment {
        id: DEPLOYMENT.into(),
        label: Some("ice 7".to_owned()),
        platform: Platform::Drifter,
        limits: Limits {
            max_age_s: Some(7200.0),
            inside: crate::geo::Inside::from_stored("79.5,11,5000"),
            max_speed_m_s: Some(5.0),
            fields: crate::track::field_limit::read(
                r#"[{"field":"b","side":"below","value":11.5,"unit":"V"}]"#,
            )
            .unwrap(),
        },
        window: Window {
            from: Some(1.7e9),
            until: None,
        },
        state: DeclaredState::Lost,
        group: Some("Fram Strait".to_owned()),
        notes: Some("off Svalbard".to_owned()),
    };
    archive.watch(&watched, 1.0).unwrap();
    let each_minute = (0..fixes).map(f64::from);
    let records = records(each_minute.map(|n| (1.7e9 + 60.0 * n, 80.0 + 1e-5 * n, 10.0)));
    archive
        .ingest(DEPLOYMENT, &answer(&records, 1.8e9))
        .unwrap();
    for number in 0..100 {
        archive
            .begin(&Entry {
                id: number.to_string(),
                ..plant::outcome(0, Operation::Create, Outcome::Sending)
            })
            .unwrap();
    }
}

#[test]
fn a_damaged_archive_is_set_aside_whole_and_what_can_be_read_is_taken_over() {
    let (_folder, path) = fresh();
    filled(&path, 20_000);
    let whole = std::fs::read(&path).unwrap();
    let pages = whole.len() / 4096;
    let mut middle = whole.clone();
    middle[4096 * (pages / 2)..4096 * (pages / 2 + 3)].fill(0xa5);
    let cut = whole[..4096 * pages * 3 / 4].to_vec();
    for (name, bytes, fixes) in [("middle", middle, 18_000), ("cut", cut, 9_000)] {
        let (folder, path) = fresh();
        std::fs::write(&path, &bytes).unwrap();
        let salvaged = Archive::recover(&path, 1.8e9).unwrap().unwrap();
        assert!(
            std::fs::read(&salvaged.aside).unwrap() == bytes,
            "{name}: what was set aside was changed"
        );
        let archive = Archive::open(&path).unwrap();
        assert!(archive.check().unwrap().is_empty(), "{name}");
        let counts = archive.counts().unwrap();
        assert!(counts[1].1 >= fixes, "{name}: {counts:?} {salvaged}");
        if name != "cut" {
            let watched = archive.watched().unwrap();
            assert_eq!(watched[0].notes.as_deref(), Some("off Svalbard"), "{name}");
            assert_eq!(watched[0].limits.max_speed_m_s, Some(5.0), "{name}");
            assert_eq!(watched[0].window.from, Some(1.7e9), "{name}");
            assert_eq!(watched[0].state, DeclaredState::Lost, "{name}");
            assert_eq!(archive.plant_log(1.0).unwrap().len(), 100, "{name}");
            assert!(archive.stored(DEPLOYMENT).unwrap().is_some());
        }
        let words = salvaged.to_string();
        assert!(words.contains("damaged-20270115T080000Z"), "{words}");
        // No temporary file is left over.
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert!((2..=6).contains(&left), "{name}: {left} files");
    }
}

#[test]
fn a_sound_archive_a_foreign_one_and_a_newer_one_are_left_where_they_are() {
    let (folder, path) = fresh();
    filled(&path, 10);
    assert_eq!(Archive::recover(&path, 1.0).unwrap(), None);
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("PRAGMA user_version = 99")
        .unwrap();
    let error = Archive::recover(&path, 1.0).unwrap_err();
    assert!(matches!(error, ArchiveError::Newer { .. }), "{error}");
    let foreign = rusqlite::Connection::open(folder.path().join("foreign.db")).unwrap();
    foreign
        .execute_batch("CREATE TABLE songs (name TEXT)")
        .unwrap();
    drop(foreign);
    let error = Archive::recover(&folder.path().join("foreign.db"), 1.0).unwrap_err();
    assert!(matches!(error, ArchiveError::Foreign { .. }), "{error}");
    let letter = folder.path().join("letter.db");
    std::fs::write(&letter, "this is a letter, and no archive. ".repeat(300)).unwrap();
    let error = Archive::recover(&letter, 1.0).unwrap_err();
    assert!(matches!(error, ArchiveError::NoArchive { .. }), "{error}");
    assert!(!error.hint().contains("archive check"), "{}", error.hint());
    let names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert!(
        names.iter().all(|name| !name.contains("damaged")),
        "{names:?}"
    );
}

#[test]
fn where_nothing_can_be_taken_over_nothing_is_moved() {
    let (folder, path) = fresh();
    filled(&path, 5_000);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 8192 * 4096;
    bytes[middle..middle + 4096].fill(0xa5);
    std::fs::write(&path, &bytes).unwrap();
    // A folder has the name to which the log is renamed: the recovery fails.
    let stamp = path.with_file_name("archive.db.damaged-20270115T080000Z-wal");
    std::fs::create_dir(&stamp).unwrap();
    std::fs::write(path.with_file_name("archive.db-wal"), b"").unwrap();
    assert!(Archive::recover(&path, 1.8e9).is_err());
    assert!(std::fs::read(&path).unwrap() == bytes);
    std::fs::remove_dir(&stamp).unwrap();
    assert!(Archive::recover(&path, 1.8e9).unwrap().is_some());
    assert_eq!(
        Archive::open(&path).unwrap().plant_log(1.0).unwrap().len(),
        100
    );
    let left = std::fs::read_dir(folder.path()).unwrap();
    let hidden = left.filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with('.')
    });
    assert_eq!(hidden.count(), 0);
}

/// How many locks this process holds on the file at a path.
#[cfg(target_os = "linux")]
fn locks_on(path: &Path) -> usize {
    use std::os::unix::fs::MetadataExt;
    let file = format!(":{} ", std::fs::metadata(path).unwrap().ino());
    let process = format!(" {} ", std::process::id());
    // The kernel gives the list in parts: while other locks come and go, one reading
    // passes over a lock or gives it twice, with another number in front.
    let counts = (0..10).map(|_| {
        let all = std::fs::read_to_string("/proc/locks").unwrap();
        let locks = all.lines().filter_map(|line| line.split_once(": "));
        let own = locks.map(|(_, lock)| lock).filter(|lock| {
            lock.contains("POSIX") && lock.contains(&file) && lock.contains(&process)
        });
        own.collect::<std::collections::BTreeSet<_>>().len()
    });
    counts.max().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn the_locks_on_an_archive_are_held_while_it_is_opened_again_and_while_it_is_copied() {
    use crate::archive::sqlite::recover::{was_archive, write_lock};
    let (folder, path) = fresh();
    filled(&path, 10);
    let archive = Archive::open(&path).unwrap();
    assert_eq!(archive.known().unwrap().len(), 1);
    assert_eq!(locks_on(&path), 1);
    let again = Archive::open(&path).unwrap();
    assert_eq!(locks_on(&path), 1);
    drop((archive, again));
    let damaged = std::fs::File::open(&path).unwrap();
    let quiet = write_lock(&path, crate::archive::BUSY).unwrap();
    let before = locks_on(&path);
    assert!(before > 0);
    let copy = Engine::open_within(&folder.path().join("copy"), crate::archive::BUSY).unwrap();
    let taken = copy.copy_readable(&damaged, &path, folder.path());
    assert!(!taken.unwrap().rows.is_empty());
    assert!(was_archive(&path, &path, &damaged, &[]));
    assert_eq!(locks_on(&path), before);
    drop(quiet);
}

#[test]
fn two_that_find_the_same_damage_set_it_aside_once() {
    let (folder, path) = fresh();
    filled(&path, 5_000);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[8192..4096 * 6].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    let salvaged: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| Archive::recover(&path, 1.8e9).unwrap()))
            .collect();
        threads
            .into_iter()
            .filter_map(|one| one.join().unwrap())
            .collect()
    });
    assert_eq!(salvaged.len(), 1);
    let aside = std::fs::read_dir(folder.path())
        .unwrap()
        .filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            let name = name.to_string_lossy().into_owned();
            name.contains("damaged") && !name.ends_with("-wal") && !name.ends_with("-shm")
        })
        .count();
    assert_eq!(aside, 1);
}

#[test]
fn a_value_of_another_type_is_found_and_its_row_left_out() {
    let (_folder, path) = fresh();
    filled(&path, 1_000);
    assert!(Archive::open(&path).unwrap().check().unwrap().is_empty());
    let change = "UPDATE transmission SET latitude = 'north' WHERE time = 1.7e9 + 600";
    let connection = rusqlite::Connection::open(&path).unwrap();
    assert!(connection.execute_batch(change).is_err());
    drop(connection);
    change_untyped(&path, change);
    let archive = Archive::open(&path).unwrap();
    assert!(matches!(
        archive.stored(DEPLOYMENT),
        Err(ArchiveError::Damaged { .. })
    ));
    let found = archive.check().unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("transmission.latitude"), "{found:?}");
    drop(archive);
    let salvaged = Archive::recover(&path, 1.8e9).unwrap().unwrap();
    assert_eq!(salvaged.rows[0].1, 999);
    assert!(Archive::open(&path).unwrap().check().unwrap().is_empty());
}

#[test]
fn fixes_whose_deployment_is_lost_are_recovered_without_its_name() {
    let (_folder, path) = fresh();
    filled(&path, 10);
    let change =
        "PRAGMA foreign_keys = OFF; DELETE FROM deployment; UPDATE plant_log SET plant = x'00'";
    change_untyped(&path, change);
    let recovered = Archive::recover(&path, 1.8e9).unwrap().unwrap();
    assert_eq!(recovered.rows[0].1, 10);
    let known = Archive::open(&path).unwrap().known().unwrap();
    let labels: Vec<_> = known.iter().map(|one| one.label.as_deref()).collect();
    assert_eq!(labels, [Some("recovered without its name")]);
}

#[test]
fn of_an_entry_that_cannot_be_read_the_rest_is_recovered_and_asked_for_anew() {
    let (_folder, path) = fresh();
    filled(&path, 10);
    change_untyped(
        &path,
        "UPDATE deployment SET inside = 'round', platform = 'raft', state = 'here',
             field_limits = 'none', max_speed = 'fast';
         UPDATE fetch SET etag = 'a';
         INSERT INTO alarm_rule VALUES (1, 'outside', '', '9', 'b', 5, 'its field is gone', 5, 9)",
    );
    assert_eq!(Archive::open(&path).unwrap().check().unwrap().len(), 1);
    Archive::recover(&path, 1.8e9).unwrap().unwrap();
    let archive = Archive::open(&path).unwrap();
    assert!(archive.check().unwrap().is_empty());
    let entry = archive.watched().unwrap().remove(0);
    assert_eq!(entry.label.as_deref(), Some("ice 7"));
    assert_eq!(entry.limits.max_age_s, Some(7200.0));
    assert_eq!(entry.limits.max_speed_m_s, None);
    assert_eq!((entry.platform, entry.state), Default::default());
    assert_eq!(
        (entry.limits.inside, entry.limits.fields),
        Default::default()
    );
    let kept = "SELECT (SELECT count(*) FROM fetch WHERE etag IS NULL AND source IS NULL),
        (SELECT count(*) FROM alarm_rule WHERE basis = '' AND since = 5)";
    let opened = rusqlite::Connection::open(&path).unwrap();
    let counts = opened.query_row(kept, [], |row| Ok((row.get(0)?, row.get(1)?)));
    assert_eq!(counts.unwrap(), (1, 1));
}

impl Archive {
    /// As [`Archive::recover_within`], with the usual lock timeout.
    ///
    /// # Errors
    /// As [`Archive::recover_within`].
    pub(crate) fn recover(path: &Path, now: f64) -> Result<Option<Recovered>, ArchiveError> {
        Self::recover_within(path, Basis::Readable, now, BUSY)
    }
}
