//! The manual: its contents, its links, and its examples, which are run.

mod reader;

use std::collections::BTreeSet;
use std::path::Path;

use crate::driver::code_blocks::{blocks, folder, pages, pages_beside};
#[cfg(feature = "parquet")]
use crate::driver::service::Service;
use crate::driver::{home::Home, run::Run};

/// The links and pictures of a page, each `[text](target)` outside of code.
fn links(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_block = false;
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        }
        if in_block {
            continue;
        }
        // Every second part stands between backticks.
        let text: String = line.split('`').step_by(2).collect();
        for (at, _) in text.match_indices("](") {
            let target = &text[at + 2..];
            found.extend(target.split(')').next().map(str::to_owned));
        }
    }
    found
}

/// The anchors of a page's headings, as mdBook and GitHub make them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let text = line.trim_start_matches('#').trim().to_lowercase();
            let kept = text
                .chars()
                .filter(|one| one.is_alphanumeric() || " -_".contains(*one));
            kept.collect::<String>().replace(' ', "-")
        })
        .collect()
}

/// What is wrong with the links of a page in `folder`.
fn broken(folder: &Path, name: &str, page: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for link in links(page) {
        if link.starts_with("https://") {
            continue;
        }
        let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
        let path = match file {
            "" => folder.join(name),
            file => folder.join(name).parent().unwrap().join(file),
        };
        if !path.exists() {
            wrong.push(format!("{name}: {link} leads nowhere"));
        } else if !anchor.is_empty() {
            let there = std::fs::read_to_string(&path).unwrap();
            if !anchors(&there).contains(anchor) {
                wrong.push(format!("{name}: {link} leads to no heading"));
            }
        }
    }
    wrong
}

#[test]
fn links_and_anchors_are_found_and_broken_ones_are_told() {
    let page = "# A b, `c`\n[x](#a-b-c) ![p](no.svg) `[no](code)` [w](https://a.example)\n```sh\n[a](b)\n```\n";
    assert_eq!(links(page), ["#a-b-c", "no.svg", "https://a.example"]);
    assert!(anchors(page).contains("a-b-c"));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.md"), page).unwrap();
    let wrong = broken(folder.path(), "p.md", page);
    assert_eq!(wrong, ["p.md: no.svg leads nowhere"]);
    let wrong = broken(folder.path(), "p.md", "[x](p.md#other)");
    assert_eq!(wrong, ["p.md: p.md#other leads to no heading"]);
}

#[test]
fn every_link_of_the_manual_leads_somewhere() {
    let mut wrong = Vec::new();
    for (name, page) in pages() {
        wrong.extend(broken(&folder(), &name, &page));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, page) in pages_beside() {
        wrong.extend(broken(root, &name, &page));
    }
    for name in ["CHANGELOG.md", ".github/SECURITY.md"] {
        let page = std::fs::read_to_string(root.join(name)).unwrap();
        wrong.extend(broken(root, name, &page));
    }
    assert_eq!(wrong, [""; 0]);
}

/// The files of the project that a page names between backticks.
fn named_files(page: &str) -> Vec<String> {
    let folders = [
        "src/", "tests/", "docs/", "assets/", "benches/", ".github/", ".ci/",
    ];
    let spans = page.lines().filter(|line| !line.starts_with("```"));
    spans
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter(|span| !span.contains([' ', '*']) && !span.contains("NAME"))
        .filter_map(|span| {
            let is_from_the_top = folders.iter().any(|folder| span.starts_with(folder));
            // The walks of the design name files as they lie below `src`.
            let is_source = span.contains('/') && span.ends_with(".rs");
            match (is_from_the_top, is_source) {
                (true, _) => Some(span.to_owned()),
                (false, true) => Some(format!("src/{span}")),
                (false, false) => None,
            }
        })
        .collect()
}

#[test]
fn every_file_that_a_page_names_is_there() {
    let named =
        named_files("`src/a.rs` and `tests/*.rs`, `src/NAME.rs`, `x`\n`docs/b c`, `a/b.rs`");
    assert_eq!(named, ["src/a.rs", "src/a/b.rs"]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut count, mut missing) = (0, Vec::new());
    for (name, page) in pages().into_iter().chain(pages_beside()) {
        for file in named_files(&page) {
            count += 1;
            if !root.join(&file).exists() {
                missing.push(format!("{name}: {file}"));
            }
        }
    }
    assert_eq!(missing, [""; 0]);
    assert!(count > 40, "{count} files");
}

#[test]
fn the_table_of_contents_names_every_page_and_every_picture_is_shown() {
    let summary = std::fs::read_to_string(folder().join("SUMMARY.md")).unwrap();
    let named: BTreeSet<String> = links(&summary).into_iter().collect();
    let there: BTreeSet<String> = pages()
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| name != "SUMMARY.md")
        .collect();
    assert_eq!(named, there);
    let text: String = pages().into_iter().map(|(_, page)| page).collect();
    for picture in std::fs::read_dir(folder().join("pictures")).unwrap() {
        let path = picture.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(text.contains(&format!("pictures/{name}")), "{name}");
        // A map names the version that drew it: that which ships.
        let drawn = std::fs::read_to_string(&path).unwrap();
        let by = drawn.split("· driftline ").nth(1);
        let is_this = |rest: &str| rest.starts_with(env!("CARGO_PKG_VERSION"));
        assert!(by.is_none_or(is_this), "{name}");
    }
}

#[test]
fn the_manual_is_no_longer_than_a_reader_reads() {
    let words = |page: &str| page.split_whitespace().count();
    let all: usize = pages().iter().map(|(_, page)| words(page)).sum();
    assert!(all <= 19_000, "{all} words in docs/src");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    assert!(words(&readme) <= 1_100, "{} words", words(&readme));
    let long = readme.lines().find(|line| {
        let is_prose = !line.starts_with('|') && !line.contains("](");
        is_prose && line.chars().count() > 110
    });
    assert_eq!(long, None);
}

/// The only block of a page in a language.
fn block_of(name: &str, language: &str) -> String {
    let page = std::fs::read_to_string(folder().join(name)).unwrap();
    let mut found = blocks(name, &page).into_iter();
    let block = found.find(|block| block.language == language);
    block.unwrap().text
}

#[test]
fn the_program_for_alarms_of_the_manual_sends_what_the_alarm_says() {
    needs!("python");
    let home = Home::new();
    let program = home.write("tell", block_of("alarms.md", "python"));
    let sent = home.file("sent");
    home.write(
        "bin/curl",
        format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > '{}'\n", sent.display()),
    );
    Run::shell(&home, "chmod 755 bin/curl").ends_with(0);
    let path = format!(
        "{}:{}",
        home.file("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let alarm = block_of("alarms.md", "json");
    Run::program(&home, "python3", [program.as_os_str(), "buoys".as_ref()])
        .env("PATH", path)
        .stdin(alarm)
        .ends_with(0);
    let sent = std::fs::read_to_string(sent).unwrap();
    assert!(sent.contains("Title: ice buoy: overdue raised\n"), "{sent}");
    assert!(sent.contains("no fix for 1 h 4 min"), "{sent}");
    assert!(sent.ends_with("https://ntfy.sh/buoys\n"), "{sent}");
}

/// Makes the files of the page with its own commands.
#[cfg(feature = "parquet")]
fn with_files(page: &str) -> (Home, Service) {
    let service = Service::start();
    let home = Home::new();
    let (uuid, _) = service
        .deployments
        .iter()
        .find(|(_, label)| label.starts_with("Ice buoy"))
        .unwrap();
    Run::driftline(&home, ["deployments", "add", uuid]).ends_with(0);
    for block in blocks("formats.md", page) {
        if block.language == "sh" {
            let commands = block.text.replace("driftline ", "\"$DRIFTLINE\" ");
            Run::shell(&home, &format!("set -e\n{commands}"))
                .env("DRIFTLINE_BASE_URL", service.base_url.clone())
                .env("DRIFTLINE_TOKEN", service.token.clone())
                .ends_with(0);
        }
    }
    (home, service)
}

#[test]
#[cfg(feature = "parquet")]
fn every_reading_example_of_the_manual_runs() {
    needs!("R", "python-packages");
    let page = std::fs::read_to_string(folder().join("formats.md")).unwrap();
    let (home, _service) = with_files(&page);
    let python = crate::exports::python();
    let query = "import duckdb, sys; print(duckdb.sql(sys.argv[1]))";
    let mut counts = [0; 3];
    for block in blocks("formats.md", &page) {
        let answer = match block.language.as_str() {
            "python" => {
                counts[0] += 1;
                Run::program(&home, &python, ["-c", &block.text]).go()
            }
            "r" => {
                counts[1] += 1;
                let script = home.write("example.R", &block.text);
                Run::program(&home, "Rscript", [script]).go()
            }
            "sql" => {
                counts[2] += 1;
                Run::program(&home, &python, ["-c", query, &block.text]).go()
            }
            "sh" | "r not-run" => continue,
            other => panic!("{}: nothing runs {other}", block.place),
        };
        assert_eq!(answer.status, 0, "{}\n{}", block.place, answer.stderr);
        let is_plot = block.text.contains("plot(");
        let is_silent = answer.stdout.trim().is_empty();
        assert!(is_plot || !is_silent, "{} prints nothing", block.place);
    }
    assert_eq!(counts, [8, 3, 5]);
}

/// The packages that the examples of a page use and Python and R do not bring along.
fn imported(page: &str) -> BTreeSet<String> {
    const OWN: [&str; 2] = ["csv", "json"];
    let mut found = BTreeSet::new();
    for block in blocks("formats.md", page) {
        for line in block.text.lines() {
            let python = ["import ", "from "]
                .into_iter()
                .find_map(|word| line.strip_prefix(word));
            let r = line.strip_prefix("library(");
            let name = python
                .or(r)
                .and_then(|rest| rest.split([' ', '.', ',', ')']).next());
            found.extend(name.filter(|name| !OWN.contains(name)).map(str::to_owned));
        }
    }
    found
}

#[test]
fn the_manual_says_what_its_examples_need() {
    let page = std::fs::read_to_string(folder().join("formats.md")).unwrap();
    let installs = page.find("pip install").unwrap();
    let named = page[installs..].split("\n\n").next().unwrap();
    let imported = imported(&page);
    assert!(imported.len() > 6, "{imported:?}");
    for name in imported {
        assert!(named.contains(&name), "{name}: {named}");
    }
}
