//! The architecture as a table, held against the lines of the sources that name
//! a module or a crate.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each module of the top level with the modules that it may name. A row names only
/// rows above it, so that there is no circle. Tests may name any.
#[rustfmt::skip]
const MAY_NAME: &[(&str, &str)] = &[
    ("text", ""),
    ("failure", ""),
    ("exchange", ""),
    ("palette", ""),
    ("os", "failure text"),
    ("geo", "text"),
    ("track", "failure geo text"),
    ("watch", "failure geo text track"),
    ("plant", "text"),
    ("alarm", "geo text track watch"),
    ("map", "geo text track watch"),
    ("mapping", "text track watch"),
    ("formats", "geo map mapping palette plant text track watch"),
    ("archive", "alarm failure geo os plant text track watch"),
    ("settings", "archive failure geo map mapping os palette text track watch"),
    ("token", "failure os text"),
    ("service", "exchange failure formats mapping os plant text token track watch"),
    ("demo", "formats geo os plant service text track watch"),
    ("app", "alarm archive exchange failure formats geo map mapping os plant service settings text token track watch"),
    ("dashboard", "alarm exchange failure formats geo map mapping palette plant settings text track watch"),
    ("terminal", "alarm app dashboard exchange failure formats geo map os palette plant settings text track watch"),
    ("cli", "alarm app archive dashboard demo exchange failure formats geo map mapping os palette plant settings terminal text track watch"),
    ("main", "cli"),
    ("lib", ""),
    ("bench", "archive dashboard formats geo map service settings track watch"),
];

/// Names that only these modules may write: a crate has an owner, and modules
/// without input and output have no clock, no file and no task.
const OWNERS: &[(&str, &str)] = &[
    ("axum::", "demo"),
    ("clap::", "cli"),
    ("color_eyre::", "main cli terminal"),
    ("use keyring::", "token"),
    ("ratatui::", "dashboard terminal bench testing"),
    ("reqwest::", "service"),
    ("rusqlite::", "archive"),
    ("tokio_postgres::", "archive"),
    ("tokio::", IMPURE),
    ("std::fs", IMPURE),
    ("std::net", IMPURE),
    ("std::process", IMPURE),
    ("thread::spawn", IMPURE),
    ("thread::sleep", IMPURE),
    ("Instant::", IMPURE),
    ("SystemTime", IMPURE),
];
const IMPURE: &str = "os main cli terminal app service archive token settings demo bench testing";

/// Every Rust file below `folder` of the project: its path from there, and its text.
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found = Vec::new();
    walk(&folder, &mut found);
    found.sort();
    let name = |path: &Path| path.strip_prefix(&folder).unwrap().display().to_string();
    let read = found.iter().map(|path| {
        let name = name(path).replace('\\', "/");
        (name, fs::read_to_string(path).unwrap())
    });
    read.collect()
}

/// The files of `folder` without comments and inline tests.
fn shipped(folder: &str) -> Vec<(String, String)> {
    let mut files = rust_files(folder);
    for (_, text) in &mut files {
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let lines = code.lines().map(|line| line.split("//").next().unwrap());
        *text = lines.collect::<Vec<_>>().join("\n");
    }
    files
}

/// `true` if `code` has `word` and not only as a part of a longer one.
fn has(code: &str, word: &str) -> bool {
    let is_part =
        |next: Option<char>| next.is_some_and(|next| next.is_alphanumeric() || next == '_');
    code.match_indices(word).any(|(at, _)| {
        let after = &code[at + word.len()..];
        !is_part(code[..at].chars().next_back())
            && (word.ends_with(':') || !is_part(after.chars().next()))
    })
}

#[test]
fn every_module_names_only_what_its_row_allows() {
    let mut findings = Vec::new();
    for (at, (module, may)) in MAY_NAME.iter().enumerate() {
        let is_above = |name: &str| MAY_NAME[..at].iter().any(|(above, _)| *above == name);
        let below = may.split_whitespace().find(|name| !is_above(name));
        findings.extend(below.map(|name| format!("the row of {module} names {name}, below it")));
    }
    for (file, code) in &shipped("src") {
        let own = file.split(['/', '.']).next().unwrap();
        let is_test = |part: &str| matches!(part, "tests" | "testing");
        if file.split(['/', '.']).any(is_test) {
            continue;
        }
        let row = MAY_NAME.iter().find(|(module, _)| *module == own);
        let (_, may) = row.unwrap_or_else(|| panic!("the table has no row for {own}"));
        for statement in code
            .split(';')
            .filter(|statement| statement.contains("crate::"))
        {
            let opens = statement.contains("crate::{");
            let is_reexport = ["pub use", "pub(crate) use", "pub(super) use"]
                .iter()
                .any(|start| statement.contains(start));
            for (module, _) in MAY_NAME.iter().filter(|(module, _)| *module != own) {
                let is_named = has(statement, &format!("crate::{module}"))
                    || (opens && has(statement, &format!("{module}::")));
                if is_named && (is_reexport || !has(may, module)) {
                    findings.push(format!("{file}: {own} may not name or re-export {module}"));
                }
            }
        }
        for (word, owners) in OWNERS {
            if has(code, word) && !has(owners, own) {
                findings.push(format!("{file}: {own} may not name {word}"));
            }
        }
    }
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

/// The rooms with circles, and the most files that may know each other in one.
const LARGEST_CIRCLES: [(&str, usize); 4] =
    [("dashboard", 3), ("track", 4), ("alarm", 5), ("formats", 5)];

/// A file as its module: `dashboard/plants.rs` is `dashboard::plants`.
fn module(file: &str) -> Vec<&str> {
    file.trim_end_matches(".rs").split('/').collect()
}

/// The paths that code names from `crate`, `super` or `self` on, each list of a `use` taken
/// apart.
fn paths(code: &str) -> Vec<Vec<String>> {
    /// Reads a path, and those of the list at its end; returns the rest of the text.
    fn read<'a>(mut text: &'a str, before: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
        let mut path = before.to_vec();
        loop {
            text = text.trim_start();
            let end = text.find(|next: char| !next.is_alphanumeric() && next != '_');
            let (name, rest) = text.split_at(end.unwrap_or(text.len()));
            if !name.is_empty() {
                path.push(name.to_owned());
            }
            let Some(next) = rest.strip_prefix("::") else {
                found.push(path);
                return rest;
            };
            text = next.trim_start();
            if let Some(mut list) = text.strip_prefix('{') {
                while let Some(first) = list.trim_start().chars().next().filter(|c| *c != '}') {
                    let from = if first == ',' {
                        &list.trim_start()[1..]
                    } else {
                        list
                    };
                    list = read(from, &path, found);
                    // A new name after `as`, or a glob.
                    list = &list[list.find([',', '}']).unwrap_or(list.len())..];
                }
                return list;
            }
        }
    }
    let mut found = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_none_or(|before| !before.is_alphanumeric() && before != ':') {
                read(&code[at..], &[], &mut found);
            }
        }
    }
    found
}

/// The files of a room that each of them names.
fn named_files(files: &[(String, String)]) -> Vec<Vec<usize>> {
    let modules: Vec<Vec<&str>> = files.iter().map(|(file, _)| module(file)).collect();
    let place = |wanted: &[&str]| modules.iter().position(|known| known == wanted);
    let named = |(file, code): &(String, String)| -> Vec<usize> {
        let of_path = |path: Vec<String>| {
            let mut here = module(file);
            let mut names = path.iter().map(String::as_str).peekable();
            if names.next_if_eq(&"crate").is_some() {
                here.clear();
            }
            while let Some(up) = names.next_if(|name| matches!(*name, "super" | "self")) {
                if up == "super" {
                    here.pop();
                }
            }
            here.extend(names);
            (1..=here.len())
                .rev()
                .find_map(|length| place(&here[..length]))
        };
        paths(code).into_iter().filter_map(of_path).collect()
    };
    files.iter().map(named).collect()
}

/// The circles of files of a room that know each other.
fn circles(room: &str) -> BTreeSet<Vec<String>> {
    let mut files = shipped("src");
    let is_test = |file: &str| module(file).contains(&"tests");
    files.retain(|(file, _)| module(file)[0] == room && !is_test(file));
    let named = named_files(&files);
    let count = named.iter().map(Vec::len).sum::<usize>();
    assert!(count > 2 * files.len(), "no paths were read");
    let reached_from = |start: usize| {
        let mut reached = vec![false; files.len()];
        let mut next = named[start].clone();
        while let Some(file) = next.pop() {
            if !std::mem::replace(&mut reached[file], true) {
                next.extend(&named[file]);
            }
        }
        reached
    };
    let reached: Vec<Vec<bool>> = (0..files.len()).map(reached_from).collect();
    let circle_of = |file: usize| -> Vec<String> {
        let others = 0..files.len();
        let others = others.filter(|other| reached[file][*other] && reached[*other][file]);
        let names = others.map(|other| module(&files[other].0)[1..].join("/"));
        names.collect()
    };
    let all = (0..files.len()).map(circle_of);
    all.filter(|circle| circle.len() > 1).collect()
}

#[test]
fn few_files_of_a_room_know_each_other_in_a_circle() {
    for (room, largest) in LARGEST_CIRCLES {
        let mut found = circles(room);
        found.retain(|circle| circle.len() > largest);
        assert_eq!(found, BTreeSet::new(), "{room}");
    }
}

#[test]
fn files_of_the_archive_and_of_the_map_know_each_other_in_no_circle() {
    assert_eq!(circles("archive"), BTreeSet::new());
    assert_eq!(circles("map"), BTreeSet::new());
}

/// Files over 500 lines, to be divided: this list only gets shorter.
const LONG: &[&str] = &[
    "app/alarms/judge.rs",
    "app/alarms/judge/tests.rs",
    "app/collect.rs",
    "dashboard/tests/plants.rs",
    "dashboard/tests/screens/frames.rs",
    "formats/read/tests.rs",
    "track/fixes.rs",
    "track/quality/tests.rs",
    "track/quality/tests/plain.rs",
];

#[test]
fn files_are_short_and_named_for_what_they_hold() {
    let empty = [
        "mod", "utils", "util", "helpers", "helper", "manager", "common", "misc",
    ];
    let files: Vec<_> = [shipped("src"), shipped("tests")].concat();
    assert!(files.len() > 100, "the sources were not found");
    for (file, code) in files {
        let is_long = code.lines().count() > 500;
        let is_known = LONG.contains(&file.as_str());
        assert_eq!(is_long, is_known, "{file}: over 500 lines, or no longer so");
        let mut parts = file.trim_end_matches(".rs").split('/');
        assert!(
            !parts.any(|part| empty.contains(&part)),
            "{file} says nothing"
        );
    }
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
    for entry in fs::read_dir(env!("CARGO_MANIFEST_DIR")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name.starts_with('.') || drawn.contains(&name.as_str()),
            "not in the design: {name}"
        );
    }
}
