//! Confirmation before a deployment is removed from the watch list.

use uuid::Uuid;

use super::question::{Answer, Question};
use super::{Component, Labels, Outcome};
use crate::dashboard::key::Key;
use crate::dashboard::keymap::Action;
use crate::dashboard::model::Model;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::Sheet;

/// The deployment to remove.
#[derive(Debug, Clone)]
pub(crate) struct RemoveDeployment {
    /// The deployment.
    pub deployment: Uuid,
    /// Its name.
    pub name: String,
    /// The question.
    pub question: Question,
}

impl RemoveDeployment {
    pub(in crate::dashboard) fn new(deployment: Uuid, name: String) -> Self {
        Self {
            deployment,
            name,
            question: Question::default(),
        }
    }
}

impl Component for RemoveDeployment {
    fn labels(&self) -> Labels {
        Labels::new(
            "Remove deployment",
            &[("Enter", "cancel"), ("y", "remove"), ("Esc", "cancel")],
        )
    }

    fn key(&mut self, key: Key, model: &mut Model) -> Outcome {
        match self.question.key(key, model.now) {
            None => Outcome::stay(),
            Some(Answer::Cancel) => Outcome::close(),
            Some(Answer::Confirm) => Outcome::Close(model.remove_deployment(self.deployment)),
        }
    }

    fn lines(&self, sheet: &mut Sheet, model: &Model, theme: Theme) {
        sheet.line(&[("Remove ", theme.text()), (&self.name, theme.heading())]);
        let undo = model.key_of(Action::Undo);
        let kept = format!("from the list. Its stored fixes stay; {undo} restores it.");
        sheet.paragraph(0, &kept, theme.text());
        self.question.lines(sheet, "Remove", theme);
    }

    fn is_question(&self) -> bool {
        true
    }

    fn shown(&mut self, at: f64) {
        self.question.shown(at);
    }
}
