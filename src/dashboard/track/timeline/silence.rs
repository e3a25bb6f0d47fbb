//! The time from the last fix to now, at the end of the timeline.

use ratatui::buffer::Buffer;

use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::shared::Shared;
use crate::dashboard::theme::Theme;
use crate::dashboard::track::TrackTab;
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::sheet::cells;
use crate::track::health::late_after_s;
use crate::track::{State, time};

/// At most this part of the columns: of an instrument that is silent for a year its track is
/// still seen.
const MOST: u16 = 4;

/// The time from the last fix to now.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::dashboard) struct Silence {
    /// Its columns, to the scale of the track unless that is more than a quarter of all.
    pub columns: u16,
    /// Its words: "silent", "10 d 2 h" once a fix is missing; "last fix", "10 d ago" where its
    /// columns are not to scale.
    words: Vec<String>,
}

impl Silence {
    /// The silence at the end of a timeline of this many columns; `None` in a time range, and
    /// of what does not report any more.
    pub(in crate::dashboard) fn of_open(
        tab: &TrackTab,
        shared: &Shared,
        width: u16,
    ) -> Option<Self> {
        let open = shared.open_deployment()?;
        let health = open.health(shared.now);
        let word = match health.state {
            State::Recovered | State::DeclaredLost | State::Ended | State::Read => return None,
            State::Unknown => "not known",
            State::OnTime | State::Late | State::Overdue | State::Lost => "silent",
        };
        if tab.time_range.is_some() {
            return None;
        }
        let (first, last) = shared.full_track()?.ends()?;
        let silent_s = shared.now - last;
        let share = silent_s / (shared.now - first);
        let wanted = (f64::from(width) * share).round();
        if silent_s <= 0.0 || !wanted.is_finite() {
            return None;
        }
        // Within the width.
        let columns = (wanted as u16).min(width / MOST);
        let age_s = health.age_s.unwrap_or(silent_s);
        let is_late = health.interval_s.is_some_and(|t| age_s > late_after_s(t));
        // Without words, columns that are not to the scale of the dates would seem to be.
        let words = match (is_late, wanted > f64::from(columns)) {
            (true, _) => vec![word.to_owned(), time::duration(age_s)],
            (false, true) => vec![
                "last fix".to_owned(),
                format!("{} ago", time::duration(age_s)),
            ],
            (false, false) => Vec::new(),
        };
        (columns > 0 || is_late).then_some(Self { columns, words })
    }

    /// Its words, for the title, where its columns have no room for them.
    pub(super) fn in_title(&self) -> Option<String> {
        let has_room = self.words.iter().all(|words| self.fits(words));
        (!has_room).then(|| self.words.join(" "))
    }

    /// `true` if words fit its columns with a blank on either side.
    fn fits(&self, words: &str) -> bool {
        cells(words) + 2 <= self.columns
    }

    /// Draws it over an area, with "now" in the line of the dates.
    pub(super) fn draw(&self, buffer: &mut Buffer, area: Area, dates: Area, theme: Theme) {
        let shade = theme.glyph("▒", ":").repeat(usize::from(area.width));
        let is_missing = !self.words.is_empty();
        for row in (0..area.height).filter(|_| is_missing) {
            put(buffer, area.at(0, row), &shade, theme.dim());
        }
        let above = area.height.saturating_sub(2) / 2;
        let words = self.words.iter().filter(|_| self.in_title().is_none());
        for (row, words) in (above..area.height).zip(words) {
            let words = format!(" {words} ");
            let x = area.width.saturating_sub(cells(&words)) / 2;
            put(buffer, area.at(x, row), &words, theme.warning());
        }
        put(buffer, dates.at(1, 0), "now", theme.dim());
    }
}
