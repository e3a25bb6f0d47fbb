//! Columns, rows, choices and profiles.

use super::table::SecondValue;
use super::*;

fn table(records: &[&[(&str, FieldValue<'_>)]]) -> FieldTable {
    let mut table = FieldTable::default();
    for (row, fields) in (0..).zip(records) {
        table.begin();
        for (name, value) in *fields {
            table.add(row, name, *value, |_| true).unwrap();
        }
    }
    table
}

const ONE: FieldValue<'_> = FieldValue::Number(1.0);
const A: FieldValue<'_> = FieldValue::Text("a");

#[test]
fn a_field_comes_late_goes_and_changes_its_type() {
    let rows = FieldRows::new(table(&[
        &[],
        &[("x", ONE), ("y", A)],
        &[("y", A), ("x", FieldValue::Null)],
        &[],
        &[("x", A), ("z", FieldValue::Truth(true))],
        &[("x", FieldValue::Digits("9007199254740993"))],
    ]));
    let names: Vec<&str> = rows.columns().map(FieldColumn::name).collect();
    assert_eq!(names, ["x", "y", "z"]);
    let x: Vec<_> = (0..7)
        .map(|fix| rows.value(rows.columns().next().unwrap(), fix))
        .collect();
    assert_eq!(
        x,
        [
            None,
            Some(ONE),
            Some(FieldValue::Null),
            None,
            Some(A),
            Some(FieldValue::Digits("9007199254740993")),
            None
        ]
    );
    let turned = rows.select([5, 0, 4]);
    assert_eq!(turned.of_fix(0).count(), 1);
    assert_eq!(turned.of_fix(1).count(), 0);
    assert_eq!(turned.of_fix(2).count(), 2);
    assert_eq!(turned.of_fix(3).count(), 0);
    assert!(turned.select([2, 1, 0]) != turned);
    assert_eq!(turned.select([1, 0]), rows.select([0, 5]));
}

#[test]
fn a_record_that_is_taken_back_leaves_nothing() {
    let mut table = table(&[&[("x", A)]]);
    let before = FieldRows::new(table.clone());
    for value in [ONE, A, FieldValue::Text("longer")] {
        table.begin();
        table.add(1, "x", value, |_| true).unwrap();
        table.add(1, "new", ONE, |_| true).unwrap();
        assert_eq!(table.add(1, "new", ONE, |_| true), Err(SecondValue));
        table.undo();
        assert_eq!(FieldRows::new(table.clone()), before);
    }
    table.begin();
    table.add(1, "x", A, |_| true).unwrap();
    let rows = FieldRows::new(table);
    let all: Vec<_> = (0..2).flat_map(|fix| rows.of_fix(fix)).collect();
    assert_eq!(all, [("x", A), ("x", A)]);
}

#[test]
fn what_passes_the_bounds_is_told() {
    let mut table = FieldTable::default();
    table.begin();
    for number in 0..MOST_FIELDS + 2 {
        table.add(0, &format!("f{number}"), ONE, |_| true).unwrap();
    }
    let long = "x".repeat(LONGEST_VALUE + 1);
    table.begin();
    table
        .add(1, "f0", FieldValue::Text(&long), |_| true)
        .unwrap();
    table
        .add(1, "f1", FieldValue::Text(&long[1..]), |_| true)
        .unwrap();
    assert_eq!(table.columns().len(), MOST_FIELDS);
    assert_eq!(
        table.note().unwrap(),
        "3 values are not stored: beyond 1024 fields, or with a text or a name longer than 65.5 kB"
    );
    assert_eq!(table.columns()[0].value(1), None);
    assert!(table.columns()[1].value(1).is_some());
}

#[test]
fn names_and_texts_are_changed_and_the_rest_stays() {
    let mut rows = FieldRows::new(table(&[
        &[("n", ONE), ("the secret", A)],
        &[("secret", FieldValue::Text("a secret")), ("n", A)],
        &[],
        &[
            ("n", FieldValue::Digits("9007199254740993")),
            ("secret", FieldValue::Text("")),
            ("[*]", ONE),
        ],
    ]));
    let before = rows.clone();
    let change = |text: &str| text.replace("secret", "[*]");
    rows.change(|text| text.contains("none"), change);
    assert_eq!(rows, before);
    rows.change(|text| text.contains("secret"), change);
    let names: Vec<&str> = rows.columns().map(FieldColumn::name).collect();
    assert_eq!(names, ["n", "the [*]", "[*] 2", "[*]"]);
    let values: Vec<Vec<_>> = (0..4).map(|fix| rows.of_fix(fix).collect()).collect();
    assert_eq!(values[0], [("n", ONE), ("the [*]", A)]);
    assert_eq!(values[1], [("n", A), ("[*] 2", FieldValue::Text("a [*]"))]);
    assert!(values[2].is_empty());
    let last = FieldValue::Digits("9007199254740993");
    let empty = FieldValue::Text("");
    assert_eq!(values[3], [("n", last), ("[*] 2", empty), ("[*]", ONE)]);
}

#[test]
fn a_name_that_is_too_long_is_told_as_one() {
    let mut table = FieldTable::default();
    let long = "n".repeat(LONGEST_VALUE + 1);
    for row in 0..2 {
        table.begin();
        table.add(row, &long, ONE, |_| true).unwrap();
        table.add(row, &long[1..], ONE, |_| true).unwrap();
    }
    table.begin();
    table.add(2, &long, ONE, |_| true).unwrap();
    table.undo();
    assert_eq!(table.columns().len(), 1);
    assert_eq!(
        table.note().unwrap(),
        "2 values are not stored: beyond 1024 fields, or with a text or a name longer than 65.5 kB"
    );
}

#[test]
fn a_number_is_kept_to_its_last_digit() {
    for (json, value) in [
        ("1", FieldValue::Number(1.0)),
        ("-1.25e2", FieldValue::Number(-125.0)),
        (
            "9007199254740991",
            FieldValue::Number(9_007_199_254_740_991.0),
        ),
        ("9007199254740992", FieldValue::Digits("9007199254740992")),
        ("9007199254740993", FieldValue::Digits("9007199254740993")),
        ("-9007199254740993", FieldValue::Digits("-9007199254740993")),
        (
            "300234065873520128",
            FieldValue::Digits("300234065873520128"),
        ),
        (
            "100000000000000000000",
            FieldValue::Digits("100000000000000000000"),
        ),
        ("1e20", FieldValue::Number(1e20)),
        ("1e999", FieldValue::Text("1e999")),
    ] {
        assert_eq!(FieldValue::from_number(json), value, "{json}");
    }
    assert_eq!(
        FieldValue::Digits("9007199254740993").number(),
        Some(9_007_199_254_740_992.0)
    );
}

#[test]
fn a_choice_takes_names_and_patterns() {
    let choice: FieldChoice = "air_temp, dtc_values_*,*_x_*".parse().unwrap();
    for (name, taken) in [
        ("air_temp", true),
        ("air_temperature", false),
        ("dtc_values_", true),
        ("dtc_values_17", true),
        ("dtc_value_17", false),
        ("a_x_b", true),
        ("_x_", true),
        ("_x", false),
    ] {
        assert_eq!(choice.takes(name), taken, "{name}");
    }
    let without: Vec<&str> = choice.without(|| ["air_temp"].into_iter()).collect();
    assert_eq!(without, ["dtc_values_*", "*_x_*"]);
    assert!(!"none".parse::<FieldChoice>().unwrap().takes("none"));
    assert!(" ,".parse::<FieldChoice>().is_err());
    for contradiction in ["none,batt", "batt, none"] {
        assert!(contradiction.parse::<FieldChoice>().is_err());
    }
    assert!("a*b".parse::<FieldChoice>().unwrap().takes("a*b"));
    let rows = FieldRows::new(table(&[&[("x", ONE), ("y", A)]]));
    let picked = rows.pick(&"y".parse().unwrap());
    assert_eq!(picked.of_fix(0).collect::<Vec<_>>(), [("y", A)]);
    assert!(rows.pick(&"none".parse().unwrap()).is_empty());
}

#[test]
fn the_names_to_request_are_those_of_a_choice_and_those_known_that_are_like_it() {
    let texts = |names: &[&str]| -> Vec<String> { names.iter().map(ToString::to_string).collect() };
    let choice = FieldChoice::new(texts(&["sst", "t_*"]));
    let known = texts(&["x", "t_1", "t_0"]);
    assert_eq!(choice.names(&known), Some(texts(&["sst", "t_1", "t_0"])));
    assert_eq!(choice.names(&texts(&["x"])), Some(texts(&["sst"])));
    assert_eq!(choice.names(&[]), None);
    let plain = FieldChoice::new(texts(&["sst"])).with(&texts(&["sst", "battery"]));
    assert_eq!(plain.names(&[]), Some(texts(&["sst", "battery"])));
    // A request line has an end.
    let many: Vec<String> = (0..1000).map(|number| format!("t_{number}")).collect();
    assert_eq!(choice.names(&many), None);
}

#[test]
fn a_profile_has_every_index_from_nought() {
    let names = "b_1 a_0 x a_1 b_0 c_0 d_0 d_2 e_00 e_01 a_2 _0 _1";
    assert_eq!(profiles(names.split(' ')), [("b", 2), ("a", 3)]);
}

#[test]
fn a_name_that_would_show_nothing_is_said() {
    assert_eq!(label("air_temp"), "air_temp");
    assert_eq!(label(" "), label(""));
    assert_eq!(label(""), "(no name)");
}
