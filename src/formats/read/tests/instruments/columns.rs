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
