//! Draws the Model as a frame: one file for each pane; only visible rows are
//! formatted. Nothing here changes the Model.

mod activity;
mod ascii;
mod columns;
mod deployment_detail;
mod deployments;
mod dialogs;
pub(crate) mod first_run;
mod format;
mod frame;
mod glance;
mod map;
mod panes;
mod plants;
mod sheet;
mod small_charts;
mod summary;
pub(crate) mod theme;
mod timeline;
mod track_table;
mod wrap;

#[cfg(test)]
mod tests;

pub(crate) use theme::{Capabilities, Ground, Theme};

use ratatui::Frame;

use crate::app::Model;
use crate::app::layout::{Area, Layout};
use crate::app::state::tab::Tab;
use crate::track::State;

/// Data that is reused from one frame to the next, so that unchanged parts are
/// not computed again. A frame looks the same with an empty cache.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    base_map: Option<map::BaseMap>,
    timeline: Option<timeline::Bins>,
}

/// Draws the whole screen.
pub(crate) fn draw(frame: &mut Frame<'_>, model: &Model, theme: Theme, memory: &mut Memory) {
    let screen = frame.area();
    let layout = Layout::new(
        screen.width,
        screen.height,
        model.tab,
        model.full.then_some(model.pane),
    );
    if layout.too_small {
        glance::draw(frame.buffer_mut(), layout.screen, model, theme);
        if !theme.can.unicode {
            ascii::only_ascii(frame.buffer_mut());
        }
        return;
    }
    let buffer = frame.buffer_mut();
    frame::header(buffer, layout.header, model, theme);
    frame::tabs(buffer, &layout, model, theme);
    panes::draw(buffer, &layout, model, theme);
    match model.tab {
        Tab::Deployments => {
            deployments::table(buffer, layout.table, layout.rows, model, theme);
            map::draw(buffer, &layout, model, theme, &mut memory.base_map);
            deployment_detail::draw(buffer, layout.summary, model, theme);
        }
        Tab::Track => {
            track_table::table(buffer, layout.table, layout.rows, model, theme);
            map::draw(buffer, &layout, model, theme, &mut memory.base_map);
            timeline::draw(buffer, &layout, model, theme, &mut memory.timeline);
            summary::track(buffer, layout.summary, model, theme);
        }
        Tab::Plants => {
            plants::table(buffer, layout.table, layout.rows, model, theme);
            summary::plant(buffer, layout.summary, model, theme);
        }
        Tab::Activity => {
            activity::table(buffer, layout.table, layout.rows, model, theme);
            summary::exchange(buffer, layout.summary, model, theme);
        }
    }
    frame::footer(buffer, layout.footer, model, theme);
    frame::message(buffer, &layout, model, theme);
    dialogs::draw(frame, model, theme);
    if !theme.can.unicode {
        ascii::only_ascii(frame.buffer_mut());
    }
}

/// Draws the screen while settings and archive are read.
pub(crate) fn opening(frame: &mut Frame<'_>, theme: Theme) {
    let screen = frame.area();
    let area = Area::new(0, 0, screen.width, screen.height);
    let end = columns::put(frame.buffer_mut(), area, 0, 0, "driftline", theme.accent());
    let message = "  reading settings and archive";
    columns::put(frame.buffer_mut(), area, end, 0, message, theme.dim());
}

/// The title of the window: "driftline", and how many deployments do not report
/// as they should.
pub(crate) fn title(model: &Model) -> String {
    let (mut lost, mut overdue, mut alarms) = (0, 0, 0);
    for deployment in &model.deployments.list {
        if deployment.alarm(model.now).is_some() {
            alarms += 1;
        }
        match deployment.health(model.now).state {
            State::Lost => lost += 1,
            State::Overdue => overdue += 1,
            State::OnTime
            | State::Late
            | State::Unknown
            | State::Recovered
            | State::DeclaredLost => {}
        }
    }
    let alarm = if alarms == 1 { "alarm" } else { "alarms" };
    let parts: Vec<String> = [(alarms, alarm), (lost, "lost"), (overdue, "overdue")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    if parts.is_empty() {
        "driftline".to_owned()
    } else {
        format!("driftline: {}", parts.join(", "))
    }
}
