//! The map: lines as dots of the finest marker there is, marks and names over
//! them.

mod raster;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use self::raster::{Priority, Raster};
use super::columns::put;
use super::theme::Theme;
use super::words;
use crate::app::layout::Area;
use crate::app::{Model, Tab};
use crate::chart::{Class, Layers, Mark, Picture, View, graticule, picture};
use crate::geo::units::{DistanceUnit, NAUTICAL_MILE_M};
use crate::text;

/// The map of the shown tab.
pub(super) fn draw(buffer: &mut Buffer, area: Area, model: &Model, theme: Theme) {
    if area.is_empty() {
        return;
    }
    let Some(view) = model.view() else {
        return;
    };
    let picture = match model.tab {
        Tab::Track => picture(&view, &track_layers(model)),
        _ => picture(&view, &world_layers(model)),
    };
    lines(buffer, area, &picture, theme);
    names(buffer, area, &picture, theme);
    scale_bar(buffer, area, &view, model, theme);
    for mark in &picture.marks {
        draw_mark(buffer, area, mark, model, theme);
    }
    // Names come last and keep clear of each other.
    let mut taken: Vec<Area> = Vec::new();
    for mark in picture
        .marks
        .iter()
        .rev()
        .filter(|mark| !mark.label.is_empty())
    {
        label(buffer, area, mark, &mut taken, theme);
    }
    pointer(buffer, area, model, theme);
}

fn track_layers(model: &Model) -> Layers<'_> {
    let track = model.open_one().map(std::convert::AsRef::as_ref);
    let cursor_label = track
        .and_then(|track| track.fix(model.track.cursor))
        .map(|fix| words::short_moment(model, fix.time_stamp))
        .unwrap_or_default();
    let here = track
        .and_then(|track| track.fix(model.track.cursor))
        .map(|fix| fix.position);
    let measure = match model.track.marks {
        (Some(from), Some(to)) => Some((from, to)),
        (Some(from), None) => here.map(|here| (from, here)),
        _ => None,
    };
    let instruments = model
        .deployments
        .list
        .iter()
        .filter(|deployment| Some(deployment.uuid) != model.track.open)
        .filter_map(|deployment| Some((deployment.track.get()?.latest()?.position, String::new())))
        .collect();
    Layers {
        track,
        ramp: model.track.ramp,
        cursor: Some(model.track.cursor),
        cursor_label,
        measure,
        instruments,
    }
}

fn world_layers(model: &Model) -> Layers<'_> {
    let instruments = model
        .deployments
        .list
        .iter()
        .filter_map(|deployment| {
            let fix = deployment.track.get()?.latest()?;
            Some((fix.position, text::fit(&deployment.name(), 20)))
        })
        .collect();
    Layers {
        instruments,
        ..Layers::default()
    }
}

fn lines(buffer: &mut Buffer, area: Area, picture: &Picture, theme: Theme) {
    let mut raster = Raster::new(area.width, area.height);
    for line in &picture.lines {
        let (style, priority) = line_style(line.class, theme);
        raster.line(&line.points, style, priority);
    }
    raster.draw(buffer, area, theme.can.unicode);
}

fn line_style(class: Class, theme: Theme) -> (Style, Priority) {
    match class {
        Class::Track(share) => (ramp(share, theme), Priority::Track),
        Class::Measure => (theme.accent(), Priority::Measure),
        Class::Gap => (theme.dim(), Priority::Gap),
        Class::Coast => (theme.coast(), Priority::Coast),
        _ => (theme.dim(), Priority::Graticule),
    }
}

/// An even ramp from old to new: the lightness rises all the way, so that it
/// reads without its hues. The stops follow the viridis map's course.
fn ramp(share: f64, theme: Theme) -> Style {
    const STOPS: [(u8, u8, u8); 5] = [
        (72, 60, 140),
        (50, 100, 150),
        (33, 145, 140),
        (94, 201, 98),
        (253, 231, 37),
    ];
    if !theme.can.colour {
        return Style::new();
    }
    if !theme.can.true_colour {
        let colour = match share {
            s if s < 0.34 => Color::Blue,
            s if s < 0.67 => Color::Cyan,
            _ => Color::Green,
        };
        return Style::new().fg(colour);
    }
    let place = share.clamp(0.0, 1.0) * 4.0;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 3
    let stop = (place.floor() as usize).min(3);
    let (from, to) = match (STOPS.get(stop), STOPS.get(stop + 1)) {
        (Some(from), Some(to)) => (*from, *to),
        _ => return Style::new(),
    };
    #[allow(clippy::cast_precision_loss)] // 0 to 3
    let part = place - stop as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between two bytes
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * part).round() as u8;
    Style::new().fg(Color::Rgb(
        mix(from.0, to.0),
        mix(from.1, to.1),
        mix(from.2, to.2),
    ))
}

/// The names of meridians along the lower edge and of parallels along the left
/// one; one that would touch another is left out.
fn names(buffer: &mut Buffer, area: Area, picture: &Picture, theme: Theme) {
    let bottom = area.height.saturating_sub(1);
    let mut free = 0;
    let mut meridians: Vec<&(f64, String)> = picture.meridians.iter().collect();
    meridians.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (column, name) in meridians {
        let width = cells(name);
        let x = to_cell(column - f64::from(width) / 2.0);
        if x >= free && x + width < area.width {
            put(buffer, area, x, bottom, name, theme.dim());
            free = x + width + 2;
        }
    }
    let mut last: Option<u16> = None;
    let mut parallels: Vec<&(f64, String)> = picture.parallels.iter().collect();
    parallels.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (row, name) in parallels {
        let y = to_cell(*row);
        if y + 2 < area.height && last.is_none_or(|last| y > last + 1) {
            put(buffer, area, 0, y, name, theme.dim());
            last = Some(y);
        }
    }
}

/// A bar of round length, true at the centre of the map.
fn scale_bar(buffer: &mut Buffer, area: Area, view: &View, model: &Model, theme: Theme) {
    if area.height < 6 || area.width < 24 {
        return;
    }
    let unit = model.units.distance_unit();
    let unit_m = match unit {
        DistanceUnit::NauticalMiles => NAUTICAL_MILE_M,
        _ => 1000.0,
    };
    let length =
        graticule::round_length(view.metres_a_column * f64::from(area.width) / 4.0, unit_m);
    let columns = to_cell(length / view.metres_a_column).max(1);
    let number = length / unit_m;
    let symbol = if unit == DistanceUnit::NauticalMiles {
        "nm"
    } else {
        "km"
    };
    let decimals = if number < 1.0 { 3 } else { 0 };
    let number = format!("{number:.decimals$}");
    let number = if decimals > 0 {
        number.trim_end_matches('0')
    } else {
        &number
    };
    let words = format!(" {number} {symbol}");
    let bar = theme.glyph("━", "=").repeat(usize::from(columns));
    let x = area.width.saturating_sub(columns + cells(&words) + 1);
    let end = put(buffer, area, x, area.height - 2, &bar, theme.text());
    put(buffer, area, end, area.height - 2, &words, theme.text());
}

fn draw_mark(buffer: &mut Buffer, area: Area, mark: &Mark, model: &Model, theme: Theme) {
    let (symbol, style) = match mark.class {
        Class::Failed => (theme.glyph("×", "x"), theme.bad()),
        Class::Suspect => ("?", theme.warning()),
        Class::First => (theme.glyph("○", "o"), theme.text()),
        Class::Latest => (
            theme.glyph("◉", "@"),
            theme.text().add_modifier(Modifier::BOLD),
        ),
        Class::Cursor => (
            theme.glyph("◆", "#"),
            theme.accent().add_modifier(Modifier::BOLD),
        ),
        Class::Measure => (theme.glyph("◇", "*"), theme.accent()),
        Class::Instrument if model.tab == Tab::Deployments => instrument(mark, model, theme),
        _ => (theme.glyph("▪", "."), theme.dim()),
    };
    put(
        buffer,
        area,
        to_cell(mark.at.0),
        to_cell(mark.at.1),
        symbol,
        style,
    );
}

/// An instrument on the world map: its state as mark and colour.
fn instrument(mark: &Mark, model: &Model, theme: Theme) -> (&'static str, Style) {
    let found = model
        .deployments
        .list
        .iter()
        .find(|d| text::fit(&d.name(), 20) == mark.label);
    found.map_or_else(
        || (theme.glyph("▪", "."), theme.text()),
        |deployment| theme.state(deployment.health(model.now).state),
    )
}

fn label(buffer: &mut Buffer, area: Area, mark: &Mark, taken: &mut Vec<Area>, theme: Theme) {
    let (x, y) = (to_cell(mark.at.0), to_cell(mark.at.1));
    let width = cells(&mark.label);
    let right = x + 2 + width <= area.width;
    let left = if right {
        x + 2
    } else {
        x.saturating_sub(width + 1)
    };
    let place = Area::new(left, y, width, 1);
    let free = |other: &Area| {
        other.y != place.y || other.x + other.width < place.x || place.x + place.width < other.x
    };
    if taken.iter().all(free) {
        let style = if mark.class == Class::Cursor {
            theme.accent()
        } else {
            theme.text()
        };
        put(buffer, area, left, y, &mark.label, style);
        taken.push(place);
    }
}

/// The position under the mouse, in the upper right corner.
fn pointer(buffer: &mut Buffer, area: Area, model: &Model, theme: Theme) {
    if let (Tab::Track, Some(position)) = (model.tab, model.track.pointer) {
        let (latitude, longitude) = model.coordinates.pair(position);
        let words = format!("{latitude} {longitude}");
        let x = area.width.saturating_sub(cells(&words) + 1);
        put(buffer, area, x, 0, &words, theme.dim());
    }
}

fn cells(words: &str) -> u16 {
    u16::try_from(text::width(words)).unwrap_or(u16::MAX)
}

/// The cell that a coordinate lies in; what lies before the first is put there.
fn to_cell(coordinate: f64) -> u16 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    let cell = coordinate.floor() as u16;
    cell
}
