//! The pane beside the world map: what is known of the deployment under the
//! cursor of the list.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::alarm_words;
use super::columns::put;
use super::format::{self, NEXT_EXPECTED};
use super::sheet::{Sheet, cells};
use super::small_charts;
use super::theme::Theme;
use super::wrap::wrap;
use crate::app::Model;
use crate::app::keymap::Action;
use crate::app::layout::Area;
use crate::app::state::deployment::DeploymentState;
use crate::app::state::dialog::details::Details;
use crate::geo::{Inside, units};
use crate::track::time;

/// Width of the labels with the blank behind them, cells.
const LABELS: u16 = 10;

/// A value with its label; several lines if it does not fit on one.
struct Row {
    label: &'static str,
    value: String,
    style: Style,
}

/// Draws what is known of the selected deployment, the most urgent first.
pub(super) fn draw(buffer: &mut Buffer, area: Area, model: &Model, theme: Theme) {
    if area.is_empty() {
        return;
    }
    let Some(deployment) = model.deployments.selected() else {
        return;
    };
    // Beside a narrow map the labels would leave no room for the values.
    let labels = if area.width >= 36 { LABELS } else { 0 };
    let room = usize::from(area.width.saturating_sub(labels)).max(1);
    let mut line = 0;
    for row in rows(deployment, model, theme) {
        for (number, words) in wrap(&row.value, room).into_iter().enumerate() {
            if number == 0 && labels > 0 {
                put(buffer, area, 0, line, row.label, theme.dim());
            }
            put(buffer, area, labels, line, &words, row.style);
            line += 1;
        }
    }
    if line > area.height {
        let last = area.height - 1;
        let blank = " ".repeat(usize::from(area.width));
        put(buffer, area, 0, last, &blank, theme.dim());
        let more = format!("{}: all about it", model.key_of(Action::Details));
        put(buffer, area, 0, last, &more, theme.dim());
    }
    trend(buffer, area, line, deployment, model, theme);
}

/// Adds a page of what is known of a deployment to a sheet.
pub(super) fn lines(sheet: &mut Sheet, details: Details, model: &Model, theme: Theme) {
    let Some(deployment) = model.deployments.get(details.deployment) else {
        return;
    };
    let room = usize::from(sheet.width().saturating_sub(LABELS).max(1));
    let mut all = Vec::new();
    for row in rows(deployment, model, theme) {
        for (number, words) in wrap(&row.value, room).into_iter().enumerate() {
            let label = if number == 0 { row.label } else { "" };
            all.push((label, words, row.style));
        }
    }
    sheet.line(&[(&deployment.name(), theme.heading())]);
    // Its name, and the number of the page.
    let height = model.dialog_rows().saturating_sub(1).max(1);
    let pages = all.len().div_ceil(height).max(1);
    let count = isize::try_from(pages).unwrap_or(1);
    let page = usize::try_from(details.page.rem_euclid(count)).unwrap_or(0);
    let widest = all.iter().map(|(_, words, _)| cells(words)).max();
    sheet.want(LABELS + widest.unwrap_or(0));
    for (label, words, style) in all.iter().skip(page * height).take(height) {
        sheet.line(&[(label, theme.dim())]);
        sheet.at(LABELS, words, *style);
    }
    if pages > 1 {
        // The frame keeps its height from page to page.
        sheet.cut_or_fill(u16::try_from(height + 1).unwrap_or(u16::MAX));
        let words = format!("page {} of {pages}", page + 1);
        sheet.line(&[(&words, theme.dim())]);
    }
}

fn rows(deployment: &DeploymentState, model: &Model, theme: Theme) -> Vec<Row> {
    let health = deployment.health(model.now);
    let (mark, state_style) = theme.state(health.state);
    let mut rows = Vec::new();
    let mut row = |label, value: String, style| {
        rows.push(Row {
            label,
            value,
            style,
        })
    };
    let text = theme.text();
    // Beside an alarm the status is about the reports alone.
    let label = match deployment.alarms.is_empty() {
        true => "status",
        false => "reporting",
    };
    let word = health.state.word();
    let status = match alarm_words::allowed_age(deployment, model.now) {
        Some(limit) => {
            let limit = time::duration(limit);
            format!("{mark} {word} by its interval, within its max age {limit}")
        }
        None => format!("{mark} {word}"),
    };
    row(label, status, state_style);
    for alarm in &deployment.alarms {
        let (sign, style) = alarm_words::sign(alarm.state(model.now), theme);
        let text = alarm_words::text(alarm, model);
        row("alarm", format!("{sign} {text}"), style);
        let since = format::age(model, alarm.raised_at);
        let said = alarm_words::said(alarm, model);
        row("", format!("since {since}, {said}"), theme.dim());
    }
    if let Some((failure, at)) = &deployment.track.failure {
        let age = format::age(model, *at);
        let next = format::next_try(model, deployment);
        let why = format::why_failed(failure);
        row("failed", format!("{age}, {next}: {why}"), theme.bad());
    }
    let overview = deployment.overview();
    if let Some(fix) = overview.and_then(|overview| overview.latest) {
        let moment = format::moment(model, fix.time_stamp);
        let age = format::age(model, fix.time_stamp);
        row("last fix", age, state_style);
        row("", format!("{moment} {}", format::zone(model)), text);
        let (latitude, longitude) = model.coordinates.pair(fix.position);
        row("position", format!("{latitude} {longitude}"), text);
        if let Some(speed) = fix.speed_m_s {
            let course = fix.course_deg.map_or_else(String::new, units::course);
            let speed = model.units.speed(speed);
            row("SOG, COG", format!("{speed} {course}"), text);
        }
    }
    match format::next_expected(model, deployment) {
        Some((NEXT_EXPECTED, next)) => row("next", format!("expected {next}"), text),
        Some((_, next)) => row("next", next, text),
        None => {}
    }
    if overview.is_some() {
        let came = deployment.recent_reports(model.now);
        if let Some(interval) = health.interval_s.filter(|_| !came.is_empty()) {
            let interval = time::interval(interval);
            let reports = small_charts::reports(&came, theme);
            row("reports", format!("{reports} every {interval}"), text);
        }
    }
    limits(deployment, model, theme, &mut row);
    if let Some(notes) = &deployment.deployment.notes {
        row("notes", notes.clone(), text);
    }
    if let Some(overview) = overview {
        let share = overview.data_return.map_or_else(String::new, |share| {
            format!(", data return {:.0} %", share * 100.0)
        });
        row(
            "fixes",
            format!("{}{share}", format::count(overview.fixes)),
            text,
        );
    }
    if let Some(group) = &deployment.deployment.group {
        row("group", group.clone(), text);
    }
    let platform = deployment.deployment.platform.name();
    let options = deployment.deployment.options(model.now);
    let limit = overview.map(|_| format!(", {}", options.limit_text(model.units)));
    let limit = limit.filter(|_| deployment.deployment.limits.max_speed_m_s.is_some());
    let platform = format!("{platform}{}", limit.unwrap_or_default());
    row("platform", platform, text);
    let window = deployment.deployment.window;
    if let Some(from) = window.from {
        row("from", format::moment(model, from), text);
    }
    if let Some(until) = window.until {
        row("until", format::moment(model, until), text);
    }
    row("UUID", deployment.deployment.uuid.to_string(), theme.dim());
    rows
}

/// The limits that the user set, with what is left of them.
fn limits(
    deployment: &DeploymentState,
    model: &Model,
    theme: Theme,
    row: &mut impl FnMut(&'static str, String, Style),
) {
    let limits = &deployment.deployment.limits;
    if let Some(age) = limits.max_age_s {
        row("max age", time::duration(age), theme.text());
    }
    let Some(inside) = &limits.inside else {
        return;
    };
    let (heading, value) = match inside {
        Inside::Circle(circle) => ("circle", model.units.distance(circle.radius_m)),
        Inside::Area(area) => ("area", crate::text::excerpt(area.name(), 30)),
    };
    let latest = deployment.overview().and_then(|overview| overview.latest);
    let edge = latest.map(|fix| {
        let over = inside.over_m(fix.position);
        let side = if over > 0.0 { "beyond" } else { "within" };
        format!(", {} {side} its edge", model.units.distance(over.abs()))
    });
    let value = format!("{value}{}", edge.unwrap_or_default());
    row(heading, value, theme.text());
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
    put(buffer, area, 0, below, &words, theme.dim());
    let bars = small_charts::trend(&values, theme);
    put(buffer, area, 0, below + 1, &bars, theme.accent());
}
