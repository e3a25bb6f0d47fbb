//! The list of alarms: those that stand, then those that have ended in the last
//! days, and below it what is known of the chosen one.

use super::alarm_words;
use super::format;
use super::sheet::{Sheet, cells};
use super::theme::Theme;
use crate::alarm::{Alarm, AlarmState};
use crate::app::Model;
use crate::app::state::alarm_list::AlarmList;
use crate::text;

/// Cells of the state with its sign, and of the kind.
const STATE: u16 = 15;
const KIND: u16 = 12;
/// The widest time since, value and limit, with the blanks before the next column; on a
/// list with the word of the state they always have as much.
const SINCE: u16 = 15;
const VALUE: u16 = 15;
const NUMBER: u16 = 12;
/// The narrowest list with its numbers, and with the word of the state, which is
/// also below the list.
const WITH_NUMBERS: u16 = 70;
const WITH_STATE: u16 = 90;
/// Lines about the chosen alarm.
const ABOUT: u16 = 5;
/// The widest list.
const WIDEST: u16 = 130;

/// Columns of the list at a width.
struct Columns {
    name: u16,
    kind: u16,
    since: u16,
    /// Where value and limit begin, each with its cells.
    numbers: Option<[(u16, u16); 2]>,
    has_state: bool,
}

impl Columns {
    /// The columns of these alarms. On a narrow list a name has what the others leave.
    fn at(width: u16, alarms: &[Alarm], model: &Model) -> Self {
        let has_state = width >= WITH_STATE;
        let name = if has_state { STATE } else { 2 };
        let has_numbers = width >= WITH_NUMBERS;
        let [since, value, limit] = match has_state {
            true => [SINCE, VALUE, NUMBER],
            false => needed(alarms, model),
        };
        let right = KIND + since + if has_numbers { value + limit } else { 0 };
        let kind = width.saturating_sub(right).max(name + 10);
        let first = kind + KIND + since;
        Self {
            name,
            kind,
            since: kind + KIND,
            numbers: has_numbers.then_some([(first, value), (first + value, limit)]),
            has_state,
        }
    }
}

/// The cells that time since, value and limit of these alarms need, their headings too,
/// with the blanks before the next column.
fn needed(alarms: &[Alarm], model: &Model) -> [u16; 3] {
    const HEADING: u16 = 5;
    let mut most = [HEADING; 3];
    for alarm in alarms {
        let since = format::age(model, alarm.raised_at);
        let (value, limit) = alarm_words::columns(alarm, model).unwrap_or_default();
        for (most, words) in most.iter_mut().zip([since, value, limit]) {
            *most = cells(&words).max(*most);
        }
    }
    let [since, value, limit] = most;
    // The numbers are at the right of their columns.
    [
        (since + 1).min(SINCE),
        (value + 2).min(VALUE),
        (limit + 2).min(NUMBER),
    ]
}

/// The row of the cursor and the number of rows, with an arrow for each side on which
/// rows are hidden; empty where all are shown.
pub(crate) fn position(list: &AlarmList, model: &Model) -> String {
    let count = model.alarms.list.len();
    let height = AlarmList::height(model.height);
    if count <= height {
        return String::new();
    }
    let above = if list.table.top > 0 { "↑" } else { "" };
    let below = match list.table.top + height < count {
        true => "↓",
        false => "",
    };
    format!(" {above}{below} {} of {count} ", list.table.cursor + 1)
}

/// Adds the lines of the list to a sheet.
pub(crate) fn lines(sheet: &mut Sheet, list: &AlarmList, model: &Model, theme: Theme) {
    sheet.want(WIDEST);
    let width = sheet.width().min(WIDEST);
    let alarms = &model.alarms.list;
    let columns = Columns::at(width, alarms, model);
    let height = AlarmList::height(model.height);
    if alarms.is_empty() {
        sheet.line(&[(
            "No alarm stands, and none has ended in the last 7 days.",
            theme.text(),
        )]);
        return;
    }
    sheet.blank();
    if columns.has_state {
        sheet.at(0, "state", theme.heading());
    }
    sheet.at(columns.name, "deployment", theme.heading());
    sheet.at(columns.kind, "alarm", theme.heading());
    sheet.at(columns.since, "since", theme.heading());
    if let Some([value, limit]) = columns.numbers {
        right(sheet, value, "value", theme.heading());
        right(sheet, limit, "limit", theme.heading());
    }
    let shown = alarms.iter().enumerate().skip(list.table.top).take(height);
    for (row, alarm) in shown {
        line(sheet, &columns, alarm, model, theme);
        if row == list.table.cursor {
            sheet.choose(theme.chosen());
        }
    }
    // Its place does not change with the number of rows on the last page.
    let missing = height
        .min(alarms.len())
        .saturating_sub(alarms.len() - list.table.top.min(alarms.len()));
    for _ in 0..missing {
        sheet.blank();
    }
    let end = sheet.height() + 1 + ABOUT;
    sheet.blank();
    if let Some(alarm) = list.chosen(&model.alarms) {
        about(sheet, alarm, model, theme);
    }
    sheet.cut_or_fill(end);
}

/// Puts words at the right of a column of numbers.
fn right(sheet: &mut Sheet, (from, width): (u16, u16), words: &str, style: ratatui::style::Style) {
    let x = from + (width - 1).saturating_sub(cells(words));
    sheet.at(x, words, style);
}

fn line(sheet: &mut Sheet, columns: &Columns, alarm: &Alarm, model: &Model, theme: Theme) {
    let state = alarm.state(model.now);
    let (mark, style) = alarm_words::sign(state, theme);
    sheet.blank();
    let words = match columns.has_state {
        true => format!("{mark} {}", state.name()),
        false => mark.to_owned(),
    };
    sheet.at(0, &words, style);
    let is_over = state == AlarmState::Cleared;
    let plain = if is_over { theme.dim() } else { theme.text() };
    let room = usize::from(columns.kind.saturating_sub(columns.name + 1));
    sheet.at(
        columns.name,
        &text::fit_name(&model.name_of_alarm(alarm), room),
        plain,
    );
    sheet.at(columns.kind, alarm.kind.word(), style);
    sheet.at(columns.since, &format::age(model, alarm.raised_at), plain);
    if let Some([value, limit]) = columns.numbers
        && let Some((now, most)) = alarm_words::columns(alarm, model)
    {
        right(sheet, value, &now, plain);
        right(sheet, limit, &most, plain);
    }
}

/// What is known of the chosen alarm.
fn about(sheet: &mut Sheet, alarm: &Alarm, model: &Model, theme: Theme) {
    let at = |moment: f64| {
        let words = format::moment(model, moment.floor());
        format!("{words} {}", format::zone(model))
    };
    let (_, style) = alarm_words::sign(alarm.state(model.now), theme);
    let name = model.name_of_alarm(alarm);
    sheet.line(&[(
        &text::fit_name(&name, usize::from(sheet.width())),
        theme.heading(),
    )]);
    // The next line has the time of a value that is not of now.
    let words = alarm_words::undated(alarm, model);
    sheet.paragraph(0, &words, style);
    let fix = alarm
        .fix_time
        .map_or_else(String::new, |time| format!(", by the fix of {}", at(time)));
    sheet.paragraph(
        0,
        &format!("raised {}{fix}", at(alarm.raised_at)),
        theme.text(),
    );
    let said = alarm_words::said(alarm, model);
    sheet.paragraph(0, &format!("{said}; id {}", alarm.id), theme.dim());
}
