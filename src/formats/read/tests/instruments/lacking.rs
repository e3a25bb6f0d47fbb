//! Ids that are missing in some rows, or many.

use super::*;

#[test]
fn an_id_that_one_lacks_or_one_of_hundreds_is_said() {
    let [a, b] = two();
    let of = |member: &'static str| {
        move |time: String, latitude: f64| {
            format!(r#"{{{member}"time":"{time}","latitude":{latitude},"longitude":5}}"#)
        }
    };
    let lines = |members: [&'static str; 2], fixes: [&[Fix]; 2]| {
        let each_of = |at: usize| each(fixes[at], of(members[at]));
        [each_of(0), each_of(1)].concat().join("\n")
    };
    for members in [
        ["", r#""label":"B","#],
        [r#""label":"","#, r#""label":"B","#],
        [r#""label":null,"#, r#""label":"B","#],
    ] {
        let (_, notes) = by_name(&lines(members, [&a, &b]));
        let flag = "--id-column 'label' makes a deployment of each";
        assert!(notes.contains(flag), "{members:?}: {notes}");
        // Of one instrument they say nothing, whatever changes in them.
        let turns: [Vec<Fix>; 2] = [0, 1].map(|half| {
            let fixes = a.iter().copied().enumerate();
            fixes
                .filter(|(at, _)| at % 2 == half)
                .map(|(_, fix)| fix)
                .collect()
        });
        let (_, notes) = by_name(&lines(members, [&turns[0], &turns[1]]));
        assert_eq!(notes, "", "{members:?}");
    }
    for count in [30, 300, 1000] {
        let row = |number: u32| {
            let (unit, hour) = (number % count, number / count);
            let latitude = 20.0 + f64::from(unit) * 0.05 + f64::from(hour) * 0.001;
            format!("n{unit},{},{latitude},5\n", time(hour))
        };
        let rows: String = (0..count * 10).map(row).collect();
        let (_, notes) = by_name(&format!("name,time,latitude,longitude\n{rows}"));
        let said = format!("the {count} values of 'name' take turns");
        assert!(notes.contains(&said), "{count}: {notes}");
    }
}
