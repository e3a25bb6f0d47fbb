//! Help and command palette: the keymap, read by a person.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

use super::{Dialog, Field, KeyResult};
use crate::app::key::{Key, KeyCode};
use crate::app::keymap::{self, Action, BINDINGS, Binding, Scope};
use crate::app::model::Model;
use crate::app::table::{Step, TableState};

/// All keys, searchable.
#[derive(Debug, Clone, Default)]
pub struct Help {
    /// What is searched for.
    pub search: Field,
    /// The window over the lines.
    pub table: TableState,
}

impl Help {
    /// The bindings that match the search: what holds everywhere first, the
    /// ways out at its head, then tab by tab.
    pub fn lines(&self) -> Vec<&'static Binding> {
        let search = self.search.text().to_lowercase();
        let mut lines: Vec<&'static Binding> = BINDINGS
            .iter()
            .filter(|binding| {
                search.is_empty()
                    || binding.words.to_lowercase().contains(&search)
                    || binding.scope.heading().to_lowercase().contains(&search)
                    || binding
                        .keys
                        .iter()
                        .any(|key| key.name().to_lowercase() == search)
            })
            .collect();
        let rank = |binding: &Binding| match (binding.scope, binding.action) {
            (Scope::Everywhere, Action::Help | Action::Dismiss | Action::Quit) => 0,
            (Scope::Everywhere, _) => 1,
            (Scope::Rows, _) => 2,
            (Scope::Maps, _) => 3,
            (Scope::On(_), _) => 4,
        };
        lines.sort_by_key(|binding| rank(binding));
        lines
    }
}

/// Every action of the tab, found by a few of its letters.
#[derive(Debug, Clone, Default)]
pub struct Palette {
    /// What is searched for.
    pub search: Field,
    /// Cursor over the matches.
    pub table: TableState,
    /// The matches, best first.
    pub matches: Vec<&'static Binding>,
}

impl Palette {
    /// A palette with every action that holds on the tab.
    pub(in crate::app) fn new(tab: crate::app::model::Tab) -> Self {
        let matches = keymap::holding(tab)
            .filter(|binding| offered(binding.action))
            .collect();
        Self {
            matches,
            ..Self::default()
        }
    }

    /// The search changed: best matches first.
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
            .map(|binding| (binding.words, binding))
            .collect();
        let mut scored: Vec<(u32, &'static Binding)> = Vec::new();
        for (words, binding) in all {
            let mut buffer = Vec::new();
            let haystack = nucleo_matcher::Utf32Str::new(words, &mut buffer);
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

/// Moves make no sense as commands.
fn offered(action: Action) -> bool {
    use Action::{Dismiss, Down, HalfDown, HalfUp, PageDown, PageUp, Palette, Up};
    !matches!(
        action,
        Down | Up | HalfDown | HalfUp | PageDown | PageUp | Palette | Dismiss
    )
}

/// A move of a list under a search field, where letters are text.
fn list_step(key: Key) -> Option<Step> {
    match (key.code, key.ctrl) {
        (KeyCode::Down, _) | (KeyCode::Char('n'), true) => Some(Step::Rows(1)),
        (KeyCode::Up, _) | (KeyCode::Char('p'), true) => Some(Step::Rows(-1)),
        (KeyCode::PageDown, _) => Some(Step::Page(1)),
        (KeyCode::PageUp, _) => Some(Step::Page(-1)),
        _ => None,
    }
}

impl Model {
    /// Rows a list in a dialog shows.
    pub fn dialog_rows(&self) -> usize {
        usize::from(self.height).saturating_sub(8).clamp(4, 24)
    }

    pub(super) fn key_to_help(&mut self, help: &mut Help, key: Key) -> KeyResult {
        let (rows, height) = (help.lines().len(), self.dialog_rows());
        if let Some(step) = list_step(key) {
            help.table.step(step, rows, height);
        } else if key.code == KeyCode::Enter
            || matches!(key.code, KeyCode::F(1))
            || (matches!(key.code, KeyCode::Char('?' | 'q')) && help.search.text().is_empty())
        {
            return KeyResult::Close(Vec::new());
        } else if help.search.key(key) {
            help.table = TableState::default();
        }
        KeyResult::Stay(Vec::new())
    }

    pub(super) fn key_to_palette(&mut self, palette: &mut Palette, key: Key) -> KeyResult {
        let (rows, height) = (palette.matches.len(), self.dialog_rows());
        if let Some(step) = list_step(key) {
            palette.table.step(step, rows, height);
        } else if key.code == KeyCode::Enter {
            let chosen = palette.matches.get(palette.table.cursor).copied();
            return KeyResult::Close(chosen.map_or_else(Vec::new, |binding| {
                if !binding.scope.is_active_on(self.tab)
                    && let keymap::Scope::On(tab) = binding.scope
                {
                    self.tab = tab;
                }
                self.act(binding.action)
            }));
        } else if palette.search.key(key) {
            palette.search_changed();
        }
        KeyResult::Stay(Vec::new())
    }
}

/// The dialog for an action that opens one of these.
pub(in crate::app) fn palette(tab: crate::app::model::Tab) -> Dialog {
    Dialog::Palette(Palette::new(tab))
}
