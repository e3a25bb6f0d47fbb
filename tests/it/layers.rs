//! The rules of the architecture: who may import whom, who alone names which crate,
//! which files may depend on which, how they are named, how long they may be
//! and where tests are.

mod circles;
mod imports;
mod names;
mod reader;
mod reexports;
mod sources;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use reader::{File, Kind};
use sources::Sources;

/// The sources of the crate, read once for all rules.
static SOURCES: LazyLock<Sources> = LazyLock::new(|| {
    let files = rust_files("src");
    assert!(files.len() > 20, "the sources were not found");
    Sources::read(&files)
});

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file under `folder` of the project, as (path from the root with
/// `/`, text), in order.
pub(crate) fn rust_files(folder: &str) -> Vec<(String, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found);
    found.sort();
    let read = found.into_iter().map(|path| {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap();
        (name.replace('\\', "/"), fs::read_to_string(&path).unwrap())
    });
    read.collect()
}

/// The files of the integration tests.
fn test_files() -> Vec<File> {
    let files = rust_files("tests");
    let read = files.iter().map(|(name, text)| reader::read(name, text));
    read.collect()
}

/// Fails with every finding on a line of its own.
fn none(findings: Vec<String>) {
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn every_module_imports_only_what_its_row_allows() {
    none(imports::findings(&SOURCES));
}

#[test]
fn every_module_has_a_row_in_the_table() {
    let top = SOURCES.files.iter().filter(|file| file.place.is_empty());
    let declared: BTreeSet<&str> = top
        .flat_map(|file| &file.declared)
        .filter(|declared| declared.kind != Kind::Type)
        .map(|declared| declared.name.as_str())
        .collect();
    assert!(declared.contains("geo"), "{declared:?}");
    let rows = table::ROWS.iter().map(|row| row.module);
    let rows: BTreeSet<&str> = rows.chain(table::TEST_MODULES.iter().copied()).collect();
    let unknown: Vec<_> = declared.difference(&rows).collect();
    assert!(unknown.is_empty(), "no row in the table for {unknown:?}");
}

#[test]
fn every_path_of_the_crate_leads_to_an_item() {
    none(circles::lost(&SOURCES));
}

#[test]
fn files_are_named_for_what_they_hold() {
    none(names::empty_names(&SOURCES.files));
    none(names::empty_names(&test_files()));
}

#[test]
fn no_file_grows_past_five_hundred_lines() {
    none(names::long_files(&SOURCES.files));
    none(names::long_files(&test_files()));
}

#[test]
fn the_top_level_holds_only_what_was_drawn() {
    let drawn = [
        "Cargo.toml",
        "Cargo.lock",
        "src",
        "assets",
        "tests",
        "benches",
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "docs",
        "target",
    ];
    let found = fs::read_dir(root()).unwrap().map(|entry| {
        let name = entry.unwrap().file_name();
        name.to_string_lossy().into_owned()
    });
    let strangers: Vec<String> = found
        .filter(|name| !name.starts_with('.') && !drawn.contains(&name.as_str()))
        .collect();
    assert!(strangers.is_empty(), "not in the design: {strangers:?}");
}

#[test]
fn no_files_depend_on_each_other_in_a_circle() {
    none(circles::findings(&SOURCES));
}

#[test]
fn no_module_re_exports_what_another_defines() {
    none(reexports::findings(&SOURCES));
}

#[test]
fn tests_are_inline_or_in_a_file_of_tests() {
    none(names::stray_tests(&SOURCES));
}
