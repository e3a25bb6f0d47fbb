//! The first line of the summary: reporting status, alarm, age of the data, and their
//! faults.

use super::Summary;
use super::WIDE;
use crate::alarm::Length;
use crate::dashboard::alarms::words;
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::format;
use crate::dashboard::shared::Shared;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::lines::Item;
use crate::text;
use crate::track::{Flag, Track};

/// The label of the status next to an alarm: it is about the reports only.
const BESIDE_ALARM: &str = "reporting";

/// The reporting status of a deployment.
pub(super) fn sign(deployment: &DeploymentState, shared: &Shared, theme: Theme) -> Item<'static> {
    let state = deployment.health(shared.now).state;
    let (mark, style) = theme.state(state);
    (
        "",
        format!("{mark} {}", deployment.status(shared.now)),
        style,
    )
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
        let Self {
            shared,
            deployment,
            width,
            theme,
            ..
        } = *self;
        let status = sign(deployment, shared, theme);
        let style = status.2;
        // Whether it reports is the whole track's to say, also where a window of
        // time is shown.
        let whole = deployment.track.get();
        let last_fix = whole.and_then(|whole| whole.latest()).map(|fix| {
            let age = deployment.age(fix.time_stamp, shared.now);
            ("last fix", age, style)
        });
        let (counts, further) = self.counts();
        let mut items = vec![status];
        items.extend(last_fix);
        let newer = whole.and_then(|whole| whole.overview().newer);
        if let Some(newer) = newer.and_then(|newer| newer.text(shared.settings.units)) {
            items.push(("", newer, theme.warning()));
        }
        if let Some((alarm, state)) = deployment.alarm(shared.now) {
            let (sign, style) = words::sign(state, theme);
            let words = words::words(alarm, shared);
            let forms = [Length::Sentence, Length::Line, Length::Short];
            let forms = forms.map(|length| words.write(length, shared.settings.units));
            let [sentence, line, short] = forms.map(|text| format!("{sign} {text}"));
            let forms = [
                sentence,
                line,
                short,
                format!("{sign} {}", alarm.kind.word()),
            ];
            // Its further alarms, where they hide nothing of the line.
            let more = match deployment.alarms.len() {
                0 | 1 => String::new(),
                count => format!(" +{}", count - 1),
            };
            let room = usize::from(width).saturating_sub(text::width(&more));
            let (label, mut text) = beside((&items, &counts), forms, room);
            text.push_str(&more);
            if let Some(status) = items.first_mut() {
                status.0 = label;
            }
            items.insert(1, ("", text, style));
        }
        // Before the counts, which are cut first.
        if let Some((failure, at)) = &deployment.track.failure {
            let age = format::age(shared, *at);
            let next = format::next_try(shared, deployment);
            let few = format::failed_shortly(failure);
            let forms = [
                format!("{age}, {next}: {}", format::why_failed(failure)),
                format!("{age}, {next}: {few}"),
            ];
            // Of a longer one the time of the next try leaves no room for the reason.
            let room = usize::from(width / 2);
            let fitting = forms.into_iter().find(|form| text::width(form) <= room);
            let failed = match fitting {
                None if width >= WIDE => format!("{age}, {next}: {few}"),
                form => form.unwrap_or_else(|| format!("{age}, {few}")),
            };
            items.push(("refresh failed", failed, theme.bad()));
        }
        items.extend(counts);
        items.extend(further);
        let next = format::next_fix(shared, deployment);
        if let Some(first) = next.first() {
            // If both do not fit, the time of the fix comes before that of the request.
            let room = usize::from(width).saturating_sub(items.iter().map(cells).sum());
            let is_request = first.starts_with(shared.service.source.next_request());
            let name = if is_request { "" } else { "next" };
            let item = (name, next.join("; "), theme.text());
            items.push(match cells(&item) > room + APART {
                true => (name, first.clone(), item.2),
                false => item,
            });
        }
        if let Some(notes) = &deployment.deployment.notes {
            items.push(("notes", notes.clone(), theme.text()));
        }
        let unjudged = deployment.unjudged.iter().cloned();
        let unjudged = unjudged.map(|why| ("limit", why, theme.warning()));
        items.extend(unjudged);
        let note = deployment.note();
        if !note.is_empty() {
            items.push(("note", note, theme.warning()));
        }
        items
    }

    /// The number of fixes and of failed ones, and the further counts, in few words on a
    /// line with less than [`WIDE`] cells.
    fn counts(&self) -> (Vec<Item<'static>>, Vec<Item<'static>>) {
        let Self {
            tab,
            deployment,
            track,
            width,
            theme,
            ..
        } = *self;
        let summary = track.summary();
        let fixes = text::count(summary.fixes);
        let whole = deployment.track.get();
        let whole = whole.filter(|_| tab.time_range.is_some());
        let all = match whole {
            Some(whole) => {
                let all = text::count(whole.len());
                let range = if width < WIDE {
                    "range"
                } else {
                    "the time range"
                };
                let fixes = format!("{fixes} of {all} in {range}");
                ("fixes", fixes, theme.heading())
            }
            None => ("fixes", fixes, theme.text()),
        };
        // They have no time.
        let invalid = match whole {
            Some(_) if width < WIDE => "invalid in whole track",
            Some(_) => "invalid in the whole track",
            None => "invalid",
        };
        let duplicates = match summary.repeats {
            1 => "duplicate",
            _ => "duplicates",
        };
        let overridden = deployment.overrides.len();
        let of = |name: &str, count: usize, style| {
            let words = format!("{} {name}", text::count(count));
            (count > 0).then_some(("", words, style))
        };
        let first = [Some(all), of("failed", summary.fail, theme.bad())];
        let further = [
            of("suspect", summary.suspect, theme.warning()),
            of(invalid, summary.unusable, theme.warning()),
            of(duplicates, summary.repeats, theme.dim()),
            of("overridden", overridden, theme.heading()),
        ];
        (
            first.into_iter().flatten().collect(),
            further.into_iter().flatten().collect(),
        )
    }
}

/// Cells between two items.
const APART: usize = 2;

/// Cells of an item and the gap after it.
fn cells((name, content, _): &Item<'_>) -> usize {
    text::width(name) + usize::from(!name.is_empty()) + text::width(content) + APART
}

/// The longest form of an alarm that leaves room on a line of `width` cells for the age
/// of the last fix and the counts, or for the age only; and the label of the status, if
/// it fits.
fn beside(
    (before, counts): (&[Item<'_>], &[Item<'_>]),
    forms: [String; 4],
    width: usize,
) -> (&'static str, String) {
    let age: usize = before.iter().map(cells).sum();
    let with_counts = age + counts.iter().map(cells).sum::<usize>();
    let [sentence, numbers, value, kind] = forms;
    for beside in [with_counts, age] {
        for text in [&sentence, &numbers, &value] {
            let needs = beside + text::width(text);
            if needs + text::width(BESIDE_ALARM) < width {
                return (BESIDE_ALARM, text.clone());
            }
            if needs <= width {
                return ("", text.clone());
            }
        }
    }
    ("", kind)
}
