//! Colours, words and symbols of an image.

use quick_xml::escape::escape;

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
pub(super) struct Lettering<'a> {
    pub(super) size: f64,
    pub(super) colour: &'a str,
    /// The part of the text that is at its position.
    pub(super) anchor: &'static str,
}

impl Lettering<'_> {
    /// A label in a quiet colour.
    pub(super) fn quiet(size: f64, anchor: &'static str) -> Self {
        Self {
            size,
            colour: QUIET,
            anchor,
        }
    }

    /// The text at a position.
    pub(super) fn at(self, x: f64, y: f64, words: &str) -> String {
        let (x, y) = (round(x), round(y));
        let Self {
            size,
            colour,
            anchor,
        } = self;
        let words = escape(words);
        format!(
            r#"<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" text-anchor="{anchor}">
{words}
</text>"#
        )
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

/// A line in a colour, so many pixels wide, with `more` attributes.
pub(super) fn line(path: &str, colour: &str, width: f64, more: &str) -> String {
    format!(r#"<path d="{path}" stroke="{colour}" stroke-width="{width}" {more}/>"#)
}

/// A rectangle by its upper left corner and its sides, with `more` attributes.
pub(super) fn rectangle([x, y]: [f64; 2], [width, height]: [f64; 2], more: &str) -> String {
    let [x, y, width, height] = [x, y, width, height].map(round);
    format!(r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" {more}/>"#)
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

pub(super) fn ring(x: f64, y: f64, radius: f64, stroke: &str, fill: &str) -> String {
    let (x, y) = (round(x), round(y));
    format!(
        r#"<circle cx="{x}" cy="{y}" r="{radius}" stroke="{stroke}" stroke-width="1.4" fill="{fill}"/>"#
    )
}

/// A disc without an edge: of many that overlap the colours are seen.
pub(super) fn disc(x: f64, y: f64, radius: f64, fill: &str) -> String {
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
