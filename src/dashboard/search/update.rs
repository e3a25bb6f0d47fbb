//! Find: the cursor goes from match to match, all rows stay.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::{Matches, Search};
use crate::dashboard::compute::{Computed, JobKind};
use crate::dashboard::keymap::Action;
use crate::dashboard::shared::Shared;
use crate::dashboard::shell::Shell;
use crate::dashboard::tab::TabId;
use crate::dashboard::track::TrackTab;
use crate::dashboard::track::time_range::DAY_S;
use crate::dashboard::widgets::text::Text;
use crate::text::{self, has_word};
use crate::track::query::Query;
use crate::track::{matching_rows, time};

impl Shared {
    /// Ends the search; the cursor does not move.
    pub(crate) fn end_search(&mut self) {
        self.screen.search = None;
        self.cancel_job(JobKind::Matches);
    }
}

impl TrackTab {
    /// Requests the rows of the open track that match the search.
    pub(crate) fn search_track(&mut self, shared: &mut Shared) {
        let fields = self.shown_fields(shared);
        let order = self.order.clone();
        let track = self.shown_track(shared).cloned();
        let is_shown = shared.screen.tab == TabId::Track;
        let searched = shared.screen.searched().filter(|_| is_shown);
        let query = searched.map(|search| search.query.clone());
        let (Some(query), Some(track)) = (query, track) else {
            return shared.cancel_job(JobKind::Matches);
        };
        let fixes = track.len();
        let work = move || {
            let order = order.as_ref().map(|order| order.as_slice());
            let read = |name: &str| fields.as_ref()?.reader(name);
            Computed::Matches(Arc::new(matching_rows(&track, order, &query, read)))
        };
        shared.compute(JobKind::Matches, fixes, work);
    }

    /// Shows on the timeline the field that was searched for.
    pub(in crate::dashboard) fn show_searched_field(&mut self, shared: &mut Shared) {
        let is_shown = shared.screen.tab == TabId::Track;
        let search = shared.screen.search.as_ref().filter(|_| is_shown);
        let field = search.and_then(|search| search.query.field());
        if let Some(field) = field.map(str::to_owned)
            && self.field_named(shared, &field).is_some()
        {
            (self.field, self.is_field_chosen) = (Some(field), true);
        }
    }

    /// The times from a typed one on; of a date without a time of day, those of the day.
    pub(super) fn time_range(&self, shared: &Shared, text: &str) -> Option<Range<f64>> {
        let start = self.time_of_track(shared, text)?;
        if !matches!(&*shape(text.trim()), "0000-00-00" | "00-00") {
            return Some(start..f64::INFINITY);
        }
        // A day has 23 to 25 hours.
        let zone = shared.shown_zone();
        let next = time::written(start + 1.5 * DAY_S, zone, "%Y-%m-%d");
        Some(start..time::parse_in(&next, shared.now, zone).ok()?)
    }

    /// A typed time, whole or as the screen writes it: without its year, which is
    /// that nearest to the track, or without its day, which is the cursor's.
    fn time_of_track(&self, shared: &Shared, text: &str) -> Option<f64> {
        let now = shared.now;
        let zone = shared.shown_zone();
        let parse = |text: &str| time::parse_in(text, now, zone).ok();
        let text = &*with_two_digit_hour(text);
        let shape = shape(text);
        let Some(track) = self.shown_track(shared) else {
            return parse(text);
        };
        match shape.as_str() {
            "0000-00" => parse(&format!("{text}-01")),
            "00:00" | "00:00:00" => {
                let here = time::table(track.fix(self.cursor)?.time_stamp, zone);
                let (day, _) = here.split_once(' ')?;
                parse(&format!("{day} {text}"))
            }
            "00-00" | "00-00 00:00" | "00-00 00:00:00" => {
                let (first, last) = track.ends()?;
                let year = |time| time::table(time, zone).get(..4)?.parse::<i32>().ok();
                let years = year(first)?.saturating_sub(1)..=year(last)?.saturating_add(1);
                let times = years.filter_map(|year| parse(&format!("{year:04}-{text}")));
                let away = |time: f64| (first - time).max(time - last).max(0.0);
                // Of several within the track, the latest.
                times.min_by(|time, other| {
                    let latest = other.total_cmp(time);
                    away(*time).total_cmp(&away(*other)).then(latest)
                })
            }
            _ => parse(text),
        }
    }

    /// Puts the cursor on the first fix of a day, or on the fix nearest to the start of
    /// these times (UNIX seconds).
    fn go_to_time(&mut self, shared: &mut Shared, wanted: &Range<f64>) {
        shared.end_search();
        self.before_filter = None;
        let track = self.shown_track(shared);
        let first = track.and_then(|track| track.time_stamp(track.count_before(wanted.start)));
        let is_day = wanted.end.is_finite();
        let of_day = first.filter(|time| is_day && *time < wanted.end);
        self.cursor_to_time(shared, of_day.unwrap_or(wanted.start));
        let fix = self.cursor_fix(shared);
        let Some(fix) = fix else {
            shared.notify("there is no fix to go to");
            return;
        };
        let at = time::table(fix.time_stamp, shared.shown_zone());
        let away = fix.time_stamp - wanted.start;
        let days = shared.key_of(Action::Range);
        let nearest = format!("nearest fix: {at}");
        shared.notify(match away {
            _ if of_day.is_some() => {
                Text::from(format!("first fix of the day: {at}; {days}: 1 day"))
                    .or(format!("{days} 1 day  first fix: {at}"))
            }
            ..=-1.0 => {
                Text::from(format!("{nearest}, {} before", time::duration(-away))).or(nearest)
            }
            1.0.. => Text::from(format!("{nearest}, {} after", time::duration(away))).or(nearest),
            _ => nearest.into(),
        });
    }

    /// Puts the cursor on the fix of a typed number, counted from 1 in the order of time.
    ///
    /// # Errors
    /// A description of the fault in the number.
    fn go_to_number(&mut self, shared: &mut Shared, typed: &str) -> Result<(), String> {
        let count = self.shown_track(shared).map_or(0, |track| track.len());
        let typed: String = typed
            .chars()
            .filter(|letter| !letter.is_whitespace())
            .collect();
        let parsed: Option<usize> = typed.parse().ok();
        let in_track = parsed.filter(|number| (1..=count).contains(number));
        let number = in_track.ok_or_else(|| match count {
            0 => "there is no fix to go to".to_owned(),
            _ => format!("not the number of a fix: 1 to {count}"),
        })?;
        shared.end_search();
        self.go_to_fix(shared, number - 1);
        let fix = self
            .shown_track(shared)
            .and_then(|track| track.fix(number - 1));
        if let Some(fix) = fix {
            let at = time::table(fix.time_stamp, shared.shown_zone());
            let [number, count] = [number, count].map(text::count);
            shared.notify(format!("fix {number} of {count}: {at}"));
        }
        Ok(())
    }

    /// Goes to a time after `@`, to the number of a fix after `#`, or to a text that no row
    /// contains and that may be a time; `None` for any other.
    ///
    /// # Errors
    /// A description of the fault in the text.
    pub(in crate::dashboard) fn go_to_typed(
        &mut self,
        shared: &mut Shared,
        text: &str,
    ) -> Option<Result<(), String>> {
        let typed = text.strip_prefix('@');
        if let Some(number) = text.strip_prefix('#') {
            return Some(self.go_to_number(shared, number));
        }
        let search = shared.screen.search.as_ref();
        let rows = search.and_then(|search| search.rows.as_ref());
        let is_found = rows.is_none_or(|rows| !rows.is_empty());
        if typed.is_none() && (is_found || !text.contains(['-', ':'])) {
            return None;
        }
        let times = self.time_range(shared, typed.unwrap_or(text));
        match times {
            Some(times) => self.go_to_time(shared, &times),
            None if typed.is_some() => {
                let fault = "not a time, such as 2026-11-06, 11-06 12:00 or 7d";
                return Some(Err(fault.to_owned()));
            }
            None => return None,
        }
        Some(Ok(()))
    }
}

impl Shell {
    /// Rows have other texts: filter and search read the shown texts.
    pub(crate) fn rewrite_rows(&mut self) {
        let filter = self.filter().to_owned();
        if !filter.is_empty() {
            self.set_filter(&filter);
        }
        let search = self.shared.screen.search.as_ref();
        let searched = search.map(|search| self.query(search.query.text()));
        if let (Some(search), Some(query)) = (&mut self.shared.screen.search, searched) {
            search.query = query;
            search.rows = None;
            let tab = self.tabs.get_mut(self.shared.screen.tab);
            tab.search(&mut self.shared);
        }
    }

    /// Enter keeps the filter: the selected deployment stays selected when the filter
    /// ends, since the next key may be about it.
    ///
    /// # Errors
    /// A description of the fault in the filter.
    pub(crate) fn keep_filter(&mut self) -> Result<(), String> {
        let fault = &self.tab().filter().fault;
        if !fault.is_empty() {
            return Err(fault.clone());
        }
        self.tab_mut().0.hold_row();
        Ok(())
    }

    /// Sets the filter of this tab's rows.
    pub(crate) fn set_filter(&mut self, text: &str) {
        let query = self.query(text);
        let (tab, shared) = self.tab_mut();
        tab.set_filter(shared, query);
    }

    /// Begins a search of this tab's rows.
    pub(crate) fn begin_search(&mut self) {
        let origin = self.tab().row_at_cursor(&self.shared);
        let followed = self.tab().follows();
        self.shared.screen.search = Some(Search {
            query: Query::default(),
            rows: None,
            moves: false,
            is_typed: false,
            origin,
            followed,
        });
    }

    /// Searches the track that was opened for what the list was searched for: where the
    /// values of fields crossed these limits.
    pub(in crate::dashboard) fn search_on_track(&mut self, compared: &str) {
        if compared.is_empty() {
            return;
        }
        self.begin_search();
        self.find(compared);
        if let Some(search) = &mut self.shared.screen.search {
            search.is_typed = true;
        }
    }

    /// The text of the search has changed: the cursor goes to the first match
    /// at or after the row where the search began.
    pub(crate) fn find(&mut self, text: &str) {
        let query = self.query(text);
        let Some(search) = &mut self.shared.screen.search else {
            return;
        };
        search.query = query;
        search.rows = None;
        search.moves = true;
        let (tab, shared) = self.tab_mut();
        tab.search(shared);
        if self.matching_rows().is_some() {
            self.go_to_first_match();
        }
    }

    /// Shows the matching rows.
    pub(in crate::dashboard) fn matches_computed(&mut self, rows: Arc<Vec<u32>>) {
        let Some(search) = &mut self.shared.screen.search else {
            return;
        };
        search.rows = Some(rows);
        // The names of fields may not be known yet.
        if search.moves && search.query.fault.is_empty() {
            self.go_to_first_match();
            self.search_typed();
        }
    }

    /// Says what a search has found that was typed to its end, and ends one that no row matches.
    fn search_typed(&mut self) {
        let search = self.shared.screen.search.as_ref();
        let Some(search) = search.filter(|search| search.is_typed) else {
            return;
        };
        if matches!(self.matches(), Some(Matches::Found(0, _))) {
            let text = search.query.text().trim().to_owned();
            self.abandon_search();
            return self.shared.warn(format!("no row has {text}"));
        }
        self.tell_match("");
        let (tab, shared) = self.tab_mut();
        tab.search_typed(shared);
    }

    /// Ends the typing of a search; returns the fault of the text.
    pub(crate) fn find_typed(&mut self, text: &str) -> Result<(), String> {
        let (tab, shared) = self.tab_mut();
        if let Some(gone) = tab.go_to(shared, text) {
            return gone;
        }
        if text.is_empty() {
            self.abandon_search();
        }
        if let Some(search) = &mut self.shared.screen.search {
            if !search.query.fault.is_empty() {
                return Err(search.query.fault.clone());
            }
            search.is_typed = true;
        }
        self.search_typed();
        Ok(())
    }

    fn go_to_first_match(&mut self) {
        let rows = self.matching_rows().unwrap_or_default();
        let rows: Vec<usize> = rows.iter().map(|row| *row as usize).collect();
        let Some(search) = &mut self.shared.screen.search else {
            return;
        };
        search.moves = false;
        // The first crossing is the first of all.
        let row = search.origin.clone();
        let before = row.filter(|_| !search.query.has_crossings());
        let text = search.query.text().trim().to_lowercase();
        let origin = before
            .and_then(|row| self.tab().row_number(&self.shared, &row))
            .unwrap_or(0);
        let is_named = |row: &usize, is_it: fn(&str, &str) -> bool| {
            let named = self.tab().row_name(&self.shared, *row);
            named.is_some_and(|named| is_it(&named.to_lowercase(), &text))
        };
        let is_exact = |row: &&usize| is_named(row, |name, text| name == text);
        let exact = rows.iter().find(is_exact);
        // A name that begins with these words comes before one that has them, and that before a
        // name and a platform that have one each.
        let behind = || rows.iter().filter(|row| **row >= origin);
        let begins = |row: &&usize| is_named(row, |name, text| name.starts_with(text));
        let begun = behind().chain(&rows).find(begins);
        let phrase = behind().find(|row| is_named(row, has_word));
        let after = behind().next();
        if let Some(row) = exact.or(begun).or(phrase).or(after).or(rows.first()) {
            self.go_to_row(*row);
        }
    }

    /// Says on which match the cursor is.
    fn tell_match(&mut self, around: &str) {
        if let Some(Matches::Found(count, Some(number))) = self.matches() {
            let next = self.shared.key_of(Action::FindNext);
            let found = self.match_noun();
            let [at, all] = [number, count].map(text::count);
            let place = format!("{found} {at} of {all}");
            self.shared.notify(match (number, count) {
                (1, 2..) if around.is_empty() => format!("{place}; {next}: next"),
                _ => place + around,
            });
        }
    }

    /// Moves the cursor to the next match, or for -1 to that before it; after the last
    /// comes the first.
    pub(crate) fn go_to_match(&mut self, by: isize) {
        let Some(search) = &self.shared.screen.search else {
            let find = self.shared.key_of(Action::Find);
            self.shared
                .notify(format!("nothing is searched for: {find} finds"));
            return;
        };
        let text = search.query.text().trim().to_owned();
        let Some(rows) = self.matching_rows() else {
            self.shared.notify("searching");
            return;
        };
        let cursor = u32::try_from(self.table().cursor).unwrap_or(u32::MAX);
        let (next, around) = if by > 0 {
            (rows.iter().find(|row| **row > cursor), rows.first())
        } else {
            (rows.iter().rfind(|row| **row < cursor), rows.last())
        };
        match (next.copied(), around.copied()) {
            (Some(row), _) => {
                self.go_to_row(row as usize);
                self.tell_match("");
            }
            (None, Some(row)) => {
                self.go_to_row(row as usize);
                self.tell_match(if by > 0 {
                    ", from the first row again"
                } else {
                    ", from the last row again"
                });
            }
            (None, None) => self.shared.notify(format!("no row has {text}")),
        }
    }

    /// Ends the search; the cursor returns to the row before the search.
    pub(crate) fn abandon_search(&mut self) {
        let Some(search) = self.shared.screen.search.take() else {
            return;
        };
        let origin = search.origin;
        if let Some(row) = origin.and_then(|row| self.tab().row_number(&self.shared, &row)) {
            self.go_to_row(row);
        }
        if search.followed {
            self.tab_mut().0.follow_again();
        }
    }
}

/// A text with a 0 for each digit.
fn shape(text: &str) -> String {
    text.replace(|c: char| c.is_ascii_digit(), "0")
}

/// A typed time with a two-digit hour, for a text such as `8:05`.
fn with_two_digit_hour(text: &str) -> Cow<'_, str> {
    let start = text.rfind(' ').map_or(0, |space| space + 1);
    match text.as_bytes().get(start..) {
        Some([hour, b':', ..]) if hour.is_ascii_digit() => {
            let (day, clock) = text.split_at(start);
            Cow::Owned(format!("{day}0{clock}"))
        }
        _ => Cow::Borrowed(text),
    }
}
