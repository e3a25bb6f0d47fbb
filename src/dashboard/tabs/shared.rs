//! What the shell shares with its tabs.

use jiff::tz::TimeZone;
use uuid::Uuid;

use crate::dashboard::columns::ShownColumn;
use crate::dashboard::keymap::{Action, Keymap};
use crate::dashboard::tab::TabId;
use crate::track::query::Query;
use crate::track::time;

/// The names of deployments.
pub(crate) trait Names {
    /// The name of a deployment on the list.
    fn name_of(&self, deployment: Uuid) -> Option<String>;
}

/// The part of the shell that a tab sees.
pub(crate) struct Shared<'a> {
    /// The current time, and how times are written.
    pub times: Times,
    /// The deployments.
    pub names: &'a dyn Names,
    /// The columns that the tab's table shows.
    pub columns: &'a [ShownColumn],
    /// The search of its rows.
    pub search: Option<&'a Query>,
    /// The keys.
    pub keymap: &'a Keymap,
    /// The tab.
    pub tab: TabId,
}

impl Shared<'_> {
    /// The name of an action's first key on the tab.
    pub(crate) fn key_of(&self, action: Action) -> String {
        self.keymap.key_of(action, self.tab)
    }
}

/// The current time, and the zone that times are shown in.
#[derive(Debug, Clone)]
pub(crate) struct Times {
    /// The zone; `None` for UTC.
    pub zone: Option<TimeZone>,
    /// The current time, UNIX seconds.
    pub now: f64,
}

impl Times {
    /// A time stamp in full: `2026-11-20 22:46:05`, in UTC or the local zone.
    pub(crate) fn moment(&self, time_stamp: f64) -> String {
        time::table(time_stamp, self.zone.as_ref())
    }

    /// A time stamp without its year, for narrow tables: `11-20 22:46:05`.
    pub(crate) fn short_moment(&self, time_stamp: f64) -> String {
        time::written(time_stamp, self.zone.as_ref(), "%m-%d %H:%M:%S")
    }

    /// The time of day: `22:46:05`.
    pub(crate) fn clock(&self, time_stamp: f64) -> String {
        time::written(time_stamp, self.zone.as_ref(), "%H:%M:%S")
    }

    /// The heading of a column of times: they are in UTC, or in a zone.
    pub(crate) fn title(&self) -> String {
        format!("time {}", self.zone_name())
    }

    /// The name of the time zone that times are shown in.
    pub(crate) fn zone_name(&self) -> String {
        match &self.zone {
            None => "UTC".to_owned(),
            Some(zone) => time::zone_name(self.now, zone),
        }
    }

    /// A time stamp in full, with its zone.
    pub(crate) fn moment_in_zone(&self, time_stamp: f64) -> String {
        format!("{} {}", self.moment(time_stamp), self.zone_name())
    }
}
