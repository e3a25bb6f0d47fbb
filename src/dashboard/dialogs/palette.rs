//! Command palette: every action and deployment, or what the timeline can show, by fuzzy
//! search.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use uuid::Uuid;

use super::chooser::{Choice, Chooser, visible};
use super::{Component, Keys, Labels, Outcome};
use crate::dashboard::format;
use crate::dashboard::key::Key;
use crate::dashboard::keymap::{Action, Scope, other_words};
use crate::dashboard::shell::Shell;
use crate::dashboard::theme::Theme;
use crate::dashboard::track::label::field_label;
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::dashboard::widgets::table_state::Step;
use crate::map::FieldCharts;
use crate::map::fields::VaryingField;
use crate::text;

/// Most cells of the name of a field.
const NAME: usize = 40;

/// What the palette finds, and what Enter does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    /// An action, and the scope in which it is active.
    Act(Action, Scope),
    /// Open the track of a deployment.
    Open(Uuid),
    /// Show a field on the timeline; `None` for speed.
    Show(Option<String>),
}

/// A line of the palette.
#[derive(Debug, Clone)]
pub(crate) struct PaletteLine {
    pub command: Command,
    /// Its label, sanitized.
    pub label: String,
    /// Its first key, or the latest value of a field; empty for none.
    pub beside: String,
    /// Other words for its action.
    other_words: &'static str,
    /// `true` if it is listed before anything is typed.
    is_listed: bool,
}

/// Every action and deployment, or every field of the timeline, by fuzzy search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Palette {
    /// The search and the cursor over the matches.
    pub chooser: Chooser,
    /// `true` for the fields that the timeline can show.
    is_of_fields: bool,
}

impl Palette {
    /// The fields of the open track with the cursor on the field that is shown.
    pub(in crate::dashboard) fn of_fields(shell: &Shell) -> Self {
        let mut palette = Self {
            is_of_fields: true,
            ..Self::default()
        };
        let shown = shell.tabs.track.shown_field(&shell.shared);
        let shown = Command::Show(shown.map(|shown| shown.field().name().to_owned()));
        let all = fields(shell);
        let here = all.iter().position(|line| line.command == shown);
        let height = shell.shared.dialog_rows();
        let table = &mut palette.chooser.table;
        table.go(here.unwrap_or(0), all.len(), height);
        palette
    }

    /// All lines but those of deployments, which are not listed before anything is typed.
    fn all(&self, shell: &Shell) -> Vec<PaletteLine> {
        match self.is_of_fields {
            true => fields(shell),
            false => commands(shell),
        }
    }

    /// The lines that match the search, best first.
    pub(in crate::dashboard) fn found(&self, shell: &Shell) -> Vec<PaletteLine> {
        let mut all = self.all(shell);
        let typed = self.chooser.search.text().trim();
        if typed.is_empty() {
            all.retain(|line| line.is_listed);
            return all;
        }
        if !self.is_of_fields {
            let deployments = shell.shared.deployments.list.iter();
            all.extend(deployments.map(|deployment| {
                let open = Command::Open(deployment.uuid());
                line(open, &format!("Open {}", deployment.name()), String::new())
            }));
        }
        let pattern = Pattern::parse(typed, CaseMatching::Ignore, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let mut score = |words: &str| {
            let words = Utf32Str::new(words, &mut buffer);
            pattern.score(words, &mut matcher)
        };
        let mut scored: Vec<((u32, bool), PaletteLine)> = Vec::new();
        for line in all {
            let words = format!("{} {}", line.label, line.other_words);
            if let Some(of_all) = score(&words) {
                // Its own words come before other words for it.
                scored.push(((of_all, score(&line.label).is_some()), line));
            }
        }
        // Equal ones stay in their order.
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        scored.into_iter().map(|(_, line)| line).collect()
    }

    /// The line below the matches.
    fn note(&self, shell: &Shell, is_none_found: bool) -> String {
        let track = &shell.tabs.track;
        let varies = |fields: &FieldCharts| !fields.varying().is_empty();
        match () {
            () if !self.is_of_fields && is_none_found => "no such command or deployment".to_owned(),
            () if !self.is_of_fields => String::new(),
            // A field that is still being read may match.
            () if track.fields.is_reading => "reading the fields".to_owned(),
            () if is_none_found => "no such field".to_owned(),
            () if track.fields.charts.as_deref().is_some_and(varies) => String::new(),
            () => match track.unvarying_fields() {
                names if names.is_empty() => "the records of this track have no fields".to_owned(),
                names => format!("no field of this track varies: {names}"),
            },
        }
    }
}

/// A line that is listed before anything is typed.
fn line(command: Command, label: &str, beside: String) -> PaletteLine {
    PaletteLine {
        command,
        label: text::clean(label).into_owned(),
        beside,
        other_words: "",
        is_listed: true,
    }
}

/// The actions of the keymap, those active on the tab first, then everything else
/// that can be found by typing.
fn commands(shell: &Shell) -> Vec<PaletteLine> {
    let keymap = &shell.shared.screen.keymap;
    let here = keymap.holding(shell.shared.screen.tab);
    let elsewhere = keymap.bindings().iter().map(|binding| (binding, false));
    let mut all: Vec<PaletteLine> = Vec::new();
    let lacking = shell.tabs.plants.lacking();
    for (binding, is_listed) in here.map(|binding| (binding, true)).chain(elsewhere) {
        let command = Command::Act(binding.action, binding.scope);
        let is_there = offered(binding.action) && !lacking.contains(&binding.action);
        let is_same = |line: &PaletteLine| match line.command {
            Command::Act(action, _) => action == binding.action,
            _ => false,
        };
        if is_there && !all.iter().any(is_same) {
            let key = binding.keys.first().map(|key| key.name());
            all.push(PaletteLine {
                other_words: other_words(binding.action),
                is_listed,
                ..line(command, binding.label, key.unwrap_or_default())
            });
        }
    }
    all
}

/// Speed, which is no field, and the fields that vary, each with its latest value.
fn fields(shell: &Shell) -> Vec<PaletteLine> {
    let charts = shell.tabs.track.fields.charts.as_deref();
    let varying = charts.map(FieldCharts::varying).unwrap_or_default();
    let mut all = vec![line(
        Command::Show(None),
        "speed over ground",
        String::new(),
    )];
    all.extend(varying.iter().map(|field| {
        let name = field.name();
        let label = text::fit(&field_label(name), NAME);
        line(Command::Show(Some(name.to_owned())), &label, value(field))
    }));
    let widest = all.iter().map(|line| cells(&line.beside)).max();
    for line in &mut all {
        // Values are aligned at the right.
        let gap = widest.unwrap_or(0) - cells(&line.beside);
        line.beside.insert_str(0, &" ".repeat(gap.into()));
    }
    all
}

/// The latest value of a field with its unit, or the number of values of a profile.
fn value(field: &VaryingField) -> String {
    let value = match field.last {
        Some(last) => format::number(last, field.decimals),
        None if field.is_profile() => format!("profile of {}", field.count()),
        None => String::new(),
    };
    let unit = format::unit_of_field(field.name());
    format!("{value} {unit}").trim().to_owned()
}

impl Component for Palette {
    fn labels(&self) -> Labels {
        let (title, keys): (_, Keys) = match self.is_of_fields {
            true => (
                "Timeline",
                &[("Up Down", "choose"), ("Enter", "show"), ("Esc", "close")],
            ),
            false => (
                "Commands",
                &[("Up Down", "choose"), ("Enter", "run"), ("Esc", "close")],
            ),
        };
        Labels::new(title, keys)
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        let mut found = self.found(shell);
        let height = shell.shared.dialog_rows();
        let choice = self.chooser.key(key, found.len(), height);
        let cursor = self.chooser.table.cursor;
        match choice {
            Choice::Chosen if cursor < found.len() => {
                Outcome::Run(found.swap_remove(cursor).command)
            }
            _ => Outcome::Stay,
        }
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        let (prompt, prompt_style, style) = match self.is_of_fields {
            true => ("search ", theme.dim(), theme.dim()),
            false => (": ", theme.accent(), theme.heading()),
        };
        let cursor = sheet.field(prompt, prompt_style, &self.chooser.search, theme);
        sheet.set_cursor(cursor);
        // As wide as all commands or fields need, whatever was found.
        let all = self.all(shell);
        let longest = |of: fn(&PaletteLine) -> &str| all.iter().map(|line| cells(of(line))).max();
        let label = longest(|line| &line.label).unwrap_or(0) + 2;
        sheet.want(label + longest(|line| &line.beside).unwrap_or(0));
        let found = self.found(shell);
        for (line, is_chosen) in visible(&found, self.chooser.table, shell.shared.dialog_rows()) {
            sheet.line(&[(&line.label, theme.text())]);
            sheet.at(label.max(cells(&line.label) + 2), &line.beside, style);
            if is_chosen {
                sheet.choose();
            }
        }
        let note = self.note(shell, found.is_empty());
        if !note.is_empty() {
            sheet.paragraph(0, &note, theme.dim());
        }
    }

    fn step(&mut self, step: Step, shell: &Shell) {
        let rows = self.found(shell).len();
        let height = shell.shared.dialog_rows();
        self.chooser.table.step(step, rows, height);
    }

    fn press(&mut self, below: i32, shell: &Shell) {
        let rows = self.found(shell).len();
        self.chooser.press(below, rows, shell.shared.dialog_rows());
    }

    fn paste(&mut self, text: &str, _shell: &mut Shell) {
        self.chooser.paste(text);
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
