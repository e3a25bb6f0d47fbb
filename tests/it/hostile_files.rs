//! Hostile text on its way to standard output in what other programs read: a
//! person's terminal stands behind a pipe often enough.

use serde_json::Value;

use crate::driver::home::Home;
use crate::driver::run::{Answer, Run};
use crate::exit_status::UUID;
use crate::hostile::{SEQUENCES, acts, is_harmless, poisoned, run};

/// Every control that JSON does not escape by itself and XML may hold, and those
/// that both leave alone on the way.
fn controls() -> String {
    ('\u{7f}'..='\u{9f}')
        .chain("\x1b[31m å北\u{a0}".chars())
        .collect()
}

#[track_caller]
fn acts_on_nothing(answer: &Answer) {
    for text in [&answer.stdout, &answer.stderr] {
        assert_eq!(text.chars().find(|one| acts(*one)), None, "{answer:#?}");
    }
}

#[test]
fn no_format_brings_a_control_to_standard_output() {
    let text = controls();
    let (home, service) = poisoned(&text);
    for format in ["table", "csv", "json", "ndjson", "geojson", "gpx", "kml"] {
        let arguments = ["track", UUID, "--offline", "--format", format];
        let answer = run(&home, &service, &arguments);
        assert_eq!(answer.status, 0, "{answer:#?}");
        acts_on_nothing(&answer);
        match format {
            // Escaped, so that whoever reads it as JSON has all of it.
            "json" => {
                let read: Value = serde_json::from_str(&answer.stdout).unwrap();
                assert_eq!(read["label"], text);
                answer.prints("\\u009b");
            }
            "geojson" => {
                let read: Value = serde_json::from_str(&answer.stdout).unwrap();
                assert_eq!(read["features"][0]["properties"]["label"], text);
            }
            "gpx" | "kml" => assert!(answer.stdout.contains("<name>[31m å北\u{a0}</name>")),
            _ => {}
        }
    }
    let picture = home.file("map.svg");
    let arguments = [
        "map",
        UUID,
        "--offline",
        "--output",
        picture.to_str().unwrap(),
    ];
    assert_eq!(run(&home, &service, &arguments).status, 0);
    let picture = std::fs::read_to_string(picture).unwrap();
    assert_eq!(picture.chars().find(|one| acts(*one)), None);
}

#[test]
fn no_json_brings_a_control_to_standard_output_or_error() {
    let text = controls();
    let (home, service) = poisoned(&text);
    let deployments = run(&home, &service, &["deployments", "list", "--json"]);
    let plants = run(&home, &service, &["plants", "list", "--json"]);
    for (answer, member) in [(deployments, "label"), (plants, "name")] {
        acts_on_nothing(&answer);
        let read: Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(read[0][member], text, "{answer:#?}");
    }
    for arguments in [
        &["config", "show", "--json", "--profile", &text][..],
        &["plants", "delete", &text, "--yes", "--json"],
        &["plants", "list", "--json", &text],
        &["plants", "log", "--json"],
        &["track", UUID, "--format", "json", "--since", &text],
    ] {
        acts_on_nothing(&run(&home, &service, arguments));
    }
}

#[test]
fn the_path_of_the_settings_is_told_without_a_control() {
    let home = Home::new();
    let path = format!("/{}/config.toml", controls());
    for answer in [
        Run::driftline(&home, ["config", "path", "--config", &path]).go(),
        Run::driftline(&home, ["config", "path"])
            .env("DRIFTLINE_CONFIG", &path)
            .go(),
        Run::driftline(&home, ["config", "path"])
            .env("XDG_CONFIG_HOME", &path)
            .go(),
    ] {
        is_harmless(&answer.ends_with(0));
    }
    let plain = Run::driftline(&home, ["config", "path", "--config", "/etc/å 北.toml"]);
    assert_eq!(plain.go().stdout, "/etc/å 北.toml\n");
}

#[test]
fn what_nobody_sees_is_shown_by_its_code_point_and_emoji_stay_whole() {
    for sequence in SEQUENCES.iter().rev().take(5) {
        let (home, service) = poisoned(sequence);
        for arguments in [&["plants", "list"][..], &["deployments", "list"]] {
            let answer = run(&home, &service, arguments).ends_with(0);
            is_harmless(&answer);
            answer.prints("<U+");
        }
    }
    for emoji in [
        "👩‍🔬",
        "👨‍👩‍👧‍👦",
        "☁\u{fe0f}",
        "🏳\u{fe0f}\u{200d}🌈",
        "1\u{fe0f}\u{20e3}",
    ] {
        let (home, service) = poisoned(emoji);
        run(&home, &service, &["plants", "list"])
            .ends_with(0)
            .prints(emoji);
    }
}
