//! The pane below a table: the track in a few numbers and the cursor's fix in
//! full, or the chosen row with all its words.

mod status;

use ratatui::buffer::Buffer;

use super::field_values;
use crate::dashboard::canvas::Canvas;
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::format;
use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::shared::Shared;
use crate::dashboard::targets::Sum;
use crate::dashboard::theme::Theme;
use crate::dashboard::track::TrackTab;
use crate::dashboard::widgets::lines::{Item, flow, spread};
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::sheet::Piece;

use crate::geo::{geodesic, units};
use crate::text;
use crate::track::{Fix, Flag, Track, time};

/// Cells of a line that fits a reason after a time with year and zone, and whole
/// phrases.
const WIDE: u16 = 101;

/// The open track with its tab, for the summary.
#[derive(Clone, Copy)]
struct Summary<'a> {
    tab: &'a TrackTab,
    shared: &'a Shared,
    deployment: &'a DeploymentState,
    /// The track, or its part in the time range.
    track: &'a Track,
    /// Cells of a line.
    width: u16,
    theme: Theme,
}

/// Draws the summary of the open track and the fix under the cursor, and records where its counts
/// are.
pub(crate) fn draw(tab: &TrackTab, canvas: &mut Canvas<'_>, shared: &Shared) {
    let area = canvas.layout.summary;
    let theme = canvas.theme;
    let Some(deployment) = shared.open_deployment().filter(|_| !area.is_empty()) else {
        return;
    };
    let Some(track) = tab.shown_track(shared) else {
        return;
    };
    let buffer = &mut *canvas.buffer;
    let sums = &mut canvas.memory.targets.sums;
    let summary = Summary {
        tab,
        shared,
        deployment,
        track,
        width: area.width,
        theme,
    };
    // The last line is the measurement's.
    let measure = measure(tab, shared, theme);
    let (area, of_measure) = area.split_bottom(u16::from(measure.is_some()));
    draw_items(buffer, of_measure, &measure.unwrap_or_default(), theme);
    let values = field_values::few(tab, shared);
    let mut lines: Vec<Vec<Item<'_>>> = vec![summary.status()];
    if let Some(fix) = track.fix(tab.cursor) {
        let mut items: Vec<Item<'_>> = summary.cursor(&fix);
        let mut fields = values
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone(), theme.text()));
        // The chosen field comes before what the table also shows.
        if tab.shown_field(shared).is_some()
            && let Some(chosen) = fields.next()
        {
            let has_reason = usize::from(!fix.reason.text().is_empty());
            items.insert((1 + has_reason).min(items.len()), chosen);
        }
        items.extend(fields);
        let is_flagged = matches!(fix.flag, Flag::Fail | Flag::Suspect);
        let is_field = tab.shown_field(shared).is_some();
        // Only the summary shows the whole reason; the table also has the time.
        let needs = |items: &[Item<'_>]| -> usize {
            let cells = |(name, content, _): &Item<'_>| text::width(name) + text::width(content);
            items.iter().take(2).map(cells).sum::<usize>() + 3
        };
        if area.height == 1 && (is_flagged || is_field) && items.len() > 1 {
            // The only line is for the reason or the field, which nothing else shows.
            items.swap(0, 1);
            let sign = (!is_flagged).then(|| status::sign(deployment, shared, theme));
            let head = sign.into_iter().chain(summary.alarm());
            lines.insert(0, head.chain(items).collect());
        } else {
            if is_flagged && items.len() > 1 && needs(&items) > usize::from(area.width) {
                items.swap(0, 1);
            }
            lines.push(items);
        }
    }
    let times = times(track, shared, theme);
    lines.push(times.into_iter().chain(summary.lengths()).collect());
    lines.push(summary.pace());
    // If the lines still do not fit, the last two are joined.
    if lines.len() > usize::from(area.height)
        && let Some(last) = lines.pop()
        && let Some(before) = lines.last_mut()
    {
        before.extend(last);
    }
    let lines = spread(lines, area);
    let counted = status::counted(track);
    for (line, items) in (0..area.height).zip(&lines) {
        for (place, words) in draw_items(buffer, area.at(0, line), items, theme) {
            let count = counted.iter().find(|(count, _)| *count == words);
            sums.extend(count.map(|(_, flag)| (place, Sum::Fixes(*flag))));
        }
    }
    // With the whole body there is room for the invalid records.
    let line = u16::try_from(lines.len()).unwrap_or(0) + 1;
    if line < area.height && !track.unusable().is_empty() {
        invalid_records(buffer, area.split_top(line).1, track, theme);
    }
}

/// Draws items on a line; returns the area of each text.
fn draw_items(
    buffer: &mut Buffer,
    line: Area,
    items: &[Item<'_>],
    theme: Theme,
) -> Vec<(Area, String)> {
    let pieces = flow(items, line.width, theme).into_iter();
    let put = |Piece { x, words, style }| {
        let width = put(buffer, line.at(x, 0), &words, style);
        (Area::new(line.x + x, line.y, width, 1), words)
    };
    pieces.map(put).collect()
}

/// Lists the invalid records with their reasons.
fn invalid_records(buffer: &mut Buffer, area: Area, track: &Track, theme: Theme) {
    put(buffer, area, "invalid records", theme.heading());
    for (line, record) in (1..area.height).zip(track.unusable()) {
        let words = format!("{:>6}  {}  {}", record.index, record.fault, record.excerpt);
        let fitted = text::fit(&words, usize::from(area.width));
        put(buffer, area.at(0, line), &fitted, theme.dim());
    }
}

/// From the first mark to the second, or to the cursor.
fn measure(tab: &TrackTab, shared: &Shared, theme: Theme) -> Option<Vec<Item<'static>>> {
    let start = tab.marks.0?.position;
    let end = match tab.marks.1 {
        Some(end) => end.position,
        None => tab.cursor_fix(shared)?.position,
    };
    let line = geodesic::inverse(start, end);
    let to = if tab.marks.1.is_some() {
        "measured mark to mark"
    } else {
        "measured mark to cursor"
    };
    let distance = shared.settings.units.distance(line.distance_m);
    // Between a position and itself there is no course.
    if line.distance_m == 0.0 {
        return Some(vec![(to, distance, theme.heading())]);
    }
    Some(vec![
        (to, distance, theme.heading()),
        (
            "initial course",
            units::course(line.initial_course_deg),
            theme.text(),
        ),
    ])
}

/// When the track begins and ends.
fn times(track: &Track, shared: &Shared, theme: Theme) -> Vec<Item<'static>> {
    let summary = track.summary();
    let (Some(first), Some(last)) = (summary.first, summary.last) else {
        return Vec::new();
    };
    vec![
        ("from", shared.times().moment(first), theme.text()),
        ("to", shared.times().moment(last), theme.text()),
    ]
}

impl Summary<'_> {
    /// The fix under the cursor. A flag has its reason right after the time, which is
    /// short where the line has less than [`WIDE`] cells.
    fn cursor(&self, fix: &Fix) -> Vec<Item<'static>> {
        let (mark, style) = self.theme.flag(fix.flag);
        let has_reason = !fix.reason.text().is_empty();
        let moment = if has_reason && self.width < WIDE {
            self.shared.times().short_moment(fix.time_stamp)
        } else {
            self.shared.times().moment_in_zone(fix.time_stamp)
        };
        let mut items = vec![("cursor", moment, self.theme.heading())];
        // Before what the table also shows.
        if has_reason {
            let reason = format::reason(self.track, fix, self.shared.settings.units);
            items.push(("", format!("{mark} {reason}"), style));
        }
        items.push((
            "",
            format::position(self.shared, fix.position),
            self.theme.text(),
        ));
        if self.track.times_sent(fix.index) > 1 {
            let words = format!("{} times", self.track.times_sent(fix.index));
            items.push(("sent", words, self.theme.text()));
        }
        let inside = self
            .track
            .leg(fix.index)
            .map(|leg| (leg, self.theme.text()));
        // The leg from before the time range counts in none of the numbers below.
        let outside = || {
            Some((
                self.tab.leg_into_range(self.shared, fix.index)?,
                self.theme.dim(),
            ))
        };
        if let Some((leg, style)) = inside.or_else(outside) {
            if let Some(speed) = leg.speed_m_s {
                items.push(("SOG", self.shared.settings.units.speed(speed), style));
            }
            if let Some(course) = leg.course_deg {
                items.push(("COG", units::course(course), style));
            }
            items.push((
                "leg",
                self.shared.settings.units.distance(leg.distance_m),
                style,
            ));
        }
        items
    }

    /// The length of the track and its net displacement, named so that nobody confuses them
    /// with a measurement.
    fn lengths(&self) -> Vec<Item<'static>> {
        let summary = self.track.summary();
        let distance = |metres| self.shared.settings.units.distance(metres);
        let (length, displacement) = match self.tab.time_range {
            Some(_) => ("length in time range", "net displacement in it"),
            None => ("track length", "net displacement"),
        };
        vec![
            (length, distance(summary.length_m), self.theme.text()),
            (
                displacement,
                distance(summary.displacement_m),
                self.theme.text(),
            ),
        ]
    }

    /// How fast it is and how often it reports.
    fn pace(&self) -> Vec<Item<'static>> {
        let summary = self.track.summary();
        let mut items = Vec::new();
        if let Some(speed) = summary.max_speed_m_s {
            items.push((
                "highest speed",
                self.shared.settings.units.speed(speed),
                self.theme.text(),
            ));
        }
        items.push((
            "",
            self.track.limit_text(self.shared.settings.units),
            self.theme.dim(),
        ));
        // The interval that the list shows, which decides the reporting status.
        let reporting = || self.deployment.health(self.shared.now).interval_s;
        let (name, interval) = match self.tab.time_range {
            Some(_) => ("median interval in it", summary.median_interval_s),
            None => ("reporting interval", reporting()),
        };
        if let Some(interval) = interval {
            items.push((name, time::interval(interval), self.theme.text()));
        }
        if let Some(gap) = summary.longest_gap_s {
            items.push(("longest gap", time::interval(gap), self.theme.text()));
        }
        if let Some(completeness) = summary.completeness {
            items.push((
                "data return",
                format!("{:.0} %", completeness * 100.0),
                self.theme.text(),
            ));
        }
        items
    }
}
