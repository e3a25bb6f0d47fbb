//! The layout of an image: title, chart in a neat line, legend, scale bar and
//! sources.

use std::sync::Arc;

use svg::Document;
use svg::node::element::{ClipPath, Definitions, Group, Path, Rectangle};
use ttf_parser::Face;

use super::legend::Legend;
use super::lines::{self, DrawnTrack, Sign, joined};
use super::pen::{
    CIRCLE, CIRCLE_DASHES, INK, Lettering, PAPER, QUIET, line, point, rectangle, round,
};
use super::title::words;
use super::{Charted, Style};
use crate::map::{
    CellDots, Class, Fitted, LayerTrack, Layers, Overlay, PreparedTrack, RoundLength, Scene, View,
    scene,
};
use crate::text;

/// The font of an image.
pub(super) const FONT: &str = "DejaVu Sans";

const OVERLAY: &str = "#7a5195";

/// Pixels around the chart: left, top, right, bottom.
pub(super) const LEFT: f64 = 84.0;
const TOP: f64 = 58.0;
pub(super) const RIGHT: f64 = 18.0;
const BOTTOM: f64 = 66.0;

const COAST: &str = "#51606e";
const GRID: &str = "#c9d3dc";
const SEA: &str = "#f4f8fb";
const LAND: &str = "#e5e2d8";

/// The image of tracks as an SVG document, the last on top.
pub(super) fn document(tracks: &[Charted<'_>], style: &Style, face: &Face<'_>) -> Document {
    let width = f64::from(style.size.0);
    let height = f64::from(style.size.1);
    let signs = signs(tracks);
    let mut legend = Legend::new(LEFT, width, height / 3.0);
    for (charted, sign) in tracks.iter().zip(&signs) {
        if let Some(sign) = sign {
            let mut name = charted.name();
            if charted.track.is_empty() {
                name.push_str(": no fix");
            }
            legend.track(sign, &name);
        }
    }
    let bottom = BOTTOM + legend.height();
    // Within a u16.
    let columns = (width - LEFT - RIGHT).max(1.0) as u16;
    let rows = (height - TOP - bottom).max(1.0) as u16;
    let circles = tracks
        .iter()
        .filter_map(|charted| charted.limits.inside.as_ref());
    let areas = match tracks {
        [alone] => alone.limits.inside.clone().into_iter().collect(),
        _ => Vec::new(),
    };
    let prepared: Vec<&PreparedTrack> = tracks.iter().map(|charted| charted.track).collect();
    let fitted = Fitted::new(&prepared, areas, None);
    let view = View::fit_to(&fitted, columns, rows, 1.0);
    let now = tracks.first().map_or(0.0, |charted| charted.subject.now);
    let layers = Layers {
        tracks: prepared.into_iter().map(LayerTrack::alone).collect(),
        inside: circles.collect(),
        overlays: (&style.overlays, now),
        ..Layers::default()
    };
    let drawn = scene(&view, &layers, 170.0);
    let with_sign = tracks.iter().zip(signs);
    let lines: Vec<DrawnTrack<'_>> = with_sign
        .map(|(charted, sign)| DrawnTrack::new(charted, &view, sign))
        .collect();
    let inner_width = f64::from(columns);
    let inner_height = f64::from(rows);
    let frame = || rectangle(0.0, 0.0, inner_width, inner_height);
    let mut chart = Group::new()
        .set("clip-path", "url(#chart)")
        .set("fill", "none")
        .set("stroke-linecap", "round")
        .set("stroke-linejoin", "round")
        .add(frame().set("fill", SEA));
    chart = base_map(chart, &drawn);
    chart = draw_overlays(chart, &style.overlays, &view, &drawn);
    chart = circle_names(chart, &drawn, inner_width, inner_height);
    chart = lines::draw(chart, &lines, &view, &style.colour);
    chart = lines::ends(chart, &drawn.marks, &lines);
    let mut body = Group::new()
        .set("transform", format!("translate({LEFT} {TOP})"))
        .add(chart)
        .add(
            frame()
                .set("fill", "none")
                .set("stroke", INK)
                .set("stroke-width", 1),
        );
    body = edge_names(body, &drawn, inner_width, inner_height);
    body = scale_bar(body, &view, style, inner_width, inner_height);
    let mut sheet = Document::new()
        .set("viewBox", (0, 0, style.size.0, style.size.1))
        .set("width", style.size.0)
        .set("height", style.size.1)
        .set("font-family", format!("'{FONT}', sans-serif"))
        .add(Definitions::new().add(ClipPath::new().set("id", "chart").add(frame())))
        .add(
            Rectangle::new()
                .set("width", "100%")
                .set("height", "100%")
                .set("fill", PAPER),
        )
        .add(body);
    for words in words(tracks, &view, style, face) {
        sheet = sheet.add(words);
    }
    sheet.add(legend.drawn(&lines, style).set(
        "transform",
        format!("translate(0 {})", height - 30.0 - bottom + BOTTOM),
    ))
}

/// The signs of several tracks; a track alone has none.
fn signs(tracks: &[Charted<'_>]) -> Vec<Option<Sign>> {
    let are_several = tracks.len() > 1;
    tracks
        .iter()
        .enumerate()
        .map(|(place, charted)| are_several.then(|| Sign::new(place, charted)))
        .collect()
}

/// Draws the land, the lines below the track and the watch circle.
fn base_map(mut chart: Group, drawn: &Scene) -> Group {
    let land = land(drawn);
    if !land.is_empty() {
        // Crisp, so that no line shows between two rows.
        chart = chart.add(
            Path::new()
                .set("d", land)
                .set("fill", LAND)
                .set("shape-rendering", "crispEdges"),
        );
    }
    for (class, colour, pen, dashes) in [
        (Class::Graticule, GRID, 0.7, None),
        (Class::Limb, QUIET, 1.0, None),
        (Class::Coast, COAST, 1.1, None),
        (Class::WatchCircle, CIRCLE, 1.3, Some(CIRCLE_DASHES)),
    ] {
        let lines = lines(drawn, class);
        if lines.is_empty() {
            continue;
        }
        let mut path = line(lines, colour, pen);
        if let Some(dashes) = dashes {
            path = path.set("stroke-dasharray", dashes);
        }
        chart = chart.add(path);
    }
    chart
}

/// Draws the names of circles, but for where the scale bar is, in the lower right
/// corner.
fn circle_names(mut chart: Group, drawn: &Scene, inner_width: f64, inner_height: f64) -> Group {
    let beside_scale =
        |&&((x, y), _): &&((f64, f64), String)| y < inner_height - 44.0 || x < inner_width * 0.7;
    for ((x, y), name) in drawn.circles.iter().filter(beside_scale) {
        // On a white box, so that the line does not cross it.
        let width = text::width(name) as f64 * 6.2 + 4.0;
        chart = chart
            .add(rectangle(x - width / 2.0, y - 7.0, width, 14.0).set("fill", SEA))
            .add(Lettering::quiet(10.0, "middle").at(*x, y + 4.0, name));
    }
    chart
}

fn lines(drawn: &Scene, class: Class) -> String {
    let mut path = String::new();
    for line in drawn.lines.iter().filter(|line| line.class == class) {
        for (place, at) in line.points.iter().enumerate() {
            point(&mut path, if place == 0 { 'M' } else { 'L' }, at.0, at.1);
        }
    }
    path
}

/// The land as one path of rows of a pixel.
fn land(drawn: &Scene) -> String {
    use std::fmt::Write;
    let mut path = String::new();
    for span in &drawn.land {
        let from = round(span.from);
        let to = round(span.to);
        // Writing to a String cannot fail.
        let _ = write!(path, "M{from} {}H{to}v1H{from}z", span.row);
    }
    path
}

/// Draws a scale bar of round length, correct at the latitude that it names, else
/// at the centre of the chart.
fn scale_bar(body: Group, view: &View, style: &Style, width: f64, height: f64) -> Group {
    let length = RoundLength::at_most(view.metres_a_column * width / 5.0, style.units);
    let pixels = length.metres / view.metres_a_column;
    let right = width - 14.0;
    let y = height - 16.0;
    let left = right - pixels;
    let words = match view.scale_latitude() {
        Some(latitude) => format!("{length} at {latitude}"),
        None => length.to_string(),
    };
    // About 6.4 pixels a letter at this size.
    let label = text::width(&words) as f64 * 6.4;
    let from = round(left);
    let top = round(y - 2.0);
    let to = round(right);
    let bar = line(format!("M{from} {top}v5H{to}v-5"), INK, 1.4);
    let room = pixels.max(label) + 16.0;
    let ground = rectangle(left.min(right - label) - 8.0, y - 20.0, room, 30.0);
    body.add(ground.set("fill", SEA).set("fill-opacity", 0.85))
        .add(bar.set("fill", "none"))
        .add(
            Lettering {
                size: 11.0,
                colour: INK,
                anchor: "end",
            }
            .at(right, y - 5.0, &words),
        )
}

/// Draws the labels of meridians below the chart and of parallels at its left;
/// omits labels that would overlap.
fn edge_names(mut body: Group, drawn: &Scene, width: f64, height: f64) -> Group {
    let mut taken: Vec<f64> = Vec::new();
    for (x, name) in &drawn.meridians {
        if (0.0..=width).contains(x) && taken.iter().all(|other| (other - x).abs() > 76.0) {
            body = body.add(Lettering::quiet(11.0, "middle").at(*x, height + 16.0, name));
            taken.push(*x);
        }
    }
    taken.clear();
    for (y, name) in &drawn.parallels {
        if (6.0..=height).contains(y) && taken.iter().all(|other| (other - y).abs() > 14.0) {
            body = body.add(Lettering::quiet(11.0, "end").at(-6.0, y + 4.0, name));
            taken.push(*y);
        }
    }
    body
}

/// Draws overlays: their lines, and a square with its name for a point, a rhomb for a ship.
fn draw_overlays(mut chart: Group, overlays: &[Arc<Overlay>], view: &View, drawn: &Scene) -> Group {
    let mut segments = Vec::new();
    for overlay in overlays {
        overlay.segments(view, CellDots::ONE, |segment| segments.push(segment));
    }
    if !segments.is_empty() {
        chart = chart.add(line(joined(segments.iter()), OVERLAY, 1.0));
    }
    for mark in &drawn.marks {
        let x = round(mark.at.0);
        let y = round(mark.at.1);
        let sign = match mark.class {
            Class::Place => format!("M{} {}h5v5h-5z", x - 2.5, y - 2.5),
            Class::Ship => format!("M{x} {}l5 5l-5 5l-5 -5z", y - 5.0),
            _ => continue,
        };
        chart = chart
            .add(Path::new().set("d", sign).set("fill", OVERLAY))
            .add(Lettering::quiet(10.0, "start").at(mark.at.0 + 7.0, mark.at.1 + 4.0, &mark.label));
    }
    chart
}
