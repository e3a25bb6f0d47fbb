//! What reading and writing cost: as much as the text is long, never its square.

use super::*;
use crate::testing::cpu_time::{self, grows_as_its_length};
use strum::VariantArray;

/// A text of so many parts, each made of its number.
fn each(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

/// A text that has a part so many times.
type Text = fn(usize) -> String;

const FILES: [(&str, Text); 14] = [
    ("columns without a name", |n| {
        format!(
            "time,lat,lon{}\n1790000000,60,5{}\n",
            ",".repeat(n),
            ",1".repeat(n)
        )
    }),
    ("columns of one name and its numbers", |n| {
        let names = each(n, |n| {
            if n % 2 == 0 {
                ",a".into()
            } else {
                format!(",a {}", n / 2 + 2)
            }
        });
        format!("time,lat,lon{names}\n1790000000,60,5{}\n", ",1".repeat(n))
    }),
    ("one row", |n| {
        format!("time,lat,lon,bat\n{}", "1790000000,60,5,12\n".repeat(n))
    }),
    ("one time", |n| {
        format!(
            "time,lat,lon\n{}",
            each(n, |n| format!("1790000000,{},5\n", n as f64 / 1e4))
        )
    }),
    ("one row with other values", |n| {
        format!(
            "time,lat,lon,bat\n{}",
            each(n, |n| format!("1790000000,60,5,{n}\n"))
        )
    }),
    ("an id each", |n| {
        format!(
            "id,time,lat,lon\n{}",
            each(n, |n| format!("x{n},1790000000,60,5\n"))
        )
    }),
    ("rows that cannot be used", |n| {
        format!(
            "time,lat,lon\n1790000000,60,5\n{}",
            "1790000000,600,5\n".repeat(n)
        )
    }),
    ("members", |n| {
        let members = each(n, |n| format!(",\"m{n}\":1"));
        format!("[{{\"time_stamp\":1,\"latitude\":2,\"longitude\":3{members}}}]")
    }),
    ("arrays of no features", |n| {
        let fix = r#"{"time_stamp":1,"latitude":2,"longitude":3}"#;
        format!("{{{}\"fixes\":[{fix}]}}", "\"features\":[],".repeat(n))
    }),
    ("lines of records", |n| {
        each(n, |n| {
            format!("{{\"time_stamp\":{n},\"latitude\":2,\"longitude\":3,\"b\":{n}}}\n")
        })
    }),
    ("records with other members each", |n| {
        each(n, |n| {
            format!(
                "{{\"time_stamp\":{n},\"latitude\":2,\"longitude\":3,\"b{}\":1}}\n",
                n % 200
            )
        })
    }),
    ("points of a track", |n| {
        let point = |n| {
            format!(
                "<trkpt lat='60' lon='5'><time>2026-01-01T00:00:{:02}Z</time></trkpt>",
                n % 60
            )
        };
        format!(
            "<gpx version='1.1'><trk><trkseg>{}</trkseg></trk></gpx>",
            each(n, point)
        )
    }),
    ("tracks", |n| {
        let track = "<trk><name>a</name><trkseg><trkpt lat='60' lon='5'><time>2026-01-01T00:00:00Z</time></trkpt></trkseg></trk>";
        format!("<gpx version='1.1'>{}</gpx>", track.repeat(n))
    }),
    ("placemarks", |n| {
        let place = "<Placemark><name>a</name><TimeStamp><when>2026-01-01T00:00:00Z</when></TimeStamp><Point><coordinates>5,60</coordinates></Point></Placemark>";
        format!("<kml><Document>{}</Document></kml>", place.repeat(n))
    }),
];

#[test]
fn every_file_is_read_in_proportion_to_its_length() {
    for (name, text) in FILES {
        grows_as_its_length(name, 800, |count| {
            let text = text(count);
            cpu_time::spent_on(|| {
                let found = tracks(&text).unwrap();
                let all = found.tracks.iter().map(|track| of(&track.records).len());
                all.sum::<usize>()
            })
        });
    }
}

#[test]
fn every_format_is_written_in_proportion_to_the_track() {
    let texts: [(&str, Text); 3] = [
        ("one time", FILES[3].1),
        ("other members", FILES[10].1),
        ("a long track", |n| {
            format!(
                "time,lat,lon,t\n{}",
                each(n, |n| format!("{},60,5,w{n}\n", 1_700_000_000 + n * 600))
            )
        }),
    ];
    for (name, text) in texts {
        for format in Format::VARIANTS {
            if !format.is_built() {
                continue;
            }
            grows_as_its_length(&format!("{name}: {format:?}"), 300, |count| {
                let track = of(&tracks(&text(count)).unwrap().tracks[0].records);
                cpu_time::spent_on(|| written(*format, &track).len())
            });
        }
    }
}
