use super::*;
use crate::archive::tests::answer;
use crate::testing::track::records;
use crate::track::{Flag, Platform, Records, Track};

const UUID: Uuid = Uuid::from_u128(7);
const NOW: f64 = 1.8e9;

fn sent(hours: std::ops::Range<u32>) -> Records {
    records(hours.map(|hour| {
        let hour = f64::from(hour);
        (NOW - 1e6 + 3600.0 * hour, 60.0 + 0.01 * hour, 5.0)
    }))
}

fn options() -> TrackOptions {
    TrackOptions::new(Platform::Drifter, NOW)
}

fn made(records: &Records, revision: Option<i64>, options: &TrackOptions) -> MadeOverview {
    let track = Track::new(records, options);
    let overview = Arc::new(Overview::new(&track));
    MadeOverview::new(UUID, revision, overview, &track, options.clone())
}

/// Stores a response with what lists show of it.
fn ingest(archive: &mut Archive, records: &Records) {
    let made = made(records, None, &options());
    let answer = answer(records, NOW);
    archive
        .ingest_with(&UUID.into(), &answer, Some(&made))
        .unwrap();
}

/// The overview that the archive has for these choices.
fn read(archive: &Archive, options: &TrackOptions) -> Option<Arc<Overview>> {
    let read = archive.overviews(vec![(UUID, options.clone())]).unwrap();
    let [one] = read.as_slice() else {
        panic!("{read:?}");
    };
    one.overview.clone()
}

#[test]
fn what_is_stored_with_a_response_is_read_as_the_track_says_until_the_choices_differ() {
    let mut archive = Archive::in_memory().unwrap();
    assert!(
        archive
            .overviews(vec![(UUID, options())])
            .unwrap()
            .is_empty()
    );
    let records = sent(0..30);
    ingest(&mut archive, &records);
    let track = Track::new(&records, &options());
    assert_eq!(
        read(&archive, &options()),
        Some(Arc::new(Overview::new(&track)))
    );
    let later = TrackOptions {
        now: NOW + 1e9,
        ..options()
    };
    assert!(read(&archive, &later).is_some());
    let other = TrackOptions {
        platform: Platform::Float,
        ..options()
    };
    assert_eq!(read(&archive, &other), None);
    let included = TrackOptions {
        exclude_failed: false,
        ..options()
    };
    assert_eq!(read(&archive, &included), None);
    // A flag that the user set in the archive counts.
    let fix = *records.transmissions.last().unwrap();
    archive
        .set_override(UUID, fix, Some(Flag::Fail), NOW)
        .unwrap();
    assert_eq!(read(&archive, &options()), None);
    archive.set_override(UUID, fix, None, NOW).unwrap();
    assert!(read(&archive, &options()).is_some());
    // Of many all are read at once.
    let many = (0..40).map(|n| (Uuid::from_u128(n), options())).collect();
    let read = archive.overviews(many).unwrap();
    assert_eq!(read.len(), 1);
    assert!(read[0].uuid == UUID && read[0].overview.is_some());
}

#[test]
fn other_fixes_make_what_was_stored_old_and_what_is_old_is_not_stored() {
    let mut archive = Archive::in_memory().unwrap();
    ingest(&mut archive, &sent(0..10));
    let before = archive.stored(UUID).unwrap().unwrap();
    // Of the next response a part is absent: it alone does not say what is stored.
    ingest(&mut archive, &sent(5..12));
    assert_eq!(read(&archive, &options()), None);
    let old = made(&before.records, Some(before.revision), &options());
    archive.store_overviews(&[old]).unwrap();
    assert_eq!(read(&archive, &options()), None);
    let now = archive.stored(UUID).unwrap().unwrap();
    let new = made(&now.records, Some(now.revision), &options());
    archive.store_overviews(std::slice::from_ref(&new)).unwrap();
    let found = read(&archive, &options()).unwrap();
    assert_eq!((found.fixes, &found), (12, &new.overview));
    // The same once more changes nothing, and the row holds.
    ingest(&mut archive, &sent(5..12));
    assert_eq!(read(&archive, &options()), Some(found));
}

#[test]
fn a_fix_that_was_ahead_of_its_time_makes_it_anew_when_its_time_comes() {
    // One that is too far ahead is so no more; one that is ahead comes.
    for (ahead, changes) in [(2.0 * 86_400.0, 86_400.0), (7200.0, 7200.0)] {
        let mut archive = Archive::in_memory().unwrap();
        let records = records([(NOW - 60.0, 60.0, 5.0), (NOW + ahead, 60.1, 5.0)]);
        ingest(&mut archive, &records);
        // When it was received is read from the archive.
        let stored = archive.stored(UUID).unwrap().unwrap();
        let whole = made(&stored.records, Some(stored.revision), &options());
        archive.store_overviews(&[whole]).unwrap();
        let latest = read(&archive, &options()).unwrap().latest.unwrap();
        assert_eq!(latest.time_stamp, NOW - 60.0);
        let at = |after: f64| TrackOptions {
            now: NOW + after,
            ..options()
        };
        assert!(read(&archive, &at(changes - 1.0)).is_some());
        assert_eq!(read(&archive, &at(changes)), None);
    }
}

#[test]
fn a_row_of_other_bytes_is_made_anew() {
    let mut archive = Archive::in_memory().unwrap();
    let records = sent(0..10);
    ingest(&mut archive, &records);
    archive
        .connection
        .execute("UPDATE overview SET body = ?1", [vec![0u8; 40]])
        .unwrap();
    assert_eq!(read(&archive, &options()), None);
    let stored = archive.stored(UUID).unwrap().unwrap();
    let made = made(&stored.records, Some(stored.revision), &options());
    archive.store_overviews(&[made]).unwrap();
    assert!(read(&archive, &options()).is_some());
    assert!(archive.check().unwrap().is_empty());
    let place = crate::testing::at(60.0, 5.0);
    assert_eq!(
        archive.stored(UUID).unwrap().unwrap().records.transmissions[0].position,
        place
    );
}

#[test]
fn a_copy_has_the_rows_and_the_groups_too() {
    let mut archive = Archive::in_memory().unwrap();
    ingest(&mut archive, &sent(0..10));
    let entry = crate::watch::Deployment {
        group: Some("Fram Strait".to_owned()),
        ..crate::watch::Deployment::new(UUID)
    };
    archive.watch(&entry, NOW).unwrap();
    let mut copy = Archive::in_memory().unwrap();
    assert!(archive.copy_into(&mut copy).unwrap().is_some());
    let (own, copied) = (read(&archive, &options()), read(&copy, &options()));
    assert!(own.is_some() && own == copied);
    assert_eq!(copy.entry(UUID).unwrap(), Some(entry));
}
