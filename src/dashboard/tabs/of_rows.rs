//! A tab of rows as a tab: find, filter, sort, copy, footer and drawing, once for all of them. The pane below
//! the table is scrolled at full size.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::rows::{answers, arrange, at_cursor, row_by_subject};
use super::{Entry, Form, Hint, Meaning, Outcome, RowsTab, Tab, TabAction};
use crate::dashboard::canvas::Canvas;
use crate::dashboard::event::Event;
use crate::dashboard::keymap::Action;
use crate::dashboard::layout::{Area, Arrangement, Parts};
use crate::dashboard::row::Row;
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::Pane;
use crate::dashboard::targets::Heading;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::sheet::Sheet;
use crate::dashboard::widgets::table_state::{Step, TableState};
use crate::track::query::Query;
use crate::track::sort::SortedBy;

/// In the footer, after its own actions.
const ROWS: &[Entry] = &[
    (Action::Find, "find"),
    (Action::Filter, "filter"),
    (Action::Copy, "copy"),
    (Action::Refresh, "refresh"),
    (Action::Pause, "pause"),
    (Action::Palette, "commands"),
];

/// `true` for an action on the rows of the table, which the pane below it hides at full size.
fn is_on_rows(action: Action) -> bool {
    use Action as A;
    let is_of_search = matches!(
        action,
        A::Find | A::FindNext | A::FindPrevious | A::GoToTime | A::Filter
    );
    let is_of_table = matches!(
        action,
        A::SortColumn | A::SortDirection | A::Columns | A::Mark | A::MarkAll
    );
    is_of_search || is_of_table
}

/// Changes a tab; the cursor stays on its row.
fn change<T>(tab: &mut dyn RowsTab, change: impl FnOnce(&mut dyn RowsTab) -> T) -> T {
    let chosen = at_cursor(tab);
    let result = change(tab);
    arrange(tab, chosen.as_deref());
    result
}

/// `true` if a tab has the row that an action is about, or it is about none.
fn has_row(tab: &dyn RowsTab, action: Action) -> bool {
    let mut own = tab.actions().iter();
    let needs_row = match own.find(|own| own.action == action) {
        Some(own) => own.needs_row,
        // It may bring rows back that it has hidden.
        None if action == Action::Filter => return tab.len() > 0,
        None => matches!(action, Action::Find | Action::Copy),
    };
    !needs_row || tab.rows().selected().is_some()
}

/// All lines of the pane, and how many of them it shows: all but the last, which says where they
/// are, if they do not fit at full size.
fn laid(tab: &dyn RowsTab, area: Area, shared: &Shared, theme: Theme) -> (Sheet, u16) {
    let mut sheet = Sheet::new(area.width);
    tab.detail(&mut sheet, area.height, shared, theme);
    let is_cut = shared.screen.full && sheet.height() > area.height;
    (sheet, area.height.saturating_sub(u16::from(is_cut)))
}

/// Draws the part of the pane that is scrolled to.
fn draw_detail(tab: &dyn RowsTab, canvas: &mut Canvas<'_>, shared: &Shared) {
    let area = canvas.layout.summary;
    let theme = canvas.theme;
    let (mut sheet, height) = laid(tab, area, shared, theme);
    let lines = sheet.height();
    if height < area.height {
        let scrolled = u16::try_from(tab.rows().detail.top).unwrap_or(lines);
        let top = scrolled.min(lines.saturating_sub(height));
        sheet.skip(top);
        let place = format!("lines {}–{} of {lines}", top + 1, top + height);
        put(canvas.buffer, area.at(0, height), &place, theme.dim());
    }
    sheet.draw(canvas.buffer, area.split_top(height).0, theme);
}

/// Scrolls the pane.
fn scroll_detail(tab: &mut dyn RowsTab, step: Step, area: Area, shared: &Shared) {
    // The lines are the same in any colours.
    let (sheet, height) = laid(tab, area, shared, Theme::default());
    let mut shown = tab.rows().detail;
    // The first line of the pane is the cursor.
    let bottom = usize::from(sheet.height().saturating_sub(height));
    shown.step(step, bottom + 1, height.into());
    shown.top = shown.cursor;
    tab.rows_mut().detail = shown;
}

impl<T: RowsTab> Tab for T {
    fn table(&self) -> TableState {
        self.rows().table
    }

    fn table_mut(&mut self) -> &mut TableState {
        &mut self.rows_mut().table
    }

    fn len(&self, _shared: &Shared) -> usize {
        RowsTab::len(self)
    }

    fn row_count(&self, _shared: &Shared) -> usize {
        self.rows().order.len()
    }

    fn row_at_cursor(&self, _shared: &Shared) -> Option<Row> {
        Some(Row::Of(self.subject(self.rows().selected()?)?))
    }

    fn row_number(&self, _shared: &Shared, row: &Row) -> Option<usize> {
        match row {
            Row::Of(subject) => row_by_subject(self, subject),
            _ => None,
        }
    }

    fn moved(&mut self, _shared: &mut Shared) {
        self.rows_mut().is_held = false;
    }

    fn hold_row(&mut self) {
        self.rows_mut().is_held = true;
    }

    fn filter(&self) -> &Query {
        &self.rows().filter
    }

    fn set_filter(&mut self, _shared: &mut Shared, filter: Query) {
        change(self, |tab| tab.rows_mut().filter = filter);
    }

    fn order(&self) -> SortedBy<Heading> {
        SortedBy {
            column: Heading::Column(self.rows().sort),
            is_reversed: self.rows().is_reversed,
        }
    }

    fn set_order(&mut self, _shared: &mut Shared, order: SortedBy<Heading>) {
        change(self, |tab| {
            let rows = tab.rows_mut();
            rows.is_reversed = order.is_reversed;
            if let Heading::Column(column) = order.column {
                rows.sort = column;
            }
        });
    }

    fn orders(&self, _shared: &Shared) -> Vec<Heading> {
        let columns = RowsTab::columns(self).into_iter();
        columns.map(Heading::Column).collect()
    }

    fn sorted(&self, theme: Theme) -> String {
        self.rows().sorted(theme)
    }

    fn fields<'a>(&'a self, _shared: &'a Shared) -> BTreeSet<&'a str> {
        self.numbers().iter().copied().collect()
    }

    fn texts(&self) -> &'static [&'static str] {
        RowsTab::texts(self)
    }

    fn matching<'a>(&'a self, _shared: &'a Shared, query: &Query) -> Option<Cow<'a, [u32]>> {
        let rows = (0u32..).zip(&self.rows().order);
        let found = rows.filter(|(_, row)| answers(self, **row, query));
        Some(found.map(|(at, _)| at).collect())
    }

    fn forms(&self, _shared: &Shared) -> Vec<Form> {
        let selected = self.rows().selected();
        selected.map_or_else(Vec::new, |row| RowsTab::forms(self, row))
    }

    fn columns(&self) -> Vec<&'static str> {
        RowsTab::columns(self)
    }

    fn hint(&self, _shared: &Shared, _of: Hint) -> String {
        RowsTab::hint(self).to_owned()
    }

    fn title(&self, pane: Pane, _shared: &Shared, _theme: Theme) -> (String, String) {
        let [table, detail] = self.titles();
        let title = match pane {
            Pane::Table => table,
            _ => detail,
        };
        (String::new(), title)
    }

    fn actions(&self) -> &'static [TabAction] {
        RowsTab::actions(self)
    }

    fn footer(&self, shared: &Shared) -> Vec<Entry> {
        let actions = RowsTab::actions(self).iter();
        let with_word = actions.filter(|own| !own.word.is_empty());
        let own = with_word.map(|own| match own.action {
            Action::Details if shared.screen.full => (own.action, "list"),
            action => (action, own.word),
        });
        let all = own.chain(ROWS.iter().copied());
        let is_hidden = |action| shared.screen.full && is_on_rows(action);
        let here = all.filter(|(action, _)| {
            self.offers(*action) && has_row(self, *action) && !is_hidden(*action)
        });
        let rows = self.rows();
        let is_without = rows.order.is_empty() && !rows.filter.is_empty();
        let esc = is_without.then_some((Action::Dismiss, "all rows"));
        let first = self.first_entry().or(esc);
        first.into_iter().chain(here).collect()
    }

    fn signs(&self, theme: Theme) -> Vec<Vec<Meaning>> {
        vec![RowsTab::signs(self, theme)]
    }

    fn key(&mut self, action: Action, shared: &mut Shared) -> Option<Outcome> {
        if shared.screen.full && is_on_rows(action) {
            let list = shared.key_of(Action::Dismiss);
            return Some(Outcome::Say(format!("{list} list  works only there")));
        }
        let is_own = |own: &TabAction| own.action == action;
        let has_it = RowsTab::actions(self).iter().any(is_own);
        has_it.then(|| change(self, |tab| tab.key(action, shared)))
    }

    fn scroll(&mut self, step: Step, shared: &Shared) -> bool {
        if shared.screen.full {
            let layout = shared.layout_at(
                (shared.screen.width, shared.screen.height),
                Arrangement::Rows,
            );
            scroll_detail(self, step, layout.summary, shared);
        }
        shared.screen.full
    }

    fn event(&mut self, event: &Event, shared: &Shared) {
        let chosen = at_cursor(self);
        if RowsTab::event(self, event, shared) {
            arrange(self, chosen.as_deref());
        }
    }

    fn stop(&mut self, shared: &mut Shared) -> bool {
        // What the pane hides, such as the filter, is not taken back before it.
        RowsTab::stop(self, shared) || std::mem::take(&mut shared.screen.full)
    }

    fn dismiss(&mut self, _shared: &mut Shared) -> bool {
        change(self, |tab| tab.dismiss())
    }

    fn is_busy(&self) -> bool {
        RowsTab::is_busy(self)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, shared: &Shared) {
        draw_detail(self, canvas, shared);
        if !shared.screen.full {
            self.draw_table(canvas, shared);
        }
    }
}
