//! Command palette: every action and deployment, by fuzzy search.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use uuid::Uuid;

use super::chooser::{Choice, Chooser, visible};
use super::{Component, Labels, Outcome};
use crate::dashboard::key::Key;
use crate::dashboard::keymap::{Action, Scope, other_words};
use crate::dashboard::shell::Shell;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::dashboard::widgets::table_state::Step;
use crate::text;

/// A command of the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    /// An action, and the scope in which it is active.
    Act(Action, Scope),
    /// Open the track of a deployment.
    Open(Uuid),
}

/// A line of the palette.
#[derive(Debug, Clone)]
pub(crate) struct PaletteLine {
    pub command: Command,
    /// Its label, sanitized.
    pub label: String,
    /// Its first key; empty for none.
    pub key: String,
    /// Other words for its action.
    other_words: &'static str,
    /// `true` if it is listed before anything is typed.
    is_listed: bool,
}

/// Every action and deployment, by fuzzy search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Palette {
    /// The search and the cursor over the matches.
    pub chooser: Chooser,
    /// The matches, best first.
    pub matches: Vec<PaletteLine>,
    /// All lines: those of the tab, then the others.
    all: Vec<PaletteLine>,
}

impl Palette {
    /// The actions of the keymap, those active on the tab first, then everything else
    /// that can be found by typing.
    pub(in crate::dashboard) fn new(shell: &Shell) -> Self {
        let line = |command, label: &str| PaletteLine {
            command,
            label: text::clean(label).into_owned(),
            key: String::new(),
            other_words: "",
            is_listed: false,
        };
        let keymap = &shell.shared.screen.keymap;
        let here = keymap
            .holding(shell.shared.screen.tab)
            .map(|binding| (binding, true));
        let all_bindings = shell.shared.screen.keymap.bindings().iter();
        let elsewhere = all_bindings.map(|binding| (binding, false));
        let mut all: Vec<PaletteLine> = Vec::new();
        let lacking = shell.tabs.plants.lacking();
        for (binding, is_listed) in here.chain(elsewhere) {
            let command = Command::Act(binding.action, binding.scope);
            let is_there = offered(binding.action) && !lacking.contains(&binding.action);
            let is_same = |line: &PaletteLine| match line.command {
                Command::Act(action, _) => action == binding.action,
                Command::Open(_) => false,
            };
            if is_there && !all.iter().any(is_same) {
                let key = binding.keys.first().map(|key| key.name());
                all.push(PaletteLine {
                    key: key.unwrap_or_default(),
                    other_words: other_words(binding.action),
                    is_listed,
                    ..line(command, binding.label)
                });
            }
        }
        let deployments = shell.shared.deployments.list.iter();
        all.extend(deployments.map(|deployment| {
            let open = Command::Open(deployment.uuid());
            line(open, &format!("Open {}", deployment.name()))
        }));
        let mut palette = Self {
            all,
            ..Self::default()
        };
        palette.search_changed();
        palette
    }

    /// Updates the matches to the search, best first.
    fn search_changed(&mut self) {
        let typed = self.chooser.search.text().trim().to_owned();
        if typed.is_empty() {
            let listed = self.all.iter().filter(|line| line.is_listed);
            self.matches = listed.cloned().collect();
            return;
        }
        let pattern = Pattern::parse(&typed, CaseMatching::Ignore, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let mut score = |words: &str| {
            let words = Utf32Str::new(words, &mut buffer);
            pattern.score(words, &mut matcher)
        };
        let mut scored: Vec<((u32, bool), PaletteLine)> = Vec::new();
        for line in &self.all {
            let words = format!("{} {}", line.label, line.other_words);
            if let Some(of_all) = score(&words) {
                // Its own words come before other words for it.
                let rank = (of_all, score(&line.label).is_some());
                scored.push((rank, line.clone()));
            }
        }
        // Equal ones stay in the order of the keymap.
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.matches = scored.into_iter().map(|(_, line)| line).collect();
    }
}

impl Component for Palette {
    fn labels(&self) -> Labels {
        Labels::new(
            "Commands",
            &[("Up Down", "choose"), ("Enter", "run"), ("Esc", "close")],
        )
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        let rows = self.matches.len();
        match self.chooser.key(key, rows, shell.shared.dialog_rows()) {
            Choice::Nothing => {}
            Choice::Searched => self.search_changed(),
            Choice::Chosen => {
                let chosen = self.matches.get(self.chooser.table.cursor);
                return chosen.map_or_else(|| Outcome::Close, |line| Outcome::Run(line.command));
            }
        }
        Outcome::Stay
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        let cursor = sheet.field(": ", theme.accent(), &self.chooser.search, theme);
        sheet.set_cursor(cursor);
        if self.matches.is_empty() {
            let none = "no such command or deployment";
            sheet.line(&[(none, theme.dim())]);
        }
        let all = shell.shared.screen.keymap.bindings().iter();
        let longest = all.map(|binding| cells(binding.label)).max().unwrap_or(0);
        for (line, is_chosen) in visible(
            &self.matches,
            self.chooser.table,
            shell.shared.dialog_rows(),
        ) {
            sheet.line(&[(&line.label, theme.text())]);
            let x = longest.max(cells(&line.label)) + 2;
            sheet.at(x, &line.key, theme.heading());
            if is_chosen {
                sheet.choose();
            }
        }
        // As wide as the longest command, whatever was found.
        sheet.want(longest + 12);
    }

    fn step(&mut self, step: Step, shell: &Shell) {
        let rows = self.matches.len();
        let height = shell.shared.dialog_rows();
        self.chooser.table.step(step, rows, height);
    }

    fn press(&mut self, below: i32, shell: &Shell) {
        self.chooser
            .press(below, self.matches.len(), shell.shared.dialog_rows());
    }

    fn paste(&mut self, text: &str, _shell: &mut Shell) {
        self.chooser.paste(text);
        self.search_changed();
    }
}

/// `true` for the actions that the palette offers: not cursor moves, its own key, Esc,
/// nor the key that opens the selected alarm.
fn offered(action: Action) -> bool {
    use Action::{Dismiss, Down, HalfDown, HalfUp, OpenAlarm, PageDown, PageUp, Palette, Up};
    !matches!(
        action,
        Down | Up | HalfDown | HalfUp | PageDown | PageUp | Palette | Dismiss | OpenAlarm
    )
}
