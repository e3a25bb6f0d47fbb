//! The upper line of a frame: the title, filter and search at the left, sort order and
//! position at the right. On a narrow pane they are shortened one after the other;
//! filter and sort order stay.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::dashboard::layout::Area;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::{Pieces, put, put_pieces};
use crate::text;
use crate::text::width;

/// The texts on a frame; empty for none.
#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    /// The title of the pane.
    pub title: String,
    /// The filter of its rows.
    pub filter: String,
    /// The text that is searched for in them.
    pub find: String,
    /// How the rows are sorted.
    pub sorted: String,
    /// The position among the rows, and the number of hidden rows.
    pub position: (String, String),
    /// The result of the search.
    pub found: String,
}

/// Blanks between the texts at the left and at the right.
const GAP: usize = 3;
/// The fewest cells that a filter is cut to, with its sign.
const SHORTEST: usize = 8;

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
        let named = |filter: &str, find: &str| {
            let mut left = vec![(self.title.clone(), title)];
            self.queries((filter, find), theme, &mut left);
            left
        };
        let alone = || {
            let mut left = Vec::new();
            self.queries(("&", "/"), theme, &mut left);
            if left.is_empty() {
                vec![(self.title.clone(), title)]
            } else {
                left
            }
        };
        let [whole, short, shorter] = self.at_the_right();
        let all = [
            (named("filter: ", "find: "), &whole),
            (named("&", "/"), &short),
            (alone(), &short),
            (alone(), &shorter),
        ];
        let needs = |left: &Pieces| left.iter().map(|(words, _)| width(words)).sum::<usize>();
        let gap = |right: &str| if right.is_empty() { 0 } else { GAP };
        let fits =
            |(left, right): &(Pieces, &String)| needs(left) + gap(right) + width(right) <= room;
        if let Some((left, right)) = all.into_iter().find(fits) {
            return (left, right.clone());
        }
        // The words at the left are cut; where nearly nothing of them would stay, the
        // position gives way.
        let mut left = alone();
        let least = SHORTEST * left.len();
        let beside = |right: &str| room.saturating_sub(gap(right) + width(right));
        let mut rights = [shorter.as_str(), self.sorted.as_str()].into_iter();
        let right = rights.find(|right| beside(right) >= least.min(needs(&left)));
        let right = right.unwrap_or_default().to_owned();
        let mut rest = beside(&right);
        let mut parts = left.len();
        for (words, _) in &mut left {
            *words = text::fit_name(words, rest / parts.max(1));
            rest = rest.saturating_sub(width(words));
            parts = parts.saturating_sub(1);
        }
        (left, right)
    }

    /// Adds filter and search, each behind its sign, after other words with blanks
    /// before it.
    fn queries(&self, (filter, find): (&str, &str), theme: Theme, to: &mut Pieces) {
        for (sign, words, style) in [
            (filter, &self.filter, theme.warning()),
            (find, &self.find, theme.heading()),
        ] {
            if !words.is_empty() {
                let apart = if to.is_empty() { "" } else { "  " };
                to.push((format!("{apart}{sign}{words}"), style));
            }
        }
    }

    /// Sort order and position: in full, with the first word of the order left out, and
    /// with nothing of the hidden rows.
    fn at_the_right(&self) -> [String; 3] {
        let (position, hidden) = &self.position;
        let joined = |sorted: &str, parts: &[&str]| {
            let mut all = vec![sorted.to_owned()];
            all.extend(parts.iter().map(|part| (*part).to_owned()));
            all.retain(|words| !words.is_empty());
            all.join("  ")
        };
        let whole = if self.sorted.starts_with("by ") {
            format!("sorted {}", self.sorted)
        } else {
            self.sorted.clone()
        };
        let counted = format!("{position}{hidden}");
        let nearest = if self.found.is_empty() {
            position
        } else {
            &self.found
        };
        [
            joined(&whole, &[&self.found, &counted]),
            joined(&self.sorted, &[&self.found, &counted]),
            joined(&self.sorted, &[nearest]),
        ]
    }
}
