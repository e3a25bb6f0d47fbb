//! Which of the characters that nobody sees belong to an emoji, where they
//! choose the picture and hide nothing.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

const JOINER: char = '\u{200d}';
const AS_PICTURE: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';

/// Follows a text character by character and knows whether an emoji has just
/// ended.
#[derive(Debug, Default)]
pub(super) struct Emoji {
    last: Option<char>,
    within: bool,
}

impl Emoji {
    /// `true` if `character` is an invisible part of an emoji, with `rest` of the
    /// text behind it: a joiner between two pictures, or the sign that asks for a
    /// picture if that changes the display.
    pub(super) fn takes(&mut self, character: char, rest: &str) -> bool {
        let next = rest.chars().next();
        let taken = match character {
            JOINER => self.within && next.is_some_and(is_picture),
            AS_PICTURE => self.last.is_some_and(|last| match last {
                '0'..='9' | '#' | '*' => next == Some(KEYCAP),
                _ => self.within && turns_into_picture(last),
            }),
            _ => false,
        };
        self.within = match character {
            JOINER | AS_PICTURE => taken,
            // A tone of the skin, which is seen.
            '\u{1f3fb}'..='\u{1f3ff}' if self.within => true,
            _ => taken || (!character.is_ascii() && is_picture(character)),
        };
        self.last = Some(character);
        taken
    }
}

/// `true` if a character is a picture (`Extended_Pictographic`): only these
/// are joined with a picture behind a joiner.
fn is_picture(character: char) -> bool {
    let joined: String = [character, JOINER, '\u{231a}'].iter().collect();
    joined.graphemes(true).count() == 1
}

/// `true` if the sign that asks for a picture makes one of a character that is a
/// plain sign without it: then the two take different room.
fn turns_into_picture(character: char) -> bool {
    let plain = character.to_string();
    let picture = [character, AS_PICTURE].iter().collect::<String>();
    plain.width() != picture.width()
}
