//! A frame: the panes, and the dialog on top over them. Only visible rows are
//! formatted, and nothing changes the state.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::attention::Attention;
use super::deployments::table::has_word;
use super::dialogs::Dialog;
use super::footer::pane_keys;
use super::layout::Parts;
use super::shell::Shell;
use super::tab::TabId;
use super::tabs::Panes;
use super::targets::Targets;
use super::theme::Theme;
use super::track::OnTrack;
use super::widgets::table::Look;
use super::widgets::{ascii, paint};
use super::{Dashboard, component, deployments, frame, glance, header, map, message, track};
use crate::dashboard::shared::Shared;

/// Data that is reused from one frame to the next, so that unchanged parts are
/// not computed again. A frame looks the same with an empty cache.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    map: map::Known,
    timeline: track::timeline::Known,
    /// The click targets of the frame.
    pub targets: Targets,
}

/// Draws the whole screen on a blank buffer; returns the cell of the cursor, `None` if
/// it is hidden.
pub(crate) fn draw(
    buffer: &mut Buffer,
    dashboard: &Dashboard,
    theme: Theme,
    memory: &mut Memory,
) -> Option<Position> {
    let shell = &dashboard.shell;
    let dialog = dashboard.dialogs.last();
    let has_room = panes(buffer, shell, dialog, theme, memory);
    let dialog = dialog.filter(|_| has_room);
    let cursor = dialog.and_then(|top| top.draw(buffer, shell, theme, &mut memory.targets));
    if !theme.can.unicode {
        ascii::only_ascii(buffer);
    }
    cursor
}

/// Draws the panes on a blank buffer, with the footer of the dialog on top if there is one.
/// Returns `false` where the screen has room for a glance alone.
fn panes(
    buffer: &mut Buffer,
    shell: &Shell,
    dialog: Option<&Dialog>,
    theme: Theme,
    memory: &mut Memory,
) -> bool {
    memory.targets = Targets::default();
    let targets = &mut memory.targets;
    let screen = buffer.area;
    let layout = shell.layout_at((screen.width, screen.height));
    if layout.too_small {
        glance::draw(buffer, layout.screen, shell, theme);
        return false;
    }
    targets.sums = header::draw(buffer, layout.header, shell, theme);
    frame::tabs(buffer, &layout, &shell.shared, theme);
    super::panes::draw(buffer, &layout, shell, theme);
    let on = shell.on_track();
    match shell.shared.tab {
        TabId::Deployments => {
            let past = shell.shared.past();
            let shared = past.as_ref().unwrap_or(&shell.shared);
            let on = OnTrack { shared, ..on };
            let tab = &shell.tabs.deployments;
            let list = deployments::table::draw(tab, buffer, layout.table, shared, theme);
            (targets.headings, targets.columns) = (list.headings, list.shown.clone());
            let mut shown = list.shown;
            let has_word = has_word(&Look::new(shared, theme, layout.table.width));
            shown.retain(|column| *column != "status" || has_word);
            map::draw(buffer, &layout, on, theme, &mut memory.map);
            let look = Look {
                shown,
                ..Look::new(shared, theme, layout.summary.width)
            };
            if let Some(deployment) = tab.selected(&shared.deployments) {
                deployments::detail::draw(buffer, layout.summary, deployment, &look);
            }
        }
        TabId::Track => {
            let fixes = track::table::draw(
                &shell.tabs.track,
                buffer,
                layout.table,
                &shell.shared,
                theme,
            );
            (targets.headings, targets.columns) = (fixes.headings, fixes.shown);
            map::draw(buffer, &layout, on, theme, &mut memory.map);
            track::timeline::draw(buffer, &layout, on, theme, &mut memory.timeline);
            let counts = track::summary::track(buffer, layout.summary, on, theme);
            targets.sums.extend(counts);
        }
        _ => {
            let panes = Panes {
                table: layout.table,
                detail: layout.summary,
            };
            if let Some(tab) = shell.component() {
                let shared = &shell.shared;
                let drawn = if shell.shared.full {
                    component::draw_full_detail(tab, buffer, layout.summary, shared, theme)
                } else {
                    tab.draw(buffer, panes, shared, theme)
                };
                (targets.headings, targets.columns) = (drawn.headings, drawn.shown);
            }
        }
    }
    message::draw(buffer, &layout, shell, dialog, theme);
    let keys = dialog.map_or_else(|| pane_keys(shell), |dialog| dialog.footer(shell));
    targets.footer = frame::footer(buffer, layout.footer, keys, theme);
    true
}

/// Draws the screen while settings and archive are read.
pub(crate) fn opening(buffer: &mut Buffer, theme: Theme) {
    let area = buffer.area;
    let end = paint::put(buffer, area.at(0, 0), "driftline", theme.heading());
    let message = "  reading settings and archive";
    paint::put(buffer, area.at(end, 0), message, theme.dim());
}

/// The title of the window: "driftline", and the troubles; an acknowledged alarm is not
/// counted.
pub(crate) fn title(shared: &Shared) -> String {
    let words: Vec<String> = Attention::new(shared).words().collect();
    if words.is_empty() {
        "driftline".to_owned()
    } else {
        format!("driftline: {}", words.join(", "))
    }
}
