//! Reads Rust source far enough to say which paths it names: comments,
//! strings and characters are skipped, `use` trees are spread out, and what
//! stands under `#[cfg(test)]` is kept apart.

use std::collections::BTreeMap;

/// One word or mark of the source, with the line it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    text: String,
    line: usize,
}

impl Token {
    fn is_word(&self) -> bool {
        self.text
            .starts_with(|first: char| first.is_alphabetic() || first == '_')
    }
}

/// A path as it stands in the source, `use` trees spread out, and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub segments: Vec<String>,
    pub line: usize,
    /// The name that a `use` gives to it in this file.
    name: Option<String>,
}

impl Path {
    /// The segments written as Rust writes them.
    pub fn text(&self) -> String {
        self.segments.join("::")
    }
}

/// One part of a file: what ships, or what only the tests compile.
#[derive(Clone, Debug, Default)]
pub struct Part {
    tokens: Vec<Token>,
    /// Every path of two or more segments, and every `use` of a single one.
    pub paths: Vec<Path>,
}

impl Part {
    fn of(tokens: Vec<Token>) -> Part {
        let paths = paths(&tokens);
        Part { tokens, paths }
    }

    /// The lines on which `word` stands by itself.
    pub fn lines_with(&self, word: &str) -> Vec<usize> {
        let found = self.tokens.iter().filter(|token| token.text == word);
        found.map(|token| token.line).collect()
    }

    /// The names that follow `keyword` (`mod`, `struct` …), with their lines.
    pub fn declared(&self, keyword: &str) -> Vec<(String, usize)> {
        let pairs = self.tokens.windows(2);
        pairs
            .filter(|pair| pair[0].text == keyword && pair[1].is_word())
            .map(|pair| (pair[1].text.clone(), pair[1].line))
            .collect()
    }
}

/// A source file taken apart.
#[derive(Clone, Debug)]
pub struct Source {
    pub shipped: Part,
    pub tests: Part,
    /// Modules in files of their own that only the tests compile.
    pub test_modules: Vec<String>,
}

/// Reads the text of one source file.
pub fn read(text: &str) -> Source {
    let all = tokens(text);
    if starts_at(&all, 0, &["#", "!", "[", "cfg", "(", "test", ")", "]"]) {
        return Source {
            shipped: Part::default(),
            tests: Part::of(all),
            test_modules: Vec::new(),
        };
    }
    let (mut shipped, mut tests, mut test_modules) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while at < all.len() {
        if starts_at(&all, at, &["#", "[", "cfg", "(", "test", ")", "]"]) {
            let end = end_of_item(&all, at);
            let item = &all[at..end];
            if item.len() >= 3 && item[item.len() - 3].text == "mod" {
                test_modules.push(item[item.len() - 2].text.clone());
            }
            tests.extend_from_slice(item);
            at = end;
        } else {
            shipped.push(all[at].clone());
            at += 1;
        }
    }
    Source {
        shipped: Part::of(shipped),
        tests: Part::of(tests),
        test_modules,
    }
}

fn starts_at(tokens: &[Token], at: usize, wanted: &[&str]) -> bool {
    tokens.len() >= at + wanted.len()
        && wanted
            .iter()
            .zip(&tokens[at..])
            .all(|(want, token)| token.text == *want)
}

/// Where the item at `at` ends: after its first balanced braces, or after the
/// semicolon that comes before any brace.
fn end_of_item(tokens: &[Token], at: usize) -> usize {
    let mut braces = 0;
    let mut brackets = 0;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.text.as_str() {
            "(" | "[" => brackets += 1,
            ")" | "]" => brackets -= 1,
            "{" => braces += 1,
            "}" => {
                braces -= 1;
                if braces == 0 && brackets == 0 {
                    return index + 1;
                }
            }
            ";" if braces == 0 && brackets == 0 => return index + 1,
            _ => {}
        }
    }
    tokens.len()
}

fn tokens(text: &str) -> Vec<Token> {
    let characters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < characters.len() {
        let end = match skipped(&characters, at) {
            Some(end) => end,
            None => {
                let end = end_of_token(&characters, at);
                let word: String = characters[at..end].iter().collect();
                if !word.trim().is_empty() {
                    let text = word.strip_prefix("r#").unwrap_or(&word).to_owned();
                    found.push(Token { text, line });
                }
                end
            }
        };
        line += characters[at..end].iter().filter(|c| **c == '\n').count();
        at = end;
    }
    found
}

fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn end_of_token(characters: &[char], at: usize) -> usize {
    let rest = &characters[at..];
    if rest.starts_with(&[':', ':']) {
        return at + 2;
    }
    let start = if rest.starts_with(&['r', '#']) { 2 } else { 0 };
    let word = rest[start..]
        .iter()
        .take_while(|character| is_word_character(**character))
        .count();
    at + if word == 0 { 1 } else { start + word }
}

/// The end of the comment, string or character literal that starts at `at`.
fn skipped(characters: &[char], at: usize) -> Option<usize> {
    let rest = &characters[at..];
    let length = match rest {
        ['/', '/', ..] => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
        ['/', '*', ..] => block_comment(rest),
        ['"', ..] => quoted(rest),
        ['b' | 'c', '"', ..] => 1 + quoted(&rest[1..]),
        ['\'', '\\', ..] => 2 + rest[3..].iter().position(|c| *c == '\'')? + 2,
        ['\'', _, '\'', ..] => 3,
        ['b', '\'', '\\', ..] => 3 + rest[4..].iter().position(|c| *c == '\'')? + 2,
        ['b', '\'', _, '\'', ..] => 4,
        // A lifetime is no path.
        ['\'', ..] => {
            1 + rest[1..]
                .iter()
                .take_while(|c| is_word_character(**c))
                .count()
        }
        _ => return raw_string(rest).map(|length| at + length),
    };
    Some(at + length.min(rest.len()))
}

fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with(&['/', '*']) {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(&['*', '/']) {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += 1;
        }
    }
    at
}

fn quoted(rest: &[char]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

fn raw_string(rest: &[char]) -> Option<usize> {
    let prefix = match rest {
        ['r', ..] => 1,
        ['b' | 'c', 'r', ..] => 2,
        _ => return None,
    };
    let hashes = rest[prefix..].iter().take_while(|c| **c == '#').count();
    if rest.get(prefix + hashes) != Some(&'"') {
        return None;
    }
    let mut close = vec!['"'];
    close.extend(std::iter::repeat_n('#', hashes));
    let start = prefix + hashes + 1;
    let inside = rest[start..]
        .windows(close.len())
        .position(|window| window == close)?;
    Some(start + inside + close.len())
}

/// Every path in the tokens. Inside a `use`, a tree is spread out into its
/// leaves; a path that continues another one is no path of its own.
///
/// A path that begins with a name brought in by a `use` of the same part is
/// written out in full: after `use crate::auth::keyring;` the path
/// `keyring::read` is `crate::auth::keyring::read`.
fn paths(tokens: &[Token]) -> Vec<Path> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        // `use<…>` in a type says what it captures and brings nothing in.
        let captures = tokens.get(at + 1).is_some_and(|next| next.text == "<");
        if tokens[at].text == "use" && !captures {
            at = tree(tokens, at + 1, &[], &mut found);
        } else if tokens[at].is_word()
            && at + 1 < tokens.len()
            && tokens[at + 1].text == "::"
            && (at == 0 || !matches!(tokens[at - 1].text.as_str(), "::" | "."))
        {
            let (segments, end) = straight(tokens, at);
            found.push(Path {
                segments,
                line: tokens[at].line,
                name: None,
            });
            at = end;
        } else {
            at += 1;
        }
    }
    let named: BTreeMap<String, Vec<String>> = found
        .iter()
        .filter_map(|path| Some((path.name.clone()?, path.segments.clone())))
        .collect();
    for path in &mut found {
        if path.name.is_none()
            && let Some(whole) = named.get(&path.segments[0])
        {
            path.segments.splice(..1, whole.iter().cloned());
        }
    }
    found
}

/// `a::b::c` from `at`, and where it ends.
fn straight(tokens: &[Token], mut at: usize) -> (Vec<String>, usize) {
    let mut segments = vec![tokens[at].text.clone()];
    at += 1;
    while at + 1 < tokens.len() && tokens[at].text == "::" && tokens[at + 1].is_word() {
        segments.push(tokens[at + 1].text.clone());
        at += 2;
    }
    (segments, at)
}

/// Spreads out the `use` tree at `at` under `prefix`; says where it ends.
fn tree(tokens: &[Token], mut at: usize, prefix: &[String], found: &mut Vec<Path>) -> usize {
    let line = tokens.get(at).map_or(0, |token| token.line);
    let mut segments = prefix.to_vec();
    let mut alias = None;
    while let Some(token) = tokens.get(at) {
        match token.text.as_str() {
            "::" => at += 1,
            "*" => {
                segments.push("*".to_owned());
                at += 1;
            }
            "{" => {
                at += 1;
                while at < tokens.len() && tokens[at].text != "}" {
                    if tokens[at].text == "," {
                        at += 1;
                    } else {
                        at = tree(tokens, at, &segments, found);
                    }
                }
                return at + 1;
            }
            "as" => {
                alias = tokens.get(at + 1).map(|token| token.text.clone());
                at += 2;
            }
            _ if token.is_word() => {
                segments.push(token.text.clone());
                at += 1;
            }
            _ => break,
        }
    }
    if segments.last().is_some_and(|last| last == "self") {
        segments.pop();
    }
    let name = alias.or_else(|| segments.last().cloned());
    found.push(Path {
        segments,
        line,
        name: name.filter(|name| name != "*" && name != "_"),
    });
    // A mark that no tree holds must not stop the reader.
    match tokens.get(at) {
        Some(token) if matches!(token.text.as_str(), "}" | ",") && !prefix.is_empty() => at,
        Some(_) => at + 1,
        None => at,
    }
}

fn written(part: &Part) -> Vec<String> {
    part.paths.iter().map(Path::text).collect()
}

#[test]
fn a_use_tree_is_spread_out_into_its_leaves() {
    let source =
        read("use crate::{geo::{self, Position as P}, track::*};\nuse keyring;\nfn f() {}");
    assert_eq!(
        written(&source.shipped),
        [
            "crate::geo",
            "crate::geo::Position",
            "crate::track::*",
            "keyring"
        ]
    );
    assert_eq!(source.shipped.paths[3].line, 2);
}

#[test]
fn a_path_that_begins_with_an_imported_name_is_written_out() {
    let source = read(
        "use crate::auth::{keyring, self as door};\nuse std::time;\n\
         fn f() { keyring::read(); door::open(); time::Instant::now(); geo::x() }",
    );
    assert_eq!(
        written(&source.shipped)[3..],
        [
            "crate::auth::keyring::read",
            "crate::auth::open",
            "std::time::Instant::now",
            "geo::x"
        ]
    );
}

#[test]
fn a_path_in_an_expression_or_a_type_is_read_as_well_as_a_use() {
    let source = read("fn f(x: &crate::track::Fix<'a>) -> u8 { std::fs::read(x); y.a::<u8>(); z }");
    assert_eq!(
        written(&source.shipped),
        ["crate::track::Fix", "std::fs::read"]
    );
}

#[test]
fn comments_strings_and_characters_are_not_source() {
    let source = read(
        "// crate::a\n/* crate::b /* crate::c */ crate::d */\nlet s = \"crate::e \\\" crate::f\";\n\
         let r = r#\"crate::g \" crate::h\"#; let c = '\"'; let q = '\\''; let b = b'\"';\nfn f<'a>() { crate::seen::it }",
    );
    assert_eq!(written(&source.shipped), ["crate::seen::it"]);
    assert_eq!(source.shipped.paths[0].line, 5);
}

#[test]
fn what_only_tests_compile_is_kept_apart() {
    let source = read(
        "use crate::geo::A;\n#[cfg(test)]\nmod tests { use crate::demo::B; fn f() { { } } }\n\
         #[cfg(test)]\nuse crate::ops::C;\n#[cfg(test)]\nmod vectors;\nuse crate::text::D;",
    );
    assert_eq!(
        written(&source.shipped),
        ["crate::geo::A", "crate::text::D"]
    );
    assert_eq!(written(&source.tests), ["crate::demo::B", "crate::ops::C"]);
    assert_eq!(source.test_modules, ["vectors"]);
}
