//! Confirmation before a plant is deleted.

use super::question::{Answer, Question};
use super::{Component, Labels, Outcome};
use crate::dashboard::effect::Effect;
use crate::dashboard::key::Key;
use crate::dashboard::model::Model;
use crate::dashboard::plants::state::{PlantRequest, PlantsTab};
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::Sheet;
use crate::plant::PlantId;
use crate::plant::ledger::Operation;

/// The plant to delete.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeletePlant {
    /// The identifier as it will be sent.
    pub id: String,
    /// The name, where it is known.
    pub name: Option<String>,
    /// The address that the delete goes to: the base URL of the service.
    pub address: String,
    /// `true` if the line it was chosen by does not say its service.
    pub not_recorded: bool,
    /// The reason why it cannot be deleted; empty for none.
    pub error: String,
    /// The question.
    pub question: Question,
}

impl DeletePlant {
    /// The delete, if none of this plant is in progress.
    fn delete(&mut self, model: &mut Model) -> Outcome {
        let id = match PlantId::parse(&self.id) {
            Ok(id) => id,
            Err(error) => {
                self.error = error.to_string();
                return Outcome::stay();
            }
        };
        if model.plants.is_in_progress(&self.id) {
            self.error = PlantsTab::IN_PROGRESS.to_owned();
            return Outcome::stay();
        }
        let request = model.next_request();
        model.plants.in_progress.push(PlantRequest {
            request,
            operation: Operation::Delete,
            id: self.id.clone(),
        });
        Outcome::Close(vec![Effect::DeletePlant { request, id }])
    }
}

impl Component for DeletePlant {
    fn labels(&self) -> Labels {
        Labels::new(
            "Delete plant",
            &[("Enter", "cancel"), ("y", "delete"), ("Esc", "cancel")],
        )
    }

    fn key(&mut self, key: Key, model: &mut Model) -> Outcome {
        match self.question.key(key, model.now) {
            None => Outcome::stay(),
            Some(Answer::Cancel) => Outcome::close(),
            Some(Answer::Confirm) => self.delete(model),
        }
    }

    fn lines(&self, sheet: &mut Sheet, _model: &Model, theme: Theme) {
        sheet.line(&[("Delete plant ", theme.text()), (&self.id, theme.heading())]);
        if let Some(name) = &self.name {
            sheet.paragraph(0, &format!("named {name}"), theme.text());
        }
        let address = format!("The delete goes to {}", self.address);
        sheet.paragraph(0, &address, theme.dim());
        if self.not_recorded {
            let unknown = "Its line does not say where it was created.";
            sheet.paragraph(0, unknown, theme.warning());
        }
        sheet.paragraph(0, &self.error, theme.bad());
        self.question.lines(sheet, "Delete", theme);
    }

    fn is_question(&self) -> bool {
        true
    }

    fn shown(&mut self, at: f64) {
        self.question.shown(at);
    }
}
