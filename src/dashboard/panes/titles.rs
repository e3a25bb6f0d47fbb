//! The upper line of a frame: the title, filter and search at the left, sort order and
//! position at the right. On a narrow pane the sort order is left out, then the end of the
//! left is cut.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::{Pieces, put, put_pieces};
use crate::dashboard::widgets::sheet::cells;
use crate::dashboard::widgets::text::{Item, Text, line};
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
const GAP: u16 = 3;
/// The cells of a name that nothing else takes.
const SHORTEST_NAME: usize = 16;

/// Draws the words into the upper line of a frame, the title in its style.
pub(super) fn draw(buffer: &mut Buffer, frame: Area, words: &Words, title: Style, theme: Theme) {
    let (line, _) = frame.split_top(1);
    // A corner, a stroke and a blank on either side.
    let room = frame.width.saturating_sub(6);
    let (left, right) = words.fitted(room, title, theme);
    let dim = theme.dim();
    if left.iter().any(|(words, _)| !words.is_empty()) {
        let x = 2 + put(buffer, line.at(2, 0), " ", title);
        let end = x + put_pieces(buffer, line.at(x, 0), &left, 0);
        put(buffer, line.at(end, 0), " ", title);
    }
    if !right.is_empty() && cells(&right) <= room {
        let x = line.width.saturating_sub(cells(&right) + 4);
        put(buffer, line.at(x, 0), &format!(" {right} "), dim);
    }
}

impl Words {
    /// The texts at the left and at the right that fit into this many cells.
    fn fitted(&self, room: u16, title: Style, theme: Theme) -> (Pieces, String) {
        let apart = theme.glyph("·", "-");
        let after_name = match (self.name.is_empty(), self.title.is_empty()) {
            (true, _) => Text::from(&self.title),
            (false, true) => Text::default(),
            (false, false) => Text::from(format!(" {apart} {}", self.title)).or(""),
        };
        let marked = |sign: &str, words: &str| match words {
            "" => String::new(),
            words => format!("  {sign}{words}"),
        };
        let gap = if self.position.is_empty() { 0 } else { GAP };
        let room = room.saturating_sub(gap);
        // The number of all gives way to the name.
        let few = self.position.split(", ").next().unwrap_or_default();
        let left_by = |position: &str| usize::from(room).saturating_sub(width(position));
        let position = match left_by(&self.position) {
            ..SHORTEST_NAME if !self.name.is_empty() => few,
            _ => self.position.as_str(),
        };
        let beside = left_by(position);
        let short = text::fit_name(&self.name, beside.min(SHORTEST_NAME));
        let name = Text::from(&self.name).or(short);
        let sorted = Text::from(format!("{}  ", self.sorted)).or("");
        let dim = theme.dim();
        let items = [
            Item::new(name, title, 2),
            Item::new(after_name, title, 1),
            Item::new(marked("&", &self.filter), theme.warning(), 0),
            Item::new(marked("/", &self.find), theme.heading(), 0),
            Item::new(sorted, dim, 3),
            Item::new(position, dim, 0),
        ];
        let forms = line(&items, room, 0);
        let (words, right) = forms.split_at(4);
        let right = right.concat();
        let mut rest = usize::from(room).saturating_sub(width(&right));
        let mut left = Pieces::new();
        for (words, item) in words.iter().zip(&items) {
            let words = text::fit(words, rest);
            rest = rest.saturating_sub(width(&words));
            left.push((words, item.style));
        }
        (left, right.trim().to_owned())
    }
}
