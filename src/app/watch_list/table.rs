//! The watch list as the table that `import` reads, by lines: what would be lost in a cell,
//! whose ends are trimmed, is written as JSON writes it, `\u000a`.

use strum::VariantArray;

use crate::formats::csv::{push_quoted, push_text};
use crate::watch::Deployment;
use crate::watch::deployment::change::Setting;

/// The table of a watch list: a header, then a line for each deployment.
pub(crate) fn table(list: &[Deployment]) -> Vec<u8> {
    let mut table = b"uuid".to_vec();
    for setting in Setting::VARIANTS {
        table.push(b',');
        table.extend_from_slice(setting.to_string().as_bytes());
    }
    table.push(b'\n');
    for entry in list {
        push_text(&mut table, &cell(&entry.id.to_string()));
        for setting in Setting::VARIANTS {
            table.push(b',');
            match setting.value(entry) {
                value if value.is_empty() => {}
                value if setting.is_free_text() => push_text(&mut table, &cell(&value)),
                value => push_quoted(&mut table, &value),
            }
        }
        table.push(b'\n');
    }
    table
}

/// The text of a cell that [`read_cell`] reads back.
fn cell(value: &str) -> String {
    let last = value.char_indices().next_back().map_or(0, |(at, _)| at);
    let mut written = String::with_capacity(value.len());
    for (at, character) in value.char_indices() {
        let is_at_end = at == 0 || at == last;
        let rest = value.get(at..).unwrap_or_default();
        let is_lost = character.is_control() && character != '\t'
            || is_at_end && character.is_whitespace()
            // A leading apostrophe means that the text is not a formula.
            || at == 0 && character == '\''
            // Taken for the code of a character.
            || code(rest).is_some();
        if is_lost {
            written.push_str(&format!("\\u{:04x}", u32::from(character)))
        } else {
            written.push(character)
        }
    }
    written
}

/// The text of a cell: without the codes that [`cell`] writes; others stay.
pub(super) fn read_cell(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    let mut rest = cell;
    while let Some(character) = rest.chars().next() {
        let (character, length) = match code(rest) {
            Some(coded) => (coded, CODE),
            None => (character, character.len_utf8()),
        };
        text.push(character);
        rest = rest.get(length..).unwrap_or_default();
    }
    text
}

/// The bytes of a code: `\u000a`.
const CODE: usize = 6;

/// The character of the code that a text begins with, if it begins with a code that is
/// written.
fn code(text: &str) -> Option<char> {
    let digits = text.get(..CODE)?.strip_prefix("\\u")?;
    let is_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_digits)?;
    let character = char::from_u32(number)?;
    let is_written =
        character.is_control() || character.is_whitespace() || matches!(character, '\'' | '\\');
    is_written.then_some(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_on_one_line_and_reads_back_whatever_it_is_trimmed_of() {
        for text in [
            "",
            "buoy 7",
            "two\r\nlines\nand a\ttab\t",
            " \u{a0}blanks ",
            "bell \u{7} escape \u{1b}[31m \u{9b}",
            "'quoted'",
            "'=1+1",
            "''",
            "it's",
            r"\u0041 \u001b \u005c \\u000a \u",
            r"C:\users\u00",
            "Ærøskøbing 北 \u{2028}",
        ] {
            let cell = cell(text);
            let acts = |letter: char| letter.is_control() && letter != '\t';
            assert!(!cell.contains(acts), "{cell:?}");
            assert_eq!(cell.trim(), cell);
            assert_eq!(read_cell(&cell), text, "{cell}");
        }
        assert_eq!(cell("a\tb\nc"), "a\tb\\u000ac");
        // The text that a person typed stays.
        assert_eq!(read_cell(r"\u0041"), r"\u0041");
    }
}
