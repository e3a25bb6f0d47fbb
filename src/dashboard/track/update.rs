//! Actions on the Track tab, and updates after the open track is replaced.

use std::ops::Range;
use std::sync::Arc;

use uuid::Uuid;

use super::fields::field_label;
use super::time_range::nearest_in_time;
use crate::choice;
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::effect::Effect;
use crate::dashboard::format;
use crate::dashboard::history::LocalChange;
use crate::dashboard::keymap::Action;
use crate::dashboard::model::Model;
use crate::dashboard::tab::{Pane, TabId};
use crate::geo::Position;
use crate::map::{ColourBy, FixDots, LineColour};
use crate::track::{Flag, Track, Transmission, time};

impl Model {
    /// Shows a deployment's track.
    pub(crate) fn open_track(&mut self, uuid: Uuid) {
        if self.tab != TabId::Track {
            self.full = false;
            self.pane = Pane::first_of_track(self.width);
        }
        self.tab = TabId::Track;
        self.change_search(TabId::Track);
        self.deployments.select(uuid);
        if self.track.open != Some(uuid) {
            self.open_another(uuid);
        }
        self.deployments.opened.retain(|opened| *opened != uuid);
        self.deployments.opened.push(uuid);
        let together = self.together().into_iter();
        let uuids: Vec<Uuid> = together.map(|deployment| deployment.uuid()).collect();
        for uuid in uuids {
            self.bring_track(uuid);
        }
        self.search_track();
    }

    /// Makes another track the open one. On a map of several the view, the time range and
    /// the moment stay.
    fn open_another(&mut self, uuid: Uuid) {
        let is_shown = |deployment: &&DeploymentState| deployment.uuid() == uuid;
        let stays = self.together().iter().any(is_shown);
        let moment = self.cursor_moment().filter(|_| stays);
        let before = (
            self.track.view.take(),
            self.track.projection,
            self.track.time_range.take(),
        );
        self.track.open = Some(uuid);
        self.track.forget(self.settings.track_sort);
        if stays {
            (
                self.track.view,
                self.track.projection,
                self.track.time_range,
            ) = before;
        }
        self.open_track_changed();
        if let Some(moment) = moment {
            self.cursor_to_time(moment);
        }
    }

    /// Loads the track of a deployment: from the archive, or the service.
    pub(super) fn bring_track(&mut self, uuid: Uuid) {
        let track = self
            .deployments
            .get(uuid)
            .map(|deployment| &deployment.track);
        let Some(track) = track.filter(|track| !track.is_held()) else {
            return;
        };
        let is_archived = track.has_data();
        // A request for the overview does not load the track.
        let again = track.loading.is_some() && !self.deployments.are_all_held();
        let never_fetched = track.loading.is_none() && track.failure.is_none();
        if is_archived {
            self.load_stored(uuid);
        }
        if again || never_fetched && !is_archived {
            self.fetch_in_turn(uuid);
        }
    }

    /// Updates rows and cursor after the open track was replaced.
    pub(crate) fn open_track_changed(&mut self) {
        let Some(track) = self.shown_track().cloned() else {
            return;
        };
        let same = match (self.track.follow, self.track.at) {
            (true, _) => track.latest().map(|fix| fix.index),
            (false, Some((time, position))) => same_fix(&track, time, position),
            (false, None) => Some(self.track.cursor),
        };
        self.cursor_to_fix(same.unwrap_or_else(|| track.len().saturating_sub(1)));
        self.arrange_rows()
    }

    /// Requests the rows of the open track in the chosen order. The previous
    /// rows stay until the new ones are ready.
    pub(crate) fn arrange_rows(&mut self) {
        let Some(track) = self.shown_track().cloned() else {
            return;
        };
        let superseded = self.track.arranging.take();
        self.cancel(superseded);
        let arrangement = self.track.arrangement.clone();
        if arrangement.is_default() {
            return self.rows_arranged(&track, None);
        }
        let fields = self.shown_fields();
        let arranged = Arc::clone(&track);
        let work = move || {
            let read = |name: &str| fields.as_ref()?.reader(name);
            arrangement.rows(&arranged, read).map(Arc::new)
        };
        self.compute(
            |model| Some(&mut model.track.arranging),
            track.len(),
            work,
            move |model, rows| model.rows_arranged(&track, rows),
        );
    }

    /// Keeps the cursor on its fix, if that fix has a row.
    fn rows_arranged(&mut self, track: &Track, rows: Option<Arc<Vec<u32>>>) {
        self.track.order = rows;
        let height = usize::from(self.layout().rows.height);
        let rows = self.track.rows(track);
        match self.track.row_of(self.track.cursor) {
            Some(row) => self.track.table.go(row, rows, height),
            None => {
                self.track.table.go(0, rows, height);
                self.cursor_from_row();
            }
        }
        // Other rows match the search now.
        if let Some(search) = &mut self.search {
            search.rows = None;
        }
        self.search_track()
    }

    /// Puts the cursor on a fix; table and map follow.
    pub(crate) fn cursor_to_fix(&mut self, fix: usize) {
        let Some(track) = self.shown_track().cloned() else {
            return;
        };
        let height = usize::from(self.layout().rows.height);
        if let Some(fix) = track.fix(fix.min(track.len().saturating_sub(1))) {
            self.track.set_cursor(fix);
        }
        let rows = self.track.rows(&track);
        if let Some(row) = self.track.row_of(self.track.cursor) {
            self.track.table.go(row, rows, height);
        }
        self.keep_cursor_on_map();
    }

    /// Moves a view set by the user so that the cursor's fix is on the map.
    fn keep_cursor_on_map(&mut self) {
        if self.track.view.is_none() {
            return;
        }
        if let (Some(view), Some(fix)) = (self.track_view(), self.cursor_fix())
            && !view.shows(fix.position)
        {
            self.track.view = Some(view.centred_on(fix.position));
        }
    }

    /// Sets the cursor's fix from the cursor's row.
    pub(crate) fn cursor_from_row(&mut self) {
        let Some(track) = self.shown_track().cloned() else {
            return;
        };
        if let Some(fix) = self.track.fix_in_row(&track, self.track.table.cursor) {
            self.track.set_cursor(fix);
            self.track.follow = self.cursor_is_on_latest();
            self.keep_cursor_on_map();
        }
    }

    /// `true` if the cursor is on the latest included fix.
    pub(crate) fn cursor_is_on_latest(&self) -> bool {
        self.shown_track()
            .and_then(|track| track.latest())
            .is_some_and(|latest| latest.index == self.track.cursor)
    }

    /// Puts the cursor on a fix at the user's request.
    pub(crate) fn go_to_fix(&mut self, fix: usize) {
        self.track.before_filter = None;
        self.cursor_to_fix(fix);
        self.track.follow = self.cursor_is_on_latest();
    }

    /// Moves the cursor to the fix before or after it in time.
    pub(crate) fn move_cursor(&mut self, by: isize) {
        self.go_to_fix(self.track.cursor.saturating_add_signed(by));
    }

    pub(crate) fn toggle_follow(&mut self) {
        self.track.follow = !self.track.follow;
        if !self.track.follow {
            return;
        }
        self.notify("following the latest fix");
        self.open_track_changed()
    }

    /// The first press sets the start of a measurement, the second its end, the
    /// third clears both.
    pub(crate) fn measure(&mut self) {
        let Some(fix) = self.cursor_fix() else {
            return;
        };
        let here = Transmission {
            time_stamp: fix.time_stamp,
            position: fix.position,
        };
        self.track.marks = match self.track.marks {
            (Some(start), None) if start.position != here.position => (Some(start), Some(here)),
            (Some(_), None) => (None, None),
            _ => (Some(here), None),
        };
    }

    /// Overrides the flag of the cursor's fix, or clears an override.
    pub(crate) fn override_flag(&mut self) {
        if self.track.row_of(self.track.cursor).is_none() {
            self.notify("no row of the table is selected: Esc clears the filter");
            return;
        }
        let fix = self.cursor_fix();
        let deployment = self
            .track
            .open
            .and_then(|uuid| self.deployments.get_mut(uuid));
        let (Some(fix), Some(deployment)) = (fix, deployment) else {
            return;
        };
        // The track that is shown may not have an override of a moment ago.
        let name = deployment.name();
        let overrides = &mut deployment.overrides;
        let before = overrides.get(fix.time_stamp, fix.position);
        let is_set = before.is_some();
        let flag = match (is_set, fix.flag) {
            (true, _) => None,
            (false, Flag::Fail) => Some(Flag::Pass),
            (false, _) => Some(Flag::Fail),
        };
        match flag {
            Some(flag) => overrides.set(fix.time_stamp, fix.position, flag),
            None => overrides.clear(fix.time_stamp, fix.position),
        }
        let count = overrides.len();
        let uuid = deployment.uuid();
        // A failed fix is no longer the latest. The cursor stays on it, so that the same
        // key undoes the change.
        self.track.follow = false;
        let key = self.key_of(Action::OverrideFlag);
        let at = format::clock(self, fix.time_stamp);
        self.notify(match flag {
            Some(flag) => {
                let word = flag.word();
                format!("{key} restore  flag set to {word}: fix {at}; {count} overridden")
            }
            None => format!("flag restored: fix {at}; {count} overridden"),
        });
        let fix = Transmission {
            time_stamp: fix.time_stamp,
            position: fix.position,
        };
        self.history.push(LocalChange::Overridden {
            deployment: uuid,
            name,
            fix,
            before,
            after: flag,
        });
        self.deployments.edits += 1;
        self.send(Effect::StoreOverride {
            deployment: uuid,
            fix,
            flag,
        });
        self.reassemble(uuid);
    }

    /// Leaves failed fixes out of the line, draws them in it, or hides their signs, too.
    pub(crate) fn next_failed(&mut self) {
        let open = self.open_deployment();
        let Some(open) = open else {
            return;
        };
        let (exclude_failed, shows_flagged, words) =
            match (open.exclude_failed, self.track.shows_flagged) {
                (true, true) => (false, true, "drawn in the line"),
                (false, _) => (true, false, "hidden, with all signs of flags"),
                (true, false) => (true, true, "left out of the line"),
            };
        self.notify(format!("failed fixes: {words}"));
        self.track.shows_flagged = shows_flagged;
        let all: Vec<Uuid> = self
            .deployments
            .list
            .iter_mut()
            .map(|deployment| {
                deployment.exclude_failed = exclude_failed;
                deployment.uuid()
            })
            .collect();
        for uuid in all {
            self.reassemble(uuid);
        }
    }

    /// Moves the cursor to the next failed or suspect fix or data gap, or for -1 to the
    /// previous one, and shows the reason. After the last comes the first.
    pub(crate) fn go_to_flagged(&mut self, by: isize) {
        let Some(track) = self.shown_track().cloned() else {
            return;
        };
        let units = self.settings.units;
        let wrong = |fix: usize| -> Option<String> {
            let fix = track.fix(fix)?;
            let moment = format::minute(self, fix.time_stamp);
            if matches!(fix.flag, Flag::Fail | Flag::Suspect) {
                let flag = fix.flag.word();
                let why = track.reason_in(fix.index, units);
                return Some(format!("bad fix {moment}, {flag}: {why}"));
            }
            let leg = track.leg(fix.index);
            let leg = leg.filter(|leg| track.is_gap(leg.duration_s))?;
            let gap = time::interval(leg.duration_s);
            Some(format!("data gap of {gap} before {moment}"))
        };
        let here = self.track.cursor;
        let count = track.len();
        let ahead = if by > 0 { here + 1..count } else { 0..here };
        // The fix of the cursor is the last to be looked at.
        let around = if by > 0 { 0..here + 1 } else { here..count };
        let find = |mut fixes: Range<usize>| {
            let wrong = |fix| Some((fix, wrong(fix)?));
            if by > 0 {
                fixes.find_map(wrong)
            } else {
                fixes.rev().find_map(wrong)
            }
        };
        let found = find(ahead).map(|found| (found, ""));
        let found = found.or_else(|| {
            let found = find(around)?;
            Some(match (found.0 == here, by > 0) {
                (true, _) => (found, ", the only one"),
                (false, true) => (found, ", from the first fix again"),
                (false, false) => (found, ", from the last fix again"),
            })
        });
        let Some(((fix, words), around)) = found else {
            self.notify("no flagged fix and no data gap in this track");
            return;
        };
        self.go_to_fix(fix);
        self.notify(format!("{words}{around}"));
    }

    pub(crate) fn next_colour(&mut self) {
        if self.together().len() > 1 {
            self.notify("on a map of several each track has its own colour");
            return;
        }
        let field = self.shown_field();
        self.track.colour_by = match self.track.colour_by {
            Some(ColourBy::Flag) if field.is_some() => None,
            Some(by) => Some(choice::next(by)),
            None => Some(ColourBy::Time),
        };
        let name = match self.line_colour() {
            LineColour::By(by) => <&str>::from(by).to_owned(),
            LineColour::Field(field) => field_label(field.field().name()),
        };
        self.notify(format!("line coloured by {name}"));
    }

    /// Shows the recorded fixes as dots on the line, not at all, or alone.
    pub(crate) fn next_fix_dots(&mut self) {
        self.track.fix_dots = choice::next(self.track.fix_dots);
        let zoom = self.key_of(Action::ZoomIn);
        self.notify(match self.track.fix_dots {
            FixDots::OnLine => format!("{zoom} closer  fixes: a dot each, once two cells apart"),
            FixDots::Line => "fixes: the line alone".to_owned(),
            FixDots::Alone => "fixes: the dots alone".to_owned(),
        });
    }

    pub(crate) fn toggle_rings(&mut self) {
        self.track.rings = !self.track.rings;
        self.notify(if self.track.rings {
            "range rings around the cursor"
        } else {
            "no range rings"
        });
    }
}

/// The index of the fix with this time stamp and position.
pub(super) fn exact_fix(track: &Track, time: f64, position: Position) -> Option<usize> {
    let first = track.count_before(time);
    let mut same = (first..track.len())
        .map_while(|index| track.fix(index).filter(|fix| fix.time_stamp <= time));
    Some(same.find(|fix| fix.position == position)?.index)
}

/// The same, else the index of the fix nearest in time.
pub(crate) fn same_fix(track: &Track, time: f64, position: Position) -> Option<usize> {
    exact_fix(track, time, position).or_else(|| nearest_in_time(track, time))
}
