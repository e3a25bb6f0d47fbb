//! Text in several lines.

use crate::text;

/// Sanitizes a text and breaks it at spaces into lines of at most `width`
/// cells.
pub(super) fn wrap(message: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text::clean(message).split_whitespace() {
        match lines.last_mut() {
            Some(line) if text::width(line) + 1 + text::width(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(text::fit(word, width)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_a_long_word_is_cut() {
        assert_eq!(wrap("a watch circle", 7), ["a watch", "circle"]);
        assert_eq!(wrap("extraordinary", 6), ["extra…"]);
        assert!(wrap(" ", 6).is_empty());
    }
}
