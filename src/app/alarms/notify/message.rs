//! The messages for the program of `on_alarm`: an alarm as JSON, one for each transition, and
//! one for many that happened together.

use std::collections::{HashSet, VecDeque};

use serde::Serialize;
use uuid::Uuid;

use crate::alarm::{Alarm, AlarmEvent, Kind};
use crate::app::store::Store;
use crate::archive::Transition;
use crate::text;
use crate::track::time;

/// From this many watched deployments on, those that go overdue together are reported in
/// a single message.
const FLEET: usize = 5;
/// From this age on an alarm is reported with it, seconds.
const OLD_S: f64 = 86_400.0;
/// Most of them that are named.
const MOST_NAMES: usize = 10;
/// They must be more than this fraction of all.
const FLEET_PART: f64 = 0.3;

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
    /// The ids of the alarms that are reported together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) alarms: Option<Vec<String>>,
}

impl AlarmObject {
    pub(super) fn line(&self) -> Result<String, String> {
        let line = text::json::line(self).map_err(|error| error.to_string())?;
        Ok(format!("{line}\n"))
    }

    /// The object of an alarm at `now` (UNIX seconds).
    pub(crate) fn new(alarm: &Alarm, now: f64) -> Self {
        let second = |at: f64| time::rfc3339(at.floor());
        Self {
            id: alarm.id.clone(),
            deployment: alarm.deployment.as_ref().map(ToString::to_string),
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

    /// The subject of the message, in a few words: "raised: mooring 2, outside".
    pub(super) fn subject(&self) -> String {
        let event = self.event.unwrap_or(self.state);
        if let Some(alarms) = &self.alarms {
            return format!("{event}: {} deployments, {}", alarms.len(), self.kind);
        }
        let known = self.label.as_deref().or(self.deployment.as_deref());
        let name = text::excerpt(known.unwrap_or_default(), 60);
        if name.is_empty() {
            format!("{event}: {}", self.kind)
        } else {
            format!("{event}: {name}, {}", self.kind)
        }
    }
}

/// A message to the program, and the numbers of the transitions that it reports.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Message {
    pub(super) object: AlarmObject,
    pub(super) numbers: Vec<i64>,
    /// The deployments that it is about; `None` for a service.
    pub(super) about: Vec<Option<Uuid>>,
}

impl Message {
    /// `true` if it is about the alarm with this id.
    pub(super) fn has_id(&self, id: &str) -> bool {
        self.ids().any(|own| own == id)
    }

    /// The ids of its alarms.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        let all = self.object.alarms.as_deref();
        let own = std::slice::from_ref(&self.object.id);
        all.unwrap_or(own).iter().map(String::as_str)
    }
}

/// The messages about claimed transitions, if `watched` deployments are watched: if more
/// than 30 % of five and more went overdue and still are, a single message for all of
/// them.
pub(super) fn messages(claimed: Vec<Transition>, watched: usize, now: f64) -> Vec<Message> {
    let is_overdue = |transition: &Transition| {
        let alarm = &transition.alarm;
        let is_active = alarm.kind == Kind::Overdue && alarm.cleared_at.is_none();
        transition.event == AlarmEvent::Raised && is_active
    };
    let overdue = claimed.iter().filter(|transition| is_overdue(transition));
    let deployments = overdue.filter_map(|transition| transition.alarm.uuid());
    let count = deployments.collect::<HashSet<_>>().len();
    let is_fleet = watched >= FLEET && count as f64 > limit(watched);
    let (fleet, single): (Vec<Transition>, Vec<Transition>) = claimed
        .into_iter()
        .partition(|transition| is_fleet && is_overdue(transition));
    let together = as_one(&fleet, watched, now);
    let one_by_one = single.into_iter().map(|transition| Message {
        object: AlarmObject {
            event: Some(transition.event.name()),
            text: text(&transition, now),
            ..AlarmObject::new(&at_event(&transition), now)
        },
        numbers: vec![transition.number],
        about: vec![transition.alarm.uuid()],
    });
    together.into_iter().chain(one_by_one).collect()
}

/// The alarm at a transition: if it ended since, it was not cleared at its start.
fn at_event(transition: &Transition) -> Alarm {
    let cleared_at = match transition.event {
        AlarmEvent::Cleared => transition.alarm.cleared_at,
        AlarmEvent::Raised | AlarmEvent::Reminder => None,
    };
    Alarm {
        cleared_at,
        ..transition.alarm.clone()
    }
}

/// The text of a transition, with its age in a reminder and if the alarm was raised long
/// before its first notification.
fn text(transition: &Transition, now: f64) -> String {
    let alarm = &transition.alarm;
    let age = now - transition.alarm.raised_at;
    let is_old = match transition.event {
        AlarmEvent::Raised => alarm.cleared_at.is_none() && age > OLD_S,
        AlarmEvent::Reminder => true,
        AlarmEvent::Cleared => false,
    };
    let text = match transition.event {
        AlarmEvent::Cleared => alarm.report(now),
        AlarmEvent::Raised | AlarmEvent::Reminder => alarm.report_of_start(now),
    };
    if is_old {
        format!("{text}; raised {} ago", time::duration(age))
    } else {
        text
    }
}

/// More than this many of the watched deployments are reported together.
fn limit(watched: usize) -> f64 {
    let watched = watched as f64;
    // Rounded, because 0.3 is not exact in binary.
    (FLEET_PART * watched * 10.0).round() / 10.0
}

/// A single message of many alarms; `None` for no alarms.
// Its id is made of that of the first, so that it is the same when it is sent again, and no alarm
// has it.
fn as_one(fleet: &[Transition], watched: usize, now: f64) -> Option<Message> {
    let first = fleet.first()?;
    let name = |transition: &Transition| {
        let uuid = transition
            .alarm
            .deployment
            .as_ref()
            .map(ToString::to_string);
        transition.alarm.label.clone().or(uuid).unwrap_or_default()
    };
    let mut names: Vec<String> = fleet.iter().take(MOST_NAMES).map(name).collect();
    if fleet.len() > names.len() {
        names.push(format!("{} more", fleet.len() - names.len()));
    }
    let value = fleet.len() as f64;
    let limit = limit(watched);
    let mut text = format!(
        "{} of {watched} deployments are overdue: {}",
        fleet.len(),
        names.join(", ")
    );
    let last = fleet
        .iter()
        .filter_map(|transition| transition.alarm.fix_time);
    if let Some(last) = last.reduce(f64::max) {
        let since = time::rfc3339(last.floor());
        text.push_str(&format!("; the latest good fix is of {since}"));
    }
    let object = AlarmObject {
        id: format!("m{}", first.alarm.id),
        deployment: None,
        label: None,
        fix_time: None,
        value: Some(value),
        limit: Some(limit),
        text,
        event: Some(first.event.name()),
        alarms: Some(
            fleet
                .iter()
                .map(|transition| transition.alarm.id.clone())
                .collect(),
        ),
        ..AlarmObject::new(&first.alarm, now)
    };
    Some(Message {
        object,
        numbers: fleet.iter().map(|transition| transition.number).collect(),
        about: (fleet.iter().map(|transition| transition.alarm.uuid())).collect(),
    })
}

/// The place of alarms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kept {
    /// In the user's archive.
    Archive,
    /// In memory, because they could not be stored.
    Memory,
}

/// A message that waits, and the store of its alarms.
pub(super) struct Queued {
    pub(super) store: Store,
    pub(super) kept: Kept,
    pub(super) message: Message,
}

/// The index of the message that is sent next: the first of whose deployments none is `busy` or
/// has a message that waits longer.
pub(super) fn next(queue: &VecDeque<Queued>, busy: &HashSet<Option<Uuid>>) -> Option<usize> {
    let mut earlier: HashSet<&Option<Uuid>> = busy.iter().collect();
    queue.iter().position(|queued| {
        let mut about = queued.message.about.iter();
        let is_free = about.all(|deployment| !earlier.contains(deployment));
        earlier.extend(&queued.message.about);
        is_free
    })
}
