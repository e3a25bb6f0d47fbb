//! The text instead of a track that is being loaded or could not be: the progress of the
//! transfer, or the error and what to do next.

use ratatui::buffer::Buffer;

use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::deployments::fetch_state::Loading;
use crate::dashboard::keymap::Action;
use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::shared::Shared;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::table::explain;
use crate::dashboard::widgets::wrap::{wrap, wrap_to};
use crate::dashboard::{format, progress};
use crate::text;

/// Draws the state of the fetch instead of the data: loading, failed or not loaded.
pub(super) fn draw(buffer: &mut Buffer, area: Area, shared: &Shared, theme: Theme) {
    let open = shared.deployments.open;
    let Some(deployment) = open.and_then(|uuid| shared.deployments.get(uuid)) else {
        return;
    };
    if let Some(transfer) = deployment.track.loading {
        loading(buffer, area, transfer, shared, theme);
    } else if deployment.track.failure.is_some() {
        failed(buffer, area, deployment, shared, theme);
    } else {
        let refresh = shared.key_of(Action::Refresh);
        let how = format!("Not loaded yet; press {refresh}.");
        explain(buffer, area, &[(&how, theme.dim())]);
    }
}

/// Most cells of the bar.
const BAR: u16 = 40;

/// Draws the progress and the rate, as on Activity, a bar if the size is known, and how
/// to cancel.
fn loading(buffer: &mut Buffer, area: Area, loading: Loading, shared: &Shared, theme: Theme) {
    let since = (shared.now - loading.since).max(0.0);
    let progress = &loading.progress;
    let mut transfer = progress::transfer(progress, since);
    if progress.bytes == 0 {
        transfer.push_str(&format!(", {since:.0} s"));
    }
    let words = format!(
        "{} loading: {transfer}",
        progress::spinner(shared.now, theme)
    );
    let room = area.width.saturating_sub(2);
    let mut line = 1;
    for words in wrap(&words, usize::from(room.max(1))) {
        put(buffer, area.at(1, line), &words, theme.text());
        line += 1;
    }
    if let Some(total) = progress.total.filter(|total| *total > 0) {
        let cells = room.min(BAR);
        let full = filled(progress.bytes, total, cells);
        let [done, left] = [theme.glyph("█", "#"), theme.glyph("░", "-")];
        let done = done.repeat(usize::from(full));
        let left = left.repeat(usize::from(cells - full));
        put(buffer, area.at(1, line), &done, theme.text());
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

/// Draws the error of the last load, its hint, and when the next is due. On too few lines the
/// deployment's UUID and the time of the attempt are left out, then the hint is cut, then the
/// reason; the next step stays.
fn failed(
    buffer: &mut Buffer,
    area: Area,
    deployment: &DeploymentState,
    shared: &Shared,
    theme: Theme,
) {
    let Some((failure, at)) = &deployment.track.failure else {
        return;
    };
    let width = usize::from(area.width.saturating_sub(2)).max(10);
    let height = usize::from(area.height);
    let tried = format!("Tried {};", format::age(shared, *at));
    let again = format!("{}.", format::next_try(shared, deployment));
    let retry = format!("{}: retry now.", shared.key_of(Action::Refresh));
    let hint = shared.next_step(failure);
    let whole = [
        wrap(&failure.message(), width),
        wrap(&hint, width),
        together(&[&tried, &again, &retry], width),
    ];
    let lines = |parts: &[Vec<String>; 3]| -> usize { parts.iter().map(Vec::len).sum() };
    let parts = if lines(&whole) <= height {
        whole
    } else {
        let mut lines = together(&[&again, &retry], width);
        // The key is on the last line.
        let next = lines.split_off(lines.len().saturating_sub(height.saturating_sub(1)));
        let room = height - next.len();
        let mut error = wrap(&failure.reason, width);
        if error.len() > room {
            // A reason that is cut in any case leaves room for the hint.
            let most = room.saturating_sub(wrap(&hint, width).len()).max(2);
            error = wrap_to(&failure.reason, width, most.min(room));
        }
        let hint = wrap_to(&hint, width, room - error.len());
        [error, hint, next]
    };
    // A blank line above, if one is left.
    let first = u16::from(lines(&parts) < height);
    let styles = [theme.bad(), theme.text(), theme.dim()];
    let styled = parts.into_iter().zip(styles);
    let styled =
        styled.flat_map(|(lines, style)| lines.into_iter().map(move |words| (words, style)));
    for (line, (words, style)) in (first..).zip(styled) {
        put(buffer, area.at(1, line), &words, style);
    }
}

/// Phrases on as few lines as possible; a phrase is broken only if it is longer than a
/// line.
fn together(phrases: &[&str], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for phrase in phrases {
        match lines.last_mut() {
            Some(last) if text::width(last) + 1 + text::width(phrase) <= width => {
                last.push(' ');
                last.push_str(phrase);
            }
            _ => lines.extend(wrap(phrase, width)),
        }
    }
    lines
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
