//! The plan of the house as a table, and what in a set of sources breaks it.

use std::collections::BTreeSet;

use super::source::{self, Part};

/// A module of the house and what it may name of the others. `a::b` allows
/// only what starts so. `text`, `choice` and `loopback` are the
/// cellar's and open to all.
struct Row {
    module: &'static str,
    may: &'static [&'static str],
    /// What its tests may name besides.
    tests_may: &'static [&'static str],
}

const fn row(module: &'static str, may: &'static [&'static str]) -> Row {
    Row {
        module,
        may,
        tests_may: &[],
    }
}

const PLAN: &[Row] = &[
    row("text", &[]),
    Row {
        module: "choice",
        may: &[],
        tests_may: &["geo", "track", "chart", "export"],
    },
    row("loopback", &[]),
    row("geo", &[]),
    row("track", &["geo"]),
    row("plant", &[]),
    row("chart", &["geo", "track"]),
    row("export", &["geo", "track", "plant", "chart"]),
    row(
        "settings",
        &["geo", "track::Platform", "track::time", "chart::GlyphSet"],
    ),
    row("auth", &[]),
    Row {
        module: "api",
        may: &["geo", "track", "plant", "auth::Token", "auth::token"],
        tests_may: &["demo"],
    },
    row("archive", &["geo", "track", "plant"]),
    row("demo", &["geo", "track", "plant", "api::wire"]),
    row(
        "ops",
        &[
            "geo", "track", "plant", "chart", "export", "settings", "auth", "api", "archive",
        ],
    ),
    row(
        "app",
        &[
            "geo",
            "track",
            "plant",
            "chart",
            "export::Format",
            "export::format",
        ],
    ),
    row("ui", &["geo", "track", "plant", "chart", "app"]),
    row(
        "runtime",
        &["app", "ui", "ops", "settings", "geo", "chart::GlyphSet"],
    ),
    row(
        "cli",
        &[
            "runtime",
            "ops",
            "demo",
            "settings",
            "export",
            "chart::GlyphSet",
        ],
    ),
    row("main", &["cli"]),
];

/// Crates that only some modules may name.
const ALONE: &[(&str, &[&str])] = &[
    ("keyring", &["auth"]),
    ("rusqlite", &["archive"]),
    ("reqwest", &["api"]),
    ("axum", &["demo"]),
    ("clap", &["cli"]),
    ("ratatui", &["ui", "runtime"]),
    ("color_eyre", &["main", "cli", "runtime"]),
];

/// The floors without clocks, files and handles.
const PURE: &[&str] = &[
    "text", "geo", "track", "plant", "chart", "export", "app", "ui",
];

/// What the pure floors never name.
const IMPURE: &[&str] = &[
    "tokio",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread::spawn",
    "std::thread::sleep",
];

/// Names that say nothing.
const EMPTY_NAMES: &[&str] = &[
    "utils", "util", "helpers", "helper", "manager", "managers", "common", "misc",
];

/// Files that may be longer than 500 lines, each with its reason.
const LONG: &[(&str, &str)] = &[];

/// The modules that have a row.
pub fn modules() -> impl Iterator<Item = &'static str> {
    PLAN.iter().map(|row| row.module)
}

/// The module that the file belongs to, and the modules above the file within
/// the crate (`src/track/record.rs` is `["track", "record"]`).
fn place(file: &str) -> Vec<String> {
    let inner = file.trim_start_matches("src/").trim_end_matches(".rs");
    inner.split('/').map(str::to_owned).collect()
}

/// Every import in `files` (path, text) that the plan does not allow.
pub fn findings(files: &[(String, String)]) -> Vec<String> {
    let read: Vec<_> = files
        .iter()
        .map(|(name, text)| (name, place(name), source::read(text)))
        .collect();
    let test_files: BTreeSet<Vec<String>> = read
        .iter()
        .flat_map(|(_, place, source)| {
            source.test_modules.iter().map(move |module| {
                let mut whole = place.clone();
                whole.push(module.clone());
                whole
            })
        })
        .collect();
    let mut found = Vec::new();
    for (name, place, source) in &read {
        if place == &["lib"] {
            continue;
        }
        let Some(row) = PLAN.iter().find(|row| row.module == place[0]) else {
            found.push(format!("{name}: the plan has no row for {}", place[0]));
            continue;
        };
        if test_files.contains(place) {
            found.extend(imports(name, place, row, &source.shipped, true));
        } else {
            found.extend(imports(name, place, row, &source.shipped, false));
            found.extend(crates(name, row, &source.shipped));
        }
        found.extend(imports(name, place, row, &source.tests, true));
    }
    found
}

fn imports(name: &str, place: &[String], row: &Row, part: &Part, test: bool) -> Vec<String> {
    let mut found = Vec::new();
    for path in &part.paths {
        let Some(inner) = from_the_crate(&path.segments, place, test) else {
            continue;
        };
        let Some(first) = inner.first() else {
            found.push(format!(
                "{name}:{}: `{}` names the whole crate",
                path.line,
                path.text()
            ));
            continue;
        };
        let written = inner.join("::");
        let also: &[&str] = if test { row.tests_may } else { &[] };
        let allowed = ["text", "choice", "loopback"].contains(&first.as_str())
            || first == row.module
            || row
                .may
                .iter()
                .chain(also)
                .any(|may| written == *may || written.starts_with(&format!("{may}::")));
        if !allowed {
            found.push(format!(
                "{name}:{}: {} may not import {written}",
                path.line, row.module
            ));
        }
    }
    found
}

/// The path from the crate's root, if it goes through the root at all.
fn from_the_crate(segments: &[String], place: &[String], test: bool) -> Option<Vec<String>> {
    match segments[0].as_str() {
        "crate" | "driftline" => Some(segments[1..].to_vec()),
        "super" => {
            let up = segments
                .iter()
                .take_while(|segment| *segment == "super")
                .count();
            // A module of tests inside the file stands one deeper than the file.
            let depth = place.len() + usize::from(test);
            (up >= depth).then(|| segments[up..].to_vec())
        }
        _ => None,
    }
}

fn crates(name: &str, row: &Row, part: &Part) -> Vec<String> {
    let mut found = Vec::new();
    for path in &part.paths {
        let written = path.text();
        let root = path.segments[0].as_str();
        for (crate_name, modules) in ALONE {
            if root == *crate_name && !modules.contains(&row.module) {
                found.push(format!(
                    "{name}:{}: only {} may name {crate_name}",
                    path.line,
                    modules.join(", ")
                ));
            }
        }
        let impure = IMPURE
            .iter()
            .any(|word| written == *word || written.starts_with(&format!("{word}::")));
        if PURE.contains(&row.module) && impure {
            found.push(format!(
                "{name}:{}: {} may not name {written}",
                path.line, row.module
            ));
        }
        if PURE.contains(&row.module) && path.segments.last().is_some_and(|last| last == "now") {
            found.push(format!(
                "{name}:{}: {} may not read the clock",
                path.line, row.module
            ));
        }
    }
    if PURE.contains(&row.module) {
        for word in ["Instant", "SystemTime", "async", "await"] {
            for line in part.lines_with(word) {
                found.push(format!("{name}:{line}: {} may not name {word}", row.module));
            }
        }
    }
    found
}

/// Files and types whose name says nothing, and `mod.rs`.
pub fn name_findings(files: &[(String, String)]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in files {
        let stem = name
            .rsplit('/')
            .next()
            .unwrap_or(name)
            .trim_end_matches(".rs");
        if stem == "mod" {
            found.push(format!(
                "{name}: a module is foo.rs beside foo/, not mod.rs"
            ));
        }
        if name.split('/').any(|folder| EMPTY_NAMES.contains(&folder))
            || EMPTY_NAMES.contains(&stem)
        {
            found.push(format!("{name}: the name does not say what the file holds"));
        }
        let source = source::read(text);
        for part in [&source.shipped, &source.tests] {
            for (declared, line) in part.declared("mod") {
                if EMPTY_NAMES.contains(&declared.as_str()) {
                    found.push(format!("{name}:{line}: mod {declared} says nothing"));
                }
            }
            for keyword in ["struct", "enum", "trait"] {
                for (declared, line) in part.declared(keyword) {
                    if ["Manager", "Helper", "Utils"]
                        .iter()
                        .any(|end| declared.ends_with(end))
                    {
                        found.push(format!("{name}:{line}: {declared} says nothing"));
                    }
                }
            }
        }
    }
    found
}

/// The lines of the module of tests that ends the file, if one does.
fn inline_tests(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let start = lines
        .windows(2)
        .rposition(|pair| pair[0] == "#[cfg(test)]" && pair[1] == "mod tests {");
    start.map_or(0, |start| lines.len() - start)
}

/// Files over 500 lines (tests at their end not counted) without a reason in [`LONG`], and reasons that no
/// file needs any more.
pub fn length_findings(files: &[(String, String)]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in files {
        let lines = text.lines().count() - inline_tests(text);
        let excused = LONG.iter().any(|(long, _)| long == name);
        if lines > 500 && !excused {
            found.push(format!("{name}: {lines} lines"));
        }
        if lines <= 500 && excused {
            found.push(format!("{name}: needs no exception any more"));
        }
    }
    found
}

fn one(name: &str, text: &str) -> Vec<String> {
    findings(&[(name.to_owned(), text.to_owned())])
}

#[test]
fn an_import_from_a_higher_floor_is_found_however_it_is_written() {
    for text in [
        "use crate::ops::fetch;",
        "use crate::{geo, ops};",
        "fn f() { crate::ops::fetch() }",
        "use super::ops;",
        "use driftline::ops::fetch;",
    ] {
        assert_eq!(one("src/track.rs", text).len(), 1, "{text}");
    }
    assert_eq!(
        one("src/track/record.rs", "use super::super::ops::fetch;").len(),
        1
    );
    assert_eq!(
        one("src/track/record.rs", "use super::ops::fetch;"),
        [""; 0]
    );
    assert_eq!(one("src/track.rs", "use crate as everything;").len(), 1);
}

#[test]
fn the_two_wings_never_see_each_other() {
    for (file, text) in [
        ("src/ui/map.rs", "use crate::ops::fetch;"),
        ("src/ui.rs", "use crate::archive::Archive;"),
        ("src/app/model.rs", "use crate::api::Client;"),
        ("src/api.rs", "use crate::app::Event;"),
        ("src/ops.rs", "use crate::demo::Service;"),
        ("src/ops.rs", "use crate::app::Effect;"),
    ] {
        assert_eq!(one(file, text).len(), 1, "{file} {text}");
    }
}

#[test]
fn a_row_that_allows_one_type_allows_no_other() {
    assert_eq!(one("src/api/client.rs", "use crate::auth::Token;"), [""; 0]);
    assert_eq!(
        one("src/api/client.rs", "use crate::auth::{Token, Keyring};").len(),
        1
    );
    assert_eq!(one("src/api/client.rs", "use crate::auth;").len(), 1);
    assert_eq!(one("src/api/client.rs", "use crate::auth::*;").len(), 1);
}

#[test]
fn tests_may_name_a_little_more_and_no_more_than_that() {
    let demo = "#[cfg(test)] mod tests { use crate::demo::Service; use super::*; use super::super::track; }";
    assert_eq!(one("src/api.rs", demo), [""; 0]);
    assert_eq!(one("src/archive.rs", demo).len(), 1);
    let apart = [
        (
            "src/api.rs".to_owned(),
            "#[cfg(test)]\nmod faults;".to_owned(),
        ),
        (
            "src/api/faults.rs".to_owned(),
            "use crate::demo::Service;".to_owned(),
        ),
    ];
    assert_eq!(findings(&apart), [""; 0]);
}

#[test]
fn a_crate_with_one_owner_is_named_by_no_other() {
    assert_eq!(one("src/auth/store.rs", "use keyring::Entry;"), [""; 0]);
    assert_eq!(one("src/ops.rs", "use keyring::Entry;").len(), 1);
    assert_eq!(one("src/ops.rs", "use rusqlite::Connection;").len(), 1);
    assert_eq!(
        one("src/settings.rs", "fn f() -> color_eyre::Result<()> {}").len(),
        1
    );
    assert_eq!(
        one("src/ops.rs", "use crate::auth::keyring::read;"),
        [""; 0]
    );
}

#[test]
fn the_pure_floors_have_no_clock_no_file_and_no_task() {
    for text in [
        "use std::{fs, io};",
        "fn f() { std::fs::read(p) }",
        "use std::time::Instant;",
        "fn f() { let t = jiff::Timestamp::now(); }",
        "use tokio::sync::mpsc;",
        "async fn f() {}",
    ] {
        assert_eq!(one("src/app/model.rs", text).len(), 1, "{text}");
        assert_eq!(one("src/runtime.rs", text), [""; 0], "{text}");
    }
}

#[test]
fn empty_names_and_long_files_are_found() {
    let file = |name: &str, text: &str| [(name.to_owned(), text.to_owned())];
    assert_eq!(name_findings(&file("src/geo/utils.rs", "")).len(), 1);
    assert_eq!(name_findings(&file("src/common/box.rs", "")).len(), 1);
    assert_eq!(name_findings(&file("src/geo/mod.rs", "")).len(), 1);
    assert_eq!(
        name_findings(&file("src/geo.rs", "struct BoxManager; mod helpers {}")).len(),
        2
    );
    assert_eq!(
        name_findings(&file("src/geo.rs", "struct Manageress; // utils")),
        [""; 0]
    );
    assert_eq!(
        length_findings(&file("src/geo.rs", &"\n".repeat(501))).len(),
        1
    );
    let with_tests = format!("{}#[cfg(test)]\nmod tests {{\n}}\n", "\n".repeat(500));
    assert_eq!(length_findings(&file("src/geo.rs", &with_tests)), [""; 0]);
    assert_eq!(
        length_findings(&file("src/geo.rs", &"\n".repeat(500))),
        [""; 0]
    );
}
