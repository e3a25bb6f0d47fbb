//! A file is to be written again when something in it has changed, and no other is.

use std::sync::Arc;

use uuid::Uuid;

use super::*;
use crate::failure::FailureKind;
use crate::testing::fields::with_fields;
use crate::testing::track::records;
use crate::track::{Answer, Deployment, Records, Transmission};

const JANUARY: f64 = 1_767_225_600.0;
const DAY: f64 = 86_400.0;
const FIRST: Uuid = Uuid::from_u128(1);
const SECOND: Uuid = Uuid::from_u128(2);

fn ingest(archive: &mut Archive, uuid: Uuid, records: &Records) {
    let answer = Answer {
        records: Arc::new(records.clone()),
        ..Answer::new(200, "http://127.0.0.1:1", 1.8e9)
    };
    archive.ingest(uuid, &answer).unwrap();
}

/// Stores fixes of these days since the beginning of January 2026.
fn stored(archive: &mut Archive, uuid: Uuid, days: &[f64]) {
    let fixes = days.iter().map(|day| (JANUARY + day * DAY, 60.0, *day));
    ingest(archive, uuid, &records(fixes));
}

/// An archive with two deployments from January to March.
fn archive() -> Archive {
    let mut archive = Archive::in_memory().unwrap();
    for uuid in [FIRST, SECOND] {
        stored(&mut archive, uuid, &[0.0, 1.0, 35.0, 36.0, 37.0, 70.0]);
    }
    archive
}

/// The files of an archive, each month in as many buckets.
fn files(archive: &Archive, buckets: u16) -> BTreeMap<Partition, Part> {
    let contents = Contents::read(archive, &Stop::default()).unwrap();
    let months = contents.months().into_keys();
    contents.files(&months.map(|month| (month, buckets)).collect())
}

/// The files that have changed, by their month, and how many records they have more.
#[track_caller]
fn changed(archive: &Archive, before: &mut BTreeMap<Partition, Part>, expected: &[(&str, u64)]) {
    let now = files(archive, 1);
    let changed = now
        .iter()
        .filter(|(file, part)| before.get(file) != Some(part));
    let changed: Vec<(String, u64)> = changed
        .map(|(file, part)| {
            let rows = before.get(file).map_or(0, |part| part.rows);
            (file.month.to_string(), part.rows - rows)
        })
        .collect();
    let expected: Vec<(String, u64)> = (expected.iter())
        .map(|(month, rows)| ((*month).to_owned(), *rows))
        .collect();
    assert_eq!(changed, expected);
    *before = now;
}

#[test]
fn new_records_change_the_files_of_their_months() {
    let mut archive = archive();
    let mut known = BTreeMap::new();
    let first = [("2026-01", 4), ("2026-02", 6), ("2026-03", 2)];
    changed(&archive, &mut known, &first);
    changed(&archive, &mut known, &[]);
    // At the end, of a month that was not there, and one that came late.
    stored(&mut archive, FIRST, &[70.5, 100.0]);
    changed(&archive, &mut known, &[("2026-03", 1), ("2026-04", 1)]);
    stored(&mut archive, SECOND, &[2.0]);
    changed(&archive, &mut known, &[("2026-01", 1)]);
    // The same answer again brings nothing.
    stored(&mut archive, SECOND, &[2.0]);
    changed(&archive, &mut known, &[]);
}

#[test]
fn changed_fields_flags_and_labels_change_files() {
    let mut archive = archive();
    let fields = |value: f64| {
        let fixes = [0.0, 40.0].map(|day| (JANUARY + day * DAY, 60.0, day));
        with_fields(fixes, &["battery".to_owned()], move |_, record| {
            Some(if record == 1 { value } else { 12.5 })
        })
    };
    ingest(&mut archive, FIRST, &fields(11.0));
    let mut known = files(&archive, 1);
    ingest(&mut archive, FIRST, &fields(11.5));
    // Fields of few records are stored anew together: January comes with them.
    changed(&archive, &mut known, &[("2026-01", 0), ("2026-02", 0)]);
    let position = crate::geo::Position {
        latitude: 60.0,
        longitude: 36.0,
    };
    let at = Transmission {
        time_stamp: JANUARY + 36.0 * DAY,
        position,
    };
    for flag in [Some(Flag::Fail), Some(Flag::Suspect), None] {
        archive.set_override(SECOND, at, flag, 1.8e9).unwrap();
        changed(&archive, &mut known, &[("2026-02", 0)]);
        changed(&archive, &mut known, &[]);
    }
    let labelled = Deployment {
        label: Some("buoy".to_owned()),
        ..Deployment::new(SECOND)
    };
    archive.change(None, &labelled, false, 1.8e9).unwrap();
    let all = [("2026-01", 0), ("2026-02", 0), ("2026-03", 0)];
    changed(&archive, &mut known, &all);
}

#[test]
fn of_many_files_of_a_month_only_that_of_the_deployment_changes() {
    let mut archive = archive();
    let before = files(&archive, 256);
    stored(&mut archive, SECOND, &[1.5]);
    let after = files(&archive, 256);
    let changed: Vec<&Partition> = (after.iter())
        .filter(|(file, part)| before.get(file) != Some(part))
        .map(|(file, _)| file)
        .collect();
    let expected = Partition::of(Month::of(1_767_225_600.0), slot(SECOND), 256);
    assert_eq!(changed, [&expected]);
}

#[test]
fn a_reading_ends_where_it_is_asked_to() {
    let stop = Stop::default();
    stop.ask();
    let failure = Contents::read(&archive(), &stop).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Interrupted);
}
