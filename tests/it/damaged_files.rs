//! Files that are damaged, or made to do harm: none ends the program, whatever its format, in
//! little memory and on a small stack.

use std::fs;
use std::path::PathBuf;

use crate::driver::chance::{Chance, rounds};
use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;

const RECORDS: &str = r#"[{"time_stamp":1793923200,"latitude":60,"longitude":5,"battery":12.5,"note":"x"},
    {"time_stamp":1793926800,"latitude":60.01,"longitude":5,"battery":12.4,"note":null},
    {"time_stamp":1793930400,"latitude":60.02,"longitude":5.01,"battery":12.3,"note":"y"}]"#;
const FORMATS: [&str; 7] = ["csv", "json", "ndjson", "geojson", "gpx", "kml", "nc"];

/// A whole file of each format.
fn whole(home: &Home) -> Vec<(&'static str, Vec<u8>)> {
    home.write("records.json", RECORDS);
    let path = |name: &str| home.file(name).display().to_string();
    let file = |format: &'static str| {
        let output = path(&format!("whole.{format}"));
        let arguments = ["track", &path("records.json"), "--output", &output];
        Run::driftline(home, arguments).ends_with(0);
        (format, fs::read(output).unwrap())
    };
    FORMATS.map(file).into()
}

/// What nests, to be repeated.
const NESTING: [&str; 6] = [
    "[",
    "{\"a\":",
    "<a>",
    "<Folder>",
    "\"",
    "[{\"geometries\":[",
];
/// Numbers that a header may count.
const COUNTS: [u32; 5] = [0, 1, 0x10_0000, i32::MAX as u32, u32::MAX];

/// A file with something wrong in it: another byte or count, a part that is gone or there twice,
/// or nesting without end.
fn damaged(whole: &[u8], chance: &Chance) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..=chance.below(3) {
        let at = chance.below(bytes.len());
        match chance.below(6) {
            0 => bytes[at] = u8::try_from(chance.below(256)).unwrap(),
            1 | 2 => {
                let at = at / 4 * 4;
                let count = COUNTS[chance.below(COUNTS.len())].to_be_bytes();
                let end = (at + 4).min(bytes.len());
                bytes.splice(at..end, count);
            }
            3 => bytes.truncate(at.max(1)),
            4 => {
                let part = bytes[at..(at + 200).min(bytes.len())].to_vec();
                bytes.splice(at..at, part);
            }
            _ => {
                let nested = NESTING[chance.below(NESTING.len())].repeat(100_000);
                bytes.splice(at..at, nested.into_bytes());
            }
        }
    }
    bytes
}

/// Reads files one after the other, in 2 GB of memory and with stacks of 2 MB; returns their
/// exit statuses and what was said.
fn read_all(home: &Home, files: &[PathBuf]) -> Vec<(i32, String)> {
    let names: Vec<String> = files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let line = r#"ulimit -v 2097152; ulimit -s 2048
        for file in "$@"; do "$DRIFTLINE" track "$file" >/dev/null 2>"$file.said"; echo $?; done"#;
    let arguments = ["--norc", "-c", line, "bash"];
    let arguments = arguments.into_iter().map(str::to_owned).chain(names);
    let read = Run::program(home, "bash", arguments);
    let read = read.env("DRIFTLINE", crate::driver::home::DRIFTLINE).go();
    let statuses = read.stdout.lines().map(|line| line.parse().unwrap());
    let said = |file: &PathBuf| {
        let said = fs::read(format!("{}.said", file.display())).unwrap_or_default();
        String::from_utf8_lossy(&said).into_owned()
    };
    statuses.zip(files.iter().map(said)).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn no_damaged_file_ends_the_program_otherwise_than_by_a_refusal() {
    let home = Home::new();
    let chance = Chance::new("damaged files");
    let whole = whole(&home);
    let mut files = Vec::new();
    for round in 0..rounds(6, 400) {
        for (format, bytes) in &whole {
            let name = format!("{round}.{format}");
            fs::write(home.file(&name), damaged(bytes, &chance)).unwrap();
            files.push(home.file(&name));
        }
    }
    let read = read_all(&home, &files);
    assert_eq!(read.len(), files.len());
    for (file, (status, said)) in files.iter().zip(read) {
        // Two ids in it are named.
        assert!(
            matches!(status, 0 | 2 | 6),
            "{}: {status} {said}",
            file.display()
        );
        assert!(
            status == 0 || said.contains("cannot be read") || said.contains("has "),
            "{said}"
        );
    }
}

/// The header of a NetCDF file with a dimension, an attribute and a variable.
fn header(counts: [u32; 6]) -> Vec<u8> {
    let [
        dimensions,
        attributes,
        values,
        variables,
        dimensions_of,
        begin,
    ] = counts;
    let words =
        |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_be_bytes()).collect() };
    [
        b"CDF\x01".to_vec(),
        words(&[1, 10, dimensions, 4]),
        b"time".to_vec(),
        words(&[0, 12, attributes, 1]),
        b"a\0\0\0".to_vec(),
        words(&[6, values, 0, 0, 11, variables, 4]),
        b"time".to_vec(),
        words(&[dimensions_of, 0, 0, 0, 6, 8, begin]),
        vec![0; 64],
    ]
    .concat()
}

#[cfg(target_os = "linux")]
#[test]
fn no_count_of_a_header_is_taken_at_its_word() {
    let home = Home::new();
    let mut files = Vec::new();
    for place in 0..6 {
        for count in COUNTS {
            let mut counts = [1, 1, 1, 1, 1, 0];
            counts[place] = count;
            let file = home.file(&format!("{place}-{count}.nc"));
            fs::write(&file, header(counts)).unwrap();
            files.push(file);
        }
    }
    for (file, (status, said)) in files.iter().zip(read_all(&home, &files)) {
        assert_eq!(status, 6, "{}: {said}", file.display());
        assert!(said.contains("cannot be read"), "{said}");
    }
}

#[test]
fn a_file_that_becomes_one_of_these_is_named_and_the_dashboard_goes_on() {
    let home = Home::new();
    let file = home.file("live.gpx");
    let good = "<gpx><trk><trkseg><trkpt lat=\"54\" lon=\"8\"><time>2026-11-20T00:00:00Z</time></trkpt></trkseg></trk></gpx>";
    fs::write(&file, good).unwrap();
    let shown = file.display().to_string();
    let terminal = Terminal::driftline(&home, &[&shown], Setting::size(140, 40));
    terminal.shows("live");
    let deep = format!(
        "<gpx>{}{}</gpx>",
        "<a>".repeat(200_000),
        "</a>".repeat(200_000)
    );
    home.write("other", &deep);
    fs::rename(home.file("other"), &file).unwrap();
    terminal.shows("cannot be read");
    terminal.keys("!");
    terminal.shows("nested deeper");
    terminal.keys("\u{1b}");
    home.write("other", good.replace("54", "55"));
    fs::rename(home.file("other"), &file).unwrap();
    terminal.shows("55");
    terminal.keys("q");
}
