//! The pane below a table: the track in a few numbers and the cursor's fix in
//! full, or the chosen row with all its words.

mod status;

use ratatui::buffer::Buffer;

use super::field_values::{self, Named};
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
    let summary = Summary {
        tab,
        shared,
        deployment,
        track,
        width: area.width,
        theme,
    };
    // The last line is the measurement's.
    let measure = summary.measure();
    let (area, of_measure) = area.split_bottom(u16::from(measure.is_some()));
    draw_items(buffer, of_measure, &measure.unwrap_or_default(), theme);
    let values = field_values::few(tab, shared);
    let mut lines = summary.lines(area, &values);
    // If the lines still do not fit, the last two are joined.
    if lines.len() > usize::from(area.height)
        && let Some(last) = lines.pop()
        && let Some(before) = lines.last_mut()
    {
        before.extend(last);
    }
    let lines = spread(lines, area);
    let counted = status::counted(track);
    let sums = &mut canvas.memory.targets.sums;
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

impl Summary<'_> {
    /// All lines, the most important first.
    fn lines<'a>(&self, area: Area, values: &'a [Named]) -> Vec<Vec<Item<'a>>> {
        let mut lines = vec![self.status()];
        if let Some(fix) = self.track.fix(self.tab.cursor) {
            let mut items = self.cursor(&fix, values);
            let is_flagged = matches!(fix.flag, Flag::Fail | Flag::Suspect);
            let is_field = self.tab.shown_field(self.shared).is_some();
            let is_only = area.height == 1 && (is_flagged || is_field);
            // Only the summary shows the whole reason; the table also has the time.
            let cells = |(name, content, _): &Item<'_>| text::width(name) + text::width(content);
            let needed = items.iter().take(2).map(cells).sum::<usize>() + 3;
            let is_long = is_flagged && needed > usize::from(self.width);
            if items.len() > 1 && (is_only || is_long) {
                items.swap(0, 1);
            }
            if is_only {
                // The only line is for the reason or the field, which nothing else shows.
                let of_status = status::sign(self.deployment, self.shared, self.theme);
                let sign = Some(of_status).filter(|_| !is_flagged);
                let head = sign.into_iter().chain(self.alarm(self.width / 2));
                lines = vec![head.chain(items).collect()];
            } else {
                lines.push(items);
            }
        }
        lines.push(self.times().into_iter().chain(self.lengths()).collect());
        lines.push(self.pace());
        lines
    }

    /// From the first mark to the second, or to the cursor.
    fn measure(&self) -> Option<Vec<Item<'static>>> {
        let start = self.tab.marks.0?.position;
        let (to, end) = match self.tab.marks.1 {
            Some(end) => ("measured mark to mark", end.position),
            None => {
                let cursor = self.tab.cursor_fix(self.shared)?;
                ("measured mark to cursor", cursor.position)
            }
        };
        let line = geodesic::inverse(start, end);
        let distance = self.shared.settings.units.distance(line.distance_m);
        let mut items = vec![(to, distance, self.theme.heading())];
        // Between a position and itself there is no course.
        if line.distance_m > 0.0 {
            let course = units::course(line.initial_course_deg);
            items.push(("initial course", course, self.theme.text()));
        }
        Some(items)
    }

    /// When the track begins and ends.
    fn times(&self) -> Vec<Item<'static>> {
        let summary = self.track.summary();
        let ends = [("from", summary.first), ("to", summary.last)].into_iter();
        let moment = |time| self.shared.times().moment(time);
        let items = ends.filter_map(|(name, time)| Some((name, moment(time?), self.theme.text())));
        items.collect()
    }

    /// The fix under the cursor. A flag has its reason right after the time, which is
    /// short where the line has less than [`WIDE`] cells.
    fn cursor<'a>(&self, fix: &Fix, values: &'a [Named]) -> Vec<Item<'a>> {
        let units = self.shared.settings.units;
        let text = self.theme.text();
        let (mark, style) = self.theme.flag(fix.flag);
        let has_reason = !fix.reason.text().is_empty();
        let moment = if has_reason && self.width < WIDE {
            self.shared.times().short_moment(fix.time_stamp)
        } else {
            self.shared.times().moment_in_zone(fix.time_stamp)
        };
        let mut items = vec![("cursor", moment, self.theme.heading())];
        if has_reason {
            let reason = format::reason(self.track, fix, units);
            items.push(("", format!("{mark} {reason}"), style));
        }
        // The chosen field comes before what the table also shows.
        let lines = values.iter();
        let mut values = lines.map(|(name, value)| (name.as_str(), value.clone(), text));
        if self.tab.shown_field(self.shared).is_some() {
            items.extend(values.next());
        }
        items.push(("", format::position(self.shared, fix.position), text));
        let sent = self.track.times_sent(fix.index);
        if sent > 1 {
            items.push(("sent", format!("{sent} times"), text));
        }
        let inside = self.track.leg(fix.index).map(|leg| (leg, text));
        // The leg from before the time range counts in none of the numbers below.
        let outside = || self.tab.leg_into_range(self.shared, fix.index);
        let leg = inside.or_else(|| Some((outside()?, self.theme.dim())));
        if let Some((leg, style)) = leg {
            let speed = leg.speed_m_s.map(|speed| units.speed(speed));
            let course = leg.course_deg.map(units::course);
            items.extend(speed.map(|speed| ("SOG", speed, style)));
            items.extend(course.map(|course| ("COG", course, style)));
            items.push(("leg", units.distance(leg.distance_m), style));
        }
        items.extend(values);
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
        let text = self.theme.text();
        vec![
            (length, distance(summary.length_m), text),
            (displacement, distance(summary.displacement_m), text),
        ]
    }

    /// How fast it is and how often it reports.
    fn pace(&self) -> Vec<Item<'static>> {
        let summary = self.track.summary();
        let units = self.shared.settings.units;
        // The interval that the list shows, which decides the reporting status.
        let (interval_name, interval) = match self.tab.time_range {
            Some(_) => ("median interval in it", summary.median_interval_s),
            None => {
                let health = self.deployment.health(self.shared.now);
                ("reporting interval", health.interval_s)
            }
        };
        let speed = summary.max_speed_m_s.map(|speed| units.speed(speed));
        let completeness = summary.completeness;
        let text = self.theme.text();
        let items = [
            ("highest speed", speed, text),
            ("", Some(self.track.limit_text(units)), self.theme.dim()),
            (interval_name, interval.map(time::interval), text),
            (
                "longest gap",
                summary.longest_gap_s.map(time::interval),
                text,
            ),
            (
                "data return",
                completeness.map(|share| format!("{:.0} %", share * 100.0)),
                text,
            ),
        ];
        let known = items.into_iter();
        known
            .filter_map(|(name, value, style)| Some((name, value?, style)))
            .collect()
    }
}
