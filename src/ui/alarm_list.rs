//! The list of alarms: those that stand, then those that have ended in the last
//! days, and below it what is known of the chosen one.

use ratatui::style::Style;

use super::alarm_words;
use super::format;
use super::sheet::Sheet;
use super::table::{Cell, Column, Look, Table, Visible, Wider, all};
use super::theme::Theme;
use crate::alarm::{Alarm, AlarmState};
use crate::app::Model;
use crate::app::state::alarm_list::AlarmList;
use crate::text;

/// The narrowest list with its numbers, and with the word of the state, which is
/// also below the list.
const WITH_NUMBERS: u16 = 70;
const WITH_STATE: u16 = 90;
/// Lines about the chosen alarm.
const ABOUT: u16 = 5;
/// The widest list.
const WIDEST: u16 = 130;

/// The columns of the list. With the word of the state they always have the same cells.
const COLUMNS: &[Column<Alarm>] = &[
    Column {
        name: "state",
        title: Some(|look| if has_state(look) { "state" } else { "" }.to_owned()),
        width: |visible| if has_state(visible.look) { 14 } else { 1 },
        cell: |alarm, look| {
            let state = alarm.state(look.model.now);
            let (mark, style) = alarm_words::sign(state, look.theme);
            match has_state(look) {
                true => Cell::new(format!("{mark} {}", state.name()), style),
                false => Cell::new(mark, style),
            }
        },
        ..Column::LEFT
    },
    Column {
        name: "deployment",
        width: |_| 9,
        wider: &[Wider::REST],
        cut: text::fit_name,
        cell: |alarm, look| Cell::new(look.model.name_of_alarm(alarm), style(alarm, look)),
        ..Column::LEFT
    },
    Column {
        name: "alarm",
        width: |_| 11,
        cell: |alarm, look| {
            let (_, style) = alarm_words::sign(alarm.state(look.model.now), look.theme);
            Cell::new(alarm.kind.word(), style)
        },
        ..Column::LEFT
    },
    Column {
        name: "since",
        width: |visible| match has_state(visible.look) {
            true => 14,
            false => visible.longest().clamp(5, 14),
        },
        cell: |alarm, look| Cell::new(format::age(look.model, alarm.raised_at), style(alarm, look)),
        ..Column::LEFT
    },
    Column {
        name: "value",
        width: |visible| number_width(visible, 14),
        cell: |alarm, look| {
            let numbers = alarm_words::columns(alarm, look.model);
            let value = numbers.map(|(value, _)| value);
            Cell::new(value.unwrap_or_default(), style(alarm, look))
        },
        ..Column::RIGHT
    },
    Column {
        name: "limit",
        width: |visible| number_width(visible, 11),
        cell: |alarm, look| {
            let numbers = alarm_words::columns(alarm, look.model);
            let limit = numbers.map(|(_, limit)| limit);
            Cell::new(limit.unwrap_or_default(), style(alarm, look))
        },
        ..Column::RIGHT
    },
];

/// If there is room for the word of the state.
fn has_state(look: &Look<'_>) -> bool {
    look.width >= WITH_STATE
}

/// The cells of a column of numbers: with a blank more before them than other columns.
fn number_width(visible: &Visible<'_, Alarm>, most: u16) -> u16 {
    const HEADING: u16 = 5;
    match visible.look.width {
        ..WITH_NUMBERS => 0,
        WITH_NUMBERS..WITH_STATE => (visible.longest().max(HEADING) + 1).min(most),
        _ => most,
    }
}

fn style(alarm: &Alarm, look: &Look<'_>) -> Style {
    match alarm.state(look.model.now) {
        AlarmState::Cleared => look.theme.dim(),
        _ => look.theme.text(),
    }
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
    let alarms = &model.alarms.list;
    if alarms.is_empty() {
        sheet.line(&[(
            "No alarm stands, and none has ended in the last 7 days.",
            theme.text(),
        )]);
        return;
    }
    let height = AlarmList::height(model.height);
    let table = Table {
        columns: all(COLUMNS),
        rows: alarms.iter().skip(list.table.top).take(height).collect(),
        cursor: list.table.cursor.checked_sub(list.table.top),
        sorted: None,
    };
    let look = Look::new(model, theme, sheet.width().min(WIDEST));
    table.laid(&look).write(sheet);
    // Its place does not change with the number of rows on the last page.
    for _ in table.rows.len()..height.min(alarms.len()) {
        sheet.blank();
    }
    let end = sheet.height() + 1 + ABOUT;
    sheet.blank();
    if let Some(alarm) = list.chosen(&model.alarms) {
        about(sheet, alarm, model, theme);
    }
    sheet.cut_or_fill(end);
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
