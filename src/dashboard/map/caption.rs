//! The captions of the map as a whole: projection, north, the cursor's fix, the colour
//! scale and the scale bar.

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use super::labels::Labels;
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::format;
use crate::dashboard::layout::{Area, Layout, Parts};
use crate::dashboard::model::Model;
use crate::dashboard::tab::{Pane, TabId};
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::{Pieces, cells_of_pieces, put, put_pieces};
use crate::dashboard::widgets::sheet::cells;
use crate::geo::projection::Projection;
use crate::geo::{Position, geodesic};
use crate::map::fields::{Scale, VaryingField};
use crate::map::{ColourBy, LineColour, RoundLength, View};
use crate::palette::track_letters;
use crate::text;
use crate::track::time;

/// Cells of the colour scale, and of those in a narrow map.
const SCALE_CELLS: u32 = 8;
const NARROW_SCALE_CELLS: [u32; 3] = [4, 3, 2];
/// The narrowest map whose names of several have distances.
const WITH_DISTANCES: u16 = 60;

/// Draws north, cursor and pointer into the upper line of the frame, and the scale bar at
/// the end of the axis; returns how many columns of the axis it leaves.
pub(super) fn draw(
    buffer: &mut Buffer,
    layout: &Layout,
    view: &View,
    model: &Model,
    theme: Theme,
) -> u16 {
    let frame = layout.frame(Pane::Map);
    let (name, words) = name_and_title(model, frame.width, theme);
    // Corners, strokes and blanks.
    let used = cells(&name) + name_gap(&name) + cells(&words) + 8;
    let room = frame.width.saturating_sub(used);
    right_aligned(buffer, frame, &fitting(title(model, view, theme), room), 2);
    let axis = layout.map_axis;
    let (bar, style) = scale_bar(model, view, theme);
    let bar = format!(" {bar} ");
    // In a frame a stroke stays before the corner.
    let end = axis.width.saturating_sub(u16::from(layout.framed));
    let left = end.saturating_sub(cells(&bar));
    put(buffer, axis.at(left, 0), &bar, style);
    left
}

/// The colour scale of the track, or a line for each of several tracks, with its area in
/// a corner of the map.
pub(super) fn track_legend(
    model: &Model,
    theme: Theme,
    area: Area,
    labels: &mut Labels<'_>,
) -> Option<(Area, Vec<Pieces>)> {
    if model.tab != TabId::Track || area.height < 6 || area.width < 24 {
        return None;
    }
    let together = model.together();
    let lines = if together.len() > 1 {
        names_of_several(&together, model, theme, area)
    } else {
        let fits = |pieces: &Pieces| cells_of_pieces(pieces, 0) + 1 < area.width;
        let scales = std::iter::once(SCALE_CELLS).chain(NARROW_SCALE_CELLS);
        let mut scales = scales.map(|cells| scale(model, theme, cells));
        vec![scales.find(fits)?]
    };
    let widest = lines
        .iter()
        .map(|pieces| cells_of_pieces(pieces, 0))
        .max()?;
    if widest == 0 {
        return None;
    }
    let height = u16::try_from(lines.len()).unwrap_or(area.height);
    Some((labels.corner(widest, height), lines))
}

/// The letter, the colour and the name of each of several tracks, the age of its last fix,
/// and how far its mark is from that of the open one, as many as half of the map has room for.
fn names_of_several(
    together: &[&DeploymentState],
    model: &Model,
    theme: Theme,
    area: Area,
) -> Vec<Pieces> {
    let room = usize::from(area.height / 2).max(3);
    let left = together.len().saturating_sub(room);
    // The last line counts the others.
    let shown = if left > 0 { room - 1 } else { room };
    let names = together
        .iter()
        .map(|deployment| text::width(&deployment.name()));
    let width = names.max().unwrap_or(0).min(usize::from(area.width / 3));
    let moment = model.cursor_moment();
    let position = |deployment: &DeploymentState| {
        let track = model.shown_track_of(deployment.uuid())?.track();
        let fix = match moment {
            Some(moment) => track.latest_at(moment)?,
            None => track.latest()?,
        };
        Some(fix.position)
    };
    let open = model.open_deployment();
    let from = open
        .and_then(position)
        .filter(|_| area.width >= WITH_DISTANCES);
    let line = |deployment: &&DeploymentState| {
        let mark = deployment.mark.unwrap_or(0);
        let style = theme.track(mark);
        let is_open = Some(deployment.uuid()) == model.track.open;
        let latest = deployment.latest();
        let age = latest.map_or_else(
            || "no fix".to_owned(),
            |fix| time::short_age(fix.time_stamp, model.now),
        );
        let name = text::fit_name(&deployment.name(), width);
        let blanks = " ".repeat(width.saturating_sub(text::width(&name)));
        let apart = from.zip(position(deployment)).filter(|_| !is_open);
        let apart = apart.map_or_else(String::new, |(from, to)| {
            let metres = geodesic::length_m(from, to);
            format!(
                "  {} from {}",
                model.settings.units.distance(metres),
                track_letters(open.and_then(|open| open.mark).unwrap_or(0))
            )
        });
        vec![
            (track_letters(mark), style.add_modifier(Modifier::BOLD)),
            (theme.glyph(" ━ ", " = ").to_owned(), style),
            (
                name,
                if is_open {
                    theme.heading()
                } else {
                    theme.text()
                },
            ),
            (format!("{blanks} {age:>4}"), theme.dim()),
            (apart, theme.text()),
        ]
    };
    let mut lines: Vec<Pieces> = together.iter().take(shown).map(line).collect();
    if left > 0 {
        let others = format!("and {} more", together.len() - shown);
        lines.push(vec![(others, theme.dim())]);
    }
    lines
}

/// Puts pieces of text, with blanks between them, at the right end of the upper line of
/// a frame.
pub(in crate::dashboard) fn right_aligned(
    buffer: &mut Buffer,
    frame: Area,
    pieces: &[(String, Style)],
    apart: u16,
) {
    if pieces.is_empty() {
        return;
    }
    // A blank before them; behind them a blank, a stroke and a corner.
    let start = frame
        .width
        .saturating_sub(cells_of_pieces(pieces, apart) + 4);
    let blank = |buffer: &mut Buffer, x| put(buffer, frame.at(x, 0), " ", Style::new());
    let x = start + blank(buffer, start);
    let end = x + put_pieces(buffer, frame.at(x, 0), pieces, apart);
    blank(buffer, end);
}

/// The blanks and the stroke between a name and a title.
fn name_gap(name: &str) -> u16 {
    if name.is_empty() { 0 } else { 3 }
}

/// The name of the only track on the map, and the title after it, for a frame of this width: the
/// legend has the names of several.
pub(in crate::dashboard) fn name_and_title(
    model: &Model,
    width: u16,
    theme: Theme,
) -> (String, String) {
    let open = model.open_deployment();
    let open = open.filter(|_| model.tab == TabId::Track && model.together().len() < 2);
    let cut = |name: String| text::fit_name(&name, usize::from(width / 3));
    let name = open.map_or_else(String::new, |open| cut(open.name()));
    let room = width.saturating_sub(cells(&name) + name_gap(&name));
    // The scale says how much of the world it is.
    let whole = model.view().map(|view| {
        let projection = projection(&view, room);
        format!("Map {} {projection}", theme.glyph("·", "-"))
    });
    let fits = |whole: &String| cells(whole) + 6 <= room;
    (name, whole.filter(fits).unwrap_or_else(|| "Map".to_owned()))
}

/// The name of the projection, short if the direction of north would not fit next to it
/// on a frame of this width.
fn projection(view: &View, width: u16) -> &'static str {
    /// "Map · ", corners, strokes, blanks, and "N ↑".
    const BESIDE: u16 = 14 + 5;
    match view.projection {
        long if cells(long.name()) + BESIDE <= width => long.name(),
        Projection::PolarNorth => "polar, north",
        Projection::PolarSouth => "polar, south",
        other => other.name(),
    }
}

/// The texts after the title of the map, most important first: the direction of north,
/// and on the Track tab the fix under the cursor and the position under the mouse.
fn title(model: &Model, view: &View, theme: Theme) -> Pieces {
    let mut pieces = Vec::new();
    if let Some(north) = north(view, theme) {
        pieces.push((format!("N {north}"), theme.dim()));
    }
    if let Some(at) = model.past_moment() {
        let cursor = theme.glyph("◆", "#");
        let words = format!("{cursor} {}", format::short_moment(model, at));
        pieces.push((words, theme.cursor()));
    }
    if model.tab == TabId::Deployments && !model.deployments.order.is_empty() {
        let words = format!("{} last fix, line 7 d", theme.glyph("●", "+"));
        pieces.push((words, theme.dim()));
    }
    if model.tab == TabId::Track
        && let Some(fix) = model.cursor_fix()
    {
        let cursor = theme.glyph("◆", "#");
        let time = format::short_moment(model, fix.time_stamp);
        pieces.push((format!("{cursor} {time}"), theme.heading()));
        pieces.push((format::position(model, fix.position), theme.text()));
        if let Some(pointer) = model.pointed_at() {
            let arrow = theme.glyph("↖", "mouse");
            let position = format::position(model, pointer);
            pieces.push((format!("{arrow} {position}"), theme.dim()));
        }
    }
    pieces
}

/// The colour scale with its ends in this many cells. Empty if nothing needs a scale or
/// the terminal has no colours.
fn scale(model: &Model, theme: Theme, scale_cells: u32) -> Pieces {
    let Some(track) = model
        .shown_track()
        .filter(|track| !track.is_empty() && theme.can.colour)
    else {
        return Vec::new();
    };
    let summary = track.summary();
    let by = model.line_colour();
    let (from, to) = match &by {
        LineColour::By(ColourBy::Time) => time_ends(
            format::moment(model, summary.first.unwrap_or(0.0)),
            format::moment(model, summary.last.unwrap_or(0.0)),
        ),
        LineColour::By(ColourBy::Speed) => (
            "0".to_owned(),
            model
                .settings
                .units
                .speed(summary.max_speed_m_s.unwrap_or(0.0)),
        ),
        LineColour::By(ColourBy::Flag) => ("pass".to_owned(), "suspect".to_owned()),
        LineColour::Field(shown) => {
            let field = shown.field();
            let (from, to) = scale_ends(field, field.line_scale, theme);
            if field.is_profile() {
                (format!("mean {from}"), to)
            } else {
                (from, to)
            }
        }
    };
    // A single time has no scale.
    if from == to {
        return Vec::new();
    }
    let steps: Vec<u32> = match by {
        LineColour::By(ColourBy::Flag) => vec![0, scale_cells - 1],
        _ => (0..scale_cells).collect(),
    };
    let mut pieces = vec![(format!("{from} "), theme.dim())];
    for step in steps {
        let share = f64::from(step) / f64::from(scale_cells - 1);
        pieces.push((theme.glyph("▬", "=").to_owned(), theme.line(share)));
    }
    pieces.push((format!(" {to}"), theme.dim()));
    pieces
}

/// The ends of a colour scale over time, both as [`format::moment`] writes them: the
/// dates, with the years if they differ, or the times of a single day, with seconds
/// within a minute.
fn time_ends(first: String, last: String) -> (String, String) {
    // 2026-11-20 22:46:05
    let part = |from: usize, to: usize| {
        let of = |moment: &str| moment.get(from..to).unwrap_or(moment).to_owned();
        (of(&first), of(&last))
    };
    let year = part(0, 4);
    let date = part(5, 10);
    let minute = part(11, 16);
    if year.0 != year.1 {
        part(0, 10)
    } else if date.0 != date.1 {
        date
    } else if minute.0 != minute.1 {
        minute
    } else {
        part(11, 19)
    }
}

/// The ends of the colour scale of a field with its unit. Where values are beyond
/// an end, a sign says so.
pub(in crate::dashboard) fn scale_ends(
    field: &VaryingField,
    scale: Scale,
    theme: Theme,
) -> (String, String) {
    let Scale { extent, low, high } = scale;
    // Few cells are left for it.
    let decimals = field.decimals.min(if high - low >= 10.0 { 1 } else { 2 });
    let number = |value| format::number(value, decimals);
    let sign = |is_beyond, fancy, plain| {
        if is_beyond {
            theme.glyph(fancy, plain)
        } else {
            ""
        }
    };
    let unit = format::unit_of_field(field.name());
    let from = format!("{}{}", sign(extent.low < low, "≤", "<"), number(low));
    let to = format!(
        "{}{} {unit}",
        sign(extent.high > high, "≥", ">"),
        number(high)
    );
    (from, to.trim_end().to_owned())
}

/// A bar of round length, at most a quarter of the map, correct at the centre of the
/// map. If the scale depends on the latitude, the label names a latitude: that of the
/// centre on Mercator, the equator on an equirectangular map.
pub(in crate::dashboard) fn scale_bar(model: &Model, view: &View, theme: Theme) -> (String, Style) {
    let length = RoundLength::at_most(
        view.metres_a_column * f64::from(view.columns) / 4.0,
        model.settings.units,
    );
    let label = match view.projection {
        Projection::Mercator => format!("{length} at {}", latitude(view.centre.latitude)),
        Projection::Equirectangular => format!("{length} at 0°"),
        _ => length.to_string(),
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a quarter of the map
    let columns = ((length.metres / view.metres_a_column).round() as usize).max(2);
    let left = theme.glyph("├", "|");
    let right = theme.glyph("┤", "|");
    let stroke = theme.glyph("─", "-");
    let bar = format!("{left}{}{right}", stroke.repeat(columns.saturating_sub(2)));
    (format!("{bar} {label}"), theme.text())
}

/// A latitude to the whole degree, such as `72°N`.
fn latitude(degrees: f64) -> String {
    let side = if degrees < 0.0 { 'S' } else { 'N' };
    format!("{:.0}°{side}", degrees.abs())
}

/// The direction of north in the middle of the map, to an eighth of a turn;
/// `None` at a pole.
fn north(view: &View, theme: Theme) -> Option<&'static str> {
    const ARROWS: [(&str, &str); 8] = [
        ("↑", "up"),
        ("↗", "up right"),
        ("→", "right"),
        ("↘", "down right"),
        ("↓", "down"),
        ("↙", "down left"),
        ("←", "left"),
        ("↖", "up left"),
    ];
    /// Nearer to a pole than this north changes within the map, degrees.
    const NEAR_A_POLE: f64 = 0.5;
    let centre = view.centre;
    if centre.latitude.abs() > 90.0 - NEAR_A_POLE {
        return None;
    }
    let (x0, y0) = view.cell(centre)?;
    let (x, y) = view.cell(Position {
        latitude: centre.latitude + NEAR_A_POLE / 10.0,
        ..centre
    })?;
    let angle = (x - x0).atan2((y0 - y) * view.cell_aspect).to_degrees();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 7
    let eighth = (angle / 45.0).round().rem_euclid(8.0) as usize;
    let (arrow, words) = ARROWS.get(eighth)?;
    Some(theme.glyph(arrow, words))
}

/// The pieces that fit into `width` cells with two blanks between, from the
/// first on.
pub(in crate::dashboard) fn fitting(pieces: Pieces, width: u16) -> Pieces {
    let mut used = 0;
    pieces
        .into_iter()
        .take_while(|(words, _)| {
            used += cells(words) + 2;
            used <= width + 2
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::dashboard::map::caption::time_ends;

    #[test]
    fn the_ends_of_a_time_scale_are_never_the_same_words() {
        let first = "2026-11-20 22:46:05";
        for (last, from, to) in [
            ("2026-11-22 03:00:00", "11-20", "11-22"),
            ("2026-11-20 23:10:00", "22:46", "23:10"),
            ("2026-11-20 22:46:35", "22:46:05", "22:46:35"),
            ("2027-11-20 22:46:05", "2026-11-20", "2027-11-20"),
        ] {
            let ends = time_ends(first.to_owned(), last.to_owned());
            assert_eq!(ends, (from.to_owned(), to.to_owned()));
        }
    }
}
