//! Copy: the first press copies the most useful form of a row, each further press the
//! next form.

use super::effect::Effect;
use super::keymap::Action;
use super::shell::Shell;
use super::tabs::SEVERAL;
use crate::text::{clean, fit};

impl Shell {
    /// Copies the row of this tab's cursor.
    pub(crate) fn copy(&mut self) {
        let forms = self.tab().forms(&self.shared);
        let here = self.row_at_cursor();
        let turn = match &self.copied {
            Some((row, turn)) if here.as_ref() == Some(row) => (turn + 1) % forms.len().max(1),
            _ => 0,
        };
        let Some((name, text)) = forms.get(turn) else {
            self.shared.notify("there is no row to copy");
            return;
        };
        self.copied = here.map(|row| (row, turn));
        // The lines of several rows are of this program; a text from elsewhere has no line end.
        let rows = text.lines().count();
        let is_of_rows = *name == SEVERAL;
        let text = if is_of_rows {
            text.clone()
        } else {
            clean(text).into_owned()
        };
        let next_form = forms
            .get((turn + 1) % forms.len())
            .filter(|_| forms.len() > 1);
        let key = self.shared.key_of(Action::Copy);
        let again = next_form.map_or_else(String::new, |(name, _)| format!("{key} {name}  "));
        let said = if is_of_rows {
            rows.to_string()
        } else {
            fit(&text, 48)
        };
        let hint = self.tab().copy_hint(&self.shared);
        self.shared
            .notify(format!("{hint}{again}copied {name}: {said}"));
        self.shared.send(Effect::Copy(text));
    }
}
