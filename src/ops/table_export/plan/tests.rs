//! What changed since the last export is found, and nothing else.

use std::sync::Arc;

use uuid::Uuid;

use super::*;
use crate::testing::fields::with_fields;
use crate::testing::track::records;
use crate::track::{Answer, Deployment, Records};

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

impl Plan {
    /// Adds a month with so many new records.
    pub(in crate::ops::table_export) fn add_for_test(&mut self, month: Month, records: u64) {
        self.months.entry(month).or_default().add(0);
        *self.new.entry(month).or_default() += records;
    }
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

fn planned(archive: &Archive, manifest: &Manifest) -> Plan {
    plan(archive, manifest, &Stop::default()).unwrap()
}

/// The manifest after what is planned was exported, with one file a month.
fn exported(archive: &Archive, before: &Manifest) -> Manifest {
    let plan = planned(archive, before);
    let mut manifest = before.clone();
    manifest
        .months
        .extend(plan.months().map(|month| (month, 1)));
    let of = |one: &Planned| (one.known.uuid.to_string(), one.exported.clone());
    manifest.deployments = plan.deployments.iter().map(of).collect();
    manifest
}

/// The months that are to be written, and their numbers of new records.
fn months(plan: &Plan) -> Vec<(String, u64)> {
    let new = |month: Month| plan.new.get(&month).copied().unwrap_or(0);
    plan.months()
        .map(|month| (month.to_string(), new(month)))
        .collect()
}

fn expected(months: &[(&str, u64)]) -> Vec<(String, u64)> {
    months
        .iter()
        .map(|(month, new)| ((*month).to_owned(), *new))
        .collect()
}

#[test]
fn at_first_everything_is_new_and_then_nothing() {
    let archive = archive();
    let plan = planned(&archive, &Manifest::default());
    let all = expected(&[("2026-01", 4), ("2026-02", 6), ("2026-03", 2)]);
    assert_eq!(months(&plan), all);
    let one = &plan.deployments[0].exported;
    assert_eq!((one.rows, one.last - one.first), (6, 70 * 86_400));
    let manifest = exported(&archive, &Manifest::default());
    assert_eq!(months(&planned(&archive, &manifest)), []);
    assert_eq!(exported(&archive, &manifest), manifest);
}

#[test]
fn new_records_are_found_at_the_end_and_before_it() {
    let mut archive = archive();
    let manifest = exported(&archive, &Manifest::default());
    stored(&mut archive, FIRST, &[70.5, 100.0]);
    let at_the_end = expected(&[("2026-03", 1), ("2026-04", 1)]);
    assert_eq!(months(&planned(&archive, &manifest)), at_the_end);
    // One of the same time as the last, and one that came late.
    let manifest = exported(&archive, &manifest);
    ingest(
        &mut archive,
        FIRST,
        &records([(JANUARY + 100.0 * DAY, 61.0, 1.0)]),
    );
    stored(&mut archive, SECOND, &[2.0]);
    let before_it = expected(&[("2026-01", 1), ("2026-04", 1)]);
    assert_eq!(months(&planned(&archive, &manifest)), before_it);
    // The same answer again brings nothing.
    let manifest = exported(&archive, &manifest);
    stored(&mut archive, SECOND, &[2.0]);
    assert_eq!(months(&planned(&archive, &manifest)), []);
}

#[test]
fn changed_fields_flags_and_labels_are_found() {
    let mut archive = archive();
    let fields = |value: f64| {
        let fixes = [0.0, 40.0].map(|day| (JANUARY + day * DAY, 60.0, day));
        with_fields(fixes, &["battery".to_owned()], move |_, record| {
            Some(if record == 1 { value } else { 12.5 })
        })
    };
    ingest(&mut archive, FIRST, &fields(11.0));
    let manifest = exported(&archive, &Manifest::default());
    ingest(&mut archive, FIRST, &fields(11.5));
    let plan = planned(&archive, &manifest);
    // Fields of few records are stored anew together: January comes with them.
    let changed = expected(&[("2026-01", 0), ("2026-02", 0)]);
    assert_eq!(months(&plan), changed);

    let manifest = exported(&archive, &manifest);
    let fix = crate::geo::Position {
        latitude: 60.0,
        longitude: 36.0,
    };
    let at = (JANUARY + 36.0 * DAY, fix);
    let february = expected(&[("2026-02", 0)]);
    archive
        .set_override(SECOND, at, Some(Flag::Fail), 1.8e9)
        .unwrap();
    assert_eq!(months(&planned(&archive, &manifest)), february);
    let manifest = exported(&archive, &manifest);
    assert_eq!(months(&planned(&archive, &manifest)), []);
    archive
        .set_override(SECOND, at, Some(Flag::Suspect), 1.8e9)
        .unwrap();
    assert_eq!(months(&planned(&archive, &manifest)), february);
    archive.set_override(SECOND, at, None, 1.8e9).unwrap();
    assert_eq!(months(&planned(&archive, &manifest)), february);

    let manifest = exported(&archive, &manifest);
    let labelled = Deployment {
        label: Some("buoy".to_owned()),
        ..Deployment::new(SECOND)
    };
    archive.change(None, &labelled, false, 1.8e9).unwrap();
    let plan = planned(&archive, &manifest);
    let all = expected(&[("2026-01", 0), ("2026-02", 0), ("2026-03", 0)]);
    assert_eq!(months(&plan), all);
    assert_eq!(plan.files(&manifest.months).len(), 3);
}

#[test]
fn an_archive_that_is_another_or_has_lost_records_is_refused() {
    let whole = archive();
    let manifest = exported(&whole, &Manifest::default());
    let refused = |archive: &Archive| plan(archive, &manifest, &Stop::default()).unwrap_err();
    let mut other = Archive::in_memory().unwrap();
    stored(&mut other, FIRST, &[0.0, 1.0, 35.0, 36.0, 37.0, 70.0]);
    let failure = refused(&other);
    assert!(
        failure.message().contains("1 deployments of the table"),
        "{failure}"
    );
    stored(&mut other, SECOND, &[0.0, 1.0]);
    let failure = refused(&other);
    assert!(failure.message().contains("2 records of"), "{failure}");
    assert_eq!(failure.kind, FailureKind::Other);
    // One with the same records and more of its own is as good: its numbers are not
    // those of the other, so all of what differs is written.
    let mut copy = Archive::in_memory().unwrap();
    stored(&mut copy, SECOND, &[0.0, 1.0, 35.0, 36.0, 37.0, 70.0, 71.0]);
    stored(&mut copy, FIRST, &[0.0, 1.0, 35.0, 36.0, 37.0, 70.0]);
    let differs = planned(&copy, &manifest);
    assert!(differs.months().any(|month| month.to_string() == "2026-03"));
    assert_eq!(differs.deployments.len(), 2);
}

#[test]
fn only_the_files_with_something_new_are_to_be_written() {
    let mut archive = archive();
    let mut manifest = exported(&archive, &Manifest::default());
    for buckets in manifest.months.values_mut() {
        *buckets = 256;
    }
    stored(&mut archive, SECOND, &[1.5]);
    let files = planned(&archive, &manifest).files(&manifest.months);
    let expected = Partition::of("2026-01".parse().unwrap(), slot(SECOND), 256);
    assert_eq!(files, [expected]);
}

#[test]
fn a_reading_ends_where_it_is_asked_to() {
    let archive = archive();
    let stop = Stop::default();
    stop.ask();
    let failure = plan(&archive, &Manifest::default(), &stop).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Interrupted);
}
