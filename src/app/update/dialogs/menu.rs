//! Keys in help, command palette and the lists of fields and of settings.

use super::KeyResult;
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::keymap::Scope;
use crate::app::state::Model;
use crate::app::state::dialog::fields::FieldList;
use crate::app::state::dialog::menu::Help;
use crate::app::state::dialog::palette::{Command, Palette};
use crate::app::state::dialog::settings::SettingsList;
use crate::app::state::table::{Step, TableState};

/// Number of commands that the palette lists as recent.
const RECENT_MAX: usize = 6;

/// A move of a list under a search field, where letters are text.
fn list_step(key: Key) -> Option<Step> {
    match (key.code, key.ctrl) {
        (KeyCode::Down, _) | (KeyCode::Char('n'), true) => Some(Step::Rows(1)),
        (KeyCode::Up, _) | (KeyCode::Char('p'), true) => Some(Step::Rows(-1)),
        (KeyCode::PageDown, _) => Some(Step::Page(1)),
        (KeyCode::PageUp, _) => Some(Step::Page(-1)),
        (KeyCode::Home, _) => Some(Step::First),
        (KeyCode::End, _) => Some(Step::Last),
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
            let chosen = palette.matches.get(palette.table.cursor);
            let chosen = chosen.map(|line| line.command);
            return KeyResult::Close(chosen.map_or_else(Vec::new, |command| self.run(command)));
        } else if palette.search.key(key) {
            palette.search_changed();
        }
        KeyResult::Stay(Vec::new())
    }

    pub(super) fn key_to_fields(&mut self, list: &mut FieldList, key: Key) -> KeyResult {
        let (rows, height) = (list.lines.len(), self.dialog_rows());
        if let Some(step) = list_step(key) {
            list.table.step(step, rows, height);
        } else if key.code == KeyCode::Enter {
            let Some(chosen) = list.chosen().cloned() else {
                return KeyResult::Stay(Vec::new());
            };
            return KeyResult::Close(self.show_field(chosen.name));
        } else if list.search.key(key) {
            list.search_changed(height);
        }
        KeyResult::Stay(Vec::new())
    }

    pub(super) fn key_to_settings(&mut self, list: &mut SettingsList, key: Key) -> KeyResult {
        let (rows, height) = (self.settings.len(), self.dialog_rows());
        let step = match key.code {
            KeyCode::Char('j') => Some(Step::Rows(1)),
            KeyCode::Char('k') => Some(Step::Rows(-1)),
            _ => list_step(key),
        };
        if let Some(step) = step {
            list.table.step(step, rows, height);
            return KeyResult::Stay(Vec::new());
        }
        let row = list.table.cursor;
        match key.code {
            KeyCode::Enter | KeyCode::Char('q') | KeyCode::F(2) => KeyResult::Close(Vec::new()),
            KeyCode::Right | KeyCode::Char('l' | ' ') => {
                KeyResult::Stay(self.choose_setting(row, 1))
            }
            KeyCode::Left | KeyCode::Char('h') => KeyResult::Stay(self.choose_setting(row, -1)),
            KeyCode::Char('w') => KeyResult::Stay(self.write_setting(row)),
            _ => KeyResult::Stay(Vec::new()),
        }
    }

    /// Runs a command of the palette; it is listed first from now on.
    fn run(&mut self, command: Command) -> Vec<Effect> {
        self.recent.retain(|known| !known.is_same(command));
        self.recent.insert(0, command);
        self.recent.truncate(RECENT_MAX);
        match command {
            Command::Act(action, scope) => {
                let mut effects = Vec::new();
                if !scope.is_active_on(self.tab)
                    && let Scope::On(tab) = scope
                {
                    effects = self.show_tab(tab);
                }
                effects.extend(self.act(action));
                effects
            }
            Command::Open(uuid) => self.open_track(uuid),
            Command::Projection(projection) => {
                self.choose_projection(projection);
                Vec::new()
            }
            Command::Export(format) => self.ask_to_export(Some(format)),
        }
    }
}
