//! Lines of a pane: labels with values one after the other, and paragraphs.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::paint::put;
use super::wrap::{fit_words, wrap};
use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::theme::Theme;
use crate::text;

/// A few words with their label.
pub(in crate::dashboard) type Item<'a> = (&'a str, String, Style);

/// Writes words from line `from` on, as many lines as they need; returns the
/// line after them.
pub(crate) fn paragraph(
    buffer: &mut Buffer,
    area: Area,
    from: u16,
    words: &str,
    style: Style,
) -> u16 {
    let width = usize::from(area.width).max(1);
    let mut end = from;
    for (line, words) in (from..area.height).zip(wrap(words, width)) {
        put(buffer, area.at(0, line), &words, style);
        end = line + 1;
    }
    end
}

/// Items that do not fit on their line, on a line of their own, as long as the
/// area has more lines than there are.
pub(crate) fn spread(lines: Vec<Vec<Item<'_>>>, area: Area) -> Vec<Vec<Item<'_>>> {
    let mut spare = usize::from(area.height).saturating_sub(lines.len());
    let mut all = Vec::with_capacity(lines.len() + spare);
    for items in lines {
        let mut line = Vec::new();
        let mut cells = 0;
        for item in items {
            let (name, content, style) = &item;
            if content.is_empty() {
                continue;
            }
            let name_cells = text::width(name) + usize::from(!name.is_empty());
            let needs = text::width(content) + name_cells;
            let room = usize::from(area.width).saturating_sub(name_cells);
            if needs > usize::from(area.width) && spare > 0 && room >= SENTENCE {
                // A sentence that no line has room for is broken, not cut.
                if !line.is_empty() {
                    all.push(std::mem::take(&mut line));
                    spare -= 1;
                }
                let mut parts = wrap(content, room);
                if parts.len() > spare + 1 {
                    let rest = parts.split_off(spare).join(" ");
                    parts.push(rest);
                }
                let last = parts.len().saturating_sub(1);
                for (index, words) in parts.into_iter().enumerate() {
                    cells = text::width(&words) + 2;
                    line.push((if index == 0 { *name } else { "" }, words, *style));
                    if index < last {
                        all.push(std::mem::take(&mut line));
                        spare = spare.saturating_sub(1);
                    }
                }
                continue;
            }
            if cells + needs > usize::from(area.width) && spare > 0 && !line.is_empty() {
                all.push(std::mem::take(&mut line));
                (cells, spare) = (0, spare - 1);
            }
            cells += needs + 2;
            line.push(item);
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

/// Writes items one after the other, the labels dim; an item that does not fit is left
/// out, and no number is cut. Returns the area of each text.
pub(crate) fn flow(
    buffer: &mut Buffer,
    area: Area,
    line: u16,
    items: &[Item<'_>],
    theme: Theme,
) -> Vec<(Area, String)> {
    let mut places = Vec::new();
    let mut x = 0;
    for (name, content, style) in items {
        if content.is_empty() {
            continue;
        }
        let room = usize::from(area.width.saturating_sub(x));
        let room = room.saturating_sub(text::width(name) + usize::from(!name.is_empty()));
        let cells = text::width(content);
        if cells > room && (cells <= SENTENCE || room < BEGINNING) {
            break;
        }
        let content = fit_words(content, room);
        if !name.is_empty() {
            x += put(buffer, area.at(x, line), name, theme.dim()) + 1;
        }
        let width = put(buffer, area.at(x, line), &content, *style);
        places.push((Area::new(area.x + x, area.y + line, width, 1), content));
        x += width + 2;
    }
    places
}
