//! The legend of an image.

use svg::node::element::{Group, Line, Path, Rectangle};

use super::pen::{
    BAD, CIRCLE, CIRCLE_DASHES, DOUBT, INK, JUMP_DASHES, Lettering, PAPER, QUIET, chevrons, cross,
    flag_colour, ring, round,
};
use super::style::Style;
use crate::geo::Inside;
use crate::map::{ColourBy, Kind, LineColour, PreparedTrack, Stroke, scale_colour};
use crate::text;
use crate::track::{Flag, time};

/// A legend as it is drawn, from left to right.
pub(super) struct Legend {
    parts: Vec<Group>,
    x: f64,
    y: f64,
    /// The end of its room.
    width: f64,
}

impl Legend {
    /// The legend of a chart from `x` to `width` pixels at the height `y`, with the
    /// symbols and colours in use only.
    pub(super) fn new(x: f64, y: f64, width: f64) -> Self {
        Self {
            parts: Vec::new(),
            x,
            y,
            width,
        }
    }

    /// The parts of the legend for a track drawn as these strokes.
    pub(super) fn draw(
        mut self,
        track: &PreparedTrack,
        strokes: &[Stroke],
        style: &Style,
    ) -> Vec<Group> {
        self.symbols(track, strokes);
        if let Some(inside) = &style.limits.inside {
            let words = match inside {
                Inside::Circle(circle) => {
                    let radius = style.units.distance(circle.radius_m);
                    format!("watch circle {}", radius.trim())
                }
                Inside::Area(_) => inside.name(),
            };
            let mark = dash(7, CIRCLE)
                .set("stroke-width", 1.3)
                .set("stroke-dasharray", CIRCLE_DASHES);
            self.item(Group::new().add(mark), &words);
        }
        match style.colour {
            LineColour::By(ColourBy::Flag) => self.flags(track, strokes),
            _ if track.is_empty() => {}
            LineColour::By(ColourBy::Time | ColourBy::Speed) | LineColour::Field(_) => {
                self.scale(track, style);
            }
        }
        self.parts
    }

    /// Adds a symbol with its words, if there is room.
    fn item(&mut self, mark: Group, words: &str) {
        #[allow(clippy::cast_precision_loss)] // a few letters
        let room = 16.0 + text::width(words) as f64 * 6.6;
        if self.x + room < self.width {
            self.part(mark, 9.0, words);
            self.x += room;
        }
    }

    fn part(&mut self, mark: Group, words_at: f64, words: &str) {
        let (x, y) = (round(self.x + 5.0), self.y);
        self.parts.push(
            mark.set("transform", format!("translate({x} {y})"))
                .add(Lettering::quiet(10.5, "start").at(words_at, 4.0, words)),
        );
    }

    fn symbols(&mut self, track: &PreparedTrack, strokes: &[Stroke]) {
        let has = |kind| strokes.iter().any(|stroke| stroke.kind == kind);
        if !track.is_empty() {
            let first = ring(0.0, 0.0, 4.5, INK, PAPER);
            self.item(Group::new().add(first), "first fix");
            let latest = ring(0.0, 0.0, 4.5, PAPER, INK);
            self.item(Group::new().add(latest), "latest fix");
        }
        if has(Kind::Failed) {
            let mut path = String::new();
            cross(&mut path, 0.0, 0.0, 3.5);
            let mark = Path::new()
                .set("d", path)
                .set("stroke", BAD)
                .set("stroke-width", 1.4);
            self.item(Group::new().add(mark), "failed");
        }
        if has(Kind::Suspect) {
            let mark = ring(0.0, 0.0, 3.0, DOUBT, "none");
            self.item(Group::new().add(mark), "suspect");
        }
        if has(Kind::Gap) {
            let mark = dash(5, QUIET).set("stroke-dasharray", "2 3");
            self.item(Group::new().add(mark), "gap");
        }
        if has(Kind::Jump) {
            let mut path = String::new();
            chevrons(&mut path, 0.0, 0.0);
            let line = dash(9, BAD).set("stroke-dasharray", JUMP_DASHES);
            let symbol = Path::new()
                .set("d", path)
                .set("fill", "none")
                .set("stroke", BAD)
                .set("stroke-width", 1.4);
            self.item(Group::new().add(line).add(symbol), "jump");
        }
    }

    fn flags(&mut self, track: &PreparedTrack, strokes: &[Stroke]) {
        for flag in [Flag::Pass, Flag::NotEvaluated, Flag::Suspect, Flag::Fail] {
            let has_flag = |stroke: &Stroke| {
                let fix = track.fix(stroke.fix as usize);
                stroke.kind == Kind::Leg && fix.is_some_and(|fix| fix.flag == flag)
            };
            if strokes.iter().any(has_flag) {
                let mark = dash(6, flag_colour(flag)).set("stroke-width", 3);
                self.item(Group::new().add(mark), &format!("line: {}", flag.word()));
            }
        }
    }

    fn scale(&mut self, track: &PreparedTrack, style: &Style) {
        let summary = track.summary();
        let words = match &style.colour {
            LineColour::Field(shown) => {
                let field = shown.field();
                let (_, (low, high)) = field.line_scale();
                let decimals = field.decimals();
                let name = text::excerpt(field.name(), 40);
                format!("{name} {low:.decimals$} to {high:.decimals$}")
            }
            LineColour::By(ColourBy::Speed) => {
                let most = style.units.speed(summary.max_speed_m_s.unwrap_or_default());
                format!("0 to {}", most.trim())
            }
            LineColour::By(ColourBy::Time | ColourBy::Flag) => {
                let (first, last) = (summary.first, summary.last);
                let day = |at: Option<f64>| day(at.unwrap_or_default());
                format!("{} to {}", day(first), day(last))
            }
        };
        let bar = (0..10u32).fold(Group::new(), |bar, part| {
            let (red, green, blue) = scale_colour(f64::from(part) / 9.0);
            bar.add(
                Rectangle::new()
                    .set("x", part * 5)
                    .set("y", -3)
                    .set("width", 5)
                    .set("height", 6)
                    .set("fill", format!("#{red:02x}{green:02x}{blue:02x}")),
            )
        });
        #[allow(clippy::cast_precision_loss)] // a few letters
        let room = 70.0 + words.len() as f64 * 6.6;
        if self.x + room < self.width {
            self.part(bar, 56.0, &words);
        }
    }
}

/// A level line to `half` pixels left and right.
fn dash(half: i32, colour: &str) -> Line {
    Line::new()
        .set("x1", -half)
        .set("x2", half)
        .set("stroke", colour)
}

/// The day of a time in UTC.
fn day(time_stamp: f64) -> String {
    let full = time::table(time_stamp, None);
    full.split(' ').next().unwrap_or_default().to_owned()
}
