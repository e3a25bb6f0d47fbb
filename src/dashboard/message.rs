//! The message of the last action, or a warning: on the line of the tabs. It covers no
//! title, row or key.

use ratatui::style::Style;

use super::canvas::Canvas;
use super::dialogs::Dialog;
use super::frame::after_tabs;
use super::keymap::Action;
use super::layout::Parts;
use super::notice::Notice;
use super::theme::Theme;
use super::widgets::paint::{cells_of_pieces, put, put_pieces};
use super::widgets::sheet::cells;
use super::widgets::wrap::fit_words;
use crate::dashboard::shell::Shell;
use crate::text;

/// The shortest line with all words for the key that shows a message in full, cells.
const WITH_WORDS: u16 = 60;

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
