//! Actions on the Track tab, and updates after the open track is replaced.

use std::sync::Arc;

use uuid::Uuid;

use super::TrackTab;
use super::follow::tracks_together;
use super::label::field_label;
use super::nearest::same_fix;
use crate::dashboard::compute::{Computed, JobKind};
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::effect::Effect;
use crate::dashboard::format;
use crate::dashboard::history::LocalChange;
use crate::dashboard::keymap::Action;
use crate::dashboard::shared::Shared;
use crate::dashboard::widgets::text::Text;
use crate::map::{ColourBy, LineColour};
use crate::text::choice;
use crate::track::{Fix, Flag, Transmission, time};

impl Shared {
    /// Loads the track of a deployment: from the archive, or the service.
    pub(in crate::dashboard) fn bring_track(&mut self, uuid: Uuid) {
        let Some(deployment) = self.deployments.get(uuid) else {
            return;
        };
        let track = &deployment.track;
        if track.is_held() {
            return;
        }
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
}

fn transmission(fix: Fix) -> Transmission {
    Transmission {
        time_stamp: fix.time_stamp,
        position: fix.position,
    }
}

impl TrackTab {
    /// Makes another track the open one. On a map of several the view, the time range and
    /// the moment stay.
    pub(in crate::dashboard) fn open_another(&mut self, shared: &mut Shared, uuid: Uuid) {
        let is_shown = |deployment: &&DeploymentState| deployment.uuid() == uuid;
        let stays = shared.together().iter().any(is_shown);
        let moment = self.cursor_moment(shared).filter(|_| stays);
        let before = (self.view.take(), self.projection, self.time_range.take());
        shared.deployments.open = Some(uuid);
        self.deployment = Some(uuid);
        self.seen = tracks_together(shared);
        self.forget(shared);
        if stays {
            (self.view, self.projection, self.time_range) = before;
        }
        self.open_track_changed(shared);
        if let Some(moment) = moment {
            self.cursor_to_time(shared, moment);
        }
    }

    /// Updates rows and cursor after the open track was replaced.
    pub(crate) fn open_track_changed(&mut self, shared: &mut Shared) {
        let Some(track) = self.shown_track(shared).cloned() else {
            return;
        };
        let same = match (self.follow, self.at) {
            (true, _) => track.latest().map(|fix| fix.index),
            (false, Some((time, position))) => same_fix(&track, time, position),
            (false, None) => Some(self.cursor),
        };
        let last = track.len().saturating_sub(1);
        self.cursor_to_fix(shared, same.unwrap_or(last));
        self.arrange_rows(shared)
    }

    /// Requests the rows of the open track in the chosen order. The previous
    /// rows stay until the new ones are ready.
    pub(crate) fn arrange_rows(&mut self, shared: &mut Shared) {
        let Some(track) = self.shown_track(shared).cloned() else {
            return;
        };
        let arrangement = self.arrangement.clone();
        if arrangement.is_default() {
            shared.cancel_job(JobKind::Rows);
            return self.rows_arranged(shared, None);
        }
        let fields = self.shown_fields(shared);
        let arranged = Arc::clone(&track);
        let work = move || {
            let read = |name: &str| fields.as_ref()?.reader(name);
            Computed::Rows(arrangement.rows(&arranged, read).map(Arc::new))
        };
        shared.compute(JobKind::Rows, track.len(), work);
    }

    /// Shows these rows. Keeps the cursor on its fix, if that fix has a row.
    pub(in crate::dashboard) fn rows_arranged(
        &mut self,
        shared: &mut Shared,
        rows: Option<Arc<Vec<u32>>>,
    ) {
        let Some(track) = self.shown_track(shared).cloned() else {
            return;
        };
        self.order = rows;
        let height = usize::from(self.layout(shared).rows.height);
        let rows = self.rows(&track);
        let row = self.row_by_fix(self.cursor);
        self.table.go(row.unwrap_or(0), rows, height);
        if row.is_none() {
            self.cursor_from_row(shared);
        }
        // Other rows match the search now.
        if let Some(search) = &mut shared.screen.search {
            search.rows = None;
        }
        self.search_track(shared)
    }

    /// Puts the cursor on a fix; table and map follow.
    pub(crate) fn cursor_to_fix(&mut self, shared: &mut Shared, fix: usize) {
        let Some(track) = self.shown_track(shared).cloned() else {
            return;
        };
        let height = usize::from(self.layout(shared).rows.height);
        if let Some(fix) = track.fix(fix.min(track.len().saturating_sub(1))) {
            self.set_cursor(fix);
        }
        let rows = self.rows(&track);
        if let Some(row) = self.row_by_fix(self.cursor) {
            self.table.go(row, rows, height);
        }
        self.keep_cursor_on_map(shared);
    }

    /// Moves a view set by the user so that the cursor's fix is on the map.
    fn keep_cursor_on_map(&mut self, shared: &mut Shared) {
        let chosen = self.track_view(shared).filter(|_| self.view.is_some());
        let fix = self.cursor_fix(shared);
        if let Some((view, fix)) = chosen.zip(fix)
            && !view.shows(fix.position)
        {
            self.view = Some(view.centred_on(fix.position));
        }
    }

    /// Sets the cursor's fix from the cursor's row.
    pub(crate) fn cursor_from_row(&mut self, shared: &mut Shared) {
        let Some(track) = self.shown_track(shared).cloned() else {
            return;
        };
        if let Some(fix) = self.fix_in_row(&track, self.table.cursor) {
            self.set_cursor(fix);
            self.follow = self.cursor_is_on_latest(shared);
            self.keep_cursor_on_map(shared);
        }
    }

    /// `true` if the cursor is on the latest included fix.
    pub(crate) fn cursor_is_on_latest(&self, shared: &Shared) -> bool {
        self.shown_track(shared)
            .and_then(|track| track.latest())
            .is_some_and(|latest| latest.index == self.cursor)
    }

    /// Puts the cursor on a fix at the user's request.
    pub(crate) fn go_to_fix(&mut self, shared: &mut Shared, fix: usize) {
        self.before_filter = None;
        self.cursor_to_fix(shared, fix);
        self.follow = self.cursor_is_on_latest(shared);
    }

    /// Moves the cursor to the fix before or after it in time.
    pub(crate) fn move_cursor(&mut self, shared: &mut Shared, by: isize) {
        self.go_to_fix(shared, self.cursor.saturating_add_signed(by));
    }

    pub(crate) fn toggle_follow(&mut self, shared: &mut Shared) {
        self.follow = !self.follow;
        if !self.follow {
            return;
        }
        shared.notify("following the latest fix");
        self.open_track_changed(shared)
    }

    /// The first press sets the start of a measurement, the second its end, the
    /// third clears both.
    pub(crate) fn measure(&mut self, shared: &mut Shared) {
        let Some(fix) = self.cursor_fix(shared) else {
            return;
        };
        let here = transmission(fix);
        self.marks = match self.marks {
            (Some(start), None) if start.position != here.position => (Some(start), Some(here)),
            (Some(_), None) => (None, None),
            _ => (Some(here), None),
        };
    }

    /// Overrides the flag of the cursor's fix, or clears an override.
    pub(crate) fn override_flag(&mut self, shared: &mut Shared) {
        if self.row_by_fix(self.cursor).is_none() {
            shared.notify("Esc clears the filter  no row is selected");
            return;
        }
        let fix = self.cursor_fix(shared);
        let open = shared.deployments.open;
        let deployment = open.and_then(|uuid| shared.deployments.get_mut(uuid));
        let (Some(fix), Some(deployment)) = (fix, deployment) else {
            return;
        };
        // The track that is shown may not have an override of a moment ago.
        let name = deployment.name();
        let overrides = &mut deployment.overrides;
        let before = overrides.get(fix.time_stamp, fix.position);
        let flag = match fix.flag {
            _ if before.is_some() => None,
            Flag::Fail => Some(Flag::Pass),
            _ => Some(Flag::Fail),
        };
        overrides.put(fix.time_stamp, fix.position, flag);
        let count = overrides.len();
        let uuid = deployment.uuid();
        // A failed fix is no longer the latest. The cursor stays on it, so that the same
        // key undoes the change.
        self.follow = false;
        let key = shared.key_of(Action::OverrideFlag);
        let at = shared.times().clock(fix.time_stamp);
        let (word, other) = if is_excluded(flag, before) {
            ("excluded", "include")
        } else {
            ("included", "exclude")
        };
        shared.notify(format!("{key} {other}  fix {at} {word}; {count} by hand"));
        let fix = transmission(fix);
        shared.deployments.history.push(LocalChange::Overridden {
            deployment: uuid,
            name,
            fix,
            before,
            after: flag,
        });
        shared.deployments.edits += 1;
        shared.send(Effect::StoreOverride {
            deployment: uuid,
            fix,
            flag,
        });
        shared.reassemble(uuid);
    }

    /// Leaves failed fixes out of the line, draws them in it, or hides their signs, too.
    pub(crate) fn next_failed(&mut self, shared: &mut Shared) {
        let Some(open) = shared.open_deployment() else {
            return;
        };
        let (exclude_failed, shows_flagged, words) = match (open.exclude_failed, self.shows_flagged)
        {
            (true, true) => (false, true, "drawn in the line"),
            (false, _) => (true, false, "hidden, with all signs of flags"),
            (true, false) => (true, true, "left out of the line"),
        };
        shared.notify(format!("failed fixes: {words}"));
        self.shows_flagged = shows_flagged;
        for number in 0..shared.deployments.list.len() {
            if let Some(deployment) = shared.deployments.list.get_mut(number) {
                deployment.exclude_failed = exclude_failed;
                let uuid = deployment.uuid();
                shared.reassemble(uuid);
            }
        }
    }

    /// Moves the cursor to the next failed or suspect fix or data gap, or for -1 to the
    /// previous one, and shows the reason. After the last comes the first.
    pub(crate) fn go_to_flagged(&mut self, shared: &mut Shared, by: isize) {
        let Some(track) = self.shown_track(shared).cloned() else {
            return;
        };
        let units = shared.settings.units;
        let wrong = |fix: usize| -> Option<Text> {
            let fix = track.fix(fix)?;
            let moment = shared.times().minute(fix.time_stamp);
            if matches!(fix.flag, Flag::Fail | Flag::Suspect) {
                let flag = fix.flag.word();
                let why = format::reason(&track, &fix, units);
                // The reason in numbers is in the row, too.
                let short = why.split(": ").next().unwrap_or(&why);
                let said = Text::from(format!("bad fix {moment}, {flag}: {why}"));
                return Some(said.or(format!("{moment} {flag}: {short}")));
            }
            let before = track.leg(fix.index);
            let leg = before.filter(|leg| track.is_gap(leg.duration_s))?;
            let gap = time::interval(leg.duration_s);
            Some(format!("data gap of {gap} before {moment}").into())
        };
        let here = self.cursor;
        let count = track.len();
        // The fix of the cursor is the last to be looked at.
        let fixes: Box<dyn Iterator<Item = usize>> = if by > 0 {
            Box::new((here + 1..count).chain(0..here + 1))
        } else {
            Box::new((here..count).chain(0..here).rev())
        };
        let Some((fix, words)) = fixes.into_iter().find_map(|fix| Some((fix, wrong(fix)?))) else {
            shared.notify("no flagged fix and no data gap in this track");
            return;
        };
        let around = if fix == here {
            ", the only one"
        } else if by > 0 && fix < here {
            ", from the first fix again"
        } else if by < 0 && fix > here {
            ", from the last fix again"
        } else {
            ""
        };
        self.go_to_fix(shared, fix);
        let said = Text::from(format!("{}{around}", words.long));
        shared.notify(said.or(words.shortest()));
    }

    pub(crate) fn next_colour(&mut self, shared: &mut Shared) {
        if shared.together().len() > 1 {
            shared.notify("on a map of several each track has its own colour");
            return;
        }
        let field = self.shown_field(shared);
        self.colour_by = match self.colour_by {
            // The field that is shown comes first.
            Some(ColourBy::Time) if field.is_some() => None,
            None if field.is_some() => Some(ColourBy::Speed),
            by => Some(choice::next(by.unwrap_or(ColourBy::Speed))),
        };
        let name = match self.line_colour(shared) {
            LineColour::By(by) => <&str>::from(by).to_owned(),
            LineColour::Field(field) => field_label(field.field().name()),
        };
        shared.notify(format!("line coloured by {name}"));
    }

    pub(crate) fn toggle_rings(&mut self, shared: &mut Shared) {
        self.rings = !self.rings;
        shared.notify(if self.rings {
            "range rings around the cursor"
        } else {
            "no range rings"
        });
    }
}

/// If a fix is excluded whose flag is set to `after` by hand instead of to `before`; with none
/// it is what it was before the other was set.
pub(crate) fn is_excluded(after: Option<Flag>, before: Option<Flag>) -> bool {
    match after {
        Some(flag) => flag == Flag::Fail,
        None => before == Some(Flag::Pass),
    }
}
