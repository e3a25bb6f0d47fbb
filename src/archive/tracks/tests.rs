//! The stored data of a deployment, of which the archive never loses any.

use uuid::Uuid;

use crate::archive::tests::{answer, unchanged};
use crate::archive::{Archive, ArchiveError};
use crate::testing;
use crate::track::{Flag, Member, RecordFault, Records, Transmission};
use crate::watch::{Answer, Deployment, FetchDelta, Validators};

fn records(times: &[f64]) -> Records {
    testing::track::records(times.iter().map(|&time_stamp| (time_stamp, 1.0, 2.0)))
}

#[test]
fn what_is_no_longer_sent_is_kept_and_marked_until_it_is_sent_again() {
    let mut archive = Archive::in_memory().unwrap();
    let uuid = Uuid::from_u128(7);
    let unsent = |archive: &Archive| -> Vec<f64> {
        let kept = archive.stored(uuid).unwrap().unwrap();
        assert_eq!(kept.records.transmissions.len(), 3);
        kept.records
            .unsent
            .iter()
            .map(|one| one.time_stamp)
            .collect()
    };
    for (times, expected) in [
        (&[10.0, 20.0, 30.0][..], &[][..]),
        (&[10.0, 30.0], &[20.0]),
        (&[10.0], &[20.0, 30.0]),
        (&[10.0, 20.0], &[30.0]),
        (&[10.0, 20.0, 30.0], &[]),
    ] {
        archive
            .ingest(uuid, &answer(&records(times), 100.0))
            .unwrap();
        assert_eq!(unsent(&archive), expected);
    }
}

#[test]
fn an_answer_is_asked_for_again_only_where_it_came_from() {
    let mut archive = Archive::in_memory().unwrap();
    let (uuid, base) = (Uuid::from_u128(7), "http://127.0.0.1:1");
    let validators = Validators {
        etag: Some("W/\"7\"".to_owned()),
        modified: None,
    };
    let records = records(&[10.0]);
    let first = Answer {
        validators: validators.clone(),
        ..answer(&records, 100.0)
    };
    assert!(
        archive
            .request_basis(uuid, base, None)
            .unwrap()
            .validators
            .is_empty()
    );
    archive.ingest(uuid, &first).unwrap();
    assert_eq!(
        archive.request_basis(uuid, base, None).unwrap().validators,
        validators
    );
    assert!(
        archive
            .request_basis(uuid, "http://127.0.0.1:2", None)
            .unwrap()
            .validators
            .is_empty()
    );
    archive.confirm(uuid, &unchanged(150.0, 149.0)).unwrap();
    assert_eq!(archive.stored(uuid).unwrap().unwrap().fetched_at, 150.0);
    // A later response without validators clears them.
    archive.ingest(uuid, &answer(&records, 200.0)).unwrap();
    assert!(
        archive
            .request_basis(uuid, base, None)
            .unwrap()
            .validators
            .is_empty()
    );
}

#[test]
fn a_fetch_is_told_by_what_it_brought_and_nothing_is_ever_lost() {
    let mut archive = Archive::in_memory().unwrap();
    let uuid = Uuid::from_u128(7);
    assert_eq!(archive.stored(uuid).unwrap(), None);
    let first = archive
        .ingest(uuid, &answer(&records(&[10.0, 20.0, 40.0, 40.0]), 100.0))
        .unwrap();
    assert_eq!(
        first,
        FetchDelta {
            new: 3,
            backfilled: 0,
            absent: 0,
            ..FetchDelta::default()
        }
    );
    let second = archive
        .ingest(uuid, &answer(&records(&[20.0, 30.0, 50.0]), 200.0))
        .unwrap();
    assert_eq!(
        second,
        FetchDelta {
            new: 2,
            backfilled: 1,
            absent: 2,
            is_part: true,
            ..FetchDelta::default()
        }
    );
    let kept = archive.stored(uuid).unwrap().unwrap();
    let times: Vec<f64> = kept
        .records
        .transmissions
        .iter()
        .map(|one| one.time_stamp)
        .collect();
    assert_eq!(
        (times, kept.fetched_at),
        (vec![10.0, 20.0, 30.0, 40.0, 40.0, 50.0], 200.0)
    );
}

/// Records with one time at several positions, in the order they were sent.
fn at_once(longitudes: &[(f64, f64)]) -> Records {
    let fixes = longitudes.iter();
    testing::track::records(fixes.map(|&(time_stamp, longitude)| (time_stamp, 80.0, longitude)))
}

#[test]
fn what_is_kept_is_in_the_order_and_as_often_as_it_was_sent() {
    let mut archive = Archive::in_memory().unwrap();
    let uuid = Uuid::from_u128(7);
    let sent = [
        (1.0, 10.0),
        (2.0, 10.02),
        (2.0, 10.01),
        (2.0, 10.02),
        (3.0, 10.03),
        (3.0, 10.03),
    ];
    let read = |archive: &Archive| -> Vec<(f64, f64)> {
        let kept = archive.stored(uuid).unwrap().unwrap();
        let all = kept.records.transmissions.iter();
        all.map(|one| (one.time_stamp, one.position.longitude))
            .collect()
    };
    archive
        .ingest(uuid, &answer(&at_once(&sent), 100.0))
        .unwrap();
    let mut expected = sent;
    // Duplicates are adjacent, at the index of the first.
    expected.swap(2, 3);
    assert_eq!(read(&archive), expected);
    // Sent again in another order and without duplicates: the last order
    // counts.
    let again = [(1.0, 10.0), (2.0, 10.01), (2.0, 10.02), (3.0, 10.03)];
    archive
        .ingest(uuid, &answer(&at_once(&again), 200.0))
        .unwrap();
    assert_eq!(read(&archive), again);
}

#[test]
fn an_answer_that_was_asked_for_earlier_adds_fixes_and_replaces_and_strikes_nothing() {
    let mut archive = Archive::in_memory().unwrap();
    let uuid = Uuid::from_u128(7);
    let at = |fixes: &[(f64, f64)], began: f64, received_at: f64| Answer {
        took_s: received_at - began,
        ..answer(
            &testing::track::records(fixes.iter().map(|&(time, north)| (time, north, 2.0))),
            received_at,
        )
    };
    let validators = Validators {
        etag: Some("W/\"7\"".to_owned()),
        modified: None,
    };
    let newer = Answer {
        validators: validators.clone(),
        ..at(&[(10.0, 1.0), (20.0, 1.5), (40.0, 1.0)], 50.0, 52.0)
    };
    archive.ingest(uuid, &newer).unwrap();
    // The position of 20 was corrected since, and 40 had not come.
    let earlier = at(&[(10.0, 1.0), (20.0, 1.0), (30.0, 1.0)], 49.0, 60.0);
    let delta = archive.ingest(uuid, &earlier).unwrap();
    assert_eq!((delta.new, delta.backfilled, delta.absent), (1, 1, 0));
    let stored = archive.stored(uuid).unwrap().unwrap().records;
    let fixes: Vec<(f64, f64)> = (stored.transmissions.iter())
        .map(|one| (one.time_stamp, one.position.latitude))
        .collect();
    assert_eq!(fixes, [(10.0, 1.0), (20.0, 1.5), (30.0, 1.0), (40.0, 1.0)]);
    let unsent: Vec<f64> = stored.unsent.iter().map(|one| one.time_stamp).collect();
    assert_eq!(unsent, [30.0]);
    // The request after it is conditional on the newer answer.
    let known = archive.request_basis(uuid, "http://127.0.0.1:1", None);
    assert_eq!(known.unwrap().validators, validators);
    // One that was asked for later strikes as ever.
    archive
        .ingest(uuid, &at(&[(10.0, 1.0)], 70.0, 71.0))
        .unwrap();
    let unsent = archive.stored(uuid).unwrap().unwrap().records.unsent;
    assert_eq!(unsent.len(), 3);
}

#[test]
fn an_answer_of_another_service_is_kept_apart_until_a_person_says_so() {
    let mut archive = Archive::in_memory().unwrap();
    let uuid = Uuid::from_u128(7);
    let records = records(&[10.0]);
    let from = |source: &str| Answer {
        source: source.to_owned(),
        ..answer(&records, 100.0)
    };
    archive
        .ingest(uuid, &from("https://a.example/api"))
        .unwrap();
    let refused = archive.ingest(uuid, &from("https://b.example/api"));
    assert!(matches!(refused, Err(ArchiveError::Elsewhere { .. })));
    // Said again, it is wanted from wherever it comes now.
    let entry = Deployment::new(uuid);
    archive.watch(&entry, 0.0).unwrap();
    archive.watch(&entry, 0.0).unwrap();
    archive
        .ingest(uuid, &from("https://b.example/api"))
        .unwrap();
    // Two loopback URLs count as one service: either may be an SSH tunnel.
    archive.watch(&entry, 0.0).unwrap();
    archive
        .ingest(uuid, &from("http://127.0.0.1:7101"))
        .unwrap();
    archive
        .ingest(uuid, &from("http://localhost:7102"))
        .unwrap();
}

#[test]
fn a_flag_set_by_hand_is_kept_and_taken_back() {
    let mut archive = Archive::in_memory().unwrap();
    let (uuid, place) = (Uuid::from_u128(7), crate::testing::at(1.0, 2.0));
    let fix = Transmission {
        time_stamp: 10.0,
        position: place,
    };
    archive
        .set_override(uuid, fix, Some(Flag::Fail), 100.0)
        .unwrap();
    assert_eq!(
        archive.overrides(uuid).unwrap().get(10.0, place),
        Some(Flag::Fail)
    );
    archive.set_override(uuid, fix, None, 100.0).unwrap();
    assert!(archive.overrides(uuid).unwrap().is_empty());
}

#[test]
fn of_unusable_records_as_many_are_counted_as_the_response_had() {
    let mut archive = Archive::in_memory().unwrap();
    let uuid = Uuid::from_u128(7);
    let mut many = records(&[10.0]);
    for index in 0..2500 {
        let fault = RecordFault::Missing(Member::Latitude);
        many.add_unusable(index, fault.at(20.0), || "{}".to_owned());
    }
    archive.ingest(uuid, &answer(&many, 100.0)).unwrap();
    let kept = archive.stored(uuid).unwrap().unwrap().records;
    assert_eq!((kept.unusable.len(), kept.unusable_count()), (1000, 2500));
    assert_eq!(kept.invalid_times, many.invalid_times);
    assert_eq!(kept.invalid_times.len(), 2500);
    // They are of the latest response alone.
    archive
        .ingest(uuid, &answer(&records(&[10.0]), 200.0))
        .unwrap();
    let kept = archive.stored(uuid).unwrap().unwrap().records;
    assert_eq!(kept.unusable_count(), 0);
    assert_eq!(kept.invalid_times, []);
}

#[test]
fn newer_records_that_cannot_be_used_are_news_to_those_who_judge() {
    let mut archive = Archive::in_memory().unwrap();
    let uuid = Uuid::from_u128(7);
    let of = |times: &[f64]| {
        let mut records = records(&[10.0]);
        for time in times {
            let fault = RecordFault::Missing(Member::Latitude);
            records.add_unusable(0, fault.at(*time), String::new);
        }
        records
    };
    let mut revision = |times: &[f64], at: f64| {
        archive.ingest(uuid, &answer(&of(times), at)).unwrap();
        archive.stored(uuid).unwrap().unwrap().revision
    };
    let first = revision(&[20.0], 100.0);
    assert_eq!(revision(&[20.0], 200.0), first);
    assert!(revision(&[20.0, 30.0], 300.0) > first);
}

#[test]
fn a_late_response_to_a_request_before_a_confirmation_adds_fixes_and_replaces_nothing() {
    let mut archive = Archive::in_memory().unwrap();
    let uuid = Uuid::from_u128(7);
    let at = |fixes: &[(f64, f64)], began: f64, received_at: f64| Answer {
        took_s: received_at - began,
        ..answer(
            &testing::track::records(fixes.iter().map(|&(time, north)| (time, north, 2.0))),
            received_at,
        )
    };
    let stored = at(&[(10.0, 1.0), (20.0, 1.0)], 0.0, 1.0);
    archive.ingest(uuid, &stored).unwrap();
    archive.confirm(uuid, &unchanged(60.0, 59.0)).unwrap();
    let late = at(&[(10.0, 1.5), (30.0, 1.0)], 30.0, 61.0);
    archive.ingest(uuid, &late).unwrap();
    let kept = archive.stored(uuid).unwrap().unwrap().records;
    let fixes: Vec<(f64, f64)> = (kept.transmissions.iter())
        .map(|one| (one.time_stamp, one.position.latitude))
        .collect();
    assert_eq!(fixes, [(10.0, 1.0), (20.0, 1.0), (30.0, 1.0)]);
    let unsent: Vec<f64> = kept.unsent.iter().map(|one| one.time_stamp).collect();
    assert_eq!(unsent, [30.0]);
}
