//! A platform to choose for a deployment, each with the speed that the quality tests
//! hold it to.

use strum::VariantArray;
use uuid::Uuid;

use super::chooser::{step_of_letter, visible};
use super::{Component, Labels, Outcome};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::keymap::Action;
use crate::dashboard::model::Model;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::dashboard::widgets::table_state::{Step, TableState};
use crate::track::Platform;

/// Columns of a speed with its unit.
const SPEED: u16 = 11;

/// The list of platforms, the cursor on one of them.
#[derive(Debug, Clone)]
pub(crate) struct PlatformList {
    /// The deployment.
    pub deployment: Uuid,
    /// The platform that it has.
    pub now: Platform,
    /// Cursor over all platforms.
    pub table: TableState,
}

impl PlatformList {
    /// The platforms for a deployment, the cursor on the one that it has.
    pub(in crate::dashboard) fn new(deployment: Uuid, now: Platform) -> Self {
        let mut list = Self {
            deployment,
            now,
            table: TableState::default(),
        };
        let here = Platform::VARIANTS
            .iter()
            .position(|platform| *platform == now);
        let count = Platform::VARIANTS.len();
        list.table.go(here.unwrap_or(0), count, count);
        list
    }

    /// The platform under the cursor.
    fn chosen(&self) -> Platform {
        let chosen = Platform::VARIANTS.get(self.table.cursor);
        chosen.copied().unwrap_or(self.now)
    }
}

impl Component for PlatformList {
    fn labels(&self) -> Labels {
        Labels::new(
            "Platform",
            &[("Up Down", "choose"), ("Enter", "set"), ("Esc", "cancel")],
        )
    }

    fn key(&mut self, key: Key, model: &mut Model) -> Outcome {
        if let Some(step) = step_of_letter(key) {
            self.step(step, model);
        } else if key.code == KeyCode::Enter {
            let platform = self.chosen();
            return Outcome::Close(model.edit(self.deployment, |entry| entry.platform = platform));
        }
        Outcome::stay()
    }

    fn lines(&self, sheet: &mut Sheet, model: &Model, theme: Theme) {
        let deployment = model.deployments.get(self.deployment);
        let name = deployment.map_or_else(|| self.deployment.to_string(), |known| known.name());
        sheet.line(&[("of ", theme.dim()), (&name, theme.heading())]);
        let heading = "Each has its speed limit for the quality tests.";
        sheet.line(&[(heading, theme.dim())]);
        let all = Platform::VARIANTS;
        let names = all.iter().map(|platform| cells(platform.name()));
        let widest = names.max().unwrap_or(0) + 2;
        for (platform, is_chosen) in visible(all, self.table, all.len()) {
            sheet.line(&[(platform.name(), theme.text())]);
            let limit = model.units.speed(platform.max_speed_m_s());
            let limit = limit.trim();
            // Values are aligned at the right.
            let x = widest + SPEED.saturating_sub(cells(limit));
            let end = sheet.at(x, limit, theme.dim());
            if *platform == self.now {
                sheet.at(end + 2, "now", theme.accent());
            }
            if is_chosen {
                sheet.choose(theme.chosen());
            }
        }
        let set = deployment.and_then(|known| known.deployment.limits.max_speed_m_s);
        if let Some(limit) = set {
            let limit = model.units.speed(limit).trim().to_owned();
            let key = model.key_of(Action::SetMaxSpeed);
            let words = format!("The limit set for it, {limit}, counts instead; {key} changes it.");
            sheet.paragraph(0, &words, theme.warning());
        }
    }

    fn step(&mut self, step: Step, _model: &Model) {
        let count = Platform::VARIANTS.len();
        self.table.step(step, count, count);
    }
}
