//! Text from the service or the user, sanitized for a terminal and cut to the
//! available width. No other module sanitizes text.
//!
//! Unsafe and invisible characters are shown, not deleted, so that two
//! different names never look equal: a control character as `^[` or `<U+009B>`,
//! a bidirectional or zero-width control as `<U+202E>`. Letters of every script
//! and emoji are unchanged.

mod base64;
pub(crate) mod choice;
mod emoji;
mod free_names;
pub(crate) mod hash;
pub(crate) mod json;

pub(crate) use base64::base64;
pub(crate) use free_names::FreeNames;

use std::borrow::Cow;
use std::path::Path;
use std::str::FromStr;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;
use uuid::Uuid;

use emoji::Emoji;

/// `text` with every control, bidirectional and invisible character made
/// visible. The result has no control characters, and sanitizing it again
/// changes nothing.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if is_plain(text) || !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len() + 16);
    let mut emoji = Emoji::default();
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if emoji.takes(character, rest.as_str()) {
            cleaned.push(character);
            continue;
        }
        match character {
            '\0'..='\x1f' | '\x7f' => {
                cleaned.push('^');
                cleaned.push(char::from((character as u8) ^ 0x40));
            }
            _ if is_unsafe(character) => {
                cleaned.push_str(&format!("<U+{:04X}>", u32::from(character)));
            }
            _ => cleaned.push(character),
        }
    }
    Cow::Owned(cleaned)
}

/// A path, sanitized.
pub(crate) fn path(path: &Path) -> String {
    clean(&path.display().to_string()).into_owned()
}

/// `text` sanitized and cut to `most` characters, with `…` if it was cut.
pub(crate) fn excerpt(text: &str, most: usize) -> String {
    let cleaned = clean(text);
    match cleaned.char_indices().nth(most) {
        None => cleaned.into_owned(),
        Some(_) => {
            let start: String = cleaned.chars().take(most.saturating_sub(1)).collect();
            format!("{start}…")
        }
    }
}

/// The name that a misspelt one is meant to be, whatever the case: the nearest within three
/// edits if they are at most a third of its letters. Two letters the wrong way round are one edit.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let away = |known: &str| strsim::osa_distance(&lower, &known.to_lowercase());
    let (away, near) = known.map(|known| (away(known), known)).min()?;
    let letters = lower.chars().count().max(near.chars().count());
    (away <= 3.min(letters / 3)).then_some(near)
}

/// A size in bytes with its unit: `812 B`, `4.8 kB`, `1.2 MB`, `1.07 GB`. The
/// multiples are decimal, as for data rates.
pub(crate) fn bytes(count: u64) -> String {
    let size = count as f64;
    match count {
        0..1_000 => format!("{count} B"),
        // Above this, the number would be rounded to 1000.0.
        1_000..999_950 => format!("{:.1} kB", size / 1e3),
        999_950..999_950_000 => format!("{:.1} MB", size / 1e6),
        _ => format!("{:.2} GB", size / 1e9),
    }
}

/// A count in groups of three digits: `42,906`.
pub(crate) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count with its noun, `one` or `many`: "1 fix", "12 fixes", "2,401 records".
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    let noun = if count == 1 { one } else { many };
    format!("{} {noun}", self::count(count))
}

/// "2 failed, 1 suspect": the counts that are not zero, each before its word.
pub(crate) fn counts(all: &[(usize, &str)]) -> String {
    let some = all.iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> = some
        .map(|(count, word)| format!("{} {word}", self::count(*count)))
        .collect();
    words.join(", ")
}

/// The first of some names, with commas between them; `…` stands for the others.
pub(crate) fn first_of<Name: AsRef<str>>(names: impl Iterator<Item = Name>, most: usize) -> String {
    let mut first = String::new();
    for (number, name) in names.take(most + 1).enumerate() {
        first.push_str(if number > 0 { ", " } else { "" });
        first.push_str(if number < most { name.as_ref() } else { "…" });
    }
    first
}

/// A text that sorts as people do: a number in it by its value, "buoy 2" before
/// "buoy 12". Each number has its length before it.
pub(crate) fn natural_key(text: &str) -> String {
    let mut key = String::with_capacity(text.len() + 2);
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let end = number.find(|letter: char| !letter.is_ascii_digit());
        let (number, behind) = number.split_at(end.unwrap_or(number.len()));
        let value = number.trim_start_matches('0');
        key.push_str(before);
        key.push_str(&format!("{:03}{value}", value.len()));
        rest = behind;
    }
    key.push_str(rest);
    key
}

/// `true` if a text contains a word, as [`offsets`] finds it.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    offsets(text, word).next().is_some()
}

/// The offsets of a word in a text. A number at an end of the word is a complete number:
/// `buoy 1` is not in `buoy 12`, and `11.9` not in `011.99`.
pub(crate) fn offsets<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let typed = word.as_bytes();
    let found = text.match_indices(word).map(|(start, _)| start);
    found.filter(move |start| {
        let goes_on = |near: Option<usize>, far: Option<usize>| {
            let byte = |at: Option<usize>| at.and_then(|at| bytes.get(at));
            is_digit(byte(near)) || byte(near) == Some(&b'.') && is_digit(byte(far))
        };
        let end = start + word.len();
        let before = goes_on(start.checked_sub(1), start.checked_sub(2));
        let behind = goes_on(Some(end), Some(end + 1));
        !(is_digit(typed.first()) && before || is_digit(typed.last()) && behind)
    })
}

/// `text` sanitized and cut in its middle to at most `cells` terminal cells, so
/// that its end shows: of an address that ends with an identifier. In few cells
/// only its end is left.
pub(crate) fn fit_ends(text: &str, cells: usize) -> String {
    /// Fewer cells than this are for the end alone.
    const WITH_START: usize = 24;
    let start = if cells < WITH_START {
        0
    } else {
        cells.saturating_sub(1) / 3
    };
    cut_within(text, cells, start)
}

/// A name sanitized and cut in its middle to at most `cells` terminal cells: names
/// of a fleet often differ only in their last letters.
pub(crate) fn fit_name(name: &str, cells: usize) -> String {
    cut_within(name, cells, cells * 3 / 5)
}

/// `text` sanitized and cut to `cells` terminal cells, of which the first `start`
/// are for its start and the others for `…` and its end.
fn cut_within(text: &str, cells: usize, start: usize) -> String {
    let cleaned = clean(text);
    if width(&cleaned) <= cells {
        return cleaned.into_owned();
    }
    let graphemes = cleaned.graphemes(true);
    let room = cells.saturating_sub(1);
    let begin = fitting(graphemes.clone(), start.min(room)).concat();
    let mut end = Vec::new();
    if start < room {
        end = fitting(graphemes.rev(), room - width(&begin));
        end.reverse();
    }
    let cut = if cells > 0 { "…" } else { "" };
    format!("{begin}{cut}{}", end.concat())
}

/// The first graphemes, as many as fit into the cells.
fn fitting<'a>(graphemes: impl Iterator<Item = &'a str>, cells: usize) -> Vec<&'a str> {
    let mut left = cells;
    let fits = |grapheme: &'a str| {
        left = left.checked_sub(width(grapheme))?;
        Some(grapheme)
    };
    graphemes.map_while(fits).collect()
}

/// The byte order mark of UTF-8, which some editors add (RFC 3629, section 6).
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// `bytes` without a leading byte order mark.
pub(crate) fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// The width of `text` in terminal cells.
pub(crate) fn width(text: &str) -> usize {
    if is_plain(text) {
        return text.chars().count();
    }
    UnicodeWidthStr::width(text)
}

/// A table for people: each column is as wide as its widest cell. The cells of the columns with
/// the indices `right` end at one place. Without a row it is empty.
pub(crate) fn table(
    heading: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    right: &[usize],
) -> String {
    let names: Vec<String> = heading.iter().map(|&name| name.to_owned()).collect();
    let heading = (!names.is_empty()).then_some(names);
    let headings = usize::from(heading.is_some());
    let rows: Vec<Vec<String>> = heading.into_iter().chain(rows).collect();
    if rows.len() == headings {
        return String::new();
    }
    let mut widths: Vec<usize> = Vec::new();
    for row in &rows {
        widths.resize(widths.len().max(row.len()), 0);
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = width(cell).max(*widest);
        }
    }
    let mut lines = String::new();
    for row in rows {
        let cells = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, widest))| {
                let blanks = " ".repeat(widest - width(cell));
                if right.contains(&column) {
                    format!("{blanks}{cell}")
                } else {
                    format!("{cell}{blanks}")
                }
            });
        lines.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        lines.push('\n');
    }
    lines
}

/// `true` if a text consists of Latin characters and signs that take one cell
/// each and are unambiguous, as most text on the screen. Combining marks start
/// at U+0300.
pub(crate) fn is_plain(text: &str) -> bool {
    text.chars()
        .all(|letter| matches!(letter, ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{2ff}'))
}

/// `text` sanitized and cut to at most `cells` terminal cells, never within a
/// grapheme; `…` marks the cut.
pub(crate) fn fit(text: &str, cells: usize) -> String {
    cut_within(text, cells, cells)
}

/// Finds the UUID in a text, which is either the whole text in any UUID format
/// or a part of a URL.
pub(crate) fn find_uuid(text: &str) -> Option<Uuid> {
    let text = text.trim();
    Uuid::from_str(text).ok().or_else(|| {
        text.split(|c: char| !c.is_ascii_hexdigit() && c != '-')
            .find_map(|part| Uuid::from_str(part).ok())
    })
}

/// Characters that control a terminal, or change the display invisibly: Cc, the
/// line and paragraph separators, and what Unicode 16 calls
/// `Default_Ignorable_Code_Point` (the bidirectional controls of UAX #9,
/// joiners, variation selectors, fillers and tags). Some of them are part of
/// emoji ([`Emoji`]).
fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}' | '\u{1160}'
                | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
        // Noncharacters, which are not valid in XML either.
        || u32::from(character) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_sort_by_their_value() {
        let mut names = [
            "buoy 12", "buoy", "buoy 2", "buoy 2b", "a10c2", "a10c10", "a9", "buoy 02", "buoy 1",
        ];
        names.sort_by_key(|name| natural_key(name));
        let expected = [
            "a9", "a10c2", "a10c10", "buoy", "buoy 1", "buoy 2", "buoy 02", "buoy 2b", "buoy 12",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_number_is_found_as_a_whole() {
        for (text, word) in [
            ("buoy 1", "buoy 1"),
            ("buoy 1b", "1"),
            ("at 11.99 v", "11.99"),
            ("11-06 12:00", "12:00"),
            ("puffin", "uff"),
            ("12. 3", "12"),
            ("12 112 1", "1"),
        ] {
            assert!(has_word(text, word), "{text}: {word}");
        }
        for (text, word) in [
            ("buoy 12", "buoy 1"),
            ("buoy 12", "2"),
            ("011.99450", "11.99"),
            ("3.12", "12"),
            ("12.3", "12"),
            ("puffin", "x"),
        ] {
            assert!(!has_word(text, word), "{text}: {word}");
        }
    }

    #[test]
    fn a_name_is_proposed_only_if_it_is_near() {
        let known = ["log", "accent", "units", "time", "position", "deployments"];
        for (name, near) in [
            ("tokn", None),
            ("lgo", Some("log")),
            ("unit", Some("units")),
            ("tiem", Some("time")),
            ("Acent", Some("accent")),
            ("deploymets", Some("deployments")),
            ("", None),
        ] {
            assert_eq!(nearest(name, known.into_iter()), near, "{name}");
        }
    }

    #[test]
    fn a_count_of_one_has_the_singular() {
        assert_eq!(counted(1, "fix", "fixes"), "1 fix");
        assert_eq!(counted(0, "fix", "fixes"), "0 fixes");
        assert_eq!(counted(2, "fix", "fixes"), "2 fixes");
        assert_eq!(counted(2401, "record", "records"), "2,401 records");
    }

    #[test]
    fn an_address_cut_in_its_middle_keeps_the_end_that_differs() {
        let address =
            "http://127.0.0.1:18701/public/deployment/data/00000401-0000-4000-8000-0000000000a7";
        let cut = fit_ends(address, 40);
        assert_eq!(width(&cut), 40, "{cut}");
        assert!(
            cut.starts_with("http://") && cut.ends_with("-8000-0000000000a7"),
            "{cut}"
        );
        assert_eq!(fit_ends("short", 5), "short");
        for cells in 0..8 {
            assert!(width(&fit_ends("北海北海 e\u{301}", cells)) <= cells);
            assert!(width(&fit_name("北海北海 e\u{301}", cells)) <= cells);
        }
        assert_eq!(fit_ends(address, 8), "…00000a7");
    }

    #[test]
    fn names_that_differ_in_their_last_letters_differ_when_they_are_cut() {
        let cut = |name| fit_name(name, 20);
        assert_eq!(cut("Barents Sea drifter no. 12"), "Barents Sea … no. 12");
        assert_eq!(cut("drifter_spitsbergen_2017"), "drifter_spit…en_2017");
        assert_ne!(
            cut("drifter_spitsbergen_2017"),
            cut("drifter_spitsbergen_2018")
        );
        assert_eq!(cut("Glider, Newport line"), "Glider, Newport line");
    }

    #[test]
    fn controls_are_shown_and_never_sent() {
        assert_eq!(clean("a\x1b[31mb\x07\n"), "a^[[31mb^G^J");
        assert_eq!(clean("\u{9b}x\x7f"), "<U+009B>x^?");
    }

    #[test]
    fn bidirectional_and_invisible_characters_are_named() {
        assert_eq!(clean("buoy\u{202e}7\u{200b}"), "buoy<U+202E>7<U+200B>");
        assert_eq!(clean("\u{feff}\u{e0041}"), "<U+FEFF><U+E0041>");
        assert_eq!(clean("a\u{ad}b\u{3164}"), "a<U+00AD>b<U+3164>");
        assert_eq!(clean("\u{fffe}\u{1ffff}"), "<U+FFFE><U+1FFFF>");
        for plain in (0..0x300).filter_map(char::from_u32) {
            let text = plain.to_string();
            if is_plain(&text) {
                assert_eq!(UnicodeWidthStr::width(text.as_str()), 1, "{text:?}");
                assert!(!is_unsafe(plain));
            }
        }
    }

    #[test]
    fn letters_of_every_script_are_left_alone() {
        for text in ["Nordlicht-å", "بحر", "ים", "海洋", "👩‍🚀 buoy", "e\u{301}"] {
            assert_eq!(clean(text), text);
        }
    }

    #[test]
    fn what_chooses_a_form_that_nobody_sees_is_named_and_an_emoji_stays_whole() {
        for (text, shown) in [
            ("a\u{fe00}\u{fe0f}", "a<U+FE00><U+FE0F>"),
            ("\u{845b}\u{e0100}\u{e01ef}", "\u{845b}<U+E0100><U+E01EF>"),
            ("a\u{34f}b", "a<U+034F>b"),
            ("\u{1820}\u{180b}\u{180f}", "\u{1820}<U+180B><U+180F>"),
            ("\u{1d173}\u{1d17a}", "<U+1D173><U+1D17A>"),
            ("\u{fff0}\u{fff8}", "<U+FFF0><U+FFF8>"),
            ("bu\u{200d}oy", "bu<U+200D>oy"),
            ("\u{200d}👩\u{200d}", "<U+200D>👩<U+200D>"),
            ("👩\u{200d}x", "👩<U+200D>x"),
            ("👩\u{200d}\u{200d}🚀", "👩<U+200D><U+200D>🚀"),
            // A picture already: the sign that asks for one is not seen.
            ("👩\u{fe0f}", "👩<U+FE0F>"),
            ("☁\u{fe0f}\u{fe0f}", "☁\u{fe0f}<U+FE0F>"),
            ("1\u{fe0f}", "1<U+FE0F>"),
            ("🏴\u{e0067}\u{e0062}", "🏴<U+E0067><U+E0062>"),
        ] {
            assert_eq!(clean(text), shown, "{text:?}");
        }
        for emoji in [
            "👩‍🔬",
            "👩🏽‍🚀",
            "👨‍👩‍👧‍👦",
            "☁\u{fe0f}",
            "❤\u{fe0f}\u{200d}🔥",
            "🏳\u{fe0f}\u{200d}🌈",
            "🇳🇴",
            "1\u{fe0f}\u{20e3}#\u{fe0f}\u{20e3}",
        ] {
            assert_eq!(clean(emoji), emoji);
            assert_eq!(clean(&format!("a{emoji}b")), format!("a{emoji}b"));
        }
    }

    #[test]
    fn a_size_has_the_unit_that_keeps_it_below_a_thousand() {
        for (count, words) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (4_812, "4.8 kB"),
            (999_949, "999.9 kB"),
            (999_950, "1.0 MB"),
            (1_240_000, "1.2 MB"),
            (999_950_000, "1.00 GB"),
            (1 << 30, "1.07 GB"),
        ] {
            assert_eq!(bytes(count), words);
        }
    }

    #[test]
    fn one_mark_is_taken_off_and_only_from_the_start() {
        assert_eq!(without_byte_order_mark(b"\xef\xbb\xbf[]"), b"[]");
        assert_eq!(without_byte_order_mark(b"\xef\xbb"), b"\xef\xbb");
        assert_eq!(without_byte_order_mark(b"a\xef\xbb\xbf"), b"a\xef\xbb\xbf");
    }

    #[test]
    fn a_cut_never_splits_a_grapheme_and_never_exceeds_its_cells() {
        assert_eq!(fit("海洋浮标", 5), "海洋…");
        assert_eq!(fit("海洋浮标", 8), "海洋浮标");
        assert_eq!(fit("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
        assert_eq!(fit("abc", 0), "");
    }

    #[test]
    fn a_uuid_is_found_alone_in_any_form_and_within_an_address() {
        let uuid = Uuid::from_str("5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa").unwrap();
        for text in [
            "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa",
            " 5B6AC2A043C54D309F1B3C06A7F0E1AA ",
            "urn:uuid:5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa",
            "https://x.example/public/deployment/data/5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa?from=7",
        ] {
            assert_eq!(find_uuid(text), Some(uuid), "{text}");
        }
        assert_eq!(find_uuid("5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1a"), None);
        assert_eq!(find_uuid("https://x.example/plants/7"), None);
    }

    proptest::proptest! {
        #[test]
        fn cleaning_is_complete_and_idempotent(text in "\\PC*|.*|[a1☁👩🏽🏴\u{200d}\u{fe0f}\u{20e3}\u{e0067}\u{e0062}]*") {
            let once = clean(&text).into_owned();
            let of_emoji = |one| matches!(one, '\u{200d}' | '\u{fe0f}' | '\u{e0020}'..='\u{e007f}');
            assert!(!once.chars().any(|one| is_unsafe(one) && !of_emoji(one)));
            assert_eq!(clean(&once), once.as_str());
        }

        #[test]
        fn fitting_keeps_its_promise(text in ".*", cells in 0usize..40) {
            assert!(width(&fit(&text, cells)) <= cells);
        }
    }
}
