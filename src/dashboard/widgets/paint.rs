//! Draws text and styles on the cells of a line, never outside it.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;

use super::sheet::cells;
use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::theme::Theme;
use crate::text;

/// The cells of a line that are on the screen.
pub(crate) fn cells_in(buffer: &mut Buffer, line: Area) -> &mut [Cell] {
    let screen = buffer.area;
    if line.is_empty() || line.y >= screen.height {
        return &mut [];
    }
    let from = usize::from(line.x.min(screen.width));
    let to = usize::from(line.x.saturating_add(line.width).min(screen.width));
    let start = usize::from(line.y) * usize::from(screen.width);
    let cells = buffer.content.get_mut(start + from..start + to);
    cells.unwrap_or_default()
}

/// A blank cell with a style.
fn blank(style: Style) -> Cell {
    let mut cell = Cell::EMPTY;
    cell.set_style(style);
    cell
}

/// Writes text from the start of a line, cut at its end; returns the cells it took.
pub(crate) fn put(buffer: &mut Buffer, line: Area, content: &str, style: Style) -> u16 {
    let blank = blank(style);
    let mut at = 0;
    for grapheme in content.graphemes(true) {
        let wide = u16::try_from(text::width(grapheme)).unwrap_or(1);
        if wide == 0 {
            continue;
        }
        if at + wide > line.width {
            break;
        }
        // Resets the colours of the cell.
        let cells = cells_in(buffer, line).iter_mut().skip(usize::from(at));
        for (index, cell) in cells.take(usize::from(wide)).enumerate() {
            cell.clone_from(&blank);
            if index == 0 {
                cell.set_symbol(grapheme);
            }
        }
        at += wide;
    }
    at
}

/// Texts with the style of each.
pub(crate) type Pieces = Vec<(String, Style)>;

/// The cells of pieces with `apart` blanks between them.
pub(crate) fn cells_of_pieces(pieces: &[(String, Style)], apart: u16) -> u16 {
    let cells = pieces.iter().map(|(words, _)| cells(words) + apart);
    cells.sum::<u16>().saturating_sub(apart)
}

/// Writes pieces with `apart` blanks between them; returns the cells up to the end of
/// the last one.
pub(crate) fn put_pieces(
    buffer: &mut Buffer,
    line: Area,
    pieces: &[(String, Style)],
    apart: u16,
) -> u16 {
    let mut x = 0;
    for (index, (words, style)) in pieces.iter().enumerate() {
        if index > 0 {
            let blanks = " ".repeat(usize::from(apart));
            x += put(buffer, line.at(x, 0), &blanks, Style::new());
        }
        x += put(buffer, line.at(x, 0), words, *style);
    }
    x
}

/// Marks the selected row by its background and bold letters, so that its colours stay;
/// without such a background by reverse video.
pub(crate) fn mark_row(buffer: &mut Buffer, line: Area, theme: Theme) {
    let Some(background) = theme.row_background() else {
        // One colour, whatever its cells had.
        for cell in cells_in(buffer, line) {
            cell.set_style(Style::reset().patch(theme.chosen()));
        }
        return;
    };
    let dim = theme.dim().fg;
    for cell in cells_in(buffer, line) {
        // Dim text could not be read on it.
        if Some(cell.fg) == dim {
            cell.fg = Color::Reset;
        }
        cell.set_bg(background);
        cell.modifier.insert(Modifier::BOLD);
    }
}

/// Underlines where a line contains a word, in any case.
pub(crate) fn highlight_matches(buffer: &mut Buffer, line: Area, word: &str, style: Style) {
    let word = word.trim().to_lowercase();
    if word.is_empty() {
        return;
    }
    let cells = cells_in(buffer, line);
    // The column of each byte of the line in lower case.
    let mut written = String::new();
    let mut columns = Vec::new();
    for (x, cell) in cells.iter().enumerate() {
        written.push_str(&cell.symbol().to_lowercase());
        columns.resize(written.len(), x);
    }
    let style = style.add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
    for at in text::offsets(&written, &word) {
        for x in columns.get(at..at + word.len()).unwrap_or_default() {
            if let Some(cell) = cells.get_mut(*x) {
                cell.set_style(style);
            }
        }
    }
}
