//! The list of alarms: those that stand, then those that have ended in the last
//! days, and below it what is known of the chosen one.

use super::alarm_words;
use super::format;
use super::sheet::{Sheet, cells};
use super::theme::Theme;
use crate::alarm::{Alarm, AlarmState};
use crate::app::Model;
use crate::app::state::dialog::alarms::AlarmList;
use crate::text;

/// Columns of the state with its sign, of the kind, of the time since, of the value
/// and of its limit.
const STATE: u16 = 15;
const KIND: u16 = 12;
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
    /// Of value and limit.
    numbers: Option<(u16, u16)>,
    has_state: bool,
}

impl Columns {
    fn at(width: u16) -> Self {
        let has_state = width >= WITH_STATE;
        let name = if has_state { STATE } else { 2 };
        let has_numbers = width >= WITH_NUMBERS;
        let right = KIND + SINCE + if has_numbers { VALUE + NUMBER } else { 0 };
        let kind = width.saturating_sub(right).max(name + 10);
        Self {
            name,
            kind,
            since: kind + KIND,
            numbers: has_numbers.then_some((kind + KIND + SINCE, kind + KIND + SINCE + VALUE)),
            has_state,
        }
    }
}

/// The row of the cursor and the number of rows, with an arrow for each side on which
/// rows are hidden; empty where all are shown.
pub(super) fn position(list: &AlarmList, model: &Model) -> String {
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
pub(super) fn lines(sheet: &mut Sheet, list: &AlarmList, model: &Model, theme: Theme) {
    sheet.want(WIDEST);
    let width = sheet.width().min(WIDEST);
    let columns = Columns::at(width);
    let alarms = &model.alarms.list;
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
    if let Some((value, limit)) = columns.numbers {
        right(sheet, value, VALUE, "value", theme.heading());
        right(sheet, limit, NUMBER, "limit", theme.heading());
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
fn right(sheet: &mut Sheet, from: u16, width: u16, words: &str, style: ratatui::style::Style) {
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
    if let Some((value, limit)) = columns.numbers
        && let Some((now, most)) = alarm_words::columns(alarm, model)
    {
        right(sheet, value, VALUE, &now, plain);
        right(sheet, limit, NUMBER, &most, plain);
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
