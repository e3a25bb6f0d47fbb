//! The manual: its contents, its links, and its examples, which are run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::driver::code_blocks::{blocks, folder, pages};
#[cfg(feature = "parquet")]
use crate::driver::{home::Home, run::Run, service::Service};

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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github");
    for name in ["CONTRIBUTING.md", "SECURITY.md"] {
        let page = std::fs::read_to_string(root.join(name)).unwrap();
        wrong.extend(broken(&root, name, &page));
    }
    assert_eq!(wrong, [""; 0]);
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
        let name = picture.unwrap().file_name().into_string().unwrap();
        assert!(text.contains(&format!("pictures/{name}")), "{name}");
    }
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
    Run::driftline(&home, ["deployments", "add", uuid])
        .go()
        .ends_with(0);
    for block in blocks("formats.md", page) {
        if block.language == "sh" {
            let commands = block.text.replace("driftline ", "\"$DRIFTLINE\" ");
            Run::shell(&home, &format!("set -e\n{commands}"))
                .env("DRIFTLINE_BASE_URL", service.base_url.clone())
                .env("DRIFTLINE_TOKEN", service.token.clone())
                .go()
                .ends_with(0);
        }
    }
    (home, service)
}

#[test]
#[cfg(feature = "parquet")]
fn every_reading_example_of_the_manual_runs() {
    let page = std::fs::read_to_string(folder().join("formats.md")).unwrap();
    let (home, _service) = with_files(&page);
    let python: PathBuf = crate::exports::python();
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
    assert_eq!(counts, [8, 7, 6]);
}
