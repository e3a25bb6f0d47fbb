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

/// Draws the progress and the rate, as on Activity, and how to cancel.
fn loading(buffer: &mut Buffer, area: Area, loading: Loading, shared: &Shared, theme: Theme) {
    let since = (shared.now - loading.since).max(0.0);
    let progress = &loading.progress;
    let mut transfer = progress::transfer(progress, since);
    if progress.bytes == 0 {
        transfer.push_str(&format!(", {since:.0} s"));
    }
    let spinner = progress::spinner(shared.now, theme);
    let words = format!("{spinner} loading: {transfer}");
    let lines = [(&*words, theme.text()), ("Esc cancels.", theme.dim())];
    explain(buffer, area, &lines);
}

/// Draws the error of the last load, its hint, and when the next is due. On too few lines the
/// deployment's UUID is left out, then the reason is cut; the next step stays.
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
    let tried = format::age(shared, *at);
    let again = format::next_try(shared, deployment);
    let key = shared.key_of(Action::Refresh);
    let next = format!("Tried {tried}; {again}. {key}: retry now.");
    let [hint, next] = [shared.next_step(failure), next].map(|words| wrap(&words, width));
    let room = height.saturating_sub(hint.len() + next.len()).max(1);
    let mut why = wrap(&failure.message(), width);
    if why.len() > room {
        why = wrap_to(&failure.reason, width, room);
    }
    // A blank line above, if one is left.
    let first = u16::from(why.len() < room);
    let parts = [
        (why, theme.bad()),
        (hint, theme.text()),
        (next, theme.dim()),
    ];
    let styled = parts.into_iter();
    let styled =
        styled.flat_map(|(lines, style)| lines.into_iter().map(move |words| (words, style)));
    for (line, (words, style)) in (first..).zip(styled) {
        put(buffer, area.at(1, line), &words, style);
    }
}
