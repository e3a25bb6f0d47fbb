//! Rule: imports run down the table; a crate with an owner is named by its
//! owner alone; the pure layers have no clock, no file and no task.

use super::reader::{File, NamedPath, Role, Segments};
use super::sources::Sources;
use super::table::{CLOCK_TYPES, IMPURE, OWNED_CRATES, PURE, ROWS, Row, TEST_MODULES};

/// Everything that `sources` name and the table does not allow.
pub(super) fn findings(sources: &Sources) -> Vec<String> {
    let mut found = Vec::new();
    for file in &sources.files {
        let Some(module) = file.place.first() else {
            continue;
        };
        if TEST_MODULES.contains(&module.as_str()) {
            continue;
        }
        let Some(row) = ROWS.iter().find(|row| row.module == module) else {
            found.push(format!("{}: the table has no row for {module}", file.name));
            continue;
        };
        for path in &file.paths {
            let test = sources.is_test(file, path);
            let whole = sources.written_out(&path.module, &path.segments);
            found.extend(import(file, path, row, &whole, test));
            if !test {
                found.extend(owned_crate(file, path, &whole));
                if PURE.contains(&row.module) {
                    found.extend(impure(file, path, row, &whole));
                }
            }
        }
        let shipped = !sources.is_test_file(file) && PURE.contains(&row.module);
        for word in file.words.iter().filter(|word| shipped && !word.test) {
            found.push(format!(
                "{}:{}: {} may not name {}",
                file.name, word.line, row.module, word.text
            ));
        }
    }
    found
}

fn import(
    file: &File,
    path: &NamedPath,
    row: &Row,
    whole: &Segments,
    test: bool,
) -> Option<String> {
    let (root, inner) = whole.split_first()?;
    // What one name means was said by the `use` that brought it in.
    if root != "crate" || (path.role == Role::Mention && path.segments.len() == 1) {
        return None;
    }
    let written = inner.join("::");
    if inner.is_empty() {
        return Some(format!(
            "{}:{}: `{}` names the whole crate",
            file.name,
            path.line,
            path.segments.join("::")
        ));
    }
    (!row.allows(&written, test)).then(|| {
        format!(
            "{}:{}: {} may not import {written}",
            file.name, path.line, row.module
        )
    })
}

fn owned_crate(file: &File, path: &NamedPath, whole: &Segments) -> Option<String> {
    if path.role == Role::Mention && path.segments.len() == 1 {
        return None;
    }
    let (name, owners) = OWNED_CRATES.iter().find(|(name, _)| whole[0] == *name)?;
    let place = file.place.join("::");
    let is_owner = |owner: &&str| {
        let rest = place.strip_prefix(*owner);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    (!owners.iter().any(is_owner)).then(|| {
        format!(
            "{}:{}: only {} may name {name}",
            file.name,
            path.line,
            owners.join(", ")
        )
    })
}

fn impure(file: &File, path: &NamedPath, row: &Row, whole: &Segments) -> Vec<String> {
    let mut found = Vec::new();
    let mut say = |what: &str| {
        found.push(format!(
            "{}:{}: {} may not {what}",
            file.name, path.line, row.module
        ));
    };
    let written = whole.join("::");
    let mention = path.role == Role::Mention && path.segments.len() == 1;
    let is_impure = IMPURE
        .iter()
        .any(|word| written == *word || written.starts_with(&format!("{word}::")));
    if is_impure && !mention {
        say(&format!("name {written}"));
    }
    if whole.len() > 1 && whole.last().is_some_and(|last| last == "now") {
        say("read the clock");
    }
    let clock = path
        .segments
        .iter()
        .find(|name| CLOCK_TYPES.contains(&name.as_str()));
    if let Some(clock) = clock {
        say(&format!("name {clock}"));
    }
    found
}

fn found_in(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect();
    findings(&Sources::read(&files))
}

fn found(name: &str, text: &str) -> Vec<String> {
    found_in(&[(name, text)])
}

#[test]
fn an_import_from_a_higher_layer_is_found_however_it_is_written() {
    for text in [
        "use crate::ops::fetch;",
        "use crate::{geo, ops};",
        "fn f() { crate::ops::fetch() }",
        "fn f() { println!(\"{}\", crate::ops::fetch()) }",
        "#[derive(crate::ops::Fetch)] struct S;",
        "mod inner { use super::super::ops; }",
        "use super::ops;",
        "use driftline::ops::fetch;",
    ] {
        assert_eq!(found("src/track.rs", text).len(), 1, "{text}");
    }
    assert_eq!(
        found("src/track/record.rs", "use super::super::ops::fetch;").len(),
        1
    );
    assert_eq!(
        found("src/track/record.rs", "use super::ops::fetch;"),
        [""; 0]
    );
    assert_eq!(found("src/track.rs", "use crate as everything;").len(), 1);
    assert_eq!(
        found(
            "src/track.rs",
            "use crate::geo; fn f() { geo::x(); ops::x() }"
        ),
        [""; 0]
    );
}

#[test]
fn the_two_sides_never_see_each_other() {
    for (file, text) in [
        ("src/ui/map.rs", "use crate::ops::fetch;"),
        ("src/ui.rs", "use crate::archive::Archive;"),
        ("src/ui.rs", "use crate::settings::Settings;"),
        ("src/app/model.rs", "use crate::api::Client;"),
        ("src/api.rs", "use crate::app::Event;"),
        ("src/ops.rs", "use crate::demo::Service;"),
        ("src/ops.rs", "use crate::app::Effect;"),
        ("src/unknown.rs", ""),
    ] {
        assert_eq!(found(file, text).len(), 1, "{file} {text}");
    }
}

#[test]
fn the_base_layer_names_nothing_and_is_named_by_the_layers_of_its_rows() {
    for module in ["text", "geo", "failure", "exchange", "clock", "plant"] {
        let file = format!("src/{module}.rs");
        assert_eq!(found(&file, "use crate::track::Fix;").len(), 1, "{module}");
        assert_eq!(found(&file, "use crate::exchange::X;"), [""; 0], "{module}");
    }
    for module in [
        "api", "archive", "auth", "demo", "ops", "runtime", "cli", "settings",
    ] {
        let file = format!("src/{module}.rs");
        assert_eq!(found(&file, "use crate::clock::now;"), [""; 0], "{module}");
    }
    for module in ["track", "export", "app", "ui", "failure", "main"] {
        let file = format!("src/{module}.rs");
        let clock = "fn f() { crate::clock::unix() }";
        assert_eq!(found(&file, clock).len(), 1, "{module}");
    }
}

#[test]
fn a_row_that_allows_one_type_allows_no_other() {
    let client = "src/api/client.rs";
    assert_eq!(found(client, "use crate::auth::Token;"), [""; 0]);
    assert_eq!(found(client, "use crate::auth::{Token, Keyring};").len(), 1);
    assert_eq!(found(client, "use crate::auth;").len(), 1);
    assert_eq!(found(client, "use crate::auth::*;").len(), 1);
    assert_eq!(found(client, "use crate::auth::Tokens;").len(), 1);
}

#[test]
fn tests_may_name_a_little_more_and_no_more_than_that() {
    let demo = "#[cfg(test)] mod tests { use crate::demo::Service; use super::*; use super::super::track; }";
    assert_eq!(found("src/api.rs", demo), [""; 0]);
    assert_eq!(found("src/archive.rs", demo).len(), 1);
    let apart = [
        ("src/api.rs", "#[cfg(test)]\nmod tests;"),
        ("src/api/tests.rs", "mod faults;"),
        ("src/api/tests/faults.rs", "use crate::demo::Service;"),
    ];
    assert_eq!(found_in(&apart), [""; 0]);
}

#[test]
fn test_tools_are_named_by_tests_alone_and_may_name_all() {
    let tools = "use crate::testing::track;";
    assert_eq!(found("src/ui.rs", tools).len(), 1);
    let tests = format!("#[cfg(test)] mod tests {{ {tools} }}");
    assert_eq!(found("src/ui.rs", &tests), [""; 0]);
    let all = "use crate::{app, api}; use std::fs;";
    assert_eq!(found("src/testing/responder.rs", all), [""; 0]);
}

#[test]
fn a_crate_with_one_owner_is_named_by_no_other() {
    assert_eq!(found("src/auth/store.rs", "use keyring::Entry;"), [""; 0]);
    assert_eq!(found("src/ops.rs", "use keyring::Entry;").len(), 1);
    assert_eq!(found("src/ops.rs", "use rusqlite::Connection;").len(), 1);
    let engine = "use rusqlite::Connection;";
    assert_eq!(found("src/archive/sqlite/open.rs", engine), [""; 0]);
    assert_eq!(found("src/archive/ledger.rs", engine).len(), 1);
    assert_eq!(
        found("src/settings.rs", "fn f() -> color_eyre::Result<()> {}").len(),
        1
    );
    assert_eq!(
        found("src/ops.rs", "use crate::auth::keyring::read;"),
        [""; 0]
    );
    assert_eq!(
        found("src/ops.rs", "mod keyring; fn f() { keyring::read() }"),
        [""; 0]
    );
}

#[test]
fn the_pure_layers_have_no_clock_no_file_and_no_task() {
    for text in [
        "use std::{fs, io};",
        "fn f() { std::fs::read(p) }",
        "fn f() { std::thread::sleep(t) }",
        "use std::time::Instant;",
        "fn f() { let t = jiff::Timestamp::now(); }",
        "use tokio::sync::mpsc;",
        "async fn f() {}",
        "fn f() { let g = async || 1; }",
        "fn f() { let g = async { 1 }; }",
        "fn f() { select!(g.await) }",
    ] {
        assert_eq!(found("src/app/model.rs", text).len(), 1, "{text}");
        assert_eq!(found("src/runtime.rs", text), [""; 0], "{text}");
        let tests = format!("#[cfg(test)] mod tests {{ {text} }}");
        assert_eq!(found("src/app/model.rs", &tests), [""; 0], "{text}");
    }
    assert_eq!(
        found("src/chart.rs", "fn f() { std::thread::scope(|s| s) }"),
        [""; 0]
    );
}
