//! Copy: the first press copies the most useful form of a row, each further press the
//! next form.

use super::effect::Effect;
use super::keymap::Action;
use super::shell::Shell;
use crate::dashboard::widgets::text::Text;
use crate::text::{clean, fit};

impl Shell {
    /// Copies the row of this tab's cursor.
    pub(crate) fn copy(&mut self) {
        let forms = self.tab().forms(&self.shared);
        let here = self.tab().row_at_cursor(&self.shared);
        let turn = match &self.copied {
            Some((row, turn)) if here.as_ref() == Some(row) => (turn + 1) % forms.len().max(1),
            _ => 0,
        };
        let Some((name, text)) = forms.get(turn) else {
            self.shared.notify("there is no row to copy");
            return;
        };
        self.copied = here.map(|row| (row, turn));
        let text = clean(text).into_owned();
        let next_form = forms
            .get((turn + 1) % forms.len())
            .filter(|_| forms.len() > 1);
        let key = self.shared.key_of(Action::Copy);
        let again = next_form.map_or_else(String::new, |(name, _)| format!("{key} {name}  "));
        let [long, short] = [48, 20].map(|room| fit(&text, room));
        let said = Text::from(format!("{again}copied {name}: {long}"));
        self.shared
            .notify(said.or(format!("{again}copied {short}")));
        self.shared.send(Effect::Copy(text));
    }
}
