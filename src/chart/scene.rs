//! What a map shows, as lines and marks in cells of the map.

use super::coastline::for_each_line;
use super::graticule::graticule;
use super::view::View;
use crate::geo::{Position, sphere};
use crate::track::{Flag, Track};

/// What a line or mark stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Class {
    /// A meridian or parallel.
    Graticule,
    /// The coast.
    Coast,
    /// The track; how far along the ramp, 0 to 1.
    Track(f64),
    /// A leg over a gap.
    Gap,
    /// A fix that failed.
    Failed,
    /// A fix that is suspect.
    Suspect,
    /// The first fix.
    First,
    /// The latest fix.
    Latest,
    /// The fix under the cursor.
    Cursor,
    /// An end of a measurement.
    Measure,
    /// Another deployment, or one of several.
    Instrument,
}

/// A line through points in cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What it stands for.
    pub class: Class,
    /// Its points, in cells.
    pub points: Vec<(f64, f64)>,
}

/// A mark at a point, in cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// What it stands for.
    pub class: Class,
    /// Where it stands, in cells.
    pub at: (f64, f64),
    /// What is written beside it; may be empty.
    pub label: String,
}

/// A map as lines and marks, those drawn first first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Picture {
    /// Lines.
    pub lines: Vec<Line>,
    /// Marks.
    pub marks: Vec<Mark>,
    /// Names of meridians along the lower edge: column and name.
    pub meridians: Vec<(f64, String)>,
    /// Names of parallels along the left edge: row and name.
    pub parallels: Vec<(f64, String)>,
}

/// What colours the track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ramp {
    /// Old to new.
    #[default]
    Time,
    /// Slow to fast.
    Speed,
    /// By flag.
    Flag,
}

/// What is put on a map.
#[derive(Debug, Clone, Default)]
pub struct Layers<'a> {
    /// The track.
    pub track: Option<&'a Track>,
    /// What colours it.
    pub ramp: Ramp,
    /// The fix under the cursor.
    pub cursor: Option<usize>,
    /// What is written beside it.
    pub cursor_label: String,
    /// A measurement from here to there.
    pub measure: Option<(Position, Position)>,
    /// Other instruments with their names.
    pub instruments: Vec<(Position, String)>,
}

/// The picture of a view.
pub fn picture(view: &View, layers: &Layers<'_>) -> Picture {
    let mut picture = Picture::default();
    draw_graticule(view, &mut picture);
    draw_coast(view, &mut picture);
    if let Some(track) = layers.track {
        draw_track(view, track, layers.ramp, &mut picture);
    }
    if let Some((from, to)) = layers.measure {
        draw_measure(view, from, to, &mut picture);
    }
    for (position, name) in &layers.instruments {
        mark(
            view,
            Class::Instrument,
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

fn draw_graticule(view: &View, picture: &mut Picture) {
    let (right, bottom) = (f64::from(view.columns), f64::from(view.rows));
    for line in graticule(view) {
        let mut pen = Pen::new(view, Class::Graticule);
        for position in &line.along {
            pen.to(view.cell(*position), &mut picture.lines);
        }
        pen.lift(&mut picture.lines);
        // A name stands where its line meets the lower or the left edge.
        let points = line
            .along
            .iter()
            .filter_map(|position| view.cell(*position));
        let points: Vec<(f64, f64)> = points.collect();
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
        }
    }
}

fn draw_coast(view: &View, picture: &mut Picture) {
    for_each_line(view, |line| {
        let mut pen = Pen::new(view, Class::Coast);
        for position in line {
            pen.to(view.cell(*position), &mut picture.lines);
        }
        pen.lift(&mut picture.lines);
    });
}

fn draw_track(view: &View, track: &Track, ramp: Ramp, picture: &mut Picture) {
    let first = track.summary().first.unwrap_or(0.0);
    let span = track.summary().last.unwrap_or(0.0) - first;
    let fastest = track.summary().max_speed_m_s.unwrap_or(0.0);
    // A share of nothing is none of it: all fixes may be of one time.
    let share_of = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let mut pen = Pen::new(view, Class::Track(0.0));
    let mut before: Option<(f64, Position)> = None;
    for fix in track.fixes() {
        if fix.flag == Flag::Fail {
            mark(view, Class::Failed, fix.position, String::new(), picture);
        }
        if !track.is_in(fix.index) {
            continue;
        }
        if fix.flag == Flag::Suspect {
            mark(view, Class::Suspect, fix.position, String::new(), picture);
        }
        let Some(cell) = view.cell(fix.position) else {
            pen.lift(&mut picture.lines);
            before = None;
            continue;
        };
        let share = match ramp {
            Ramp::Time => share_of(fix.time_stamp - first, span),
            // On the sphere, which is near enough for a colour.
            Ramp::Speed => before.map_or(0.0, |(time, from)| {
                let speed = share_of(
                    sphere::distance_m(from, fix.position),
                    fix.time_stamp - time,
                );
                share_of(speed, fastest)
            }),
            Ramp::Flag => f64::from(u8::from(fix.flag == Flag::Suspect)),
        };
        let gap = before.is_some_and(|(time, _)| track.is_gap(fix.time_stamp - time));
        // The ramp in so many steps: neighbours of one colour are one line.
        let step = (share.clamp(0.0, 1.0) * 31.0).round() / 31.0;
        pen.class(
            if gap { Class::Gap } else { Class::Track(step) },
            &mut picture.lines,
        );
        pen.to(Some(cell), &mut picture.lines);
        before = Some((fix.time_stamp, fix.position));
    }
    pen.lift(&mut picture.lines);
    if let Some(fix) = track.fixes_in().next() {
        mark(view, Class::First, fix.position, String::new(), picture);
    }
    if let Some(fix) = track.latest() {
        mark(view, Class::Latest, fix.position, String::new(), picture);
    }
}

fn draw_measure(view: &View, from: Position, to: Position, picture: &mut Picture) {
    use crate::geo::geodesic::{direct, inverse};
    const STEPS: u32 = 48;
    let line = inverse(from, to);
    let mut pen = Pen::new(view, Class::Measure);
    for step in 0..=STEPS {
        let part = line.distance_m * f64::from(step) / f64::from(STEPS);
        pen.to(
            view.cell(direct(from, line.initial_course_deg, part)),
            &mut picture.lines,
        );
    }
    pen.lift(&mut picture.lines);
    mark(view, Class::Measure, from, String::new(), picture);
    mark(view, Class::Measure, to, String::new(), picture);
}

/// Draws connected lines; what lies far off the map is left out, and a line
/// over the seam of the plane goes out on one side and comes in on the other.
struct Pen {
    class: Class,
    points: Vec<(f64, f64)>,
    at: Option<(f64, f64)>,
    seam: Option<f64>,
    right: f64,
    bottom: f64,
}

impl Pen {
    fn new(view: &View, class: Class) -> Self {
        Self {
            class,
            points: Vec::new(),
            at: None,
            seam: view.seam_columns(),
            right: f64::from(view.columns),
            bottom: f64::from(view.rows),
        }
    }

    /// Goes on in another class from where it is.
    fn class(&mut self, class: Class, lines: &mut Vec<Line>) {
        if self.class != class {
            let last = self.points.last().copied();
            self.finish(lines);
            self.points.extend(last);
            self.class = class;
        }
    }

    /// Draws to a point, or lifts where there is none.
    fn to(&mut self, point: Option<(f64, f64)>, lines: &mut Vec<Line>) {
        let Some(point) = point else {
            self.lift(lines);
            return;
        };
        let drawn = match (self.at, self.seam) {
            (Some(from), Some(around)) if (point.0 - from.0).abs() > around / 2.0 => {
                let turn = if point.0 > from.0 { around } else { -around };
                self.stroke(from, (point.0 - turn, point.1));
                self.finish(lines);
                self.stroke((from.0 + turn, from.1), point)
            }
            (Some(from), _) => self.stroke(from, point),
            (None, _) => self.stroke(point, point),
        };
        self.at = Some(point);
        if !drawn {
            self.finish(lines);
        }
    }

    /// One straight stroke that goes on from the points so far. One that cannot
    /// touch the map is left out; the answer is whether it was drawn.
    fn stroke(&mut self, from: (f64, f64), to: (f64, f64)) -> bool {
        let beside = from.0.max(to.0) < -1.0
            || from.0.min(to.0) > self.right + 1.0
            || from.1.max(to.1) < -1.0
            || from.1.min(to.1) > self.bottom + 1.0;
        if beside {
            return false;
        }
        if self.points.is_empty() {
            self.points.push(from);
        }
        // A step from the last point that is too short to see adds only work.
        let near = |a: f64, b: f64| (a - b).abs() < 0.05;
        if !self
            .points
            .last()
            .is_some_and(|last| near(last.0, to.0) && near(last.1, to.1))
        {
            self.points.push(to);
        }
        true
    }

    fn finish(&mut self, lines: &mut Vec<Line>) {
        let points = std::mem::take(&mut self.points);
        if !points.is_empty() {
            lines.push(Line {
                class: self.class,
                points,
            });
        }
    }

    fn lift(&mut self, lines: &mut Vec<Line>) {
        self.finish(lines);
        self.at = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track::{Assembly, Platform, Records, Transmission};

    fn track(places: &[(f64, f64)]) -> Track {
        let transmissions = (0u32..)
            .zip(places)
            .map(|(n, &(latitude, longitude))| Transmission {
                time_stamp: 21_600.0 * f64::from(n),
                position: Position {
                    latitude,
                    longitude,
                },
            })
            .collect();
        Track::assemble(
            Records {
                transmissions,
                ..Records::default()
            },
            &Assembly::new(Platform::Tag, 1e9),
        )
    }

    fn draw(track: &Track, view: &View) -> Picture {
        picture(
            view,
            &Layers {
                track: Some(track),
                ..Layers::default()
            },
        )
    }

    #[test]
    fn a_track_over_the_antimeridian_is_one_short_line() {
        let track = track(&[
            (10.0, 179.8),
            (10.1, 179.95),
            (10.2, -179.9),
            (10.3, -179.7),
        ]);
        let view = View::fit(track.summary().bbox, &[], 60, 20, 2.0);
        let lines = draw(&track, &view).lines;
        let longest = lines
            .iter()
            .filter(|line| matches!(line.class, Class::Track(_)))
            .flat_map(|line| line.points.windows(2).map(|w| (w[1].0 - w[0].0).abs()))
            .fold(0.0, f64::max);
        assert!(longest > 1.0 && longest < 40.0, "{longest}");
    }

    #[test]
    fn on_the_whole_world_it_goes_out_on_one_side_and_comes_in_on_the_other() {
        let track = track(&[(10.0, 178.0), (10.0, -178.0)]);
        let lines = draw(&track, &View::world(80, 30, 2.0)).lines;
        let drawn: Vec<&Line> = lines
            .iter()
            .filter(|line| matches!(line.class, Class::Track(_)))
            .collect();
        assert!(drawn.len() >= 2);
        for line in drawn {
            assert!(
                line.points
                    .windows(2)
                    .all(|w| (w[1].0 - w[0].0).abs() < 3.0),
                "{line:?}"
            );
        }
    }

    #[test]
    fn fixes_of_one_time_are_one_line_of_the_ramps_first_colour() {
        let places: Vec<Transmission> = (0..6)
            .map(|n| Transmission {
                time_stamp: 0.0,
                position: Position {
                    latitude: 10.0 + 0.1 * f64::from(n),
                    longitude: 5.0,
                },
            })
            .collect();
        let records = Records {
            transmissions: places,
            ..Records::default()
        };
        let track = Track::assemble(records, &Assembly::new(Platform::Tag, 1e9));
        let view = View::fit(track.summary().bbox, &[], 60, 20, 2.0);
        for ramp in [Ramp::Time, Ramp::Speed] {
            let layers = Layers {
                track: Some(&track),
                ramp,
                ..Layers::default()
            };
            let lines = picture(&view, &layers).lines;
            let drawn: Vec<_> = lines
                .iter()
                .filter(|line| matches!(line.class, Class::Track(_)))
                .collect();
            assert_eq!(drawn.len(), 1);
            assert_eq!(drawn[0].class, Class::Track(0.0));
        }
    }

    #[test]
    fn a_gap_is_no_part_of_the_line_and_a_failed_fix_is_a_mark() {
        let mut places: Vec<(f64, f64)> =
            (0..30).map(|n| (60.0 + 0.01 * f64::from(n), 5.0)).collect();
        places[12] = (0.0, 0.0);
        let track = track(&places);
        let picture = draw(&track, &View::world(80, 30, 2.0));
        assert_eq!(
            picture
                .marks
                .iter()
                .filter(|mark| mark.class == Class::Failed)
                .count(),
            1
        );
        assert!(picture.marks.iter().any(|mark| mark.class == Class::Latest));
    }
}
