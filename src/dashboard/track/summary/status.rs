//! The first line of the summary: reporting status, alarm, age of the data, and their
//! faults.

use super::Summary;
use crate::alarm::Length;
use crate::dashboard::alarms::words;
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::format;
use crate::dashboard::shared::Shared;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::lines::Item;
use crate::dashboard::widgets::sheet::cells;
use crate::dashboard::widgets::text::Text;
use crate::text;
use crate::track::{Flag, Track};

/// The reporting status of a deployment.
pub(super) fn sign(deployment: &DeploymentState, shared: &Shared, theme: Theme) -> Item<'static> {
    let (mark, style) = theme.state(deployment.health(shared.now).state);
    let words = format!("{mark} {}", deployment.status(shared.now));
    ("", words, style)
}

/// The counts that can be clicked, as they are written.
pub(super) fn counted(track: &Track) -> [(String, Flag); 2] {
    let summary = track.summary();
    let of = |name: &str, count: usize| format!("{} {name}", text::count(count));
    [
        (of("failed", summary.fail), Flag::Fail),
        (of("suspect", summary.suspect), Flag::Suspect),
    ]
}

impl Summary<'_> {
    /// The items of the line, for this many cells.
    pub(super) fn status(&self) -> Vec<Item<'static>> {
        let status = sign(self.deployment, self.shared, self.theme);
        let style = status.2;
        // Whether it reports is the whole track's to say, also where a window of
        // time is shown.
        let whole = self.deployment.track.get();
        let last_fix = whole.and_then(|whole| whole.latest()).map(|fix| {
            let age = self.deployment.age(fix.time_stamp, self.shared.now);
            ("last fix", age, style)
        });
        let mut items = vec![status];
        items.extend(last_fix);
        let newer = whole.and_then(|whole| whole.overview().newer);
        if let Some(newer) = newer.and_then(|newer| newer.text(self.shared.settings.units)) {
            items.push(("", newer, self.theme.warning()));
        }
        // Before the counts, which are cut first.
        if let Some((failure, at)) = &self.deployment.track.failure {
            let age = format::age(self.shared, *at);
            let next = format::next_try(self.shared, self.deployment);
            let few = format::failed_shortly(failure);
            let long = format!("{age}, {next}: {}", format::why_failed(failure));
            // On a narrow line the time of the next try leaves no room for the reason.
            let short = format!("{age}, {few}");
            let failed = Text::from(long).or(short).fit(self.width / 2).to_owned();
            let style = format::failed_style(failure, self.theme);
            items.push(("refresh failed", failed, style));
        }
        items.extend(self.counts());
        let used: u16 = items.iter().map(item_cells).sum();
        if let Some(alarm) = self.alarm(self.width.saturating_sub(used)) {
            items.insert(1, alarm);
        }
        if let Some(next) = format::next_fix(self.shared, self.deployment) {
            let request = self.shared.service.source.next_request();
            let is_request = next.long.starts_with(request);
            let name = if is_request { "" } else { "next" };
            let used = items.iter().map(item_cells).sum::<u16>() + cells(name) + 1;
            let room = self.width.saturating_sub(used);
            items.push((name, next.fit(room).to_owned(), self.theme.text()));
        }
        if let Some(notes) = &self.deployment.deployment.notes {
            items.push(("notes", notes.clone(), self.theme.text()));
        }
        let unjudged = self.deployment.unjudged.iter().cloned();
        items.extend(unjudged.map(|why| ("limit", why, self.theme.warning())));
        let note = self.deployment.note();
        if !note.is_empty() {
            items.push(("note", note, self.theme.warning()));
        }
        items
    }

    /// The most urgent alarm, in its short form where the sentence needs more than these cells.
    pub(super) fn alarm(&self, room: u16) -> Option<Item<'static>> {
        let (alarm, state) = self.deployment.alarm(self.shared.now)?;
        let (sign, style) = words::sign(state, self.theme);
        let words = words::words(alarm, self.shared);
        let [sentence, short] = [Length::Sentence, Length::Short]
            .map(|length| words.write(length, self.shared.settings.units));
        let more = match self.deployment.alarms.len() {
            0 | 1 => String::new(),
            count => format!(" +{}", count - 1),
        };
        let [sentence, short] = [sentence, short].map(|text| format!("{sign} {text}{more}"));
        let text = Text::from(sentence).or(short);
        Some(("", text.fit(room).to_owned(), style))
    }

    /// The number of fixes, of failed ones, and the further counts.
    fn counts(&self) -> Vec<Item<'static>> {
        let summary = self.track.summary();
        let fixes = text::count(summary.fixes);
        let track = self.deployment.track.get();
        let whole = track.filter(|_| self.tab.time_range.is_some());
        let all = match whole {
            Some(whole) => {
                let words = format!("{fixes} of {} in range", text::count(whole.len()));
                ("fixes", words, self.theme.heading())
            }
            None => ("fixes", fixes, self.theme.text()),
        };
        // They have no time.
        let invalid = match whole {
            Some(_) => "invalid in whole track",
            None => "invalid",
        };
        let duplicates = match summary.repeats {
            1 => "duplicate",
            _ => "duplicates",
        };
        let overridden = self.deployment.overrides.len();
        let of = |name: &str, count: usize, style| {
            let words = format!("{} {name}", text::count(count));
            (count > 0).then_some(("", words, style))
        };
        let counts = [
            Some(all),
            of("failed", summary.fail, self.theme.bad()),
            of("suspect", summary.suspect, self.theme.warning()),
            of(invalid, summary.unusable, self.theme.warning()),
            of(duplicates, summary.repeats, self.theme.dim()),
            of("by hand", overridden, self.theme.heading()),
        ];
        counts.into_iter().flatten().collect()
    }
}

/// Cells of an item and the gap after it.
fn item_cells((name, content, _): &Item<'_>) -> u16 {
    cells(name) + u16::from(!name.is_empty()) + cells(content) + 2
}
