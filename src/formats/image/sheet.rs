//! The layout of an image: title, chart in a neat line, legend, scale bar and
//! sources.

use svg::Document;
use svg::node::element::{ClipPath, Definitions, Group, Path, Rectangle, Text};
use ttf_parser::Face;

use super::legend::Legend;
use super::letters;
use super::overlays;
use super::pen::{
    BAD, CIRCLE, CIRCLE_DASHES, DOUBT, INK, JUMP_DASHES, Lettering, PAPER, QUIET, chevrons, cross,
    flag_colour, point, ring, round,
};
use super::style::Style;
use crate::formats::Subject;
use crate::geo::projection::Projection;
use crate::geo::units::{DistanceUnit, NAUTICAL_MILE_M};
use crate::map::{
    Class, ColourBy, Kind, LayerTrack, Layers, LineColour, MapFrame, PreparedTrack, RoundLength,
    Scene, Stroke, View, half_way, scale_colour, scene,
};
use crate::text;
use crate::track::{Flag, time};

/// The font of an image.
pub(super) const FONT: &str = "DejaVu Sans";

/// Pixels around the chart: left, top, right, bottom.
const LEFT: f64 = 84.0;
const TOP: f64 = 58.0;
const RIGHT: f64 = 18.0;
const BOTTOM: f64 = 66.0;

const COAST: &str = "#51606e";
const GRID: &str = "#c9d3dc";
const SEA: &str = "#f4f8fb";
const LAND: &str = "#e5e2d8";

/// Number of colours of the colour scale.
const STEPS: u32 = 48;

/// The image of a track as an SVG document.
pub(super) fn document(
    subject: &Subject<'_>,
    track: &PreparedTrack,
    style: &Style,
    face: &Face<'_>,
) -> Document {
    let (width, height) = (f64::from(style.size.0), f64::from(style.size.1));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within a u16
    let (columns, rows) = (
        (width - LEFT - RIGHT).max(1.0) as u16,
        (height - TOP - BOTTOM).max(1.0) as u16,
    );
    let inside = style.limits.inside.as_ref();
    let frame_of_map = MapFrame {
        columns,
        rows,
        cell_aspect: 1.0,
        inside: inside.cloned(),
        projection: None,
        usual_projection: Default::default(),
    };
    let view = frame_of_map.fitted(&[track]);
    let layers = Layers {
        tracks: vec![LayerTrack::alone(track)],
        inside,
        graticule_spacing: 170.0,
        overlays: (&style.overlays, subject.now),
        ..Layers::default()
    };
    let drawn = scene(&view, &layers);
    let strokes = strokes(track, &view);
    let (inner_width, inner_height) = (f64::from(columns), f64::from(rows));
    let frame = || {
        Rectangle::new()
            .set("x", 0)
            .set("y", 0)
            .set("width", inner_width)
            .set("height", inner_height)
    };
    let mut chart = Group::new()
        .set("clip-path", "url(#chart)")
        .set("fill", "none")
        .set("stroke-linecap", "round")
        .set("stroke-linejoin", "round")
        .add(frame().set("fill", SEA));
    chart = base_map(chart, &drawn);
    chart = overlays::draw(chart, &style.overlays, &view, &drawn);
    chart = circle_names(chart, &drawn, inner_width, inner_height);
    chart = draw_track(chart, track, &strokes, &style.colour);
    chart = jumps(chart, track, &view, &strokes);
    chart = marks(chart, &drawn, &strokes);
    let body = Group::new()
        .set("transform", format!("translate({LEFT} {TOP})"))
        .add(chart)
        .add(
            frame()
                .set("fill", "none")
                .set("stroke", INK)
                .set("stroke-width", 1),
        );
    let body = edge_names(body, &drawn, inner_width, inner_height);
    let body = scale_bar(body, &view, style, inner_width, inner_height);
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
    for words in words(subject, track, &view, style, face) {
        sheet = sheet.add(words);
    }
    let legend = Legend::new(LEFT, height - 30.0, width);
    for part in legend.draw(track, &strokes, style) {
        sheet = sheet.add(part);
    }
    sheet
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
        let mut path = Path::new()
            .set("d", lines)
            .set("stroke", colour)
            .set("stroke-width", pen);
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
        #[allow(clippy::cast_precision_loss)] // a few letters
        let width = text::width(name) as f64 * 6.2 + 4.0;
        chart = chart
            .add(
                Rectangle::new()
                    .set("x", round(x - width / 2.0))
                    .set("y", round(y - 7.0))
                    .set("width", round(width))
                    .set("height", 14)
                    .set("fill", SEA),
            )
            .add(Lettering::quiet(10.0, "middle").at(*x, y + 4.0, name));
    }
    chart
}

fn strokes(track: &PreparedTrack, view: &View) -> Vec<Stroke> {
    let mut strokes = Vec::new();
    track
        .detail()
        .strokes(track, view, 1, 1, |stroke| strokes.push(stroke));
    // In time order, so that consecutive strokes connect.
    strokes.sort_by_key(|stroke| (stroke.kind, stroke.fix));
    strokes
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
        let (from, to) = (round(span.from), round(span.to));
        // Writing to a String cannot fail.
        let _ = write!(path, "M{from} {}H{to}v1H{from}z", span.row);
    }
    path
}

/// Draws jumps: long dashes, and half-way the symbol of a jump.
fn jumps(mut chart: Group, track: &PreparedTrack, view: &View, strokes: &[Stroke]) -> Group {
    let of_jumps = || strokes.iter().filter(|stroke| stroke.kind == Kind::Jump);
    let lines = joined(of_jumps());
    if lines.is_empty() {
        return chart;
    }
    chart = chart.add(
        Path::new()
            .set("d", lines)
            .set("stroke", BAD)
            .set("stroke-width", 1.1)
            .set("stroke-dasharray", JUMP_DASHES),
    );
    let mut symbols = String::new();
    let mut drawn = std::collections::BTreeSet::new();
    let plotter = view.plotter();
    for stroke in of_jumps() {
        if drawn.insert(stroke.fix)
            && let Some(at) = half_way(track, &plotter, stroke.fix)
        {
            chevrons(&mut symbols, at.0, at.1);
        }
    }
    chart.add(
        Path::new()
            .set("d", symbols)
            .set("stroke", BAD)
            .set("stroke-width", 1.6),
    )
}

/// Draws the line: data gaps first, newer legs on top.
fn draw_track(
    mut chart: Group,
    track: &PreparedTrack,
    strokes: &[Stroke],
    colour: &LineColour,
) -> Group {
    let gaps = joined(strokes.iter().filter(|stroke| stroke.kind == Kind::Gap));
    if !gaps.is_empty() {
        chart = chart.add(
            Path::new()
                .set("d", gaps)
                .set("stroke", QUIET)
                .set("stroke-width", 0.9)
                .set("stroke-dasharray", "2 4"),
        );
    }
    let leg = |colour: String, strokes: Vec<&Stroke>| {
        Path::new()
            .set("d", joined(strokes.into_iter()))
            .set("stroke", colour)
            .set("stroke-width", 1.7)
    };
    let legs = strokes.iter().filter(|stroke| stroke.kind == Kind::Leg);
    if matches!(colour, LineColour::By(ColourBy::Flag)) {
        // Flags are categories, without a colour between two of them.
        let mut by_colour: std::collections::BTreeMap<&str, Vec<&Stroke>> =
            std::collections::BTreeMap::new();
        for stroke in legs {
            let flag = track.fix(stroke.fix as usize).map(|fix| fix.flag);
            let colour = flag_colour(flag.unwrap_or(Flag::NotEvaluated));
            by_colour.entry(colour).or_default().push(stroke);
        }
        for (colour, strokes) in by_colour {
            chart = chart.add(leg(colour.to_owned(), strokes));
        }
        return chart;
    }
    let step = |stroke: &Stroke| {
        let share = colour.share(track, stroke.fix as usize)?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to STEPS
        let step = (share * f64::from(STEPS)).round() as u32;
        Some(step)
    };
    let mut by_step: std::collections::BTreeMap<Option<u32>, Vec<&Stroke>> =
        std::collections::BTreeMap::new();
    for stroke in legs {
        by_step.entry(step(stroke)).or_default().push(stroke);
    }
    for (step, strokes) in by_step {
        let colour = match step {
            Some(step) => {
                let (red, green, blue) = scale_colour(f64::from(step) / f64::from(STEPS));
                format!("#{red:02x}{green:02x}{blue:02x}")
            }
            // A leg to a fix without a value of the field.
            None => QUIET.to_owned(),
        };
        chart = chart.add(leg(colour, strokes));
    }
    chart
}

/// A single path of the strokes; connected strokes continue it.
pub(super) fn joined<'a>(strokes: impl Iterator<Item = &'a Stroke>) -> String {
    let mut path = String::new();
    let mut at = None;
    let meets = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs() < 0.05 && (a.1 - b.1).abs() < 0.05;
    for stroke in strokes {
        let (from, to) = match at {
            Some(end) if meets(end, stroke.from) => (stroke.from, stroke.to),
            Some(end) if meets(end, stroke.to) => (stroke.to, stroke.from),
            _ => {
                point(&mut path, 'M', stroke.from.0, stroke.from.1);
                (stroke.from, stroke.to)
            }
        };
        // A dot is a line of length zero with round ends.
        if from != to || at != Some(to) {
            point(&mut path, 'L', to.0, to.1);
        }
        at = Some(to);
    }
    path
}

/// Draws the symbols of flagged fixes and of the first and latest fix.
fn marks(mut chart: Group, drawn: &Scene, strokes: &[Stroke]) -> Group {
    let of = |kind| strokes.iter().filter(move |stroke| stroke.kind == kind);
    for stroke in of(Kind::Suspect) {
        chart = chart.add(ring(stroke.from.0, stroke.from.1, 3.0, DOUBT, "none"));
    }
    let mut crosses = String::new();
    for stroke in of(Kind::Failed) {
        cross(&mut crosses, stroke.from.0, stroke.from.1, 3.5);
    }
    if !crosses.is_empty() {
        chart = chart.add(
            Path::new()
                .set("d", crosses)
                .set("stroke", BAD)
                .set("stroke-width", 1.4),
        );
    }
    for mark in &drawn.marks {
        match mark.class {
            Class::First(_) => chart = chart.add(ring(mark.at.0, mark.at.1, 4.5, INK, PAPER)),
            Class::Latest(_) => chart = chart.add(ring(mark.at.0, mark.at.1, 4.5, PAPER, INK)),
            _ => {}
        }
    }
    chart
}

/// Draws the labels of meridians below the chart and of parallels at its left;
/// omits one that would overlap another.
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

/// The unit of lengths: its metres and its symbol.
fn unit(style: &Style) -> (f64, &'static str) {
    match style.units.distance_unit() {
        DistanceUnit::NauticalMiles => (NAUTICAL_MILE_M, "nm"),
        _ => (1000.0, "km"),
    }
}

/// Draws a scale bar of round length, correct at the latitude that it names, else
/// at the centre of the chart.
fn scale_bar(body: Group, view: &View, style: &Style, width: f64, height: f64) -> Group {
    let length = RoundLength::at_most(view.metres_a_column * width / 5.0, style.units);
    let pixels = length.metres / view.metres_a_column;
    let (right, y) = (width - 14.0, height - 16.0);
    let left = right - pixels;
    let words = match view.projection {
        Projection::Mercator => {
            let latitude = view.centre.latitude;
            let side = if latitude < 0.0 { 'S' } else { 'N' };
            format!("{length} at {:.0}°{side}", latitude.abs())
        }
        Projection::Equirectangular => format!("{length} at 0°"),
        _ => length.to_string(),
    };
    // About 6.4 pixels a letter at this size.
    #[allow(clippy::cast_precision_loss)] // a few letters
    let label = text::width(&words) as f64 * 6.4;
    body.add(
        Rectangle::new()
            .set("x", round(left.min(right - label) - 8.0))
            .set("y", round(y - 20.0))
            .set("width", round(pixels.max(label) + 16.0))
            .set("height", 30)
            .set("fill", SEA)
            .set("fill-opacity", 0.85),
    )
    .add(
        Path::new()
            .set(
                "d",
                format!(
                    "M{0} {1}v5H{2}v-5",
                    round(left),
                    round(y - 2.0),
                    round(right)
                ),
            )
            .set("fill", "none")
            .set("stroke", INK)
            .set("stroke-width", 1.4),
    )
    .add(
        Lettering {
            size: 11.0,
            colour: INK,
            anchor: "end",
        }
        .at(right, y - 5.0, &words),
    )
}

/// Pixels of the letters of the title.
const TITLE: f64 = 17.0;

/// Draws the title above the chart and the sources below.
fn words(
    subject: &Subject<'_>,
    track: &PreparedTrack,
    view: &View,
    style: &Style,
    face: &Face<'_>,
) -> Vec<Text> {
    let (width, height) = (f64::from(style.size.0), f64::from(style.size.1));
    let summary = track.summary();
    let name = text::clean(subject.label.unwrap_or(subject.deployment));
    let name = letters::fit(&name, face, TITLE, width - LEFT - RIGHT);
    let (unit_m, symbol) = unit(style);
    let span = match (summary.first, summary.last) {
        (Some(first), Some(last)) => format!(
            "{} to {} UTC",
            time::table(first, None),
            time::table(last, None)
        ),
        _ => "no fixes".to_owned(),
    };
    let mut sub = format!(
        "{span} · {} fixes, {:.1} {symbol} · {}",
        summary.fixes,
        summary.length_m / unit_m,
        view.projection_name()
    );
    for (count, what) in [(summary.fail, "failed"), (summary.unusable, "invalid")] {
        if count > 0 {
            sub.push_str(&format!(" · {count} {what}"));
        }
    }
    if let Some(age) = style.limits.max_age_s {
        sub.push_str(&format!(" · maximum age {}", time::whole_duration(age)));
    }
    let sources = format!(
        "{} {} UTC · coast: Natural Earth, public domain · driftline {}",
        style.source.of(subject.deployment),
        time::table(subject.fetched_at, None),
        env!("CARGO_PKG_VERSION")
    );
    vec![
        Lettering {
            size: TITLE,
            colour: INK,
            anchor: "start",
        }
        .at(LEFT, 26.0, &name),
        Lettering::quiet(11.0, "start").at(LEFT, 46.0, &sub),
        Lettering::quiet(9.5, "start").at(LEFT, height - 10.0, &sources),
    ]
}
