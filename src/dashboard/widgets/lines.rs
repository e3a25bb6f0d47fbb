//! Lines of a pane: labels with values one after the other.

use ratatui::style::Style;

use super::sheet::{Piece, cells};
use super::wrap::{fit_words, wrap};
use crate::dashboard::layout::Area;
use crate::dashboard::theme::Theme;
use crate::text;

/// A few words with their label.
pub(in crate::dashboard) type Item<'a> = (&'a str, String, Style);

/// Items that do not fit on their line, on a line of their own, as long as the
/// area has more lines than there are.
pub(crate) fn spread(lines: Vec<Vec<Item<'_>>>, area: Area) -> Vec<Vec<Item<'_>>> {
    let width = usize::from(area.width);
    let mut spare = usize::from(area.height).saturating_sub(lines.len());
    let mut all = Vec::with_capacity(lines.len() + spare);
    for items in lines {
        let mut line = Vec::new();
        let mut used = 0;
        let with_words = items
            .into_iter()
            .filter(|(_, content, _)| !content.is_empty());
        for (name, content, style) in with_words {
            let label = text::width(name) + usize::from(!name.is_empty());
            let needs = text::width(&content) + label;
            if used + needs > width && spare > 0 && !line.is_empty() {
                all.push(std::mem::take(&mut line));
                (used, spare) = (0, spare - 1);
            }
            used += needs + 2;
            let room = width.saturating_sub(label);
            if needs <= width || spare == 0 || room < SENTENCE {
                line.push((name, content, style));
                continue;
            }
            // A sentence that no line has room for is broken, not cut.
            let mut parts = wrap(&content, room);
            if parts.len() > spare + 1 {
                let rest = parts.split_off(spare).join(" ");
                parts.push(rest);
            }
            spare -= parts.len().saturating_sub(1).min(spare);
            for (index, words) in parts.into_iter().enumerate() {
                if index > 0 {
                    all.push(std::mem::take(&mut line));
                }
                used = text::width(&words) + 2;
                line.push((if index == 0 { name } else { "" }, words, style));
            }
        }
        all.push(line);
    }
    all
}

/// A longer value is a sentence: it is cut, not left out. The longest position, in
/// degrees, minutes and seconds, is shorter.
const SENTENCE: usize = 26;

/// The fewest cells that the beginning of a sentence is worth.
const BEGINNING: usize = 8;

/// Items one after the other on a line of so many cells, the labels dim; an item that does not
/// fit is left out, and no number is cut.
pub(crate) fn flow(items: &[Item<'_>], width: u16, theme: Theme) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut x = 0;
    for (name, content, style) in items.iter().filter(|(_, content, _)| !content.is_empty()) {
        let label = match *name {
            "" => 0,
            name => cells(name) + 1,
        };
        let room = usize::from(width.saturating_sub(x + label));
        let needs = text::width(content);
        if needs > room && (needs <= SENTENCE || room < BEGINNING) {
            break;
        }
        let mut put = |x, words: String, style| pieces.push(Piece { x, words, style });
        if label > 0 {
            put(x, (*name).to_owned(), theme.dim());
        }
        let words = fit_words(content, room);
        let end = x + label + cells(&words);
        put(x + label, words, *style);
        x = end + 2;
    }
    pieces
}
