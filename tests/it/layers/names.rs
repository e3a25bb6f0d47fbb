//! Rules: files and types are named for what they hold, files stay short, and
//! tests are in two places.

use super::reader::{File, Kind};
use super::sources::Sources;
use super::table::TEST_MODULES;

/// Names that say nothing.
const EMPTY: &[&str] = &[
    "utils", "util", "helpers", "helper", "manager", "managers", "common", "misc",
];

/// Ends of type names that say nothing.
const EMPTY_ENDS: &[&str] = &["Manager", "Helper", "Utils"];

/// The most lines of a file, inline tests not counted.
const MOST_LINES: usize = 500;

/// Files, modules and types whose name says nothing, and `mod.rs`.
pub(super) fn empty_names(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let name = &file.name;
        let stem = stem(file);
        if stem == "mod" {
            found.push(format!(
                "{name}: a module is foo.rs beside foo/, not mod.rs"
            ));
        }
        if name
            .split('/')
            .chain([stem])
            .any(|part| EMPTY.contains(&part))
        {
            found.push(format!("{name}: the name does not say what the file holds"));
        }
        for declared in &file.declared {
            let is_empty = match declared.kind {
                Kind::Type => EMPTY_ENDS.iter().any(|end| declared.name.ends_with(end)),
                _ => EMPTY.contains(&declared.name.as_str()),
            };
            if is_empty {
                found.push(format!(
                    "{name}:{}: {} says nothing",
                    declared.line, declared.name
                ));
            }
        }
    }
    found
}

/// Files with more than [`MOST_LINES`] lines.
pub(super) fn long_files(files: &[File]) -> Vec<String> {
    let long = files.iter().filter(|file| file.lines > MOST_LINES);
    long.map(|file| format!("{}: {} lines", file.name, file.lines))
        .collect()
}

/// Tests that are neither inline in `mod tests` nor in `foo/tests.rs` or
/// below `foo/tests/`, and files that are named as if they held some.
pub(super) fn stray_tests(sources: &Sources) -> Vec<String> {
    let mut found = Vec::new();
    for file in &sources.files {
        let is_tool = file
            .place
            .first()
            .is_some_and(|first| TEST_MODULES.contains(&first.as_str()));
        let is_in_place = is_tool || file.place.iter().skip(1).any(|name| name == "tests");
        let named_so = ["_test", "_tests"]
            .iter()
            .any(|end| stem(file).ends_with(end));
        if named_so || (sources.is_test_file(file) && !is_in_place) {
            found.push(format!(
                "{}: tests belong inline or in foo/tests.rs, test tools in src/testing",
                file.name
            ));
        }
        for declared in &file.declared {
            let in_tests = declared.module[file.place.len()..].contains(&"tests".to_owned());
            if declared.kind == Kind::InlineModule
                && declared.test
                && declared.name != "tests"
                && !in_tests
                && !sources.is_test_file(file)
            {
                found.push(format!(
                    "{}:{}: mod {} holds tests and is not named tests",
                    file.name, declared.line, declared.name
                ));
            }
        }
    }
    found
}

fn stem(file: &File) -> &str {
    let last = file.name.rsplit('/').next();
    last.unwrap_or(&file.name).trim_end_matches(".rs")
}

fn file(name: &str, text: &str) -> [File; 1] {
    [super::reader::read(name, text)]
}

#[test]
fn empty_names_are_found() {
    assert_eq!(empty_names(&file("src/geo/utils.rs", "")).len(), 1);
    assert_eq!(empty_names(&file("src/common/box.rs", "")).len(), 1);
    assert_eq!(empty_names(&file("src/geo/mod.rs", "")).len(), 1);
    let text = "struct BoxManager; mod helpers {} fn f() { enum BoxUtils {} }";
    assert_eq!(empty_names(&file("src/geo.rs", text)).len(), 3);
    let text = "struct Manageress; // utils";
    assert_eq!(empty_names(&file("src/geo.rs", text)), [""; 0]);
}

#[test]
fn a_file_is_long_without_its_inline_tests() {
    let long = "\n".repeat(501);
    assert_eq!(long_files(&file("src/geo.rs", &long)).len(), 1);
    let tests = "#[cfg(test)]\nmod tests {\n}\n";
    let full = format!("{}{tests}", "\n".repeat(500));
    assert_eq!(long_files(&file("src/geo.rs", &full)), [""; 0]);
    let above = format!("{}{tests}", "\n".repeat(501));
    assert_eq!(long_files(&file("src/geo.rs", &above)).len(), 1);
    let exact = "\n".repeat(500);
    assert_eq!(long_files(&file("src/geo.rs", &exact)), [""; 0]);
}

#[test]
fn tests_are_inline_in_a_file_of_tests_or_below_it() {
    let stray = |files: &[(&str, &str)]| {
        let files: Vec<_> = files
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        stray_tests(&Sources::read(&files))
    };
    let well = [
        ("src/lib.rs", "mod geo; #[cfg(test)] mod testing;"),
        ("src/geo.rs", "#[cfg(test)] mod tests; mod bounds;"),
        ("src/geo/tests.rs", "mod poles; mod inner {}"),
        ("src/geo/tests/poles.rs", ""),
        (
            "src/geo/bounds.rs",
            "#[cfg(test)] mod tests { mod deep {} }",
        ),
        ("src/testing.rs", "mod tracks;"),
        ("src/testing/tracks.rs", ""),
    ];
    assert_eq!(stray(&well), [""; 0]);
    for (declares, name) in [
        ("#[cfg(test)] mod vectors;", "src/geo/vectors.rs"),
        ("#[cfg(test)] mod geo_tests;", "src/geo/geo_tests.rs"),
        ("mod geo_test;", "src/geo/geo_test.rs"),
    ] {
        assert_eq!(
            stray(&[("src/geo.rs", declares), (name, "")]).len(),
            1,
            "{name}"
        );
    }
    assert_eq!(
        stray(&[("src/geo.rs", "#[cfg(test)] mod vectors {}")]).len(),
        1
    );
}
