//! The settings of the dashboard: applied to screen and terminal, and written into their
//! file.

use color_eyre::eyre::{self, WrapErr};

use super::notification::Announcer;
use super::{Loop, ask_ground, capabilities, raw};
use crate::dashboard::event::Event;
use crate::dashboard::theme::{Ground, Theme};
use crate::failure::{Failure, FailureKind};
use crate::ops::settings_file::{NewSetting, SettingsFile};

impl Loop {
    /// Applies the settings of the screen and the terminal; the model applies the others.
    pub(super) fn apply_settings(&mut self) -> eyre::Result<()> {
        let cannot_write = "cannot write to the terminal";
        let settings = &self.dashboard.model.settings;
        let look = settings.look();
        self.theme = Theme::of(self.theme.can, &look, self.ground);
        if !matches!(self.ground, Ground::Known(_)) && self.asked_at.is_none() {
            self.asked_at = ask_ground(self.theme.can, &look).wrap_err(cannot_write)?;
            #[cfg(unix)]
            if let (Some(_), Some(keys)) = (self.asked_at, &self.keys) {
                keys.expect_reply();
            }
        }
        if settings.mouse != self.takes_mouse {
            self.takes_mouse = settings.mouse;
            let done = if self.takes_mouse {
                raw::take_mouse()
            } else {
                raw::leave_mouse()
            };
            done.wrap_err(cannot_write)?;
        }
        self.announcer = Announcer::new(settings.notify, &capabilities::variable);
        Ok(())
    }
}

/// Writes a setting into the settings file, if there is one; returns the event that says
/// so.
pub(super) async fn written(file: Option<SettingsFile>, new: NewSetting) -> Event {
    let of_table = new.table.map(|table| format!("{table} {}", new.name));
    let name = of_table.unwrap_or_else(|| new.name.clone());
    let outcome = match file {
        Some(file) => file.write(new).await,
        None => Err(Failure::new(
            FailureKind::Other,
            "there is no settings file: HOME is unset, empty or relative",
            "The setting stays for this session.",
        )),
    };
    let outcome = outcome.map(Box::new);
    Event::SettingWritten { name, outcome }
}
