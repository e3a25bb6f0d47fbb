//! The pane next to the world map: details of the selected deployment that its row does
//! not show.

use ratatui::style::Style;
use uuid::Uuid;

use super::deployment::DeploymentState;
use super::row_words;
use crate::alarm::Length;
use crate::dashboard::alarms::words;
use crate::dashboard::canvas::Canvas;
use crate::dashboard::format;
use crate::dashboard::keymap::Action;
use crate::dashboard::layout::Parts;
use crate::dashboard::shared::Shared;
use crate::dashboard::theme::Theme;
use crate::dashboard::track::label::field_label;
use crate::dashboard::track::small_charts;
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::sheet::Fact;
use crate::dashboard::widgets::wrap::{wrap, wrap_to};
use crate::geo::{Inside, units};
use crate::text;
use crate::track::field::profiles;
use crate::track::time;

/// Width of the labels with the blank behind them, cells.
const LABELS: u16 = 9;

/// The narrowest pane whose alarms have their limit.
const WIDE: u16 = 32;

/// A value with its label; several lines if it does not fit on one.
struct Row {
    label: &'static str,
    value: String,
    /// A shorter form of the value.
    short: Option<String>,
    style: Style,
    /// Its drop order: on too few lines, the row with the greatest number is dropped
    /// first.
    rank: u8,
    /// `true` if it is a text of any length, which is cut to leave room for other rows.
    is_long: bool,
    /// The column of the list that shows the same; empty if none does.
    column: &'static str,
}

/// The label of the fields in one line.
const FIELDS: &str = "fields";

/// The most lines of a long text where other rows are dropped.
const LONG: usize = 2;

/// The lines of a row at a width, its label before the first. A long text has at most
/// `most` lines.
fn wrapped(row: &Row, value: &str, room: usize, most: usize) -> Vec<(&'static str, String, Style)> {
    let lines = if row.is_long {
        wrap_to(value, room, most)
    } else {
        wrap(value, room)
    };
    let numbered = lines.into_iter().enumerate();
    let label = |number| if number == 0 { row.label } else { "" };
    numbered
        .map(|(number, words)| (label(number), words, row.style))
        .collect()
}

/// Draws the details that the shown columns of the list do not have, the most urgent first.
pub(crate) fn draw(
    canvas: &mut Canvas<'_>,
    deployment: &DeploymentState,
    shared: &Shared,
    shown_columns: &[&str],
) {
    let area = canvas.layout.summary;
    let theme = canvas.theme;
    if area.is_empty() {
        return;
    }
    let room = usize::from(area.width.saturating_sub(LABELS)).max(1);
    let numbers = if area.width < WIDE {
        Length::Short
    } else {
        Length::Line
    };
    let mut rows = rows(deployment, numbers, shared, theme);
    rows.retain(|row| !shown_columns.contains(&row.column));
    let lines = |rows: &[Row], is_short: bool, most: usize| -> Vec<_> {
        let value = |row: &Row| match &row.short {
            // What saves no line says less for nothing.
            Some(short) if is_short && wrap(short, room).len() < wrap(&row.value, room).len() => {
                short.clone()
            }
            _ => row.value.clone(),
        };
        let all = rows.iter().map(|row| wrapped(row, &value(row), room, most));
        all.flatten().collect()
    };
    let height = usize::from(area.height);
    let mut shown = lines(&rows, false, usize::MAX);
    if shown.len() >= height {
        // Long texts lose their last lines first, then the other rows.
        let fits = |most: &usize| lines(&rows, true, *most).len() < height;
        let most = (LONG..height).rev().find(fits).unwrap_or(LONG);
        shown = lines(&rows, true, most);
        while shown.len() >= height && rows.len() > 1 {
            let greatest = rows.iter().map(|row| row.rank).max();
            if let Some(last) = rows.iter().rposition(|row| Some(row.rank) == greatest) {
                rows.remove(last);
            }
            shown = lines(&rows, true, most);
        }
    }
    let buffer = &mut *canvas.buffer;
    let more = format!("{} details", shared.key_of(Action::Details));
    put(buffer, area.at(0, area.height - 1), &more, theme.dim());
    for (line, (label, words, style)) in (0..area.height).zip(&shown) {
        put(buffer, area.at(0, line), label, theme.dim());
        put(buffer, area.at(LABELS, line), words, *style);
    }
}

/// The facts of a deployment: its name, and labels with their values.
pub(crate) fn facts(uuid: Uuid, shared: &Shared, theme: Theme) -> Option<(String, Vec<Fact>)> {
    let deployment = shared.deployments.get(uuid)?;
    let rows = rows(deployment, Length::Line, shared, theme);
    let mut facts: Vec<Fact> = (rows.into_iter())
        .filter(|row| row.label != FIELDS)
        .map(|row| (row.label.to_owned(), row.value, row.style))
        .collect();
    facts.extend(of_track(deployment, shared, theme));
    let of_field = |(label, value)| (label, value, theme.text());
    facts.extend(fields(deployment).into_iter().map(of_field));
    Some((deployment.name(), facts))
}

/// The last values of the fields, once they are read: a profile has the number of its
/// values.
fn fields(deployment: &DeploymentState) -> Vec<(String, String)> {
    let values = &deployment.last_values;
    let names = values.iter().map(|(name, _)| name.as_str());
    let profiles = profiles(names);
    let is_part = |name: &str| {
        let prefix = name.rsplit_once('_').map(|(prefix, _)| prefix);
        profiles.iter().any(|(of, _)| Some(*of) == prefix)
    };
    let alone = values.iter().filter(|(name, _)| !is_part(name));
    let single = alone.map(|(name, value)| {
        let rounded = (value * 1000.0).round() / 1000.0;
        let words = format!("{rounded} {}", format::unit_of_field(name));
        (field_label(name), words.trim_end().to_owned())
    });
    let whole = profiles.iter().map(|(prefix, count)| {
        let count = text::counted(*count, "value", "values");
        (field_label(prefix), count)
    });
    single.chain(whole).collect()
}

/// The fields in a line, those with a limit first.
fn field_row(deployment: &DeploymentState, theme: Theme) -> Option<Row> {
    let mut fields = fields(deployment);
    let limits = &deployment.deployment.limits.fields;
    let has_limit = |label: &str| {
        limits
            .iter()
            .any(|limit| field_label(&limit.field) == label)
    };
    fields.sort_by_key(|(label, _)| !has_limit(label));
    let all: Vec<String> = fields
        .iter()
        .map(|(label, value)| format!("{label} {value}"))
        .collect();
    (!all.is_empty()).then(|| Row::new(4, FIELDS, all.join(", "), theme.text()).long())
}

/// The numbers of the whole track, if it is loaded.
fn of_track(deployment: &DeploymentState, shared: &Shared, theme: Theme) -> Vec<Fact> {
    let Some(track) = deployment.track.get() else {
        return Vec::new();
    };
    let summary = track.summary();
    let units = shared.settings.units;
    let text = theme.text();
    let mut facts: Vec<Fact> = Vec::new();
    let mut say = |label: &str, value: Option<String>, style| {
        facts.extend(value.map(|value| (label.to_owned(), value, style)));
    };
    let first = summary.first.map(|first| shared.times().moment(first));
    say("first fix", first, text);
    let flagged = text::counts(&[
        (summary.fail, "failed"),
        (summary.suspect, "suspect"),
        (summary.unusable, "invalid"),
    ]);
    let is_flagged = !flagged.is_empty();
    say("flagged", is_flagged.then_some(flagged), theme.warning());
    say("length", Some(units.distance(summary.length_m)), text);
    let net = units.distance(summary.displacement_m);
    say("net", Some(format!("{net} from first to last fix")), text);
    let highest = summary.max_speed_m_s.map(|speed| units.speed(speed));
    say("highest", highest, text);
    say("gap", summary.longest_gap_s.map(time::interval), text);
    facts
}

impl Row {
    fn new(rank: u8, label: &'static str, value: String, style: Style) -> Self {
        Self {
            label,
            value,
            short: None,
            style,
            rank,
            is_long: false,
            column: "",
        }
    }

    /// The row as a text of any length.
    fn long(self) -> Self {
        Self {
            is_long: true,
            ..self
        }
    }

    fn or(self, short: String) -> Self {
        Self {
            short: Some(short),
            ..self
        }
    }

    /// The row is left out if the list shows this column.
    fn in_column(self, column: &'static str) -> Self {
        Self { column, ..self }
    }
}

/// All that is known of a deployment, the most urgent first.
fn rows(deployment: &DeploymentState, numbers: Length, shared: &Shared, theme: Theme) -> Vec<Row> {
    let mut rows = vec![status(deployment, shared, theme)];
    rows.extend(alarms(deployment, numbers, shared, theme));
    rows.extend(failed(deployment, shared, theme));
    rows.extend(last_fix(deployment, shared, theme));
    rows.extend(next(deployment, shared, theme));
    rows.extend(limits(deployment, shared, theme));
    rows.extend(field_row(deployment, theme));
    rows.extend(reports(deployment, shared, theme));
    rows.extend(entry(deployment, shared, theme));
    rows
}

/// The status; where the user's limit allows its age, both.
fn status(deployment: &DeploymentState, shared: &Shared, theme: Theme) -> Row {
    let state = deployment.health(shared.now).state;
    let (mark, style) = theme.state(state);
    let word = deployment.status(shared.now);
    match words::allowed_age(deployment, shared.now) {
        Some(limit) => {
            let short = format!("{mark} {word} by its interval");
            let limit = time::whole_duration(limit);
            let status = format!("{short}, within its max age {limit}");
            Row::new(0, "status", status, style).or(short)
        }
        None => Row::new(0, "status", format!("{mark} {word}"), style).in_column("status"),
    }
}

/// The alarms with their age and the reply to each, the most urgent first.
fn alarms(
    deployment: &DeploymentState,
    numbers: Length,
    shared: &Shared,
    theme: Theme,
) -> Vec<Row> {
    let urgent = deployment.alarm(shared.now).map(|(alarm, _)| &alarm.id);
    let (first, others): (Vec<_>, Vec<_>) =
        (deployment.alarms.iter()).partition(|alarm| Some(&alarm.id) == urgent);
    let mut rows = Vec::new();
    for alarm in first.into_iter().chain(others) {
        let (sign, style) = words::sign(alarm.state(shared.now), theme);
        let rank = if Some(&alarm.id) == urgent { 1 } else { 4 };
        let words = words::words(alarm, shared);
        let text = format!(
            "{sign} {}",
            words.write(Length::Sentence, shared.settings.units)
        );
        let short = words.write(numbers, shared.settings.units);
        rows.push(Row::new(rank, "alarm", text, style).or(format!("{sign} {short}")));
        let age = format::age(shared, alarm.raised_at);
        let reply = words::reply(alarm, shared);
        let raised = format!("raised {age}, {reply}");
        rows.push(Row::new(5, "", raised, theme.dim()).or(reply));
    }
    let (sign, style) = words::unjudged_sign(theme);
    let unjudged = deployment.unjudged.iter();
    rows.extend(unjudged.map(|why| Row::new(1, "limit", format!("{sign} {why}"), style).long()));
    rows
}

/// The last request, if it failed, and when it is sent again.
fn failed(deployment: &DeploymentState, shared: &Shared, theme: Theme) -> Option<Row> {
    let (failure, at) = deployment.track.failure.as_ref()?;
    let age = format::age(shared, *at);
    let next = format::next_try(shared, deployment);
    let why = format::why_failed(failure);
    let short = format!("{age}, {}", format::failed_shortly(failure));
    let style = format::failed_style(failure, theme);
    let failed = Row::new(1, "failed", format!("{age}, {next}: {why}"), style);
    Some(failed.or(short).long())
}

/// The last fix: when, where, and how it moved.
fn last_fix(deployment: &DeploymentState, shared: &Shared, theme: Theme) -> Vec<Row> {
    let overview = deployment.overview();
    let Some((overview, fix)) = overview.and_then(|overview| Some((overview, overview.latest?)))
    else {
        return Vec::new();
    };
    let text = theme.text();
    let zone = shared.times().zone_name();
    let (_, style) = theme.state(deployment.health(shared.now).state);
    let age = deployment.age(fix.time_stamp, shared.now);
    let exact = shared.times().moment(fix.time_stamp);
    let near = format::near_moment(shared, fix.time_stamp);
    let moment = Row::new(3, "fix time", format!("{exact} {zone}"), text);
    let mut rows = vec![
        Row::new(0, "last fix", age, style).in_column("last fix"),
        moment.or(format!("{near} {zone}")),
    ];
    let newer = overview.newer;
    if let Some(newer) = newer.and_then(|newer| newer.text(shared.settings.units)) {
        rows.push(Row::new(1, "", newer, theme.warning()).long());
    }
    let (latitude, longitude) = shared.settings.coordinates.pair(fix.position);
    let position = format!("{latitude} {longitude}");
    rows.push(Row::new(2, "position", position, text).in_column("position"));
    if let Some(speed) = fix.speed_m_s {
        let course = fix.course_deg.map_or_else(String::new, units::course);
        let speed = shared.settings.units.speed(speed);
        let velocity = format!("{speed} {course}");
        rows.push(Row::new(3, "SOG, COG", velocity, text).in_column("SOG COG"));
    }
    rows
}

/// When the next fix is due: the instrument reports also where the service fails.
fn next(deployment: &DeploymentState, shared: &Shared, theme: Theme) -> Option<Row> {
    let next = format::next_fix(shared, deployment)?;
    let [long, short] =
        [next.long.as_str(), next.shortest()].map(|words| words.trim_start_matches("next "));
    Some(Row::new(4, "next", long.to_owned(), theme.text()).or(short.to_owned()))
}

/// The limits that the user set, and how far from the edge of its circle or area the
/// last fix is.
fn limits(deployment: &DeploymentState, shared: &Shared, theme: Theme) -> Vec<Row> {
    let mut rows = Vec::new();
    let words = row_words::values(deployment, shared.settings.units);
    if !words.is_empty() {
        rows.push(Row::new(2, "limits", words, theme.text()).in_column("limits"));
    }
    let inside = deployment.deployment.limits.inside.as_ref();
    let latest = deployment.latest();
    if let Some((inside, fix)) = inside.zip(latest) {
        let over = inside.over_m(fix.position);
        let side = if over > 0.0 { "beyond" } else { "within" };
        let distance = shared.settings.units.distance(over.abs());
        let edge = format!("{distance} {side} its edge");
        let label = match inside {
            Inside::Circle(_) => "circle",
            Inside::Area(_) => "area",
        };
        rows.push(Row::new(5, label, edge, theme.text()));
    }
    rows
}

/// The last expected reports and the data return.
fn reports(deployment: &DeploymentState, shared: &Shared, theme: Theme) -> Vec<Row> {
    let Some(overview) = deployment.overview() else {
        return Vec::new();
    };
    let mut rows = Vec::new();
    let text = theme.text();
    let came = deployment.recent_reports(shared.now);
    let interval = deployment.health(shared.now).interval_s;
    if let Some(interval) = interval.filter(|_| !came.is_empty()) {
        let reports = small_charts::reports(&came, theme);
        rows.push(Row::new(5, "reports", reports, text).in_column("reports"));
        let interval = time::interval(interval);
        rows.push(Row::new(6, "interval", interval, text).in_column("interval"));
    }
    let fixes = text::count(overview.fixes);
    rows.push(Row::new(6, "fixes", fixes, text).in_column("fixes"));
    let share = format::data_return(deployment, shared);
    rows.extend(share.map(|share| Row::new(6, "received", share, text).in_column("data return")));
    rows
}

/// The notes of the user, and the kind of deployment.
fn entry(deployment: &DeploymentState, shared: &Shared, theme: Theme) -> Vec<Row> {
    let mut rows = Vec::new();
    let text = theme.text();
    let entry = &deployment.deployment;
    if let Some(notes) = &entry.notes {
        rows.push(Row::new(6, "notes", notes.clone(), text));
    }
    let note = deployment.note();
    if !note.is_empty() {
        rows.push(Row::new(6, "note", note, theme.warning()));
    }
    if let Some(group) = &entry.group {
        rows.push(Row::new(7, "group", group.clone(), text).in_column("group"));
    }
    let platform = entry.platform.name().to_owned();
    rows.push(Row::new(7, "platform", platform, text).in_column("platform"));
    if deployment.overview().is_some() && entry.limits.max_speed_m_s.is_some() {
        let limit = entry.options(shared.now).limit_text(shared.settings.units);
        rows.push(Row::new(7, "", limit, text));
    }
    for (label, end) in [("from", entry.window.from), ("until", entry.window.until)] {
        rows.extend(end.map(|end| Row::new(8, label, shared.times().moment(end), text)));
    }
    let uuid = entry.id.to_string();
    rows.push(Row::new(9, "UUID", uuid, theme.dim()));
    rows
}
