//! Draws the panes of the Model: one file for each; only visible rows are formatted. Nothing here changes the Model.

mod activity;
pub(crate) mod alarm_words;
pub(crate) mod ascii;
mod attention;
pub(crate) mod connection;
pub(crate) mod deployment_detail;
mod deployments;
mod failed_load;
mod field_values;
pub(crate) mod first_run;
pub(crate) mod fix_detail;
pub(crate) mod format;
pub(crate) mod frame;
mod glance;
mod limit_words;
mod loading;
mod map;
pub(crate) mod message;
pub(crate) mod paint;
mod panes;
pub(crate) mod plain;
mod plants;
mod request_detail;
pub(crate) mod sheet;
pub(crate) mod signs;
mod small_charts;
mod summary;
pub(crate) mod table;
pub(crate) mod theme;
mod timeline;
mod track_table;
pub(crate) mod wrap;

#[cfg(test)]
mod tests;

pub(crate) use theme::{Capabilities, Ground, Theme};

use ratatui::buffer::Buffer;

use crate::app::Model;
use crate::app::columns::Columns;
use crate::app::footer::Footer;
use crate::app::layout::{Area, Layout};
use crate::app::state::tab::Tab;
use crate::app::targets::Targets;
use attention::Attention;

/// Data that is reused from one frame to the next, so that unchanged parts are
/// not computed again. A frame looks the same with an empty cache.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    base_map: Option<map::BaseMap>,
    timeline: timeline::Known,
    /// What a click hits on the frame.
    pub targets: Targets,
}

impl Memory {
    /// What a click hits on the frame that was drawn last.
    pub(crate) fn take_targets(&mut self) -> Targets {
        std::mem::take(&mut self.targets)
    }
}

/// Draws the panes on a blank buffer, with this footer. Returns `false` where the screen
/// has room for a glance alone.
pub(crate) fn draw(
    buffer: &mut Buffer,
    model: &Model,
    footer: Footer,
    theme: Theme,
    memory: &mut Memory,
) -> bool {
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
        return false;
    }
    frame::header(buffer, layout.header, model, theme);
    frame::tabs(buffer, &layout, model, theme);
    panes::draw(buffer, &layout, model, theme);
    match model.tab {
        Tab::Deployments => {
            targets.headings = deployments::draw(buffer, layout.table, model, theme);
            map::draw(buffer, &layout, model, theme, &mut memory.base_map);
            deployment_detail::draw(buffer, layout.summary, model, theme);
        }
        Tab::Track => {
            targets.headings = track_table::draw(buffer, layout.table, model, theme);
            map::draw(buffer, &layout, model, theme, &mut memory.base_map);
            timeline::draw(buffer, &layout, model, theme, &mut memory.timeline);
            summary::track(buffer, layout.summary, model, theme);
        }
        Tab::Plants => {
            targets.headings = plants::draw(buffer, layout.table, model, theme);
            summary::plant(buffer, layout.summary, model, theme);
        }
        Tab::Activity => {
            activity::draw(buffer, layout.table, model, theme);
            request_detail::draw(buffer, layout.summary, model, theme);
        }
    }
    let keys = message::draw(buffer, &layout, model, &footer, theme);
    targets.footer = frame::footer(buffer, keys, footer.keys, theme);
    true
}

/// The names of the columns of each tab's table, in their usual order.
fn tables() -> [Vec<&'static str>; Tab::ALL.len()] {
    Tab::ALL.map(|tab| match tab {
        Tab::Deployments => table::names(deployments::COLUMNS),
        Tab::Track => table::names(track_table::COLUMNS),
        Tab::Plants => table::names(plants::COLUMNS),
        Tab::Activity => table::names(activity::COLUMNS),
    })
}

/// The columns of all tables, in their usual order and width.
pub(crate) fn usual_columns() -> Columns {
    Columns::new(tables())
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
