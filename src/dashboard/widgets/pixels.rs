//! The lines of pictures below the cells of panes.

use ratatui::style::Style;

use crate::dashboard::theme::Theme;
use crate::formats::image::LinePen;
use crate::map::{Ink, Layer, Segment};

/// A line of a picture, in pixels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Inked {
    pub segment: Segment,
    pub ink: Ink,
    pub style: Style,
}

/// The lines in drawing order, those of a layer in one colour together: newer legs are over
/// older ones where the colour is that of time.
pub(crate) fn in_order(
    mut lines: Vec<Inked>,
    theme: Theme,
    cell: u16,
) -> Vec<(LinePen, Vec<Segment>)> {
    lines.sort_by_key(|line| line.ink);
    let mut drawn: Vec<((Layer, u16), LinePen, Vec<Segment>)> = Vec::new();
    for Inked {
        segment,
        ink,
        style,
    } in lines
    {
        let pen = LinePen::new(ink.layer, theme.rgb(style), cell);
        let layer = (ink.layer, ink.track);
        let mut same = drawn.iter_mut().rev();
        let mut same = same.by_ref().take_while(|(other, ..)| *other == layer);
        match same.find(|(_, other, _)| *other == pen) {
            Some((.., segments)) => segments.push(segment),
            None => drawn.push((layer, pen, vec![segment])),
        }
    }
    let drawn = drawn.into_iter();
    drawn.map(|(_, pen, segments)| (pen, segments)).collect()
}
