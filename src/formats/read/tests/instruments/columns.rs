//! Columns that may tell instruments apart, and those that only seem so.

use super::*;

#[test]
fn a_single_id_hides_no_column_that_tells_instruments_apart() {
    let [a, b] = two();
    let table = |names: &str, [of_a, of_b]: [&str; 2]| {
        format!(
            "{names},time,latitude,longitude\n{}{}",
            rows(&a, of_a),
            rows(&b, of_b)
        )
    };
    for (names, cells, ids) in [
        ("id,buoy", ["C,A,", "D,A,"], &["C", "D"][..]),
        ("id,buoy", ["C,A,", "C,A,"], &["C"]),
    ] {
        let (tracks, notes) = by_name(&table(names, cells));
        assert_eq!(tracks, ids);
        assert_eq!(notes, "");
    }
    for (names, cells, id, column) in [
        ("deployment,buoy_id", ["C,A7,", "C,B9,"], "C", "buoy_id"),
        ("buoy_id,deployment", ["A7,C,", "B9,C,"], "C", "buoy_id"),
        (
            "id,imei",
            ["C,300434060000001,", "C,300434060000002,"],
            "C",
            "imei",
        ),
        ("id,buoy,imei", ["C,A,1,", "C,A,2,"], "C", "imei"),
        ("id,name", ["C,A7,", "C,B9,"], "C", "name"),
        ("id,code", ["C,1,", "C,2,"], "C", "code"),
        ("name,code", ["A7,17.1,", "A7,17.2,"], "", "code"),
    ] {
        let (tracks, notes) = by_name(&table(names, cells));
        assert_eq!(tracks, [id], "{names}");
        let flag = format!("take turns: --id-column '{column}' makes a deployment of each");
        assert!(notes.ends_with(&flag), "{notes}");
    }
    // Within each of several deployments, too; the first of them is named.
    let all = |id: &str| rows(&a, &format!("{id},A7,")) + &rows(&b, &format!("{id},B9,"));
    let text = format!("id,name,time,latitude,longitude\n{}{}", all("C"), all("D"));
    let (tracks, notes) = by_name(&text);
    assert_eq!(tracks, ["C", "D"]);
    assert!(
        notes.contains("'C' is taken as one track") && notes.ends_with("1 deployment more"),
        "{notes}"
    );
}

#[test]
fn a_text_that_changes_with_one_known_instrument_is_no_name() {
    let [a, _] = two();
    let row = |(at, fix): (usize, &Fix)| rows(&[*fix], ["A7,day,", "A7,night,"][at % 2]);
    let table: String = a.iter().enumerate().map(row).collect();
    let (tracks, notes) = by_name(&format!("id,mode,time,latitude,longitude\n{table}"));
    assert_eq!((tracks, notes.as_str()), (vec!["A7".to_owned()], ""));
}

#[test]
fn what_is_measured_or_only_of_some_fixes_is_no_name() {
    // A walk there and back, whose values come again.
    let fix = |number: u32| (number, 50.0 + f64::from(number.min(400 - number)) / 1000.0);
    let fixes: Vec<Fix> = (0..400).map(fix).collect();
    let in_use = |at: usize| at * 7 % 13;
    let table = |name: &str, value: &dyn Fn(usize) -> String| {
        let row = |(at, fix): (usize, &Fix)| rows(&[*fix], &format!("{},", value(at)));
        let rows: String = fixes.iter().enumerate().map(row).collect();
        by_name(&format!("{name},time,latitude,longitude\n{rows}")).1
    };
    for (name, value) in [
        (
            "NSAT (USED/VIEW)",
            &(|at| format!("{}({})", in_use(at), in_use(at) + 2)) as &dyn Fn(usize) -> String,
        ),
        ("speed", &|at| format!("{}.5 km/h", in_use(at))),
        ("IAS", &|at| format!("{}.25", at * 31 % 97)),
        ("humidity", &|at| format!("{}", in_use(at))),
        ("width", &|at| format!("{}", in_use(at))),
        ("argosOrientation", &|at| match at % 5 {
            0 => "NA".to_owned(),
            _ => format!("{}", in_use(at)),
        }),
    ] {
        assert_eq!(table(name, value), "", "{name}");
    }
    for (name, value) in [
        (
            "unit",
            &(|at| format!("K{}", in_use(at))) as &dyn Fn(usize) -> String,
        ),
        ("ARGOS_ID", &|at| format!("{}", in_use(at))),
        ("unitId", &|at| format!("{}", in_use(at))),
        ("Argos", &|at| format!("{}", in_use(at))),
        ("serial no.", &|at| format!("{}", in_use(at))),
    ] {
        let notes = table(name, value);
        assert!(
            notes.contains(&format!("--id-column '{name}'")),
            "{name}: {notes}"
        );
    }
    // A remark at a few fixes of a known instrument.
    let remark = |at: usize| match at % 40 {
        39 => "A7,low,".to_owned(),
        19 => "A7,high,".to_owned(),
        _ => "A7,,".to_owned(),
    };
    let row = |(at, fix): (usize, &Fix)| rows(&[*fix], &remark(at));
    let rows: String = fixes.iter().enumerate().map(row).collect();
    let (tracks, notes) = by_name(&format!("id,comment,time,latitude,longitude\n{rows}"));
    assert_eq!((tracks, notes.as_str()), (vec!["A7".to_owned()], ""));
}

#[test]
fn the_one_kind_of_all_instruments_is_no_id() {
    let [a, b] = two();
    let table = |names: &str, [of_a, of_b]: [&str; 2]| {
        let [a, b] = [rows(&a, of_a), rows(&b, of_b)];
        by_name(&format!("{names},time,latitude,longitude\n{a}{b}"))
    };
    for (names, cells, ids) in [
        (
            "device,tag_ID",
            ["gls,1186,", "gls,1187,"],
            &["1186", "1187"][..],
        ),
        ("tag_id,Device", ["7,GPS,", "8,GPS,"], &["7", "8"]),
        ("instrument,buoy", ["Spotter,a,", "Spotter,b,"], &["a", "b"]),
        ("n,Tracker", ["1,19,", "2,0,"], &["19", "0"]),
        // An id has a digit or is not that of all, and one alone is kept.
        ("device,tag_id", ["K1,7,", "K1,8,"], &["K1"]),
        ("device,tag_id", ["ice,7,", "sea,8,"], &["ice", "sea"]),
        ("device,n", ["gls,1,", "gls,1,"], &["gls"]),
    ] {
        assert_eq!(table(names, cells).0, ids, "{names} {cells:?}");
    }
}

#[test]
fn what_is_true_or_false_is_no_name() {
    let [a, b] = two();
    let table = |of_a: &str, of_b: &str| {
        let [a, b] = [rows(&a, of_a), rows(&b, of_b)];
        by_name(&format!("Validated,time,latitude,longitude\n{a}{b}")).1
    };
    for [yes, no] in [
        ["Yes,", "No,"],
        ["true,", "false,"],
        ["A,", "V,"],
        ["OK,", "No,"],
    ] {
        let is_named = yes == "OK,";
        assert_eq!(table(yes, no).contains("take turns"), is_named, "{yes}");
    }
}

#[test]
fn what_is_measured_of_some_fixes_far_from_each_other_is_no_name() {
    for (name, offset) in [("WndDr", 0.5), ("alt", 0.25), ("sog", 1.5)] {
        let row = |at: u32| match at {
            ..300 => rows(&[(at, 50.0)], ","),
            _ => {
                let degrees = 50.0 + f64::from(at) / 1000.0;
                rows(
                    &[(at, degrees)],
                    &format!("{},", f64::from(at / 2) + offset),
                )
            }
        };
        let rows: String = (0..400).map(row).collect();
        let (_, notes) = by_name(&format!("{name},time,latitude,longitude\n{rows}"));
        assert_eq!(notes, "", "{name}");
    }
}

#[test]
fn a_few_fixes_that_are_far_off_hide_no_numbers_that_take_turns() {
    let two = |wild: &[usize]| -> String {
        let fix = |at: usize| {
            let degrees = match wild.contains(&at) {
                true => 0.0,
                false => 50.0 + (at % 2) as f64 / 10.0 + at as f64 / 1000.0,
            };
            rows(&[(at as u32, degrees)], &format!("690324{},", at % 2))
        };
        (0..32).map(fix).collect()
    };
    for name in ["PLATFORM_NUMBER", "station", "name", "transmitter"] {
        for wild in [&[][..], &[7], &[31], &[4, 23]] {
            let (_, notes) = by_name(&format!("{name},time,latitude,longitude\n{}", two(wild)));
            let flag = format!("--id-column '{name}'");
            assert!(notes.contains(&flag), "{name} {wild:?}: {notes}");
        }
    }
}

#[test]
fn a_running_number_is_no_id_where_records_are_there_again() {
    let [a, _] = two();
    let row = |(at, fix): (usize, &Fix)| rows(&[*fix], &format!("{},", 1000 + at));
    let all: Vec<String> = a.iter().enumerate().map(row).collect();
    let lacking = "1099,2026-11-09T00:00:00Z,,5\n".repeat(2);
    for rows in [
        [&all[..], &all[7..8]].concat().concat(),
        [&all[..8], &all[4..]].concat().concat(),
        [&all[..], &all[..]].concat().concat() + &lacking,
    ] {
        let (tracks, notes) = by_name(&format!("id,time,latitude,longitude\n{rows}"));
        assert_eq!(
            (tracks, notes.as_str()),
            (vec![String::new()], ""),
            "{rows}"
        );
    }
    // Two fixes of each of many are records of their own.
    let later = |row: &String| row.replace("2026-11", "2026-12");
    let rows: String = all.iter().cloned().chain(all.iter().map(later)).collect();
    let (tracks, _) = by_name(&format!("id,time,latitude,longitude\n{rows}"));
    assert_eq!(tracks.len(), 12);
}
