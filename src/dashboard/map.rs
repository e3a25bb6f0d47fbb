//! The map: lines as dots of the chosen glyphs, symbols and labels over them.

mod update;

mod base_map;
pub(super) mod caption;
mod clusters;
pub(crate) mod content;
pub(super) mod glyphs;
mod labels;
mod land;
mod layers;
mod names;
mod pixels;
mod signs;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

pub(crate) use base_map::Known;

use super::canvas::{Canvas, Placed};
use super::layout::{Area, Parts};
use super::tab::Pane;
use super::widgets::paint::{cells_in, put, put_pieces};
use super::widgets::sheet::cells;
use crate::map::{Class, GlyphSet, Ink, Layer, LineColour, Mark, Raster, Scene, foreground};
use crate::text;
use base_map::BaseMap;
use clusters::Cluster;
use content::{Content, Of};
use labels::{Labels, to_cell};
use land::Inset;
use layers::{track_layers, world_layers};
use signs::{Shown, flag_mark, instrument, selected_style, symbol};
pub(crate) use signs::{latest_sign, meeting_sign, other_sign, own_ship_sign, start_sign};

/// On a map with fewer cells than this for each cell of a name, the instruments
/// that are not selected have no names.
const CELLS_A_NAME: usize = 10;
/// Flagged fixes of a track that no name may cover.
const FLAGGED_APART: usize = 200;
/// Draws the map of the shown tab.
pub(crate) fn draw(canvas: &mut Canvas<'_>, content: &Content<'_>) {
    let Canvas { layout, theme, .. } = *canvas;
    let buffer = &mut *canvas.buffer;
    let memory = &mut *canvas.memory;
    let known = &mut memory.map;
    let area = layout.map;
    if area.is_empty() {
        return;
    }
    let view = &content.view;
    let shown = Shown { content, theme };
    let (layers, clusters) = match &content.of {
        Of::Track(track) => track_layers(content, track),
        Of::List { order, .. } => world_layers(content, order),
    };
    let mut picture = foreground(view, &layers);
    set_apart(&mut picture.marks, &shown);
    let base_map = BaseMap::of(&mut known.base_map, &shown);
    if let Some(fine) = &base_map.fine {
        let pixels = Arc::new(fine.picture(&layers, &shown));
        memory.pictures.push(Placed::new(Pane::Map, area, pixels));
        let moving = foreground(view, &pixels::following(&layers));
        let mut dots = Raster::new(view.columns, view.rows, base_map.markers);
        dots.draw_lines(&moving);
        let by = content.line_colour();
        let style = |ink| Some(style(ink, &by, &shown));
        glyphs::draw(buffer, area, &dots, base_map.markers, style);
    }
    let raster = lines(buffer, area, base_map, &picture, &shown);
    let mut labels = Labels::new(area, raster.as_ref().unwrap_or(&base_map.raster));
    let shows_flagged = content.track().is_some_and(|track| track.shows_flagged);
    for cluster in &clusters {
        draw_cluster(buffer, area, cluster, &shown);
        labels.take(cluster.place);
    }
    // The lines of other deployments are below the marks of this track.
    if content.track().is_some() {
        for mark in picture.marks.iter().filter(is_instrument) {
            draw_symbol(buffer, area, mark, &shown);
        }
    }
    let flagged = base_map.flagged.iter().filter(|_| shows_flagged);
    for (number, (x, y, kind)) in flagged.enumerate() {
        let (symbol, style) = flag_mark(*kind, theme);
        put_over(buffer, area.at(*x, *y), symbol, style);
        // More of them leave no room for a name anyway.
        if number < FLAGGED_APART {
            labels.take_symbol(Area::new(*x, *y, 1, 1));
        }
    }
    symbols(&picture).for_each(|mark| labels.take_symbol(symbol_cell(mark)));
    let legend = caption::track_legend(content, base_map.failed_beyond, theme, area, &mut labels);
    marks(buffer, area, &picture, &shown, &mut labels);
    if content.track().is_none() {
        let inset = known
            .inset
            .get(view.cell_aspect, |aspect| Inset::new(*aspect))
            .draw(buffer, area, view, &mut labels, theme);
        if let (Some(inset), Some(placed)) = (inset, memory.pictures.last_mut()) {
            placed.cover(inset);
        }
    }
    let lines = &base_map.picture;
    names::of_parallels(buffer, layout, lines, view, &mut labels, theme);
    caption::draw(buffer, layout, content, &legend, theme);
    names::of_meridians(buffer, layout.map_axis, lines, view, theme);
    // Drawn last: no mark may cover its numbers.
    for (corner, lines) in legend.on_map {
        // A shorter line covers what is below the longest one, too.
        let blanks = " ".repeat(usize::from(corner.width));
        for (y, pieces) in (corner.y..).zip(lines) {
            put(buffer, area.at(corner.x, y), &blanks, theme.text());
            put_pieces(buffer, area.at(corner.x, y), &pieces, 0);
        }
    }
}

/// Draws the lines and the land, unless they are pixels; returns the dots of the lines, unless they are those of
/// the base map.
fn lines(
    buffer: &mut Buffer,
    area: Area,
    base_map: &BaseMap,
    picture: &Scene,
    shown: &Shown<'_>,
) -> Option<Raster> {
    let Shown { content, theme } = *shown;
    let markers = base_map.markers;
    let by = content.line_colour();
    // ASCII characters are too heavy for coast and graticule: land has a background or a
    // dot. Without colours the graticule would look like the coast.
    let is_quiet = |layer| match layer {
        Layer::Coast => markers == GlyphSet::Ascii,
        Layer::Graticule => markers == GlyphSet::Ascii || !theme.can.colour,
        _ => false,
    };
    let style = |ink: Ink| (!is_quiet(ink.layer)).then(|| style(ink, &by, shown));
    let raster = (!picture.lines.is_empty()).then(|| {
        let mut raster = base_map.raster.clone();
        raster.draw_lines(picture);
        raster
    });
    if base_map.fine.is_some() {
        return raster;
    }
    let dots = raster.as_ref().unwrap_or(&base_map.raster);
    glyphs::draw(buffer, area, dots, markers, style);
    let of_tails = picture.fixes.iter().map(|mark| {
        let at = symbol_cell(mark);
        (at.x, at.y, Ink::new(mark.class))
    });
    for (x, y, ink) in base_map.fixes.iter().copied().chain(of_tails) {
        if dots.layer_at(x, y) == Some(ink.layer) {
            let dot = theme.glyph("•", "o");
            put(buffer, area.at(x, y), dot, style(ink).unwrap_or_default());
        }
    }
    let sign = (markers == GlyphSet::Ascii).then_some(".");
    land::paint(buffer, area, &base_map.picture.land, sign, theme);
    raster
}

fn is_instrument(mark: &&Mark) -> bool {
    matches!(mark.class, Class::Instrument(_))
}

/// Draws a symbol.
fn draw_symbol(buffer: &mut Buffer, area: Area, mark: &Mark, shown: &Shown<'_>) {
    let (symbol, style) = symbol(mark.class, shown.content.selected(), shown);
    let at = symbol_cell(mark);
    put_over(buffer, area.at(at.x, at.y), &symbol, style);
}

/// Writes text over the map; the land below it stays.
fn put_over(buffer: &mut Buffer, line: Area, words: &str, style: Style) {
    let below = cells_in(buffer, line).iter().take(text::width(words));
    let below: Vec<Color> = below.map(|cell| cell.bg).collect();
    put(buffer, line, words, style);
    for (cell, background) in cells_in(buffer, line).iter_mut().zip(below) {
        if cell.bg == Color::Reset {
            cell.set_bg(background);
        }
    }
}

/// Draws instruments of one cell: the symbol of the worst and how many are like it.
fn draw_cluster(buffer: &mut Buffer, area: Area, cluster: &Cluster, shown: &Shown<'_>) {
    let (symbol, style) = symbol(Class::Instrument(cluster.worst), None, shown);
    let words = format!("{symbol}{}", cluster.count);
    let line = area.at(cluster.place.x, cluster.place.y);
    put_over(buffer, line, &words, style);
}

fn style(ink: Ink, by: &LineColour, shown: &Shown<'_>) -> Style {
    let Shown { content, theme } = *shown;
    let track = usize::from(ink.track);
    match ink.layer {
        Layer::Track => shown.track(track).unwrap_or_else(|| {
            let track = content.drawn().get(track).map(|drawn| drawn.track);
            let share = track.and_then(|track| by.share(track, ink.order as usize));
            share.map_or_else(|| theme.dim(), |share| theme.line(share))
        }),
        Layer::Tail => {
            let (_, style) = instrument(ink.order as usize, content.shared, theme);
            style.remove_modifier(Modifier::BOLD)
        }
        Layer::Measure => theme.measure(),
        Layer::WatchCircle => theme.watch_circle(),
        Layer::Ring | Layer::Overlay => theme.ring(),
        Layer::Jump => theme.bad().remove_modifier(Modifier::BOLD),
        Layer::Coast => theme.coast(),
        Layer::Graticule => theme.graticule(),
        Layer::Gap | Layer::Limb => theme.dim(),
    }
}

/// The marks that have a symbol.
fn symbols(picture: &Scene) -> impl Iterator<Item = &Mark> {
    let marks = picture.marks.iter();
    marks.filter(|mark| mark.class != Class::Ring)
}

/// Moves the latest fix of each of several tracks off the mark of another, or of the cursor, to
/// the nearest free cell of its row: all of them are seen.
fn set_apart(marks: &mut [Mark], shown: &Shown<'_>) {
    let is_taken = |at: Area, own: usize, marks: &[Mark]| {
        let mut others = marks.iter().enumerate().filter(|(other, _)| *other != own);
        others.any(|(_, other)| {
            let is_below = matches!(other.class, Class::First(_) | Class::Instrument(_));
            !is_below && symbol_cell(other) == at
        })
    };
    for index in 0..marks.len() {
        let Some(mark) = marks.get(index) else { return };
        if !matches!(mark.class, Class::Latest(track) if shown.track(track).is_some()) {
            continue;
        }
        let (x, width) = (mark.at.0, f64::from(shown.content.view.columns));
        let columns = [0.0, 1.0, -1.0, 2.0, -2.0].map(|step| x + step);
        let mut columns = columns.into_iter().filter(|x| (0.0..width).contains(x));
        let free = columns.find(|x| {
            let at = Area::new(to_cell(*x), to_cell(mark.at.1), 1, 1);
            !is_taken(at, index, marks)
        });
        if let Some((mark, x)) = marks.get_mut(index).zip(free) {
            mark.at.0 = x;
        }
    }
}

fn symbol_cell(mark: &Mark) -> Area {
    Area::new(to_cell(mark.at.0), to_cell(mark.at.1), 1, 1)
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
    let Shown { content, theme } = *shown;
    let selected = content.selected();
    let is_of_track = content.track().is_some();
    let is_search = content.shared.map.sought.picture.is_some();
    for mark in symbols(picture).filter(|mark| !(is_of_track && is_instrument(mark))) {
        draw_symbol(buffer, area, mark, shown);
    }
    let instruments = picture.marks.iter().filter(is_instrument);
    let names: usize = instruments.map(|mark| text::width(&mark.label)).sum();
    let is_crowded = names * CELLS_A_NAME > usize::from(area.width) * usize::from(area.height);
    let last_first = picture.marks.iter().rev();
    for mark in last_first.filter(|mark| !mark.label.is_empty()) {
        let is_selected = selected.is_some_and(|index| mark.class == Class::Instrument(index));
        if is_crowded && !is_selected && is_instrument(&mark) {
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
        let at = symbol_cell(mark);
        let width = cells(&words);
        let place = match mark.class {
            Class::Instrument(_) if is_selected => labels.place_always(at, width),
            // None of what is marked in a search may go without its label.
            Class::OwnShip | Class::Meeting | Class::Cursor | Class::Measure if is_search => {
                labels.place_always(at, width)
            }
            // Further away it would seem to label a different fix.
            _ => labels.place_touching(at, width),
        };
        let Some(place) = place else {
            continue;
        };
        let style = match mark.class {
            Class::Cursor => theme.accent(),
            Class::Latest(track) => shown.track(track).unwrap_or(theme.text()),
            Class::Ring | Class::Place | Class::Ship => theme.ring(),
            Class::Meeting => theme.good(),
            _ if is_selected => selected_style(theme),
            Class::Instrument(_) if is_of_track => theme.dim(),
            _ => theme.text(),
        };
        put_over(buffer, area.at(place.x, place.y), &words, style);
    }
}

#[cfg(test)]
mod tests;
