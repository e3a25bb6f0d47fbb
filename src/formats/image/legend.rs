//! The legend of an image.

use svg::node::element::{Group, Line, Path, Rectangle};

use super::pen::{
    BAD, CIRCLE, CIRCLE_DASHES, DOUBT, INK, JUMP_DASHES, PAPER, QUIET, chevrons, cross,
    flag_colour, ring, round, words_at,
};
use super::style::Style;
use crate::geo::Inside;
use crate::map::{ColourBy, Kind, PreparedTrack, Stroke, scale_colour};
use crate::text;
use crate::track::{Flag, time};

/// Draws the legend from `left` to `width` pixels at the height `y`, with the
/// symbols and colours in use only.
pub(super) fn legend(
    track: &PreparedTrack,
    strokes: &[Stroke],
    style: &Style,
    (left, width): (f64, f64),
    y: f64,
) -> Vec<Group> {
    let mut x = left;
    let mut parts = Vec::new();
    let there = |kind| strokes.iter().any(|stroke| stroke.kind == kind);
    let mut item = |mark: Group, words: &str| {
        #[allow(clippy::cast_precision_loss)] // a few letters
        let room = 16.0 + text::width(words) as f64 * 6.6;
        if x + room < width {
            parts.push(
                mark.set("transform", format!("translate({} {y})", round(x + 5.0)))
                    .add(words_at(9.0, 4.0, 10.5, QUIET, "start", words)),
            );
            x += room;
        }
    };
    if !track.is_empty() {
        item(
            Group::new().add(ring(0.0, 0.0, 4.5, INK, PAPER)),
            "first fix",
        );
        item(
            Group::new().add(ring(0.0, 0.0, 4.5, PAPER, INK)),
            "latest fix",
        );
    }
    if there(Kind::Failed) {
        let mut path = String::new();
        cross(&mut path, (0.0, 0.0), 3.5);
        let mark = Path::new()
            .set("d", path)
            .set("stroke", BAD)
            .set("stroke-width", 1.4);
        item(Group::new().add(mark), "failed");
    }
    if there(Kind::Suspect) {
        item(
            Group::new().add(ring(0.0, 0.0, 3.0, DOUBT, "none")),
            "suspect",
        );
    }
    if there(Kind::Gap) {
        let mark = Line::new()
            .set("x1", -5)
            .set("x2", 5)
            .set("stroke", QUIET)
            .set("stroke-dasharray", "2 3");
        item(Group::new().add(mark), "gap");
    }
    if there(Kind::Jump) {
        let mut path = String::new();
        chevrons(&mut path, (0.0, 0.0));
        let line = Line::new()
            .set("x1", -9)
            .set("x2", 9)
            .set("stroke", BAD)
            .set("stroke-dasharray", JUMP_DASHES);
        let symbol = Path::new()
            .set("d", path)
            .set("fill", "none")
            .set("stroke", BAD)
            .set("stroke-width", 1.4);
        item(Group::new().add(line).add(symbol), "jump");
    }
    if let Some(inside) = &style.limits.inside {
        let mark = Line::new()
            .set("x1", -7)
            .set("x2", 7)
            .set("stroke", CIRCLE)
            .set("stroke-width", 1.3)
            .set("stroke-dasharray", CIRCLE_DASHES);
        let words = match inside {
            Inside::Circle(circle) => {
                let radius = style.units.distance(circle.radius_m);
                format!("watch circle {}", radius.trim())
            }
            Inside::Area(_) => inside.name(),
        };
        item(Group::new().add(mark), &words);
    }
    if style.colour_by == ColourBy::Flag {
        for flag in [Flag::Pass, Flag::NotEvaluated, Flag::Suspect, Flag::Fail] {
            let of_flag = |stroke: &&Stroke| {
                let fix = track.fix(stroke.fix as usize);
                stroke.kind == Kind::Leg && fix.is_some_and(|fix| fix.flag == flag)
            };
            if strokes.iter().any(|stroke| of_flag(&stroke)) {
                let mark = Line::new()
                    .set("x1", -6)
                    .set("x2", 6)
                    .set("stroke", flag_colour(flag))
                    .set("stroke-width", 3);
                item(Group::new().add(mark), &format!("line: {}", flag.word()));
            }
        }
    } else if !track.is_empty() {
        let summary = track.summary();
        let words = match style.colour_by {
            ColourBy::Time => format!(
                "{} to {}",
                day(summary.first.unwrap_or_default()),
                day(summary.last.unwrap_or_default())
            ),
            ColourBy::Speed => format!(
                "0 to {}",
                style
                    .units
                    .speed(summary.max_speed_m_s.unwrap_or_default())
                    .trim()
            ),
            ColourBy::Flag => String::new(),
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
        if x + room < width {
            parts.push(
                bar.set("transform", format!("translate({} {y})", round(x + 5.0)))
                    .add(words_at(56.0, 4.0, 10.5, QUIET, "start", &words)),
            );
        }
    }
    parts
}

/// The day of a time in UTC.
fn day(time_stamp: f64) -> String {
    let full = time::table(time_stamp, None);
    full.split(' ').next().unwrap_or_default().to_owned()
}
