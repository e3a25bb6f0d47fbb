//! The lines around the panes: tabs and footer.

use ratatui::buffer::Buffer;

use super::footer::FooterKey;
use super::layout::{Area, Layout, Parts};
use super::panes::found;
use super::shell::Shell;
use super::tab::{Pane, TabId};
use super::targets::FooterTarget;
use super::theme::Theme;
use super::widgets::paint::{Pieces, put};
use crate::dashboard::shared::Shared;
use crate::dashboard::track::TrackTab;
use crate::text;

/// Draws the titles of the tabs, the shown one in reverse video.
pub(crate) fn tabs(buffer: &mut Buffer, layout: &Layout, shared: &Shared, theme: Theme) {
    for (tab, title, area) in layout.tab_spans() {
        let style = if tab == shared.screen.tab {
            theme.accent().patch(theme.chosen())
        } else {
            theme.dim()
        };
        put(buffer, area, &title, style);
    }
}

/// The texts after the titles of the tabs: filter and search, unless a table shows them in its
/// title.
pub(crate) fn after_tabs(layout: &Layout, shell: &Shell, theme: Theme) -> Pieces {
    let mut parts: Pieces = Vec::new();
    if layout.frame(Pane::Table).is_empty() {
        if !shell.filter().is_empty() {
            let filter = text::fit_name(shell.filter(), 24);
            parts.push((format!("filter: {filter}"), theme.warning()));
        }
        if let (Some(search), Some(found)) = (&shell.shared.screen.search, found(shell)) {
            let text = text::fit_name(search.query.text(), 24);
            parts.push((format!("find: {text} {found}"), theme.heading()));
        }
    }
    if shell.tabs.track.is_computing(&shell.shared) {
        parts.push(("computing".to_owned(), theme.text()));
    }
    parts
}

/// The cells of keys with their words, with the blanks behind each.
fn footer_cells(keys: &[FooterKey]) -> usize {
    keys.iter()
        .map(|key| text::width(&key.name) + text::width(key.word) + 3)
        .sum()
}

/// Draws the keys of the footer; returns their click areas.
pub(crate) fn footer(
    buffer: &mut Buffer,
    area: Area,
    mut keys: Vec<FooterKey>,
    theme: Theme,
) -> Vec<(Area, FooterTarget)> {
    // The last two always stay; the keys before them are dropped if there is no room.
    while footer_cells(&keys) > usize::from(area.width) + 2 && keys.len() > 2 {
        keys.remove(keys.len() - 3);
    }
    let mut targets = Vec::with_capacity(keys.len());
    let mut x = 0;
    for key in keys {
        let start = x;
        x += put(buffer, area.at(x, 0), &key.name, theme.heading());
        x += 1 + put(buffer, area.at(x + 1, 0), key.word, theme.dim());
        if let Some(target) = key.target {
            let entry = Area::new(area.x + start, area.y, x - start, 1);
            targets.push((entry, target));
        }
        x += 2;
    }
    targets
}

/// Number of fixes from which the computation is named: a shorter one is done before the
/// user could read it.
const LONG: usize = 10_000;

impl TrackTab {
    /// `true` while rows, parts or flags of the open track are computed; never for a short
    /// track.
    pub(crate) fn is_computing(&self, shared: &Shared) -> bool {
        let Some(deployment) = shared.open_deployment() else {
            return false;
        };
        let range = self.time_range.as_ref();
        let is_cutting = range.is_some_and(|range| range.cutting.is_some());
        let is_busy = self.arranging.is_some() || is_cutting;
        shared.screen.tab == TabId::Track
            && (is_busy || deployment.track.assembling.is_some())
            && (deployment.track.get()).is_some_and(|track| track.len() >= LONG)
    }
}
