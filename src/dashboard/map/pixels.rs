//! The land and the lines of a map as a picture of pixels below its cells.

use ratatui::style::Style;

use super::base_map::Inputs;
use super::signs::Shown;
use crate::dashboard::widgets::pixels::in_order;
use crate::formats::image::{Patch, Picture};
use crate::map::{
    FixDots, GRATICULE_SPACING, GlyphSet, Ink, LandSpan, Layers, Raster, Segment, View, base_map,
    foreground,
};
use crate::palette::Rgb;

/// The base map in pixels.
#[derive(Debug)]
pub(super) struct Fine {
    cell: (u16, u16),
    view: View,
    lines: Vec<(Segment, Ink)>,
    land: Vec<LandSpan>,
    /// The fixes that are marked.
    fixes: Vec<(Segment, Ink)>,
}

impl Fine {
    /// The base map of the same inputs, with the dots of fixes on the map in cells.
    pub(super) fn new(inputs: &Inputs, cell: (u16, u16), has_dots: bool) -> Self {
        let view = inputs.view.divided(cell);
        let mut raster = Raster::new(view.columns, view.rows, GlyphSet::Pixels);
        let spacing = GRATICULE_SPACING * f64::from(cell.0);
        let scene = base_map(&view, spacing);
        raster.draw_lines(&scene);
        // Fixes are marked when they are two cells apart, not two pixels.
        let dots = match inputs.fix_dots {
            FixDots::OnLine if !has_dots => FixDots::Line,
            dots => dots,
        };
        let marked = inputs.draw(&mut raster, &view, dots).fixes.into_iter();
        let middle = |at: u16| f64::from(at) + 0.5;
        let fixes = marked.map(|(x, y, ink)| (dot((middle(x), middle(y))), ink));
        Self {
            cell,
            view,
            lines: raster.into_visible_lines(),
            land: scene.land,
            fixes: fixes.collect(),
        }
    }

    /// The picture with what lies over the base map and does not follow the cursor.
    pub(super) fn picture(&self, layers: &Layers<'_>, shown: &Shown<'_>) -> Picture {
        let still = Layers {
            tails: layers.tails.clone(),
            fix_dots: layers.fix_dots,
            inside: layers.inside.clone(),
            search: layers.search.clone(),
            ..Layers::default()
        };
        let scene = foreground(&self.view, &still);
        let mut raster = Raster::new(self.view.columns, self.view.rows, GlyphSet::Pixels);
        raster.draw_lines(&scene);
        let by = shown.content.line_colour();
        let theme = shown.theme;
        let inked = |(segment, ink)| (ink, theme.rgb(super::style(ink, &by, shown)), segment);
        let with = |below: &[(Segment, Ink)], over: Vec<(Segment, Ink)>| {
            let all = below.iter().copied().chain(seen(over));
            in_order(all.map(inked).collect(), self.cell.0)
        };
        let fixes = scene.fixes.iter();
        let marks = fixes.map(|mark| (dot(mark.at), Ink::new(mark.class)));
        let by_pen = with(&self.fixes, marks.collect()).into_iter();
        let dots = by_pen.map(|(pen, dots)| (pen.dot(), dots));
        let lines = with(&self.lines, raster.into_visible_lines());
        let colour = theme.land().map(|land| theme.rgb(Style::new().fg(land)));
        let land = |span: &LandSpan| Patch {
            from: (span.from.round(), f64::from(span.row)),
            to: (span.to.round(), f64::from(span.row) + 1.0),
            colour: colour.unwrap_or(Rgb::BLACK),
        };
        let spans = self.land.iter().filter(|_| colour.is_some());
        Picture {
            size: (self.view.columns, self.view.rows),
            patches: spans.map(land).collect(),
            lines: lines.into_iter().chain(dots).collect(),
        }
    }
}

/// The lines that follow the cursor: they stay cells, so that a step of it sends no picture.
pub(super) fn following<'a>(layers: &Layers<'a>) -> Layers<'a> {
    Layers {
        cursor: layers.cursor,
        rings: layers.rings.clone(),
        measure: layers.measure,
        ..Layers::default()
    }
}

/// Lines to a sixteenth of a pixel, none twice in a row: a fix that moves a tail by less changes
/// no picture.
fn seen(mut lines: Vec<(Segment, Ink)>) -> Vec<(Segment, Ink)> {
    let rounded = |at: f64| (at * 16.0).round() / 16.0;
    for (Segment { from, to }, _) in &mut lines {
        for point in [from, to] {
            *point = (rounded(point.0), rounded(point.1));
        }
    }
    lines.dedup();
    lines
}

/// A dot at a point.
fn dot(at: (f64, f64)) -> Segment {
    Segment { from: at, to: at }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::Class;

    #[test]
    fn a_fix_less_than_a_sixteenth_of_a_pixel_further_changes_no_tail() {
        let leg = |from: f64, to: f64| {
            let [from, to] = [from, to].map(|x| (x, 2.0));
            (Segment { from, to }, Ink::new(Class::Measure))
        };
        let before = seen(vec![leg(1.0, 5.0), leg(5.0, 5.01)]);
        let with = |x| seen(vec![leg(1.0, 5.0), leg(5.0, 5.01), leg(5.01, x)]);
        assert_eq!(with(5.02), before);
        assert_ne!(with(5.5), before);
    }
}
