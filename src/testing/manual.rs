//! Parts of the manual that are made from the source. Each is in a page, named by its
//! path from `docs/src`, between two comments, `<!-- made from the source: NAME -->` and
//! `<!-- end -->`. A test makes the part again and compares; with
//! `MANUAL_UPDATE=always` it writes the part into the page.

mod keys;
mod quality;
mod settings;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::code_blocks;

/// Two tests may write one page.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Compares the part `name` of a page with what the source says.
#[track_caller]
pub(crate) fn part_is(page: &str, name: &str, made: &str) {
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let path = code_blocks::folder().join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let wanted = replaced(&text, name, made)
        .unwrap_or_else(|| panic!("{page} has no part '{name}' that is made from the source"));
    if wanted == text {
        return;
    }
    if std::env::var_os("MANUAL_UPDATE").is_some_and(|value| value == "always") {
        std::fs::write(&path, wanted).unwrap();
        return;
    }
    panic!(
        "docs/src/{page}: the part '{name}' is not what the source says now; MANUAL_UPDATE=always writes it. It should be:\n{made}"
    );
}

/// The text with the part `name` replaced; `None` without such a part.
fn replaced(text: &str, name: &str, made: &str) -> Option<String> {
    let start = format!("<!-- made from the source: {name} -->\n");
    let (before, rest) = text.split_once(&start)?;
    let (_, after) = rest.split_once("<!-- end -->")?;
    Some(format!(
        "{before}{start}\n{}\n\n<!-- end -->{after}",
        made.trim()
    ))
}

/// The fields of a struct or the variants of an enum with their doc comments, each
/// as one line.
pub(crate) fn documented(file: &str, item: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let source = std::fs::read_to_string(path).unwrap();
    let (_, rest) = [format!("struct {item} {{\n"), format!("enum {item} {{\n")]
        .iter()
        .find_map(|head| source.split_once(head))
        .unwrap_or_else(|| panic!("{file} has no {item}"));
    let mut found = Vec::new();
    let mut comment: Vec<&str> = Vec::new();
    // rustfmt sets a member in by four spaces, and the end of its type not at all.
    for line in rest.lines().take_while(|line| *line != "}") {
        let member = line.strip_prefix("    ").unwrap_or_default();
        if let Some(words) = member.strip_prefix("///") {
            comment.push(words.trim());
        } else if member.starts_with(|first: char| first.is_alphabetic()) {
            let name = member
                .trim_start_matches("pub(crate) ")
                .trim_start_matches("pub ");
            let end = name.find(|next: char| !next.is_alphanumeric() && next != '_');
            let name = &name[..end.unwrap_or(name.len())];
            found.push((name.to_owned(), std::mem::take(&mut comment).join(" ")));
        }
    }
    found
}

/// A table in Markdown; a bar in a cell is escaped.
pub(crate) fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let heading: Vec<String> = heading.iter().map(|&cell| cell.to_owned()).collect();
    let mut text = line(&heading);
    text.push_str(&format!("|{}\n", "---|".repeat(heading.len())));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        text.push_str(&line(&cells));
    }
    text
}

#[test]
fn a_part_is_found_by_its_name_and_replaced_alone() {
    let page = "a\n<!-- made from the source: x -->\n\nold\n\n<!-- end -->\nb\n";
    let new = replaced(page, "x", "new\n").unwrap();
    assert_eq!(new, page.replace("old", "new"));
    assert_eq!(replaced(page, "y", "new"), None);
}

#[test]
fn what_a_source_documents_is_read_with_its_comments() {
    let kinds = documented("src/failure.rs", "FailureKind");
    assert_eq!(kinds[0].0, "Other");
    assert!(kinds[0].1.starts_with("Anything not listed"), "{kinds:?}");
}
