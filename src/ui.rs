//! Draws the Model as a frame: one file for each pane; only visible rows are
//! formatted. Nothing here changes the Model.

mod activity;
mod alarm_list;
mod alarm_words;
mod ascii;
mod attention;
mod columns;
mod connection;
mod deployment_detail;
mod deployments;
mod details;
mod dialogs;
mod failed_load;
mod field_list;
mod field_values;
pub(crate) mod first_run;
mod fix_detail;
mod format;
mod frame;
mod glance;
mod limit_words;
mod loading;
mod map;
mod message;
mod paint;
mod panes;
pub(crate) mod plain;
mod plants;
mod platform_list;
mod request_detail;
mod settings_list;
mod sheet;
mod short_alarm;
mod signs;
mod small_charts;
mod summary;
pub(crate) mod theme;
mod timeline;
mod track_table;
mod wrap;

#[cfg(test)]
mod tests;

pub(crate) use theme::{Capabilities, Ground, Theme};

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::app::Model;
use crate::app::layout::{Area, Layout};
use crate::app::state::tab::Tab;
use crate::app::targets::{Heading, Targets};
use attention::Attention;

/// Data that is reused from one frame to the next, so that unchanged parts are
/// not computed again. A frame looks the same with an empty cache.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    base_map: Option<map::BaseMap>,
    rows: track_table::KeptRows,
    timeline: timeline::Known,
    /// What a click hits on the frame.
    targets: Targets,
}

impl Memory {
    /// What a click hits on the frame that was drawn last.
    pub(crate) fn take_targets(&mut self) -> Targets {
        std::mem::take(&mut self.targets)
    }
}

/// Draws the whole screen on a blank buffer; returns where the cursor is, `None` where
/// it is hidden.
pub(crate) fn draw(
    buffer: &mut Buffer,
    model: &Model,
    theme: Theme,
    memory: &mut Memory,
) -> Option<Position> {
    memory.targets = Targets::default();
    let targets = &mut memory.targets;
    let screen = buffer.area;
    let layout = Layout::new(
        screen.width,
        screen.height,
        model.tab,
        model.full.then_some(model.pane),
        model.needed_cells(),
        model.measures(),
    );
    if layout.too_small {
        glance::draw(buffer, layout.screen, model, theme);
        if !theme.can.unicode {
            ascii::only_ascii(buffer);
        }
        return None;
    }
    frame::header(buffer, layout.header, model, theme);
    frame::tabs(buffer, &layout, model, theme);
    panes::draw(buffer, &layout, model, theme);
    match model.tab {
        Tab::Deployments => {
            let headings = deployments::table(buffer, layout.table, layout.rows, model, theme);
            targets.headings = headings;
            map::draw(buffer, &layout, model, theme, &mut memory.base_map);
            deployment_detail::draw(buffer, layout.summary, model, theme);
        }
        Tab::Track => {
            let headings = track_table::table(
                buffer,
                layout.table,
                layout.rows,
                model,
                theme,
                &mut memory.rows,
            );
            targets.headings = headings;
            map::draw(buffer, &layout, model, theme, &mut memory.base_map);
            timeline::draw(buffer, &layout, model, theme, &mut memory.timeline);
            summary::track(buffer, layout.summary, model, theme);
        }
        Tab::Plants => {
            plants::table(buffer, layout.table, layout.rows, model, theme);
            targets.headings = vec![(layout.table.split_top(1).0, Heading::Plants)];
            summary::plant(buffer, layout.summary, model, theme);
        }
        Tab::Activity => {
            activity::table(buffer, layout.table, layout.rows, model, theme);
            request_detail::draw(buffer, layout.summary, model, theme);
        }
    }
    let keys = message::draw(buffer, &layout, model, theme);
    targets.footer = frame::footer(buffer, keys, model, theme);
    let cursor = dialogs::draw(buffer, model, theme, targets);
    if !theme.can.unicode {
        ascii::only_ascii(buffer);
    }
    cursor
}

/// Draws the screen while settings and archive are read.
pub(crate) fn opening(buffer: &mut Buffer, theme: Theme) {
    let screen = buffer.area;
    let area = Area::new(0, 0, screen.width, screen.height);
    let end = paint::put(buffer, area.at(0, 0), "driftline", theme.accent());
    let message = "  reading settings and archive";
    paint::put(buffer, area.at(end, 0), message, theme.dim());
}

/// The title of the window: "driftline", and what needs attention; a known alarm
/// does not.
pub(crate) fn title(model: &Model) -> String {
    let words: Vec<String> = Attention::of(model).words().into_iter().flatten().collect();
    match words.is_empty() {
        true => "driftline".to_owned(),
        false => format!("driftline: {}", words.join(", ")),
    }
}
