//! The legend of an image.

use super::Style;
use super::lines::{DrawnTrack, Sign, hex};
use super::pen::{
    BAD, CIRCLE, CIRCLE_DASHES, DOUBT, INK, JUMP_DASHES, Lettering, PAPER, QUIET, chevrons,
    crosses, flag_colour, line, rectangle, ring, round,
};
use crate::geo::Inside;
use crate::map::fields::Scale;
use crate::map::{ColourBy, Kind, LineColour, PreparedTrack, Stroke};
use crate::palette::line_colour;
use crate::text;
use crate::track::{Flag, time};

/// Pixels from a row to the next.
const ROW: f64 = 17.0;

/// The words with the count of tracks without room, at their widest.
const COUNT: &str = "  and 99 more";

/// A legend, in rows from left to right.
pub(super) struct Legend {
    parts: String,
    /// The left end of its rows.
    left: f64,
    /// The right end.
    width: f64,
    /// How far down it may grow.
    most: f64,
    /// The position of the next item.
    x: f64,
    y: f64,
    /// The tracks without room.
    more: usize,
}

impl Legend {
    /// An empty legend whose rows are from `left` to `width` pixels, at most `most` high.
    pub(super) fn new(left: f64, width: f64, most: f64) -> Self {
        Self {
            parts: String::new(),
            left,
            width,
            most,
            x: left,
            y: 0.0,
            more: 0,
        }
    }

    /// The height of the rows below the first.
    pub(super) fn height(&self) -> f64 {
        self.y
    }

    /// Adds one of several tracks, in a further row where this one is full.
    pub(super) fn track(&mut self, sign: &Sign, name: &str) {
        let mut words = text::excerpt(name, 40);
        if let Some(state) = sign.silent {
            words.push_str(&format!(" ({})", state.word()));
        }
        let most = self.most;
        let is_last = |y: f64| y + ROW >= most;
        if !self.has_room(&words) && self.x > self.left && !is_last(self.y) {
            self.x = self.left;
            self.y += ROW;
        }
        // The last row ends with the count of those without room.
        let last = format!("{words}{COUNT}");
        let with_count = if is_last(self.y) { &last } else { &words };
        if self.more > 0 || !self.has_room(with_count) {
            self.more += 1;
            return;
        }
        // The letters are next to a cross, or in a disc.
        let shift = if sign.silent.is_some() { 12.0 } else { 0.0 };
        self.part(&sign.at(0.0, 0.0), 11.0 + shift, shift + 6.0, &words);
    }

    /// The legend with the symbols and colours that these tracks use.
    pub(super) fn drawn(mut self, tracks: &[DrawnTrack<'_>], style: &Style) -> String {
        if self.more > 0 {
            self.item("", &format!("and {} more", self.more));
        }
        self.symbols(tracks);
        let [alone] = tracks else {
            return self.parts;
        };
        let track = alone.charted.track;
        let strokes = &alone.strokes;
        if let Some(inside) = &alone.charted.limits.inside {
            let words = match inside {
                Inside::Circle(circle) => {
                    let radius = style.units.distance(circle.radius_m);
                    format!("watch circle {}", radius.trim())
                }
                Inside::Area(_) => inside.name(),
            };
            let dashes = format!(r#"stroke-width="1.3" stroke-dasharray="{CIRCLE_DASHES}""#);
            self.item(&dash(7, CIRCLE, &dashes), &words);
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

    fn has_room(&self, words: &str) -> bool {
        self.x + room(words) < self.width
    }

    /// Adds a symbol with its words, if there is room.
    fn item(&mut self, mark: &str, words: &str) {
        if self.has_room(words) {
            self.part(mark, 9.0, 0.0, words);
        }
    }

    /// Adds a symbol with words so many pixels to its right, and so much room more than
    /// words take.
    fn part(&mut self, mark: &str, words_at: f64, more: f64, words: &str) {
        let x = round(self.x + 5.0);
        let y = round(self.y);
        let letters = Lettering::quiet(10.5, "start").at(words_at, 4.0, words);
        self.parts += &format!(r#"<g transform="translate({x} {y})">{mark}{letters}</g>"#);
        self.x += room(words) + more;
    }

    fn symbols(&mut self, tracks: &[DrawnTrack<'_>]) {
        let strokes = tracks.iter().flat_map(|drawn| &drawn.strokes);
        let has = |kind| strokes.clone().any(|stroke| stroke.kind == kind);
        let is_of_several = tracks.len() > 1;
        if tracks.iter().any(|drawn| !drawn.charted.track.is_empty()) {
            self.item(&ring(0.0, 0.0, 4.5, INK, PAPER), "first fix");
            // Each of several has its letters there.
            if !is_of_several {
                self.item(&ring(0.0, 0.0, 4.5, PAPER, INK), "latest fix");
            }
        }
        if has(Kind::Failed) {
            self.item(&line(&crosses([(0.0, 0.0)], 3.5), BAD, 1.4, ""), "failed");
        }
        if has(Kind::Suspect) {
            self.item(&ring(0.0, 0.0, 3.0, DOUBT, "none"), "suspect");
        }
        if has(Kind::Gap) {
            self.item(&dash(5, QUIET, r#"stroke-dasharray="2 3""#), "gap");
        }
        if has(Kind::Jump) {
            let dashes = format!(r#"stroke-dasharray="{JUMP_DASHES}""#);
            let symbol = line(&chevrons([(0.0, 0.0)]), BAD, 1.4, r#"fill="none""#);
            self.item(&format!("{}{symbol}", dash(9, BAD, &dashes)), "jump");
        }
    }

    fn flags(&mut self, track: &PreparedTrack, strokes: &[Stroke]) {
        for flag in [Flag::Pass, Flag::NotEvaluated, Flag::Suspect, Flag::Fail] {
            let has_flag = |stroke: &Stroke| {
                let fix = track.fix(stroke.fix as usize);
                stroke.kind == Kind::Leg && fix.is_some_and(|fix| fix.flag == flag)
            };
            if strokes.iter().any(has_flag) {
                let mark = dash(6, flag_colour(flag), r#"stroke-width="3""#);
                self.item(&mark, &format!("line: {}", flag.word()));
            }
        }
    }

    fn scale(&mut self, track: &PreparedTrack, style: &Style) {
        let summary = track.summary();
        let words = match &style.colour {
            LineColour::Field(shown) => {
                let field = shown.field();
                let Scale { low, high, .. } = field.line_scale;
                let decimals = field.decimals;
                let name = text::excerpt(field.name(), 40);
                format!("{name} {low:.decimals$} to {high:.decimals$}")
            }
            LineColour::By(ColourBy::Speed) => {
                let most = style.units.speed(summary.max_speed_m_s.unwrap_or_default());
                format!("0 to {}", most.trim())
            }
            LineColour::By(ColourBy::Time | ColourBy::Flag) => {
                let ends = [summary.first, summary.last];
                let [first, last] = ends.map(Option::unwrap_or_default);
                if day(first) == day(last) {
                    let clock = |at| time::written(at, None, "%H:%M");
                    format!("{} {} to {} UTC", day(first), clock(first), clock(last))
                } else {
                    format!("{} to {}", day(first), day(last))
                }
            }
        };
        let bar = (0..10u32).map(|part| {
            let colour = hex(line_colour(f64::from(part) / 9.0));
            let fill = format!(r#"fill="{colour}""#);
            rectangle([f64::from(part) * 5.0, -3.0], [5.0, 6.0], &fill)
        });
        if self.x + room(&words) + 54.0 < self.width {
            self.part(&bar.collect::<String>(), 56.0, 54.0, &words);
        }
    }
}

/// The pixels of a symbol with words.
fn room(words: &str) -> f64 {
    let letters = text::width(words) as f64;
    16.0 + letters * 6.6
}

/// A level line to `half` pixels left and right, with `more` attributes.
fn dash(half: i32, colour: &str, more: &str) -> String {
    format!(r#"<line x1="-{half}" x2="{half}" stroke="{colour}" {more}/>"#)
}

/// The day of a time in UTC.
fn day(time_stamp: f64) -> String {
    let full = time::table(time_stamp, None);
    full.split(' ').next().unwrap_or_default().to_owned()
}
