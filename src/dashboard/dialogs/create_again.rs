//! Confirmation before a deleted plant is created again.

use super::question::{Answer, Question};
use super::{Component, Labels, Outcome};
use crate::dashboard::key::Key;
use crate::dashboard::model::Model;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::Sheet;
use crate::plant::Draft;

/// The plant to create again.
#[derive(Debug, Clone)]
pub(crate) struct CreateAgain {
    draft: Draft,
    /// The line of the ledger that it was deleted by.
    line: i64,
    /// The address that the create goes to.
    service: String,
    question: Question,
}

impl CreateAgain {
    pub(in crate::dashboard) fn new(draft: Draft, line: i64, service: String) -> Self {
        Self {
            draft,
            line,
            service,
            question: Question::default(),
        }
    }
}

impl Component for CreateAgain {
    fn labels(&self) -> Labels {
        Labels::new(
            "Create plant again",
            &[("Enter", "cancel"), ("y", "create"), ("Esc", "cancel")],
        )
    }

    fn key(&mut self, key: Key, model: &mut Model) -> Outcome {
        match self.question.key(key, model.now) {
            None => Outcome::stay(),
            Some(Answer::Cancel) => Outcome::close(),
            Some(Answer::Confirm) => {
                Outcome::Close(model.create_plant(self.draft.clone(), Some(self.line)))
            }
        }
    }

    fn lines(&self, sheet: &mut Sheet, _model: &Model, theme: Theme) {
        let id = self.draft.id.to_string();
        sheet.line(&[("Create plant ", theme.text()), (&id, theme.heading())]);
        sheet.paragraph(
            0,
            "It was deleted; its id may be of another plant by now.",
            theme.text(),
        );
        let address = format!("The create goes to {}", self.service);
        sheet.paragraph(0, &address, theme.dim());
        self.question.lines(sheet, "Create", theme);
    }

    fn is_question(&self) -> bool {
        true
    }

    fn shown(&mut self, at: f64) {
        self.question.shown(at);
    }
}
