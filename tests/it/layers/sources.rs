//! The sources of the crate together: what a path means, written out from the
//! root of the crate, and which file defines the item it leads to.

use std::collections::{BTreeMap, BTreeSet};

use super::reader::{self, Binding, File, Kind, NamedPath, Segments};

/// All files read together.
pub(super) struct Sources {
    pub files: Vec<File>,
    /// The file that holds each module, by its index.
    modules: BTreeMap<Segments, usize>,
    /// The modules that only tests compile; their files and what is below.
    tests: BTreeSet<Segments>,
    /// The files with functions and constants of a type, by the module and name
    /// of the type and the name of the function.
    associated: BTreeMap<(Segments, String, String), BTreeSet<usize>>,
}

/// Where a path leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// A module of the crate.
    Module(Segments),
    /// The item `name` of a module, and the names that follow it in the path.
    Item {
        module: Segments,
        name: String,
        rest: Segments,
    },
    /// Out of the crate.
    Elsewhere,
}

/// The searches in progress, each a module and a path: a name that leads back
/// to itself ends its search.
#[derive(Default)]
struct Open {
    written_out: BTreeSet<(Segments, Segments)>,
    followed: BTreeSet<(Segments, Segments)>,
}

impl Sources {
    /// Reads `files`, each a name and its text.
    pub(super) fn read(files: &[(String, String)]) -> Sources {
        let files: Vec<File> = files
            .iter()
            .map(|(name, text)| reader::read(name, text))
            .collect();
        let mut modules = BTreeMap::new();
        let mut tests = BTreeSet::new();
        for (index, file) in files.iter().enumerate() {
            modules.extend(file.modules.keys().map(|module| (module.clone(), index)));
            for declared in &file.declared {
                if declared.test && declared.kind != Kind::Type {
                    tests.insert(joined(&declared.module, &declared.name));
                }
            }
        }
        let mut sources = Sources {
            files,
            modules,
            tests,
            associated: BTreeMap::new(),
        };
        sources.associated = sources.read_associated();
        sources
    }

    fn read_associated(&self) -> BTreeMap<(Segments, String, String), BTreeSet<usize>> {
        let mut found: BTreeMap<_, BTreeSet<usize>> = BTreeMap::new();
        for (index, file) in self.files.iter().enumerate() {
            let shipped = file.associated.iter().filter(|function| !function.test);
            for function in shipped {
                for target in self.targets_of(&function.module, &function.of) {
                    if let Target::Item { module, name, .. } = target {
                        let key = (module, name, function.name.clone());
                        found.entry(key).or_default().insert(index);
                    }
                }
            }
        }
        found
    }

    /// Whether only tests compile the file.
    pub(super) fn is_test_file(&self, file: &File) -> bool {
        (1..=file.place.len()).any(|length| self.tests.contains(&file.place[..length]))
    }

    /// Whether only tests compile what names the path.
    pub(super) fn is_test(&self, file: &File, path: &NamedPath) -> bool {
        path.test || self.is_test_file(file)
    }

    /// The path from the root of the crate (`crate::…`) or from another crate,
    /// as it is written: re-exports are not followed. A first name that the
    /// module does not bind is another crate's and stays as it is.
    pub(super) fn written_out(&self, module: &[String], segments: &[String]) -> Segments {
        self.write_out(module, segments, &mut Open::default())
    }

    fn write_out(&self, module: &[String], segments: &[String], open: &mut Open) -> Segments {
        let root = || vec!["crate".to_owned()];
        let Some((first, rest)) = segments.split_first() else {
            return Vec::new();
        };
        match first.as_str() {
            "crate" | "driftline" => return [root(), rest.to_vec()].concat(),
            "self" => return [root(), module.to_vec(), rest.to_vec()].concat(),
            "super" => {
                let up = segments.iter().take_while(|name| *name == "super").count();
                let above = &module[..module.len().saturating_sub(up)];
                return [root(), above.to_vec(), segments[up..].to_vec()].concat();
            }
            _ => {}
        }
        let question = (module.to_vec(), segments.to_vec());
        if !open.written_out.insert(question.clone()) {
            return segments.to_vec();
        }
        let whole = self.write_out_name(module, first, rest, open);
        open.written_out.remove(&question);
        whole.unwrap_or_else(|| segments.to_vec())
    }

    /// The path `name::rest` as [`Self::written_out`] has it; none where the
    /// module does not bind `name`.
    fn write_out_name(
        &self,
        module: &[String],
        name: &str,
        rest: &[String],
        open: &mut Open,
    ) -> Option<Segments> {
        let path_in = |module: Segments| {
            let root = vec!["crate".to_owned()];
            [root, module, vec![name.to_owned()], rest.to_vec()].concat()
        };
        if let Some(binding) = self.bindings(module, name, !rest.is_empty()).first() {
            return Some(match binding {
                Binding::Import(path) => {
                    let start = self.write_out(module, path, open);
                    [start, rest.to_vec()].concat()
                }
                _ => path_in(module.to_vec()),
            });
        }
        for glob in self.globs(module) {
            let start = self.write_out(module, glob, open);
            for target in self.targets(&start, open) {
                let path = [vec![name.to_owned()], rest.to_vec()].concat();
                if let Target::Module(opened) = target
                    && !self.within(&opened, &path, open).is_empty()
                {
                    return Some(path_in(opened));
                }
            }
        }
        None
    }

    /// What `name` is bound to in `module`, modules and items first; only what
    /// a path can go on from if `goes_on`.
    fn bindings(&self, module: &[String], name: &str, goes_on: bool) -> Vec<&Binding> {
        let found = self
            .modules
            .get(module)
            .and_then(|file| self.files[*file].modules.get(module))
            .and_then(|module| module.names.get(name));
        let mut found: Vec<&Binding> = found
            .into_iter()
            .flatten()
            .filter(|binding| !goes_on || **binding != Binding::Item { is_type: false })
            .collect();
        found.sort_by_key(|binding| matches!(binding, Binding::Import(_)));
        // A module or type has its name alone; an import of that name is a
        // function or a macro, and no path goes on from it.
        if goes_on
            && found
                .iter()
                .any(|binding| !matches!(binding, Binding::Import(_)))
        {
            found.retain(|binding| !matches!(binding, Binding::Import(_)));
        }
        found
    }

    fn globs(&self, module: &[String]) -> &[Segments] {
        let file = self.modules.get(module).map(|file| &self.files[*file]);
        let module = file.and_then(|file| file.modules.get(module));
        module.map_or(&[], |module| &module.globs)
    }

    /// Where `segments`, named in `module`, lead: re-exports are followed to
    /// the item. Nothing where the crate has no such item.
    pub(super) fn targets_of(&self, module: &[String], segments: &[String]) -> Vec<Target> {
        // One name can mean a module and an item.
        if let [name] = segments
            && !matches!(name.as_str(), "crate" | "driftline" | "self" | "super")
        {
            let whole = [vec!["crate".to_owned()], module.to_vec(), segments.to_vec()].concat();
            return self.targets(&whole, &mut Open::default());
        }
        let whole = self.written_out(module, segments);
        self.targets(&whole, &mut Open::default())
    }

    fn targets(&self, whole: &[String], open: &mut Open) -> Vec<Target> {
        match whole.split_first() {
            Some((root, path)) if root == "crate" => self.within(&[], path, open),
            _ => vec![Target::Elsewhere],
        }
    }

    /// Where `path` leads from the inside of `module`.
    fn within(&self, module: &[String], path: &[String], open: &mut Open) -> Vec<Target> {
        let Some((name, rest)) = path.split_first() else {
            return vec![Target::Module(module.to_vec())];
        };
        if name == "*" {
            return vec![Target::Module(module.to_vec())];
        }
        let question = (module.to_vec(), path.to_vec());
        if !open.followed.insert(question.clone()) {
            return Vec::new();
        }
        let found = self.within_name(module, name, rest, open);
        open.followed.remove(&question);
        found
    }

    fn within_name(
        &self,
        module: &[String],
        name: &str,
        rest: &[String],
        open: &mut Open,
    ) -> Vec<Target> {
        let mut found = Vec::new();
        for binding in self.bindings(module, name, !rest.is_empty()) {
            match binding {
                Binding::Module => found.extend(self.within(&joined(module, name), rest, open)),
                Binding::Item { .. } => found.push(Target::Item {
                    module: module.to_vec(),
                    name: name.to_owned(),
                    rest: rest.to_vec(),
                }),
                Binding::Import(import) => {
                    let start = self.write_out(module, import, open);
                    found.extend(self.targets(&[start, rest.to_vec()].concat(), open));
                }
            }
        }
        if found.is_empty() {
            for glob in self.globs(module) {
                let start = self.write_out(module, glob, open);
                if let Some(Target::Module(opened)) = self.targets(&start, open).first() {
                    let path = [vec![name.to_owned()], rest.to_vec()].concat();
                    found.extend(self.within(opened, &path, open));
                }
            }
        }
        found
    }

    /// The file that holds the module, by its index.
    pub(super) fn file_of(&self, module: &[String]) -> Option<usize> {
        self.modules.get(module).copied()
    }

    /// The files that define what the target is: that of the item and, where
    /// the path goes on to a function of its `impl`, that of the `impl`.
    pub(super) fn files_of(&self, target: &Target) -> BTreeSet<usize> {
        let Target::Item { module, name, rest } = target else {
            return BTreeSet::new();
        };
        let mut files: BTreeSet<usize> = self.file_of(module).into_iter().collect();
        if let Some(function) = rest.first() {
            let key = (module.clone(), name.clone(), function.clone());
            files.extend(self.associated.get(&key).into_iter().flatten());
        }
        files
    }
}

fn joined(module: &[String], name: &str) -> Segments {
    [module, &[name.to_owned()]].concat()
}

fn sources(files: &[(&str, &str)]) -> Sources {
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect();
    Sources::read(&files)
}

fn named(path: &str) -> Segments {
    path.split("::").map(str::to_owned).collect()
}

#[test]
fn a_path_is_written_out_from_the_root() {
    let sources = sources(&[
        ("src/lib.rs", "mod a;"),
        (
            "src/a.rs",
            "mod b; use crate::auth::{keyring, self as door}; use std::time; use crate as all;\
             mod keys { } fn f() {} use b::*;",
        ),
        ("src/a/b.rs", "pub struct Opened;"),
    ]);
    for (written, whole) in [
        ("keyring::read", "crate::auth::keyring::read"),
        ("door::open", "crate::auth::open"),
        ("time::Instant::now", "std::time::Instant::now"),
        ("all::ops::x", "crate::ops::x"),
        ("keys::x", "crate::a::keys::x"),
        ("b::x", "crate::a::b::x"),
        ("self::b::x", "crate::a::b::x"),
        ("super::ops::x", "crate::ops::x"),
        ("driftline::ops", "crate::ops"),
        ("Opened::new", "crate::a::b::Opened::new"),
        ("serde::Serialize", "serde::Serialize"),
        ("f::x", "f::x"),
    ] {
        let found = sources.written_out(&named("a"), &named(written));
        assert_eq!(found, named(whole), "{written}");
    }
    assert_eq!(
        sources.written_out(&named("a::b"), &named("super::super::ops")),
        named("crate::ops")
    );
}

#[test]
fn a_re_export_is_followed_to_the_file_that_defines_the_item() {
    let sources = sources(&[
        ("src/lib.rs", "mod a; mod c; mod d;"),
        ("src/d.rs", "use crate::a::*;"),
        (
            "src/a.rs",
            "mod b; pub use b::b; pub use b::T as U; pub use crate::c::*;",
        ),
        (
            "src/a/b.rs",
            "pub fn b() {} pub struct T; impl T { fn own() {} }",
        ),
        (
            "src/c.rs",
            "pub enum E { V } use crate::a::U; impl U { pub fn new() {} }",
        ),
    ]);
    let files = |module: &str, path: &str| -> Vec<&str> {
        let targets = sources.targets_of(&named(module), &named(path));
        let files: BTreeSet<usize> = targets.iter().flat_map(|t| sources.files_of(t)).collect();
        let names = files.iter().map(|file| sources.files[*file].name.as_str());
        names.collect()
    };
    assert_eq!(files("c", "crate::a::b"), ["src/a/b.rs"]);
    assert_eq!(files("c", "U::own"), ["src/a/b.rs"]);
    assert_eq!(files("c", "U::new"), ["src/a/b.rs", "src/c.rs"]);
    assert_eq!(files("a", "b"), ["src/a/b.rs"]);
    assert_eq!(files("a", "E::V"), ["src/c.rs"]);
    assert_eq!(files("a::b", "super::E"), ["src/c.rs"]);
    assert_eq!(files("a::b", "T"), ["src/a/b.rs"]);
    assert_eq!(files("d", "E::V"), ["src/c.rs"]);
    assert_eq!(files("a::b", "super::b"), ["src/a/b.rs"]);
    assert_eq!(files("a::b", "super::missing"), [""; 0]);
    assert_eq!(files("a::b", "std::fs::read"), [""; 0]);
}

#[test]
fn what_is_below_a_module_of_tests_is_a_test() {
    let sources = sources(&[
        ("src/a.rs", "#[cfg(test)] mod tests; mod b;"),
        ("src/a/tests.rs", "mod deep;"),
        ("src/a/tests/deep.rs", ""),
        ("src/a/b.rs", ""),
    ]);
    let tests = sources.files.iter().map(|file| sources.is_test_file(file));
    assert_eq!(tests.collect::<Vec<_>>(), [false, true, true, false]);
}
