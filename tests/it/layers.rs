//! The house plan, held: who may import whom, who alone names which crate,
//! where files lie, how they are named and how long they grow.

mod plan;
mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

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

/// Fails with every finding on a line of its own.
fn none(findings: Vec<String>) {
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn every_module_imports_only_what_its_row_allows() {
    let files = rust_files("src");
    assert!(files.len() > 20, "the sources were not found");
    none(plan::findings(&files));
}

#[test]
fn every_module_of_the_house_has_a_row_and_every_row_a_module() {
    let (_, lib) = rust_files("src")
        .into_iter()
        .find(|(name, _)| name == "src/lib.rs")
        .unwrap();
    let declared: BTreeSet<String> = source::read(&lib)
        .shipped
        .declared("mod")
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let rows: BTreeSet<String> = plan::modules().map(str::to_owned).collect();
    let unknown: Vec<_> = declared.difference(&rows).collect();
    assert!(unknown.is_empty(), "no row in the plan for {unknown:?}");
}

#[test]
fn files_are_named_for_what_they_hold() {
    let files: Vec<_> = [rust_files("src"), rust_files("tests")].concat();
    none(plan::name_findings(&files));
}

#[test]
fn no_file_grows_past_five_hundred_lines() {
    let files: Vec<_> = [rust_files("src"), rust_files("tests")].concat();
    none(plan::length_findings(&files));
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
        "SECURITY.md",
        "target",
    ];
    let found = fs::read_dir(root()).unwrap().map(|entry| {
        let name = entry.unwrap().file_name();
        name.to_string_lossy().into_owned()
    });
    let strangers: Vec<String> = found
        .filter(|name| !name.starts_with('.') && !drawn.contains(&name.as_str()))
        .collect();
    assert!(strangers.is_empty(), "not in the plan: {strangers:?}");
}
