//! Redacts the token in texts: a service that echoes it must not bring it onto a screen or a
//! disk, neither complete nor in part.

// `text.replace(token, "[token]")` was here first. It leaves parts: services cut what they echo, and
// driftline cuts what it quotes, so that any run of the token may be all that is left of it; and
// proxies echo it as they received it, encoded. A property test holds that no run of it remains.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use zeroize::Zeroizing;

use crate::text::base64;

/// The bytes that a URL encodes: all but the unreserved characters of RFC 3986, section 2.3.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The replacement for an echoed token, or a part of it.
const WITHHELD: &str = "[token]";

/// This many consecutive characters of a token are redacted: fewer reveal nothing, and are in
/// many texts by chance.
const RUN: usize = 8;

/// The shortest token that is redacted, bytes: a shorter token is not a secret, and is in many
/// texts by chance.
const SHORTEST: usize = 6;

/// The shortest token that is redacted in data, bytes: a shorter token may be in them by chance,
/// and data must not change.
const SHORTEST_IN_DATA: usize = 20;

/// Consecutive characters of Base64 that are redacted: they encode six bytes.
const RUN_OF_BASE64: usize = 10;

/// Finds the parts of a token, in upper and lower case: plain, percent-encoded, and in Base64.
/// A text that was cut within the token contains parts of it as well.
pub(crate) struct Withholding {
    shapes: Vec<Shape>,
    is_of_data: bool,
}

/// A way to write the token.
struct Shape {
    /// The token written this way, in lower case.
    text: Zeroizing<Vec<u8>>,
    /// Characters in a row that give it away.
    run: usize,
    /// The beginnings of runs, in the order of what they are.
    begins: Vec<usize>,
}

impl Shape {
    fn new(text: &[u8], run: usize) -> Self {
        let text = Zeroizing::new(text.to_ascii_lowercase());
        let run = run.min(text.len()).max(1);
        let mut begins: Vec<usize> = (0..text.len().saturating_sub(run - 1)).collect();
        begins.sort_unstable_by_key(|&at| text.get(at..at + run));
        Self { text, run, begins }
    }

    fn has(&self, run: &[u8]) -> bool {
        self.begins
            .binary_search_by_key(&Some(run), |&at| self.text.get(at..at + self.run))
            .is_ok()
    }
}

impl Withholding {
    /// Withholds `token`.
    pub(super) fn new(token: &str) -> Self {
        let bytes = token.as_bytes();
        if bytes.len() < SHORTEST {
            return Self {
                shapes: Vec::new(),
                is_of_data: false,
            };
        }
        let mut shapes = vec![Shape::new(bytes, RUN)];
        let encoded = percent_encode(bytes, RESERVED).to_string();
        if encoded != token {
            shapes.push(Shape::new(Zeroizing::new(encoded).as_bytes(), RUN));
        }
        if bytes.len() >= 2 * RUN {
            // As far as the letters do not depend on what follows the token.
            let (whole, _) = bytes.split_at(bytes.len() - bytes.len() % 3);
            let letters = Zeroizing::new(base64(whole));
            shapes.push(Shape::new(letters.as_bytes(), RUN_OF_BASE64));
        }
        Self {
            shapes,
            is_of_data: bytes.len() >= SHORTEST_IN_DATA,
        }
    }

    /// If a text of the data repeats the token, and not by chance.
    pub(crate) fn is_in_data(&self, text: &str) -> bool {
        let is_repeated = |shape: &Shape| {
            let mut runs = text.as_bytes().windows(shape.run);
            runs.any(|run| shape.has(&run.to_ascii_lowercase()))
        };
        self.is_of_data && self.shapes.iter().any(is_repeated)
    }

    /// `text` without what it repeats of the token.
    pub(crate) fn from(&self, text: String) -> String {
        let text = Zeroizing::new(text);
        let lower = Zeroizing::new(text.to_ascii_lowercase().into_bytes());
        let mut hidden = vec![false; lower.len()];
        for shape in &self.shapes {
            for (at, window) in lower.windows(shape.run).enumerate() {
                if shape.has(window) {
                    hidden
                        .iter_mut()
                        .skip(at)
                        .take(shape.run)
                        .for_each(|it| *it = true);
                }
            }
        }
        // A token is ASCII: what is hidden are whole characters.
        let mut kept = String::with_capacity(text.len());
        let mut was_hidden = false;
        for (at, character) in text.char_indices() {
            let is_hidden = hidden.get(at) == Some(&true);
            match (was_hidden, is_hidden) {
                (_, false) => kept.push(character),
                (false, true) => kept.push_str(WITHHELD),
                (true, true) => {}
            }
            was_hidden = is_hidden;
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn withheld(token: &str, text: &str) -> String {
        Withholding::new(token).from(text.to_owned())
    }

    #[test]
    fn what_a_service_repeats_of_it_is_withheld_whole_and_in_part() {
        for (said, kept) in [
            (
                "bad header: Bearer SECRET-TOKEN!",
                "bad header: Bearer [token]!",
            ),
            ("SECRET-TOKENSECRET-TOKEN", "[token]"),
            ("no such SECRET-TO…", "no such [token]…"),
            ("…ET-TOKEN is bad", "…[token] is bad"),
            ("secret-token", "[token]"),
            ("no such SECRET-…", "no such SECRET-…"),
            ("all is well", "all is well"),
            ("ä SECRET-TOKEN ä", "ä [token] ä"),
        ] {
            assert_eq!(withheld("SECRET-TOKEN", said), kept);
        }
        assert_eq!(withheld("a", "a bad day"), "a bad day");
        assert_eq!(withheld("sesame", "open sesame!"), "open [token]!");
    }

    #[test]
    fn a_token_in_another_shape_is_withheld_too() {
        let token = "drift/secret+token=0123456789";
        for said in ["drift%2Fsecret%2Btoken", "ZHJpZnQvc2VjcmV0"] {
            let kept = withheld(token, &format!("it is {said}"));
            assert!(
                kept.starts_with("it is ") && kept.contains(WITHHELD),
                "{kept}"
            );
            assert!(kept.len() < 22, "{kept}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_run_of_it_is_left_wherever_a_text_was_cut(
            token in "[!-~]{20,200}",
            before in ".{0,20}",
            from in 0usize..200,
            length in 0usize..200,
            after in ".{0,20}",
        ) {
            let part: String = token.chars().skip(from % token.len()).take(length).collect();
            let kept = withheld(&token, &format!("{before}{part}{after}{token}"));
            let parts: Vec<&str> = kept.split(WITHHELD).collect();
            for run in token.as_bytes().windows(RUN) {
                let run = std::str::from_utf8(run).unwrap();
                proptest::prop_assert!(!parts.iter().any(|part| part.contains(run)), "{kept}");
            }
        }
    }
}
