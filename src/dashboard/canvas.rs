//! What a frame is drawn on, and with.

use ratatui::buffer::Buffer;

use super::layout::Layout;
use super::map;
use super::targets::Targets;
use super::theme::Theme;
use super::track::timeline;
use super::widgets::table::Drawn;

/// Data that is reused from one frame to the next, so that unchanged parts are
/// not computed again. A frame looks the same with an empty cache.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(super) map: map::Known,
    pub(super) timeline: timeline::Known,
    /// The click targets of the frame.
    pub targets: Targets,
}

/// What the panes of a tab are drawn on.
pub(crate) struct Canvas<'a> {
    /// The cells of the screen.
    pub buffer: &'a mut Buffer,
    /// The areas of the panes.
    pub layout: &'a Layout,
    /// Colours and signs.
    pub theme: Theme,
    /// What the last frame has left, and the click targets of this one.
    pub memory: &'a mut Memory,
}

impl Canvas<'_> {
    /// Takes the click targets of the table that was drawn.
    pub(super) fn table_drawn(&mut self, drawn: Drawn) {
        let targets = &mut self.memory.targets;
        (targets.headings, targets.columns) = (drawn.headings, drawn.shown);
    }
}
