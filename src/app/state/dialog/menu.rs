//! Help and command palette: the keymap for the user.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

use super::field::Field;
use crate::app::keymap::{self, Action, BINDINGS, Binding, Scope};
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
}

impl Help {
    /// All keys, those of the tab first.
    pub(in crate::app) fn new(tab: Tab) -> Self {
        Self {
            tab,
            ..Self::default()
        }
    }

    /// The bindings that match the search: first those of the tab that it was
    /// opened on, then those of maps, tables and every tab, then those of the
    /// other tabs.
    pub(crate) fn lines(&self) -> Vec<&'static Binding> {
        let search = self.search.text().to_lowercase();
        let mut lines: Vec<&'static Binding> = BINDINGS
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
            Scope::On(tab) if tab == self.tab => 0,
            Scope::Maps if binding.scope.is_active_on(self.tab) => 1,
            Scope::Everywhere
                if matches!(
                    binding.action,
                    Action::Help | Action::Dismiss | Action::Quit
                ) =>
            {
                2
            }
            Scope::Everywhere => 3,
            Scope::Rows => 4,
            Scope::On(_) | Scope::Maps => 5,
        };
        lines.sort_by_key(|binding| rank(binding));
        lines
    }
}

/// Every action of the tab, by fuzzy search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Palette {
    /// The search text.
    pub search: Field,
    /// Cursor over the matches.
    pub table: TableState,
    /// The matches, best first.
    pub matches: Vec<&'static Binding>,
}

impl Palette {
    /// A palette with every action that is active on the tab.
    pub(in crate::app) fn new(tab: Tab) -> Self {
        let matches = keymap::holding(tab)
            .filter(|binding| offered(binding.action))
            .collect();
        Self {
            matches,
            ..Self::default()
        }
    }

    /// Updates the matches to the search, best first.
    pub(in crate::app) fn search_changed(&mut self) {
        let pattern = Pattern::parse(
            self.search.text(),
            CaseMatching::Ignore,
            Normalization::Smart,
        );
        let mut matcher = Matcher::new(Config::DEFAULT);
        let all: Vec<(&'static str, &'static Binding)> = BINDINGS
            .iter()
            .filter(|binding| offered(binding.action))
            .map(|binding| (binding.label, binding))
            .collect();
        let mut scored: Vec<(u32, &'static Binding)> = Vec::new();
        for (label, binding) in all {
            let mut buffer = Vec::new();
            let haystack = nucleo_matcher::Utf32Str::new(label, &mut buffer);
            if let Some(score) = pattern.score(haystack, &mut matcher)
                && !scored
                    .iter()
                    .any(|(_, known)| known.action == binding.action)
            {
                scored.push((score, binding));
            }
        }
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.matches = scored.into_iter().map(|(_, binding)| binding).collect();
        self.table = TableState::default();
    }
}

/// Whether the palette offers an action: not cursor moves, nor its own key and
/// Esc.
fn offered(action: Action) -> bool {
    use Action::{Dismiss, Down, HalfDown, HalfUp, PageDown, PageUp, Palette, Up};
    !matches!(
        action,
        Down | Up | HalfDown | HalfUp | PageDown | PageUp | Palette | Dismiss
    )
}
