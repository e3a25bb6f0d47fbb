//! The time range that table, map and summary are limited to: a press on the
//! timeline moves the cursor, a drag chooses the range.

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use super::follow::tracks_together;
use super::nearest::nearest_in_time;
use crate::dashboard::compute::{Computed, JobKind};
use crate::dashboard::key::{Mouse, MouseKind};
use crate::dashboard::keymap::Action;
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::Pane;
use crate::dashboard::track::TrackTab;
use crate::dashboard::widgets::text::Text;
use crate::map::PreparedTrack;
use crate::track::Leg;
use crate::watch::LAST_DAYS_S;

/// Seconds of a day.
pub(in crate::dashboard) const DAY_S: f64 = 86_400.0;
/// Seconds before and after the only time of a timeline.
const ABOUT_ONE_S: f64 = 3600.0;
/// The lengths of time that a key shows in turn, days.
const PRESETS_D: [f64; 3] = [1.0, 7.0, 30.0];

impl TrackTab {
    /// The span that is shown, seconds: that of the time range, else that of the lines on the
    /// map of the list.
    pub(crate) fn shown_span_s(&self) -> f64 {
        self.range().map_or(LAST_DAYS_S, |(from, to)| to - from)
    }

    /// The first and the last time of the time range, UNIX seconds.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        self.time_range.as_ref().map(|shown| shown.range)
    }

    /// Shows one day, a week, thirty days, the whole track in turn: up to the latest fix
    /// while the cursor is on its day, else from the start of the cursor's day (UTC).
    pub(crate) fn next_time_preset(&mut self, shared: &mut Shared) {
        let ends = shared.full_track().and_then(|track| track.ends());
        let (Some((_, last)), Some(here)) = (ends, self.cursor_time(shared)) else {
            return;
        };
        let length = self.range().map_or(0.0, |(from, to)| to - from);
        let next = PRESETS_D.iter().find(|days| **days * DAY_S > length + 1.0);
        let Some(days) = next else {
            return self.clear_time_range(shared);
        };
        let day = |time: f64| (time / DAY_S).floor() * DAY_S;
        if day(here) == day(last) {
            self.set_time_range(shared, last - days * DAY_S, last)
        } else {
            // Midnight is of the next day.
            let end = (day(here) + days * DAY_S).next_down();
            self.set_time_range(shared, day(here), end)
        }
    }

    /// The first and the last time of the timeline, UNIX seconds: those of the time range,
    /// whatever fixes lie in it, or of the track; about a single time some more.
    pub(crate) fn timeline_ends(&self, shared: &Shared) -> Option<(f64, f64)> {
        let ends = self.range().or_else(|| self.shown_track(shared)?.ends())?;
        Some(match ends {
            (first, last) if last > first => ends,
            (first, _) => (first - ABOUT_ONE_S, first + ABOUT_ONE_S),
        })
    }

    /// The time under a column of the timeline, UNIX seconds.
    fn time_on_timeline(&self, shared: &Shared, column: u16) -> Option<f64> {
        let area = self.time_axis(shared, &self.layout(shared));
        let (first, last) = self.timeline_ends(shared)?;
        let part = (f64::from(column) - f64::from(area.x)) / f64::from(area.width.max(2) - 1);
        Some(first + (last - first) * part.clamp(0.0, 1.0))
    }

    /// Handles a mouse event on the timeline, or a drag that began there.
    pub(crate) fn mouse_on_timeline(&mut self, shared: &mut Shared, mouse: Mouse) {
        let Some(time) = self.time_on_timeline(shared, mouse.column) else {
            return;
        };
        match mouse.kind {
            MouseKind::Press => {
                shared.screen.pane = Pane::Timeline;
                self.selecting = Some((time, time));
                self.cursor_to_time(shared, time);
            }
            MouseKind::Drag => self.selecting.get_or_insert((time, time)).1 = time,
            _ => {}
        }
    }

    /// Ends a drag on the timeline: the dragged interval becomes the time
    /// range.
    pub(crate) fn time_range_dragged(&mut self, shared: &mut Shared) {
        if let Some((from, to)) = self.selecting.take().filter(|(from, to)| from != to) {
            self.set_time_range(shared, from.min(to), from.max(to))
        }
    }

    /// Begins or ends the time range at the cursor's fix, as the action says.
    pub(crate) fn time_range_at_cursor(&mut self, shared: &mut Shared, action: Action) {
        let (Some(track), Some(here)) = (shared.full_track(), self.cursor_time(shared)) else {
            return;
        };
        let Some((from, to)) = self.range().or_else(|| track.ends()) else {
            return;
        };
        match action {
            Action::RangeFrom => self.set_time_range(shared, here, to.max(here)),
            _ => self.set_time_range(shared, from.min(here), here),
        }
    }

    fn set_time_range(&mut self, shared: &mut Shared, from: f64, to: f64) {
        // The parts of the range before are shown until those of this one are cut.
        self.time_range.get_or_insert_default().range = (from, to);
        let first = shared.times().minute(from);
        let last = shared.times().minute(to);
        let said = Text::from(format!("Esc whole track  time range {first} to {last}"));
        shared.notify(said.or(format!("Esc whole track  {first} to {last}")));
        self.cut_time_range(shared)
    }

    /// Requests the parts of the tracks on the map in the time range.
    pub(crate) fn cut_time_range(&mut self, shared: &mut Shared) {
        let tracks = tracks_together(shared);
        let Some(chosen) = &self.time_range else {
            return;
        };
        let (from, to) = chosen.range;
        let fixes = tracks.iter().map(|(_, track)| track.len()).sum();
        let work = move || {
            let cut = |(uuid, track): (Uuid, Arc<PreparedTrack>)| {
                let part = track.window(Some(from), Some(to));
                (uuid, Arc::new(PreparedTrack::new(Arc::new(part))))
            };
            Computed::Parts(tracks.into_iter().map(cut).collect())
        };
        shared.compute(JobKind::Parts, fixes, work);
    }

    /// Shows the parts of the tracks in the time range.
    pub(in crate::dashboard) fn parts_computed(
        &mut self,
        shared: &mut Shared,
        parts: HashMap<Uuid, Arc<PreparedTrack>>,
    ) {
        let time = self.cursor_time(shared);
        if let Some(chosen) = &mut self.time_range {
            chosen.parts = parts;
            self.time_range_changed(shared, time)
        }
    }

    /// Shows the whole track again.
    pub(crate) fn clear_time_range(&mut self, shared: &mut Shared) {
        let time = self.cursor_time(shared);
        if self.time_range.take().is_none() {
            return;
        }
        shared.cancel_job(JobKind::Parts);
        shared.notify("showing the whole track");
        self.time_range_changed(shared, time)
    }

    /// The leg to the first fix that counts in a time range, from the last one before the
    /// range: it is in no sum over the range.
    pub(crate) fn leg_into_range(&self, shared: &Shared, fix: usize) -> Option<Leg> {
        let range = self.time_range.as_ref()?;
        let part = range.parts.get(&shared.deployments.open?)?;
        let is_first = part.is_included(fix) && part.leg_start(fix).is_none();
        let whole = shared.full_track().filter(|_| is_first)?;
        whole.leg(fix + whole.count_before(range.range.0))
    }

    /// The state that Esc takes back on this tab, in the order in which it does; `None` if it
    /// leaves it.
    pub(super) fn esc_word(&self, shared: &Shared) -> Option<&'static str> {
        let states = [
            (shared.screen.search.is_some(), "end search"),
            (!self.arrangement.filter.is_empty(), "all fixes"),
            (self.marks.0.is_some(), "end measure"),
            (self.time_range.is_some(), "whole track"),
            (shared.screen.full, "all panes"),
        ];
        let mut words = states.into_iter();
        words.find_map(|(is_so, word)| is_so.then_some(word))
    }

    pub(crate) fn cursor_time(&self, shared: &Shared) -> Option<f64> {
        let fix = self.cursor_fix(shared)?;
        Some(fix.time_stamp)
    }

    /// Updates rows, cursor and map after the shown part of the track changed.
    fn time_range_changed(&mut self, shared: &mut Shared, cursor_time: Option<f64>) {
        let follow = self.follow;
        self.view = None;
        self.marks = (None, None);
        self.open_track_changed(shared);
        if !follow && let Some(time) = cursor_time {
            self.cursor_to_time(shared, time);
        }
    }

    /// Puts the cursor on the fix that is nearest in time.
    pub(crate) fn cursor_to_time(&mut self, shared: &mut Shared, time: f64) {
        let Some(track) = self.shown_track(shared).cloned() else {
            return;
        };
        if let Some(fix) = nearest_in_time(&track, time) {
            self.cursor_to_fix(shared, fix);
            self.follow = self.cursor_is_on_latest(shared);
        }
    }
}
