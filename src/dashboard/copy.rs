//! Copy: the first press copies the most useful form of a row, each further press the
//! next form.

use super::deployments::DeploymentsTab;
use super::effect::Effect;
use super::format;
use super::keymap::Action;
use super::shell::Shell;
use super::tab::TabId;
use super::tabs::{Form, row_text};
use crate::dashboard::shared::Shared;
use crate::dashboard::track::TrackTab;
use crate::text::{clean, fit};
use crate::track::remote::Remote;
use crate::track::{Fix, Track, time};

/// The name of the form of all rows from mark to mark or cursor.
const MARKED: &str = "marked rows";
/// Bytes of marked rows at most: terminals do not take a longer text at once.
const MOST_BYTES: usize = 50_000;

/// A fix as a row of text: time, latitude, longitude, leg in metres, speed in m/s,
/// course in degrees, flag.
fn fix_row(track: &Track, fix: &Fix) -> String {
    let at = time::rfc3339(fix.time_stamp);
    let latitude = fix.position.latitude;
    let longitude = fix.position.longitude;
    let mut row = vec![at, latitude.to_string(), longitude.to_string()];
    if let Some(leg) = track.leg(fix.index) {
        let or_empty = |value: Option<f64>| value.map_or_else(String::new, |v| v.to_string());
        row.push(leg.distance_m.to_string());
        row.push(or_empty(leg.speed_m_s));
        row.push(or_empty(leg.course_deg));
    }
    row.push(fix.flag.word().to_owned());
    row_text(&row)
}

impl DeploymentsTab {
    fn forms_of_selected(&self, shared: &Shared) -> Vec<Form> {
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
        forms.push(("UUID", Remote::shown(deployment.uuid())));
        forms
    }
}

impl TrackTab {
    /// The first and last time from mark to mark or cursor, UNIX seconds; `None` without
    /// a mark.
    pub(crate) fn marked_times(&self, shared: &Shared) -> Option<(f64, f64)> {
        let (from, to) = self.marks;
        let from = from?.time_stamp;
        let to = match to {
            Some(to) => to.time_stamp,
            None => self.cursor_time(shared)?,
        };
        Some((from.min(to), from.max(to)))
    }

    fn forms_of_fix(&self, shared: &Shared) -> Vec<Form> {
        let track = self.shown_track(shared);
        let fix = track.and_then(|track| track.fix(self.cursor));
        let (Some(track), Some(fix)) = (track, fix) else {
            return Vec::new();
        };
        let at = time::rfc3339(fix.time_stamp);
        let latitude = fix.position.latitude;
        let longitude = fix.position.longitude;
        let mut forms = Vec::new();
        if let Some(Ok(text)) = self.marked_rows(shared) {
            forms.push((MARKED, text));
        }
        forms.extend([
            ("position", format::position(shared, fix.position)),
            ("time and position", format!("{at} {latitude} {longitude}")),
            ("row", fix_row(track, &fix)),
        ]);
        forms.extend(
            shared
                .deployments
                .open
                .map(|uuid| ("UUID", Remote::shown(uuid))),
        );
        forms
    }

    /// The rows from mark to mark or cursor; `None` if they are fewer than two.
    ///
    /// # Errors
    /// How many, where their text is longer than [`MOST_BYTES`].
    fn marked_rows(&self, shared: &Shared) -> Option<Result<String, usize>> {
        let track = self.shown_track(shared)?;
        let (from, to) = self.marked_times(shared)?;
        let first = track.count_before(from);
        let last = track.count_until(to);
        if last.saturating_sub(first) < 2 {
            return None;
        }
        let mut text = String::new();
        for fix in (first..last).filter_map(|index| track.fix(index)) {
            let row = fix_row(track, &fix);
            // Not a part of them: the export takes any number.
            if text.len() + row.len() >= MOST_BYTES {
                return Some(Err(last - first));
            }
            text.push_str(&row);
            text.push('\n');
        }
        Some(Ok(text))
    }
}

impl Shell {
    /// Copies the row of this tab's cursor.
    pub(crate) fn copy(&mut self) {
        let forms = match self.shared.tab {
            TabId::Deployments => self.tabs.deployments.forms_of_selected(&self.shared),
            TabId::Track => self.tabs.track.forms_of_fix(&self.shared),
            _ => self.forms_of_component(),
        };
        let here = self.row_at_cursor();
        let turn = match &self.copied {
            Some((row, turn)) if here.as_ref() == Some(row) => (turn + 1) % forms.len().max(1),
            _ => 0,
        };
        let Some((name, text)) = forms.get(turn) else {
            self.shared.notify("there is no row to copy");
            return;
        };
        self.copied = here.map(|row| (row, turn));
        // Marked rows are numbers and flags, one line each; a text from elsewhere has no
        // line end.
        let text = match *name {
            MARKED => text.clone(),
            _ => clean(text).into_owned(),
        };
        let next_form = forms
            .get((turn + 1) % forms.len())
            .filter(|_| forms.len() > 1);
        let key = self.shared.key_of(Action::Copy);
        let again = next_form.map_or_else(String::new, |(name, _)| format!("{key} {name}  "));
        let said = match *name {
            MARKED => text.lines().count().to_string(),
            _ => fit(&text, 48),
        };
        let too_many = match self.tabs.track.marked_rows(&self.shared) {
            Some(Err(count)) if self.shared.tab == TabId::Track => {
                let export = self.shared.key_of(Action::Export);
                format!("{count} marked rows exceed 50 kB, {export}: export them  ")
            }
            _ => String::new(),
        };
        self.shared
            .notify(format!("{too_many}{again}copied {name}: {said}"));
        self.shared.send(Effect::Copy(text));
    }

    fn forms_of_component(&self) -> Vec<Form> {
        let selected = self
            .component()
            .and_then(|tab| Some((tab, tab.rows().selected()?)));
        selected.map_or_else(Vec::new, |(tab, row)| tab.forms(row))
    }
}
