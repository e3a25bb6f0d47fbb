//! Text in several lines.

use unicode_segmentation::UnicodeSegmentation;

use crate::text;

/// Sanitizes a text and breaks it into lines of at most `width` cells: at
/// spaces, and within a word that is longer than a line.
pub(super) fn wrap(message: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text::clean(message).split_whitespace() {
        match lines.last_mut() {
            Some(line) if text::width(line) + 1 + text::width(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ if text::width(word) <= width => lines.push(word.to_owned()),
            _ => lines.extend(pieces(word, width)),
        }
    }
    lines
}

/// A word in pieces of at most `width` cells.
fn pieces(word: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for grapheme in word.graphemes(true) {
        let wide = text::width(grapheme);
        if used > 0 && used + wide > width {
            pieces.push(String::new());
            used = 0;
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push_str(grapheme);
            used += wide;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_within_a_long_word() {
        assert_eq!(wrap("a watch circle", 7), ["a watch", "circle"]);
        assert_eq!(wrap("extraordinary", 6), ["extrao", "rdinar", "y"]);
        assert!(wrap(" ", 6).is_empty());
    }
}
