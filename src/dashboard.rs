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

use std::time::Duration;

use crate::settings::Settings;
use deployments::moment::update::PLAYED_EVERY_S;
use dialogs::Dialog;
use progress::TURN_S;
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

    /// The time from one frame to the next while nothing happens: ages are written to the second.
    // Not the time until a text changes next: each kind of text would have to know it, to spare
    // a thousandth of the processor.
    pub(crate) fn tick(&self) -> Duration {
        let deployments = &self.shell.shared.deployments;
        let moment = deployments.moment.as_ref();
        let is_played = moment.is_some_and(|moment| moment.plays_at.is_some());
        let is_busy = deployments.loading().next().is_some() || self.shell.tabs.are_busy();
        Duration::from_secs_f64(match (is_played, is_busy) {
            (true, _) => PLAYED_EVERY_S,
            (false, true) => TURN_S,
            (false, false) => 1.0,
        })
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
