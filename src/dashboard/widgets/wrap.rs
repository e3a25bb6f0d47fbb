//! Text in several lines.

use unicode_segmentation::UnicodeSegmentation;

use crate::text;

/// The units that stay on the line of their number.
const UNITS: [&str; 12] = [
    "s", "min", "h", "d", "y", "m", "km", "nm", "kn", "km/h", "m/s", "%",
];

/// Sanitizes a text and breaks it into lines of at most `width` cells: at
/// spaces, but not between a number and its unit, and within a word that is longer
/// than a line.
pub(crate) fn wrap(message: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in &words(&text::clean(message), width) {
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

/// As [`wrap`], in at most `most` lines: a longer text ends in `…`.
pub(crate) fn wrap_to(message: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines = wrap(message, width);
    if lines.len() > most {
        let rest = lines.split_off(most);
        if let (Some(last), Some(next)) = (lines.last_mut(), rest.first()) {
            // The blanks make the line too long even if the last word fits exactly.
            *last = fit_words(&format!("{last} {next}{}", " ".repeat(width)), width);
        }
    }
    lines
}

/// A text cut to at most `cells` cells, but never within a word or a number nor between a
/// number and its unit; `…` marks the cut. A path and an address are cut anywhere.
pub(crate) fn fit_words(message: &str, cells: usize) -> String {
    let all = text::clean(message);
    if text::width(&all) <= cells {
        return all.into_owned();
    }
    let cut = text::fit(&all, cells);
    let Some(kept) = cut.strip_suffix('…') else {
        return cut;
    };
    let mut words: Vec<&str> = kept.split(' ').collect();
    if let Some(last) = words.pop() {
        let ends = [' ', ',', ';', ':'];
        let begins = kept.len() - last.len();
        let from_last = all.get(begins..).unwrap_or_default();
        let whole = from_last.split(ends).next().unwrap_or_default();
        let has_digit = last.contains(|letter: char| letter.is_ascii_digit());
        if last != whole && UNITS.contains(&whole) {
            words.pop();
        } else if !has_digit && (last == whole || last.contains('/') || words.is_empty()) {
            words.push(last);
        }
    }
    let kept = words.join(" ");
    format!("{}…", kept.trim_end_matches([' ', ',', ';', ':']))
}

/// The words of a text; a number and its unit are one word if they fit on a line.
fn words(message: &str, width: usize) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in message.split_whitespace() {
        let unit = word.trim_end_matches([',', ';', '.', ':', ')']);
        let is_number = |before: &String| {
            let mut last = before.chars().rev();
            !before.contains(' ') && last.next().is_some_and(|letter| letter.is_ascii_digit())
        };
        let fits = |before: &String| text::width(before) + 1 + text::width(word) <= width;
        let before = words.last_mut();
        match before.filter(|before| is_number(before) && fits(before)) {
            Some(number) if UNITS.contains(&unit) => {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
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

    #[test]
    fn the_last_of_the_allowed_lines_says_that_the_text_goes_on() {
        assert_eq!(wrap_to("a watch circle", 7, 2), ["a watch", "circle"]);
        assert_eq!(wrap_to("a watch circle", 7, 1), ["a…"]);
        assert_eq!(wrap_to("of a buoy", 4, 2), ["of a", "buoy"]);
    }

    #[test]
    fn no_number_is_cut_nor_parted_from_its_unit() {
        assert_eq!(fit_words("fixes 21 of 439", 15), "fixes 21 of 439");
        assert_eq!(fit_words("fixes 21 of 439", 14), "fixes 21 of…");
        assert_eq!(fit_words("failed 12 min ago", 10), "failed…");
        assert_eq!(fit_words("failed 12 min ago", 12), "failed…");
        assert_eq!(fit_words("again at 12:45:10 UTC", 14), "again at…");
        assert_eq!(fit_words("a database", 8), "a…");
        assert_eq!(fit_words("database", 7), "databa…");
        assert_eq!(fit_words("5 marked; all", 9), "5 marked…");
        assert_eq!(fit_words("2 in /home/ana", 9), "2 in /ho…");
        assert_eq!(fit_words("439", 2), "…");
        assert_eq!(fit_words("all 12,906 fixes", 9), "all…");
    }

    #[test]
    fn a_number_and_its_unit_stay_on_one_line() {
        assert_eq!(
            wrap("limit 9 h 10 min, off", 14),
            ["limit 9 h", "10 min, off"]
        );
        assert_eq!(wrap("at 12.5 km/h", 9), ["at", "12.5 km/h"]);
        // No unit follows, or there is no room for both.
        assert_eq!(wrap("row 5 of 7", 5), ["row 5", "of 7"]);
        assert_eq!(wrap("10 min", 4), ["10", "min"]);
    }
}
