//! Keys in the dialog of columns.

use super::KeyResult;
use crate::app::columns::{entry, setting, usual};
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::state::Model;
use crate::app::state::dialog::columns::ColumnsForm;
use crate::app::state::table::Step;

impl Model {
    pub(super) fn key_to_columns(&mut self, form: &mut ColumnsForm, key: Key) -> KeyResult {
        let (rows, height) = (form.rows.len(), self.dialog_rows());
        form.error = "";
        let step = match key.code {
            KeyCode::Down | KeyCode::Char('j') => Step::Rows(1),
            KeyCode::Up | KeyCode::Char('k') => Step::Rows(-1),
            KeyCode::PageDown => Step::Page(1),
            KeyCode::PageUp => Step::Page(-1),
            KeyCode::Home | KeyCode::Char('g') => Step::First,
            KeyCode::End | KeyCode::Char('G') => Step::Last,
            KeyCode::Enter => {
                let table = form.tab.title();
                if form.shown() != form.before {
                    self.notify(format!("columns of {table} set for this session"));
                }
                return KeyResult::Close(Vec::new());
            }
            KeyCode::Char('w') => {
                let (name, columns) = entry(form.tab, &form.shown());
                // What is in the file from now on stays on the screen, too.
                form.before = form.shown();
                let effects = self.write_into_settings(Some("columns"), name.to_owned(), columns);
                return KeyResult::Stay(effects);
            }
            KeyCode::Char('y') => {
                let line = setting(form.tab, &form.shown());
                self.notify("copied for [columns] of the settings file");
                return KeyResult::Stay(vec![Effect::Copy(line)]);
            }
            _ => {
                match key.code {
                    KeyCode::Char(' ') => form.toggle(),
                    KeyCode::Char('J') => form.shift(1, height),
                    KeyCode::Char('K') => form.shift(-1, height),
                    KeyCode::Char('0') => form.set(&usual(rows)),
                    _ => {}
                }
                *self.columns.of_mut(form.tab) = form.shown();
                return KeyResult::Stay(Vec::new());
            }
        };
        form.table.step(step, rows, height);
        KeyResult::Stay(Vec::new())
    }
}
