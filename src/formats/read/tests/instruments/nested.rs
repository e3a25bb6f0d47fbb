//! Ids that are missing in some rows, nested in objects and arrays, or many.

use super::*;

#[test]
fn an_id_that_one_lacks_or_that_is_nested_or_one_of_hundreds_is_said() {
    let [a, b] = two();
    let of = |member: &str, seq: u32| {
        let member = member.replace('#', &seq.to_string());
        move |time: String, latitude: f64| {
            format!(r#"{{{member}"time":"{time}","latitude":{latitude},"longitude":5}}"#)
        }
    };
    let lines = |members: [&str; 2], fixes: [&[Fix]; 2]| {
        let each_of = |at: usize| {
            let numbered = fixes[at].iter().zip(0u32..);
            let line = |(fix, seq): (&Fix, u32)| each(&[*fix], of(members[at], seq)).concat();
            numbered.map(line).collect::<Vec<_>>()
        };
        [each_of(0), each_of(1)].concat().join("\n")
    };
    for (name, members) in [
        ("label", ["", r#""label":"B","#]),
        ("label", [r#""label":"","#, r#""label":"B","#]),
        ("label", [r#""label":null,"#, r#""label":"B","#]),
        ("meta", [r#""meta":{"id":"A"},"#, r#""meta":{"id":"B"},"#]),
        (
            "meta",
            [r#""meta":{"at":{"id":7}},"#, r#""meta":{"at":{"id":8}},"#],
        ),
        ("tags", [r#""tags":["A"],"#, r#""tags":["B"],"#]),
    ] {
        let (_, notes) = by_name(&lines(members, [&a, &b]));
        let flag = format!("--id-column '{name}' makes a deployment of each");
        assert!(notes.contains(&flag), "{members:?}: {notes}");
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
