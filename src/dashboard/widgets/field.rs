//! A line of text that the user edits.

use std::fmt;

use tui_input::{Input, InputRequest};
use zeroize::Zeroizing;

use crate::dashboard::key::{Key, KeyCode};

/// A token from the dialog, to be tested on the service: wiped on drop, never
/// printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub Zeroizing<String>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// Maximum length of a field's text, characters.
pub(crate) const LIMIT: usize = 4096;

/// A line of text with a cursor.
#[derive(Debug, Clone, Default)]
pub(crate) struct Field {
    input: Input,
    /// `true` if all of the text is selected: a typed one replaces it.
    is_selected: bool,
    /// The fault of the text; empty if it is valid.
    pub error: String,
}

impl Field {
    /// A field with `text` and the cursor at its end.
    pub(crate) fn new(text: &str) -> Self {
        Self {
            input: Input::new(text.to_owned()),
            ..Self::default()
        }
    }

    /// Selects all of the text, as a form does on the way to a field, or ends that.
    pub(crate) fn select(&mut self, is_selected: bool) {
        self.is_selected = is_selected && !self.text().is_empty();
    }

    /// `true` if all of the text is selected.
    pub(crate) fn is_selected(&self) -> bool {
        self.is_selected
    }

    /// Ends the selection; a text that a key replaces goes.
    fn end_selection(&mut self, is_replaced: bool) {
        if std::mem::take(&mut self.is_selected) && is_replaced {
            self.input.reset();
        }
    }

    pub(crate) fn text(&self) -> &str {
        self.input.value()
    }

    /// Number of characters before the cursor.
    pub(crate) fn cursor(&self) -> usize {
        self.input.cursor()
    }

    /// Handles a key; returns whether the text changed.
    pub(crate) fn key(&mut self, key: Key) -> bool {
        let is_plain = !(key.ctrl || key.alt);
        let was_selected = self.is_selected;
        let erases = matches!(key.code, KeyCode::Backspace | KeyCode::Delete);
        self.end_selection(is_plain && (erases || matches!(key.code, KeyCode::Char(_))));
        if was_selected && erases && is_plain {
            self.error.clear();
            return true;
        }
        let request = match (key.code, key.ctrl || key.alt) {
            (KeyCode::Char(character), false) => {
                if self.text().chars().count() >= LIMIT {
                    self.error = format!("no more than {LIMIT} characters");
                    return false;
                }
                InputRequest::InsertChar(character)
            }
            (KeyCode::Backspace, false) => InputRequest::DeletePrevChar,
            (KeyCode::Delete, false) => InputRequest::DeleteNextChar,
            (KeyCode::Left, false) => InputRequest::GoToPrevChar,
            (KeyCode::Right, false) => InputRequest::GoToNextChar,
            (KeyCode::Left, true) => InputRequest::GoToPrevWord,
            (KeyCode::Right, true) => InputRequest::GoToNextWord,
            (KeyCode::Home, _) | (KeyCode::Char('a'), true) => InputRequest::GoToStart,
            (KeyCode::End, _) | (KeyCode::Char('e'), true) => InputRequest::GoToEnd,
            (KeyCode::Char('u'), true) => InputRequest::DeleteLine,
            (KeyCode::Char('k'), true) => InputRequest::DeleteTillEnd,
            (KeyCode::Char('w') | KeyCode::Backspace, true) => InputRequest::DeletePrevWord,
            _ => return false,
        };
        let change = self.input.handle(request);
        let changed = change.is_some_and(|change| change.value);
        if changed {
            self.error.clear();
        }
        changed
    }

    /// Inserts text at the cursor; line ends become spaces. Text beyond the
    /// limit is cut, and `error` says so.
    pub(crate) fn paste(&mut self, text: &str) {
        self.end_selection(true);
        let room = LIMIT.saturating_sub(self.text().chars().count());
        let pasted = text.trim_end_matches(['\r', '\n']).replace("\r\n", " ");
        let line = pasted.replace(['\r', '\n', '\t'], " ");
        self.error.clear();
        for character in line.chars().take(room) {
            self.input.handle(InputRequest::InsertChar(character));
        }
        if line.chars().nth(room).is_some() {
            self.error = format!("the paste was cut at {LIMIT} characters");
        }
    }
}

/// A line of text that is never shown and is wiped on drop. Text longer than
/// [`LIMIT`] is counted and not stored: such a line is refused, never cut.
#[derive(Clone)]
pub(crate) struct SecretField {
    text: Zeroizing<String>,
    /// Characters behind the limit.
    excess: usize,
    /// The fault of the text; empty if it is valid.
    pub error: String,
}

impl std::fmt::Debug for SecretField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[redacted]")
    }
}

impl Default for SecretField {
    fn default() -> Self {
        // The full capacity at once: a reallocation would leave a copy in
        // memory.
        Self {
            text: Zeroizing::new(String::with_capacity(LIMIT * 4)),
            excess: 0,
            error: String::new(),
        }
    }
}

impl SecretField {
    /// Number of characters that were typed; nothing else of it may be shown.
    pub(crate) fn count(&self) -> usize {
        self.text.chars().count() + self.excess
    }

    /// `true` if it is longer than a token may be.
    pub(crate) fn is_too_long(&self) -> bool {
        self.excess > 0
    }

    /// The text has changed.
    fn check(&mut self) {
        self.error.clear();
        if self.is_too_long() {
            let most = format!("a token has at most {LIMIT}: Ctrl-U empties the line");
            self.error = format!("{} characters, and {most}", self.count());
        }
    }

    /// Handles a key.
    pub(crate) fn key(&mut self, key: Key) {
        match (key.code, key.ctrl || key.alt) {
            (KeyCode::Char(character), false) => self.append(character),
            (KeyCode::Backspace, false) if self.excess > 0 => self.excess -= 1,
            (KeyCode::Backspace, false) => {
                self.text.pop();
            }
            (KeyCode::Char('u' | 'w'), true) => self.clear(),
            _ => {}
        }
        self.check();
    }

    /// Appends pasted text without its line ends.
    pub(crate) fn paste(&mut self, text: &str) {
        let characters = text.trim_end_matches(['\r', '\n']).chars();
        characters.for_each(|character| self.append(character));
        self.check();
    }

    /// Of a token each character is a byte.
    fn append(&mut self, character: char) {
        if self.text.len() < LIMIT {
            self.text.push(character);
        } else {
            self.excess += 1;
        }
    }

    /// Empties it.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The text, for the effect that tests it.
    pub(crate) fn secret(&self) -> Secret {
        Secret(self.text.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paste_becomes_one_line_at_the_cursor() {
        let mut field = Field::new("ab");
        field.key(Key::plain(KeyCode::Left));
        field.paste("1\r\n2\n");
        assert_eq!(field.text(), "a1 2b");
        assert_eq!(field.cursor(), 4);
    }

    #[test]
    fn a_typed_text_replaces_a_selected_one_and_arrows_keep_it() {
        let field = |keys: &[KeyCode]| {
            let mut field = Field::new("60 m");
            field.select(true);
            for code in keys {
                field.key(Key::plain(*code));
            }
            field.text().to_owned()
        };
        assert_eq!(field(&[KeyCode::Char('2'), KeyCode::Char('k')]), "2k");
        assert_eq!(field(&[KeyCode::End, KeyCode::Char('!')]), "60 m!");
        assert_eq!(field(&[KeyCode::Left, KeyCode::Backspace]), "60m");
        assert_eq!(field(&[KeyCode::Backspace]), "");
        let mut pasted = Field::new("60 m");
        pasted.select(true);
        pasted.paste("2 km");
        pasted.paste("!");
        assert_eq!(pasted.text(), "2 km!");
    }

    #[test]
    fn a_huge_paste_is_cut_and_says_so() {
        let mut field = Field::default();
        field.paste(&"x".repeat(10_000_000));
        assert_eq!(field.text().len(), LIMIT);
        assert!(field.error.contains("cut"));
        assert!(!field.key(Key::char('y')));
    }

    #[test]
    fn a_secret_that_is_too_long_is_told_and_not_cut_unseen() {
        for pasted in [true, false] {
            let mut field = SecretField::default();
            let long = "x".repeat(LIMIT + 2);
            if pasted {
                field.paste(&long);
            } else {
                long.chars().for_each(|letter| field.key(Key::char(letter)));
            }
            assert_eq!(field.count(), LIMIT + 2);
            assert!(field.is_too_long() && !field.error.is_empty());
            field.key(Key::plain(KeyCode::Backspace));
            assert!(field.is_too_long() && !field.error.is_empty());
            field.key(Key::plain(KeyCode::Backspace));
            assert_eq!((field.is_too_long(), field.count()), (false, LIMIT));
        }
    }

    #[test]
    fn a_secret_is_never_printed() {
        let mut field = SecretField::default();
        field.paste("hunter2\n");
        assert_eq!(
            format!("{field:?} {:?}", field.secret()),
            "[redacted] [redacted]"
        );
        assert_eq!(field.count(), 7);
    }
}
