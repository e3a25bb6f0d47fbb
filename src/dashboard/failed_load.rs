//! The text instead of a track that could not be loaded: the error, and what to do next.

use ratatui::buffer::Buffer;

use super::deployments::deployment::DeploymentState;
use super::format;
use super::keymap::Action;
use super::layout::Area;
use super::model::Model;
use super::theme::Theme;
use super::widgets::paint::put;
use super::widgets::wrap::{wrap, wrap_to};
use crate::text;

/// Draws the error of the last load, its hint, and when the next is due. On too few
/// lines the deployment's UUID is left out first, then the time of the attempt, then the
/// hint is cut; the reason and the next step stay.
pub(crate) fn draw(
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
    let tried = format!("Tried {};", format::age(model, *at));
    let again = format!("{}.", format::next_try(model, deployment));
    let retry = format!("{}: retry now.", model.key_of(Action::Refresh));
    let hint = wrap(&failure.hint, width);
    let all = [
        (
            failure.message(),
            together(&[&tried, &again, &retry], width),
        ),
        (
            failure.reason.clone(),
            together(&[&tried, &again, &retry], width),
        ),
        (failure.reason.clone(), together(&[&again, &retry], width)),
    ];
    let [_, _, (reason, next)] = &all;
    let fits = |(error, next): &&(String, Vec<String>)| {
        wrap(error, width).len() + hint.len() + next.len() <= height
    };
    let (error, next, hint) = match all.iter().find(fits) {
        Some((error, next)) => (wrap(error, width), next.clone(), hint),
        None => {
            let next_lines = next.len().min(height.saturating_sub(1));
            // The key is on the last line.
            let next = next.iter().skip(next.len() - next_lines);
            let next: Vec<String> = next.cloned().collect();
            let (mut error, room) = (wrap(reason, width), height - next.len());
            // A reason that is cut in any case leaves room for the hint.
            if error.len() > room {
                let most = room.saturating_sub(hint.len()).max(2).min(room);
                error = wrap_to(reason, width, most);
            }
            let rest = height.saturating_sub(error.len() + next.len());
            (error, next, wrap_to(&failure.hint, width, rest))
        }
    };
    let lines = error.len() + hint.len() + next.len();
    let styled = error.into_iter().map(|words| (words, theme.bad()));
    let styled = styled.chain(hint.into_iter().map(|words| (words, theme.text())));
    let styled = styled.chain(next.into_iter().map(|words| (words, theme.dim())));
    // A blank line above, if one is left.
    let first = u16::from(lines < height);
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
