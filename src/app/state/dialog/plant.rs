//! The dialogs that create and delete plants.

use super::field::Field;
use crate::app::event::RequestId;
use crate::plant::Draft;

/// A plant to create: id, name, tag.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlantForm {
    /// The fields in their order.
    pub fields: [Field; 3],
    /// The one with the cursor.
    pub focus: usize,
    /// The create in progress; the form waits for its reply.
    pub sending: Option<RequestId>,
    /// Why the last attempt failed; the form keeps the typed text.
    pub failure: String,
}

impl PlantForm {
    /// The label of each field.
    pub(crate) const LABELS: [&'static str; 3] = ["id", "name", "tag"];

    /// The field with the cursor.
    pub(in crate::app) fn focused(&mut self) -> Option<&mut Field> {
        self.fields.get_mut(self.focus)
    }

    pub(in crate::app) fn paste(&mut self, text: &str) {
        if self.sending.is_none()
            && let Some(field) = self.focused()
        {
            field.paste(text);
        }
    }

    /// Checks every field; returns the plant if all are valid.
    pub(in crate::app) fn check(&mut self) -> Option<Draft> {
        let [id, name, tag] = &self.fields;
        match Draft::parse(id.text(), name.text(), tag.text()) {
            Ok(draft) => Some(draft),
            Err(errors) => {
                let messages = [errors.id, errors.name, errors.tag]
                    .map(|error| error.map_or_else(String::new, |e| e.to_string()));
                let first = messages.iter().position(|error| !error.is_empty());
                for (field, error) in self.fields.iter_mut().zip(messages) {
                    field.error = error;
                }
                self.focus = first.unwrap_or(0);
                None
            }
        }
    }

    /// Checks the field that loses the cursor, so that its error is shown below
    /// it.
    pub(in crate::app) fn check_focused(&mut self) {
        let [id, name, tag] = &self.fields;
        let errors = Draft::parse(id.text(), name.text(), tag.text()).err();
        let error = errors.and_then(|errors| match self.focus {
            0 => errors.id,
            1 => errors.name,
            _ => errors.tag,
        });
        if let Some(field) = self.focused() {
            field.error = error.map_or_else(String::new, |e| e.to_string());
        }
    }
}

/// Confirmation before a plant is deleted. Cancel has the focus.
#[derive(Debug, Clone)]
pub(crate) struct DeletePlant {
    /// The identifier as it will be sent.
    pub id: String,
    /// The name, where it is known.
    pub name: Option<String>,
    /// The address that the delete goes to: the base URL of the service.
    pub address: String,
    /// Whether the line it was chosen by does not say its service.
    pub not_recorded: bool,
    /// Whether "delete" has the focus instead of "cancel".
    pub on_delete: bool,
    /// When it was first drawn, UNIX seconds; `None` before that.
    pub shown_at: Option<f64>,
    /// What is wrong with the identifier.
    pub error: String,
}

impl DeletePlant {
    pub(in crate::app) fn new(id: &str, name: Option<String>, address: &str) -> Self {
        Self {
            id: id.to_owned(),
            name,
            address: address.to_owned(),
            not_recorded: false,
            on_delete: false,
            shown_at: None,
            error: String::new(),
        }
    }
}

/// Confirmation before quitting while a create or delete is in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct QuitDialog {
    /// Whether to quit as soon as all of them have ended.
    pub waiting: bool,
}
