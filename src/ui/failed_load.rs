//! What stands in place of a track that could not be loaded: the error, and what to
//! do next.

use ratatui::buffer::Buffer;

use super::columns::put;
use super::format;
use super::theme::Theme;
use super::wrap::wrap;
use crate::app::Model;
use crate::app::keymap::Action;
use crate::app::layout::Area;
use crate::app::state::deployment::DeploymentState;
use crate::text;

/// Draws the error of the last load, its hint, and when the next is due. Where there
/// is no room for all of it, the words of the error are cut, never the next step.
pub(super) fn draw(
    buffer: &mut Buffer,
    area: Area,
    deployment: &DeploymentState,
    model: &Model,
    theme: Theme,
) {
    let Some((failure, at)) = &deployment.track.failure else {
        return;
    };
    let (width, height) = (
        usize::from(area.width.saturating_sub(2)).max(10),
        usize::from(area.height),
    );
    let refresh = model.key_of(Action::Refresh);
    let error = wrap(&failure.message(), width);
    let hint = wrap(&failure.hint, width);
    let tried = format!(
        "Tried {}; {}. {refresh}: retry now.",
        format::age(model, *at),
        format::next_try(model, deployment)
    );
    let mut tried = wrap(&tried, width);
    if 1 + hint.len() + tried.len() > height {
        tried = wrap(&format!("{refresh}: retry now."), width);
    }
    let all = error.len() + hint.len() + tried.len();
    let hint = cut(hint, height.saturating_sub(1 + tried.len()), width);
    let room = height.saturating_sub(hint.len() + tried.len());
    let error = cut(error, room, width);
    let styled = error.into_iter().map(|words| (words, theme.bad()));
    let styled = styled.chain(hint.into_iter().map(|words| (words, theme.text())));
    let styled = styled.chain(tried.into_iter().map(|words| (words, theme.dim())));
    // A blank line above, where there is one to spare.
    let first = u16::from(all < height);
    for (line, (words, style)) in (first..).zip(styled) {
        put(buffer, area, 1, line, &words, style);
    }
}

/// The first `most` lines of a text; where there are more, the last of them says so.
fn cut(mut lines: Vec<String>, most: usize, width: usize) -> Vec<String> {
    if lines.len() > most {
        let rest = lines.split_off(most);
        if let (Some(last), Some(next)) = (lines.last_mut(), rest.first()) {
            *last = text::fit(&format!("{last} {next}{}", " ".repeat(width)), width);
        }
    }
    lines
}
