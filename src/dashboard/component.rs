//! What the shell does with the rows and the panes of any tab that is a component.

use ratatui::buffer::{Buffer, Cell};

use super::Dashboard;
use super::keymap::Action;
use super::layout::{Area, Parts};
use super::shared::Shared;
use super::shell::Shell;
use super::tab::{Pane, TabId};
use super::tabs::rows::{arrange, at_cursor};
use super::tabs::{News, Outcome, Panes, Tab};
use super::theme::Theme;
use super::widgets::paint::put;
use super::widgets::table::Drawn;
use super::widgets::table_state::{Step, TableState};
use crate::exchange::Exchange;

impl Shell {
    /// The shown tab, if it is a component.
    pub(crate) fn component(&self) -> Option<&dyn Tab> {
        self.tabs.get(self.shared.tab)
    }

    /// Changes the shown tab, if it is a component. The cursor stays on its row.
    pub(crate) fn change_component<T>(
        &mut self,
        change: impl FnOnce(&mut dyn Tab, &Shared) -> T,
    ) -> Option<T> {
        let shared = &self.shared;
        let tab = self.tabs.get_mut(shared.tab)?;
        let chosen = at_cursor(tab);
        let result = change(tab, shared);
        arrange(tab, chosen.as_deref());
        Some(result)
    }

    /// A request has begun or ended.
    pub(super) fn exchange_reported(&mut self, exchange: Exchange) {
        self.tell_tabs(&News::Exchange(exchange));
    }

    /// Gives news to every tab.
    pub(in crate::dashboard) fn tell_tabs(&mut self, news: &News) {
        for id in TabId::ALL {
            if let Some(tab) = self.tabs.get_mut(id) {
                let chosen = at_cursor(tab);
                tab.event(news);
                arrange(tab, chosen.as_deref());
            }
        }
    }
}

/// The most lines of a pane that is shown at full size: of a plant, some hundred requests.
const MOST_LINES: u16 = 400;

/// The pane below the table of a tab, however many lines it has, and their number.
fn whole_detail(tab: &dyn Tab, width: u16, shared: &Shared, theme: Theme) -> (Buffer, usize) {
    let area = Area::new(0, 0, width, MOST_LINES);
    let mut whole = Buffer::empty(area);
    let panes = Panes {
        table: Area::default(),
        detail: area,
    };
    tab.draw(&mut whole, panes, shared, theme);
    let is_blank = |cell: &Cell| cell.symbol() == " ";
    let mut lines = whole.content.chunks(usize::from(width.max(1)));
    let last = lines.rposition(|line| !line.iter().all(is_blank));
    (whole, last.map_or(0, |last| last + 1))
}

/// The lines of a pane of this height that show a text of so many lines: all but the last,
/// which says where they are, if it does not fit.
fn text_height(height: u16, lines: usize) -> usize {
    let height = usize::from(height);
    if lines > height {
        height.saturating_sub(1)
    } else {
        height
    }
}

/// Draws the part of the pane below the table that is scrolled to, at full size. Nothing is
/// drawn of the table.
pub(super) fn draw_full_detail(
    tab: &dyn Tab,
    buffer: &mut Buffer,
    area: Area,
    shared: &Shared,
    theme: Theme,
) -> Drawn {
    let (whole, lines) = whole_detail(tab, area.width, shared, theme);
    let height = text_height(area.height, lines);
    let top = tab.rows().detail.top.min(lines.saturating_sub(height));
    let width = usize::from(area.width.max(1));
    let shown = whole.content.chunks(width).skip(top).take(height);
    for (y, line) in (area.y..).zip(shown) {
        for (x, cell) in (area.x..).zip(line) {
            if let Some(place) = buffer.cell_mut((x, y)) {
                place.clone_from(cell);
            }
        }
    }
    if height < lines && area.height > 0 {
        let place = format!("lines {}–{} of {lines}", top + 1, top + height);
        put(buffer, area.at(0, area.height - 1), &place, theme.dim());
    }
    Drawn::default()
}

impl Shell {
    /// Scrolls the pane that a tab shows at full size; `false` if it shows none.
    pub(super) fn scroll_detail(&mut self, step: Step) -> bool {
        if !self.shared.full {
            return false;
        }
        let area = self.layout().summary;
        let scroll = |tab: &mut dyn Tab, shared: &Shared| {
            // The lines are the same in any colours.
            let (_, lines) = whole_detail(tab, area.width, shared, Theme::default());
            let height = text_height(area.height, lines);
            let mut shown = tab.rows().detail;
            // The first line of the pane is the cursor.
            let bottom = lines.saturating_sub(height);
            shown.step(step, bottom + 1, height);
            shown.top = shown.cursor;
            tab.rows_mut().detail = shown;
        };
        self.change_component(scroll).is_some()
    }
}

impl Dashboard {
    /// Carries out an action that the shown tab has of its own; `false` if it has no such.
    pub(super) fn act_on_component(&mut self, action: Action) -> bool {
        let shell = &mut self.shell;
        let own = shell.component().map_or(&[][..], |tab| tab.actions());
        if !own.iter().any(|own| own.action == action) {
            return false;
        }
        match shell.change_component(|tab, shared| tab.key(action, shared)) {
            Some(Some(Outcome::Say(words))) => shell.shared.notify(words),
            Some(Some(Outcome::OpenTrack(uuid))) => shell.open_track(uuid),
            Some(Some(Outcome::FullDetail)) => {
                shell.shared.pane = Pane::Summary;
                shell.shared.full = !shell.shared.full;
                shell.change_component(|tab, _| tab.rows_mut().detail = TableState::default());
            }
            Some(Some(Outcome::Ask(ask))) => self.ask(ask),
            Some(None) | None => {}
        }
        true
    }
}
