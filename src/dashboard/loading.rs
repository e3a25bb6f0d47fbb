//! The text instead of a track that is being loaded: the progress of the transfer.

use ratatui::buffer::Buffer;

use super::connection::spinner;
use super::deployments::fetch_state::Loading;
use super::format;
use super::layout::Area;
use super::model::Model;
use super::theme::Theme;
use super::widgets::paint::put;
use super::widgets::wrap::wrap;

/// Most cells of the bar.
const BAR: u16 = 40;

/// Draws the progress and the rate, as on Activity, a bar if the size is known, and how
/// to cancel.
pub(crate) fn draw(buffer: &mut Buffer, area: Area, loading: Loading, model: &Model, theme: Theme) {
    let since = (model.now - loading.since).max(0.0);
    let progress = &loading.progress;
    let mut words = format::transfer(progress, since);
    if progress.bytes == 0 {
        words.push_str(&format!(", {since:.0} s"));
    }
    let words = format!("{} loading: {words}", spinner(model, theme));
    let room = area.width.saturating_sub(2);
    let mut line = 1;
    for words in wrap(&words, usize::from(room.max(1))) {
        put(buffer, area.at(1, line), &words, theme.accent());
        line += 1;
    }
    if let Some(total) = progress.total.filter(|total| *total > 0) {
        let cells = room.min(BAR);
        let full = filled(progress.bytes, total, cells);
        let [done, left] = [theme.glyph("█", "#"), theme.glyph("░", "-")];
        let done = done.repeat(usize::from(full));
        let left = left.repeat(usize::from(cells - full));
        put(buffer, area.at(1, line), &done, theme.accent());
        put(buffer, area.at(1 + full, line), &left, theme.dim());
        line += 1;
    }
    put(buffer, area.at(1, line), "Esc cancels.", theme.dim());
}

/// The cells of a bar of `cells` that `bytes` of `total` fill; all of them for the last
/// byte only.
fn filled(bytes: u64, total: u64, cells: u16) -> u16 {
    let full = u128::from(bytes) * u128::from(cells) / u128::from(total.max(1));
    u16::try_from(full).unwrap_or(cells).min(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_full_with_the_last_byte_and_never_longer() {
        assert_eq!(filled(0, 100, 40), 0);
        assert_eq!(filled(99, 100, 40), 39);
        assert_eq!(filled(100, 100, 40), 40);
        assert_eq!(filled(u64::MAX, 1, 40), 40);
        assert_eq!(filled(5, 10, 0), 0);
    }
}
