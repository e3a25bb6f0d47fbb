//! The lines and signs of the tracks of an image.

use std::collections::{BTreeMap, BTreeSet};

use super::pen::{
    BAD, DOUBT, INK, JUMP_DASHES, Lettering, PAPER, QUIET, chevrons, crosses, disc, flag_colour,
    line, point, ring,
};
use super::{Charted, Source};
use crate::map::{
    CellDots, Class, ColourBy, Kind, LineColour, Mark, PreparedTrack, Segment, Stroke, View,
    half_way,
};
use crate::palette::{Rgb, line_colour, track_colours, track_letters};
use crate::track::{Flag, State};

/// Number of colours of the colour scale.
const STEPS: u32 = 48;

/// A track of an image as it is drawn.
pub(super) struct DrawnTrack<'a> {
    pub charted: &'a Charted<'a>,
    pub strokes: Vec<Stroke>,
    /// Its sign among several; `None` for a single track.
    pub sign: Option<Sign>,
}

/// The sign of a track among several, as on the screen: letters, a colour, and a cross at the
/// end of a track that should have reported.
pub(super) struct Sign {
    pub letters: String,
    pub colour: String,
    /// The reporting status, if reports are missing.
    pub silent: Option<State>,
}

impl Sign {
    /// The sign of the track with this index.
    pub(super) fn new(index: usize, charted: &Charted<'_>) -> Self {
        let colours = track_colours(true);
        let state = charted.track.health(charted.subject.now).state;
        let is_silent = matches!(state, State::Overdue | State::Lost | State::DeclaredLost);
        Self {
            letters: track_letters(index),
            colour: hex(colours[index % colours.len()]),
            // Nobody waits for the next fix of a file.
            silent: (is_silent && charted.source == Source::Service).then_some(state),
        }
    }

    /// The sign at a position of the image.
    pub(super) fn at(&self, x: f64, y: f64) -> String {
        let letters = Lettering {
            // Two letters fit into the disc as well.
            size: if self.letters.len() > 1 { 8.0 } else { 10.0 },
            // On the disc, or next to the cross in its colour.
            colour: self.silent.map_or(PAPER, |_| &self.colour),
            anchor: "middle",
        };
        let (mark, x_of_letters) = match self.silent {
            None => (disc(x, y, 7.5, &self.colour), x),
            Some(_) => {
                let path = crosses([(x, y)], 5.0);
                let cross = line(&path, &self.colour, 2.6, r#"fill="none""#);
                (cross, x + 12.0)
            }
        };
        mark + &letters.at(x_of_letters, y + 3.6, &self.letters)
    }
}

pub(super) fn hex(Rgb(red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

impl<'a> DrawnTrack<'a> {
    /// The track as a view shows it.
    pub(super) fn new(charted: &'a Charted<'a>, view: &View, sign: Option<Sign>) -> Self {
        let mut strokes = Vec::new();
        let track = charted.track;
        track
            .strokes()
            .draw(track, view, CellDots::ONE, |stroke| strokes.push(stroke));
        // In time order, so that consecutive strokes connect.
        strokes.sort_by_key(|stroke| (stroke.kind, stroke.fix));
        Self {
            charted,
            strokes,
            sign,
        }
    }

    /// The line, of a track alone in the colours of `colour`, with its jumps.
    fn draw(&self, view: &View, colour: &LineColour) -> String {
        let track = self.charted.track;
        let strokes = &self.strokes;
        let of = |kind: Kind| {
            let strokes = strokes.iter().filter(|stroke| stroke.kind == kind);
            joined(strokes.map(|stroke| &stroke.segment))
        };
        let gaps = of(Kind::Gap);
        let sign = self.sign.as_ref().map(|sign| sign.colour.as_str());
        let mut drawn = String::new();
        if !gaps.is_empty() {
            let dashes = r#"stroke-dasharray="2 4""#;
            drawn += &line(&gaps, sign.unwrap_or(QUIET), 0.9, dashes);
        }
        drawn += &match sign {
            Some(sign) => line(&of(Kind::Leg), sign, LEG, ""),
            None => legs(track, strokes, colour),
        };
        drawn + &jumps(track, view, strokes)
    }
}

/// The width of a leg, pixels.
const LEG: f64 = 1.7;

/// The legs of a track alone, newer ones on top.
fn legs(track: &PreparedTrack, strokes: &[Stroke], colour: &LineColour) -> String {
    // Flags are categories, without a colour between two of them. A leg to a fix without a
    // value of the field has no step.
    let look = |stroke: &Stroke| {
        if matches!(colour, LineColour::By(ColourBy::Flag)) {
            let flag = track.fix(stroke.fix as usize).map(|fix| fix.flag);
            let colour = flag_colour(flag.unwrap_or(Flag::NotEvaluated));
            return (None, colour.to_owned());
        }
        let Some(share) = colour.share(track, stroke.fix as usize) else {
            return (None, QUIET.to_owned());
        };
        // 0 to STEPS.
        let step = (share * f64::from(STEPS)).round() as u32;
        (
            Some(step),
            hex(line_colour(f64::from(step) / f64::from(STEPS))),
        )
    };
    let mut by_look: BTreeMap<(Option<u32>, String), Vec<&Segment>> = BTreeMap::new();
    for stroke in strokes.iter().filter(|stroke| stroke.kind == Kind::Leg) {
        let segments = by_look.entry(look(stroke)).or_default();
        segments.push(&stroke.segment);
    }
    let lines = by_look
        .into_iter()
        .map(|((_, colour), segments)| line(&joined(segments.into_iter()), &colour, LEG, ""));
    lines.collect()
}

/// The jumps: long dashes, and half-way the symbol of a jump.
fn jumps(track: &PreparedTrack, view: &View, strokes: &[Stroke]) -> String {
    let of_jumps = || strokes.iter().filter(|stroke| stroke.kind == Kind::Jump);
    let lines = joined(of_jumps().map(|stroke| &stroke.segment));
    if lines.is_empty() {
        return lines;
    }
    let dashes = format!(r#"stroke-dasharray="{JUMP_DASHES}""#);
    let lines = line(&lines, BAD, 1.1, &dashes);
    let mut drawn = BTreeSet::new();
    let plotter = view.plotter();
    let fixes = of_jumps().map(|stroke| stroke.fix);
    let symbols = fixes
        .filter(|fix| drawn.insert(*fix))
        .filter_map(|fix| half_way(track, &plotter, fix));
    lines + &line(&chevrons(symbols), BAD, 1.6, "")
}

/// Points that are nearer to each other than this are one, pixels.
const MEETS: f64 = 0.05;
/// The shortest step of a path but at its end, pixels: of a long track most are shorter.
const STEP: f64 = 0.25;

/// A single path of segments; connected ones continue it.
pub(super) fn joined<'a>(segments: impl Iterator<Item = &'a Segment>) -> String {
    let mut path = String::new();
    let is_near = |a: (f64, f64), b: (f64, f64), within: f64| {
        (a.0 - b.0).abs() < within && (a.1 - b.1).abs() < within
    };
    let mut line = |command, (x, y)| point(&mut path, command, x, y);
    // The last point of the path, and where its line ends.
    let mut drawn: Option<(f64, f64)> = None;
    let mut end: Option<(f64, f64)> = None;
    for Segment { from, to } in segments {
        let (from, to) = (*from, *to);
        let meets = |point| end.is_some_and(|end| is_near(end, point, MEETS));
        let (from, to) = match (meets(from), meets(to)) {
            (true, _) => (from, to),
            (false, true) => (to, from),
            (false, false) => {
                if let Some(end) = end.filter(|end| drawn != Some(*end)) {
                    line('L', end);
                }
                line('M', from);
                // A dot is a line of length zero with round ends.
                line('L', to);
                (drawn, end) = (Some(to), Some(to));
                continue;
            }
        };
        let is_short = drawn.is_some_and(|drawn| is_near(drawn, to, STEP));
        if from != to && !is_short {
            line('L', to);
            drawn = Some(to);
        }
        end = Some(to);
    }
    if let Some(end) = end.filter(|end| drawn != Some(*end)) {
        line('L', end);
    }
    path
}

/// The lines of tracks, and above them the symbols of flagged fixes.
pub(super) fn draw(tracks: &[DrawnTrack<'_>], view: &View, colour: &LineColour) -> String {
    let lines = tracks.iter().map(|track| track.draw(view, colour));
    let flagged = tracks.iter().map(|track| flagged(&track.strokes));
    lines.chain(flagged).collect()
}

/// The symbols of the flagged fixes of a track.
fn flagged(strokes: &[Stroke]) -> String {
    let of = |kind| strokes.iter().filter(move |stroke| stroke.kind == kind);
    let rings = of(Kind::Suspect).map(|stroke| {
        let (x, y) = stroke.segment.from;
        ring(x, y, 3.0, DOUBT, "none")
    });
    let crosses = crosses(of(Kind::Failed).map(|stroke| stroke.segment.from), 3.5);
    let failed = (!crosses.is_empty()).then(|| line(&crosses, BAD, 1.4, ""));
    rings.chain(failed).collect()
}

/// The symbols of the first and the latest fix of each track.
pub(super) fn ends(marks: &[Mark], tracks: &[DrawnTrack<'_>]) -> String {
    let sign = |place: usize| tracks.get(place).and_then(|drawn| drawn.sign.as_ref());
    let symbols = marks.iter().filter_map(|mark| {
        let (x, y) = mark.at;
        match mark.class {
            Class::First(place) => {
                let colour = sign(place).map_or(INK, |sign| sign.colour.as_str());
                Some(ring(x, y, 4.5, colour, PAPER))
            }
            Class::Latest(place) => Some(match sign(place) {
                Some(sign) => sign.at(x, y),
                None => ring(x, y, 4.5, PAPER, INK),
            }),
            _ => None,
        }
    });
    symbols.collect()
}
