//! Colours, words and symbols of an image.

use svg::node::element::{Circle, Path, Rectangle, Text};

use crate::track::Flag;

pub(super) const INK: &str = "#1c2733";
pub(super) const QUIET: &str = "#66727f";
pub(super) const PAPER: &str = "#ffffff";
pub(super) const BAD: &str = "#c22b2b";
pub(super) const DOUBT: &str = "#b06a00";
/// The watch circle.
pub(super) const CIRCLE: &str = "#8a3ea8";
/// Dashes of the watch circle.
pub(super) const CIRCLE_DASHES: &str = "6 4";
/// Dashes of the line of a jump.
pub(super) const JUMP_DASHES: &str = "9 6";

/// The colour of a leg by the flag of the fix at its end.
pub(super) fn flag_colour(flag: Flag) -> &'static str {
    match flag {
        Flag::Pass => "#1f6fb2",
        Flag::Suspect => DOUBT,
        Flag::Fail => BAD,
        Flag::NotEvaluated | Flag::Missing => QUIET,
    }
}

/// The look of a text.
#[derive(Clone, Copy)]
pub(super) struct Lettering {
    pub(super) size: f64,
    pub(super) colour: &'static str,
    /// The part of the text that is at its position.
    pub(super) anchor: &'static str,
}

impl Lettering {
    /// A label in a quiet colour.
    pub(super) fn quiet(size: f64, anchor: &'static str) -> Self {
        Self {
            size,
            colour: QUIET,
            anchor,
        }
    }

    /// The text at a position.
    pub(super) fn at(self, x: f64, y: f64, words: &str) -> Text {
        Text::new(words)
            .set("x", round(x))
            .set("y", round(y))
            .set("font-size", self.size)
            .set("fill", self.colour)
            .set("text-anchor", self.anchor)
    }
}

/// Rounds to a tenth of a pixel.
pub(super) fn round(pixels: f64) -> f64 {
    (pixels * 10.0).round() / 10.0
}

pub(super) fn point(path: &mut String, command: char, x: f64, y: f64) {
    use std::fmt::Write;
    // Writing to a String cannot fail.
    let _ = write!(path, "{command}{} {}", round(x), round(y));
}

/// A line in a colour, so many pixels wide.
pub(super) fn line(path: impl Into<String>, colour: &str, width: f64) -> Path {
    Path::new()
        .set("d", path.into())
        .set("stroke", colour)
        .set("stroke-width", width)
}

/// A rectangle by its upper left corner and its sides.
pub(super) fn rectangle(x: f64, y: f64, width: f64, height: f64) -> Rectangle {
    Rectangle::new()
        .set("x", round(x))
        .set("y", round(y))
        .set("width", round(width))
        .set("height", round(height))
}

/// The path of crosses at these positions.
pub(super) fn crosses(at: impl IntoIterator<Item = (f64, f64)>, arm: f64) -> String {
    let mut path = String::new();
    for (x, y) in at {
        point(&mut path, 'M', x - arm, y - arm);
        point(&mut path, 'L', x + arm, y + arm);
        point(&mut path, 'M', x - arm, y + arm);
        point(&mut path, 'L', x + arm, y - arm);
    }
    path
}

pub(super) fn ring(x: f64, y: f64, radius: f64, stroke: &str, fill: &str) -> Circle {
    Circle::new()
        .set("cx", round(x))
        .set("cy", round(y))
        .set("r", radius)
        .set("stroke", stroke)
        .set("stroke-width", 1.4)
        .set("fill", fill)
}

/// A disc without an edge: of many that overlap the colours are seen.
pub(super) fn disc(x: f64, y: f64, radius: f64, fill: &str) -> Circle {
    ring(x, y, radius, fill, fill)
}

/// The path of the symbols of jumps at these positions, as `»`.
pub(super) fn chevrons(at: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (x, y) in at {
        for x in [x - 3.5, x + 0.5] {
            point(&mut path, 'M', x, y - 3.5);
            point(&mut path, 'L', x + 3.0, y);
            point(&mut path, 'L', x, y + 3.5);
        }
    }
    path
}
