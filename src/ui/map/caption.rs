//! What belongs to the map as a whole: projection, north, the cursor's fix, the
//! colour scale and the scale bar, as texts for the frame of the pane.

use ratatui::style::Style;

use super::labels::cells;
use crate::app::Model;
use crate::app::state::tab::Tab;
use crate::chart::fields::{Extent, VaryingField};
use crate::chart::{ColourBy, LineColour, RoundLength, View};
use crate::geo::Position;
use crate::geo::projection::Projection;
use crate::ui::format;
use crate::ui::theme::Theme;

/// A piece of text and its style.
pub(in crate::ui) type Piece = (String, Style);

/// Cells of the colour scale, and of those in a narrow map.
const SCALE_CELLS: u32 = 8;
const NARROW_SCALE_CELLS: [u32; 3] = [4, 3, 2];

/// The name of the projection, short where the direction of north would have no
/// room beside it on a frame of this width.
pub(in crate::ui) fn projection(view: &View, width: u16) -> &'static str {
    /// "Map · ", corners, strokes, blanks, and "N ↑".
    const BESIDE: u16 = 14 + 5;
    match view.projection {
        long if cells(long.name()) + BESIDE <= width => long.name(),
        Projection::PolarNorth => "polar, north",
        Projection::PolarSouth => "polar, south",
        other => other.name(),
    }
}

/// What stands beside the title of the map, most important first: the direction
/// of north, and on the Track tab the fix under the cursor and the position
/// under the mouse.
pub(in crate::ui) fn title(
    model: &Model,
    view: &View,
    is_framed: bool,
    theme: Theme,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if let Some(north) = north(view, theme) {
        pieces.push((format!("N {north}"), theme.dim()));
    }
    // Without a frame there is no lower line for it.
    if model.tab == Tab::Deployments && !is_framed {
        pieces.extend(scale(model, theme, SCALE_CELLS));
    }
    if model.tab == Tab::Track
        && let Some(fix) = model
            .open_one()
            .and_then(|track| track.fix(model.track.cursor))
    {
        let cursor = theme.glyph("◆", "#");
        let time = format::short_moment(model, fix.time_stamp);
        pieces.push((format!("{cursor} {time}"), theme.accent()));
        let (latitude, longitude) = model.coordinates.pair(fix.position);
        let position = format!("{} {}", latitude.trim(), longitude.trim());
        pieces.push((position, theme.text()));
        if let Some(pointer) = model.pointed_at() {
            let (latitude, longitude) = model.coordinates.pair(pointer);
            let arrow = theme.glyph("↖", "mouse");
            let position = format!("{arrow} {} {}", latitude.trim(), longitude.trim());
            pieces.push((position, theme.dim()));
        }
    }
    pieces
}

/// The colour scale with its ends, or what the marks of the map are. Empty where
/// there is nothing to explain, the terminal has no colours or `room` has too few
/// cells.
pub(in crate::ui) fn legend(model: &Model, theme: Theme, room: u16) -> Vec<Piece> {
    let whole = scale(model, theme, SCALE_CELLS);
    let width: u16 = whole.iter().map(|(words, _)| cells(words)).sum();
    match width <= room {
        true => whole,
        false => Vec::new(),
    }
}

/// The colour scale in fewer cells, on the Track tab.
pub(in crate::ui) fn narrow_legend(model: &Model, theme: Theme, room: u16) -> Vec<Piece> {
    if model.tab != Tab::Track {
        return Vec::new();
    }
    let narrow = NARROW_SCALE_CELLS
        .into_iter()
        .map(|cells| scale(model, theme, cells));
    // Without the dates of the ends, which the table has.
    let words = |mut pieces: Vec<Piece>| {
        if let ([from, .., to], LineColour::By(ColourBy::Time)) =
            (pieces.as_mut_slice(), model.line_colour())
        {
            from.0 = "old ".to_owned();
            to.0 = " new".to_owned();
        }
        pieces
    };
    let shortest = words(scale(model, theme, 2));
    let mut narrow = narrow.chain([shortest]);
    let fits = |pieces: &Vec<Piece>| {
        let width: u16 = pieces.iter().map(|(words, _)| cells(words)).sum();
        width <= room
    };
    narrow.find(fits).unwrap_or_default()
}

fn scale(model: &Model, theme: Theme, scale_cells: u32) -> Vec<Piece> {
    if model.tab == Tab::Deployments {
        if model.deployments.order.is_empty() {
            return Vec::new();
        }
        let words = format!("{} last fix, line 7 d", theme.glyph("●", "+"));
        return vec![(words, theme.dim())];
    }
    let Some(track) = model
        .open_one()
        .filter(|track| !track.is_empty() && theme.can.colour)
    else {
        return Vec::new();
    };
    let summary = track.summary();
    let day = |time| {
        let words = format::short_moment(model, time);
        words.split(' ').next().unwrap_or_default().to_owned()
    };
    let by = model.line_colour();
    let (from, to) = match &by {
        LineColour::By(ColourBy::Time) => (
            day(summary.first.unwrap_or(0.0)),
            day(summary.last.unwrap_or(0.0)),
        ),
        LineColour::By(ColourBy::Speed) => (
            "0".to_owned(),
            model
                .units
                .speed(summary.max_speed_m_s.unwrap_or(0.0))
                .trim()
                .to_owned(),
        ),
        LineColour::By(ColourBy::Flag) => ("pass".to_owned(), "suspect".to_owned()),
        LineColour::Field(shown) => {
            let field = shown.field();
            let (from, to) = scale_ends(field, field.line_scale(), theme);
            match field.is_profile() {
                true => (format!("mean {from}"), to),
                false => (from, to),
            }
        }
    };
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

/// The ends of the colour scale of a field with its unit. Where values are beyond
/// an end, a sign says so.
pub(in crate::ui) fn scale_ends(
    field: &VaryingField,
    (ends, (low, high)): (Extent, (f64, f64)),
    theme: Theme,
) -> (String, String) {
    // Few cells are left for it.
    let decimals = field.decimals().min(if high - low >= 10.0 { 1 } else { 2 });
    let number = |value| format::number(value, decimals);
    let sign = |is_beyond, fancy, plain| match is_beyond {
        true => theme.glyph(fancy, plain),
        false => "",
    };
    let unit = format::unit_of_field(field.name());
    let from = format!("{}{}", sign(ends.low < low, "≤", "<"), number(low));
    let to = format!(
        "{}{} {unit}",
        sign(ends.high > high, "≥", ">"),
        number(high)
    );
    (from, to.trim_end().to_owned())
}

/// A bar of round length, at most a quarter of the map. It is true at the centre
/// of the map; where the scale depends on the latitude, it names that: on
/// Mercator the one of the centre, on an equirectangular map the equator.
pub(in crate::ui) fn scale_bar(model: &Model, view: &View, theme: Theme) -> Piece {
    let length = RoundLength::at_most(
        view.metres_a_column * f64::from(view.columns) / 4.0,
        model.units.distance_unit(),
    );
    let label = match view.projection {
        Projection::Mercator => format!("{length} at {}", latitude(view.centre.latitude)),
        Projection::Equirectangular => format!("{length} at 0°"),
        _ => length.to_string(),
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a quarter of the map
    let columns = ((length.metres / view.metres_a_column).round() as usize).max(2);
    let (left, right) = (theme.glyph("├", "|"), theme.glyph("┤", "|"));
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
pub(in crate::ui) fn fitting(pieces: Vec<Piece>, width: u16) -> Vec<Piece> {
    let mut used = 0;
    pieces
        .into_iter()
        .take_while(|(words, _)| {
            used += cells(words) + 2;
            used <= width + 2
        })
        .collect()
}
