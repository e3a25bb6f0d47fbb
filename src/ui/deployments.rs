//! The watch list, by default the worst status first.

mod update;
mod widths;

use ratatui::buffer::Buffer;

use super::alarm_words;
use super::columns::Fitted;
use super::format;
use super::limit_words;
use super::paint::{highlight_matches, put, set_row_style};
use super::small_charts;
use super::theme::Theme;
use super::wrap::wrap;
use crate::alarm::{AlarmState, Kind};
use crate::app::Model;
use crate::app::columns::ShownColumn;
use crate::app::keymap::Action;
use crate::app::layout::Area;
use crate::app::state::deployment::{DeploymentState, Part};
use crate::app::targets::Heading;
use crate::failure::Failure;
use crate::text;
use crate::track::DeploymentSort;
use crate::track::State;
use update::update;
use widths::{
    AGE, FIXES, FOUND, GROUP, INTERVAL, LIMITS, NAME, PLATFORM, POSITION, REPORTS, RETURN, STATE,
    TREND, UPDATE, VELOCITY, WIDE_AGE, WIDEST_FOUND, fit, is_marked, longest,
};

/// Whether the column of the status has room for more than its signs.
fn has_word(fitted: &Fitted) -> bool {
    let width = fitted.width(STATE);
    width.is_some_and(|width| width > 2)
}

/// Draws the list with its heading; returns what each heading sorts by.
pub(super) fn table(
    buffer: &mut Buffer,
    area: Area,
    rows: Area,
    model: &Model,
    theme: Theme,
) -> Vec<(Area, Heading)> {
    let table = model.deployments.table;
    let visible = || {
        let shown = model.deployments.shown().enumerate();
        shown.skip(table.top).take(usize::from(rows.height))
    };
    // Where there is no group, nobody misses the column, nor that of the limits.
    let mut shown = model.columns.deployments.clone();
    shown.retain(|column| column.place != GROUP || model.deployments.has_groups);
    let has_limits = model.deployments.list.iter().any(limit_words::has_any);
    shown.retain(|column| column.place != LIMITS || has_limits);
    let mut longest = longest(visible().map(|(_, one)| one), model);
    let mut fitted = fit(&shown, longest, model, area.width);
    let found = visible().map(|(_, one)| text::width(&found_in(one, &fitted, model)));
    let found = found.max().unwrap_or(0);
    if found > 0 {
        // As long as its heading at least.
        longest.found = u16::try_from(found.clamp(8, WIDEST_FOUND)).unwrap_or(u16::MAX);
        let name = shown.iter().position(|column| column.place == NAME);
        let right_of_it = name.map_or(0, |name| name + 1);
        let place = FOUND;
        shown.insert(right_of_it, ShownColumn { place, width: None });
        fitted = fit(&shown, longest, model, area.width);
    }
    let sorted = match model.deployments.sort {
        DeploymentSort::State => STATE,
        DeploymentSort::Group => GROUP,
        DeploymentSort::Name => NAME,
        DeploymentSort::Age => AGE,
        DeploymentSort::Speed => VELOCITY,
        DeploymentSort::Fixes => FIXES,
    };
    let arrow = theme.sort_arrow(model.deployments.is_descending());
    fitted.heading(buffer, area, theme.heading(), Some((sorted, arrow)));
    let headings: Vec<_> = (STATE..=FOUND)
        .filter_map(|column| Some((fitted.heading_area(area, column)?, sorts(column))))
        .collect();
    if let (true, Some(failure)) = (model.deployments.list.is_empty(), &model.deployments.unread) {
        unread(buffer, rows, failure, theme);
        return headings;
    }
    if model.deployments.list.is_empty() {
        put(
            buffer,
            rows.at(2, 1),
            "No deployment is watched yet.",
            theme.text(),
        );
        let add = model.key_of(Action::AddDeployment);
        let how = format!("Press {add} and paste a UUID, or a URL that contains one.");
        put(buffer, rows.at(2, 2), &how, theme.dim());
        return headings;
    }
    if model.deployments.order.is_empty() {
        put(
            buffer,
            rows.at(2, 1),
            "No deployment matches the filter; Esc clears it.",
            theme.dim(),
        );
        return headings;
    }
    for (line, (place, deployment)) in (0u16..).zip(visible()) {
        row(buffer, rows, line, &fitted, deployment, model, theme);
        if place == table.cursor {
            set_row_style(buffer, rows.at(0, line), theme.chosen());
        }
        if let Some(search) = &model.search {
            highlight_matches(buffer, rows.at(0, line), &search.text, theme.accent());
        }
    }
    headings
}

/// Draws why the list is not known, in place of its rows.
fn unread(buffer: &mut Buffer, rows: Area, failure: &Failure, theme: Theme) {
    let width = usize::from(rows.width.saturating_sub(4)).max(10);
    let lines = [
        ("The watch list could not be read.", theme.text()),
        (failure.message().as_str(), theme.bad()),
        (failure.hint.as_str(), theme.dim()),
    ]
    .map(|(words, style)| {
        wrap(words, width)
            .into_iter()
            .map(move |line| (line, style))
    });
    for (line, (words, style)) in (1..).zip(lines.into_iter().flatten()) {
        put(buffer, rows.at(2, line), &words, style);
    }
}

/// Which part of a row the filter or the search has found, with what it contains,
/// where none of the columns shows it: "platform mooring". Empty where they do.
fn found_in(one: &DeploymentState, fitted: &Fitted, model: &Model) -> String {
    let has_word = has_word(fitted);
    let mut words: Vec<String> = Vec::new();
    for part in model.found_in(one) {
        let is_shown = |column| fitted.width(column).is_some();
        let word = match part {
            Part::Name => continue,
            // A status of one cell is a sign without a word, and an alarm hides it.
            Part::Status if has_word && one.alarms.is_empty() => continue,
            Part::Group if is_shown(GROUP) => continue,
            Part::Platform if is_shown(PLATFORM) => continue,
            Part::Status => {
                let status = one.health(model.now).state.word();
                let alarms = one.alarms.iter().map(|alarm| alarm.kind.word());
                let all: Vec<_> = [status].into_iter().chain(alarms).collect();
                format!("status {}", all.join(", "))
            }
            Part::Group => {
                let group = one.deployment.group.as_deref();
                format!("group {}", group.unwrap_or_default())
            }
            Part::Platform => format!("platform {}", one.deployment.platform.name()),
            Part::Notes => "notes".to_owned(),
            Part::Uuid => "UUID".to_owned(),
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}

/// What the heading of a column sorts by.
fn sorts(column: usize) -> Heading {
    let sort = match column {
        STATE => DeploymentSort::State,
        NAME => DeploymentSort::Name,
        GROUP => DeploymentSort::Group,
        AGE => DeploymentSort::Age,
        VELOCITY => DeploymentSort::Speed,
        FIXES => DeploymentSort::Fixes,
        _ => return Heading::Unsorted,
    };
    Heading::Deployments(sort)
}

fn row(
    buffer: &mut Buffer,
    area: Area,
    line: u16,
    fitted: &Fitted,
    deployment: &DeploymentState,
    model: &Model,
    theme: Theme,
) {
    let health = deployment.health(model.now);
    let (mark, style) = theme.state(health.state);
    let mut cell = |column: usize, content: &str, style| {
        fitted.cell(buffer, area, line, column, content, style)
    };
    let (sign, word, sign_style) = match deployment.alarm(model.now) {
        // "Lost" says more than the alarm that no fix comes.
        Some((alarm, state @ AlarmState::Raised))
            if alarm.kind == Kind::Overdue && health.state == State::Lost =>
        {
            let (sign, style) = alarm_words::sign(state, theme);
            (sign, health.state.word(), style)
        }
        // An alarm is shown instead of the reporting status.
        Some((alarm, state)) => {
            let (sign, style) = alarm_words::sign(state, theme);
            (sign, alarm.kind.word(), style)
        }
        None => (mark, health.state.word(), style),
    };
    let (failed, failed_style) = theme.refresh_failed();
    let has_word = has_word(fitted);
    let mark = if is_marked(deployment) { failed } else { "" };
    match has_word {
        true => cell(STATE, &format!("{sign}{mark} {word}"), sign_style),
        false => cell(STATE, &format!("{sign}{mark}"), sign_style),
    }
    if let Some(start) = fitted.start(STATE) {
        put(buffer, area.at(start + 1, line), mark, failed_style);
    }
    let mut cell = |column: usize, content: &str, style| {
        fitted.cell(buffer, area, line, column, content, style)
    };
    let room = fitted.width(NAME).map_or(0, usize::from);
    cell(
        NAME,
        &text::fit_name(&deployment.name(), room),
        theme.text(),
    );
    if let Some(group) = &deployment.deployment.group {
        cell(GROUP, group, theme.dim());
    }
    if fitted.width(FOUND).is_some() {
        let found = found_in(deployment, fitted, model);
        cell(FOUND, &text::fit_name(&found, WIDEST_FOUND), theme.dim());
    }
    cell(PLATFORM, deployment.deployment.platform.name(), theme.dim());
    if let Some(room) = fitted.width(LIMITS).map(usize::from) {
        let values = limit_words::values(deployment, model);
        let limits = match text::width(&values) <= room {
            true => values,
            false => limit_words::kinds(deployment),
        };
        cell(LIMITS, &limits, theme.dim());
    }
    if let Some(overview) = deployment.overview() {
        if let Some(fix) = overview.latest {
            let (latitude, longitude) = model.coordinates.pair(fix.position);
            let age = format::age(model, fix.time_stamp);
            let age = match fitted.width(AGE) {
                Some(WIDE_AGE) => age.as_str(),
                _ => age.strip_suffix(" ago").unwrap_or(&age),
            };
            cell(AGE, age, style);
            let room = usize::from(model.coordinates.width().0);
            let position = format!("{latitude:>room$} {longitude}");
            cell(POSITION, &position, theme.text());
            if fix.has_leg {
                let none = || "–".to_owned();
                let room = format::speed_cells(model.units);
                let speed = |s| format::in_cells(model.units.speed(s), Some(room));
                let speed = fix.speed_m_s.map_or_else(none, speed);
                let course = fix.course_deg.map_or_else(none, crate::geo::units::course);
                cell(VELOCITY, &format!("{speed} {course:>5}"), theme.text());
            }
        } else {
            cell(AGE, "no fix", theme.dim());
        }
        if let Some(interval) = health.interval_s {
            let interval = crate::track::time::interval(interval);
            cell(INTERVAL, &interval, theme.text());
        }
        if fitted.width(REPORTS).is_some() {
            let came = deployment.recent_reports(model.now);
            let style = match came.contains(&false) {
                true => theme.warning(),
                false => theme.text(),
            };
            let reports = small_charts::reports(&came, theme);
            let room = usize::from(small_charts::REPORTS);
            cell(REPORTS, &format!("{reports:>room$}"), style);
        }
        if let Some(width) = fitted.width(TREND) {
            let trend = small_charts::trend(&overview.speed_trend(width), theme);
            cell(TREND, &trend, theme.dim());
        }
        if let Some(completeness) = overview.data_return {
            let share = format!("{:.0} %", completeness * 100.0);
            cell(RETURN, &share, theme.text());
        }
        cell(FIXES, &format::count(overview.fixes), theme.text());
    }
    let (update, style) = update(deployment, has_word, model, theme);
    let never_loaded = !deployment.track.has_data();
    // Without data, or without the column, the update is shown in place of the
    // data.
    let start = match fitted.start(UPDATE) {
        Some(start) if !never_loaded => Some(start),
        _ if never_loaded => fitted.start(AGE).or_else(|| fitted.start(UPDATE)),
        _ => None,
    };
    if let Some(start) = start {
        let room = usize::from(area.width.saturating_sub(start));
        let failure = deployment.track.failure.as_ref();
        let failure = failure.filter(|_| deployment.track.loading.is_none());
        let update = match failure {
            _ if text::width(&update) <= room => update,
            Some((failure, _)) => format::failed_shortly(failure),
            None => update.replace("in less than ", "within "),
        };
        put(
            buffer,
            area.at(start, line),
            &text::fit(&update, room),
            style,
        );
    }
}
