//! Keys in the list of platforms.

use super::KeyResult;
use crate::app::key::{Key, KeyCode};
use crate::app::state::Model;
use crate::app::state::dialog::platform::PlatformList;
use crate::app::state::table::Step;

impl Model {
    pub(super) fn key_to_platforms(&mut self, list: &mut PlatformList, key: Key) -> KeyResult {
        let step = match key.code {
            KeyCode::Down | KeyCode::Char('j') => Step::Rows(1),
            KeyCode::Up | KeyCode::Char('k') => Step::Rows(-1),
            KeyCode::Home | KeyCode::Char('g') => Step::First,
            KeyCode::End | KeyCode::Char('G') => Step::Last,
            KeyCode::Enter => {
                let (deployment, platform) = (list.deployment, list.chosen());
                return KeyResult::Close(self.edit(deployment, |one| one.platform = platform));
            }
            _ => return KeyResult::Stay(Vec::new()),
        };
        list.step(step);
        KeyResult::Stay(Vec::new())
    }
}
