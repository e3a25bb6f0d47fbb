//! Keys in the dialogs that create and delete plants, and in the one before
//! quitting.

use super::{KeyResult, is_settled};
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::state::Model;
use crate::app::state::dialog::plant::{DeletePlant, PlantForm, QuitDialog};
use crate::app::state::plants::{PlantRequest, PlantsTab};
use crate::plant::PlantId;
use crate::plant::ledger::Operation;

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
                    if self.plants.is_in_progress(&draft.id.to_string()) {
                        form.failure = PlantsTab::IN_PROGRESS.to_owned();
                        return KeyResult::Stay(Vec::new());
                    }
                    let effects = self.create_plant(draft, None);
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
        let settled = is_settled(question.shown_at, self.now);
        match key.code {
            KeyCode::Tab | KeyCode::BackTab | KeyCode::Left | KeyCode::Right => {
                question.on_delete = !question.on_delete;
                KeyResult::Stay(Vec::new())
            }
            KeyCode::Enter if !question.on_delete => KeyResult::Close(Vec::new()),
            KeyCode::Char('n' | 'N' | 'q') => KeyResult::Close(Vec::new()),
            KeyCode::Enter | KeyCode::Char('y' | 'Y') if settled && !key.ctrl && !key.alt => {
                match PlantId::parse(&question.id) {
                    Ok(_) if self.plants.is_in_progress(&question.id) => {
                        question.error = PlantsTab::IN_PROGRESS.to_owned();
                        KeyResult::Stay(Vec::new())
                    }
                    Ok(id) => {
                        let request = self.next_request();
                        self.plants.in_progress.push(PlantRequest {
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

    pub(super) fn key_to_quit(&mut self, quit: &mut QuitDialog, key: Key) -> KeyResult {
        match key.code {
            KeyCode::Char('l' | 'L') => KeyResult::Close(vec![Effect::Quit]),
            KeyCode::Char('c') if key.ctrl => KeyResult::Close(vec![Effect::Quit]),
            KeyCode::Char('w' | 'W') | KeyCode::Enter => {
                quit.waiting = true;
                KeyResult::Stay(Vec::new())
            }
            _ => KeyResult::Stay(Vec::new()),
        }
    }
}
