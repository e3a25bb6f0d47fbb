//! Confirmation before quitting while a create or delete is in progress.

use super::{Component, Keys, Labels, Outcome, form};
use crate::dashboard::effect::Effect;
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::shell::Shell;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::Sheet;

/// When to quit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Quit {
    /// No answer yet.
    #[default]
    Asked,
    /// As soon as each create and delete has ended.
    Waiting,
}

impl Component for Quit {
    fn labels(&self) -> Labels {
        let keys: Keys = match self {
            Self::Asked => &[("w", "wait, then quit"), ("l", "quit now"), ("Esc", "stay")],
            Self::Waiting => &[("l", "quit now"), ("Esc", "stay")],
        };
        Labels::new("Quit?", keys)
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        match key.code {
            KeyCode::Char('l' | 'L') => shell.shared.send(Effect::Quit),
            KeyCode::Char('c') if key.ctrl => shell.shared.send(Effect::Quit),
            KeyCode::Char('w' | 'W') | KeyCode::Enter => *self = Self::Waiting,
            _ => {}
        }
        Outcome::Stay
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        let message = "A create or delete was sent and has no response yet. If you quit now, the outcome stays unknown.";
        sheet.paragraph(0, message, theme.text());
        sheet.blank();
        if *self == Self::Waiting {
            form::waiting(sheet, "waiting", shell, theme);
        }
        form::keys(sheet, self.labels().keys, theme.heading());
    }

    fn is_question(&self) -> bool {
        true
    }
}
