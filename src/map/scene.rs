//! The content of a map, as lines and symbols in cells.

use std::sync::Arc;

use super::coastline::for_each_line;
use super::dots::{FixDots, are_apart};
use super::graticule::graticule;
use super::ink::Class;
use super::land::land;
use super::overlay::Overlay;
use super::pen::Pen;
use super::prepared::PreparedTrack;
use super::search::SearchArea;
use super::shapes::{Drawing, Line, Mark, Scene, geodesic};
use super::view::View;
use crate::geo::projection::{Projection, wrap};
use crate::geo::{Inside, Position, Vector};

/// Smallest distance between lines of the graticule on the screen, in columns: room for a label
/// and a part of the line.
pub(crate) const GRATICULE_SPACING: f64 = 36.0;

/// The objects to show on a map.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layers<'a> {
    /// The tracks, the top track last.
    pub tracks: Vec<LayerTrack<'a>>,
    /// The position of the fix under the cursor.
    pub cursor: Option<Position>,
    /// The label of that fix.
    pub cursor_label: String,
    /// Range rings around that fix: radius in metres, and label.
    pub rings: Vec<(f64, String)>,
    /// The area where the instrument may be now.
    pub search: Option<SearchArea>,
    /// The watch circles and areas.
    pub inside: Vec<&'a Inside>,
    /// Start and end of a measurement.
    pub measure: Option<(Position, Position)>,
    /// Other instruments: the caller's number, position, label.
    pub instruments: Vec<(usize, Position, String)>,
    /// Their ways over the last days, oldest position first.
    pub tails: Vec<(usize, Vec<Position>)>,
    /// How the fixes of these ways are shown.
    pub fix_dots: FixDots,
    /// The overlays, and the moment that the map shows, UNIX seconds.
    pub overlays: (&'a [Arc<Overlay>], f64),
}

/// A track on a map.
#[derive(Debug, Clone)]
pub(crate) struct LayerTrack<'a> {
    pub track: &'a PreparedTrack,
    /// The name next to its latest fix; empty for a single track.
    pub name: String,
    /// Its last position before the moment that the map shows, unless that is the latest.
    pub moment: Option<Position>,
}

impl<'a> LayerTrack<'a> {
    /// The only track of a map.
    pub(crate) fn alone(track: &'a PreparedTrack) -> Self {
        Self {
            track,
            name: String::new(),
            moment: None,
        }
    }
}

/// The scene of a view without the track, which
/// [`TrackStrokes`](super::strokes::TrackStrokes) draws.
pub(crate) fn scene(view: &View, layers: &Layers<'_>, graticule_spacing: f64) -> Scene {
    let mut drawing = Drawing::new(view);
    draw_base_map(&mut drawing, graticule_spacing);
    draw_foreground(&mut drawing, layers);
    drawing.scene
}

/// The base map, which depends on the view only: graticule, limb, coast and
/// land.
/// `graticule_spacing` is the smallest distance between lines, in columns.
pub(crate) fn base_map(view: &View, graticule_spacing: f64) -> Scene {
    let mut drawing = Drawing::new(view);
    draw_base_map(&mut drawing, graticule_spacing);
    drawing.scene
}

/// The objects above the base map: circles, measurements and symbols.
pub(crate) fn foreground(view: &View, layers: &Layers<'_>) -> Scene {
    let mut drawing = Drawing::new(view);
    draw_foreground(&mut drawing, layers);
    drawing.scene
}

fn draw_base_map(drawing: &mut Drawing<'_>, graticule_spacing: f64) {
    let view = drawing.view;
    draw_graticule(drawing, graticule_spacing);
    if !view.projection.has_seam() {
        let poles = [90.0, -90.0].map(|latitude| Position {
            latitude,
            longitude: 0.0,
        });
        let on_map = |pole| drawing.plotter.cell_on_map(Vector::new(pole));
        drawing.scene.pole = poles.into_iter().find_map(on_map);
    }
    if view.projection == Projection::Globe {
        draw_limb(drawing);
    }
    draw_coast(drawing);
    let lines = drawing.scene.lines.iter();
    let coast = lines.filter(|line| line.class == Class::Coast);
    let coast: Vec<&[(f64, f64)]> = coast.map(|line| line.points.as_slice()).collect();
    drawing.scene.land = land(view, &coast);
}

fn draw_foreground(drawing: &mut Drawing<'_>, layers: &Layers<'_>) {
    for (number, positions) in &layers.tails {
        draw_tail(drawing, *number, positions, layers.fix_dots);
    }
    for inside in &layers.inside {
        match inside {
            Inside::Circle(circle) => {
                drawing.circle(Class::WatchCircle, circle.centre, circle.radius_m);
            }
            Inside::Area(area) => {
                for line in area.outline() {
                    drawing.line(Class::WatchCircle, line.iter().copied());
                }
            }
        }
    }
    let (overlays, moment) = layers.overlays;
    for (class, position, name) in overlays.iter().flat_map(|overlay| overlay.marks(moment)) {
        drawing.mark(class, position, name);
    }
    let tracks = || layers.tracks.iter().enumerate();
    // The first fix of a track may lie on the latest fix of another.
    for (index, drawn) in tracks() {
        if let Some(fix) = drawn.track.included_fixes().next() {
            drawing.mark(Class::First(index), fix.position, "");
        }
    }
    for (index, drawn) in tracks() {
        if let Some(position) = drawn.moment {
            drawing.mark(Class::Moment(index), position, "");
        }
        if let Some(fix) = drawn.track.latest() {
            drawing.mark(Class::Latest(index), fix.position, &drawn.name);
        }
    }
    if let Some((from, to)) = layers.measure {
        drawing.line(Class::Measure, geodesic(from, to, 96));
        drawing.mark(Class::Measure, from, "");
        drawing.mark(Class::Measure, to, "");
    }
    for (number, position, name) in &layers.instruments {
        drawing.mark(Class::Instrument(*number), *position, name);
    }
    if let Some(area) = &layers.search {
        area.draw(drawing);
    }
    if let Some(cursor) = layers.cursor {
        drawing.rings(cursor, &layers.rings);
        drawing.mark(Class::Cursor, cursor, &layers.cursor_label);
    }
}

/// Draws the way of an instrument as a line, as dots, or as both.
fn draw_tail(drawing: &mut Drawing<'_>, number: usize, positions: &[Position], dots: FixDots) {
    let class = Class::Tail(number);
    let Drawing { plotter, scene, .. } = drawing;
    let vectors = || positions.iter().map(|position| Vector::new(*position));
    if dots != FixDots::Alone {
        let mut pen = Pen::new(plotter, |points: &[(f64, f64)]| {
            let points = points.to_vec();
            scene.lines.push(Line { class, points });
        });
        vectors().for_each(|point| pen.arc(point));
        pen.lift();
    }
    let points: Vec<(f64, f64)> = vectors()
        .filter_map(|point| plotter.cell_on_map(point))
        .collect();
    let pairs = points.iter().copied().zip(points.iter().copied().skip(1));
    let is_marked = match dots {
        FixDots::OnLine => are_apart(pairs),
        FixDots::Line => false,
        FixDots::Alone => true,
    };
    for at in points.into_iter().filter(|_| is_marked) {
        if dots == FixDots::Alone {
            // A point of the raster, which a label keeps off.
            let points = vec![at];
            scene.lines.push(Line { class, points });
        }
        let label = String::new();
        scene.fixes.push(Mark { class, at, label });
    }
}

fn draw_graticule(drawing: &mut Drawing<'_>, spacing: f64) {
    let view = drawing.view;
    let plotter = drawing.plotter;
    let (right, bottom) = plotter.size();
    let mut on_lines = Vec::new();
    for line in graticule(view, spacing) {
        drawing.line(Class::Graticule, line.along.iter().copied());
        let scene = &mut drawing.scene;
        // A label is where its line meets the lower or the left edge.
        let cells = (line.along.iter()).filter_map(|place| plotter.cell(Vector::new(*place)));
        let points: Vec<(f64, f64)> = cells.collect();
        let crossing =
            |edge: f64, along: fn(&(f64, f64)) -> f64, across: fn(&(f64, f64)) -> f64| {
                points.iter().zip(points.iter().skip(1)).find_map(|(a, b)| {
                    let from = along(a) - edge;
                    let to = along(b) - edge;
                    let meets = (from <= 0.0) != (to <= 0.0) && (to - from).abs() > 1e-9;
                    meets.then(|| across(a) + (across(b) - across(a)) * from / (from - to))
                })
            };
        // On a flat map every point of a line has the same column or row, also where the
        // Earth ends within the map.
        let first = points.first().filter(|_| view.projection.has_seam());
        if line.meridian {
            let at_bottom = || crossing(bottom - 0.5, |p| p.1, |p| p.0);
            let column = first.map(|p| p.0).or_else(at_bottom);
            if let Some(column) = column.filter(|x| (0.0..right).contains(x)) {
                scene.meridians.push((column, line.label));
            } else if let Some(at) = on_line(&points, bottom * 0.7, (right, bottom)) {
                on_lines.push((at, line.label));
            }
        } else if let Some(row) = first
            .map(|p| p.1)
            .or_else(|| crossing(0.5, |p| p.0, |p| p.1))
            .filter(|y| (0.0..bottom).contains(y))
        {
            scene.parallels.push((row, line.label));
        } else if let Some(lowest) = on_line(&points, bottom, (right, bottom)) {
            scene.circles.push((lowest, line.label));
        }
    }
    // Of a globe, or about a pole, few meridians meet the lower edge.
    let scene = &mut drawing.scene;
    if scene.meridians.len() < 2 {
        scene.circles.append(&mut on_lines);
    }
}

/// The point of a line nearest to a row, a cell or more inside a map of this size.
fn on_line(points: &[(f64, f64)], row: f64, (right, bottom): (f64, f64)) -> Option<(f64, f64)> {
    let inside =
        |(x, y): &&(f64, f64)| (1.0..right - 1.0).contains(x) && (1.0..bottom - 1.0).contains(y);
    let points = points.iter().filter(inside);
    points
        .min_by(|a, b| (a.1 - row).abs().total_cmp(&(b.1 - row).abs()))
        .copied()
}

/// Draws the limb of the globe, slightly inside it, so that it is visible.
fn draw_limb(drawing: &mut Drawing<'_>) {
    const STEPS: u32 = 360;
    const NEARLY_A_QUARTER: f64 = 0.999_9;
    let quarter = std::f64::consts::FRAC_PI_2 * NEARLY_A_QUARTER;
    let (sin_far, cos_far) = quarter.sin_cos();
    let centre = drawing.view.centre;
    let (sin_lat, cos_lat) = centre.latitude.to_radians().sin_cos();
    let around = (0..=STEPS).map(|step| {
        let (sin, cos) = f64::from(step).to_radians().sin_cos();
        // The direct problem on the sphere.
        let latitude = (sin_lat * cos_far + cos_lat * sin_far * cos).asin();
        let east = (sin * sin_far * cos_lat).atan2(cos_far - sin_lat * latitude.sin());
        Position {
            latitude: latitude.to_degrees(),
            longitude: wrap(centre.longitude + east.to_degrees()),
        }
    });
    drawing.line(Class::Limb, around);
}

/// The coast of a view.
#[cfg(feature = "bench")]
pub(crate) fn coast(view: &View) -> Vec<Line> {
    let mut drawing = Drawing::new(view);
    draw_coast(&mut drawing);
    drawing.scene.lines
}

fn draw_coast(drawing: &mut Drawing<'_>) {
    for_each_line(drawing.view, |line| {
        drawing.line(Class::Coast, line.iter().copied());
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::BoundingBox;
    use crate::geo::geodesic::inverse;
    use crate::testing::at;
    use crate::testing::track::track;
    use crate::track::Platform;

    fn view() -> View {
        let bounds = BoundingBox {
            west: 4.0,
            south: 59.0,
            east: 6.0,
            north: 61.0,
        };
        View::fit(Some(bounds), &[], 80, 30, 2.0)
    }

    #[test]
    fn a_ring_is_as_far_from_its_centre_everywhere_as_it_says() {
        let track = track(Platform::Tag, 1e9, [(0.0, 60.0, 5.0)]);
        let charted = PreparedTrack::new(std::sync::Arc::new(track));
        let layers = Layers {
            tracks: vec![LayerTrack::alone(&charted)],
            cursor: Some(at(60.0, 5.0)),
            rings: vec![(18_520.0, "10 nm".to_owned())],
            ..Layers::default()
        };
        let (view, mut points) = (view(), 0);
        for line in scene(&view, &layers, GRATICULE_SPACING).lines {
            for (x, y) in line
                .points
                .into_iter()
                .filter(|_| line.class == Class::Ring)
            {
                let place = view.position_at(x, y).unwrap();
                let distance = inverse(at(60.0, 5.0), place).distance_m;
                assert!((distance - 18_520.0).abs() < 0.1, "{distance}");
                points += 1;
            }
        }
        assert!(points > 100);
    }

    #[test]
    fn a_measurement_is_the_geodesic() {
        let layers = Layers {
            measure: Some((at(59.2, 4.2), at(60.8, 5.8))),
            ..Layers::default()
        };
        let scene = scene(&view(), &layers, GRATICULE_SPACING);
        let ends = scene
            .marks
            .iter()
            .filter(|mark| mark.class == Class::Measure)
            .count();
        let lines = scene
            .lines
            .iter()
            .filter(|line| line.class == Class::Measure)
            .count();
        assert_eq!((ends, lines), (2, 1));
    }
}
