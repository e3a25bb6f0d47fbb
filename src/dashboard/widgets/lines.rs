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

/// Items one after the other on a line of so many cells, the labels dim; no number is cut. The
/// first that does not fit ends the line, and a `…` says so if a count, a reason or a warning is
/// left out.
pub(crate) fn flow(items: &[Item<'_>], width: u16, theme: Theme) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut x = 0;
    let items = items.iter().filter(|(_, content, _)| !content.is_empty());
    let mut rest = items.clone();
    for (name, content, style) in items {
        let label = match *name {
            "" => 0,
            name => cells(name) + 1,
        };
        let room = usize::from(width.saturating_sub(x + label));
        let needs = text::width(content);
        if needs > room && (needs <= SENTENCE || room < BEGINNING) {
            // Counts and reasons have no label, and a warning has its colour.
            let is_number = |name: &str, style| !name.is_empty() && style == theme.text();
            if rest.any(|(name, _, style)| *style != theme.dim() && !is_number(name, *style)) {
                mark_cut(&mut pieces, width, theme);
            }
            break;
        }
        rest.next();
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

/// Ends a line with `…`, in the place of what leaves no cell for it.
fn mark_cut(pieces: &mut Vec<Piece>, width: u16, theme: Theme) {
    let end = |piece: &Piece| piece.x + cells(&piece.words);
    while pieces.last().is_some_and(|last| end(last) >= width) {
        pieces.pop();
    }
    if pieces.last().is_some_and(|last| last.words.ends_with('…')) {
        return;
    }
    let end = pieces.last().map_or(0, end);
    let x = (end + 1).min(width.saturating_sub(1));
    pieces.push(Piece {
        x,
        words: "…".to_owned(),
        style: theme.dim(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::theme::Capabilities;

    #[test]
    fn a_line_that_leaves_out_a_count_says_so() {
        let theme = Theme::new(Capabilities::default());
        let item = |name, words: &str, style| (name, words.to_owned(), style);
        let items = [
            item("", "on time", theme.good()),
            item("fixes", "329", theme.text()),
            item("", "2 invalid", theme.warning()),
            item("", "1 duplicate", theme.dim()),
            item("leg", "2 nm", theme.text()),
        ];
        for (width, expected) in [
            (50, "on time  fixes 329  2 invalid  1 duplicate"),
            (41, "on time  fixes 329  2 invalid"),
            (29, "on time  fixes 329  2 invalid"),
            (28, "on time  fixes 329 …"),
            (19, "on time  fixes 329…"),
            (18, "on time  fixes …"),
            (17, "on time …"),
        ] {
            let mut line = String::new();
            for Piece { x, words, .. } in flow(&items, width, theme) {
                let blanks = usize::from(x) - text::width(&line);
                line.push_str(&" ".repeat(blanks));
                line.push_str(&words);
            }
            assert_eq!(line, expected, "{width}");
        }
    }
}
