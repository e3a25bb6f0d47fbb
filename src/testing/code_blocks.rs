//! The code blocks of the manual.

use std::path::{Path, PathBuf};

/// A fenced block of a page.
#[derive(Debug)]
pub(crate) struct CodeBlock {
    /// Page and line, for a message.
    pub place: String,
    /// The text after the fence: a language, or a language and words.
    pub language: String,
    /// Its lines.
    pub text: String,
}

/// Every page of the manual, by name.
pub(crate) fn pages() -> Vec<(String, String)> {
    let mut found = Vec::new();
    collect(&folder(), "", &mut found);
    found.sort();
    found
}

/// The pages outside the manual that have examples, by their path in the project.
pub(crate) fn pages_beside() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = [
        "README.md",
        ".github/CONTRIBUTING.md",
        "assets/packaging/README.md",
        "docs/background/design.md",
        "docs/background/hindcast.md",
        "docs/background/quality.md",
        "docs/background/services.md",
        "docs/background/speed.md",
    ];
    names
        .map(|name| {
            let page = std::fs::read_to_string(root.join(name)).unwrap();
            (name.to_owned(), page)
        })
        .into()
}

/// The folder of the pages.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src")
}

fn collect(folder: &Path, before: &str, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{before}{}", entry.file_name().into_string().unwrap());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), found);
        } else if name.ends_with(".md") {
            found.push((name, std::fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

/// The blocks of a page, in order.
pub(crate) fn blocks(name: &str, page: &str) -> Vec<CodeBlock> {
    let mut found: Vec<CodeBlock> = Vec::new();
    let mut inside = false;
    for (number, line) in page.lines().enumerate() {
        match line.trim_start().strip_prefix("```") {
            Some(_) if inside => inside = false,
            Some(language) => {
                inside = true;
                found.push(CodeBlock {
                    place: format!("{name}:{}", number + 1),
                    language: language.trim().to_owned(),
                    text: String::new(),
                });
            }
            None if inside => {
                let block = found.last_mut().unwrap();
                block.text.push_str(line);
                block.text.push('\n');
            }
            None => {}
        }
    }
    assert!(!inside, "{name}: a block does not end");
    found
}

#[test]
fn a_block_has_its_language_its_lines_and_its_place() {
    let page = "a\n\n```sh\nls\n\nid\n```\n\n```\nx\n```\n";
    let found = blocks("page.md", page);
    let seen: Vec<_> = found
        .iter()
        .map(|one| (one.place.as_str(), one.language.as_str(), one.text.as_str()))
        .collect();
    let expected = [("page.md:3", "sh", "ls\n\nid\n"), ("page.md:9", "", "x\n")];
    assert_eq!(seen, expected);
}
