//! An alarm as JSON.

use serde::Serialize;

use crate::alarm::Alarm;
use crate::text;
use crate::track::time;

/// An alarm as JSON, for `alarms --json` and for the program of `on_alarm`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct AlarmObject {
    pub(super) id: String,
    pub(super) deployment: Option<String>,
    pub(super) label: Option<String>,
    pub(super) kind: &'static str,
    pub(super) state: &'static str,
    pub(super) raised_at: String,
    pub(super) acknowledged_at: Option<String>,
    pub(super) snoozed_until: Option<String>,
    pub(super) cleared_at: Option<String>,
    pub(super) fix_time: Option<String>,
    pub(super) value: Option<f64>,
    pub(super) limit: Option<f64>,
    pub(super) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) event: Option<&'static str>,
    /// The ids of the alarms that are reported as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) alarms: Option<Vec<String>>,
}

impl AlarmObject {
    /// The object on a line.
    pub(super) fn line(&self) -> Result<String, String> {
        let line = serde_json::to_string(self).map_err(|error| error.to_string())?;
        Ok(format!("{}\n", text::json::escaped(&line)))
    }

    /// The object of an alarm at `now` (UNIX seconds).
    pub(crate) fn new(alarm: &Alarm, now: f64) -> Self {
        let second = |at: f64| time::rfc3339(at.floor());
        Self {
            id: alarm.id.clone(),
            deployment: alarm.deployment.map(|uuid| uuid.to_string()),
            label: alarm.label.clone(),
            kind: alarm.kind.name(),
            state: alarm.state(now).name(),
            raised_at: second(alarm.raised_at),
            acknowledged_at: alarm.acknowledged_at.map(second),
            snoozed_until: alarm.snoozed_until.map(second),
            cleared_at: alarm.cleared_at.map(second),
            // As the service sends it: by this a fix of the track is found.
            fix_time: alarm.fix_time.map(time::rfc3339),
            value: alarm.value,
            limit: alarm.limit,
            text: alarm.report(now),
            event: None,
            alarms: None,
        }
    }

    /// What it is about, in a few words: "raised: mooring 2, outside".
    pub(super) fn subject(&self) -> String {
        let event = self.event.unwrap_or(self.state);
        if let Some(alarms) = &self.alarms {
            return format!("{event}: {} deployments, {}", alarms.len(), self.kind);
        }
        let name = self.label.as_deref().or(self.deployment.as_deref());
        let name = text::excerpt(name.unwrap_or_default(), 60);
        match name.is_empty() {
            true => format!("{event}: {}", self.kind),
            false => format!("{event}: {name}, {}", self.kind),
        }
    }
}
