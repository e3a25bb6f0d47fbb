//! The list of platforms, each with the speed that the quality tests hold it to.

use strum::VariantArray;

use super::sheet::{Sheet, cells};
use super::theme::Theme;
use crate::app::Model;
use crate::app::keymap::Action;
use crate::app::state::dialog::platform::PlatformList;
use crate::track::Platform;

/// Columns of a speed with its unit.
const SPEED: u16 = 11;

/// Adds the lines of the list.
pub(super) fn lines(sheet: &mut Sheet, list: &PlatformList, model: &Model, theme: Theme) {
    let one = model.deployments.get(list.deployment);
    let name = one.map_or_else(|| list.deployment.to_string(), |one| one.name());
    sheet.line(&[("of ", theme.dim()), (&name, theme.heading())]);
    sheet.line(&[(
        "Each has its speed limit for the quality tests.",
        theme.dim(),
    )]);
    let names = Platform::VARIANTS.iter().map(|one| cells(one.name()));
    let widest = names.max().unwrap_or(0) + 2;
    for (row, platform) in Platform::VARIANTS.iter().enumerate() {
        sheet.line(&[(platform.name(), theme.text())]);
        let limit = model.units.speed(platform.max_speed_m_s());
        let limit = limit.trim();
        // Values are aligned at the right.
        let x = widest + SPEED.saturating_sub(cells(limit));
        let end = sheet.at(x, limit, theme.dim());
        if *platform == list.now {
            sheet.at(end + 2, "now", theme.accent());
        }
        if row == list.table.cursor {
            sheet.choose(theme.chosen());
        }
    }
    let set = one.and_then(|one| one.deployment.limits.max_speed_m_s);
    if let Some(limit) = set {
        let limit = model.units.speed(limit).trim().to_owned();
        let key = model.key_of(Action::SetMaxSpeed);
        let words = format!("The limit set for it, {limit}, counts instead; {key} changes it.");
        sheet.paragraph(0, &words, theme.warning());
    }
}
