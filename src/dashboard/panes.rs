//! The frames of the panes: title at the left, sort order and position at the
//! right. Below the size at which there is room for frames, a line with the same
//! words is above each pane. The pane with the focus has heavy lines in the
//! accent colour.

mod titles;

use ratatui::buffer::Buffer;
use ratatui::style::Modifier;
use ratatui::widgets::{Block, BorderType, Borders, Widget};
use strum::VariantArray;

use super::layout::{Area, Layout, Parts};
use super::search::Matches;
use super::shell::Shell;
use super::tab::Pane;
use super::theme::Theme;
use super::widgets::paint::put;
use crate::text;
use titles::Words;

/// Draws the frames or title lines of all panes of the tab.
pub(crate) fn draw(buffer: &mut Buffer, layout: &Layout, shell: &Shell, theme: Theme) {
    let dividers = [layout.divider, layout.detail_divider];
    for divider in dividers {
        for line in 0..divider.height {
            put(buffer, divider.at(0, line), "│", theme.dim());
        }
    }
    for &pane in Pane::VARIANTS {
        let frame = layout.frame(pane);
        if frame.is_empty() {
            continue;
        }
        let is_focused = pane == shell.focused();
        let (border, style) = if is_focused {
            (BorderType::Thick, theme.accent())
        } else {
            (BorderType::Rounded, theme.dim())
        };
        let block = Block::new().border_type(border).border_style(style);
        if layout.framed {
            block.borders(Borders::ALL).render(frame, buffer);
        } else {
            let line = frame.at(0, 0);
            block.borders(Borders::TOP).render(line, buffer);
        }
        let is_past = pane == Pane::Table && shell.shared.past_moment().is_some();
        let title_style = if is_past {
            theme.warning().add_modifier(Modifier::BOLD)
        } else if is_focused {
            theme.accent().add_modifier(Modifier::BOLD)
        } else {
            theme.text()
        };
        let words = words(pane, shell, theme);
        titles::draw(buffer, frame, &words, title_style, theme);
        if pane == Pane::Table && layout.table.width < frame.width {
            scroll_bar(buffer, frame, layout.rows, shell, theme);
        }
    }
    for divider in dividers {
        put(buffer, divider.at(0, 0), "┬", theme.dim());
    }
}

fn words(pane: Pane, shell: &Shell, theme: Theme) -> Words {
    let (name, title) = shell.tab().title(pane, &shell.shared, theme);
    let words = Words {
        name,
        title,
        ..Words::default()
    };
    if pane != Pane::Table {
        return words;
    }
    let search = shell.shared.screen.search.as_ref();
    let find = search.map(|search| text::clean(search.query.text().trim()).into_owned());
    Words {
        filter: text::clean(shell.filter().trim()).into_owned(),
        find: find.unwrap_or_default(),
        sorted: shell.tab().sorted(theme),
        position: found(shell).unwrap_or_else(|| position(shell)),
        ..words
    }
}

/// The row under the cursor and the number of rows: "17 of 20"; with a filter or a time
/// range also the number of all: "1 of 3, 20 in all".
fn position(shell: &Shell) -> String {
    let rows = shell.rows();
    let all = shell.tab().len(&shell.shared);
    let here = match rows {
        0 => 0,
        _ => shell.table().cursor + 1,
    };
    let position = format!("{} of {}", text::count(here), text::count(rows));
    match (all, rows == all) {
        (0, _) => String::new(),
        (_, true) => position,
        (_, false) => format!("{position}, {} in all", text::count(all)),
    }
}

/// The result of the search; `None` without a search.
pub(crate) fn found(shell: &Shell) -> Option<String> {
    let found = shell.match_noun();
    Some(match shell.matches()? {
        Matches::Searching => "searching".to_owned(),
        Matches::Found(0, _) => format!("no {found}"),
        Matches::Found(count, Some(number)) => {
            format!("{found} {} of {}", text::count(number), text::count(count))
        }
        Matches::Found(1, None) => format!("1 {found}"),
        Matches::Found(count, None) if found == "match" => {
            format!("{} matches", text::count(count))
        }
        Matches::Found(count, None) => format!("{} {found}s", text::count(count)),
    })
}

/// Marks on the right side of a frame which part of the rows is visible, where
/// not all are.
fn scroll_bar(buffer: &mut Buffer, frame: Area, rows: Area, shell: &Shell, theme: Theme) {
    let all = shell.rows();
    let visible = usize::from(rows.height);
    if all <= visible || visible == 0 {
        return;
    }
    let length = (visible * visible / all).max(1);
    // The first rows are at the very top, the last ones at the very bottom.
    let hidden = all - visible;
    let start = (shell.table().top * (visible - length) + hidden / 2) / hidden;
    let right = frame.width.saturating_sub(1);
    let above = rows.y.saturating_sub(frame.y);
    for line in start..(start + length).min(visible) {
        let line = above + u16::try_from(line).unwrap_or(u16::MAX);
        put(buffer, frame.at(right, line), "█", theme.accent());
    }
}
