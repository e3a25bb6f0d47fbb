//! The frame around the panes: header, tabs, dividers, footer.

use ratatui::buffer::Buffer;

use super::alarms::words;
use super::attention::Attention;
use super::connection;
use super::footer::{Footer, FooterKey, FooterOwner};
use super::format;
use super::layout::{Area, Layout};
use super::model::Model;
use super::panes::found;
use super::tab::{Pane, Tab};
use super::targets::FooterTarget;
use super::theme::Theme;
use super::widgets::paint::put;
use crate::alarm::AlarmState;
use crate::text;
use crate::track::State;

/// Columns beside the titles of the tabs that a name or a search needs.
const BESIDE_TABS: usize = 20;

/// Words with the style of each.
pub(crate) type Pieces = Vec<(String, ratatui::style::Style)>;

/// Draws the header: profile, connection and base URL on the left, on the right what
/// needs attention, more quietly the alarms that somebody knows of, and the time.
pub(crate) fn header(buffer: &mut Buffer, area: Area, model: &Model, theme: Theme) {
    let clock = format!(
        "{} {}",
        format::moment(model, model.now.floor()),
        format::zone(model)
    );
    // Minutes are enough here: seconds would cost a redraw each second.
    let clock = match clock.rsplit_once(':') {
        Some((minutes, rest)) => format!("{minutes}{}", rest.get(2..).unwrap_or_default()),
        None => clock,
    };
    let width = |words: &str| u16::try_from(text::width(words)).unwrap_or(0);
    let clock_width = width(&clock);
    let (before_clock, right) = area.split_left(area.width.saturating_sub(clock_width + 1));
    let end = before_clock.width.saturating_sub(1);
    // What the connection may not cover: the numbers, which have room at any width.
    let (long, short) = attention(model, theme);
    // With so many blanks behind each.
    let cells = |pieces: &Pieces, blanks: u16| -> u16 {
        let words = pieces.iter().map(|(words, _)| width(words) + blanks);
        words.sum()
    };
    let reserved = match short.is_empty() {
        true => 0,
        false => cells(&short, 1) + 1,
    };
    let (mut left, _) = before_clock.split_left(end.saturating_sub(reserved));
    let mut x = put(buffer, left.at(0, 0), "driftline", theme.heading());
    let profile = &model.settings.profile;
    let style = if model.demo {
        theme.warning()
    } else {
        theme.text()
    };
    x += 1 + put(buffer, left.at(x + 1, 0), &text::fit(profile, 24), style);
    let (mark, labels, style) = connection::sign(model, theme);
    x += 2 + put(buffer, left.at(x + 2, 0), mark, style);
    let room = usize::from(left.width.saturating_sub(x + 1));
    // The first that fits, else the shortest, cut.
    let label = labels.iter().find(|label| text::width(label) <= room);
    let label = label.or(labels.last()).map_or("", String::as_str);
    x += 1 + put(buffer, left.at(x + 1, 0), &text::fit(label, room), style);
    if model.paused {
        x += 2 + put(buffer, left.at(x + 2, 0), "paused", theme.warning());
    }
    if let Some(warning) = &model.warning {
        x += 2 + put(
            buffer,
            left.at(x + 2, 0),
            &text::fit(warning, 60),
            theme.bad(),
        );
    }
    if !short.is_empty() {
        let has_room = cells(&long, 2) + x <= end;
        let (pieces, blanks) = if has_room { (long, 2) } else { (short, 1) };
        let mut start = end.saturating_sub(cells(&pieces, blanks).saturating_sub(blanks));
        (left, _) = before_clock.split_left(start.saturating_sub(2));
        for (words, style) in &pieces {
            start += put(buffer, before_clock.at(start, 0), words, *style) + blanks;
        }
    }
    // The base URL comes last: it is cut first if there is no room.
    let room = usize::from(left.width.saturating_sub(x + 2));
    if !model.demo && room > 12 {
        put(
            buffer,
            left.at(x + 2, 0),
            &text::fit(&model.address, room),
            theme.dim(),
        );
    }
    put(buffer, right.at(1, 0), &clock, theme.dim());
}

/// The counts that need attention, each with the sign that the rows have for it, and more
/// quietly those that somebody knows of: in words, and as numbers alone.
fn attention(model: &Model, theme: Theme) -> (Pieces, Pieces) {
    let attention = Attention::of(model);
    let (alarm, _) = words::sign(AlarmState::Raised, theme);
    let (lost, _) = theme.state(State::Lost);
    let (overdue, overdue_style) = theme.state(State::Overdue);
    let numbers = [attention.alarms, attention.lost, attention.overdue];
    let signs = [
        (alarm, theme.bad()),
        (lost, theme.bad()),
        (overdue, overdue_style),
    ];
    let (mut long, mut short) = (Pieces::new(), Pieces::new());
    for ((words, number), (sign, style)) in attention.words().into_iter().zip(numbers).zip(signs) {
        if let Some(words) = words {
            long.push((format!("{sign} {words}"), style));
            short.push((format!("{sign}{}", format::count(number)), style));
        }
    }
    if attention.known() > 0 {
        // Quieter: somebody knows of these.
        let (sign, _) = words::sign(AlarmState::Acknowledged, theme);
        let known = format::count(attention.known());
        long.push((format!("{sign} {}", attention.known_words()), theme.dim()));
        short.push((format!("{sign}{known}"), theme.dim()));
    }
    (long, short)
}

/// Draws the titles of the tabs, the shown one in reverse video.
pub(crate) fn tabs(buffer: &mut Buffer, layout: &Layout, model: &Model, theme: Theme) {
    for (place, (tab, area)) in layout.tab_spans().enumerate() {
        let title = tab_title(place, tab);
        let style = if tab == model.tab {
            theme.accent().patch(theme.chosen())
        } else {
            theme.dim()
        };
        put(buffer, area.at(0, 0), &title, style);
    }
    put_apart(
        buffer,
        tab_rest(layout),
        0,
        beside_tabs(layout, model, theme),
    );
}

/// The number and the name of a tab.
fn tab_title(place: usize, tab: Tab) -> String {
    format!(" {} {} ", place + 1, tab.title())
}

/// Puts pieces on a line from a column on, two blanks between them.
fn put_apart(buffer: &mut Buffer, area: Area, mut x: u16, pieces: Pieces) {
    for (words, style) in pieces {
        x += put(buffer, area.at(x, 0), &words, style) + 2;
    }
}

/// The texts beside the tabs: the open deployment, and filter and search where no table
/// has them in its title.
pub(crate) fn beside_tabs(layout: &Layout, model: &Model, theme: Theme) -> Pieces {
    let room = usize::from(tab_rest(layout).width);
    let name = open_name(model).filter(|name| room >= BESIDE_TABS || text::width(name) <= room);
    let mut parts: Pieces = Vec::new();
    if let Some(name) = name {
        let cells = room.clamp(BESIDE_TABS, 48);
        parts.push((text::fit_name(&name, cells), theme.heading()));
    }
    if layout.frame(Pane::Table).is_empty() {
        if !model.filter().is_empty() {
            let filter = text::fit_name(model.filter(), 24);
            parts.push((format!("filter: {filter}"), theme.warning()));
        }
        if let (Some(search), Some(found)) = (&model.search, found(model)) {
            let text = text::fit_name(&search.text, 24);
            parts.push((format!("find: {text} {found}"), theme.accent()));
        }
    }
    if let Some(words) = model.computing() {
        parts.push((words.to_owned(), theme.accent()));
    }
    parts
}

/// The name of the open deployment, on its tab.
fn open_name(model: &Model) -> Option<String> {
    let open = model.track.open.filter(|_| model.tab == Tab::Track)?;
    Some(model.deployments.get(open)?.name())
}

/// The line of tabs right of their titles.
pub(crate) fn tab_rest(layout: &Layout) -> Area {
    let end = layout
        .tab_spans()
        .last()
        .map(|(_, last)| last.x + last.width);
    layout.tabs.split_left(end.unwrap_or(0).saturating_add(2)).1
}

/// The cells of keys with their words, with the blanks behind each.
fn footer_cells(keys: &[FooterKey]) -> usize {
    keys.iter()
        .map(|key| text::width(&key.name) + text::width(key.word) + 3)
        .sum()
}

/// The fewest cells of the footer: those of its last two keys, and of all keys of a
/// dialog.
pub(crate) fn least_footer(footer: &Footer) -> u16 {
    let last = match footer.owner {
        FooterOwner::Pane => footer.keys.len().saturating_sub(2),
        FooterOwner::Dialog | FooterOwner::Message => 0,
    };
    let cells = footer_cells(footer.keys.get(last..).unwrap_or_default());
    u16::try_from(cells.saturating_sub(2)).unwrap_or(u16::MAX)
}

/// Draws the keys that matter. Returns what a click on each of them does.
pub(crate) fn footer(
    buffer: &mut Buffer,
    area: Area,
    mut keys: Vec<FooterKey>,
    theme: Theme,
) -> Vec<(Area, FooterTarget)> {
    // The last two always stay; the keys before them are dropped if there is no room.
    while footer_cells(&keys) > usize::from(area.width) + 2 && keys.len() > 2 {
        keys.remove(keys.len() - 3);
    }
    let mut targets = Vec::with_capacity(keys.len());
    let mut x = 0;
    for key in keys {
        let start = x;
        x += put(buffer, area.at(x, 0), &key.name, theme.accent());
        x += 1 + put(buffer, area.at(x + 1, 0), key.word, theme.dim());
        if let Some(target) = key.target {
            let entry = Area::new(area.x + start, area.y, x - start, 1);
            targets.push((entry, target));
        }
        x += 2;
    }
    targets
}
