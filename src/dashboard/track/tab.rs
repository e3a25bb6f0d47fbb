//! The track as a tab.

use std::borrow::Cow;
use std::collections::BTreeSet;

use strum::VariantArray;
use uuid::Uuid;

use super::keys::{
    ACTIONS, EXCLUDE, FIXES, INCLUDE, MAP, NO_FIX, NO_TRACK, NOTHING, SUMMARY, TIMELINE,
};
use super::nearest::same_fix;
use super::{TrackTab, summary, table, timeline};
use crate::dashboard::canvas::Canvas;
use crate::dashboard::keymap::Action;
use crate::dashboard::layout::Arrangement;
use crate::dashboard::map::caption::name_and_title;
use crate::dashboard::row::Row;
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::{Pane, TabId};
use crate::dashboard::tabs::{Entry, Form, Hint, MapTab, Meaning, Outcome, Tab, TabAction};
use crate::dashboard::targets::Heading;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::table::{heading, names};
use crate::dashboard::widgets::table_state::TableState;
use crate::dashboard::{map, signs};
use crate::text;
use crate::track::query::Query;
use crate::track::sort::SortedBy;
use crate::track::{Flag, TrackSort};

/// `true` if the service has answered for the open deployment, and there is no fix.
fn lacks_fixes(shared: &Shared) -> bool {
    shared.open_deployment().is_some_and(|open| {
        let track = &open.track;
        !track.has_data() && (track.is_answered || track.failure.is_some())
    })
}

impl Tab for TrackTab {
    fn table(&self) -> TableState {
        self.table
    }

    fn table_mut(&mut self) -> &mut TableState {
        &mut self.table
    }

    fn len(&self, shared: &Shared) -> usize {
        shared.full_track().map_or(0, |track| track.len())
    }

    fn row_count(&self, shared: &Shared) -> usize {
        let track = self.shown_track(shared);
        track.map_or(0, |track| self.rows(track))
    }

    fn row_at_cursor(&self, shared: &Shared) -> Option<Row> {
        let fix = self.fix_in_row(self.shown_track(shared)?, self.table.cursor)?;
        Some(Row::Fix(fix.time_stamp, fix.position))
    }

    fn row_number(&self, shared: &Shared, row: &Row) -> Option<usize> {
        let Row::Fix(time_stamp, position) = row else {
            return None;
        };
        let track = self.shown_track(shared)?;
        self.row_by_fix(same_fix(track, *time_stamp, *position)?)
    }

    fn moved(&mut self, shared: &mut Shared) {
        self.before_filter = None;
        self.cursor_from_row(shared);
    }

    fn filter(&self) -> &Query {
        &self.arrangement.filter
    }

    fn set_filter(&mut self, shared: &mut Shared, filter: Query) {
        if self.arrangement.filter.is_empty() {
            let follow = self.follow;
            self.before_filter = self.at.map(|at| (at, follow));
        }
        let is_none = filter.text().is_empty();
        self.arrangement.filter = filter;
        if is_none && let Some((at, follow)) = self.before_filter.take() {
            (self.at, self.follow) = (Some(at), follow);
            self.open_track_changed(shared);
        } else {
            self.arrange_rows(shared);
        }
    }

    fn order(&self) -> SortedBy<Heading> {
        SortedBy {
            column: Heading::Fixes(self.arrangement.sort),
            is_reversed: self.arrangement.descending,
        }
    }

    fn set_order(&mut self, shared: &mut Shared, order: SortedBy<Heading>) {
        let before = self.arrangement.sort;
        self.arrangement.descending = order.is_reversed;
        if let Heading::Fixes(column) = order.column {
            self.arrangement.sort = column;
        }
        match self.arrangement.sort {
            TrackSort::Field if before != TrackSort::Field => self.sort_by_shown_field(shared),
            _ => self.arrange_rows(shared),
        }
    }

    fn orders(&self, shared: &Shared) -> Vec<Heading> {
        let has_field = self.has_field_column(shared);
        let all = TrackSort::VARIANTS.iter().copied();
        let offered = all.filter(|sort| has_field || *sort != TrackSort::Field);
        offered.map(Heading::Fixes).collect()
    }

    fn sorted(&self, theme: Theme) -> String {
        let by = match self.arrangement.sort {
            TrackSort::Field => text::fit(&self.arrangement.field, 20),
            sort => heading(table::COLUMNS, Heading::Fixes(sort)).to_owned(),
        };
        format!("by {by} {}", theme.sort_arrow(self.arrangement.descending))
    }

    fn fields<'a>(&'a self, _shared: &'a Shared) -> BTreeSet<&'a str> {
        let charts = self.fields.charts.iter();
        charts.flat_map(|charts| charts.names()).collect()
    }

    fn search(&mut self, shared: &mut Shared) {
        self.search_track(shared);
    }

    // A million rows are not copied for each frame.
    fn matching<'a>(&'a self, shared: &'a Shared, _query: &Query) -> Option<Cow<'a, [u32]>> {
        let rows = shared.screen.search.as_ref()?.rows.as_ref()?;
        Some(Cow::Borrowed(rows.as_slice()))
    }

    fn match_noun(&self, query: &Query) -> &'static str {
        // Of a value that rises and falls, the rows at which it begins to be so.
        if query.has_crossings() {
            "crossing"
        } else {
            "match"
        }
    }

    fn search_typed(&mut self, shared: &mut Shared) {
        self.show_searched_field(shared);
    }

    fn go_to(&mut self, shared: &mut Shared, text: &str) -> Option<Result<(), String>> {
        self.go_to_typed(shared, text)
    }

    fn follows(&self) -> bool {
        self.follow
    }

    fn follow_again(&mut self) {
        self.follow = true;
    }

    fn forms(&self, shared: &Shared) -> Vec<Form> {
        self.forms_of_fix(shared)
    }

    fn columns(&self) -> Vec<&'static str> {
        names(table::COLUMNS)
    }

    fn hint(&self, _shared: &Shared, of: Hint) -> String {
        let day = match of {
            Hint::Find => "@11-06 (then T: that day)",
            Hint::Filter => "@11-06",
        };
        format!("battery<12 sog>2kn gap>6h {day} flag:fail #12; time, reason")
    }

    fn title(&self, pane: Pane, shared: &Shared, theme: Theme) -> (String, String) {
        let layout = self.layout(shared);
        let name = shared.open_deployment().map(|open| open.name());
        let open = || text::clean(&name.unwrap_or_default()).into_owned();
        match pane {
            Pane::Table => (open(), "Fixes".to_owned()),
            Pane::Summary if shared.map.sought.picture.is_some() => {
                (open(), "Where to look".to_owned())
            }
            Pane::Summary => (open(), "Summary".to_owned()),
            // It knows how much room a name has.
            Pane::Map => match self.content(shared) {
                Some(content) => name_and_title(&content, layout.frame(Pane::Map).width, theme),
                None => (String::new(), "Map".to_owned()),
            },
            Pane::Timeline => timeline::name_and_title(self, shared, &layout),
        }
    }

    fn actions(&self) -> &'static [TabAction] {
        ACTIONS
    }

    fn footer(&self, shared: &Shared) -> Vec<Entry> {
        let entries = match shared.screen.pane {
            _ if shared.deployments.list.is_empty() => NOTHING,
            _ if lacks_fixes(shared) => NO_TRACK,
            Pane::Table if !self.arrangement.filter.is_empty() && self.row_count(shared) == 0 => {
                NO_FIX
            }
            Pane::Table => FIXES,
            Pane::Map => MAP,
            Pane::Timeline => TIMELINE,
            Pane::Summary => SUMMARY,
        };
        let fix = self.cursor_fix(shared);
        let track = self.shown_track(shared);
        let last = track.and_then(|track| track.len().checked_sub(1));
        let is_failed = fix.is_some_and(|fix| fix.flag == Flag::Fail);
        let is_last = fix.is_some_and(|fix| Some(fix.index) == last);
        let no_field_varies = self.no_field_varies();
        let esc = self.esc_word(shared);
        let entry = |entry: &Entry| match *entry {
            (Action::Dismiss, _) => esc.map(|word| (Action::Dismiss, word)),
            // All bad fixes are before the last fix: the key for the next one would go around
            // the end of the track.
            (Action::NextFlagged, word) if is_last => Some((Action::PreviousFlagged, word)),
            (Action::NextField | Action::ChooseField, _) if no_field_varies => None,
            (Action::OverrideFlag, EXCLUDE) if is_failed => Some((Action::OverrideFlag, INCLUDE)),
            entry => Some(entry),
        };
        entries.iter().filter_map(entry).collect()
    }

    fn signs(&self, theme: Theme) -> Vec<Vec<Meaning>> {
        vec![signs::of_track(theme), signs::of_deployments(theme)]
    }

    fn key(&mut self, action: Action, shared: &mut Shared) -> Option<Outcome> {
        match action {
            Action::Follow => self.toggle_follow(shared),
            Action::Earlier => self.move_cursor(shared, -1),
            Action::Later => self.move_cursor(shared, 1),
            Action::NextFlagged => self.go_to_flagged(shared, 1),
            Action::PreviousFlagged => self.go_to_flagged(shared, -1),
            Action::Measure => self.measure(shared),
            Action::OverrideFlag => self.override_flag(shared),
            Action::FailedFixes => self.next_failed(shared),
            Action::ColourBy => self.next_colour(shared),
            Action::NextField => self.step_field(shared, 1),
            Action::PreviousField => self.step_field(shared, -1),
            Action::Rings => self.toggle_rings(shared),
            Action::Range => self.next_time_preset(shared),
            Action::RangeFrom | Action::RangeTo => self.time_range_at_cursor(shared, action),
            _ => return None,
        }
        Some(Outcome::Done)
    }

    fn follow(&mut self, shared: &mut Shared) {
        self.follow_shared(shared);
    }

    fn dismiss(&mut self, shared: &mut Shared) -> bool {
        if std::mem::take(&mut self.marks).0.is_some() {
            return true;
        }
        let has_range = self.time_range.is_some();
        self.clear_time_range(shared);
        has_range
    }

    fn back(&self) -> Option<TabId> {
        Some(TabId::Deployments)
    }

    fn deployment(&self, shared: &Shared) -> Option<Uuid> {
        shared.deployments.open
    }

    fn arrangement(&self, shared: &Shared) -> Arrangement {
        self.panes(shared)
    }

    fn map(&self) -> Option<&dyn MapTab> {
        Some(self)
    }

    fn map_mut(&mut self) -> Option<&mut dyn MapTab> {
        Some(self)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, shared: &Shared) {
        table::draw(self, canvas, shared);
        if let Some(content) = self.content(shared) {
            map::draw(canvas, &content);
        }
        if shared.map.sought.picture.is_some() {
            return;
        }
        timeline::draw(self, canvas, shared);
        summary::draw(self, canvas, shared);
    }
}
