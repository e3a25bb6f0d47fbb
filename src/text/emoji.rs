//! Which of the characters that nobody sees belong to an emoji, where they
//! choose the picture and hide nothing.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

const JOINER: char = '\u{200d}';
const AS_PICTURE: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';
const BLACK_FLAG: char = '\u{1f3f4}';

/// The flags that are spelt in tag characters, without the black flag before
/// them: England, Scotland, Wales (Unicode Technical Standard 51, annex C).
const FLAGS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// Follows a text character by character and knows whether an emoji has just
/// ended.
#[derive(Debug, Default)]
pub(super) struct Emoji {
    last: Option<char>,
    within: bool,
    /// Bytes of a flag's tags that are still to come.
    tags: usize,
}

impl Emoji {
    /// `true` if `character` is an invisible part of an emoji, with `rest` of the
    /// text behind it: a joiner between two pictures, the sign that asks for a
    /// picture if that changes the display, or the tags of a flag.
    pub(super) fn takes(&mut self, character: char, rest: &str) -> bool {
        let next = rest.chars().next();
        let taken = match character {
            JOINER => self.within && next.is_some_and(is_picture),
            AS_PICTURE => self.last.is_some_and(|last| match last {
                '0'..='9' | '#' | '*' => next == Some(KEYCAP),
                _ => self.within && turns_into_picture(last),
            }),
            '\u{e0000}'..='\u{e007f}' => self.takes_tag(character, rest),
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

    fn takes_tag(&mut self, character: char, rest: &str) -> bool {
        if self.last == Some(BLACK_FLAG) {
            let spelt = FLAGS.iter().find(|flag| {
                flag.strip_prefix(character)
                    .is_some_and(|tags| rest.starts_with(tags))
            });
            self.tags = spelt.map_or(0, |flag| flag.len());
        }
        let taken = self.tags > 0;
        self.tags = self.tags.saturating_sub(character.len_utf8());
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
