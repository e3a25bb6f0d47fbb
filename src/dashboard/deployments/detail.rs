//! The pane beside the world map: what is known of the deployment under the
//! cursor of the list.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use uuid::Uuid;

use super::deployment::DeploymentState;
use super::limit_words;
use crate::alarm::Length;
use crate::dashboard::alarms::words;
use crate::dashboard::format;
use crate::dashboard::keymap::Action;
use crate::dashboard::layout::Area;
use crate::dashboard::model::Model;
use crate::dashboard::theme::Theme;
use crate::dashboard::track::small_charts;
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::sheet::{Fact, cells};
use crate::dashboard::widgets::wrap::{wrap, wrap_to};
use crate::geo::units;
use crate::track::remote::Remote;
use crate::track::time;

/// Width of the labels with the blank behind them, cells.
const LABELS: u16 = 10;

/// The same on a pane with fewer columns than [`WIDE`].
const NARROW_LABELS: u16 = 9;

/// The label of the status, and what it is called beside an alarm: it is about the
/// reports alone.
const STATUS: &str = "status";
const BESIDE_ALARM: &str = "reporting";

/// The narrowest pane in which a position is on one line beside the labels.
const WIDE: u16 = 32;

/// A value with its label; several lines if it does not fit on one.
struct Row {
    label: &'static str,
    value: String,
    /// The value where there is little room, if it has a shorter form.
    short: Option<String>,
    style: Style,
    /// Its drop order: where there are too few lines, the row with the greatest number
    /// is dropped first.
    rank: u8,
    /// `true` if it is a text of any length, which is cut to leave room for other rows.
    is_long: bool,
}

/// The greatest rank of the rows that matter: a long text has the lines that they leave.
const MATTERS: u8 = 4;

/// The most lines of a long text where other rows are dropped.
const LONG: usize = 2;

/// The lines of a row at a width, its label before the first. A long text has at most
/// `most` lines.
fn wrapped(row: &Row, value: &str, room: usize, most: usize) -> Vec<(&'static str, String, Style)> {
    let lines = match row.is_long {
        true => wrap_to(value, room, most),
        false => wrap(value, room),
    };
    let lines = lines.into_iter().enumerate();
    let label = |number| if number == 0 { row.label } else { "" };
    lines
        .map(|(number, words)| (label(number), words, row.style))
        .collect()
}

/// Draws what is known of the selected deployment, the most urgent first.
pub(crate) fn draw(buffer: &mut Buffer, area: Area, model: &Model, theme: Theme) {
    if area.is_empty() {
        return;
    }
    let Some(deployment) = model.deployments.selected() else {
        return;
    };
    let labels = if area.width >= WIDE {
        LABELS
    } else {
        NARROW_LABELS
    };
    let room = usize::from(area.width.saturating_sub(labels)).max(1);
    let mut rows = rows(deployment, labels < LABELS, model, theme);
    let lines = |rows: &[Row], is_short: bool, most: usize| -> Vec<_> {
        let value = |row: &Row| match &row.short {
            Some(short) if is_short => short.clone(),
            _ => row.value.clone(),
        };
        let all = rows.iter().map(|row| wrapped(row, &value(row), room, most));
        all.flatten().collect()
    };
    let height = usize::from(area.height);
    let mut shown = lines(&rows, false, usize::MAX);
    if shown.len() <= height {
        let line = u16::try_from(shown.len()).unwrap_or(u16::MAX);
        trend(buffer, area, line, deployment, model, theme);
    } else {
        // The lines that the rows up to a rank leave to a long text.
        let left = |rank: u8| {
            let others = rows.iter().filter(|row| !row.is_long && row.rank <= rank);
            let value = |row: &Row| row.short.clone().unwrap_or_else(|| row.value.clone());
            let needed: usize = others.map(|row| wrap(&value(row), room).len()).sum();
            // The last line says where the rest is.
            height.saturating_sub(needed + 1)
        };
        let most = left(u8::MAX).max(left(MATTERS).clamp(1, LONG));
        shown = lines(&rows, true, most);
        while shown.len() >= height && rows.len() > 1 {
            let greatest = rows.iter().map(|row| row.rank).max();
            if let Some(last) = rows.iter().rposition(|row| Some(row.rank) == greatest) {
                rows.remove(last);
            }
            shown = lines(&rows, true, most);
        }
        let more = format!("{}: all about it", model.key_of(Action::Details));
        put(buffer, area.at(0, area.height - 1), &more, theme.dim());
    }
    for (line, (label, words, style)) in (0..area.height).zip(&shown) {
        put(buffer, area.at(0, line), label, theme.dim());
        put(buffer, area.at(labels, line), words, *style);
    }
}

/// The facts of a deployment: its name, and labels with their values.
pub(crate) fn facts(uuid: Uuid, model: &Model, theme: Theme) -> Option<(String, Vec<Fact>)> {
    let deployment = model.deployments.get(uuid)?;
    let rows = rows(deployment, false, model, theme).into_iter();
    let facts = rows.map(|row| (row.label.to_owned(), row.value, row.style));
    Some((deployment.name(), facts.collect()))
}

impl Row {
    fn new(rank: u8, label: &'static str, value: String, style: Style) -> Self {
        Self {
            label,
            value,
            short: None,
            style,
            rank,
            is_long: false,
        }
    }

    /// The row as a text of any length.
    fn long(self) -> Self {
        Self {
            is_long: true,
            ..self
        }
    }

    fn or(self, short: String) -> Self {
        Self {
            short: Some(short),
            ..self
        }
    }
}

fn rows(deployment: &DeploymentState, is_narrow: bool, model: &Model, theme: Theme) -> Vec<Row> {
    let health = deployment.health(model.now);
    let (mark, state_style) = theme.state(health.state);
    let text = theme.text();
    let label = match deployment.alarms.is_empty() || is_narrow {
        true => STATUS,
        false => BESIDE_ALARM,
    };
    let word = health.state.word();
    let status = match words::allowed_age(deployment, model.now) {
        Some(limit) => {
            let limit = time::duration(limit);
            let status = format!("{mark} {word} by its interval, within its max age {limit}");
            let short = format!("{mark} {word} by its interval");
            Row::new(0, label, status, state_style).or(short)
        }
        None => Row::new(0, label, format!("{mark} {word}"), state_style),
    };
    let mut rows = vec![status];
    rows.extend(alarms(deployment, is_narrow, model, theme));
    if let Some((failure, at)) = &deployment.track.failure {
        let age = format::age(model, *at);
        let next = format::next_try(model, deployment);
        let why = format::why_failed(failure);
        let failed = Row::new(1, "failed", format!("{age}, {next}: {why}"), theme.bad());
        let short = format!("{age}, {}", format::failed_shortly(failure));
        rows.push(failed.or(short).long());
    }
    let overview = deployment.overview();
    if let Some(fix) = overview.and_then(|overview| overview.latest) {
        let zone = format::zone(model);
        let moment = format::moment(model, fix.time_stamp);
        let near = format::near_moment(model, fix.time_stamp);
        let age = format::age(model, fix.time_stamp);
        rows.push(Row::new(0, "last fix", age, state_style));
        let moment = Row::new(3, "", format!("{moment} {zone}"), text);
        rows.push(moment.or(format!("{near} {zone}")));
        if let Some(newer) = overview.and_then(|overview| overview.newer_failed) {
            let newer = newer.text(model.units);
            rows.push(Row::new(1, "", newer, theme.warning()).long());
        }
        let (latitude, longitude) = model.coordinates.pair(fix.position);
        let position = format!("{latitude} {longitude}");
        rows.push(Row::new(2, "position", position, text));
        if let Some(speed) = fix.speed_m_s {
            let course = fix.course_deg.map_or_else(String::new, units::course);
            let speed = model.units.speed(speed);
            let velocity = format!("{speed} {course}");
            rows.push(Row::new(3, "SOG, COG", velocity, text));
        }
    }
    // The instrument reports also where the service fails.
    let next = format::next_fix(model, deployment);
    let next = next.or_else(|| format::expected_fix(model, deployment));
    rows.extend(next.map(|next| match next.expected_s {
        Some(wait) => {
            let expected = Row::new(4, "next", format!("expected {}", next.words()), text);
            expected.or(match next.expected() {
                // A narrow pane has one line for it.
                _ if is_narrow && wait < 0.0 => format!("{} late", format::span(-wait)),
                _ if is_narrow => format!("due in {}", format::span(wait)),
                expected => format!("expected {}", expected.unwrap_or_default()),
            })
        }
        None => Row::new(4, "next", next.words(), text),
    }));
    if overview.is_some() {
        let came = deployment.recent_reports(model.now);
        if let Some(interval) = health.interval_s.filter(|_| !came.is_empty()) {
            let interval = time::interval(interval);
            let reports = small_charts::reports(&came, theme);
            let reports = format!("{reports} every {interval}");
            rows.push(Row::new(5, "reports", reports, text));
        }
    }
    rows.extend(limits(deployment, model, theme));
    if let Some(notes) = &deployment.deployment.notes {
        rows.push(Row::new(6, "notes", notes.clone(), text));
    }
    if !deployment.note.is_empty() {
        let note = deployment.note.clone();
        rows.push(Row::new(6, "note", note, theme.warning()));
    }
    if let Some(overview) = overview {
        let share = overview.data_return.map_or_else(String::new, |share| {
            format!(", data return {:.0} %", share * 100.0)
        });
        let fixes = format!("{}{share}", format::count(overview.fixes));
        rows.push(Row::new(6, "fixes", fixes, text));
    }
    if let Some(group) = &deployment.deployment.group {
        rows.push(Row::new(7, "group", group.clone(), text));
    }
    let platform = deployment.deployment.platform.name();
    let options = deployment.deployment.options(model.now);
    let limit = overview.map(|_| format!(", {}", options.limit_text(model.units)));
    let limit = limit.filter(|_| deployment.deployment.limits.max_speed_m_s.is_some());
    let platform = format!("{platform}{}", limit.unwrap_or_default());
    rows.push(Row::new(7, "platform", platform, text));
    let window = deployment.deployment.window;
    for (label, end) in [("from", window.from), ("until", window.until)] {
        rows.extend(end.map(|end| Row::new(8, label, format::moment(model, end), text)));
    }
    let uuid = Remote::shown(deployment.deployment.uuid);
    rows.push(Row::new(9, "UUID", uuid, theme.dim()));
    rows
}

/// The alarms with the time since and what was said of each, the most urgent first.
fn alarms(deployment: &DeploymentState, is_narrow: bool, model: &Model, theme: Theme) -> Vec<Row> {
    let urgent = deployment.alarm(model.now).map(|(alarm, _)| &alarm.id);
    let (first, others): (Vec<_>, Vec<_>) =
        (deployment.alarms.iter()).partition(|alarm| Some(&alarm.id) == urgent);
    let mut rows = Vec::new();
    for alarm in first.into_iter().chain(others) {
        let (sign, style) = words::sign(alarm.state(model.now), theme);
        let rank = if Some(&alarm.id) == urgent { 1 } else { 4 };
        let words = words::words(alarm, model);
        let text = format!("{sign} {}", words.write(Length::Sentence, model.units));
        let length = match is_narrow {
            true => Length::Short,
            false => Length::Line,
        };
        let short = format!("{sign} {}", words.write(length, model.units));
        rows.push(Row::new(rank, "alarm", text, style).or(short));
        let since = format::age(model, alarm.raised_at);
        let said = words::said(alarm, model);
        let since = format!("since {since}, {said}");
        rows.push(Row::new(5, "", since, theme.dim()));
    }
    rows
}

/// The limits that the user set, and how far from the edge of its circle or area the
/// last fix is.
fn limits(deployment: &DeploymentState, model: &Model, theme: Theme) -> Vec<Row> {
    let mut rows = Vec::new();
    if limit_words::has_any(deployment) {
        let words = limit_words::values(deployment, model);
        rows.push(Row::new(2, "limits", words, theme.text()));
    }
    let inside = deployment.deployment.limits.inside.as_ref();
    let latest = deployment.overview().and_then(|overview| overview.latest);
    if let Some((inside, fix)) = inside.zip(latest) {
        let over = inside.over_m(fix.position);
        let side = if over > 0.0 { "beyond" } else { "within" };
        let edge = model.units.distance(over.abs());
        let edge = format!("{edge} {side} its edge");
        rows.push(Row::new(5, "", edge, theme.text()));
    }
    rows
}

/// Draws the speed of the seven days to the last fix, where two lines are left.
fn trend(
    buffer: &mut Buffer,
    area: Area,
    line: u16,
    deployment: &DeploymentState,
    model: &Model,
    theme: Theme,
) {
    if line + 2 > area.height {
        return;
    }
    let Some(overview) = deployment.overview() else {
        return;
    };
    let values = overview.speed_trend(area.width);
    let Some(highest) = values.iter().copied().flatten().reduce(f64::max) else {
        return;
    };
    let below = area.height - 2;
    // The days end with the last fix, which may be long ago.
    let highest = model.units.speed(highest).trim().to_owned();
    let words = [
        format!("SOG, 7 days to last fix, highest {highest}"),
        format!("SOG, 7 d to last fix, max {highest}"),
        format!("7 d to last fix: max {highest}"),
        format!("7 d to fix: {highest}"),
    ];
    let mut fitting = words.into_iter().filter(|words| cells(words) <= area.width);
    let words = fitting.next().unwrap_or_default();
    put(buffer, area.at(0, below), &words, theme.dim());
    let bars = small_charts::trend(&values, theme);
    put(buffer, area.at(0, below + 1), &bars, theme.accent());
}
