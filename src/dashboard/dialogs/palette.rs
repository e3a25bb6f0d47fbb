//! Command palette: every action, deployment, projection and format, by fuzzy
//! search.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use uuid::Uuid;

use super::chooser::{Choice, Chooser, visible};
use super::{Component, Labels, Outcome, export};
use crate::dashboard::key::Key;
use crate::dashboard::keymap::{Action, NEEDED, Scope, other_words};
use crate::dashboard::shell::Shell;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::dashboard::widgets::table_state::Step;
use crate::formats::FileFormat;
use crate::geo::projection::Projection;
use crate::text;

/// A command of the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    /// An action, and the scope in which it is active.
    Act(Action, Scope),
    /// Open the track of a deployment.
    Open(Uuid),
    /// Fit the map in a projection.
    Projection(Projection),
    /// Export the track, or its map, in a format.
    Export(FileFormat),
}

impl PaletteLine {
    /// How well it matches the typed text, in lower case: its label, else with the other
    /// words for its action.
    fn fit(&self, typed: &str) -> Fit {
        let of_label = fit(&self.label, typed);
        match self.command {
            Command::Act(action, _) if of_label == Fit::Scattered => {
                let words = format!("{} {}", self.label, other_words(action));
                let is_other = fit(&words, typed) >= Fit::WordStarts;
                if is_other { Fit::Other } else { of_label }
            }
            _ => of_label,
        }
    }
}

impl Command {
    /// `true` for two that do the same.
    pub(in crate::dashboard) fn is_same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Act(action, _), Self::Act(other, _)) => action == other,
            (command, other) => command == other,
        }
    }
}

/// A line of the palette.
#[derive(Debug, Clone)]
pub(crate) struct PaletteLine {
    pub command: Command,
    /// Its label, sanitized.
    pub label: String,
    /// Its first key; empty for none.
    pub key: String,
    /// The characters of the label that match the search, counted from 0.
    pub lit: Vec<u32>,
    /// `true` if it is listed before anything is typed.
    is_listed: bool,
}

/// Every action, deployment, projection and format, by fuzzy search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Palette {
    /// The search and the cursor over the matches.
    pub chooser: Chooser,
    /// The matches, best first.
    pub matches: Vec<PaletteLine>,
    /// All lines: those run recently, those needed first, then those of the tab, then the
    /// others.
    all: Vec<PaletteLine>,
}

impl Palette {
    /// The actions of the keymap, those active on the tab first, then everything else
    /// that can be found by typing. The `recent` commands come first, the last one at
    /// the top.
    pub(in crate::dashboard) fn new(shell: &Shell, recent: &[Command]) -> Self {
        let line = |command, label: &str| PaletteLine {
            command,
            label: text::clean(label).into_owned(),
            key: String::new(),
            lit: Vec::new(),
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
            if is_there && !all.iter().any(|line| line.command.is_same(command)) {
                let key = binding.keys.first().map(|key| key.name());
                all.push(PaletteLine {
                    key: key.unwrap_or_default(),
                    is_listed,
                    ..line(command, binding.label)
                });
            }
        }
        let deployments = shell.shared.deployments.list.iter();
        all.extend(deployments.map(|deployment| {
            let open = Command::Open(deployment.uuid());
            line(open, &format!("{OPEN}{}", deployment.name()))
        }));
        all.extend(shell.offered_projections().into_iter().map(|projection| {
            let label = format!("Projection: {}", projection.name());
            line(Command::Projection(projection), &label)
        }));
        all.extend(export::offered_formats(shell).into_iter().map(|format| {
            let what = match format {
                FileFormat::Track(_) => "track",
                FileFormat::Map(_) => "map",
            };
            let label = format!("Export the {what} as {}", format.name());
            line(Command::Export(format), &label)
        }));
        let place = |line: &PaletteLine| {
            let mut recent = recent.iter();
            recent.position(|command| command.is_same(line.command))
        };
        for line in &mut all {
            line.is_listed |= place(line).is_some();
        }
        let needed = |line: &PaletteLine| match line.command {
            Command::Act(action, _) if line.is_listed => {
                let place = NEEDED.iter().position(|needed| *needed == action);
                place.unwrap_or(usize::MAX)
            }
            _ => usize::MAX,
        };
        all.sort_by_key(|line| (place(line).unwrap_or(usize::MAX), needed(line)));
        let mut palette = Self {
            all,
            ..Self::default()
        };
        palette.search_changed();
        palette
    }

    /// Updates the matches to the search, best first.
    fn search_changed(&mut self) {
        let typed = self.chooser.search.text().trim().to_lowercase();
        if typed.is_empty() {
            let listed = self.all.iter().filter(|line| line.is_listed);
            self.matches = listed.cloned().collect();
            return;
        }
        let pattern = Pattern::parse(
            self.chooser.search.text(),
            CaseMatching::Ignore,
            Normalization::Smart,
        );
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let mut scored: Vec<((Fit, bool, u32), PaletteLine)> = Vec::new();
        // Letters that are scattered over a label count only where no line has the
        // text itself.
        let has_text = |line: &PaletteLine| line.fit(&typed) > Fit::Scattered;
        let is_anywhere = self.all.iter().any(has_text);
        let all = self.all.iter();
        for line in all.filter(|line| !is_anywhere || has_text(line)) {
            let mut lit = Vec::new();
            let haystack = Utf32Str::new(&line.label, &mut buffer);
            let is_near = !is_anywhere && is_near(&line.label, &typed);
            let score = pattern.indices(haystack, &mut matcher, &mut lit);
            let is_found = is_anywhere || is_near;
            if let Some(score) = score.or(is_found.then_some(0)) {
                lit.sort_unstable();
                lit.dedup();
                // Of a deployment its name is meant, before other lines that fit as well.
                let of_name = match line.command {
                    Command::Open(_) => {
                        let name = line.label.strip_prefix(OPEN);
                        fit(name.unwrap_or(&line.label), &typed)
                    }
                    _ => Fit::Scattered,
                };
                let is_named = of_name > Fit::Scattered;
                let near = if is_near { Fit::Near } else { Fit::Scattered };
                let fit = of_name.max(near).max(line.fit(&typed));
                let line = PaletteLine {
                    lit,
                    ..line.clone()
                };
                scored.push(((fit, is_named, score), line));
            }
        }
        // Of equal ones, the recent comes first.
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
            let none = "no such command, deployment, projection or format";
            sheet.line(&[(none, theme.dim())]);
        }
        let all = shell.shared.screen.keymap.bindings().iter();
        let longest = all.map(|binding| cells(binding.label)).max().unwrap_or(0);
        let lit = theme.found();
        for (line, is_chosen) in visible(
            &self.matches,
            self.chooser.table,
            shell.shared.dialog_rows(),
        ) {
            sheet.blank();
            let mut x = 0;
            for (index, letter) in (0u32..).zip(line.label.chars()) {
                let style = match line.lit.binary_search(&index) {
                    Ok(_) => lit,
                    Err(_) => theme.text(),
                };
                x = sheet.at(x, letter.encode_utf8(&mut [0; 4]), style);
            }
            sheet.at(longest.max(x) + 2, &line.key, theme.heading());
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

/// The beginning of the label of a deployment.
const OPEN: &str = "Open ";

/// How well a label matches the typed text, the best last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// Its letters are scattered over the label.
    Scattered,
    /// A word of it differs from the typed text by one letter.
    Near,
    /// Each word that was typed begins one of the label or of the other words for it.
    Other,
    /// Each word that was typed is within the label.
    Contains,
    /// Each begins a word of the label.
    WordStarts,
    /// Each is a word of the label.
    Words,
    /// The label begins with all that was typed.
    Starts,
    /// The same, with whole words.
    StartsWhole,
}

/// How well a label matches the typed text, in lower case.
fn fit(label: &str, typed: &str) -> Fit {
    let label = label.to_lowercase();
    let is_end = |rest: &str| !rest.starts_with(char::is_alphanumeric);
    match label.strip_prefix(typed) {
        Some(rest) if is_end(rest) => return Fit::StartsWhole,
        Some(_) => return Fit::Starts,
        None => {}
    }
    let fit = |part: &str| {
        let places = label.match_indices(part);
        let fits = places.map(|(place, _)| {
            let (before, from) = label.split_at(place);
            match (
                before.ends_with(char::is_alphanumeric),
                is_end(&from[part.len()..]),
            ) {
                (true, _) => Fit::Contains,
                (false, false) => Fit::WordStarts,
                (false, true) => Fit::Words,
            }
        });
        fits.max().unwrap_or(Fit::Scattered)
    };
    let parts = typed.split_whitespace().map(fit);
    parts.min().unwrap_or(Fit::Scattered)
}

/// `true` if a word of the label differs from the typed text (in lower case) by one
/// wrong, missing, extra or swapped letter.
fn is_near(label: &str, typed: &str) -> bool {
    let label = label.to_lowercase();
    let mut words = label.split(|character: char| !character.is_alphanumeric());
    typed.len() > 3 && words.any(|word| strsim::osa_distance(word, typed) == 1)
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
