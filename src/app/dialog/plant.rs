//! The dialogs that create and delete plants.

use super::{Field, KeyResult};
use crate::app::effect::Effect;
use crate::app::event::RequestId;
use crate::app::key::{Key, KeyCode};
use crate::app::model::Model;
use crate::app::plants::UnderWay;
use crate::plant::ledger::Operation;
use crate::plant::{Draft, PlantId};

/// A confirmation counts only this long after its question was asked, so that
/// keys typed ahead of it decide nothing.
const SETTLE_S: f64 = 0.05;

/// A plant to create: id, name, tag.
#[derive(Debug, Clone, Default)]
pub struct PlantForm {
    /// The fields in their order.
    pub fields: [Field; 3],
    /// The one with the cursor.
    pub focus: usize,
    /// The create under way: the form waits for its answer.
    pub sending: Option<RequestId>,
    /// Why the last try failed; the form keeps what was typed.
    pub failure: String,
}

impl PlantForm {
    /// What stands before each field.
    pub const LABELS: [&'static str; 3] = ["id", "name", "tag"];

    /// The field with the cursor.
    fn focused(&mut self) -> Option<&mut Field> {
        self.fields.get_mut(self.focus)
    }

    pub(super) fn paste(&mut self, text: &str) {
        if self.sending.is_none()
            && let Some(field) = self.focused()
        {
            field.paste(text);
        }
    }

    /// Checks every field; the plant if all are sound.
    fn check(&mut self) -> Option<Draft> {
        let [id, name, tag] = &self.fields;
        match Draft::parse(id.text(), name.text(), tag.text()) {
            Ok(draft) => Some(draft),
            Err(errors) => {
                let words = [errors.id, errors.name, errors.tag]
                    .map(|error| error.map_or_else(String::new, |e| e.to_string()));
                let first = words.iter().position(|error| !error.is_empty());
                for (field, error) in self.fields.iter_mut().zip(words) {
                    field.error = error;
                }
                self.focus = first.unwrap_or(0);
                None
            }
        }
    }

    /// Checks the field that is left, so that its error stands under it.
    fn check_focused(&mut self) {
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

/// Asks before a plant is deleted. Cancel has the focus.
#[derive(Debug, Clone)]
pub struct DeletePlant {
    /// The identifier as it will be sent.
    pub id: String,
    /// The name, where it is known.
    pub name: Option<String>,
    /// Whether "delete" has the focus instead of "cancel".
    pub on_delete: bool,
    /// When it was asked, UNIX seconds.
    pub asked: f64,
    /// Whether it has been on the screen.
    pub shown: bool,
    /// What is wrong with the identifier.
    pub error: String,
}

impl DeletePlant {
    pub(super) fn new(id: &str, name: Option<String>, now: f64) -> Self {
        Self {
            id: id.to_owned(),
            name,
            on_delete: false,
            asked: now,
            shown: false,
            error: String::new(),
        }
    }
}

impl Model {
    pub(super) fn key_to_plant_form(&mut self, form: &mut PlantForm, key: Key) -> KeyResult {
        if form.sending.is_some() {
            return KeyResult::Stay(Vec::new());
        }
        let last = PlantForm::LABELS.len() - 1;
        match key.code {
            KeyCode::Tab | KeyCode::Down => {
                form.check_focused();
                form.focus = if form.focus == last {
                    0
                } else {
                    form.focus + 1
                };
            }
            KeyCode::BackTab | KeyCode::Up => {
                form.check_focused();
                form.focus = form.focus.checked_sub(1).unwrap_or(last);
            }
            KeyCode::Enter if form.focus < last => {
                form.check_focused();
                if form
                    .fields
                    .get(form.focus)
                    .is_some_and(|field| field.error.is_empty())
                {
                    form.focus += 1;
                }
            }
            KeyCode::Enter => {
                if let Some(draft) = form.check() {
                    form.failure.clear();
                    let effects = self.create_plant(draft);
                    form.sending = effects.iter().find_map(|effect| match effect {
                        Effect::CreatePlant { request, .. } => Some(*request),
                        _ => None,
                    });
                    return KeyResult::Stay(effects);
                }
            }
            _ => {
                if let Some(field) = form.focused() {
                    field.key(key);
                }
            }
        }
        KeyResult::Stay(Vec::new())
    }

    pub(super) fn key_to_delete_plant(
        &mut self,
        question: &mut DeletePlant,
        key: Key,
    ) -> KeyResult {
        let settled = question.shown && self.now - question.asked >= SETTLE_S;
        match key.code {
            KeyCode::Tab | KeyCode::BackTab | KeyCode::Left | KeyCode::Right => {
                question.on_delete = !question.on_delete;
                KeyResult::Stay(Vec::new())
            }
            KeyCode::Enter if !question.on_delete => KeyResult::Close(Vec::new()),
            KeyCode::Char('n' | 'N' | 'q') => KeyResult::Close(Vec::new()),
            KeyCode::Enter | KeyCode::Char('y' | 'Y') if settled && !key.ctrl && !key.alt => {
                match PlantId::parse(&question.id) {
                    Ok(id) => {
                        let request = self.next_request();
                        self.plants.under_way.push(UnderWay {
                            request,
                            operation: Operation::Delete,
                            id: question.id.clone(),
                        });
                        KeyResult::Close(vec![Effect::DeletePlant { request, id }])
                    }
                    Err(error) => {
                        question.error = error.to_string();
                        KeyResult::Stay(Vec::new())
                    }
                }
            }
            _ => KeyResult::Stay(Vec::new()),
        }
    }
}
