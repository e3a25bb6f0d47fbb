//! The buffer, areas and colours of a frame.

use std::sync::Arc;

use ratatui::buffer::Buffer;

use super::layout::{Area, Layout, Parts};
use super::map;
use super::tab::Pane;
use super::targets::Targets;
use super::theme::Theme;
use super::track::timeline;
use super::widgets::table::Laid;
use crate::formats::image::Picture;

/// A picture below the cells of a pane.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    /// The pane whose picture it is: there is one of each.
    pub pane: Pane,
    /// The cells of the whole picture.
    pub area: Area,
    /// The parts of these that it is seen in.
    pub seen: Vec<Area>,
    pub picture: Arc<Picture>,
}

/// Equal if the same picture is seen in the same cells.
impl PartialEq for Placed {
    fn eq(&self, other: &Self) -> bool {
        (self.area, &self.seen) == (other.area, &other.seen) && self.has_same_picture(other)
    }
}

impl Placed {
    /// `true` if the picture of the other is the same, and of the same pane.
    // Mostly it is the same in memory, and so need not be compared.
    pub(crate) fn has_same_picture(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.picture, &other.picture);
        self.pane == other.pane && (Arc::ptr_eq(ours, theirs) || ours == theirs)
    }

    /// A picture that is seen as a whole.
    pub(super) fn new(pane: Pane, area: Area, picture: Arc<Picture>) -> Self {
        Self {
            pane,
            area,
            seen: vec![area],
            picture,
        }
    }

    /// Leaves out what a dialog or a small map covers: their blank cells are transparent.
    // Not by a background of their cells: kitty 0.26, tried, draws a picture over one at every
    // depth, and other terminals with its protocol need not do otherwise.
    pub(super) fn cover(&mut self, cover: Area) {
        let beside = |part: Area| {
            let hidden = part.intersection(cover);
            if hidden.is_empty() {
                return vec![part];
            }
            let (above, rest) = part.split_top(hidden.y - part.y);
            let (rows, below) = rest.split_top(hidden.height);
            let (left, rest) = rows.split_left(hidden.x - rows.x);
            let (_, right) = rest.split_left(hidden.width);
            vec![above, below, left, right]
        };
        let parts = self.seen.drain(..).flat_map(beside);
        self.seen = parts.filter(|part| !part.is_empty()).collect();
    }
}

/// Data that is reused from one frame to the next, so that unchanged parts are
/// not computed again. A frame looks the same with an empty cache.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(super) map: map::Known,
    pub(super) timeline: timeline::Known,
    /// The pictures of the frame.
    pub pictures: Vec<Placed>,
    /// The click targets of the frame.
    pub targets: Targets,
}

/// Everything that a pane of a tab is drawn with.
pub(crate) struct Canvas<'a> {
    /// The cells of the screen.
    pub buffer: &'a mut Buffer,
    /// The areas of the panes.
    pub layout: &'a Layout,
    /// Colours and signs.
    pub theme: Theme,
    /// Values kept from the last frame, and the click targets of this one.
    pub memory: &'a mut Memory,
}

impl Canvas<'_> {
    /// Draws the table of the tab, and takes its click targets.
    pub(super) fn draw_table<R, M>(&mut self, table: &Laid<'_, R, M>) {
        let targets = &mut self.memory.targets;
        targets.headings = table.draw(self.buffer, self.layout.table);
        targets.columns = table.shown();
    }
}
