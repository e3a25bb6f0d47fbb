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
use super::shapes::{Line, Mark, Scene, draw_circle, draw_line, draw_rings, geodesic, mark};
use super::view::{Plotter, View};
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
    let mut scene = base_map(view, graticule_spacing);
    scene.add(foreground(view, layers));
    scene
}

/// The base map, which depends on the view only: graticule, limb, coast and
/// land.
/// `graticule_spacing` is the smallest distance between lines, in columns.
pub(crate) fn base_map(view: &View, graticule_spacing: f64) -> Scene {
    let mut scene = Scene::default();
    let plotter = view.plotter();
    draw_graticule(view, &plotter, graticule_spacing, &mut scene);
    if !view.projection.has_seam() {
        let poles = [90.0, -90.0].map(|latitude| Position {
            latitude,
            longitude: 0.0,
        });
        let shown = poles.into_iter().find(|pole| view.shows(*pole));
        scene.pole = shown.and_then(|pole| view.cell(pole));
    }
    if view.projection == Projection::Globe {
        draw_limb(view, &plotter, &mut scene.lines);
    }
    draw_coast(view, &plotter, &mut scene.lines);
    let coast: Vec<&[(f64, f64)]> = scene
        .lines
        .iter()
        .filter(|line| line.class == Class::Coast)
        .map(|line| line.points.as_slice())
        .collect();
    scene.land = land(view, &coast);
    scene
}

/// The objects above the base map: circles, measurements and symbols.
pub(crate) fn foreground(view: &View, layers: &Layers<'_>) -> Scene {
    let mut scene = Scene::default();
    let plotter = view.plotter();
    for (number, positions) in &layers.tails {
        draw_tail(
            view,
            &plotter,
            *number,
            positions,
            layers.fix_dots,
            &mut scene,
        );
    }
    for inside in &layers.inside {
        match inside {
            Inside::Circle(circle) => {
                let centre = circle.centre;
                let lines = &mut scene.lines;
                draw_circle(&plotter, Class::WatchCircle, centre, circle.radius_m, lines);
            }
            Inside::Area(area) => {
                for line in area.outline() {
                    let line = line.iter().copied();
                    let lines = &mut scene.lines;
                    draw_line(&plotter, Class::WatchCircle, line, lines);
                }
            }
        }
    }
    let (overlays, moment) = layers.overlays;
    for (class, position, name) in overlays.iter().flat_map(|overlay| overlay.marks(moment)) {
        mark(view, class, position, name.to_owned(), &mut scene);
    }
    let tracks = || layers.tracks.iter().enumerate();
    // The first fix of a track may lie on the latest fix of another.
    for (index, drawn) in tracks() {
        if let Some(fix) = drawn.track.included_fixes().next() {
            let class = Class::First(index);
            mark(view, class, fix.position, String::new(), &mut scene);
        }
    }
    for (index, drawn) in tracks() {
        draw_end(view, index, drawn, &mut scene);
    }
    if let Some((from, to)) = layers.measure {
        draw_measure(view, &plotter, from, to, &mut scene);
    }
    for (number, position, name) in &layers.instruments {
        mark(
            view,
            Class::Instrument(*number),
            *position,
            name.clone(),
            &mut scene,
        );
    }
    if let Some(area) = &layers.search {
        area.draw(view, &plotter, &mut scene);
    }
    if let Some(cursor) = layers.cursor {
        draw_rings(view, &plotter, cursor, &layers.rings, &mut scene);
        mark(
            view,
            Class::Cursor,
            cursor,
            layers.cursor_label.clone(),
            &mut scene,
        );
    }
    scene
}

/// Draws the way of an instrument as a line, as dots, or as both.
fn draw_tail(
    view: &View,
    plotter: &Plotter,
    number: usize,
    positions: &[Position],
    dots: FixDots,
    scene: &mut Scene,
) {
    let class = Class::Tail(number);
    if dots != FixDots::Alone {
        let mut pen = Pen::new(plotter, |points: &[(f64, f64)]| {
            scene.lines.push(Line {
                class,
                points: points.to_vec(),
            });
        });
        for position in positions {
            pen.arc(Vector::new(*position));
        }
        pen.lift();
    }
    let shown = positions.iter().filter(|position| view.shows(**position));
    let points: Vec<(f64, f64)> = shown.filter_map(|position| view.cell(*position)).collect();
    let pairs = points.iter().copied().zip(points.iter().copied().skip(1));
    let is_marked = match dots {
        FixDots::OnLine => are_apart(pairs),
        FixDots::Line => false,
        FixDots::Alone => true,
    };
    for at in points.into_iter().filter(|_| is_marked) {
        if dots == FixDots::Alone {
            // A point of the raster, which a label keeps off.
            scene.lines.push(Line {
                class,
                points: vec![at],
            });
        }
        scene.fixes.push(Mark {
            class,
            at,
            label: String::new(),
        });
    }
}

fn draw_graticule(view: &View, plotter: &Plotter, spacing: f64, scene: &mut Scene) {
    let (right, bottom) = plotter.size();
    let mut on_lines = Vec::new();
    for line in graticule(view, spacing) {
        draw_line(
            plotter,
            Class::Graticule,
            line.along.iter().copied(),
            &mut scene.lines,
        );
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
fn draw_limb(view: &View, plotter: &Plotter, lines: &mut Vec<Line>) {
    const STEPS: u32 = 360;
    const NEARLY_A_QUARTER: f64 = 0.999_9;
    let quarter = std::f64::consts::FRAC_PI_2 * NEARLY_A_QUARTER;
    let (sin_far, cos_far) = quarter.sin_cos();
    let (sin_lat, cos_lat) = view.centre.latitude.to_radians().sin_cos();
    let around = (0..=STEPS).map(|step| {
        let (sin, cos) = f64::from(step).to_radians().sin_cos();
        // The direct problem on the sphere.
        let latitude = (sin_lat * cos_far + cos_lat * sin_far * cos).asin();
        let east = (sin * sin_far * cos_lat).atan2(cos_far - sin_lat * latitude.sin());
        Position {
            latitude: latitude.to_degrees(),
            longitude: wrap(view.centre.longitude + east.to_degrees()),
        }
    });
    draw_line(plotter, Class::Limb, around, lines);
}

/// The coast of a view.
#[cfg(feature = "bench")]
pub(crate) fn coast(view: &View) -> Vec<Line> {
    let mut lines = Vec::new();
    let plotter = view.plotter();
    draw_coast(view, &plotter, &mut lines);
    lines
}

fn draw_coast(view: &View, plotter: &Plotter, lines: &mut Vec<Line>) {
    for_each_line(view, |line| {
        draw_line(plotter, Class::Coast, line.iter().copied(), lines);
    });
}

/// Draws the symbols of the latest fix, and of the moment, of the track with this index among
/// those of the map.
fn draw_end(view: &View, index: usize, drawn: &LayerTrack<'_>, scene: &mut Scene) {
    if let Some(position) = drawn.moment {
        mark(view, Class::Moment(index), position, String::new(), scene);
    }
    if let Some(fix) = drawn.track.latest() {
        let name = drawn.name.clone();
        mark(view, Class::Latest(index), fix.position, name, scene);
    }
}

fn draw_measure(view: &View, plotter: &Plotter, from: Position, to: Position, scene: &mut Scene) {
    let along = geodesic(from, to, 96);
    draw_line(plotter, Class::Measure, along, &mut scene.lines);
    mark(view, Class::Measure, from, String::new(), scene);
    mark(view, Class::Measure, to, String::new(), scene);
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
