//! What a map shows, as lines and marks in cells of the map.

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::coastline::for_each_line;
use super::graticule::graticule;
use super::pen::Pen;
use super::prepared::{PreparedTrack, rough_speed};
use super::view::{Plotter, View};
use crate::geo::geodesic::{direct, inverse};
use crate::geo::projection::{Projection, wrap};
use crate::geo::{Position, Vector};
use crate::track::{Flag, Track};

/// What a line or mark stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Class {
    /// A meridian or parallel.
    Graticule,
    /// The coast.
    Coast,
    /// The edge of the globe.
    Limb,
    /// A range ring.
    Ring,
    /// The circle that the instrument should stay within.
    WatchCircle,
    /// The first fix.
    First,
    /// The latest fix.
    Latest,
    /// The fix under the cursor.
    Cursor,
    /// An end of a measurement.
    Measure,
    /// Another instrument, with the number that the caller gave it.
    Instrument(usize),
}

/// A line through points in cells.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// What it stands for.
    pub class: Class,
    /// Its points, in cells.
    pub points: Vec<(f64, f64)>,
}

/// A mark at a point, in cells.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mark {
    /// What it stands for.
    pub class: Class,
    /// Where it stands, in cells.
    pub at: (f64, f64),
    /// What is written beside it; may be empty.
    pub label: String,
}

/// A map as lines and marks, those drawn first first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Picture {
    /// Lines.
    pub lines: Vec<Line>,
    /// Marks.
    pub marks: Vec<Mark>,
    /// Names of meridians along the lower edge: column and name.
    pub meridians: Vec<(f64, String)>,
    /// Names of parallels along the left edge: row and name.
    pub parallels: Vec<(f64, String)>,
    /// Names of parallels that meet no edge on the left, as about a pole: where
    /// on the line they stand, and the name.
    pub circles: Vec<((f64, f64), String)>,
}

impl Picture {
    /// Adds what is drawn over it.
    fn add(&mut self, over: Self) {
        self.lines.extend(over.lines);
        self.marks.extend(over.marks);
        self.meridians.extend(over.meridians);
        self.parallels.extend(over.parallels);
        self.circles.extend(over.circles);
    }
}

/// What colours the track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ColourBy {
    /// Old to new.
    #[default]
    Time,
    /// Slow to fast.
    Speed,
    /// By flag.
    Flag,
}

/// What is put on a map.
#[derive(Debug, Clone)]
pub(crate) struct Layers<'a> {
    /// The least distance between lines of the graticule, in columns.
    pub graticule_spacing: f64,
    /// The track.
    pub track: Option<&'a PreparedTrack>,
    /// The fix under the cursor.
    pub cursor: Option<usize>,
    /// What is written beside it.
    pub cursor_label: String,
    /// Range rings about that fix: radius in metres and name.
    pub rings: Vec<(f64, String)>,
    /// The circle that the instrument should stay within: centre and radius in
    /// metres.
    pub watch_circle: Option<(Position, f64)>,
    /// A measurement from here to there.
    pub measure: Option<(Position, Position)>,
    /// Other instruments: a number of the caller's, the position, the label.
    pub instruments: Vec<(usize, Position, String)>,
}

impl Default for Layers<'_> {
    fn default() -> Self {
        Self {
            // Room for a name and a piece of the line.
            graticule_spacing: 36.0,
            track: None,
            cursor: None,
            cursor_label: String::new(),
            rings: Vec::new(),
            watch_circle: None,
            measure: None,
            instruments: Vec::new(),
        }
    }
}

/// The picture of a view, all but the track itself, which
/// [`Detail`](super::Detail) draws.
pub(crate) fn picture(view: &View, layers: &Layers<'_>) -> Picture {
    let mut picture = ground(view, layers.graticule_spacing);
    picture.add(over(view, layers));
    picture
}

/// What lies under everything and depends on the view alone: graticule, limb
/// and coast. The least distance between lines of the graticule is in columns.
pub(crate) fn ground(view: &View, graticule_spacing: f64) -> Picture {
    let mut picture = Picture::default();
    let plotter = view.plotter();
    draw_graticule(view, &plotter, graticule_spacing, &mut picture);
    if view.projection == Projection::Globe {
        draw_limb(view, &plotter, &mut picture.lines);
    }
    draw_coast(view, &plotter, &mut picture.lines);
    picture
}

/// What lies over the ground: circles, measurements and marks.
pub(crate) fn over(view: &View, layers: &Layers<'_>) -> Picture {
    let mut picture = Picture::default();
    let plotter = view.plotter();
    if let Some((centre, radius_m)) = layers.watch_circle {
        let lines = &mut picture.lines;
        draw_circle(&plotter, Class::WatchCircle, centre, radius_m, lines);
    }
    if let Some(track) = layers.track {
        draw_ends(view, track, &mut picture);
    }
    if let Some((from, to)) = layers.measure {
        draw_measure(view, &plotter, from, to, &mut picture);
    }
    for (number, position, name) in &layers.instruments {
        mark(
            view,
            Class::Instrument(*number),
            *position,
            name.clone(),
            &mut picture,
        );
    }
    if let Some(fix) = layers
        .track
        .zip(layers.cursor)
        .and_then(|(track, cursor)| track.fix(cursor))
    {
        for (radius_m, name) in &layers.rings {
            let lines = &mut picture.lines;
            draw_circle(&plotter, Class::Ring, fix.position, *radius_m, lines);
            let north = direct(fix.position, 0.0, *radius_m);
            mark(view, Class::Ring, north, name.clone(), &mut picture);
        }
        mark(
            view,
            Class::Cursor,
            fix.position,
            layers.cursor_label.clone(),
            &mut picture,
        );
    }
    picture
}

fn mark(view: &View, class: Class, position: Position, label: String, picture: &mut Picture) {
    if view.shows(position)
        && let Some(at) = view.cell(position)
    {
        picture.marks.push(Mark { class, at, label });
    }
}

fn draw_graticule(view: &View, plotter: &Plotter, spacing: f64, picture: &mut Picture) {
    let (right, bottom) = plotter.size();
    for line in graticule(view, spacing) {
        draw_line(
            plotter,
            Class::Graticule,
            line.along.iter().copied(),
            &mut picture.lines,
        );
        // A name stands where its line meets the lower or the left edge.
        let points: Vec<(f64, f64)> = line
            .along
            .iter()
            .filter_map(|position| plotter.cell(Vector::of(*position)))
            .collect();
        let crossing =
            |edge: f64, along: fn(&(f64, f64)) -> f64, across: fn(&(f64, f64)) -> f64| {
                points.iter().zip(points.iter().skip(1)).find_map(|(a, b)| {
                    let (from, to) = (along(a) - edge, along(b) - edge);
                    let meets = (from <= 0.0) != (to <= 0.0) && (to - from).abs() > 1e-9;
                    meets.then(|| across(a) + (across(b) - across(a)) * from / (from - to))
                })
            };
        if line.meridian {
            if let Some(column) =
                crossing(bottom - 0.5, |p| p.1, |p| p.0).filter(|x| (0.0..right).contains(x))
            {
                picture.meridians.push((column, line.label));
            }
        } else if let Some(row) =
            crossing(0.5, |p| p.0, |p| p.1).filter(|y| (0.0..bottom).contains(y))
        {
            picture.parallels.push((row, line.label));
        } else if let Some(lowest) = points
            .iter()
            .filter(|(x, y)| (1.0..right - 1.0).contains(x) && (1.0..bottom - 1.0).contains(y))
            .max_by(|a, b| a.1.total_cmp(&b.1))
        {
            picture.circles.push((*lowest, line.label));
        }
    }
}

/// A line through positions that lie close together.
fn draw_line(
    plotter: &Plotter,
    class: Class,
    along: impl Iterator<Item = Position>,
    lines: &mut Vec<Line>,
) {
    let mut pen = Pen::new(plotter, |points: &[(f64, f64)]| {
        lines.push(Line {
            class,
            points: points.to_vec(),
        });
    });
    for position in along {
        pen.to(Vector::of(position));
    }
    pen.lift();
}

/// The edge of the globe, a hair inside it, so that it is shown.
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
#[cfg(any(test, feature = "bench"))]
pub(crate) fn coast(view: &View) -> Vec<Line> {
    let (mut lines, plotter) = (Vec::new(), view.plotter());
    draw_coast(view, &plotter, &mut lines);
    lines
}

fn draw_coast(view: &View, plotter: &Plotter, lines: &mut Vec<Line>) {
    for_each_line(view, |line| {
        draw_line(plotter, Class::Coast, line.iter().copied(), lines);
    });
}

/// The marks of a track: where it begins and where it ends.
fn draw_ends(view: &View, track: &Track, picture: &mut Picture) {
    if let Some(fix) = track.included_fixes().next() {
        mark(view, Class::First, fix.position, String::new(), picture);
    }
    if let Some(fix) = track.latest() {
        mark(view, Class::Latest, fix.position, String::new(), picture);
    }
}

fn draw_measure(
    view: &View,
    plotter: &Plotter,
    from: Position,
    to: Position,
    picture: &mut Picture,
) {
    const STEPS: u32 = 96;
    let line = inverse(from, to);
    let along = (0..=STEPS).map(|step| {
        let part = line.distance_m * f64::from(step) / f64::from(STEPS);
        direct(from, line.initial_course_deg, part)
    });
    draw_line(plotter, Class::Measure, along, &mut picture.lines);
    mark(view, Class::Measure, from, String::new(), picture);
    mark(view, Class::Measure, to, String::new(), picture);
}

/// A circle of a radius in metres on the ellipsoid.
fn draw_circle(
    plotter: &Plotter,
    class: Class,
    centre: Position,
    radius_m: f64,
    lines: &mut Vec<Line>,
) {
    const STEPS: u32 = 180;
    let around = (0..=STEPS)
        .map(|step| direct(centre, 360.0 * f64::from(step) / f64::from(STEPS), radius_m));
    draw_line(plotter, class, around, lines);
}

/// How far along the ramp a fix's leg stands, 0 to 1.
pub(crate) fn share(track: &Track, ramp: ColourBy, fix: usize) -> f64 {
    // A share of nothing is none of it: all fixes may be of one time.
    let share_of = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let summary = track.summary();
    let share = match ramp {
        ColourBy::Time => {
            let (first, last) = (summary.first.unwrap_or(0.0), summary.last.unwrap_or(0.0));
            let time = track.time_stamps().get(fix).copied().unwrap_or(first);
            share_of(time - first, last - first)
        }
        ColourBy::Speed => share_of(
            rough_speed(track, fix).unwrap_or(0.0),
            summary.max_speed_m_s.unwrap_or(0.0),
        ),
        ColourBy::Flag => f64::from(u8::from(track.flags().get(fix) == Some(&Flag::Suspect))),
    };
    share.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::BoundingBox;
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

    fn at(latitude: f64, longitude: f64) -> Position {
        Position {
            latitude,
            longitude,
        }
    }

    #[test]
    fn fixes_of_one_time_are_all_of_the_ramps_first_colour() {
        let fixes = (0..6).map(|n| (0.0, 10.0 + 0.1 * f64::from(n), 5.0));
        let track = track(Platform::Tag, 1e9, fixes);
        for ramp in [ColourBy::Time, ColourBy::Speed] {
            assert!((0..track.len()).all(|fix| share(&track, ramp, fix) == 0.0));
        }
    }

    #[test]
    fn a_ring_is_as_far_from_its_centre_everywhere_as_it_says() {
        let track = track(Platform::Tag, 1e9, [(0.0, 60.0, 5.0)]);
        let charted = PreparedTrack::new(std::sync::Arc::new(track));
        let layers = Layers {
            track: Some(&charted),
            cursor: Some(0),
            rings: vec![(18_520.0, "10 nm".to_owned())],
            ..Layers::default()
        };
        let (view, mut points) = (view(), 0);
        for line in picture(&view, &layers).lines {
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
        let picture = picture(&view(), &layers);
        let ends = picture
            .marks
            .iter()
            .filter(|mark| mark.class == Class::Measure)
            .count();
        let lines = picture
            .lines
            .iter()
            .filter(|line| line.class == Class::Measure)
            .count();
        assert_eq!((ends, lines), (2, 1));
    }
}
