//! Help: all keys, searchable, and the meanings of the signs.

use std::sync::Arc;

use super::chooser::{Choice, Chooser, visible};
use super::{Component, Labels, Outcome};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::keymap::{Action, Binding, Keymap, NEEDED, Scope, other_words};
use crate::dashboard::shell::Shell;
use crate::dashboard::signs;
use crate::dashboard::tab::TabId;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::dashboard::widgets::table_state::Step;

/// Columns of the headings, on a wide screen.
const HEADINGS: u16 = 13;
/// Columns of the keys.
const KEYS: u16 = 14;
/// Number of keys that help begins with.
const FIRST: usize = 10;
/// Their heading.
const FIRST_KEYS: &str = "needed first";

/// All keys.
#[derive(Debug, Clone)]
pub(crate) struct Help {
    /// The search and the visible rows.
    pub chooser: Chooser,
    /// The tab that it was opened on.
    pub tab: TabId,
    /// Whose keys come first.
    first: Scope,
    /// The bindings.
    keymap: Arc<Keymap>,
    /// The actions that this service does not have.
    lacking: &'static [Action],
}

impl Help {
    /// All keys, those of the tab first.
    pub(in crate::dashboard) fn new(shell: &Shell) -> Self {
        Self::beginning_with(Scope::On(shell.shared.screen.tab), shell)
    }

    /// All keys, those of a scope first.
    pub(super) fn beginning_with(first: Scope, shell: &Shell) -> Self {
        Self {
            chooser: Chooser::default(),
            tab: shell.shared.screen.tab,
            first,
            keymap: Arc::clone(&shell.shared.screen.keymap),
            lacking: shell.tabs.plants.lacking(),
        }
    }

    /// The ten most needed keys on the tab; empty over a list.
    fn first_keys(&self) -> Vec<&Binding> {
        let bound = |action: &Action| {
            let mut all = self.keymap.bindings().iter();
            all.find(|binding| binding.action == *action && binding.scope.is_active_on(self.tab))
        };
        match self.first {
            Scope::On(_) => {
                let needed = NEEDED.iter();
                let needed = needed.filter(|action| !self.lacking.contains(action));
                needed.filter_map(bound).take(FIRST).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The heading of a binding.
    fn heading(&self, binding: &Binding) -> &'static str {
        if self.first_keys().iter().any(|first| **first == *binding) {
            FIRST_KEYS
        } else {
            binding.scope.heading()
        }
    }

    /// The keys of a binding, without those that do something else on the tab.
    fn active_keys<'a>(&'a self, binding: &'a Binding) -> impl Iterator<Item = Key> + 'a {
        let is_active = |key: &Key| {
            let action = Some(binding.action);
            !binding.scope.is_active_on(self.tab)
                || self.keymap.action(*key, self.tab) == action
                || self.keymap.search_action(*key) == action
        };
        binding.keys.iter().copied().filter(is_active)
    }

    /// The bindings with a key that match the search: the ten most needed, those of the
    /// tab that help was opened on, those of maps, tables and every tab, then those of
    /// the other tabs.
    pub(crate) fn bindings(&self) -> Vec<&Binding> {
        let typed = self.chooser.search.text().to_lowercase();
        // The key that finds elsewhere may come first here, too.
        let search = match typed.strip_prefix('/') {
            Some(words) if !words.is_empty() => words,
            _ => typed.as_str(),
        };
        // An earlier binding for the same action on the tab stands for the others.
        let holding: Vec<&Binding> = self.keymap.holding(self.tab).collect();
        let is_repeated =
            |binding: &&Binding| binding.scope.is_active_on(self.tab) && !holding.contains(binding);
        let all = self.keymap.bindings().iter();
        let mut lines: Vec<&Binding> = all
            .filter(|binding| !self.lacking.contains(&binding.action))
            .filter(|binding| self.active_keys(binding).next().is_some())
            .filter(|binding| !is_repeated(binding))
            .filter(|binding| search.split_whitespace().all(|word| has(binding, word)))
            .collect();
        let leads_out = |action| matches!(action, Action::Help | Action::Dismiss | Action::Quit);
        let rank = |binding: &Binding| match binding.scope {
            scope if scope == self.first => 0,
            Scope::On(tab) if tab == self.tab => 1,
            Scope::Maps if binding.scope.is_active_on(self.tab) => 2,
            Scope::Everywhere if leads_out(binding.action) => 3,
            Scope::Everywhere => 4,
            Scope::Rows => 5,
            Scope::Alarms => 6,
            Scope::Maps => 7,
            // One heading for each tab.
            Scope::On(tab) => 8 + tab as usize,
        };
        let first = self.first_keys();
        let place = |binding: &Binding| {
            let place = first.iter().position(|first| **first == *binding);
            place.unwrap_or(FIRST)
        };
        lines.sort_by_key(|binding| (place(binding), rank(binding)));
        lines
    }
}

/// `true` if a binding has a word, in small letters: in its label, its heading, the other words for
/// its action, or as a key.
fn has(binding: &Binding, word: &str) -> bool {
    let mut keys = binding.keys.iter();
    binding.label.to_lowercase().contains(word)
        || binding.scope.heading().to_lowercase().contains(word)
        || word.len() > 2 && other_words(binding.action).contains(word)
        || keys.any(|key| key.name().to_lowercase() == word)
}

/// Shown where the search finds no key.
const NO_HIT: &str = "no key for that; : searches all actions";

impl Component for Help {
    fn labels(&self) -> Labels {
        let (count, chosen) = (self.bindings().len(), self.chooser.table.cursor + 1);
        Labels {
            title: format!("Keys: {} of {count}", chosen.min(count)).into(),
            keys: &[("Up Down", "scroll"), ("Enter", "close"), ("Esc", "close")],
        }
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        let is_empty = self.chooser.search.text().is_empty();
        let closes = match key.code {
            KeyCode::F(1) => true,
            KeyCode::Char('?' | 'q') => is_empty,
            _ => false,
        };
        let rows = self.bindings().len();
        if closes || self.chooser.key(key, rows, shell.shared.dialog_rows()) == Choice::Chosen {
            return Outcome::Close;
        }
        Outcome::Stay
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        let cursor = sheet.field("search ", theme.dim(), &self.chooser.search, theme);
        sheet.set_cursor(cursor);
        let lines = self.bindings();
        if lines.is_empty() {
            sheet.blank();
            sheet.at(0, NO_HIT, theme.dim());
        }
        // The width of all lines, so that it does not change while one scrolls.
        let labels = lines.iter().map(|binding| cells(binding.label));
        let longest = labels.max().unwrap_or(0);
        let at = if sheet.width() >= HEADINGS + KEYS + longest {
            HEADINGS
        } else {
            0
        };
        sheet.want(HEADINGS + KEYS + longest);
        if at == 0
            && let Some(chosen) = lines.get(self.chooser.table.cursor)
        {
            let scope = self.heading(chosen);
            let x = sheet.width().saturating_sub(cells(scope));
            sheet.at(x, scope, theme.dim());
        }
        let mut heading = "";
        let rows = shell.shared.dialog_rows();
        for (binding, is_chosen) in visible(&lines, self.chooser.table, rows) {
            let keys: Vec<String> = self.active_keys(binding).map(Key::name).collect();
            let scope = self.heading(binding);
            sheet.blank();
            if at > 0 && scope != heading {
                sheet.at(0, scope, theme.dim());
                heading = scope;
            }
            let x = sheet.at(at, &keys.join(" "), theme.heading());
            let narrow = sheet.width().saturating_sub(cells(binding.label));
            let label = (at + KEYS).min(narrow);
            sheet.at((x + 1).max(label), binding.label, theme.text());
            if is_chosen {
                sheet.choose();
            }
        }
        // Without the lines of the frame and of the footer.
        let most = shell.shared.screen.height.saturating_sub(3);
        signs::lines(sheet, shell, most, theme);
    }

    fn step(&mut self, step: Step, shell: &Shell) {
        let rows = self.bindings().len();
        self.chooser
            .table
            .step(step, rows, shell.shared.dialog_rows());
    }

    fn paste(&mut self, text: &str, _shell: &mut Shell) {
        self.chooser.paste(text);
    }
}
