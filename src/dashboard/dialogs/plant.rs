//! A plant to create.

use super::{Component, Keys, Labels, Outcome, form};
use crate::dashboard::event::RequestId;
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::model::Model;
use crate::dashboard::plants::PlantsTab;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::field::Field;
use crate::dashboard::widgets::sheet::Sheet;
use crate::dashboard::widgets::table_state::cyclic;
use crate::plant::Draft;

/// The label of each field.
const LABELS: [&str; 3] = ["id", "name", "tag"];
/// The index of the last field.
const LAST: usize = LABELS.len() - 1;

/// A plant to create: id, name, tag.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlantForm {
    /// The fields in their order.
    pub fields: [Field; 3],
    /// The index of the focused field.
    pub focus: usize,
    /// The create in progress; the form waits for its reply.
    pub sending: Option<RequestId>,
    /// Why the last attempt failed; the form keeps the typed text.
    pub failure: String,
}

impl PlantForm {
    /// The create has failed.
    pub(in crate::dashboard) fn failed(&mut self, failure: String) {
        self.sending = None;
        self.failure = failure;
    }

    /// The field with the cursor.
    fn focused(&mut self) -> Option<&mut Field> {
        self.fields.get_mut(self.focus)
    }

    /// The plant, or the fault of each field; empty for none.
    fn draft(&self) -> Result<Draft, [String; 3]> {
        let [id, name, tag] = &self.fields;
        Draft::parse(id.text(), name.text(), tag.text()).map_err(|errors| {
            [errors.id, errors.name, errors.tag]
                .map(|error| error.map_or_else(String::new, |error| error.to_string()))
        })
    }

    /// Checks the field that loses the cursor, so that its error is shown below it.
    fn check_focused(&mut self) {
        let errors = self.draft().err().unwrap_or_default();
        let checked = self.fields.iter_mut().zip(errors).nth(self.focus);
        if let Some((field, error)) = checked {
            field.error = error;
        }
    }

    /// Moves the cursor by a number of fields.
    fn step(&mut self, by: isize) {
        self.check_focused();
        self.focus = cyclic(self.focus, by, LABELS.len());
    }

    /// The create of the plant, if all fields are valid.
    fn create(&mut self, model: &mut Model) {
        let draft = match self.draft() {
            Ok(draft) => draft,
            Err(errors) => {
                let first = errors.iter().position(|error| !error.is_empty());
                self.focus = first.unwrap_or(0);
                for (field, error) in self.fields.iter_mut().zip(errors) {
                    field.error = error;
                }
                return;
            }
        };
        self.failure.clear();
        if model.plants.is_in_progress(&draft.id.to_string()) {
            self.failure = PlantsTab::IN_PROGRESS.to_owned();
            return;
        }
        self.sending = Some(model.create_plant(draft, None));
    }
}

impl Component for PlantForm {
    fn labels(&self) -> Labels {
        let keys: Keys = match self.sending {
            Some(_) => &[("Esc", "close")],
            None => &[
                ("Tab", "next field"),
                ("Enter", "create in the last field"),
                ("Esc", "cancel"),
            ],
        };
        Labels::new("New plant", keys)
    }

    fn awaits(&self) -> Option<RequestId> {
        self.sending
    }

    fn key(&mut self, key: Key, model: &mut Model) -> Outcome {
        if self.sending.is_some() {
            return Outcome::Stay;
        }
        match key.code {
            KeyCode::Tab | KeyCode::Down => self.step(1),
            KeyCode::BackTab | KeyCode::Up => self.step(-1),
            KeyCode::Enter if self.focus < LAST => {
                self.check_focused();
                if self.focused().is_some_and(|field| field.error.is_empty()) {
                    self.focus += 1;
                }
            }
            KeyCode::Enter => self.create(model),
            _ => {
                if let Some(field) = self.focused() {
                    field.key(key);
                }
            }
        }
        Outcome::Stay
    }

    fn lines(&self, sheet: &mut Sheet, model: &Model, theme: Theme) {
        for (index, (label, field)) in LABELS.iter().zip(&self.fields).enumerate() {
            let is_focused = index == self.focus;
            let style = if is_focused {
                theme.accent()
            } else {
                theme.dim()
            };
            let cursor = sheet.field(&format!("{label:<5} "), style, field, theme);
            if is_focused && self.sending.is_none() {
                sheet.set_cursor(cursor);
            }
            if field.error.is_empty() {
                sheet.blank();
            }
        }
        if self.sending.is_some() {
            form::waiting(sheet, "creating", model, theme);
        } else if self.failure.is_empty() {
            let service = format!("The create goes to {}", model.plants.service.sandbox);
            sheet.paragraph(0, &service, theme.dim());
            sheet.paragraph(0, &model.two_addresses(), theme.dim());
        } else {
            sheet.paragraph(0, &self.failure, theme.bad());
        }
    }

    fn paste(&mut self, text: &str, _model: &mut Model) {
        if self.sending.is_none()
            && let Some(field) = self.focused()
        {
            field.paste(text);
        }
    }
}
