//! The message of the last action, or a warning: beside the tabs where it has room
//! there, else in the footer. It covers no tab, no title and no row.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::footer::{Footer, FooterOwner};
use super::frame::{Pieces, beside_tabs, least_footer, tab_rest};
use super::keymap::Action;
use super::layout::{Area, Layout};
use super::model::Model;
use super::notice::{Missing, Notice};
use super::theme::Theme;
use super::widgets::paint::put;
use super::widgets::sheet::cells;
use crate::text;

/// A message in fewer cells than this, beside the keys of a dialog, says nothing.
const LEAST: u16 = 24;
/// Blanks between the keys of the footer and a message.
const APART: u16 = 3;

/// The style of a message.
pub(crate) fn style(notice: &Notice, theme: Theme) -> Style {
    match notice.is_warning {
        true => theme.bad(),
        false => theme.good(),
    }
}

/// Draws the message, if there is one; returns the area that it leaves to the keys of
/// the footer. One that is too long even for the footer is cut, with the key that
/// shows it in full.
pub(crate) fn draw(
    buffer: &mut Buffer,
    layout: &Layout,
    model: &Model,
    keys: &Footer,
    theme: Theme,
) -> Area {
    let footer = layout.footer;
    let is_in_full = keys.owner == FooterOwner::Message;
    let Some(notice) = model.notice.as_ref().filter(|_| !is_in_full) else {
        return footer;
    };
    let style = style(notice, theme);
    let words = text::clean(&notice.text).into_owned();
    let beside = beside_tabs(layout, model, theme);
    let used = |pieces: &Pieces| -> u16 { pieces.iter().map(|(words, _)| cells(words) + 2).sum() };
    let rest = tab_rest(layout);
    if cells(&words).saturating_add(used(&beside)) <= rest.width {
        put(
            buffer,
            rest.at(rest.width - cells(&words), 0),
            &words,
            style,
        );
        return footer;
    }
    let room = footer.width.saturating_sub(least_footer(keys) + APART);
    // A dialog has other keys than the one that shows all.
    let names_more = keys.owner == FooterOwner::Pane;
    if !names_more && room < cells(&words).min(LEAST) {
        return footer;
    }
    let more = format!("  {}: all", model.key_of(Action::Message));
    let beside_more = usize::from(room.saturating_sub(cells(&more)));
    let (shown, more) = match (cells(&words) <= room, &notice.short) {
        (true, _) => (words, ""),
        (false, Some(short)) => {
            let (whole, missing) = short.fit(usize::from(room));
            let (beside, missing_beside) = short.fit(beside_more);
            // A name is worth more than the key.
            let is_worth = missing_beside == Missing::More || missing == Missing::Name;
            match names_more && missing != Missing::Nothing && is_worth {
                true => (beside, more.as_str()),
                false => (whole, ""),
            }
        }
        (false, None) if names_more => (text::fit(&words, beside_more), more.as_str()),
        (false, None) => (text::fit(&words, usize::from(room)), ""),
    };
    let start = footer.width.saturating_sub(cells(&shown) + cells(more));
    let end = start + put(buffer, footer.at(start, 0), &shown, style);
    put(buffer, footer.at(end, 0), more, theme.dim());
    footer.split_left(start.saturating_sub(APART)).0
}
