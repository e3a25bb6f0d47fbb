//! Key bindings as data.

mod binding;
mod custom;
mod table;

use super::key::Key;
use super::tab::Tab;
pub(crate) use binding::{Action, Binding, Scope};
use table::BINDINGS;
pub(crate) use table::NEEDED;

/// The bindings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Keymap {
    bindings: Vec<Binding>,
}

impl Default for Keymap {
    fn default() -> Self {
        Self {
            bindings: BINDINGS.to_vec(),
        }
    }
}

impl Keymap {
    /// Every binding.
    pub(crate) fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// The action of a key on a tab.
    pub(crate) fn action(&self, key: Key, tab: Tab) -> Option<Action> {
        self.bindings
            .iter()
            .find(|binding| binding.scope.is_active_on(tab) && binding.keys.contains(&key))
            .map(|binding| binding.action)
    }

    /// The action of a key in the list of alarms: its own ones, and the moves of
    /// tables.
    pub(crate) fn alarm_action(&self, key: Key) -> Option<Action> {
        let of = |scope: Scope| {
            let mut own = self.bindings.iter();
            own.find(|binding| binding.scope == scope && binding.keys.contains(&key))
        };
        let found = of(Scope::Alarms).or_else(|| of(Scope::Rows));
        found
            .or_else(|| of(Scope::Everywhere))
            .map(|binding| binding.action)
    }

    /// The bindings of the list of alarms.
    pub(crate) fn of_alarms(&self) -> impl Iterator<Item = &Binding> {
        let all = self.bindings.iter();
        all.filter(|binding| binding.scope == Scope::Alarms)
    }

    /// The action of a key during a search, whatever it does otherwise.
    pub(crate) fn search_action(&self, key: Key) -> Option<Action> {
        self.bindings
            .iter()
            .filter(|binding| matches!(binding.action, Action::FindNext | Action::FindPrevious))
            .find(|binding| binding.keys.contains(&key))
            .map(|binding| binding.action)
    }

    /// The message for a key without an action on a tab.
    pub(crate) fn no_action(&self, key: Key, tab: Tab) -> String {
        let name = key.name();
        let mut all = self.bindings.iter();
        match all.find(|binding| binding.keys.contains(&key)) {
            Some(binding) => {
                let label = binding.label;
                let place = match binding.scope {
                    Scope::Maps => "a tab with a map",
                    other => other.heading(),
                };
                format!(
                    "{name} does nothing on {}; on {place}: {label}",
                    tab.title()
                )
            }
            None => {
                let help = self.key_of(Action::Help, tab);
                format!("{name}: no action; {help} lists the keys")
            }
        }
    }

    /// The name of an action's first key on a tab; without a key, its command in the
    /// palette: `the command "LABEL"`.
    pub(crate) fn key_of(&self, action: Action, tab: Tab) -> String {
        let of_action = || {
            self.bindings
                .iter()
                .filter(|binding| binding.action == action)
        };
        let mut here = of_action().filter(|binding| binding.scope.is_active_on(tab));
        if let Some(key) = here.clone().find_map(|binding| binding.keys.first()) {
            return key.name();
        }
        let known = here.next().or_else(|| of_action().next());
        known.map_or_else(String::new, |binding| {
            format!("the command \"{}\"", binding.label)
        })
    }

    /// The bindings that are active on a tab, each action once.
    pub(crate) fn holding(&self, tab: Tab) -> impl Iterator<Item = &Binding> {
        self.bindings
            .iter()
            .enumerate()
            .filter_map(move |(index, binding)| {
                let first = self.bindings.iter().take(index).all(|earlier| {
                    earlier.action != binding.action || !earlier.scope.is_active_on(tab)
                });
                (binding.scope.is_active_on(tab) && first).then_some(binding)
            })
    }
}

#[cfg(test)]
mod tests;
