//! Keys and mouse events of the dashboard, independent of the terminal library.

/// A key without its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // each variant is the key it names
pub(crate) enum KeyCode {
    Char(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Insert,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

/// The keys with a name: as the settings write it, and as help and footer do.
const NAMES: [(KeyCode, &str, &str); 16] = [
    (KeyCode::Char(' '), "space", "Space"),
    (KeyCode::Enter, "enter", "Enter"),
    (KeyCode::Esc, "esc", "Esc"),
    (KeyCode::Tab, "tab", "Tab"),
    (KeyCode::BackTab, "shift-tab", "Shift-Tab"),
    (KeyCode::Backspace, "backspace", "Backspace"),
    (KeyCode::Delete, "delete", "Delete"),
    (KeyCode::Insert, "insert", "Insert"),
    (KeyCode::Up, "up", "↑"),
    (KeyCode::Down, "down", "↓"),
    (KeyCode::Left, "left", "←"),
    (KeyCode::Right, "right", "→"),
    (KeyCode::Home, "home", "Home"),
    (KeyCode::End, "end", "End"),
    (KeyCode::PageUp, "pgup", "PgUp"),
    (KeyCode::PageDown, "pgdn", "PgDn"),
];

/// A key press. A character includes its Shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub code: KeyCode,
    /// `true` with Ctrl.
    pub ctrl: bool,
    /// `true` with Alt.
    pub alt: bool,
}

impl Key {
    /// The key without modifiers.
    pub(crate) const fn plain(code: KeyCode) -> Self {
        Self {
            code,
            ctrl: false,
            alt: false,
        }
    }

    /// A character key.
    pub(crate) const fn char(character: char) -> Self {
        Self::plain(KeyCode::Char(character))
    }

    /// A character key with Ctrl.
    pub(crate) const fn ctrl(character: char) -> Self {
        Self {
            code: KeyCode::Char(character),
            ctrl: true,
            alt: false,
        }
    }

    /// The key of the same letter in the other case; for any other key itself.
    pub(crate) fn other_case(self) -> Self {
        let code = match self.code {
            KeyCode::Char(letter) if letter.is_ascii_lowercase() => {
                KeyCode::Char(letter.to_ascii_uppercase())
            }
            KeyCode::Char(letter) => KeyCode::Char(letter.to_ascii_lowercase()),
            other => other,
        };
        Self { code, ..self }
    }

    /// A key as the settings name it: a character, `space`, `enter`, `tab`,
    /// `shift-tab`, `up`, `pgdn`, `f5` and the like, with `ctrl-` or `alt-`
    /// before it; `None` for anything else. Characters keep their case.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let lower = text.to_ascii_lowercase();
        let ctrl = lower.starts_with("ctrl-");
        let alt = lower.starts_with("alt-");
        let start = match (ctrl, alt) {
            (true, _) => "ctrl-".len(),
            (_, true) => "alt-".len(),
            _ => 0,
        };
        let text = text.get(start..)?;
        let lower = lower.get(start..)?;
        let mut letters = text.chars();
        let code = match (letters.next()?, letters.next()) {
            (letter, None) if ctrl => KeyCode::Char(letter.to_ascii_lowercase()),
            (letter, None) => KeyCode::Char(letter),
            _ => Self::named(lower)?,
        };
        (!matches!(code, KeyCode::Char(letter) if letter.is_control())).then_some(Self {
            code,
            ctrl,
            alt,
        })
    }

    /// The key of a lower-case name of several letters.
    fn named(name: &str) -> Option<KeyCode> {
        if let Some((code, ..)) = NAMES.iter().find(|(_, known, _)| *known == name) {
            return Some(*code);
        }
        let number = name.strip_prefix('f')?.parse().ok()?;
        (1..=12).contains(&number).then_some(KeyCode::F(number))
    }

    /// How the key is written in help and footer.
    pub(crate) fn name(self) -> String {
        let named = NAMES.iter().find(|(code, ..)| *code == self.code);
        let key = match (self.code, named) {
            (_, Some((.., name))) => (*name).to_owned(),
            (KeyCode::Char(letter), _) if self.ctrl => letter.to_ascii_uppercase().to_string(),
            (KeyCode::Char(letter), _) => letter.to_string(),
            (KeyCode::F(number), _) => format!("F{number}"),
            (other, _) => format!("{other:?}"),
        };
        match (self.ctrl, self.alt) {
            (true, _) => format!("Ctrl-{key}"),
            (_, true) => format!("Alt-{key}"),
            _ => key,
        }
    }
}

/// A mouse event at a cell; columns and rows count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mouse {
    /// The kind of event.
    pub kind: MouseKind,
    pub column: u16,
    pub row: u16,
}

/// The kinds of mouse events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MouseKind {
    /// The left button was pressed.
    Press,
    /// The mouse moved with the left button down.
    Drag,
    /// The left button was released.
    Release,
    /// The wheel turned away from the user.
    WheelUp,
    /// The wheel turned towards the user.
    WheelDown,
    /// The mouse moved with no button down.
    Move,
}
