//! Rule: no circle between files. A file depends on another where its shipped
//! code names an item that the other defines.

use std::collections::{BTreeMap, BTreeSet};

use super::reader::{File, NamedPath, Role};
use super::sources::{Sources, Target};

/// For each pair of files (by index) the items that the first names of the
/// second, each with the first line that names it.
type Edges = BTreeMap<(usize, usize), BTreeMap<String, usize>>;

/// Every circle: its files, and below each edge that makes it
/// (`file:line -> item of the other file`).
pub(super) fn findings(sources: &Sources) -> Vec<String> {
    let edges = edges(sources);
    let name = |file: usize| sources.files[file].name.as_str();
    let circles = circles(sources.files.len(), &edges);
    let reports = circles.into_iter().map(|circle| {
        let files: Vec<&str> = circle.iter().map(|file| name(*file)).collect();
        let mut report = format!("{} files in a circle: {}", circle.len(), files.join(", "));
        for ((from, to), items) in &edges {
            if circle.contains(from) && circle.contains(to) {
                report.push_str(&format!("\n  {} -> {}", name(*from), name(*to)));
                for (item, line) in items {
                    report.push_str(&format!("\n    {}:{line} -> {item}", name(*from)));
                }
            }
        }
        report
    });
    reports.collect()
}

/// Every path of shipped code that begins in the crate and leads nowhere: what
/// the reader cannot follow, the search for circles does not see.
pub(super) fn lost(sources: &Sources) -> Vec<String> {
    let mut found = Vec::new();
    for file in &sources.files {
        for path in &file.paths {
            if path.segments.len() == 1 || sources.is_test(file, path) {
                continue;
            }
            if sources.targets_of(&path.module, &path.segments).is_empty() {
                found.push(format!(
                    "{}:{}: no item found for {}",
                    file.name,
                    path.line,
                    path.segments.join("::")
                ));
            }
        }
    }
    found
}

fn edges(sources: &Sources) -> Edges {
    let mut edges = Edges::new();
    for (from, file) in sources.files.iter().enumerate() {
        for path in &file.paths {
            if sources.is_test(file, path) || re_exports_from_below(sources, file, path) {
                continue;
            }
            for target in sources.targets_of(&path.module, &path.segments) {
                let Target::Item { module, name, rest } = &target else {
                    continue;
                };
                for to in sources.files_of(&target) {
                    if to == from {
                        continue;
                    }
                    let is_of_impl = sources.file_of(module) != Some(to);
                    let item = match rest.first() {
                        Some(function) if is_of_impl => format!("{name}::{function}"),
                        _ => name.clone(),
                    };
                    let items = edges.entry((from, to)).or_default();
                    let line = items.entry(item).or_insert(path.line);
                    *line = path.line.min(*line);
                }
            }
        }
    }
    edges
}

/// Whether the path is a `pub use` of an item from a module below this one:
/// who uses the name depends on the file that defines it, this file does not.
fn re_exports_from_below(sources: &Sources, file: &File, path: &NamedPath) -> bool {
    let whole = sources.written_out(&path.module, &path.segments);
    path.role == Role::Reexport
        && whole.len() > file.place.len() + 1
        && whole[0] == "crate"
        && whole[1..].starts_with(&file.place)
}

/// The sets of two and more files that reach each other.
fn circles(files: usize, edges: &Edges) -> Vec<BTreeSet<usize>> {
    let mut next = vec![Vec::new(); files];
    for (from, to) in edges.keys() {
        next[*from].push(*to);
    }
    let reached: Vec<BTreeSet<usize>> = (0..files)
        .map(|start| {
            let mut reached = BTreeSet::new();
            let mut open = next[start].clone();
            while let Some(file) = open.pop() {
                if reached.insert(file) {
                    open.extend(&next[file]);
                }
            }
            reached
        })
        .collect();
    let mut found: Vec<BTreeSet<usize>> = Vec::new();
    for start in 0..files {
        if reached[start].contains(&start) && !found.iter().any(|circle| circle.contains(&start)) {
            let both = reached[start].iter().copied();
            found.push(
                both.filter(|file| reached[*file].contains(&start))
                    .collect(),
            );
        }
    }
    found
}

fn read(files: &[(&str, &str)]) -> Sources {
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect();
    Sources::read(&files)
}

fn found(files: &[(&str, &str)]) -> Vec<String> {
    findings(&read(files))
}

#[test]
fn a_circle_is_reported_with_the_edges_that_make_it() {
    let files = [
        ("src/lib.rs", "mod a; mod b;"),
        (
            "src/a.rs",
            "use crate::b::B;\npub struct A; pub fn f() { B::new() }",
        ),
        (
            "src/b.rs",
            "pub struct B;\nfn g(_: crate::a::A) { super::a::f() }",
        ),
    ];
    assert_eq!(
        found(&files),
        ["2 files in a circle: src/a.rs, src/b.rs\n  \
          src/a.rs -> src/b.rs\n    src/a.rs:1 -> B\n  \
          src/b.rs -> src/a.rs\n    src/b.rs:2 -> A\n    src/b.rs:2 -> f"]
    );
}

#[test]
fn a_dependency_in_one_direction_is_not_a_circle() {
    let files = [
        ("src/lib.rs", "mod a; mod b; mod c;"),
        (
            "src/a.rs",
            "use crate::b::B; use crate::c::C; pub struct A;",
        ),
        (
            "src/b.rs",
            "use crate::c::C; pub struct B; #[cfg(test)] mod tests { use crate::a::A; }",
        ),
        ("src/c.rs", "pub struct C;"),
    ];
    assert_eq!(found(&files), [""; 0]);
}

#[test]
fn a_circle_of_three_files_is_one_finding() {
    let files = [
        ("src/lib.rs", "mod a; mod b; mod c; mod d;"),
        ("src/a.rs", "use crate::b::B; pub struct A;"),
        ("src/b.rs", "use crate::c::C; pub struct B;"),
        ("src/c.rs", "use crate::a::A; pub struct C;"),
        ("src/d.rs", "use crate::a::A;"),
    ];
    let found = found(&files);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("3 files in a circle: src/a.rs, src/b.rs, src/c.rs\n"));
}

#[test]
fn every_way_to_name_an_item_closes_a_circle() {
    for text in [
        "use crate::m::b::B;",
        "use super::b;\nfn f() { b::B::new() }",
        "use super::*; fn f(_: B) {}",
        "use super::b::*; fn f() { B::new() }",
        "use super::b::E::*;",
        "fn f(_: super::B) {}",
        "fn f() { let x: Vec<crate::m::b::B>; }",
        "fn f() { use super::b::B as C; }",
        "fn f() { vec![crate::m::B] }",
        "fn f(x: u8) { match x { super::b::E::V => {} } }",
        "#[derive(super::b::B)] struct S;",
        "impl super::b::T for u8 {}",
        "mod inner { use super::super::b::B; }",
        "pub use super::B;",
    ] {
        let text = format!("{text} pub struct A;");
        let files = [
            ("src/lib.rs", "mod m;"),
            ("src/m.rs", "mod a; mod b; pub use b::B;"),
            ("src/m/a.rs", text.as_str()),
            (
                "src/m/b.rs",
                "use super::a::A; pub struct B; pub enum E { V } pub trait T {}",
            ),
        ];
        let found = found(&files);
        assert_eq!(found.len(), 1, "{text}");
        assert!(found[0].starts_with("2 files in a circle: src/m/a.rs, src/m/b.rs\n"));
    }
}

#[test]
fn a_parent_depends_on_a_child_whose_item_it_uses_and_not_where_it_only_re_exports() {
    let below = ("src/m/b.rs", "use super::Own; pub struct B;");
    let top = ("src/lib.rs", "mod m;");
    let re_exports = "mod b; pub use b::B; pub use self::b::B as C; pub struct Own;";
    assert_eq!(found(&[top, ("src/m.rs", re_exports), below]), [""; 0]);
    for uses in ["fn f(_: B) {}", "fn f() { C::new() }", "use b::B as D;"] {
        let text = format!("{re_exports} {uses}");
        assert_eq!(found(&[top, ("src/m.rs", &text), below]).len(), 1, "{uses}");
    }
}

#[test]
fn a_function_of_an_impl_is_an_item_of_the_file_with_the_impl() {
    let files = [
        ("src/lib.rs", "mod a; mod b;"),
        (
            "src/a.rs",
            "pub struct A; impl A { pub fn f() { Self::g() } }",
        ),
        ("src/b.rs", "use crate::a::A; impl A { pub fn g() {} }"),
    ];
    let found = found(&files);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("src/a.rs:1 -> A::g"));
}

#[test]
fn a_variable_is_not_the_function_of_its_name() {
    let files = [
        ("src/lib.rs", "mod m;"),
        (
            "src/m.rs",
            "mod b; pub use b::b; pub struct A; fn f(b: u8) -> u8 { b }",
        ),
        ("src/m/b.rs", "pub fn b(_: super::A) {}"),
    ];
    assert_eq!(found(&files), [""; 0]);
}

#[test]
fn a_path_that_leads_nowhere_is_reported() {
    let text = "mod b { pub struct B; } use std::fmt; use crate::a::b::B; fn f() { b::B::new(); fmt::x(); crate::a::nowhere() }";
    let lost = lost(&read(&[("src/lib.rs", "mod a;"), ("src/a.rs", text)]));
    assert_eq!(lost, ["src/a.rs:1: no item found for crate::a::nowhere"]);
}
