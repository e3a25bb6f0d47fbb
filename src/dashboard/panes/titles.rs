//! The upper line of a frame: the title, filter and search at the left, sort order and
//! position at the right. On a narrow pane the sort order is left out, then the end of the
//! left is cut.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::{Pieces, put, put_pieces};
use crate::text;
use crate::text::width;

/// The texts on a frame; empty for none.
#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    /// The name of the instrument that the pane shows, before the title.
    pub name: String,
    /// The title of the pane.
    pub title: String,
    /// The filter of its rows.
    pub filter: String,
    /// The text that is searched for in them.
    pub find: String,
    /// How the rows are sorted.
    pub sorted: String,
    /// The position among the rows, or among those that a search has found.
    pub position: String,
}

/// Blanks between the texts at the left and at the right.
const GAP: usize = 3;
/// The cells of a name that nothing else takes.
const SHORTEST_NAME: usize = 16;

/// Draws the words into the upper line of a frame, the title in its style.
pub(super) fn draw(
    buffer: &mut Buffer,
    frame: Area,
    words: &Words,
    (title, theme): (Style, Theme),
) {
    let (line, _) = frame.split_top(1);
    // A corner, a stroke and a blank on either side.
    let room = usize::from(frame.width).saturating_sub(6);
    let (left, right) = words.fitted(room, title, theme);
    let dim = theme.dim();
    if left.iter().any(|(words, _)| !words.is_empty()) {
        let x = 2 + put(buffer, line.at(2, 0), " ", title);
        let end = x + put_pieces(buffer, line.at(x, 0), &left, 0);
        put(buffer, line.at(end, 0), " ", title);
    }
    if !right.is_empty() && width(&right) <= room {
        let cells = u16::try_from(width(&right)).unwrap_or(0);
        let x = line.width.saturating_sub(cells + 4);
        put(buffer, line.at(x, 0), &format!(" {right} "), dim);
    }
}

impl Words {
    /// The texts at the left and at the right that fit into this many cells.
    fn fitted(&self, room: usize, title: Style, theme: Theme) -> (Pieces, String) {
        let between = match self.name.is_empty() || self.title.is_empty() {
            true => String::new(),
            false => format!(" {} ", theme.glyph("·", "-")),
        };
        let mut left = vec![(format!("{between}{}", self.title), title)];
        for (sign, words, style) in [
            ("&", &self.filter, theme.warning()),
            ("/", &self.find, theme.heading()),
        ] {
            if !words.is_empty() {
                left.push((format!("  {sign}{words}"), style));
            }
        }
        let others: usize = left.iter().map(|(words, _)| width(words)).sum();
        let needed = width(&self.name) + others;
        let beside = |right: &str| match width(right) {
            0 => room,
            cells => room.saturating_sub(cells + GAP),
        };
        let both = format!("{}  {}", self.sorted, self.position);
        let right = match both.trim() {
            both if needed <= beside(both) => both,
            _ => &self.position,
        };
        let mut rest = beside(right);
        let cells = rest.saturating_sub(others).max(SHORTEST_NAME).min(rest);
        left.insert(0, (text::fit_name(&self.name, cells), title));
        for (words, _) in &mut left {
            *words = text::fit(words, rest);
            rest = rest.saturating_sub(width(words));
        }
        (left, right.to_owned())
    }
}
