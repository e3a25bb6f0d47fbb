//! The last message in full.

use super::{Component, Labels, Outcome};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::model::Model;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::Sheet;

/// The text of a message.
#[derive(Debug, Clone)]
pub(crate) struct Message(pub String);

impl Component for Message {
    fn labels(&self) -> Labels {
        Labels::new("Message", &[("Enter", "close"), ("Esc", "close")])
    }

    fn key(&mut self, key: Key, _model: &mut Model) -> Outcome {
        match key.code {
            KeyCode::Enter | KeyCode::Char('q' | '!') => Outcome::close(),
            _ => Outcome::stay(),
        }
    }

    fn lines(&self, sheet: &mut Sheet, _model: &Model, theme: Theme) {
        sheet.paragraph(0, &self.0, theme.text());
    }
}
