use super::*;
use crate::plant::log::{Entry, Operation, Outcome};
use crate::testing::plant;
use crate::track::Platform;

impl Store {
    /// The archive at a path, not opened or created yet.
    pub(crate) fn at(path: std::path::PathBuf) -> Self {
        Self::for_watching(
            ArchiveLocation::File(path),
            false,
            Vec::new(),
            Listed::default(),
        )
    }
}

#[tokio::test]
async fn a_removed_archive_is_told_once_and_refuses_edits_and_the_plant_log() {
    // With the archive open for writing, and where it was only read.
    for only_read in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.db");
        let entry = Deployment::new(Uuid::from_u128(1));
        let mut store = Store::at(path.clone());
        assert!(store.change(None, entry.clone(), false).await.unwrap());
        if only_read {
            store = Store::at(path.clone());
            assert_eq!(
                store.entry(entry.id.uuid).await.unwrap().as_ref(),
                Some(&entry)
            );
        }
        for file in std::fs::read_dir(folder.path()).unwrap() {
            std::fs::remove_file(file.unwrap().path()).unwrap();
        }
        assert!(store.changes().await.is_err());
        let words = store.loss().unwrap();
        assert!(words.contains("was removed while driftline ran"), "{words}");
        let after = Deployment {
            platform: Platform::Float,
            ..entry.clone()
        };
        let change = store.change(Some(entry.clone()), after.clone(), false);
        let failure = change.await.unwrap_err();
        assert!(failure.to_string().contains("was removed"), "{failure}");
        assert!(
            store
                .change(Some(after), entry.clone(), true)
                .await
                .is_err()
        );
        assert!(store.plant_log().await.is_err());
        assert!(store.loss().is_none());
        assert!(!path.exists());
        // The next start makes a new one.
        let store = Store::at(path.clone());
        assert!(store.change(None, entry, false).await.unwrap());
        assert!(path.exists());
    }
}

#[tokio::test]
async fn an_archive_that_is_cut_to_nothing_is_told_and_takes_no_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let store = Store::at(path.clone());
    let entry = Deployment::new(Uuid::from_u128(1));
    assert!(store.change(None, entry.clone(), false).await.unwrap());
    std::fs::File::create(&path).unwrap();
    for _ in 0..2 {
        let other = Deployment::new(Uuid::from_u128(2));
        let failure = store.change(None, other, false).await.unwrap_err();
        assert!(failure.to_string().contains("was emptied"), "{failure}");
        assert!(store.watched().await.is_err());
    }
    let told = store.loss().unwrap();
    assert!(told.contains("nothing is stored"), "{told}");
    // What was sent to a service is written down all the same.
    let line = plant::outcome(0, Operation::Create, Outcome::Done);
    let completed = store.write_anyway(move |archive| archive.complete(&line));
    completed.await.unwrap();
    drop(store);
    let store = Store::at(path.clone());
    assert_eq!(store.plant_log().await.unwrap().len(), 1);
    drop(store);
    // One that is empty from the start is refused, whatever is to be done, until it is mended.
    std::fs::File::create(&path).unwrap();
    let store = Store::at(path.clone());
    let read = store.watched().await.unwrap_err();
    let written = store.change(None, entry, false).await.unwrap_err();
    for failure in [read, written] {
        assert!(failure.to_string().contains("is empty"), "{failure}");
    }
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
    assert!(store.recover().await.unwrap());
    assert!(store.watched().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_copy_that_is_put_in_the_place_of_an_open_archive_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let entry = |number: u128| Deployment::new(Uuid::from_u128(number));
    let uuids = async |store: &Store| -> Vec<u128> {
        let list = store.watched().await.unwrap();
        list.iter().map(|one| one.id.uuid.as_u128()).collect()
    };
    for number in 10..13 {
        // The copy, as another program has left it.
        let kept = folder.path().join("kept.db");
        let copy = Store::at(kept.clone());
        for one in [1, 2] {
            assert!(copy.change(None, entry(one), false).await.unwrap());
        }
        drop(copy);
        let store = Store::at(path.clone());
        // Many pages in the log, which is not written to the file yet.
        for one in 100..140 {
            assert!(store.change(None, entry(one), false).await.unwrap());
        }
        std::fs::rename(&kept, &path).unwrap();
        assert_eq!(uuids(&store).await, [1, 2]);
        let told = store.warnings().join(" ");
        assert!(told.contains("removed or replaced"), "{told}");
        assert!(store.change(None, entry(number), false).await.unwrap());
        assert_eq!(uuids(&store).await, [1, 2, number]);
        assert!(store.read(Archive::check).await.unwrap().is_empty());
        drop(store);
        for file in std::fs::read_dir(folder.path()).unwrap() {
            std::fs::remove_file(file.unwrap().path()).unwrap();
        }
    }
}

#[tokio::test]
async fn what_another_program_writes_is_found_until_it_is_read_and_own_writes_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let [own, other] = [path.clone(), path.clone()].map(Store::at);
    let entry = |number: u128| Deployment::new(Uuid::from_u128(number));
    let has_news = async || {
        let look = |inner: &Inner, slot: &mut Slot| Ok(inner.has_news(slot));
        own.submit(look).await.unwrap()
    };
    assert!(!has_news().await);
    assert!(other.change(None, entry(1), false).await.unwrap());
    for number in 2..5 {
        assert!(has_news().await);
        assert!(has_news().await);
        assert!(own.changes().await.unwrap().is_some());
        assert!(!has_news().await);
        assert!(own.change(None, entry(10 * number), false).await.unwrap());
        assert!(!has_news().await);
        assert!(other.change(None, entry(number), false).await.unwrap());
    }
    own.changes().await.unwrap();
    // Another file in its place.
    let copy = folder.path().join("copy.db");
    let third = Store::at(copy.clone());
    assert!(third.change(None, entry(1), false).await.unwrap());
    drop(third);
    std::fs::rename(copy, &path).unwrap();
    assert!(has_news().await);
    own.changes().await.unwrap();
    assert!(!has_news().await);
    // A file that cannot be read is found again and again.
    std::fs::remove_file(&path).unwrap();
    for _ in 0..2 {
        assert!(has_news().await);
        assert!(own.changes().await.is_err());
    }
}

#[tokio::test]
async fn while_a_program_sends_a_create_its_end_is_looked_for_more_often() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let [own, other] = [path.clone(), path].map(Store::at);
    let wait = async || {
        let look = |inner: &Inner, slot: &mut Slot| Ok(inner.look(slot, &|| ()));
        own.submit(look).await.unwrap()
    };
    let usual = wait().await;
    let create = plant::outcome(1, Operation::Create, Outcome::Sending);
    let written = other.write(move |archive| archive.begin(&create)).await;
    // Whether it was read, or not yet.
    assert!(wait().await < usual);
    own.changes().await.unwrap();
    assert!(wait().await < usual);
    // Its end writes nothing.
    drop(written);
    let entered = own.changes().await.unwrap().unwrap().entered.unwrap();
    assert_eq!(entered.plant_log[0].outcome(), Outcome::Unknown);
    assert_eq!(wait().await, usual);
}

#[tokio::test]
async fn a_list_that_is_gone_with_its_archive_is_kept_and_one_that_a_person_changed_is_followed() {
    let entry = |number: u128| Deployment::new(Uuid::from_u128(number));
    // What lies next to the new archive, what it lists, and what is watched then.
    for (aside, new, watched) in [
        // A repair that could read nothing of the list, or a part of it.
        (".damaged-20260101T000000Z", &[][..], &[1_u128, 2, 3][..]),
        (".damaged-20260101T000000Z", &[4, 2], &[1, 2, 3, 4]),
        // Another program has begun again, or a person with a list.
        (".old", &[], &[1, 2, 3]),
        (".old", &[4, 2], &[2, 4]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.db");
        let list = async |store: &Store| -> Vec<u128> {
            let list = store.watched().await.unwrap();
            let mut list: Vec<u128> = list.iter().map(|entry| entry.id.uuid.as_u128()).collect();
            list.sort_unstable();
            list
        };
        let own = Store::at(path.clone());
        own.remember();
        for number in 1..4 {
            assert!(own.change(None, entry(number), false).await.unwrap());
        }
        let beside = folder.path().join(format!("archive.db{aside}"));
        std::fs::rename(&path, beside).unwrap();
        for log in ["-wal", "-shm"] {
            std::fs::remove_file(folder.path().join(format!("archive.db{log}"))).unwrap();
        }
        let other = Store::at(path.clone());
        // A fix of another deployment that is not on the list: its number is taken.
        let uuid = Uuid::from_u128(9);
        let answer = crate::watch::Answer::new(200, "http://127.0.0.1:1", 1.0);
        let opened = other.write(move |archive| archive.ingest(uuid, &answer).map(drop));
        opened.await.unwrap();
        for number in new {
            assert!(other.change(None, entry(*number), false).await.unwrap());
        }
        drop(other);
        assert_eq!(list(&own).await, watched);
        let said = own.loss().is_some();
        assert_eq!(said, watched.len() > new.len(), "{aside}");
        let warnings = own.warnings();
        assert_eq!(warnings.is_empty(), said, "{aside} {warnings:?}");
        assert!(own.read(Archive::check).await.unwrap().is_empty());
        // What a person takes off the same archive stays off.
        let person = Store::at(path.clone());
        for number in watched {
            let uuid = Uuid::from_u128(*number);
            let taken_off = person.edit_list(move |archive| archive.unwatch(uuid));
            assert!(taken_off.await.unwrap());
        }
        assert!(list(&own).await.is_empty());
        assert!(list(&own).await.is_empty());
        assert_eq!(own.loss(), None);
    }
}

#[tokio::test]
async fn a_line_of_the_plant_log_survives_an_archive_that_is_removed_right_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().join("archive.db"));
    store.remember();
    let entry = Deployment::new(Uuid::from_u128(1));
    assert!(store.change(None, entry, false).await.unwrap());
    let create = plant::outcome(0, Operation::Create, Outcome::Sending);
    let sent = store.write(move |archive| archive.begin(&create)).await;
    let created = Entry {
        reply: plant::outcome(0, Operation::Create, Outcome::Done).reply,
        ..sent.unwrap().entry().clone()
    };
    let completed = created.clone();
    let written = store.write_anyway(move |archive| archive.complete(&completed));
    written.await.unwrap();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        std::fs::remove_file(file.unwrap().path()).unwrap();
    }
    assert!(store.plant_log().await.is_err());
    let [kept] = &store.plant_log().await.unwrap()[..] else {
        panic!("the line is lost")
    };
    assert_eq!(kept.reply, created.reply);
}

#[tokio::test]
async fn what_cannot_be_opened_is_read_from_memory_and_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let entry = Deployment::new(Uuid::from_u128(1));
    let store = Store::at(path.clone());
    store.remember();
    assert!(store.change(None, entry.clone(), false).await.unwrap());
    let beside = folder.path().join("old");
    std::fs::rename(&path, &beside).unwrap();
    std::fs::create_dir(&path).unwrap();
    for is_first in [true, false] {
        assert_eq!(store.watched().await.unwrap(), std::slice::from_ref(&entry));
        let words = store.loss().unwrap_or_default();
        assert_eq!(words.contains("no regular file"), is_first, "{words}");
        assert!(store.change(None, entry.clone(), false).await.is_err());
    }
    std::fs::remove_dir(&path).unwrap();
    std::fs::rename(&beside, &path).unwrap();
    assert_eq!(store.watched().await.unwrap(), [entry]);
    assert!(store.write(|_| Ok(())).await.is_ok());
    assert_eq!((store.loss(), store.warnings()), (None, Vec::new()));
}
