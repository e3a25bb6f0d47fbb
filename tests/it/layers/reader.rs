//! Reads one Rust file into what the rules ask about: its modules with the
//! names they bind, the paths it names, and which of that only tests compile.
//!
//! A method call names no path, so the reader does not see it.

mod attributes;
mod tokens;
mod visitor;

use std::collections::BTreeMap;

/// A path by its names, such as `["crate", "geo", "Position"]`.
pub(super) type Segments = Vec<String>;

/// One file as the rules see it.
#[derive(Debug)]
pub(super) struct File {
    /// Path from the root of the project, with `/`.
    pub name: String,
    /// The module that the file is: `src/track/record.rs` is
    /// `["track", "record"]`, `src/lib.rs` is `[]`.
    pub place: Segments,
    /// The number of lines, inline tests not counted.
    pub lines: usize,
    /// The modules of the file: its own and those inline.
    pub modules: BTreeMap<Segments, Module>,
    /// Every path named, `use` trees spread out.
    pub paths: Vec<NamedPath>,
    /// Each `async` and `await`.
    pub words: Vec<Word>,
    /// The modules and types that the file declares.
    pub declared: Vec<Declared>,
    /// The functions and constants of inherent `impl` blocks.
    pub associated: Vec<Associated>,
}

/// The names that a module binds.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// Each name with what it is bound to; a module and a function may share
    /// one.
    pub names: BTreeMap<String, Vec<Binding>>,
    /// The modules or enums that a `use …::*` opens.
    pub globs: Vec<Segments>,
}

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    /// A module inside this one.
    Module,
    /// An item that this module defines; `is_type` where a path may go on.
    Item { is_type: bool },
    /// What a `use` brings in, as it is written.
    Import(Segments),
}

/// A path as the source names it.
#[derive(Clone, Debug)]
pub(super) struct NamedPath {
    /// The names; an import of everything ends in `*`.
    pub segments: Segments,
    /// The module that it is in.
    pub module: Segments,
    pub line: usize,
    /// Whether only tests compile it, as far as its own file says.
    pub test: bool,
    pub role: Role,
}

/// How a path is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// By a `use` for this module alone.
    Import,
    /// By a `use` that others see: `pub`, `pub(crate)`, `pub(super)`.
    Reexport,
    /// In a type, an expression, a pattern, a macro or an attribute.
    Mention,
}

/// A keyword of interest.
#[derive(Debug)]
pub(super) struct Word {
    pub text: &'static str,
    pub line: usize,
    pub test: bool,
}

/// What is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `mod name { … }`
    InlineModule,
    /// `mod name;`
    FileModule,
    Type,
}

/// A declaration of a module or a type.
#[derive(Debug)]
pub(super) struct Declared {
    pub kind: Kind,
    pub name: String,
    /// The module that it is in.
    pub module: Segments,
    pub line: usize,
    /// Whether only tests compile it.
    pub test: bool,
}

/// A function or constant of an `impl` block without a trait.
#[derive(Debug)]
pub(super) struct Associated {
    /// The type as the `impl` names it.
    pub of: Segments,
    pub name: String,
    /// The module that the block is in.
    pub module: Segments,
    /// Whether only tests compile it.
    pub test: bool,
}

/// The file `name` with the content `text`. Panics where it is not Rust.
pub(super) fn read(name: &str, text: &str) -> File {
    let syntax = syn::parse_file(text).unwrap_or_else(|error| {
        panic!("{name}:{}: {error}", error.span().start().line);
    });
    let mut file = File {
        name: name.to_owned(),
        place: place(name),
        lines: text.lines().count() - attributes::lines_of_inline_tests(&syntax),
        modules: BTreeMap::new(),
        paths: Vec::new(),
        words: Vec::new(),
        declared: Vec::new(),
        associated: Vec::new(),
    };
    visitor::visit(&mut file, &syntax);
    file
}

fn place(name: &str) -> Segments {
    if name == "src/lib.rs" {
        return Vec::new();
    }
    let inner = name.trim_start_matches("src/").trim_end_matches(".rs");
    inner.split('/').map(str::to_owned).collect()
}

fn written(text: &str, test: bool) -> Vec<String> {
    let file = read("src/here.rs", text);
    let paths = file.paths.iter().filter(|path| path.test == test);
    paths.map(|path| path.segments.join("::")).collect()
}

#[test]
fn a_use_tree_is_spread_out_into_its_leaves() {
    let text = "use crate::{geo::{self, Position as P}, track::*};\nuse keyring;\nfn f() {}";
    assert_eq!(
        written(text, false),
        [
            "crate::geo",
            "crate::geo::Position",
            "crate::track::*",
            "keyring"
        ]
    );
    let file = read("src/here.rs", text);
    assert_eq!(file.paths[3].line, 2);
    let module = &file.modules[&file.place];
    assert_eq!(module.globs, [["crate", "track"]]);
    let position = ["crate", "geo", "Position"].map(str::to_owned).to_vec();
    assert_eq!(module.names["P"], [Binding::Import(position)]);
}

#[test]
fn a_path_in_an_expression_or_a_type_is_read_as_well_as_a_use() {
    let text = "fn f<T: crate::a::A>(x: &crate::track::Fix<'a, crate::b::B>) -> T::Out { std::fs::read(x); y.a::<U>(); <V as w::W>::g() }";
    assert_eq!(
        written(text, false),
        [
            "crate::a::A",
            "crate::track::Fix",
            "crate::b::B",
            "std::fs::read",
            "y",
            "U",
            "V",
            "w::W"
        ]
    );
}

#[test]
fn a_path_in_a_macro_or_an_attribute_is_read() {
    let text = "#[derive(a::B)] #[c::d(e = f::g)] struct S;\n\
                fn f() { assert_eq!(x.crate_::y(), h::<u8>::i(z), \"crate::j\"); k::l!(m::N { o: 1, p = 2 }) }";
    assert_eq!(
        written(text, false),
        [
            "a::B", "c::d", "f::g", "x", "h::i", "u8", "z", "k::l", "m::N"
        ]
    );
}

#[test]
fn comments_and_strings_are_not_paths() {
    let text = "//! crate::a\n/* crate::b /* crate::c */ */\n/// crate::d\nconst S: &str = r#\"crate::e \" crate::f\"#;\n\
                fn f<'a>() { crate::seen::it }";
    assert_eq!(written(text, false), ["str", "crate::seen::it"]);
    assert_eq!(read("src/here.rs", text).paths[1].line, 5);
}

#[test]
fn a_name_bound_inside_a_function_is_not_an_item() {
    let text = "fn f<T>(update: u8, s: S) -> T { let g = |x| x + update; let h = h(g); T::new(); S { h } }";
    assert_eq!(written(text, false), ["u8", "S", "h", "S"]);
}

#[test]
fn a_use_inside_a_function_holds_for_that_function_alone() {
    let text = "fn f() { use crate::a::b; fn own() {} b::c(); own() }\nfn g() { b::c(); own() }";
    assert_eq!(
        written(text, false),
        ["crate::a::b", "crate::a::b::c", "b::c", "own"]
    );
}

#[test]
fn self_is_the_type_of_its_impl() {
    assert_eq!(
        written(
            "impl a::Type { fn f() -> Self { Self::new(); vec![Self::more()] } }",
            false
        ),
        ["a::Type", "a::Type::new", "a::Type::more"]
    );
}

#[test]
fn what_only_tests_compile_is_marked() {
    let text = "use crate::geo::A;\n#[cfg(test)]\nmod tests { use crate::demo::B; fn f() { { } } }\n\
         #[cfg(test)]\nuse crate::ops::C;\n#[cfg(all(test, unix))]\nmod vectors;\n#[cfg(not(test))]\nuse crate::text::D;\n\
         fn f() { #[cfg(test)] let x = crate::e::E; }\n#[test]\nfn g() { h() }";
    assert_eq!(written(text, false), ["crate::geo::A", "crate::text::D"]);
    assert_eq!(
        written(text, true),
        ["crate::demo::B", "crate::ops::C", "crate::e::E", "h"]
    );
    let file = read("src/here.rs", text);
    let declared: Vec<_> = file
        .declared
        .iter()
        .map(|declared| (declared.kind, declared.name.as_str(), declared.test))
        .collect();
    assert_eq!(
        declared,
        [
            (Kind::InlineModule, "tests", true),
            (Kind::FileModule, "vectors", true)
        ]
    );
}
