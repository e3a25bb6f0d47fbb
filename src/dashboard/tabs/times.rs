//! How the tabs write times.

use jiff::tz::TimeZone;

use crate::track::time;

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

    /// A time stamp without year and seconds: `11-20 22:46`.
    pub(crate) fn minute(&self, time_stamp: f64) -> String {
        time::written(time_stamp, self.zone.as_ref(), "%m-%d %H:%M")
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
