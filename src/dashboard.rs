//! The dashboard: its shell, and the dialogs over it. Events in, effects and frames out;
//! nothing here waits, reads a clock or opens a file.

/// The tabs, in the order of their numbers: a line each, with the name on a narrow screen and the
/// module. With its folder it is a tab everywhere.
macro_rules! tabs {
    ($declare:ident) => {
        $declare! {
            Deployments "List" deployments::DeploymentsTab;
            Track "Track" track::TrackTab;
            Plants "Plants" plants::PlantsTab;
            Activity "Log" activity::ActivityTab;
        }
    };
}

mod actions;
mod activity;
pub(crate) mod alarms;
mod canvas;
pub(crate) mod columns;
pub(crate) mod components;
pub(crate) mod compute;
pub(crate) mod connection;
mod copy;
mod deployments;
pub(crate) mod dialogs;
pub(crate) mod draw;
pub(crate) mod effect;
pub(crate) mod event;
pub(crate) mod first_run;
mod footer;
mod format;
mod glance;
mod header;
pub(crate) mod history;
pub(crate) mod key;
pub(crate) mod keymap;
mod layout;
mod map;
mod message;
mod mouse;
mod notice;
mod opening;
mod panes;
mod passing_time;
pub(crate) mod plain;
mod plants;
mod progress;
mod replies;
mod row;
mod search;
mod settings;
pub(crate) mod shared;
pub(crate) mod shell;
mod signs;
mod sought;
pub(crate) mod tab;
mod tabs;
mod targets;
pub(crate) mod theme;
mod token;
mod track;
pub(crate) mod update;
mod widgets;

#[cfg(test)]
mod tests;

use crate::settings::Settings;
use dialogs::Dialog;
use shared::{Host, Watched};
use shell::Shell;

/// A dashboard without its terminal.
#[derive(Debug, Clone)]
pub(crate) struct Dashboard {
    /// The state that the panes show.
    pub shell: Shell,
    /// The dialogs, the last on top.
    pub dialogs: Vec<Dialog>,
}

impl Dashboard {
    /// The state at the start.
    pub(crate) fn new(settings: Settings, watched: Watched, host: Host) -> Self {
        Self {
            shell: Shell::new(settings, watched, host),
            dialogs: Vec::new(),
        }
    }

    /// The next time (UNIX seconds) at which time changes the screen or a fetch is due;
    /// `None` if neither happens.
    pub(crate) fn next_wake(&self) -> Option<f64> {
        let of_dialog = match self.dialogs.last() {
            Some(Dialog::Alarms(list)) => list.next_change(&self.shell),
            _ => None,
        };
        let moments = [self.shell.next_wake(), self.asks_for_token_at(), of_dialog];
        let next = moments.into_iter().flatten().reduce(f64::min);
        // Not more often than a screen can be redrawn.
        next.map(|moment| moment.max(self.shell.shared.now + 0.02))
    }

    /// When the user is asked for a token (UNIX seconds), if nothing happens before;
    /// never while a dialog is open.
    fn asks_for_token_at(&self) -> Option<f64> {
        let is_busy = self.shell.shared.deployments.loading().next().is_some();
        let due = self.shell.shared.service.token.asks_at(is_busy);
        due.filter(|_| self.dialogs.is_empty())
    }

    /// `true` while the token dialog is open because none is valid: nothing is sent
    /// automatically.
    pub(crate) fn waits_for_token(&self) -> bool {
        self.shell.shared.service.token.is_wanted()
            && matches!(self.dialogs.last(), Some(Dialog::Token(_)))
    }

    /// Opens a dialog over those that are open.
    fn open(&mut self, dialog: impl Into<Dialog>) {
        self.dialogs.push(dialog.into());
    }
}
