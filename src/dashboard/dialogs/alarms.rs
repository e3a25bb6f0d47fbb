//! The list of alarms: the active ones, then those that have ended in the last days, and
//! below it the details of the selected one.

use ratatui::style::Style;

use super::chooser::position;
use super::help::Help;
use super::prompt::{Prompt, Purpose};
use super::{Component, Labels, Outcome};
use crate::alarm::{Alarm, AlarmReply, AlarmState, Kind, Length};
use crate::dashboard::alarms::words;
use crate::dashboard::footer::{FooterKey, alarm_keys};
use crate::dashboard::format;
use crate::dashboard::key::Key;
use crate::dashboard::keymap::{Action, Scope};
use crate::dashboard::shell::Shell;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::Sheet;
use crate::dashboard::widgets::table::{Cell, Column, Look, Table, Visible};
use crate::dashboard::widgets::table_state::{Step, TableState};
use crate::text;

/// Lines of the dialog besides the rows: its frame, the heading, a blank, and the
/// details of the selected alarm; the header and the footer of the screen.
const OTHER_LINES: u16 = 12;
/// The rows that are shown at most.
const MOST_ROWS: u16 = 20;
/// Lines about the chosen alarm.
const ABOUT: u16 = 5;
/// The widest list.
const WIDEST: u16 = 130;

/// The columns of the list. With their long forms they always have the same cells.
const COLUMNS: &[Column<Alarm, Shell>] = &[
    Column {
        name: "state",
        // Its word is also below the list.
        cells: |_| [1, 14],
        long_rank: 30,
        cell: |alarm, look| {
            let state = alarm.state(look.model.shared.now);
            let (mark, style) = words::sign(state, look.theme);
            Cell::new(format!("{mark} {}", state.name()), style).or(mark)
        },
        ..Column::LEFT
    },
    Column {
        name: "deployment",
        cells: |_| [9, 24],
        is_text: true,
        long_rank: 10,
        fills: true,
        cut: text::fit_name,
        cell: |alarm, look| Cell::new(look.model.shared.name_of_alarm(alarm), style(alarm, look)),
        ..Column::LEFT
    },
    Column {
        name: "alarm",
        cells: |_| [11, 11],
        is_text: true,
        cell: |alarm, look| {
            let (_, style) = words::sign(alarm.state(look.model.shared.now), look.theme);
            Cell::new(alarm.name(), style)
        },
        ..Column::LEFT
    },
    Column {
        name: "raised",
        cells: |visible| [visible.longest().clamp(6, 14), 14],
        long_rank: 30,
        cell: |alarm, look| {
            Cell::new(
                format::age(&look.model.shared, alarm.raised_at),
                style(alarm, look),
            )
        },
        ..Column::LEFT
    },
    Column {
        name: "value",
        cells: |visible| number_cells(visible, 14),
        rank: 20,
        long_rank: 30,
        cell: |alarm, look| Cell::new(numbers(alarm, look).0, style(alarm, look)),
        ..Column::RIGHT
    },
    Column {
        name: "limit",
        cells: |visible| number_cells(visible, 11),
        rank: 20,
        long_rank: 30,
        cell: |alarm, look| Cell::new(numbers(alarm, look).1, style(alarm, look)),
        ..Column::RIGHT
    },
];

/// The value of an alarm and its limit; empty without numbers.
fn numbers(alarm: &Alarm, look: &Look<'_, Shell>) -> (String, String) {
    let shared = &look.model.shared;
    let words = shared.words_of(alarm);
    words.columns(shared.settings.units).unwrap_or_default()
}

/// The cells of a column of numbers: with a blank more before them than other columns.
fn number_cells(visible: &Visible<'_, Shell>, usual: u16) -> [u16; 2] {
    const HEADING: u16 = 5;
    let longest = visible.longest();
    // A number is never cut.
    [longest.max(HEADING) + 1, longest.max(usual)]
}

fn style(alarm: &Alarm, look: &Look<'_, Shell>) -> Style {
    match alarm.state(look.model.shared.now) {
        AlarmState::Cleared => look.theme.dim(),
        _ => look.theme.text(),
    }
}

/// The list with its cursor.
#[derive(Debug, Clone, Default)]
pub(crate) struct Alarms {
    /// The cursor and the visible rows.
    pub table: TableState,
    /// The id of the alarm under the cursor.
    chosen: Option<String>,
}

impl Alarms {
    /// The list with the cursor on the first active alarm of the selected or open
    /// deployment, else on the first alarm.
    pub(in crate::dashboard) fn new(shell: &Shell) -> Self {
        let about = shell.tab().deployment(&shell.shared);
        let mut all = shell.shared.alarms.list.iter();
        let of_it = all
            .find(|alarm| alarm.cleared_at.is_none() && about.is_some() && alarm.uuid() == about);
        let mut alarms = Self {
            chosen: of_it.map(|alarm| alarm.id.clone()),
            ..Self::default()
        };
        alarms.follow(shell);
        alarms
    }

    /// Takes note of the alarm under the cursor.
    fn choose(&mut self, shell: &Shell) {
        let alarm = shell.shared.alarms.list.get(self.table.cursor);
        self.chosen = alarm.map(|alarm| alarm.id.clone());
    }

    /// The alarm under the cursor.
    pub(in crate::dashboard) fn chosen<'a>(&self, shell: &'a Shell) -> Option<&'a Alarm> {
        let alarms = &shell.shared.alarms;
        let of_id = self.chosen.as_ref().and_then(|id| alarms.get(id));
        of_id.or_else(|| alarms.list.get(self.table.cursor))
    }

    /// The id of the alarm under the cursor.
    fn chosen_id<'a>(&self, shell: &'a Shell) -> Option<&'a str> {
        self.chosen(shell).map(|alarm| alarm.id.as_str())
    }

    /// Opens the track of the chosen alarm.
    fn open_track(&self, shell: &mut Shell) -> Outcome {
        let Some(alarm) = self.chosen(shell) else {
            return Outcome::Stay;
        };
        match alarm.uuid() {
            Some(uuid) if shell.shared.deployments.get(uuid).is_some() => {
                shell.open_track(uuid);
                return Outcome::Close;
            }
            Some(_) => shell.shared.notify("this deployment is not on the list"),
            None => shell.shared.notify("this alarm is about the service"),
        }
        Outcome::Stay
    }

    /// Opens the prompt for the length of a snooze.
    fn snooze(&self, shell: &mut Shell) -> Outcome {
        match shell.shared.standing_alarm(self.chosen_id(shell)) {
            Ok(id) => {
                let prompt = Prompt::new(Purpose::Snooze(id), "");
                Outcome::open(prompt)
            }
            Err(reason) => {
                shell.shared.notify(reason);
                Outcome::Stay
            }
        }
    }
}

impl Component for Alarms {
    fn labels(&self) -> Labels {
        // The keymap has its other keys.
        Labels::new("Alarms", &[("Esc", "close")])
    }

    fn footer(&self, shell: &Shell) -> Vec<FooterKey> {
        alarm_keys(&shell.shared.screen.keymap)
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        use Action as A;
        let Some(action) = shell.shared.screen.keymap.alarm_action(key) else {
            return Outcome::Stay;
        };
        match action {
            A::Alarms | A::Quit => return Outcome::Close,
            A::OpenAlarm => return self.open_track(shell),
            A::Acknowledge => {
                let id = self.chosen_id(shell).map(str::to_owned);
                shell
                    .shared
                    .reply_to_alarm(id.as_deref(), AlarmReply::Acknowledged);
            }
            A::Snooze => return self.snooze(shell),
            A::Undo => shell.shared.undo(),
            A::Help => return Outcome::open(Help::beginning_with(Scope::Alarms, shell)),
            _ => {}
        }
        if let Some(step) = action.step() {
            self.step(step, shell);
        }
        Outcome::Stay
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        sheet.want(WIDEST);
        let alarms = &shell.shared.alarms.list;
        if alarms.is_empty() {
            let none = "No alarm is active, and none ended in the last 7 days.";
            sheet.line(&[(none, theme.text())]);
            return;
        }
        let height = height(shell);
        let table = Table {
            columns: COLUMNS.iter().collect(),
            rows: alarms.iter().skip(self.table.top).take(height).collect(),
            cursor: self.table.cursor.checked_sub(self.table.top),
            sorted: None,
        };
        let look = Look::new(shell, theme, sheet.width().min(WIDEST));
        table.laid(&look).write(sheet);
        // The details stay where they are on a last page with fewer rows.
        for _ in table.rows.len()..height.min(alarms.len()) {
            sheet.blank();
        }
        let end = sheet.height() + 1 + ABOUT;
        sheet.blank();
        if let Some(alarm) = self.chosen(shell) {
            about(sheet, alarm, shell, theme);
        }
        sheet.cut_or_fill(end);
    }

    fn position(&self, shell: &Shell) -> String {
        position(self.table, shell.shared.alarms.list.len(), height(shell))
    }

    fn step(&mut self, step: Step, shell: &Shell) {
        self.table
            .step(step, shell.shared.alarms.list.len(), height(shell));
        self.choose(shell);
    }

    /// Keeps the cursor on its alarm after the rows have changed.
    fn follow(&mut self, shell: &Shell) {
        let alarms = &shell.shared.alarms.list;
        let mut ids = alarms.iter().map(|alarm| Some(&alarm.id));
        let row = ids.position(|id| id == self.chosen.as_ref());
        let cursor = row.unwrap_or(self.table.cursor);
        self.table.go(cursor, alarms.len(), height(shell));
        self.choose(shell);
    }
}

/// Rows that are visible on the screen.
fn height(shell: &Shell) -> usize {
    let rows = shell.shared.screen.height.saturating_sub(OTHER_LINES);
    usize::from(rows.clamp(3, MOST_ROWS))
}

/// Adds the lines about the chosen alarm.
fn about(sheet: &mut Sheet, alarm: &Alarm, shell: &Shell, theme: Theme) {
    let at = |moment: f64| shell.shared.times().moment_in_zone(moment.floor());
    let (_, style) = words::sign(alarm.state(shell.shared.now), theme);
    let name = shell.shared.name_of_alarm(alarm);
    sheet.line(&[(
        &text::fit_name(&name, usize::from(sheet.width())),
        theme.heading(),
    )]);
    // The next line has the time of a value that is not current.
    let words = shell
        .shared
        .words_of(alarm)
        .write(Length::Full, shell.shared.settings.units);
    sheet.paragraph(0, &words, style);
    let of_fix = match alarm.kind {
        // A silence is not raised by a fix.
        Kind::Overdue => "last fix",
        _ => "by the fix of",
    };
    let fix_time = alarm.fix_time;
    let fix = fix_time.map_or_else(String::new, |time| format!(", {of_fix} {}", at(time)));
    sheet.paragraph(
        0,
        &format!("raised {}{fix}", at(alarm.raised_at)),
        theme.text(),
    );
    let said = words::reply(alarm, &shell.shared);
    sheet.paragraph(0, &format!("{said}; id {}", alarm.id), theme.dim());
}
