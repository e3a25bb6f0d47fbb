//! The time strip's part in it: a press moves the cursor, a drag keeps table,
//! map and summary to a window of time.

use std::sync::Arc;

use uuid::Uuid;

use super::effect::{Effect, Whole};
use super::key::{Mouse, MouseKind};
use super::model::{Model, Pane};
use crate::chart::PreparedTrack;
use crate::track::Track;

/// A window of time on the open track.
#[derive(Debug, Clone)]
pub struct Window {
    /// From and to, UNIX seconds, both with it.
    pub span: (f64, f64),
    /// The part of the track in it, once it is made.
    pub part: Option<Arc<PreparedTrack>>,
}

impl Model {
    /// The time under a column of the strip.
    fn time_on_strip(&self, column: u16) -> Option<f64> {
        let area = self.layout().strip;
        let track = self.whole_one()?;
        let (first, last) = (track.time_stamps().first()?, track.time_stamps().last()?);
        let part = (f64::from(column) - f64::from(area.x)) / f64::from(area.width.max(2) - 1);
        Some(first + (last - first) * part.clamp(0.0, 1.0))
    }

    /// The mouse did something on the strip, or drags from there.
    pub(super) fn mouse_on_strip(&mut self, mouse: Mouse) {
        let Some(time) = self.time_on_strip(mouse.column) else {
            return;
        };
        match mouse.kind {
            MouseKind::Press => {
                self.pane = Pane::Strip;
                self.track.selecting = Some((time, time));
                self.cursor_to_time(time);
            }
            MouseKind::Drag => match &mut self.track.selecting {
                Some((_, to)) => *to = time,
                None => self.track.selecting = Some((time, time)),
            },
            _ => {}
        }
    }

    /// A drag on the strip has ended: what it went over is the window.
    pub(super) fn window_drawn(&mut self) -> Vec<Effect> {
        match self.track.selecting.take() {
            Some((from, to)) if from != to => self.set_window(from.min(to), from.max(to)),
            _ => Vec::new(),
        }
    }

    /// The window begins or ends at the cursor's fix.
    pub(super) fn window_from_cursor(&mut self, begins: bool) -> Vec<Effect> {
        let (Some(track), Some(here)) = (
            self.whole_one(),
            self.open_one()
                .and_then(|track| track.fix(self.track.cursor)),
        ) else {
            return Vec::new();
        };
        let times = track.time_stamps();
        let (Some(&first), Some(&last)) = (times.first(), times.last()) else {
            return Vec::new();
        };
        let (from, to) = self
            .track
            .window
            .as_ref()
            .map_or((first, last), |window| window.span);
        if begins {
            self.set_window(here.time_stamp, to.max(here.time_stamp))
        } else {
            self.set_window(from.min(here.time_stamp), here.time_stamp)
        }
    }

    fn set_window(&mut self, from: f64, to: f64) -> Vec<Effect> {
        let part = self.track.window.take().and_then(|window| window.part);
        self.track.window = Some(Window {
            span: (from, to),
            part,
        });
        self.notify("only this window of time is shown; Esc shows all of it");
        self.window_wanted()
    }

    /// Asks for the part of the open track that lies in the window.
    pub(super) fn window_wanted(&self) -> Vec<Effect> {
        match (&self.track.window, self.whole_one(), self.track.open) {
            (Some(window), Some(track), Some(deployment)) => vec![Effect::Window {
                deployment,
                track: Whole(Arc::clone(track)),
                window: window.span,
            }],
            _ => Vec::new(),
        }
    }

    /// The part that was asked for came.
    pub(super) fn window_came(
        &mut self,
        deployment: Uuid,
        span: (f64, f64),
        track: Arc<PreparedTrack>,
    ) {
        if self.track.open != Some(deployment) {
            return;
        }
        let time = self.cursor_time();
        let fits = |window: &&mut Window| window.span == span;
        if let Some(window) = self.track.window.as_mut().filter(fits) {
            window.part = Some(track);
            self.window_changed(time);
        }
    }

    /// Shows the whole track again; whether there was a window.
    pub(super) fn drop_window(&mut self) -> bool {
        let time = self.cursor_time();
        let there_was = self.track.window.take().is_some();
        if there_was {
            self.window_changed(time);
            self.notify("the whole track again");
        }
        there_was
    }

    fn cursor_time(&self) -> Option<f64> {
        let fix = self.open_one()?.fix(self.track.cursor)?;
        Some(fix.time_stamp)
    }

    /// Rows, cursor and map go with another part of the track.
    fn window_changed(&mut self, cursor_time: Option<f64>) {
        let follow = self.track.follow;
        self.track.view = None;
        self.track.marks = (None, None);
        self.track_changed();
        if !follow && let Some(time) = cursor_time {
            self.cursor_to_time(time);
        }
    }

    /// Puts the cursor on the fix that is nearest in time.
    fn cursor_to_time(&mut self, time: f64) {
        let Some(track) = self.open_one().cloned() else {
            return;
        };
        if let Some(fix) = nearest_in_time(&track, time) {
            self.cursor_to_fix(fix);
            self.track.follow = track
                .latest()
                .is_some_and(|latest| latest.index == self.track.cursor);
        }
    }
}

/// The fix nearest in time; of two equally near the earlier.
fn nearest_in_time(track: &Track, time: f64) -> Option<usize> {
    let after = track.time_stamps().partition_point(|&stamp| stamp < time);
    let before = after.checked_sub(1).and_then(|index| track.fix(index));
    match (before, track.fix(after)) {
        (Some(before), Some(behind)) if time - before.time_stamp > behind.time_stamp - time => {
            Some(behind.index)
        }
        (Some(before), _) => Some(before.index),
        (None, behind) => behind.map(|fix| fix.index),
    }
}
