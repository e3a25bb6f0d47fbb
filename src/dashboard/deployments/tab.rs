//! The list as a tab.

use std::borrow::Cow;
use std::collections::BTreeSet;

use strum::VariantArray;
use uuid::Uuid;

use super::keys::{ACTIONS, LIST, NO_MATCH, PAST, WORLD};
use super::list::Change;
use super::{DeploymentsTab, detail, table};
use crate::dashboard::canvas::Canvas;
use crate::dashboard::keymap::Action;
use crate::dashboard::layout::Arrangement;
use crate::dashboard::map::caption::name_and_title;
use crate::dashboard::row::Row;
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::Pane;
use crate::dashboard::tabs::{
    Entry, Form, Hint, MapTab, Meaning, NOTHING_WATCHED, Outcome, Tab, TabAction, row_text,
};
use crate::dashboard::targets::Heading;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::table::{Look, heading, names};
use crate::dashboard::widgets::table_state::TableState;
use crate::dashboard::{format, map, signs};
use crate::text;
use crate::track::query::Query;
use crate::track::sort::SortedBy;
use crate::track::{DeploymentSort, time};

impl Tab for DeploymentsTab {
    fn table(&self) -> TableState {
        self.table
    }

    fn table_mut(&mut self) -> &mut TableState {
        &mut self.table
    }

    fn len(&self, shared: &Shared) -> usize {
        shared.deployments.list.len()
    }

    fn row_count(&self, _shared: &Shared) -> usize {
        self.order.len()
    }

    fn row_at_cursor(&self, shared: &Shared) -> Option<Row> {
        Some(Row::Deployment(self.deployment(shared)?))
    }

    fn row_number(&self, _shared: &Shared, row: &Row) -> Option<usize> {
        match row {
            Row::Deployment(uuid) => self.row(*uuid),
            _ => None,
        }
    }

    fn row_name(&self, shared: &Shared, row: usize) -> Option<String> {
        shared.deployments.name_by_id(*self.order.get(row)?)
    }

    fn moved(&mut self, _shared: &mut Shared) {
        self.is_chosen = true;
        self.before_filter = None;
    }

    fn hold_row(&mut self) {
        if self.table.cursor < self.order.len() {
            self.is_chosen = true;
            self.before_filter = None;
        }
    }

    fn filter(&self) -> &Query {
        &self.filter
    }

    fn set_filter(&mut self, shared: &mut Shared, filter: Query) {
        if self.before_filter.is_none() {
            self.before_filter = self.deployment(shared);
        }
        self.filter = filter;
        self.arrange(&mut shared.deployments, shared.now);
        if self.filter.text().is_empty()
            && let Some(uuid) = self.before_filter.take()
        {
            self.select(uuid);
        }
    }

    fn order(&self) -> SortedBy<Heading> {
        SortedBy {
            column: Heading::Deployments(self.sort.column),
            is_reversed: self.sort.is_reversed,
        }
    }

    fn set_order(&mut self, shared: &mut Shared, order: SortedBy<Heading>) {
        self.sort.is_reversed = order.is_reversed;
        if let Heading::Deployments(column) = order.column {
            self.sort.column = column;
        }
        self.arrange_rows(&shared.deployments, shared.now);
    }

    fn orders(&self, shared: &Shared) -> Vec<Heading> {
        let has_group = shared.deployments.widest.group > 0;
        let all = DeploymentSort::VARIANTS.iter().copied();
        let offered = all.filter(|sort| has_group || *sort != DeploymentSort::Group);
        offered.map(Heading::Deployments).collect()
    }

    fn sorted(&self, theme: Theme) -> String {
        let by = heading(table::COLUMNS, Heading::Deployments(self.sort.column));
        format!("by {by} {}", theme.sort_arrow(self.is_descending()))
    }

    fn fields<'a>(&'a self, shared: &'a Shared) -> BTreeSet<&'a str> {
        let all = shared.deployments.list.iter();
        let values = all.flat_map(|deployment| &deployment.last_values);
        values.map(|(name, _)| name.as_str()).collect()
    }

    fn matching<'a>(&'a self, shared: &'a Shared, query: &Query) -> Option<Cow<'a, [u32]>> {
        let rows = (0u32..).zip(&self.order);
        let is_found = |uuid| {
            let row = shared.deployments.get(uuid);
            row.is_some_and(|row| row.answers(query, shared.now))
        };
        Some(
            rows.filter_map(|(at, uuid)| is_found(*uuid).then_some(at))
                .collect(),
        )
    }

    fn forms(&self, shared: &Shared) -> Vec<Form> {
        let Some(deployment) = self.selected(&shared.deployments) else {
            return Vec::new();
        };
        let mut forms = Vec::new();
        if let Some(fix) = deployment.latest() {
            forms.push(("last position", format::position(shared, fix.position)));
            let at = time::rfc3339(fix.time_stamp);
            let latitude = fix.position.latitude;
            let longitude = fix.position.longitude;
            let row = [
                deployment.name(),
                at,
                latitude.to_string(),
                longitude.to_string(),
            ];
            forms.push(("row", row_text(&row)));
        }
        forms.push(("UUID", deployment.deployment.id.to_string()));
        forms
    }

    fn columns(&self) -> Vec<&'static str> {
        names(table::COLUMNS)
    }

    fn hint(&self, _shared: &Shared, _of: Hint) -> String {
        "bat<12 group:ice status:overdue age>1d sog<0.2kn \"two words\"; name, UUID, notes"
            .to_owned()
    }

    fn title(&self, pane: Pane, shared: &Shared, theme: Theme) -> (String, String) {
        let map = || {
            let content = self.content(shared, self.world_view(shared)?);
            let width = self.layout(shared).frame(Pane::Map).width;
            Some(name_and_title(&content, width, theme).1)
        };
        let title = match pane {
            // A past moment must not be taken for now.
            Pane::Table => match shared.past_moment() {
                Some(at) => format!("At {}, Esc: now", shared.times().short_moment(at)),
                None => "Deployments".to_owned(),
            },
            Pane::Map => map().unwrap_or_else(|| "Map".to_owned()),
            Pane::Timeline | Pane::Summary => {
                let name = self.selected(&shared.deployments).map(|known| known.name());
                text::clean(&name.unwrap_or_default()).into_owned()
            }
        };
        (String::new(), title)
    }

    fn actions(&self) -> &'static [TabAction] {
        ACTIONS
    }

    fn footer(&self, shared: &Shared) -> Vec<Entry> {
        let past = shared.past_moment().map_or(&[][..], |_| PAST);
        let focus = Self::panes(shared).focused(
            shared.screen.pane,
            shared.screen.full.then_some(shared.screen.pane),
        );
        let own = match focus {
            _ if shared.deployments.list.is_empty() => NOTHING_WATCHED,
            Pane::Map => WORLD,
            _ if self.row_count(shared) == 0 => NO_MATCH,
            _ => LIST,
        };
        [past, own].concat()
    }

    fn signs(&self, theme: Theme) -> Vec<Vec<Meaning>> {
        let mut signs = signs::of_deployments(theme);
        signs.push((theme.refresh_failed(), "refresh failed"));
        vec![signs]
    }

    fn key(&mut self, action: Action, shared: &mut Shared) -> Option<Outcome> {
        (action == Action::Mark).then(|| {
            self.mark(shared);
            Outcome::Done
        })
    }

    // Its rows are those of the list that all share: when an entry comes or goes, the next key
    // would find its row gone. And the values of the chosen row are read once it is chosen.
    fn follow(&mut self, shared: &mut Shared) {
        if shared.deployments.change == Change::Entries {
            self.arrange(&mut shared.deployments, shared.now);
        }
        self.read_selected_values(shared);
    }

    fn dismiss(&mut self, shared: &mut Shared) -> bool {
        shared.unmark_all() || shared.return_to_now()
    }

    fn deployment(&self, shared: &Shared) -> Option<Uuid> {
        self.selected(&shared.deployments).map(|known| known.uuid())
    }

    fn arrangement(&self, shared: &Shared) -> Arrangement {
        Self::panes(shared)
    }

    fn opens_on_click(&self) -> bool {
        true
    }

    fn map(&self) -> Option<&dyn MapTab> {
        Some(self)
    }

    fn map_mut(&mut self) -> Option<&mut dyn MapTab> {
        Some(self)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, shared: &Shared) {
        // The map of the past keeps the view of now.
        let view = self.world_view(shared);
        let past = shared.past();
        let shared = past.as_ref().unwrap_or(shared);
        table::draw(self, canvas, shared);
        let mut shown = canvas.memory.targets.columns.clone();
        let width = canvas.layout.table.width;
        let has_word = table::has_word(&Look::new(shared, canvas.theme, width));
        shown.retain(|column| *column != "status" || has_word);
        if let Some(view) = view {
            map::draw(canvas, &self.content(shared, view));
        }
        if let Some(deployment) = self.selected(&shared.deployments) {
            detail::draw(canvas, deployment, shared, &shown);
        }
    }
}
