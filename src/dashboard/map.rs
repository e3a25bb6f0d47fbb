//! The map: lines as dots of the chosen glyphs, symbols and labels over them.

mod update;
mod views;

mod base_map;
pub(super) mod caption;
mod circles;
mod clusters;
pub(super) mod glyphs;
mod labels;
mod land;
mod names;
mod signs;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

pub(crate) use base_map::BaseMap;

use super::format;
use super::layout::{Area, Layout};
use super::model::Model;
use super::tab::Tab;
use super::theme::Theme;
use super::track::together::Drawn;
use super::widgets::paint::put;
use crate::geo::Position;
use crate::map::{
    Class, GlyphSet, Ink, Layer, LayerTrack, Layers, LineColour, Mark, PreparedTrack, Scene, View,
    foreground,
};
use crate::palette::track_letters;
use crate::text;
use circles::{rings, search_area};
use clusters::{Cluster, Placed, placed};
use labels::{Labels, cells, to_cell};
use land::Inset;
use signs::{
    Shown, beyond_mark, flag_mark, instrument, is_silent, selected_instrument, selected_style,
    symbol,
};
pub(crate) use signs::{latest_sign, other_sign, start_sign};

/// Longest name of an instrument on a map of this many columns, in cells: a quarter
/// of it, from 20 to 32. That of the selected one is whole.
fn name_cells(columns: u16) -> usize {
    usize::from(columns / 4).clamp(20, 32)
}

/// On a map with fewer cells than this for each cell of a name, the instruments
/// that are not selected have no names.
const CELLS_A_NAME: usize = 10;
/// Flagged fixes of a track that no name may cover.
const FLAGGED_APART: usize = 200;
/// Length of the line that an instrument draws on the world map, seconds: seven
/// days.
const TAIL_S: f64 = 7.0 * 86_400.0;
/// Most points of all these lines together, so that the time of a frame does
/// not depend on the number of fixes.
const TAIL_POINTS: usize = 4096;

/// Draws the map of the shown tab.
pub(crate) fn draw(
    buffer: &mut Buffer,
    layout: &Layout,
    model: &Model,
    theme: Theme,
    base_map: &mut Option<BaseMap>,
) {
    let area = layout.map;
    if area.is_empty() {
        return;
    }
    let Some(view) = model.view() else {
        return;
    };
    let drawn = match model.tab {
        Tab::Track => model.drawn(),
        _ => Vec::new(),
    };
    let shown = Shown {
        model,
        theme,
        drawn: &drawn,
    };
    let (layers, clusters) = match model.tab {
        Tab::Track => track_layers(&shown, &view),
        _ => world_layers(model, &view),
    };
    // A terminal without these characters shows none of them.
    let markers = if theme.can.unicode {
        model.markers
    } else {
        GlyphSet::Ascii
    };
    let on_base = base_map::Drawn {
        overlays: model.overlays.clone(),
        tracks: drawn.iter().map(|one| Arc::clone(one.track)).collect(),
    };
    let base_map = BaseMap::of(base_map, &view, on_base, markers);
    let picture = foreground(&view, &layers);
    let by = model.line_colour();
    // Letters make no quiet coast and no quiet lines: what is land has a ground or a dot.
    // Without colours the lines would look like the coast.
    let is_quiet = |layer| match layer {
        Layer::Coast => markers == GlyphSet::Ascii,
        Layer::Graticule => markers == GlyphSet::Ascii || !theme.can.colour,
        _ => false,
    };
    let style = |ink: Ink| (!is_quiet(ink.layer)).then(|| style(ink, &by, &shown));
    let raster = if picture.lines.is_empty() {
        let places = drawn.iter().map(|one| one.place).collect();
        let colours = (by.clone(), theme, places);
        base_map.paint(buffer, area, colours, style);
        None
    } else {
        let mut raster = base_map.raster.clone();
        raster.draw_lines(&picture);
        glyphs::draw(buffer, area, &raster, markers, style);
        Some(raster)
    };
    let sign = (markers == GlyphSet::Ascii).then_some(".");
    land::paint(buffer, area, &base_map.picture.land, sign, theme);
    let mut labels = Labels::new(area, raster.as_ref().unwrap_or(&base_map.raster));
    let beyond = match model.track.shows_flagged {
        true => base_map.beyond.as_slice(),
        false => &[],
    };
    for (border, _) in beyond {
        labels.take(*border);
    }
    let legend = caption::track_legend(model, theme, area, &mut labels);
    for cluster in &clusters {
        draw_cluster(buffer, area, cluster, &shown);
        labels.take(cluster.place);
    }
    // The lines of other deployments are below the marks of this track.
    if model.tab == Tab::Track {
        instruments(buffer, area, &picture, &shown);
    }
    for (border, to) in beyond {
        let (arrow, style) = beyond_mark(*to, theme);
        put_over(buffer, area, border.x, border.y, arrow, style);
    }
    if model.track.shows_flagged {
        for (x, y, kind) in &base_map.flagged {
            let (symbol, style) = flag_mark(*kind, theme);
            put_over(buffer, area, *x, *y, symbol, style);
        }
        // More of them leave no room for a name anyway.
        for (x, y, _) in base_map.flagged.iter().take(FLAGGED_APART) {
            labels.take(Area::new(*x, *y, 1, 1));
        }
    }
    marks(buffer, area, &picture, &shown, &mut labels);
    if model.tab == Tab::Deployments {
        let inset = base_map
            .inset
            .get_or_insert_with(|| Inset::new(view.cell_aspect));
        inset.draw(buffer, area, &view, &mut labels, theme);
    }
    names::of_parallels(buffer, layout, &base_map.picture, theme, &mut labels);
    let left = caption::draw(buffer, layout, &view, model, theme);
    let axis = layout.map_axis;
    names::of_meridians(buffer, axis, left, &base_map.picture, theme);
    // Drawn last: no mark may cover its numbers.
    if let Some((place, lines)) = legend {
        for (y, pieces) in (place.y..).zip(lines) {
            let mut x = place.x;
            for (words, style) in pieces {
                x += put(buffer, area.at(x, y), &words, style);
            }
        }
    }
}

/// Draws the symbols of other deployments on the map of a track.
fn instruments(buffer: &mut Buffer, area: Area, picture: &Scene, shown: &Shown<'_>) {
    let is_instrument = |mark: &&Mark| matches!(mark.class, Class::Instrument(_));
    for mark in picture.marks.iter().filter(is_instrument) {
        let (symbol, style) = symbol(mark.class, None, shown);
        let (x, y) = (to_cell(mark.at.0), to_cell(mark.at.1));
        put_over(buffer, area, x, y, &symbol, style);
    }
}

/// Writes words over the map; the land below them stays.
fn put_over(buffer: &mut Buffer, area: Area, x: u16, line: u16, words: &str, style: Style) {
    let ground: Vec<Color> = (x..x.saturating_add(cells(words)).min(area.width))
        .filter_map(|column| buffer.cell((area.x + column, area.y + line)))
        .map(|cell| cell.bg)
        .collect();
    put(buffer, area.at(x, line), words, style);
    for (column, ground) in (x..).zip(ground) {
        if let Some(cell) = buffer.cell_mut((area.x + column, area.y + line))
            && cell.bg == Color::Reset
        {
            cell.set_bg(ground);
        }
    }
}

/// Draws instruments that meet: the symbol of the worst and how many are like it, and
/// behind it how many others there are.
fn draw_cluster(buffer: &mut Buffer, area: Area, cluster: &Cluster, shown: &Shown<'_>) {
    let (symbol, style) = symbol(Class::Instrument(cluster.worst), None, shown);
    let words = format!("{symbol}{}", cluster.count);
    let Area { x, y, .. } = cluster.place;
    put_over(buffer, area, x, y, &words, style);
    put_over(
        buffer,
        area,
        x + cells(&words),
        y,
        &cluster.others,
        shown.theme.dim(),
    );
}

fn track_layers<'a>(shown: &Shown<'a>, view: &View) -> (Layers<'a>, Vec<Cluster>) {
    let Shown { model, drawn, .. } = *shown;
    let cursor = model
        .open_one()
        .and_then(|track| track.fix(model.track.cursor));
    let here = cursor.map(|fix| fix.position);
    let measure = match model.track.marks {
        (Some(from), Some(to)) => Some((from, to)),
        (Some(from), None) => here.map(|here| (from, here)),
        _ => None,
    };
    let others = model.deployments.list.iter().enumerate();
    let is_drawn = |uuid| {
        drawn
            .iter()
            .any(|one| one.deployment.deployment.uuid == uuid)
    };
    let others = others.filter(|(_, one)| {
        let uuid = one.deployment.uuid;
        Some(uuid) != model.track.open && !is_drawn(uuid)
    });
    let others = others.filter_map(|(index, one)| {
        let latest = one.overview()?.latest?;
        Some((index, latest.position, one.harm(model.now)))
    });
    let Placed { single, clusters } = placed(view, others);
    let named = single.into_iter().filter_map(|(index, position)| {
        let one = model.deployments.list.get(index)?;
        Some((
            index,
            position,
            text::fit_name(&one.name(), name_cells(view.columns)),
        ))
    });
    let instruments = named.collect();
    let cursor_label = cursor
        .map(|fix| format::short_moment(model, fix.time_stamp))
        .unwrap_or_default();
    let layers = Layers {
        tracks: drawn
            .iter()
            .map(|one| layer_track(one, model, view))
            .collect(),
        cursor: here,
        cursor_label,
        rings: rings(model, view),
        search: model.track.open.and_then(|uuid| search_area(model, uuid)),
        inside: model.inside().into_iter().collect(),
        measure,
        instruments,
        overlays: (&model.overlays, model.cursor_moment().unwrap_or(model.now)),
        ..Layers::default()
    };
    (layers, clusters)
}

/// The track of a deployment as it is drawn. Among several it has its name, after its
/// letter if a cross replaces that, and its position at the moment of the cursor.
fn layer_track<'a>(drawn: &Drawn<'a>, model: &Model, view: &View) -> LayerTrack<'a> {
    let track = drawn.track.as_ref();
    let Some(place) = drawn.place else {
        return LayerTrack::alone(track);
    };
    let name = text::fit_name(&drawn.deployment.name(), name_cells(view.columns));
    let is_open = Some(drawn.deployment.deployment.uuid) == model.track.open;
    let moment = model.cursor_moment().filter(|_| !is_open);
    let then = moment.and_then(|moment| track.latest_at(moment));
    let latest = track.latest().map(|fix| fix.index);
    LayerTrack {
        track,
        name: match is_silent(drawn, model) {
            true => format!("{} {name}", track_letters(place)),
            false => name,
        },
        moment: then
            .filter(|fix| Some(fix.index) != latest)
            .map(|fix| fix.position),
    }
}

/// The deployments that the filter leaves, the selected one last, so that it is
/// on top, with their ways over the last days; and those that meet.
fn world_layers<'a>(model: &'a Model, view: &View) -> (Layers<'a>, Vec<Cluster>) {
    let tab = &model.deployments;
    let chosen = tab.order.get(tab.table.cursor).copied();
    // The first row is the most important one: it is drawn late.
    let others = tab.order.iter().rev().copied();
    let others = others.filter(|index| Some(*index) != chosen);
    let with_fix = |index: usize| {
        let one = tab.list.get(index)?;
        Some((one, one.overview()?.latest?))
    };
    let others = others.filter_map(|index| {
        let (one, latest) = with_fix(index)?;
        Some((index, latest.position, one.harm(model.now)))
    });
    let Placed { single, clusters } = placed(view, others);
    let selected = chosen.and_then(|index| Some((index, with_fix(index)?.1.position)));
    let room = TAIL_POINTS / (single.len() + 2);
    let uuid = chosen.and_then(|index| Some(tab.list.get(index)?.deployment.uuid));
    let mut layers = Layers {
        search: uuid.and_then(|uuid| search_area(model, uuid)),
        ..Layers::default()
    };
    for (index, position) in single.into_iter().chain(selected) {
        let Some((one, latest)) = with_fix(index) else {
            continue;
        };
        let name = match Some(index) == chosen {
            true => one.name(),
            false => text::fit_name(&one.name(), name_cells(view.columns)),
        };
        layers.instruments.push((index, position, name));
        let tail = match (one.track.get(), one.overview()) {
            (Some(track), _) => tail(track, latest.time_stamp, room),
            (None, Some(overview)) => overview.line().collect(),
            (None, None) => Vec::new(),
        };
        layers.tails.push((index, tail));
    }
    (layers, clusters)
}

/// The included positions of the last days before the latest fix: all, or about
/// `most` of them, evenly spread.
fn tail(track: &PreparedTrack, latest: f64, most: usize) -> Vec<Position> {
    let from = track
        .time_stamps()
        .partition_point(|time| *time < latest - TAIL_S);
    let stride = (track.len() - from).div_ceil(most.max(2)).max(1);
    // Counted from the end, so that the latest fix is one of them.
    let mut positions: Vec<Position> = (from..track.len())
        .rev()
        .step_by(stride)
        .filter(|&index| track.is_included(index))
        .map(|index| track.position(index))
        .collect();
    positions.reverse();
    positions
}

fn style(ink: Ink, by: &LineColour, shown: &Shown<'_>) -> Style {
    let Shown {
        model,
        theme,
        drawn,
    } = *shown;
    let track = usize::from(ink.track);
    match ink.layer {
        Layer::Track => shown.track(track).unwrap_or_else(|| {
            let track = drawn.get(track).map(|one| one.track);
            let share = track.and_then(|track| by.share(track, ink.order as usize));
            share.map_or_else(|| theme.dim(), |share| theme.line(share))
        }),
        Layer::Tail => {
            let (_, style) = instrument(ink.order as usize, model, theme);
            style.remove_modifier(Modifier::BOLD)
        }
        Layer::Measure => theme.measure(),
        Layer::WatchCircle => theme.watch_circle(),
        Layer::Ring | Layer::Overlay => theme.ring(),
        Layer::Jump => theme.bad().remove_modifier(Modifier::BOLD),
        Layer::Coast => theme.coast(),
        Layer::Gap | Layer::Limb | Layer::Graticule => theme.dim(),
    }
}

/// Draws symbols, and labels where they fit: that of the selected or the last
/// symbol first.
fn marks(
    buffer: &mut Buffer,
    area: Area,
    picture: &Scene,
    shown: &Shown<'_>,
    labels: &mut Labels<'_>,
) {
    let Shown { model, theme, .. } = *shown;
    let selected = selected_instrument(model);
    let at = |mark: &Mark| Area::new(to_cell(mark.at.0), to_cell(mark.at.1), 1, 1);
    for mark in picture
        .marks
        .iter()
        .filter(|mark| mark.class != Class::Ring)
    {
        let symbol_at = at(mark);
        let is_other = model.tab == Tab::Track && matches!(mark.class, Class::Instrument(_));
        if !is_other {
            let (symbol, style) = symbol(mark.class, selected, shown);
            put_over(buffer, area, symbol_at.x, symbol_at.y, &symbol, style);
        }
        labels.take_symbol(symbol_at);
    }
    let names: usize = picture
        .marks
        .iter()
        .filter(|mark| matches!(mark.class, Class::Instrument(_)))
        .map(|mark| text::width(&mark.label))
        .sum();
    let is_crowded = names * CELLS_A_NAME > usize::from(area.width) * usize::from(area.height);
    for mark in picture
        .marks
        .iter()
        .rev()
        .filter(|mark| !mark.label.is_empty())
    {
        let is_selected = selected.is_some_and(|index| mark.class == Class::Instrument(index));
        if is_crowded && !is_selected && matches!(mark.class, Class::Instrument(_)) {
            continue;
        }
        let room = usize::from(area.width).saturating_sub(4);
        let words = match mark.class {
            Class::Instrument(_) => text::fit_name(&mark.label, room),
            // Of a date and a time of day the second says more.
            _ if text::width(&mark.label) > room => {
                let last = mark.label.rsplit(' ').next().unwrap_or_default();
                text::fit(last, room)
            }
            _ => text::fit(&mark.label, room),
        };
        let (at, width) = (at(mark), cells(&words));
        let place = match mark.class {
            Class::Instrument(_) if is_selected => labels.place_always(at, width),
            Class::Instrument(_) => labels.place_touching(at, width),
            // Further away it could be read as the label of another fix.
            Class::Cursor | Class::Latest(_) => labels.place_touching(at, width),
            _ => labels.place(at, width, 1),
        };
        let Some(place) = place else {
            continue;
        };
        let style = match mark.class {
            Class::Cursor => theme.accent(),
            Class::Latest(track) => shown.track(track).unwrap_or(theme.text()),
            Class::Ring | Class::Place | Class::Ship => theme.ring(),
            _ if is_selected => selected_style(theme),
            Class::Instrument(_) if model.tab == Tab::Track => theme.dim(),
            _ => theme.text(),
        };
        put_over(buffer, area, place.x, place.y, &words, style);
    }
}

#[cfg(test)]
mod tests;
