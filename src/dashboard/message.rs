//! The line of the tabs: their titles, and behind them the message of the last action, or a
//! warning. It covers no title, row or key.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::canvas::Canvas;
use super::compute::JobKind;
use super::dialogs::Dialog;
use super::keymap::Action;
use super::layout::{Layout, Parts};
use super::notice::Notice;
use super::panes::found;
use super::tab::{Pane, TabId};
use super::theme::Theme;
use super::widgets::paint::{Pieces, cells_of_pieces, put, put_pieces};
use super::widgets::sheet::cells;
use super::widgets::wrap::fit_words;
use crate::dashboard::shared::Shared;
use crate::dashboard::shell::Shell;
use crate::dashboard::track::TrackTab;
use crate::text;

/// The shortest line with all words for the key that shows a message in full, cells.
const WITH_WORDS: u16 = 60;

/// Draws the titles of the tabs, the shown one in reverse video.
pub(crate) fn tabs(buffer: &mut Buffer, layout: &Layout, shared: &Shared, theme: Theme) {
    for (tab, title, area) in layout.tab_spans() {
        let style = if tab == shared.screen.tab {
            theme.accent().patch(theme.chosen())
        } else {
            theme.dim()
        };
        put(buffer, area, &title, style);
    }
}

/// The texts after the titles of the tabs: filter and search, unless a table shows them in its
/// title.
fn after_tabs(layout: &Layout, shell: &Shell, theme: Theme) -> Pieces {
    let mut parts: Pieces = Vec::new();
    if layout.frame(Pane::Table).is_empty() {
        if !shell.filter().is_empty() {
            let filter = text::fit_name(shell.filter(), 24);
            parts.push((format!("filter: {filter}"), theme.warning()));
        }
        if let (Some(search), Some(found)) = (&shell.shared.screen.search, found(shell)) {
            let text = text::fit_name(search.query.text(), 24);
            parts.push((format!("find: {text} {found}"), theme.heading()));
        }
    }
    if shell.tabs.track.is_computing(&shell.shared) {
        parts.push(("computing".to_owned(), theme.text()));
    }
    parts
}

/// The style of a message.
pub(crate) fn style(notice: &Notice, theme: Theme) -> Style {
    if notice.is_warning {
        theme.warning()
    } else {
        theme.text()
    }
}

/// Draws the line after the tabs: the message, and what else fits there. Of a message that
/// is too long the short form is shown, with the key that shows it in full.
pub(crate) fn draw(canvas: &mut Canvas<'_>, shell: &Shell, dialog: Option<&Dialog>) {
    let Canvas { layout, theme, .. } = *canvas;
    let buffer = &mut *canvas.buffer;
    let line = layout.after_tabs();
    let current = shell.shared.messages.notice.as_ref();
    let notice = current.filter(|_| !matches!(dialog, Some(Dialog::Message(_))));
    let [full, short] = notice.map_or_else(Default::default, |notice| {
        [&notice.text, &notice.short].map(|words| text::clean(words).into_owned())
    });
    let is_full = cells(&full) <= line.width;
    let is_long = is_full || short.is_empty();
    let words = if is_long { full } else { short };
    let beside = after_tabs(layout, shell, theme);
    let used = match beside.as_slice() {
        [] => 0,
        pieces => cells_of_pieces(pieces, 2) + 2,
    };
    if notice.is_none() || used + cells(&words) <= line.width {
        put_pieces(buffer, line, &beside, 2);
    }
    let Some(notice) = notice else {
        return;
    };
    let more = match line.width {
        ..WITH_WORDS => "more",
        _ => "read it all",
    };
    let more = format!("  {} {more}", shell.shared.key_of(Action::Message));
    // A whole short form comes before the key for the rest, which does not work in a dialog.
    let needed = cells(&words);
    let has_more = !is_full && dialog.is_none();
    let is_in_the_way = needed <= line.width && needed + cells(&more) > line.width;
    let more = if has_more && !is_in_the_way {
        more
    } else {
        String::new()
    };
    let [key, word, rest] = parts(&words, shell);
    let used = cells(key) + cells(word) + cells(&more);
    let rest = fit_words(rest, usize::from(line.width.saturating_sub(used)));
    let start = line.width.saturating_sub(used + cells(&rest));
    let pieces = [
        (key, theme.heading()),
        (word, theme.dim()),
        (&rest, style(notice, theme)),
        (more.as_str(), theme.dim()),
    ];
    let mut x = start;
    for (words, style) in pieces {
        x += put(buffer, line.at(x, 0), words, style);
    }
}

/// The key that a message begins with, the word for what it does, and the rest, each with the
/// blanks behind it: they look as in the footer, so that they do not read as its first words.
/// Key and word are empty without a key.
pub(crate) fn parts<'t>(words: &'t str, shell: &Shell) -> [&'t str; 3] {
    let is_key = |name: &str| {
        let mut bindings = shell.shared.screen.keymap.holding(shell.shared.screen.tab);
        bindings.any(|binding| binding.keys.iter().any(|key| key.name() == name))
    };
    let key = words.split(' ').next().filter(|key| is_key(key));
    let Some((key, end)) = key.zip(words.find("  ")) else {
        return ["", "", words];
    };
    let (hint, rest) = words.split_at(end + 2);
    let (key, word) = hint.split_at(key.len());
    [key, word, rest]
}

/// Number of fixes from which the computation is named: a shorter one is done before the
/// user could read it.
const LONG: usize = 10_000;

impl TrackTab {
    /// `true` while rows, parts or flags of the open track are computed; never for a short
    /// track.
    pub(crate) fn is_computing(&self, shared: &Shared) -> bool {
        let Some(deployment) = shared.open_deployment() else {
            return false;
        };
        let assembled = JobKind::Assembled(deployment.uuid());
        let mut jobs = [JobKind::Rows, JobKind::Parts, assembled].into_iter();
        shared.screen.tab == TabId::Track
            && jobs.any(|kind| shared.jobs.contains_key(&kind))
            && (deployment.track.get()).is_some_and(|track| track.len() >= LONG)
    }
}
