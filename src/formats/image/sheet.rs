//! The layout of an image: title, chart in a neat line, legend, scale bar and
//! sources.

use std::sync::Arc;

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
pub(super) fn document(tracks: &[Charted<'_>], style: &Style, face: &Face<'_>) -> String {
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
    let frame = |more: &str| rectangle([0.0, 0.0], [inner_width, inner_height], more);
    let chart = [
        frame(&format!(r#"fill="{SEA}""#)),
        base_map(&drawn),
        draw_overlays(&style.overlays, &view, &drawn),
        circle_names(&drawn, inner_width, inner_height),
        lines::draw(&lines, &view, &style.colour),
        lines::ends(&drawn.marks, &lines),
    ]
    .concat();
    let neat_line = frame(&format!(r#"fill="none" stroke="{INK}" stroke-width="1""#));
    let edges = edge_names(&drawn, inner_width, inner_height);
    let scale = scale_bar(&view, style, inner_width, inner_height);
    let words = words(tracks, &view, style, face);
    let legend = legend.drawn(&lines, style);
    let legend_top = height - 30.0 - bottom + BOTTOM;
    let clip = frame("");
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="'{FONT}', sans-serif">
<defs><clipPath id="chart">{clip}</clipPath></defs>
<rect width="100%" height="100%" fill="{PAPER}"/>
<g transform="translate({LEFT} {TOP})">
<g clip-path="url(#chart)" fill="none" stroke-linecap="round" stroke-linejoin="round">{chart}</g>
{neat_line}{edges}{scale}
</g>
{words}
<g transform="translate(0 {legend_top})">{legend}</g>
</svg>
"#
    )
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

/// The land, the lines below the track and the watch circle.
fn base_map(drawn: &Scene) -> String {
    let mut map = String::new();
    let land = land(drawn);
    if !land.is_empty() {
        // Crisp, so that no line shows between two rows.
        map += &format!(r#"<path d="{land}" fill="{LAND}" shape-rendering="crispEdges"/>"#);
    }
    let dashes = format!(r#"stroke-dasharray="{CIRCLE_DASHES}""#);
    for (class, colour, pen, dashes) in [
        (Class::Graticule, GRID, 0.7, ""),
        (Class::Limb, QUIET, 1.0, ""),
        (Class::Coast, COAST, 1.1, ""),
        (Class::WatchCircle, CIRCLE, 1.3, &dashes),
    ] {
        let lines = lines(drawn, class);
        if !lines.is_empty() {
            map += &line(&lines, colour, pen, dashes);
        }
    }
    map
}

/// The names of circles, but for where the scale bar is, in the lower right corner.
fn circle_names(drawn: &Scene, inner_width: f64, inner_height: f64) -> String {
    let beside_scale =
        |&&((x, y), _): &&((f64, f64), String)| y < inner_height - 44.0 || x < inner_width * 0.7;
    let names = drawn.circles.iter().filter(beside_scale);
    let drawn = names.map(|((x, y), name)| {
        // On a white box, so that the line does not cross it.
        let width = text::width(name) as f64 * 6.2 + 4.0;
        let fill = format!(r#"fill="{SEA}""#);
        let ground = rectangle([x - width / 2.0, y - 7.0], [width, 14.0], &fill);
        ground + &Lettering::quiet(10.0, "middle").at(*x, y + 4.0, name)
    });
    drawn.collect()
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

/// A scale bar of round length, correct at the latitude that it names, else at the centre of
/// the chart.
fn scale_bar(view: &View, style: &Style, width: f64, height: f64) -> String {
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
    let room = pixels.max(label) + 16.0;
    let ground = format!(r#"fill="{SEA}" fill-opacity="0.85""#);
    let corner = [left.min(right - label) - 8.0, y - 20.0];
    let letters = Lettering {
        size: 11.0,
        colour: INK,
        anchor: "end",
    };
    [
        rectangle(corner, [room, 30.0], &ground),
        line(
            &format!("M{from} {top}v5H{to}v-5"),
            INK,
            1.4,
            r#"fill="none""#,
        ),
        letters.at(right, y - 5.0, &words),
    ]
    .concat()
}

/// The labels of meridians below the chart and of parallels at its left, without those that would
/// overlap.
fn edge_names(drawn: &Scene, width: f64, height: f64) -> String {
    let mut names = String::new();
    let mut taken: Vec<f64> = Vec::new();
    for (x, name) in &drawn.meridians {
        if (0.0..=width).contains(x) && taken.iter().all(|other| (other - x).abs() > 76.0) {
            names += &Lettering::quiet(11.0, "middle").at(*x, height + 16.0, name);
            taken.push(*x);
        }
    }
    taken.clear();
    for (y, name) in &drawn.parallels {
        if (6.0..=height).contains(y) && taken.iter().all(|other| (other - y).abs() > 14.0) {
            names += &Lettering::quiet(11.0, "end").at(-6.0, y + 4.0, name);
            taken.push(*y);
        }
    }
    names
}

/// Overlays: their lines, and a square with its name for a point, a rhomb for a ship.
fn draw_overlays(overlays: &[Arc<Overlay>], view: &View, drawn: &Scene) -> String {
    let mut segments = Vec::new();
    for overlay in overlays {
        overlay.segments(view, CellDots::ONE, |segment| segments.push(segment));
    }
    let mut chart = String::new();
    if !segments.is_empty() {
        chart += &line(&joined(segments.iter()), OVERLAY, 1.0, "");
    }
    for mark in &drawn.marks {
        let x = round(mark.at.0);
        let y = round(mark.at.1);
        let sign = match mark.class {
            Class::Place => format!("M{} {}h5v5h-5z", x - 2.5, y - 2.5),
            Class::Ship => format!("M{x} {}l5 5l-5 5l-5 -5z", y - 5.0),
            _ => continue,
        };
        chart += &format!(r#"<path d="{sign}" fill="{OVERLAY}"/>"#);
        let letters = Lettering::quiet(10.0, "start");
        chart += &letters.at(mark.at.0 + 7.0, mark.at.1 + 4.0, &mark.label);
    }
    chart
}
