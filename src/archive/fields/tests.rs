//! Stored fields: kept for every record, the newer values shown, small, checked
//! and recovered.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::archive::tests::answer;
use crate::testing::chance::rounds;
use crate::track::field::{FieldChoice, FieldRows};
use crate::track::{Flag, Track, TrackOptions, Transmission};
use crate::watch::Answer;

const DEPLOYMENT: Uuid = Uuid::from_u128(7);

/// A field's value that owns its text.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Null,
    Truth(bool),
    Number(f64),
    Text(String),
}

impl Value {
    fn of(&self) -> FieldValue<'_> {
        match self {
            Self::Null => FieldValue::Null,
            Self::Truth(is) => FieldValue::Truth(*is),
            Self::Number(number) => FieldValue::Number(*number),
            Self::Text(text) => FieldValue::Text(text),
        }
    }
}

type Record = (f64, Vec<(&'static str, Value)>);

/// An answer with these records, which differ in their times.
fn records(all: &[Record]) -> Records {
    let mut table = FieldTable::default();
    for (row, (_, fields)) in (0..).zip(all) {
        table.begin();
        for (name, value) in fields {
            table.add(row, name, value.of(), |_| true).unwrap();
        }
    }
    let mut records = crate::testing::track::records(all.iter().map(|one| (one.0, 1.0, 2.0)));
    records.fields = FieldRows::new(table);
    records
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Truth),
        (-1e6f64..1e6).prop_map(Value::Number),
        (-1000i32..1000).prop_map(|n| Value::Number(f64::from(n) / 100.0)),
        ".{0,9}".prop_map(Value::Text),
    ]
}

fn any_answer() -> impl Strategy<Value = Vec<Record>> {
    let names = prop::sample::select(vec!["a", "b", "t_0", "t_1", "=\u{e5}\u{1b}"]);
    let fields = prop::collection::btree_map(names, any_value(), 0..5);
    let record = fields.prop_map(|fields: BTreeMap<_, _>| fields.into_iter().collect());
    prop::collection::btree_map(0u8..30, record, 0..20).prop_map(|records: BTreeMap<u8, Vec<_>>| {
        let time = |(number, fields)| (f64::from(number), fields);
        records.into_iter().map(time).collect()
    })
}

/// The stored fields of each record, by its time.
fn stored(archive: &Archive) -> BTreeMap<u64, BTreeMap<String, String>> {
    let Some(stored) = archive.stored_with_fields(DEPLOYMENT).unwrap() else {
        return BTreeMap::new();
    };
    let Records {
        transmissions,
        fields,
        ..
    } = stored.records;
    let of = |fix| {
        fields
            .of_fix(fix)
            .map(|(name, value)| (name.to_owned(), format!("{value:?}")))
    };
    let all = transmissions.iter().enumerate();
    all.map(|(fix, one)| (one.time_stamp.to_bits(), of(fix).collect()))
        .collect()
}

proptest! {
    // Over a server each case is a database of 8 MB, which stays to the end.
    #![proptest_config(ProptestConfig::with_cases(rounds(24, 120) as u32))]
    #[test]
    fn every_field_is_kept_and_the_newer_value_shown(
        answers in prop::collection::vec(any_answer(), 1..5)
    ) {
        let mut archive = Archive::in_memory().unwrap();
        let mut expected: BTreeMap<u64, BTreeMap<String, String>> = BTreeMap::new();
        for (at, sent) in (0..).zip(&answers) {
            archive.ingest(DEPLOYMENT, &answer(&records(sent), f64::from(at))).unwrap();
            for (time, fields) in sent {
                let kept = expected.entry(time.to_bits()).or_default();
                for (name, value) in fields {
                    kept.insert((*name).to_owned(), format!("{:?}", value.of()));
                }
            }
            prop_assert_eq!(&stored(&archive), &expected);
        }
        prop_assert_eq!(archive.check().unwrap(), Vec::<String>::new());
    }
}

#[test]
fn one_answer_reads_back_as_it_was_with_its_columns_in_order() {
    let number = |number: i32| Value::Number(f64::from(number));
    // The newest comes first, with the fields that the older ones lack.
    let sent = records(&[
        (30.0, vec![("new", number(1)), ("old", number(2))]),
        (20.0, vec![("old", Value::Text("x".to_owned()))]),
        (10.0, vec![("older", number(3)), ("old", Value::Null)]),
    ]);
    let mut archive = Archive::in_memory().unwrap();
    archive.ingest(DEPLOYMENT, &answer(&sent, 1.0)).unwrap();
    let stored = archive.stored_with_fields(DEPLOYMENT).unwrap().unwrap();
    assert_eq!(stored.records.fields, sent.fields.select([2, 1, 0]));
    // Without being asked for they are not read.
    let plain = archive.stored(DEPLOYMENT).unwrap().unwrap();
    assert!(plain.records.fields.is_empty());
    // The verdict on positions needs the classes of Argos, whoever reads them.
    let text = |text: &str| Value::Text(text.to_owned());
    let argos = records(&[
        (10.0, vec![("argos_lc", text("3")), ("old", number(1))]),
        (20.0, vec![("argos_lc", text("Z"))]),
    ]);
    let seal = Uuid::from_u128(8);
    let mut other = Archive::in_memory().unwrap();
    other.ingest(seal, &answer(&argos, 1.0)).unwrap();
    let stored = other.stored(seal).unwrap().unwrap();
    let track = Track::new(&stored.records, &TrackOptions::new(Default::default(), 1e9));
    assert_eq!(track.flags(), [Flag::NotEvaluated, Flag::Fail]);
    // The same once more changes nothing; one record more rewrites little.
    let before: i64 = count(&archive, "max(id)");
    archive.ingest(DEPLOYMENT, &answer(&sent, 2.0)).unwrap();
    assert_eq!(count(&archive, "max(id)"), before);
}

#[test]
fn classes_that_only_some_batches_have_fail_their_fixes() {
    let plain = |n: u32| (f64::from(n) * 600.0, vec![("volts", Value::Number(3.5))]);
    let argos = |n: u32| {
        let class = Value::Text(if n.is_multiple_of(10) { "Z" } else { "1" }.to_owned());
        (f64::from(n) * 600.0, vec![("lc", class)])
    };
    let stored = |parts: &[Vec<Record>]| {
        let mut archive = Archive::in_memory().unwrap();
        for (part, at) in parts.iter().zip(1..) {
            let answer = answer(&records(part), f64::from(at));
            // Later responses lack the fixes of earlier ones, which stay.
            archive.ingest(DEPLOYMENT, &answer).unwrap();
        }
        let stored = archive.stored(DEPLOYMENT).unwrap().unwrap();
        let options = TrackOptions::new(Default::default(), 1e9);
        let track = Track::new(&stored.records, &options);
        let failed = track.flags().iter().filter(|flag| **flag == Flag::Fail);
        (count(&archive, "count(*)"), failed.count())
    };
    // In a batch of their own, which is the first, the second or the last.
    let small = 2 * u32::try_from(SMALL).unwrap();
    let part = |from: u32, make: &dyn Fn(u32) -> Record| (from..from + small).map(make).collect();
    for classes_at in 0..3 {
        let parts: Vec<Vec<Record>> = (0..3)
            .map(|at| {
                if at == classes_at {
                    part(at * small, &argos)
                } else {
                    part(at * small, &plain)
                }
            })
            .collect();
        let found = (small / 10) as usize;
        let (batches, failed) = stored(&parts);
        assert_eq!(batches, 3);
        assert!(
            (found..=found + 1).contains(&failed),
            "{classes_at}: {failed}"
        );
    }
    // In the middle of one long response.
    let most = u32::try_from(MOST_RECORDS).unwrap();
    let is_argos = |n: &u32| (most + 100..most + 200).contains(n);
    let long = (0..2 * most + 300).map(|n| if is_argos(&n) { argos(n) } else { plain(n) });
    assert_eq!(stored(&[long.collect()]), (3, 10));
}

fn count(archive: &Archive, what: &str) -> i64 {
    let query = format!("SELECT CAST({what} AS BIGINT) FROM field_batch");
    archive
        .connection
        .row(&query, (), |row| row.get(0))
        .unwrap()
}

/// An ice buoy with a thermistor string: every record has 160 temperatures.
fn thermistor_string(rows: u32) -> (Records, usize) {
    let (mut table, mut json) = (FieldTable::default(), 0);
    for row in 0..rows {
        table.begin();
        json += r#"{"time_stamp":1700000000,"latitude":80.12345,"longitude":-10.12345},"#.len();
        for index in 0..160u32 {
            let name = format!("dtc_values_{index}");
            let drift = (f64::from(row) * 0.01 + f64::from(index) * 0.1).sin();
            let noise = f64::from((row * 7919 + index * 104_729) % 13) * 0.0625;
            let value = ((-12.0 + 5.0 * drift + noise) * 16.0).round() / 16.0;
            json += format!("\"{name}\":{value},").len();
            table
                .add(row, &name, FieldValue::Number(value), |_| true)
                .unwrap();
        }
    }
    let times = (0..rows).map(|row| (1.7e9 + 3600.0 * f64::from(row), 80.0, -10.0));
    let mut records = crate::testing::track::records(times);
    records.fields = FieldRows::new(table);
    (records, json)
}

#[test]
fn a_thermistor_string_takes_less_than_a_quarter_of_its_json() {
    let (records, json) = thermistor_string(2000);
    let mut archive = Archive::in_memory().unwrap();
    archive.ingest(DEPLOYMENT, &answer(&records, 1.0)).unwrap();
    let stored = count(&archive, "sum(length(body))");
    assert!(
        stored * 4 < i64::try_from(json).unwrap(),
        "{stored} of {json}"
    );
    assert!(count(&archive, "count(*)") >= 1);
}

#[test]
fn values_that_change_with_every_answer_do_not_fill_the_disk() {
    let mut archive = Archive::in_memory().unwrap();
    for at in 0..40 {
        let age = Value::Number(f64::from(at));
        let sent: Vec<Record> = (0..1000)
            .map(|time| (f64::from(time), vec![("age", age.clone())]))
            .collect();
        archive
            .ingest(DEPLOYMENT, &answer(&records(&sent), f64::from(at)))
            .unwrap();
    }
    assert!(count(&archive, "sum(rows)") < 12_000);
    let fields = archive
        .stored_with_fields(DEPLOYMENT)
        .unwrap()
        .unwrap()
        .records
        .fields;
    assert_eq!(
        fields.of_fix(999).next(),
        Some(("age", FieldValue::Number(39.0)))
    );
}

#[test]
fn records_that_come_one_by_one_are_stored_together() {
    let mut archive = Archive::in_memory().unwrap();
    let mut sent: Vec<Record> = Vec::new();
    for time in 0..30 {
        sent.push((f64::from(time), vec![("x", Value::Number(f64::from(time)))]));
        archive
            .ingest(DEPLOYMENT, &answer(&records(&sent), f64::from(time)))
            .unwrap();
    }
    assert_eq!(
        (count(&archive, "count(*)"), count(&archive, "sum(rows)")),
        (1, 30)
    );
}

#[test]
fn damage_is_found_told_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    for (change, kept) in [
        ("UPDATE field_batch SET body = zeroblob(length(body))", 0),
        (
            "UPDATE field_batch SET body = CAST(zeroblob(3) || body AS BLOB)",
            0,
        ),
    ] {
        let path = folder.path().join(format!("{}.db", change.len()));
        let mut archive = Archive::open(&path).unwrap();
        let sent = records(&[
            (1.0, vec![("x", Value::Number(1.0))]),
            (2.0, vec![("x", Value::Text("y".to_owned()))]),
        ]);
        archive.ingest(DEPLOYMENT, &answer(&sent, 1.0)).unwrap();
        let off = "PRAGMA foreign_keys = OFF";
        archive
            .connection
            .execute_batch(&format!("{off}; {change}"))
            .unwrap();
        assert!(
            archive.check().unwrap()[0].contains("are damaged"),
            "{change}"
        );
        assert!(matches!(
            archive.stored_with_fields(DEPLOYMENT),
            Err(ArchiveError::Damaged { .. })
        ));
        assert!(matches!(
            archive.ingest(DEPLOYMENT, &answer(&sent, 2.0)),
            Err(ArchiveError::Damaged { .. })
        ));
        drop(archive);
        Archive::recover(&path, 1.8e9).unwrap().unwrap();
        let mut archive = Archive::open(&path).unwrap();
        assert_eq!(archive.check().unwrap(), Vec::<String>::new());
        assert_eq!(count(&archive, "coalesce(sum(rows), 0)"), kept);
        // What the service still has comes back.
        archive.ingest(DEPLOYMENT, &answer(&sent, 3.0)).unwrap();
        let stored = archive
            .stored_with_fields(DEPLOYMENT)
            .unwrap()
            .unwrap()
            .records;
        let all: Vec<_> = (0..stored.transmissions.len())
            .flat_map(|fix| stored.fields.of_fix(fix))
            .collect();
        assert!(all.len() >= 2, "{change}");
    }
}

#[test]
fn an_answer_to_another_request_is_not_asked_for_by_its_validators() {
    let mut archive = Archive::in_memory().unwrap();
    let base = "http://127.0.0.1:1";
    let sent = records(&[(1.0, vec![("x", Value::Null)])]);
    let list = |asked: Option<&str>| {
        let names = asked.map(|asked| asked.split_terminator(',').map(str::to_owned));
        names.map(|names| FieldChoice::new(names.collect()))
    };
    let asked = |asked: Option<&str>| {
        let mut one: Answer = answer(&sent, 1.0);
        one.validators.etag = Some("\"7\"".to_owned());
        one.asked = list(asked);
        one
    };
    for (first, second) in [(None, Some("")), (Some(""), None), (Some("a"), Some("a,b"))] {
        archive.ingest(DEPLOYMENT, &asked(first)).unwrap();
        let empty = |of| {
            archive
                .request_basis(DEPLOYMENT, base, list(of).as_ref())
                .unwrap()
                .validators
                .is_empty()
        };
        assert!(!empty(first) && empty(second));
    }
}

#[test]
fn of_repeats_in_an_answer_the_last_is_stored() {
    let mut sent = records(&[
        (1.0, vec![("x", Value::Number(1.0))]),
        (2.0, vec![("x", Value::Number(2.0))]),
    ]);
    let one = Transmission::new(1.0, 1.0, 2.0).unwrap();
    sent.transmissions = vec![one, one].into();
    let mut archive = Archive::in_memory().unwrap();
    archive.ingest(DEPLOYMENT, &answer(&sent, 1.0)).unwrap();
    let stored = archive
        .stored_with_fields(DEPLOYMENT)
        .unwrap()
        .unwrap()
        .records;
    assert_eq!(stored.transmissions.len(), 2);
    for fix in 0..2 {
        let value = stored.fields.of_fix(fix).next();
        assert_eq!(value, Some(("x", FieldValue::Number(2.0))));
    }
}

#[test]
fn repeats_in_an_answer_are_stored_with_the_fields_of_all_of_them() {
    let number = |number: f64| Value::Number(number);
    let mut sent = records(&[
        (1.0, vec![("x", number(1.0)), ("battery", number(12.0))]),
        (2.0, vec![("x", number(2.0))]),
        (3.0, vec![("air", number(-4.0))]),
        (4.0, vec![]),
    ]);
    let one = Transmission::new(1.0, 1.0, 2.0).unwrap();
    sent.transmissions = vec![one; 4].into();
    let mut archive = Archive::in_memory().unwrap();
    // What is stored is not changed by the same answer once more.
    for at in [1.0, 2.0] {
        archive.ingest(DEPLOYMENT, &answer(&sent, at)).unwrap();
        let stored = archive.stored_with_fields(DEPLOYMENT).unwrap().unwrap();
        let fields: Vec<_> = stored.records.fields.of_fix(0).collect();
        let merged = [("x", 2.0), ("battery", 12.0), ("air", -4.0)];
        assert_eq!(
            fields,
            merged.map(|(name, n)| (name, FieldValue::Number(n)))
        );
        assert_eq!(count(&archive, "count(*)"), 1);
    }
}

#[test]
fn more_fields_than_a_table_has_are_not_stored_again_and_again_and_are_told() {
    let mut archive = Archive::in_memory().unwrap();
    for (part, unkept) in [(0, 0), (1, 0), (2, 1500 - MOST_FIELDS)] {
        let mut table = FieldTable::default();
        table.begin();
        for number in 0..500 {
            let name = format!("f{part}_{number}");
            table.add(0, &name, FieldValue::Null, |_| true).unwrap();
        }
        let mut sent = records(&[(1.0, vec![])]);
        sent.fields = FieldRows::new(table);
        let delta = archive.ingest(DEPLOYMENT, &answer(&sent, 1.0)).unwrap();
        assert_eq!(delta.unstored_fields, unkept);
        let last = count(&archive, "max(id)");
        let delta = archive.ingest(DEPLOYMENT, &answer(&sent, 2.0)).unwrap();
        assert_eq!(delta.unstored_fields, unkept);
        assert_eq!(count(&archive, "max(id)"), last);
    }
    let stored = archive.stored_with_fields(DEPLOYMENT).unwrap().unwrap();
    assert_eq!(stored.records.fields.of_fix(0).count(), MOST_FIELDS);
}
