//! A screen too small for the panes: status, name and age of a single deployment.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::alarms::words;
use super::deployments::deployment::DeploymentState;
use super::format;
use super::layout::{Area, Parts, SMALLEST};
use super::theme::Theme;
use super::widgets::paint::put;
use super::widgets::wrap::wrap;
use crate::alarm::Length;
use crate::dashboard::shared::Shared;
use crate::dashboard::shell::Shell;

/// Draws the open deployment on Track, else the selected one; below it the size that the
/// panes need, if there is room.
pub(crate) fn draw(buffer: &mut Buffer, area: Area, shell: &Shell, theme: Theme) {
    let width = usize::from(area.width).max(1);
    let deployment = shell.chosen_deployment();
    let mut lines: Vec<(String, Style)> = Vec::new();
    for (words, style) in deployment.map_or_else(Vec::new, |deployment| {
        rows(deployment, &shell.shared, theme)
    }) {
        lines.extend(wrap(&words, width).into_iter().map(|line| (line, style)));
    }
    let needs = needs(area);
    if lines.is_empty() || lines.len() + needs.len() <= usize::from(area.height) {
        lines.extend(needs.into_iter().map(|line| (line, theme.dim())));
    }
    for (line, (words, style)) in (0..area.height).zip(&lines) {
        put(buffer, area.at(0, line), words, *style);
    }
}

/// The size that the dashboard needs and the size that there is, in lines.
fn needs(area: Area) -> Vec<String> {
    let size = format!(
        "driftline needs {}x{}; this is {}x{}",
        SMALLEST.0, SMALLEST.1, area.width, area.height
    );
    wrap(&size, usize::from(area.width).max(1))
}

/// The facts of a deployment, the most urgent first.
fn rows(deployment: &DeploymentState, shared: &Shared, theme: Theme) -> Vec<(String, Style)> {
    let health = deployment.health(shared.now);
    let (mark, style) = theme.state(health.state);
    let mut rows = vec![(format!("{mark} {}", deployment.status(shared.now)), style)];
    rows.push((deployment.name(), theme.text()));
    let latest = deployment.latest();
    if let Some(fix) = latest {
        rows.push((deployment.age(fix.time_stamp, shared.now), style));
    }
    if let Some((alarm, state)) = deployment.alarm(shared.now) {
        let (sign, style) = words::sign(state, theme);
        let text = words::text(alarm, Length::Sentence, shared);
        rows.push((format!("{sign} {text}"), style));
    }
    if let Some(fix) = latest {
        rows.push((format::position(shared, fix.position), theme.text()));
    }
    rows
}
