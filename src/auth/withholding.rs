//! The token kept out of a text: a service that repeats what it was sent must
//! not bring it onto a screen or a disk, neither whole nor in part.

use zeroize::Zeroizing;

/// What stands where a token, or a part of one, was repeated.
const WITHHELD: &str = "[token]";

/// This many characters of a token in a row are withheld: fewer tell nothing of
/// one, and stand in many a text.
const RUN: usize = 8;

/// Bytes of a token that is looked for: a shorter one is not a secret, and half of
/// any text.
const SHORTEST: usize = 6;

/// Characters of Base64 in a row that are withheld: they stand for six bytes.
const RUN_OF_BASE64: usize = 10;

/// Finds the runs of one token, in any case of its letters: as it is, escaped
/// for an address or for JSON, read backwards, in hexadecimal, in Base64. A text
/// that was cut within the token holds runs of it as well, so it does not matter
/// where it was cut.
pub(crate) struct Withholding {
    shapes: Vec<Shape>,
    /// [`PART`] bytes in a row of any shape, ascending: every run has some.
    parts: Zeroizing<Vec<[u8; PART]>>,
}

/// Bytes that are compared first where much text is searched.
const PART: usize = 4;

/// Which bytes an escaping leaves as they are, and what it makes of the others.
type Escape = (fn(u8) -> bool, fn(u8) -> Vec<u8>);

/// A way to write the token.
struct Shape {
    /// What is written, in lower case.
    text: Zeroizing<Vec<u8>>,
    /// Characters in a row that give it away.
    run: usize,
    /// Where runs begin, in the order of what they are.
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
    pub(super) fn of(token: &str) -> Self {
        let bytes = token.as_bytes();
        if bytes.len() < SHORTEST {
            return Self {
                shapes: Vec::new(),
                parts: Zeroizing::default(),
            };
        }
        let mut shapes = vec![Shape::new(bytes, RUN)];
        let escapes: [Escape; 3] = [
            (
                |byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte),
                |byte| format!("%{byte:02x}").into_bytes(),
            ),
            (|byte| !b"\"\\/".contains(&byte), |byte| vec![b'\\', byte]),
            (|byte| !b"\"\\".contains(&byte), |byte| vec![b'\\', byte]),
        ];
        for (is_plain, escaped) in escapes {
            if bytes.iter().all(|byte| is_plain(*byte)) {
                continue;
            }
            let each = bytes.iter().flat_map(|&byte| match is_plain(byte) {
                true => vec![byte],
                false => escaped(byte),
            });
            shapes.push(Shape::new(&Zeroizing::new(each.collect::<Vec<u8>>()), RUN));
        }
        if bytes.len() >= 2 * RUN {
            let backwards = Zeroizing::new(bytes.iter().rev().copied().collect::<Vec<u8>>());
            shapes.push(Shape::new(&backwards, RUN));
            shapes.push(Shape::new(&hexadecimal(bytes), 2 * RUN));
            for skip in 0..3 {
                let rest = bytes.get(skip..).unwrap_or_default();
                shapes.push(Shape::new(&base64(rest), RUN_OF_BASE64));
            }
        }
        let all = shapes.iter().flat_map(|shape| shape.text.windows(PART));
        let all = all.filter_map(|part| part.first_chunk().copied());
        let mut parts = Zeroizing::new(all.collect::<Vec<[u8; PART]>>());
        parts.sort_unstable();
        Self { shapes, parts }
    }

    /// Whether [`Withholding::from`] would change a text. Of much text it reads a
    /// part only: of each run of the token one in so many parts is looked at.
    pub(crate) fn holds(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let shortest = self.shapes.iter().map(|shape| shape.run).min();
        let step = shortest.map_or(1, |run| run.saturating_sub(PART - 1).max(1));
        let is_of_token = |at: usize| {
            let Some(part) = bytes.get(at..).and_then(<[u8]>::first_chunk::<PART>) else {
                return false;
            };
            let part = part.map(|byte| byte.to_ascii_lowercase());
            self.parts.binary_search(&part).is_ok()
        };
        let begins_run = |shape: &Shape, at: usize| {
            let run = bytes.get(at..at + shape.run);
            run.is_some_and(|run| shape.has(&Zeroizing::new(run.to_ascii_lowercase())))
        };
        (0..bytes.len()).step_by(step).any(|at| {
            is_of_token(at)
                && self.shapes.iter().any(|shape| {
                    let first = at.saturating_sub(shape.run.saturating_sub(PART));
                    (first..=at).any(|at| begins_run(shape, at))
                })
        })
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

fn hexadecimal(bytes: &[u8]) -> Zeroizing<Vec<u8>> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    Zeroizing::new(
        digits
            .filter_map(|digit| DIGITS.get(usize::from(digit)).copied())
            .collect(),
    )
}

/// Base64 (RFC 4648, section 4) of `bytes` from their start, as far as it does
/// not depend on what follows them.
fn base64(bytes: &[u8]) -> Zeroizing<Vec<u8>> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = bytes.chunks_exact(3).flat_map(|three| {
        let number = three
            .iter()
            .fold(0_usize, |number, byte| number << 8 | usize::from(*byte));
        [18, 12, 6, 0].map(|shift| number >> shift & 63)
    });
    Zeroizing::new(
        digits
            .filter_map(|digit| DIGITS.get(digit).copied())
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn withheld(token: &str, text: &str) -> String {
        Withholding::of(token).from(text.to_owned())
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
        for said in [
            "9876543210=nekot",
            "drift%2Fsecret%2Btoken",
            r"drift\/secret",
            "64726966742f7365637265742b",
            "64726966742F7365637265742B",
            // Of "drift/secret" and of ":drift/secret".
            "ZHJpZnQvc2VjcmV0",
            "OmRyaWZ0L3NlY3JldA",
        ] {
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
            let withholding = Withholding::of(&token);
            for text in [&before, &part, &after, &format!("{before}{part}{after}"), &kept] {
                let is_changed = withholding.from(text.clone()) != *text;
                // The mark itself may stand in a token.
                proptest::prop_assert!(withholding.holds(text) == is_changed || text.contains(WITHHELD));
            }
            let parts: Vec<&str> = kept.split(WITHHELD).collect();
            for run in token.as_bytes().windows(RUN) {
                let run = std::str::from_utf8(run).unwrap();
                proptest::prop_assert!(!parts.iter().any(|part| part.contains(run)), "{kept}");
            }
        }
    }
}
