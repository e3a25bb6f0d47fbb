//! Keys in help and command palette.

use super::KeyResult;
use crate::app::key::{Key, KeyCode};
use crate::app::keymap;
use crate::app::state::Model;
use crate::app::state::dialog::menu::{Help, Palette};
use crate::app::state::table::{Step, TableState};

/// A move of a list under a search field, where letters are text.
fn list_step(key: Key) -> Option<Step> {
    match (key.code, key.ctrl) {
        (KeyCode::Down, _) | (KeyCode::Char('n'), true) => Some(Step::Rows(1)),
        (KeyCode::Up, _) | (KeyCode::Char('p'), true) => Some(Step::Rows(-1)),
        (KeyCode::PageDown, _) => Some(Step::Page(1)),
        (KeyCode::PageUp, _) => Some(Step::Page(-1)),
        _ => None,
    }
}

impl Model {
    pub(super) fn key_to_help(&mut self, help: &mut Help, key: Key) -> KeyResult {
        let (rows, height) = (help.lines().len(), self.dialog_rows());
        if let Some(step) = list_step(key) {
            help.table.step(step, rows, height);
        } else if key.code == KeyCode::Enter
            || matches!(key.code, KeyCode::F(1))
            || (matches!(key.code, KeyCode::Char('?' | 'q')) && help.search.text().is_empty())
        {
            return KeyResult::Close(Vec::new());
        } else if help.search.key(key) {
            help.table = TableState::default();
        }
        KeyResult::Stay(Vec::new())
    }

    pub(super) fn key_to_palette(&mut self, palette: &mut Palette, key: Key) -> KeyResult {
        let (rows, height) = (palette.matches.len(), self.dialog_rows());
        if let Some(step) = list_step(key) {
            palette.table.step(step, rows, height);
        } else if key.code == KeyCode::Enter {
            let chosen = palette.matches.get(palette.table.cursor).copied();
            return KeyResult::Close(chosen.map_or_else(Vec::new, |binding| {
                if !binding.scope.is_active_on(self.tab)
                    && let keymap::Scope::On(tab) = binding.scope
                {
                    self.tab = tab;
                }
                self.act(binding.action)
            }));
        } else if palette.search.key(key) {
            palette.search_changed();
        }
        KeyResult::Stay(Vec::new())
    }
}
