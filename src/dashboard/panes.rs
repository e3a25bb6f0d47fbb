//! The frames of the panes: title at the left, sort order and position at the
//! right. Below the size at which there is room for frames, a line with the same
//! words is above each pane. The pane with the focus has heavy lines in the
//! accent colour.

mod titles;

use ratatui::buffer::Buffer;
use ratatui::style::Modifier;
use ratatui::widgets::{Block, BorderType, Borders, Widget};

use super::format;
use super::layout::{Area, Layout, Parts};
use super::map::caption::name_and_title;
use super::search::Matches;
use super::shell::Shell;
use super::tab::{Pane, TabId};
use super::targets::Heading;
use super::theme::Theme;
use super::track::timeline;
use super::widgets::paint::put;
use super::widgets::table::heading;
use super::{deployments, track};
use crate::dashboard::shared::Shared;
use crate::text;
use crate::track::TrackSort;
use titles::Words;

/// Draws the frames or title lines of all panes of the tab.
pub(crate) fn draw(buffer: &mut Buffer, layout: &Layout, shell: &Shell, theme: Theme) {
    let dividers = [layout.divider, layout.detail_divider];
    for divider in dividers {
        for line in 0..divider.height {
            put(buffer, divider.at(0, line), "│", theme.dim());
        }
    }
    for pane in [Pane::Table, Pane::Map, Pane::Timeline, Pane::Summary] {
        let frame = layout.frame(pane);
        if frame.is_empty() {
            continue;
        }
        let is_focused = pane == shell.shared.focused();
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
        let mut words = words(pane, shell, theme);
        if words.name.is_empty() {
            words.name = shown_name(pane, layout, &shell.shared);
        }
        titles::draw(buffer, frame, &words, (title_style, theme));
        if pane == Pane::Table && layout.table.width < frame.width {
            scroll_bar(buffer, frame, layout.rows, shell, theme);
        }
    }
    for divider in dividers {
        put(buffer, divider.at(0, 0), "┬", theme.dim());
    }
}

/// The name of the instrument that a pane shows. The timeline has its words where others beside it
/// are named, and the map knows of its own name how much room it has.
fn shown_name(pane: Pane, layout: &Layout, shared: &Shared) -> String {
    let is_alone = || {
        let others = [Pane::Table, Pane::Map, Pane::Summary].into_iter();
        others
            .map(|other| layout.frame(other))
            .all(|frame| frame.is_empty())
    };
    let is_named = match pane {
        Pane::Table | Pane::Summary => true,
        Pane::Map => false,
        Pane::Timeline => is_alone(),
    };
    let open = shared.open_deployment();
    let open = open.filter(|_| shared.tab == TabId::Track && is_named);
    open.map_or_else(String::new, |open| text::clean(&open.name()).into_owned())
}

fn words(pane: Pane, shell: &Shell, theme: Theme) -> Words {
    let titled = |title: &str| Words {
        title: title.to_owned(),
        ..Words::default()
    };
    let component = shell.component().map(|tab| tab.titles());
    match (pane, shell.shared.tab) {
        (Pane::Table, tab) => Words {
            title: match tab {
                TabId::Deployments => deployments_title(&shell.shared),
                TabId::Track => "Fixes".to_owned(),
                _ => component.map_or_else(String::new, |titles| titles.table),
            },
            filter: text::clean(shell.filter().trim()).into_owned(),
            find: shell
                .shared
                .search
                .as_ref()
                .map_or_else(String::new, |search| {
                    text::clean(search.query.text().trim()).into_owned()
                }),
            sorted: sorted(shell, theme),
            position: found(shell).unwrap_or_else(|| position(shell)),
            ..Words::default()
        },
        (Pane::Map, _) => {
            let width = shell.layout().frame(Pane::Map).width;
            let (name, title) = name_and_title(shell.on_track(), width, theme);
            Words {
                name,
                title,
                ..Words::default()
            }
        }
        (Pane::Timeline, _) => {
            let width = shell.layout().frame(Pane::Timeline).width;
            titled(&timeline::title(shell.on_track(), width))
        }
        (Pane::Summary, TabId::Track) => titled("Summary"),
        (Pane::Summary, _) if component.is_some() => {
            titled(&component.map_or_else(String::new, |titles| titles.detail))
        }
        (Pane::Summary, _) => {
            let selected = shell.selected();
            titled(&selected.map_or_else(String::new, |deployment| {
                text::clean(&deployment.name()).into_owned()
            }))
        }
    }
}

/// The title of the list: a past moment must not be taken for now.
fn deployments_title(shared: &Shared) -> String {
    match shared.past_moment() {
        Some(at) => format!("At {}, Esc: now", format::short_moment(shared, at)),
        None => "Deployments".to_owned(),
    }
}

/// How the rows of the table are sorted: "by status", or "newest first".
fn sorted(shell: &Shell, theme: Theme) -> String {
    if let Some(tab) = shell.component() {
        return tab.rows().sorted(theme);
    }
    match shell.shared.tab {
        TabId::Deployments => {
            let by = Heading::Deployments(shell.tabs.deployments.sort.column);
            let by = heading(deployments::table::COLUMNS, by);
            let arrow = theme.sort_arrow(shell.tabs.deployments.is_descending());
            format!("by {by} {arrow}")
        }
        TabId::Track => {
            let arrangement = &shell.tabs.track.arrangement;
            let by = match arrangement.sort {
                TrackSort::Field => text::fit(&arrangement.field, 20),
                sort => heading(track::table::COLUMNS, Heading::Fixes(sort)).to_owned(),
            };
            let arrow = theme.sort_arrow(shell.tabs.track.arrangement.descending);
            format!("by {by} {arrow}")
        }
        _ => String::new(),
    }
}

/// The row under the cursor and the number of rows: "17 of 20"; with a filter or a time
/// range also the number of all: "1 of 3, 20 in all".
fn position(shell: &Shell) -> String {
    let rows = shell.rows();
    let all = shell.all_rows();
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
    let found = shell.shared.match_noun();
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
