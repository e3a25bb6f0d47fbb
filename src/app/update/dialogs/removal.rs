//! Keys in the confirmation before a deployment is removed from the list.

use super::{KeyResult, is_settled};
use crate::app::key::{Key, KeyCode};
use crate::app::state::Model;
use crate::app::state::dialog::removal::RemoveDeployment;

impl Model {
    pub(super) fn key_to_removal(
        &mut self,
        question: &mut RemoveDeployment,
        key: Key,
    ) -> KeyResult {
        let settled = is_settled(question.shown_at, self.now);
        match key.code {
            KeyCode::Tab | KeyCode::BackTab | KeyCode::Left | KeyCode::Right => {
                question.on_remove = !question.on_remove;
                KeyResult::Stay(Vec::new())
            }
            KeyCode::Enter if !question.on_remove => KeyResult::Close(Vec::new()),
            KeyCode::Char('n' | 'N' | 'q') => KeyResult::Close(Vec::new()),
            KeyCode::Enter | KeyCode::Char('y' | 'Y') if settled && !key.ctrl && !key.alt => {
                KeyResult::Close(self.remove_deployment(question.deployment))
            }
            _ => KeyResult::Stay(Vec::new()),
        }
    }
}
