//! The map: lines as dots of the chosen glyphs, symbols and labels over them.

mod base_map;
mod glyphs;

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

pub(super) use base_map::BaseMap;

use super::columns::put;
use super::format;
use super::theme::Theme;
use crate::app::Model;
use crate::app::layout::Area;
use crate::app::state::tab::Tab;
use crate::chart::{
    Class, ColourBy, Ink, Kind, Layer, Layers, Mark, PreparedTrack, RoundLength, Scene, View,
    overlay, share,
};
use crate::palette::Tone;
use crate::text;

/// The map of the shown tab.
pub(super) fn draw(
    buffer: &mut Buffer,
    area: Area,
    model: &Model,
    theme: Theme,
    base_map: &mut Option<BaseMap>,
) {
    if area.is_empty() {
        return;
    }
    let Some(view) = model.view() else {
        return;
    };
    let (layers, track) = match model.tab {
        Tab::Track => (track_layers(model, &view), model.open_one()),
        _ => (world_layers(model), None),
    };
    let base_map = BaseMap::of(
        base_map,
        &view,
        track,
        (area.width, area.height),
        model.markers,
    );
    let picture = overlay(&view, &layers);
    let by = model.track.colour_by;
    let style = |ink| style(ink, layers.track, by, theme);
    if picture.lines.is_empty() {
        base_map.paint(buffer, area, (by, theme), style);
    } else {
        let mut raster = base_map.raster.clone();
        raster.draw_lines(&picture);
        glyphs::draw(buffer, area, &raster, model.markers, style);
    }
    // Cells with a label: each label is drawn once, none over another.
    let mut taken: Vec<Area> = Vec::new();
    scale_bar(buffer, area, &view, model, theme, &mut taken);
    pointer(buffer, area, model, theme, &mut taken);
    for (x, y, kind) in &base_map.flagged {
        let (symbol, style) = flag_mark(*kind, theme);
        put(buffer, area, *x, *y, symbol, style);
    }
    for mark in picture
        .marks
        .iter()
        .filter(|mark| mark.class != Class::Ring)
    {
        draw_mark(buffer, area, mark, model, theme);
    }
    for mark in picture
        .marks
        .iter()
        .rev()
        .filter(|mark| !mark.label.is_empty())
    {
        label(buffer, area, mark, &mut taken, theme);
    }
    names(buffer, area, &base_map.picture, theme, &mut taken);
    circle_names(buffer, area, &base_map.picture, theme, &mut taken);
}

fn flag_mark(kind: Kind, theme: Theme) -> (&'static str, Style) {
    match kind {
        Kind::Failed => (theme.glyph("×", "x"), theme.bad()),
        Kind::Suspect => ("?", theme.warning()),
        Kind::Leg | Kind::Gap | Kind::Outside | Kind::Repeated => {
            (theme.glyph("≡", "="), theme.text())
        }
    }
}

fn track_layers<'a>(model: &'a Model, view: &View) -> Layers<'a> {
    let track = model.open_one().map(std::convert::AsRef::as_ref);
    let cursor_label = track
        .and_then(|track| track.fix(model.track.cursor))
        .map(|fix| format::short_moment(model, fix.time_stamp))
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
        .enumerate()
        .filter(|(_, one)| Some(one.deployment.uuid) != model.track.open)
        .filter_map(|(index, one)| {
            let fix = one.track.get()?.latest()?;
            Some((index, fix.position, String::new()))
        })
        .collect();
    Layers {
        track,
        cursor: Some(model.track.cursor),
        cursor_label,
        rings: if model.track.rings {
            rings(model, view)
        } else {
            Vec::new()
        },
        watch_circle: model
            .track
            .open
            .and_then(|uuid| model.deployments.get(uuid)?.deployment.limits.circle)
            .map(|circle| (circle.centre, circle.radius_m)),
        measure,
        instruments,
        ..Layers::default()
    }
}

/// Three rings at a round distance from each other that fit on the map.
fn rings(model: &Model, view: &View) -> Vec<(f64, String)> {
    let across = f64::from(view.columns).min(f64::from(view.rows) * view.cell_aspect);
    let step = RoundLength::at_most(
        view.metres_a_column * across / 6.5,
        model.units.distance_unit(),
    );
    (1..=3)
        .map(|ring| step.times(ring))
        .map(|radius| (radius.metres, radius.to_string()))
        .collect()
}

fn world_layers(model: &Model) -> Layers<'_> {
    let instruments = model
        .deployments
        .list
        .iter()
        .enumerate()
        .filter_map(|(index, one)| {
            let fix = one.track.get()?.latest()?;
            Some((index, fix.position, text::fit(&one.name(), 20)))
        })
        .collect();
    Layers {
        instruments,
        ..Layers::default()
    }
}

fn style(ink: Ink, track: Option<&PreparedTrack>, by: ColourBy, theme: Theme) -> Style {
    match ink.layer {
        Layer::Track => track.map_or_else(Style::new, |track| {
            theme.line(share(track, by, ink.order as usize))
        }),
        Layer::Measure => theme.measure(),
        Layer::WatchCircle => theme.watch_circle(),
        Layer::Ring => theme.ring(),
        Layer::Coast => theme.coast(),
        Layer::Gap | Layer::Graticule => theme.dim(),
    }
}

/// Labels of meridians along the lower edge and of parallels along the left
/// one; a label that would touch another is omitted.
fn names(buffer: &mut Buffer, area: Area, picture: &Scene, theme: Theme, taken: &mut Vec<Area>) {
    let bottom = area.height.saturating_sub(1);
    for (column, name) in &picture.meridians {
        let width = cells(name);
        let x = to_cell(column - f64::from(width) / 2.0);
        let place = Area::new(x, bottom, width, 1);
        if x + width < area.width && is_free(place, taken) {
            put(buffer, area, x, bottom, name, theme.dim());
            taken.push(place);
        }
    }
    for (row, name) in &picture.parallels {
        let y = to_cell(*row);
        let place = Area::new(0, y, cells(name), 1);
        if y < bottom && is_free(place, taken) {
            put(buffer, area, 0, y, name, theme.dim());
            taken.push(place);
        }
    }
}

/// Labels of the parallels around a pole, on their lines.
fn circle_names(
    buffer: &mut Buffer,
    area: Area,
    picture: &Scene,
    theme: Theme,
    taken: &mut Vec<Area>,
) {
    for ((column, row), name) in &picture.circles {
        let width = cells(name);
        let x = to_cell(column - f64::from(width) / 2.0);
        let place = Area::new(x, to_cell(*row), width, 1);
        if x + width < area.width && is_free(place, taken) {
            put(buffer, area, x, place.y, name, theme.dim());
            taken.push(place);
        }
    }
}

/// Whether a label fits at a cell: a cell to either side of it must be free.
fn is_free(place: Area, taken: &[Area]) -> bool {
    taken.iter().all(|other| {
        other.y != place.y || other.x + other.width < place.x || place.x + place.width < other.x
    })
}

/// A bar of round length, true at the centre of the map.
fn scale_bar(
    buffer: &mut Buffer,
    area: Area,
    view: &View,
    model: &Model,
    theme: Theme,
    taken: &mut Vec<Area>,
) {
    if area.height < 6 || area.width < 24 {
        return;
    }
    let length = RoundLength::at_most(
        view.metres_a_column * f64::from(area.width) / 4.0,
        model.units.distance_unit(),
    );
    let columns = to_cell((length.metres / view.metres_a_column).round()).max(1);
    let label = format!(" {length}");
    let bar = theme.glyph("━", "=").repeat(usize::from(columns));
    let width = columns + cells(&label);
    let x = area.width.saturating_sub(width + 1);
    let end = put(buffer, area, x, area.height - 2, &bar, theme.text());
    put(buffer, area, end, area.height - 2, &label, theme.text());
    taken.push(Area::new(x, area.height - 2, width, 1));
}

fn draw_mark(buffer: &mut Buffer, area: Area, mark: &Mark, model: &Model, theme: Theme) {
    let (symbol, style) = match mark.class {
        Class::First => (theme.glyph("○", "o"), theme.text()),
        Class::Latest => (
            theme.glyph("◉", "@"),
            theme.text().add_modifier(Modifier::BOLD),
        ),
        Class::Cursor => (theme.glyph("◆", "#"), theme.cursor()),
        Class::Measure => (theme.glyph("◇", "*"), theme.measure()),
        Class::Instrument(index) if model.tab == Tab::Deployments => {
            instrument(index, model, theme)
        }
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

/// The symbol and style of an instrument on the world map: its reporting
/// status.
fn instrument(index: usize, model: &Model, theme: Theme) -> (&'static str, Style) {
    model.deployments.list.get(index).map_or_else(
        || (theme.glyph("▪", "."), theme.text()),
        |deployment| match deployment.alarm(model.now) {
            Some(_) => (theme.glyph("▲", "!"), theme.bad()),
            None => theme.state(deployment.health(model.now).state),
        },
    )
}

fn label(buffer: &mut Buffer, area: Area, mark: &Mark, taken: &mut Vec<Area>, theme: Theme) {
    let (x, y) = (to_cell(mark.at.0), to_cell(mark.at.1));
    let width = cells(&mark.label);
    let right = Area::new(x + 2, y, width, 1);
    let left = Area::new(x.saturating_sub(width + 1), y, width, 1);
    let place = if right.x + width <= area.width && is_free(right, taken) {
        right
    } else if x > width && is_free(left, taken) {
        left
    } else {
        return;
    };
    let style = match mark.class {
        Class::Cursor => theme.tone(Tone::Cursor),
        Class::Ring => theme.ring(),
        _ => theme.text(),
    };
    put(buffer, area, place.x, y, &mark.label, style);
    taken.push(place);
}

/// The position under the mouse, in the upper right corner.
fn pointer(buffer: &mut Buffer, area: Area, model: &Model, theme: Theme, taken: &mut Vec<Area>) {
    if let (Tab::Track, Some(position)) = (model.tab, model.track.pointer) {
        let (latitude, longitude) = model.coordinates.pair(position);
        let label = format!("{latitude} {longitude}");
        let width = cells(&label);
        let x = area.width.saturating_sub(width + 1);
        put(buffer, area, x, 0, &label, theme.dim());
        taken.push(Area::new(x, 0, width, 1));
    }
}

fn cells(label: &str) -> u16 {
    u16::try_from(text::width(label)).unwrap_or(u16::MAX)
}

/// The cell of a coordinate; coordinates before the first cell give the first.
fn to_cell(coordinate: f64) -> u16 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    let cell = coordinate.floor() as u16;
    cell
}
