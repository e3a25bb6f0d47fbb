//! Paths in the tokens of a macro or an attribute, which `syn` does not parse.

use proc_macro2::{Ident, TokenStream, TokenTree};

/// Words that begin no path.
const KEYWORDS: &[&str] = &[
    "as", "async", "await", "box", "break", "const", "continue", "dyn", "else", "enum", "false",
    "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref",
    "return", "static", "struct", "trait", "true", "type", "union", "unsafe", "use", "where",
    "while", "yield", "_",
];

/// A path and its line.
type Found = Vec<(Vec<String>, usize)>;

/// Every path in `tokens`. The name of a field or an argument (`name: …`,
/// `name = …`) is not a path.
pub(super) fn paths(tokens: TokenStream) -> Found {
    let mut found = Vec::new();
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    among(&tokens, &mut found);
    found
}

fn among(tokens: &[TokenTree], found: &mut Found) {
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => {
                found.extend(paths(group.stream()));
                at += 1;
            }
            TokenTree::Ident(first) => {
                let index = found.len();
                let (segments, end) = straight(tokens, at, first, found);
                // A dot comes before a method or a field, ' before a lifetime.
                let goes_on = at > 0 && [".", "'"].iter().any(|m| is_mark(tokens, at - 1, m));
                let is_keyword = KEYWORDS.contains(&segments[0].as_str());
                let is_label = segments.len() == 1 && is_label_before(tokens, end);
                if !goes_on && !is_keyword && !is_label {
                    found.insert(index, (segments, first.span().start().line));
                }
                at = end;
            }
            _ => at += 1,
        }
    }
}

/// `a::b::<C>::d` from `at` without its angle brackets, and where it ends.
/// What those brackets hold goes to `found`.
fn straight(
    tokens: &[TokenTree],
    at: usize,
    first: &Ident,
    found: &mut Found,
) -> (Vec<String>, usize) {
    let mut segments = vec![plain(first)];
    let mut end = at + 1;
    while is_mark(tokens, end, "::") {
        let mut after = end + 2;
        if is_mark(tokens, after, "<")
            && let Some(close) = closing(tokens, after)
        {
            among(&tokens[after + 1..close], found);
            end = close + 1;
            if !is_mark(tokens, end, "::") {
                break;
            }
            after = end + 2;
        }
        let Some(TokenTree::Ident(next)) = tokens.get(after) else {
            end = after;
            break;
        };
        segments.push(plain(next));
        end = after + 1;
    }
    (segments, end)
}

/// Where the angle bracket that opens at `at` closes.
fn closing(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let length = tokens[at..].iter().position(|token| {
        if let TokenTree::Punct(mark) = token {
            match mark.as_char() {
                '<' => depth += 1,
                '>' => depth -= 1,
                _ => {}
            }
        }
        depth == 0
    })?;
    Some(at + length)
}

fn plain(name: &Ident) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}

/// Whether the characters of `mark` begin at `at`.
fn is_mark(tokens: &[TokenTree], at: usize, mark: &str) -> bool {
    mark.chars().enumerate().all(|(index, wanted)| {
        matches!(tokens.get(at + index), Some(TokenTree::Punct(found)) if found.as_char() == wanted)
    })
}

/// Whether what is at `at` makes the name before it a label, or the name
/// of a macro.
fn is_label_before(tokens: &[TokenTree], at: usize) -> bool {
    let single = |mark: &str, longer: &[&str]| {
        is_mark(tokens, at, mark) && !longer.iter().any(|longer| is_mark(tokens, at, longer))
    };
    single(":", &["::"]) || single("=", &["==", "=>"]) || single("!", &["!="])
}

/// The lines of `tokens` that hold `word`.
pub(super) fn lines_with(tokens: TokenStream, word: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => found.extend(lines_with(group.stream(), word)),
            TokenTree::Ident(name) if name == word => found.push(name.span().start().line),
            _ => {}
        }
    }
    found
}
