//! The page of promises held to the tests that there are, and the promises that
//! stand in the manifest.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use crate::driver::home::Home;
use crate::driver::pty::{CTRL_C, Setting, Terminal};
use crate::driver::recorded;
use crate::driver::run::Run;
use crate::layers::rust_files;

fn read(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of the functions that are tests.
fn tests(sources: &[(String, String)]) -> BTreeSet<&str> {
    let functions = sources
        .iter()
        .flat_map(|(_, text)| text.split("fn ").zip(text.split("fn ").skip(1)));
    functions
        // The attribute stands right before it: a helper is no proof.
        .filter(|(before, _)| {
            let attribute = before.rfind("test");
            attribute.is_some_and(|at| before.len() - at <= 160)
        })
        .filter_map(|(_, after)| Some(after.split_once('(')?.0))
        .collect()
}

#[test]
fn what_tests_need_is_what_the_tables_name() {
    let sources = ["src", "tests"].map(rust_files).concat();
    let needs = sources
        .iter()
        .flat_map(|(_, text)| text.split("    needs!(\"").skip(1));
    let needs = needs.filter_map(|text| Some(text.split_once(");")?.0));
    let needs = needs.flat_map(|names| names.split(", "));
    let needs: BTreeSet<&str> = needs.map(|name| name.trim_matches('"')).collect();
    let tables = ["tests/packages.txt", "tests/servers.txt"]
        .map(read)
        .concat();
    let rows = tables.lines().filter(|line| !line.starts_with('#'));
    let named: BTreeSet<&str> = rows.map(|row| row.split_once(" | ").unwrap().0).collect();
    assert_eq!(needs, named);
}

#[test]
fn every_row_has_its_tests_and_every_test_that_is_named_is_there() {
    let page = read("tests/REQUIREMENTS.md");
    let sources = ["src", "tests"].map(rust_files).concat();
    let tests = tests(&sources);
    let mut seen = BTreeSet::new();
    for line in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let (row, proof) = (cells[0], cells[cells.len() - 1]);
        if row == "row" {
            continue;
        }
        assert!(seen.insert(row), "{row} stands there twice");
        if let Some(why) = proof.strip_prefix("not tried") {
            assert!(why.len() > 10, "{row} does not say why");
            continue;
        }
        for test in proof.split(", ").map(|test| test.trim_matches('`')) {
            assert!(tests.contains(test), "{row}: there is no test {test}");
        }
    }
    assert!(seen.len() > 100, "{} rows", seen.len());
}

#[test]
fn lints_that_are_promised_are_in_force() {
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let lints = &manifest["lints"];
    assert_eq!(lints["rust"]["unsafe_code"].as_str(), Some("forbid"));
    for lint in [
        "unwrap_used",
        "expect_used",
        "panic",
        "print_stdout",
        "print_stderr",
    ] {
        assert_eq!(lints["clippy"][lint].as_str(), Some("deny"), "{lint}");
    }
    let release = &manifest["profile"]["release"];
    assert_eq!(release["overflow-checks"].as_bool(), Some(true));
    // What a lint denies, nothing outside of tests allows again.
    for (name, text) in rust_files("src") {
        let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
        for lint in ["unsafe_code", "clippy::unwrap_used", "clippy::expect_used"] {
            let again = shipped
                .lines()
                .filter(|line| line.contains("allow(") && !line.contains("cfg_attr(test"))
                .find(|line| line.contains(lint));
            assert_eq!(again, None, "{name}");
        }
    }
}

#[test]
fn every_dependency_has_its_reason_and_their_number_a_bound() {
    let manifest = read("Cargo.toml");
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line == "[dependencies]" || line == "[dev-dependencies]";
        } else if inside && line.contains('=') {
            let reason = line.split_once("# ").map_or("", |(_, reason)| reason);
            assert!(reason.len() >= 10, "no reason: {line}");
        }
    }
    let tree = tree(&[]);
    let crates: BTreeSet<&str> = tree
        .lines()
        .filter_map(|line| line.split(" (").next())
        .collect();
    println!("{} crates", crates.len());
    // A new one is a decision: raise this with its reason in the message.
    assert!(
        (100..=335).contains(&crates.len()),
        "{} crates",
        crates.len()
    );
}

/// The crates of a build with these options, one a line.
fn tree(options: &[&str]) -> String {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "-e", "normal"])
        .args(["--prefix", "none"])
        .args(options)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    String::from_utf8(tree.stdout).unwrap()
}

#[test]
fn http_two_is_not_built_in() {
    let tree = tree(&["--features", "parquet,postgres"]);
    assert!(tree.contains("hyper v") && tree.contains("tokio-postgres v"));
    assert!(!tree.contains("h2 v"));
    assert!(read("src/service/http_client.rs").contains(".http1_only()"));
}

#[test]
fn security_says_what_is_promised_and_what_is_not() {
    let page = read(".github/SECURITY.md");
    for part in [
        "## What driftline promises",
        "## What it does not promise",
        "tests/REQUIREMENTS.md",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_package_carries_what_it_should_and_no_more() {
    let list = Command::new(env!("CARGO"))
        .args([
            "package",
            "--list",
            "--locked",
            "--offline",
            "--allow-dirty",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let folders: BTreeSet<&str> = list
        .lines()
        .map(|line| line.split('/').next().unwrap_or(line))
        .collect();
    let expected = [
        ".cargo_vcs_info.json",
        "CHANGELOG.md",
        "Cargo.lock",
        "Cargo.toml",
        "Cargo.toml.orig",
        "LICENSE",
        "README.md",
        ".github",
        "assets",
        "docs",
        "src",
    ];
    let strange: Vec<&&str> = folders
        .iter()
        .filter(|one| !expected.contains(one))
        .collect();
    assert!(strange.is_empty(), "{strange:?}");
    for needed in [
        "LICENSE",
        "src/main.rs",
        "assets/coastline.bin",
        ".github/SECURITY.md",
        "docs/src/settings.md",
    ] {
        assert!(
            list.lines().any(|line| line == needed),
            "{needed} is missing"
        );
    }
    let sizes = list.lines().filter_map(|file| {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
        Some(std::fs::metadata(path).ok()?.len())
    });
    let bytes: u64 = sizes.sum();
    assert!(bytes < 8_000_000, "{bytes} bytes");
}

#[test]
fn every_recorded_track_stands_in_its_page_with_count_source_and_licence() {
    let page = read("tests/data/README.md");
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .map(|line| line.split(" | ").collect())
        .filter(|row: &Vec<&str>| row.len() == 6 && row[0] != "track")
        .collect();
    assert_eq!((rows.len(), recorded::names().len()), (20, 20));
    for row in rows {
        let body: Vec<serde_json::Value> =
            serde_json::from_slice(&recorded::track(row[0])).unwrap();
        assert_eq!(row[2], body.len().to_string(), "records of {}", row[0]);
        assert!(
            row[4].starts_with("github.com/") && row[4].contains(" at "),
            "{row:?}"
        );
        assert!(row[5].len() > 2, "{row:?}");
    }
}

#[test]
fn a_login_that_is_interrupted_gives_the_echo_back_and_stores_nothing() {
    let home = Home::new();
    let setting = || Setting::default().env("DRIFTLINE_BASE_URL", "http://127.0.0.1:9");
    for (typed, end) in [
        ("half-a-secret", Some(CTRL_C)),
        ("", Some("\x04")),
        ("half-a-secret", None),
    ] {
        let mut terminal = Terminal::driftline(&home, &["auth", "login"], setting());
        // What is typed the moment the prompt stands is not shown either.
        terminal.shows("Token:");
        terminal.keys(typed);
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(!terminal.screen().contains("half-a-secret"));
        match end {
            Some(key) => terminal.keys(key),
            None => terminal.signal(rustix::process::Signal::TERM),
        }
        let status = terminal.end();
        assert!([130, 143].contains(&status), "{status}");
        assert_eq!(terminal.insane(), [""; 0]);
    }
    let none = Run::driftline(&home, ["auth", "status"])
        .env("DRIFTLINE_BASE_URL", "http://127.0.0.1:9")
        .go();
    assert!(!format!("{none:?}").contains("half-a-secret"));
}
