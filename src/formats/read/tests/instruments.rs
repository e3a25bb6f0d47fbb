//! Files of several instruments: a deployment each, or one track and a word on standard error.

mod columns;
mod nested;

use super::*;

#[test]
fn ids_of_vessels_and_aircraft_make_a_deployment_each_whatever_parts_their_tracks() {
    let line = |id: &str, from: u32| {
        format!(
            r#"{{"type":"Feature","properties":{{{id},"coordTimes":[{},{}]}},"geometry":{{"type":"LineString","coordinates":[[5,60],[5,60.1]]}}}}"#,
            1_790_000_000 + from,
            1_790_003_600 + from,
        )
    };
    for [first, second] in [
        [r#""ssvid":"257""#, r#""ssvid":"258""#],
        [r#""vesselId":"a-b""#, r#""vesselId":"c-d""#],
        [
            r#""seg_id":"1","vessel_id":7"#,
            r#""seg_id":"2","vessel_id":8"#,
        ],
    ] {
        let lines = [line(first, 0), line(first, 7200), line(second, 0)];
        let collection = format!(
            r#"{{"type":"FeatureCollection","features":[{}]}}"#,
            lines.join(",")
        );
        for text in [collection, lines.join("\n")] {
            let fixes = tracks(&text).unwrap().tracks;
            let fixes: Vec<usize> = fixes
                .iter()
                .map(|track| track.records.transmissions.len())
                .collect();
            assert_eq!(fixes, [4, 2], "{text}");
        }
    }
    let rows = "1,4b1805,60,5,X1,1000\n1,3e5123,50,5,Y2,2000\n";
    let rows = [rows, &rows.replace("1,", "2,"), &rows.replace("1,", "3,")].concat();
    let found = tracks(&format!("time,icao24,lat,lon,callsign,squawk\n{rows}")).unwrap();
    assert_eq!(found.tracks.len(), 2);
}

/// A fix: hour from the first on, and latitude.
type Fix = (u32, f64);

/// Two instruments that are 10 degrees from each other: the fixes of the first, and of the second.
fn two() -> [Vec<Fix>; 2] {
    let fixes = |from: f64, half: u32| {
        let fix = |number: u32| (2 * number + half, from + f64::from(number) / 1000.0);
        (0..12).map(fix).collect()
    };
    [fixes(50.0, 0), fixes(60.0, 1)]
}

/// One instrument in two parts of a file, the one after the other.
fn one() -> [Vec<Fix>; 2] {
    let fix = |number: u32| (number, 50.0 + f64::from(number) / 1000.0);
    [(0..12).map(fix).collect(), (12..24).map(fix).collect()]
}

fn time(hour: u32) -> String {
    format!("2026-11-{:02}T{:02}:00:00Z", 1 + hour / 24, hour % 24)
}

/// What is made of each fix, one after the other.
fn each(fixes: &[Fix], made: impl Fn(String, f64) -> String) -> Vec<String> {
    let made = fixes
        .iter()
        .map(|(hour, latitude)| made(time(*hour), *latitude));
    made.collect()
}

fn placemarks(fixes: &[Fix], name: &str) -> Vec<String> {
    each(fixes, |time, latitude| {
        format!(
            "<Placemark>{name}<TimeStamp><when>{time}</when></TimeStamp>\
             <Point><coordinates>5,{latitude}</coordinates></Point></Placemark>"
        )
    })
}

fn kml(content: &str) -> String {
    format!("<kml><Document><name>all</name>{content}</Document></kml>")
}

fn named(name: &str) -> String {
    format!("<name>{name}</name>")
}

fn folder(name: &str, fixes: &[Fix]) -> String {
    let inner = placemarks(fixes, &named("fix")).concat();
    format!(
        "<Folder>{}<Folder>{}{inner}</Folder></Folder>",
        named(name),
        named("fixes")
    )
}

/// A line of GeoJSON with these members next to its geometry, and properties next to its times.
fn line(fixes: &[Fix], members: &str, properties: &str) -> String {
    let times = each(fixes, |time, _| format!("\"{time}\"")).join(",");
    let places = each(fixes, |_, latitude| format!("[5,{latitude}]")).join(",");
    format!(
        r#"{{"type":"Feature"{members},"properties":{{"coordTimes":[{times}]{properties}}},"geometry":{{"type":"LineString","coordinates":[{places}]}}}}"#
    )
}

fn points(fixes: &[Fix], id: impl Fn(f64) -> String) -> String {
    let point = |time, latitude| {
        format!(
            r#"{{"type":"Feature","id":{},"properties":{{"time":"{time}"}},"geometry":{{"type":"Point","coordinates":[5,{latitude}]}}}}"#,
            id(latitude)
        )
    };
    each(fixes, point).join(",")
}

fn collection(features: &[String]) -> String {
    format!(
        r#"{{"type":"FeatureCollection","features":[{}]}}"#,
        features.join(",")
    )
}

fn rows(fixes: &[Fix], cells: &str) -> String {
    each(fixes, |time, latitude| {
        format!("{cells}{time},{latitude},5\n")
    })
    .concat()
}

/// The ids of the deployments and the notes of a file.
fn read_as(text: &str, id: IdChoice) -> (Vec<String>, String) {
    let chosen = ChosenColumns {
        id,
        ..ChosenColumns::default()
    };
    let (tracks, notes) = found(text, &chosen);
    let ids = tracks.into_iter().map(|(id, _)| id);
    (ids.collect(), notes.join("\n"))
}

fn by_name(text: &str) -> (Vec<String>, String) {
    read_as(text, IdChoice::ByName)
}

#[test]
fn names_of_placemarks_and_of_folders_that_take_turns_are_said_with_the_flag() {
    let [a, b] = two();
    let names = [named("Buoy A"), named("Buoy B")];
    let blocks = [placemarks(&a, &names[0]), placemarks(&b, &names[1])].concat();
    let pairs = placemarks(&a, &names[0])
        .into_iter()
        .zip(placemarks(&b, &names[1]));
    let in_turn: Vec<String> = pairs.flat_map(|(a, b)| [a, b]).collect();
    let folders = kml(&(folder("Buoy A", &a) + &folder("Buoy B", &b)));
    for (text, column, ids) in [
        (kml(&blocks.concat()), "name", ["Buoy A", "Buoy B"]),
        (kml(&in_turn.concat()), "name", ["Buoy A", "Buoy B"]),
        (folders, "Folder", ["Buoy A/fixes", "Buoy B/fixes"]),
    ] {
        let (tracks, notes) = by_name(&text);
        assert_eq!(tracks, [""], "{text}");
        assert!(
            notes.contains(&format!("--id-column '{column}'")),
            "{notes}"
        );
        assert_eq!(read_as(&text, IdChoice::Column(column.to_owned())).0, ids);
        assert_eq!(
            read_as(&text, IdChoice::None),
            (vec![String::new()], String::new())
        );
    }
    // A label of each fix, or one of all, is none of an instrument; nor is a folder of each day.
    let labels = |name: &dyn Fn(usize) -> String| {
        let all = a.iter().enumerate();
        let all = all.flat_map(|(at, fix)| placemarks(&[*fix], &name(at)));
        kml(&all.collect::<String>())
    };
    let [first, second] = one();
    for text in [
        labels(&|at| named(&format!("fix {at}"))),
        labels(&|_| named("Buoy A")),
        labels(&|_| String::new()),
        kml(&(folder("1 November", &first) + &folder("2 November", &second))),
    ] {
        assert_eq!(
            by_name(&text),
            (vec![String::new()], String::new()),
            "{text}"
        );
    }
}

#[test]
fn each_line_of_geojson_with_times_is_a_deployment() {
    let [a, b] = two();
    let both = |members: [&str; 2], properties: [&str; 2]| {
        let lines = [
            line(&a, members[0], properties[0]),
            line(&b, members[1], properties[1]),
        ];
        [collection(&lines), lines.join("\n")]
    };
    let none = [""; 2];
    for (members, properties, ids) in [
        (
            none,
            [r#","station":"A""#, r#","station":"B""#],
            ["line 1", "line 2"],
        ),
        ([r#","id":"A""#, r#","id":7"#], none, ["A", "7"]),
        (none, none, ["line 1", "line 2"]),
        (none, [r#","name":"A""#, ""], ["A", "line 2"]),
        (
            [r#","id":1"#, r#","id":2"#],
            [r#","name":"A""#, r#","name":"B""#],
            ["A", "B"],
        ),
        (
            none,
            [
                r#","imei":300234065873520128"#,
                r#","imei":300234065873520123"#,
            ],
            ["300234065873520128", "300234065873520123"],
        ),
    ] {
        for text in both(members, properties) {
            assert_eq!(
                by_name(&text),
                (ids.map(str::to_owned).to_vec(), String::new())
            );
            assert_eq!(read_as(&text, IdChoice::None).0, [""]);
        }
    }
    // The flag finds what the note does not name.
    let [text, _] = both(none, [r#","station":"A""#, r#","station":"B""#]);
    assert_eq!(
        read_as(&text, IdChoice::Column("station".to_owned())).0,
        ["A", "B"]
    );
    // A line alone is called as the file is, and joins points without an id.
    let alone = line(&a, "", "");
    assert_eq!(by_name(&alone).0, [""]);
    let point = points(&b[..1], |_| "1".to_owned());
    assert_eq!(by_name(&collection(&[alone, point])).0, [""]);
}

#[test]
fn the_id_of_a_feature_is_that_of_its_deployment_unless_it_is_one_of_its_own() {
    let [a, b] = two();
    let of_two = [
        points(&a, |_| "\"A\"".to_owned()),
        points(&b, |_| "2".to_owned()),
    ];
    assert_eq!(by_name(&collection(&of_two)).0, ["A", "2"]);
    let [first, second] = one();
    let own = |latitude: f64| format!("{:.0}", latitude * 1000.0);
    let of_one = [points(&first, own), points(&second, own)];
    assert_eq!(
        by_name(&collection(&of_one)),
        (vec![String::new()], String::new())
    );
    // Nor is a number that begins again in the second of two files that were joined.
    let again = |latitude: f64| format!("{:.0}", (latitude * 1000.0).round() % 12.0);
    let joined = [points(&first, again), points(&second, again)];
    assert_eq!(by_name(&collection(&joined)).0, [""]);
    assert_eq!(by_name(&collection(&[points(&a[..2], own)])).0, [""]);
}

#[test]
fn names_that_are_there_again_are_said_with_their_number() {
    let [a, b] = one();
    let names = "time,latitude,longitude\n";
    let joined = |parts: &[&[Fix]]| {
        let parts = parts
            .iter()
            .map(|fixes| format!("{names}{}", rows(fixes, "")));
        by_name(&parts.collect::<String>()).1
    };
    assert_eq!(joined(&[&a]), "");
    let said = "the names of the columns are there again, in line 14";
    assert_eq!(joined(&[&a, &b]), format!("{said}: tables were joined"));
    assert_eq!(
        joined(&[&a, &b[..1], &b[1..]]),
        format!("{said} and 1 line more: tables were joined")
    );
}

#[test]
fn moving_features_of_ogc_are_lines_with_times() {
    let [a, b] = two();
    let times = |fixes: &[Fix]| each(fixes, |time, _| format!("\"{time}\"")).join(",");
    let places = |fixes: &[Fix]| each(fixes, |_, at| format!("[5,{at}]")).join(",");
    let point = |fixes: &[Fix], members: &str| {
        format!(
            r#"{{"type":"Feature"{members},"properties":{{}},"temporalGeometry":{{"type":"MovingPoint","datetimes":[{}],"coordinates":[{}]}}}}"#,
            times(fixes),
            places(fixes)
        )
    };
    let line = format!(
        r#"{{"type":"Feature","geometry":{{"type":"LineString","coordinates":[{}]}},"properties":{{"datetimes":[{}]}}}}"#,
        places(&a),
        times(&a)
    );
    let points = [
        point(&a, r#","id":"A""#),
        point(&b, r#","id":"B","geometry":null"#),
    ];
    for (text, ids) in [
        (line, &[""][..]),
        (points[0].clone(), &[""]),
        (collection(&points), &["A", "B"]),
        (points.join("\n"), &["A", "B"]),
    ] {
        let (tracks, notes) = found(&text, &ChosenColumns::default());
        assert_eq!(notes, Vec::<String>::new(), "{text}");
        let expected = ids.iter().map(|id| ((*id).to_owned(), 12));
        assert_eq!(tracks, expected.collect::<Vec<_>>(), "{text}");
    }
    let short = point(&a, "").replacen("\"2026-11-01T00:00:00Z\",", "", 1);
    let said = refused(&short);
    assert!(said.contains("11 times and 12 positions"), "{said}");
}

#[test]
fn a_row_of_each_of_many_instruments_is_said() {
    let table = |name: &str, id: &dyn Fn(u32) -> String, step: f64| {
        let row = |number: u32| {
            let latitude = 50.0 + f64::from(number * 7 % 40) * step;
            format!("{},{},{latitude},5\n", id(number), time(number))
        };
        format!(
            "{name},time,latitude,longitude\n{}",
            (0..40).map(row).collect::<String>()
        )
    };
    let imei = |number: u32| format!("{}", 300_434_060_000_000 + u64::from(number));
    let own = |number: u32| number.to_string();
    for (name, id, step, is_said) in [
        ("imei", &imei as &dyn Fn(u32) -> String, 0.001, true),
        ("buoy_id", &own, 0.001, true),
        ("id", &own, 0.001, false),
        ("uuid", &own, 1.0, true),
        ("event-id", &own, 0.001, false),
    ] {
        let text = table(name, id, step);
        let (tracks, notes) = by_name(&text);
        assert_eq!(tracks, [""]);
        let said = format!(
            "each row has another '{name}': --id-column '{name}' makes a deployment of each"
        );
        assert_eq!(notes.contains(&said), is_said, "{name} {step}: {notes}");
        assert_eq!(
            read_as(&text, IdChoice::Column(name.to_owned())).0.len(),
            40
        );
    }
}

#[test]
fn ids_have_all_digits_that_are_written() {
    let [a, b] = two();
    let record = |id: &'static str| {
        move |time: String, latitude: f64| {
            format!(r#"{{"device_id":{id},"time":"{time}","latitude":{latitude},"longitude":5}}"#)
        }
    };
    let ids = ["300234065873520128", "300234065873520123"];
    let all = [each(&a, record(ids[0])), each(&b, record(ids[1]))].concat();
    let features = all.iter().map(|record| {
        format!(r#"{{"type":"Feature","properties":{record},"geometry":{{"type":"Point","coordinates":[5,50]}}}}"#)
    });
    let features = features.collect::<Vec<_>>();
    for text in [
        format!("[{}]", all.join(",")),
        all.join("\n"),
        collection(&features),
    ] {
        assert_eq!(by_name(&text).0, ids, "{text}");
    }
}

#[test]
fn fields_that_are_too_many_are_said_in_every_format() {
    let names: Vec<String> = (0..1100).map(|number| format!("c{number}")).collect();
    let members = names
        .iter()
        .map(|name| format!(r#","{name}":1"#))
        .collect::<String>();
    let data = names
        .iter()
        .map(|name| format!("<Data name='{name}'><value>1</value></Data>"))
        .collect::<String>();
    let elements = names
        .iter()
        .map(|name| format!("<{name}>1</{name}>"))
        .collect::<String>();
    let when = time(0);
    for text in [
        format!(
            "time,latitude,longitude,{}\n{when},5,50{}\n",
            names.join(","),
            ",1".repeat(1100)
        ),
        format!(r#"[{{"time":"{when}","latitude":5,"longitude":50{members}}}]"#),
        collection(&[format!(
            r#"{{"type":"Feature","properties":{{"time":"{when}"{members}}},"geometry":{{"type":"Point","coordinates":[5,50]}}}}"#
        )]),
        kml(&format!(
            "<Placemark><TimeStamp><when>{when}</when></TimeStamp><ExtendedData>{data}</ExtendedData><Point><coordinates>5,50</coordinates></Point></Placemark>"
        )),
        format!(
            "<gpx><wpt lat='5' lon='50'><time>{when}</time><extensions>{elements}</extensions></wpt></gpx>"
        ),
    ] {
        let said = "76 values are not stored: beyond 1024 fields, or with a text or a name longer than 65.5 kB";
        assert_eq!(by_name(&text), (vec![String::new()], said.to_owned()));
    }
}

#[test]
fn a_tag_without_an_individual_is_a_deployment_of_its_own() {
    let row =
        |minute: u32, ids: &str| format!("2026-11-20T00:{minute:02}:00Z,60.{minute},5,{ids}\n");
    let rows: String = (0..30)
        .map(|minute| row(minute, ["A,T1", ",T2", ",T3"][minute as usize % 3]))
        .collect();
    let text = format!(
        "timestamp,location-lat,location-long,individual-local-identifier,tag-local-identifier\n{rows}"
    );
    assert_eq!(by_name(&text).0, ["A", "T2", "T3"]);
}
