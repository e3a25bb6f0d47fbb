//! A question before an action that is not undone at once: Cancel, or the action. Cancel
//! has the focus.

use uuid::Uuid;

use super::{Component, Labels, Outcome};
use crate::dashboard::footer::{FooterKey, dialog_keys};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::keymap::Action;
use crate::dashboard::model::Model;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::Sheet;
use crate::plant::Draft;

/// A confirmation counts only this long after the question appeared on the screen,
/// seconds: keys typed before that decide nothing.
const SETTLE_S: f64 = 0.3;

/// A question with two answers.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The action to confirm.
    pub deed: Deed,
    /// The reason why it cannot be done; empty for none.
    pub error: String,
    focus: Answer,
    /// When it was first drawn, UNIX seconds; `None` before that.
    shown_at: Option<f64>,
}

/// Something that is done once it is confirmed.
#[derive(Debug, Clone)]
pub(crate) enum Deed {
    /// Delete a plant.
    DeletePlant {
        /// The identifier as it will be sent.
        id: String,
        /// The name, if known.
        name: Option<String>,
        /// The address that the delete goes to: the base URL of the service.
        address: String,
    },
    /// Create a deleted plant again.
    CreateAgain {
        /// The plant.
        draft: Draft,
        /// Its last line in the plant log.
        line: i64,
        /// The address that the create goes to.
        service: String,
    },
    /// Remove a deployment from the watch list.
    RemoveDeployment {
        /// The deployment.
        deployment: Uuid,
        /// Its name.
        name: String,
    },
}

/// An answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Cancel,
    Confirm,
}

impl Question {
    /// A question that is not on the screen yet.
    pub(in crate::dashboard) fn new(deed: Deed) -> Self {
        Self {
            deed,
            error: String::new(),
            focus: Answer::Cancel,
            shown_at: None,
        }
    }

    /// The answer that a key gives at `now` (UNIX seconds), if it gives one.
    fn answer(&mut self, key: Key, now: f64) -> Option<Answer> {
        match key.code {
            KeyCode::Tab | KeyCode::BackTab | KeyCode::Left | KeyCode::Right => {
                self.focus = match self.focus {
                    Answer::Cancel => Answer::Confirm,
                    Answer::Confirm => Answer::Cancel,
                };
                None
            }
            KeyCode::Enter if self.focus == Answer::Cancel => Some(Answer::Cancel),
            KeyCode::Char('n' | 'N' | 'q') => Some(Answer::Cancel),
            KeyCode::Enter | KeyCode::Char('y' | 'Y') => {
                let confirms = self.is_settled(now) && !key.ctrl && !key.alt;
                confirms.then_some(Answer::Confirm)
            }
            _ => None,
        }
    }

    fn is_settled(&self, now: f64) -> bool {
        // The absolute value: a clock that was set back must not delay it for hours.
        let shown_at = self.shown_at;
        shown_at.is_some_and(|since| (now - since).abs() >= SETTLE_S)
    }
}

impl Deed {
    /// Does it, or returns why it cannot be done.
    fn done(&self, model: &mut Model) -> Result<(), String> {
        match self {
            Self::DeletePlant { id, .. } => model.delete_plant(id)?,
            Self::CreateAgain { draft, line, .. } => {
                model.create_plant(draft.clone(), Some(*line));
            }
            Self::RemoveDeployment { deployment, .. } => model.remove_deployment(*deployment),
        }
        Ok(())
    }

    /// The title of its question, and the verb on the button and for the key.
    fn words(&self) -> [&'static str; 3] {
        match self {
            Self::DeletePlant { .. } => ["Delete plant", "Delete", "delete"],
            Self::CreateAgain { .. } => ["Create plant again", "Create", "create"],
            Self::RemoveDeployment { .. } => ["Remove deployment", "Remove", "remove"],
        }
    }
}

impl Component for Question {
    fn labels(&self) -> Labels {
        let [title, ..] = self.deed.words();
        Labels::new(title, &[])
    }

    fn footer(&self, _model: &Model) -> Vec<FooterKey> {
        let [_, _, verb] = self.deed.words();
        dialog_keys(&[("Enter", "cancel"), ("y", verb), ("Esc", "cancel")])
    }

    fn key(&mut self, key: Key, model: &mut Model) -> Outcome {
        match self.answer(key, model.now) {
            None => Outcome::Stay,
            Some(Answer::Cancel) => Outcome::Close,
            Some(Answer::Confirm) => match self.deed.done(model) {
                Ok(()) => Outcome::Close,
                Err(reason) => {
                    self.error = reason;
                    Outcome::Stay
                }
            },
        }
    }

    fn lines(&self, sheet: &mut Sheet, model: &Model, theme: Theme) {
        match &self.deed {
            Deed::DeletePlant { id, name, address } => {
                sheet.line(&[("Delete plant ", theme.text()), (id, theme.heading())]);
                if let Some(name) = name {
                    sheet.paragraph(0, &format!("named {name}"), theme.text());
                }
                let address = format!("The delete goes to {address}");
                sheet.paragraph(0, &address, theme.dim());
                sheet.paragraph(0, &model.two_addresses(), theme.dim());
            }
            Deed::CreateAgain { draft, service, .. } => {
                let id = draft.id.to_string();
                sheet.line(&[("Create plant ", theme.text()), (&id, theme.heading())]);
                let named = format!("named {}, tag {}", draft.name, draft.tag);
                sheet.paragraph(0, &named, theme.text());
                let gone = "It was deleted; its id may be of another plant by now.";
                sheet.paragraph(0, gone, theme.text());
                let address = format!("The create goes to {service}");
                sheet.paragraph(0, &address, theme.dim());
                sheet.paragraph(0, &model.two_addresses(), theme.dim());
            }
            Deed::RemoveDeployment { name, .. } => {
                sheet.line(&[("Remove ", theme.text()), (name, theme.heading())]);
                let undo = model.key_of(Action::Undo);
                let kept = format!("from the list. Its stored fixes stay; {undo} restores it.");
                sheet.paragraph(0, &kept, theme.text());
            }
        }
        sheet.paragraph(0, &self.error, theme.bad());
        sheet.blank();
        let (cancel, confirm) = match self.focus {
            Answer::Confirm => (theme.text(), theme.bad().patch(theme.chosen())),
            Answer::Cancel => (theme.chosen(), theme.bad()),
        };
        let [_, button, verb] = self.deed.words();
        sheet.line(&[
            (" Cancel ", cancel),
            ("  ", theme.text()),
            (&format!(" y  {button} "), confirm),
        ]);
        let keys = format!("Enter: cancel; y: {verb}");
        sheet.line(&[(&keys, theme.dim())]);
    }

    fn is_question(&self) -> bool {
        true
    }

    fn shown(&mut self, at: f64) {
        self.shown_at.get_or_insert(at);
    }
}
