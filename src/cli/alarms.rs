//! Alarms: what stands, and what a user says of it.

use std::time::Duration;

use super::args::Global;
use super::args::fleet::AlarmsArguments;
use super::connect;
use super::output::{Out, note};
use crate::alarm::{Alarm, AlarmState, Current, Kind};
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::ops;
use crate::ops::store::Store;
use crate::ops::tell;
use crate::ops::tell::object::AlarmObject;
use crate::settings::Settings;
use crate::text;
use crate::track::time;

/// A program of `on_alarm` is ended after 10 s; a little more.
const LONGEST: Duration = Duration::from_secs(12);

/// Prints the alarms, with `--all` those that have ended too.
pub(super) async fn list(global: &Global, arguments: AlarmsArguments) -> Result<u8, Failure> {
    let settings = connect::settings(global)?;
    let store = connect::store(&settings);
    let alarms = store.alarms(arguments.all).await?;
    let now = unix_now();
    if arguments.json {
        let objects: Vec<AlarmObject> = alarms
            .iter()
            .map(|alarm| AlarmObject::new(alarm, now))
            .collect();
        return Out::new().json(&objects);
    }
    if alarms.is_empty() {
        let archive = settings.archive.as_ref();
        match archive.and_then(|archive| archive.value.file()) {
            Some(file) if !file.exists() => note(&format!(
                "There is no archive at {} yet, so there is no alarm.",
                file.display()
            )),
            _ => note("No alarm stands."),
        }
    }
    let current = ops::alarms::current(&settings, &store, &alarms).await;
    let lines = alarms.iter().zip(&current);
    let lines: String = lines
        .map(|(alarm, current)| line(alarm, current.as_ref(), now))
        .collect();
    Out::new().text(&lines)
}

/// Tells the program of `on_alarm` what has happened to alarms, after a command
/// that has stored an answer; what goes wrong is said and changes nothing else.
pub(super) async fn tell(settings: &Settings, store: &Store) {
    for failure in tell::tell(store, &settings.on_alarm.value).await {
        note(&format!("driftline: {failure}"));
    }
}

/// As [`tell()`], with the settings that the flags choose.
pub(super) async fn tell_any(global: &Global) {
    if let Ok(settings) = connect::settings(global) {
        tell(&settings, &connect::store(&settings)).await;
    }
}

/// As [`tell()`] for a command that has to end by a time: where too little of it is
/// left for a program that takes long, another driftline tells.
pub(super) async fn tell_until(end: tokio::time::Instant, settings: &Settings, store: &Store) {
    if tokio::time::Instant::now() + LONGEST < end {
        // What is not told by then is told by another.
        let _ = tokio::time::timeout_at(end, tell(settings, store)).await;
    }
}

/// An alarm on one line: as it is now where that is known, else with the time of the
/// value. Times are in whole seconds.
fn line(alarm: &Alarm, current: Option<&Current>, now: f64) -> String {
    let uuid = alarm.deployment.map(|uuid| uuid.to_string());
    let name = alarm
        .label
        .clone()
        .or(uuid)
        .unwrap_or_else(|| "the service".to_owned());
    let state = alarm.state(now);
    let said = match state {
        AlarmState::Raised => String::new(),
        AlarmState::Acknowledged => moment(", acknowledged", alarm.acknowledged_at),
        AlarmState::Snoozed => moment(", snoozed until", alarm.snoozed_until),
        AlarmState::Cleared => moment(", cleared", alarm.cleared_at),
    };
    let (words, at) = match current {
        Some(current) => (current.text(), None),
        None => (alarm.text.clone(), measured_at(alarm)),
    };
    let at = at.map_or_else(String::new, |at| format!(" (at {})", whole_second(at)));
    format!(
        "{}  {:<12}  {:<11}  {}  {}: {}{at}{said}\n",
        alarm.id,
        state.name(),
        alarm.kind.name(),
        whole_second(alarm.raised_at),
        text::excerpt(&name, 60),
        text::excerpt(&words, 200)
    )
}

/// When the value in the text of an alarm was measured, UNIX seconds; `None` where it
/// has none.
fn measured_at(alarm: &Alarm) -> Option<f64> {
    alarm.value?;
    match alarm.kind {
        // The age is counted when it is found.
        Kind::Overdue => Some(alarm.seen_at),
        _ => alarm.fix_time,
    }
}

fn moment(what: &str, at: Option<f64>) -> String {
    at.map_or_else(String::new, |at| format!("{what} {}", whole_second(at)))
}

/// RFC 3339 in UTC, the second cut.
fn whole_second(at: f64) -> String {
    time::rfc3339(at.floor())
}

/// Acknowledges an alarm.
pub(super) async fn acknowledge(global: &Global, id: &str) -> Result<u8, Failure> {
    let settings = connect::settings(global)?;
    let store = connect::store(&settings);
    let id = typed(id)?;
    let before = store.acknowledge(id.clone()).await?;
    let before = before.ok_or_else(|| no_such(&id))?;
    note(&match before.state(unix_now()) {
        AlarmState::Cleared => format!("alarm {id} has ended and cannot be acknowledged"),
        AlarmState::Acknowledged => format!("alarm {id} is already acknowledged"),
        AlarmState::Raised | AlarmState::Snoozed => format!("alarm {id} is acknowledged"),
    });
    Ok(0)
}

/// Puts the reminders of an alarm off.
pub(super) async fn snooze(global: &Global, id: &str, duration: &str) -> Result<u8, Failure> {
    let settings = connect::settings(global)?;
    let store = connect::store(&settings);
    let id = typed(id)?;
    let seconds = connect::duration("the duration", duration)?;
    // A whole second, as it is shown and told.
    let until = (unix_now() + seconds).ceil();
    let before = store.snooze(id.clone(), until).await?;
    let before = before.ok_or_else(|| no_such(&id))?;
    note(&match before.state(unix_now()) {
        AlarmState::Cleared => format!("alarm {id} has ended and cannot be snoozed"),
        _ => format!("alarm {id} is snoozed until {}", whole_second(until)),
    });
    Ok(0)
}

/// The id of an alarm, in the case in which ids are written.
fn typed(id: &str) -> Result<String, Failure> {
    let id = id.trim().to_ascii_lowercase();
    match !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        true => Ok(id),
        false => Err(Failure::usage(format!(
            "'{}' is not the id of an alarm",
            text::excerpt(&id, 40)
        ))),
    }
}

fn no_such(id: &str) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!("there is no alarm {}", text::excerpt(id, 40)),
        "`driftline alarms --all` lists them.",
    )
}
