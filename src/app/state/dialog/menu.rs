//! Help: the keymap for the user.

use std::sync::Arc;

use super::field::Field;
use crate::app::keymap::{Action, Binding, Keymap, Scope};
use crate::app::state::tab::Tab;
use crate::app::state::table::TableState;

/// All keys, searchable.
#[derive(Debug, Clone, Default)]
pub(crate) struct Help {
    /// The search text.
    pub search: Field,
    /// The visible rows.
    pub table: TableState,
    /// The tab that it was opened on.
    pub tab: Tab,
    /// Whether it was opened on the list of alarms, whose keys come first then.
    is_of_alarms: bool,
    /// The bindings.
    keymap: Arc<Keymap>,
}

impl Help {
    /// All keys, those of the tab first.
    pub(in crate::app) fn new(tab: Tab, keymap: Arc<Keymap>) -> Self {
        Self {
            tab,
            keymap,
            ..Self::default()
        }
    }

    /// All keys, those of the list of alarms first.
    pub(in crate::app) fn of_alarms(tab: Tab, keymap: Arc<Keymap>) -> Self {
        Self {
            is_of_alarms: true,
            ..Self::new(tab, keymap)
        }
    }

    /// The bindings that match the search: first those of the tab that it was
    /// opened on, then those of maps, tables and every tab, then those of the
    /// other tabs.
    pub(crate) fn lines(&self) -> Vec<&Binding> {
        let search = self.search.text().to_lowercase();
        let mut lines: Vec<&Binding> = self
            .keymap
            .bindings()
            .iter()
            .filter(|binding| {
                search.is_empty()
                    || binding.label.to_lowercase().contains(&search)
                    || binding.scope.heading().to_lowercase().contains(&search)
                    || binding
                        .keys
                        .iter()
                        .any(|key| key.name().to_lowercase() == search)
            })
            .collect();
        let rank = |binding: &Binding| match binding.scope {
            Scope::Alarms if self.is_of_alarms => 0,
            Scope::On(tab) if tab == self.tab => 1,
            Scope::Maps if binding.scope.is_active_on(self.tab) => 2,
            Scope::Everywhere
                if matches!(
                    binding.action,
                    Action::Help | Action::Dismiss | Action::Quit
                ) =>
            {
                3
            }
            Scope::Everywhere => 4,
            Scope::Rows => 5,
            Scope::Alarms => 6,
            Scope::Maps => 7,
            // One heading for each tab.
            Scope::On(tab) => 8 + Tab::ALL.iter().take_while(|one| **one != tab).count(),
        };
        lines.sort_by_key(|binding| rank(binding));
        lines
    }
}
