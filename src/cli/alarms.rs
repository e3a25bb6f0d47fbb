//! Lists alarms, and acknowledges or snoozes them.

use super::args::Global;
use super::args::fleet::{AlarmCommand, AlarmsArguments};
use super::output::{Out, note, warn};
use super::run::{Run, duration};
use crate::alarm::{Alarm, AlarmReply, AlarmState, Length, is_told};
use crate::app::alarms::notify::message::AlarmObject;
use crate::app::alarms::{not_stored, unjudged};
use crate::app::session::connect;
use crate::app::watch_list;
use crate::archive::Archive;
use crate::failure::Failure;
use crate::formats::Format;
use crate::geo::Units;
use crate::os::clock::unix_now;
use crate::text;
use crate::track::time;
use crate::watch::DeploymentId;

/// Prints the alarms, with `--all` those that have ended too.
pub(super) async fn list(global: &Global, arguments: AlarmsArguments) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    let settings = &run.settings;
    let store = &run.store;
    let alarms = if arguments.all {
        store.read(Archive::alarms).await?
    } else {
        store.read(Archive::active_alarms).await?
    };
    let now = unix_now();
    // What can be read is printed; that the rest cannot is a warning, or the command's failure.
    let (mut listed, mut doubts, mut unread) = (Vec::new(), Vec::new(), None);
    match watch_list::listed(settings, store).await {
        Ok(entries) => entries.into_iter().for_each(|entry| {
            doubts.extend(entry.damage);
            listed.extend(entry.deployment);
        }),
        Err(failure) => unread = Some(failure),
    }
    match unjudged(store, &listed).await {
        Ok(found) => doubts.extend(found),
        Err(failure) => unread = unread.or(Some(failure)),
    }
    doubts.into_iter().for_each(warn);
    if let Some(why) = not_stored(settings, store, &listed).await {
        warn(why);
    }
    let printed = print(&run, &arguments, &alarms, now)?;
    unread.map_or(Ok(printed), Err)
}

/// Prints alarms in the form asked for; returns the exit status.
fn print(
    run: &Run,
    arguments: &AlarmsArguments,
    alarms: &[Alarm],
    now: f64,
) -> Result<u8, Failure> {
    let settings = &run.settings;
    if arguments.printed.form() == Format::Json {
        let objects: Vec<AlarmObject> = alarms
            .iter()
            .map(|alarm| AlarmObject::new(alarm, now))
            .collect();
        return Out::new().json(&objects);
    }
    if alarms.is_empty() {
        let archive = settings.archive.as_ref();
        match archive.and_then(|archive| archive.file()) {
            Some(file) if !file.exists() => note(&format!(
                "There is no archive at {} yet, so there is no alarm.",
                file.display()
            )),
            _ => note("There is no active alarm."),
        }
    }
    let is_untold = |alarm: &Alarm| {
        let is_silent = settings.on_alarm.is_empty() || alarm.acknowledged_at.is_some();
        !is_silent && alarm.notified_at.is_none() && alarm.cleared_at.is_none()
    };
    let in_use = connect::name_in_use(settings);
    let rows = alarms.iter().map(|alarm| {
        let mut row = row(alarm, in_use.as_deref(), settings.units, now);
        if let Some(text) = row.last_mut().filter(|_| is_untold(alarm)) {
            text.push_str("; on_alarm is not notified yet");
        }
        row
    });
    let heading = ["id", "state", "kind", "raised UTC", "deployment: alarm"];
    Out::new().text(&text::table(&heading, rows, &[]))
}

/// The cells of an alarm: what raised it with the time of its fix, or the present age of a last
/// fix. Times are in whole seconds. An alarm of another service than `in_use` has its name.
fn row(alarm: &Alarm, in_use: Option<&str>, units: Units, now: f64) -> Vec<String> {
    let uuid = alarm.deployment.as_ref().map(ToString::to_string);
    let label = alarm.label.clone();
    let name = label.or(uuid).unwrap_or_else(|| "the service".to_owned());
    let service = alarm.deployment.as_ref().and_then(DeploymentId::service);
    let elsewhere = service.filter(|service| in_use.is_some_and(|own| own != *service));
    let at_service = elsewhere.map_or_else(String::new, |service| {
        format!(" at {}", text::excerpt(service, 200))
    });
    let state = alarm.state(now);
    let reply = match state {
        AlarmState::Raised => String::new(),
        AlarmState::Acknowledged => moment(", acknowledged", alarm.acknowledged_at),
        AlarmState::Snoozed => moment(", snoozed until", alarm.snoozed_until),
        AlarmState::Cleared => ended(alarm),
    };
    let at = alarm.fix_time.map_or_else(String::new, whole_second);
    let words = alarm
        .words(alarm.current(None, None, now))
        .at(at)
        .write(Length::Full, units);
    let name = text::excerpt(&name, 60);
    let words = text::excerpt(&words, 400);
    vec![
        alarm.id.clone(),
        state.name().to_owned(),
        alarm.kind.name().to_owned(),
        whole_second(alarm.raised_at),
        format!("{name}{at_service}: {words}{reply}"),
    ]
}

/// When an alarm ended and why, and that nobody was notified if that was long ago.
fn ended(alarm: &Alarm) -> String {
    let cleared = moment(", cleared", alarm.cleared_at);
    let why = (alarm.ended.as_ref())
        .map_or_else(String::new, |why| format!(": {}", text::excerpt(why, 200)));
    match alarm.cleared_at {
        Some(at) if !is_told(at, alarm.seen_at) => {
            format!("{cleared}{why}; over a day before it was seen: listed, no message")
        }
        _ => cleared + &why,
    }
}

fn moment(what: &str, at: Option<f64>) -> String {
    at.map_or_else(String::new, |at| format!("{what} {}", whole_second(at)))
}

/// RFC 3339 in UTC, the second cut.
fn whole_second(at: f64) -> String {
    time::rfc3339(at.floor())
}

/// Acknowledges or snoozes an alarm, or all of a message.
pub(super) async fn reply(global: &Global, command: AlarmCommand) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    let (id, reply, done) = match command {
        AlarmCommand::Ack { id } => {
            let done = "acknowledged".to_owned();
            (typed(&id)?, AlarmReply::Acknowledged, done)
        }
        AlarmCommand::Snooze {
            id,
            duration: wanted,
        } => {
            let id = typed(&id)?;
            let seconds = duration("the duration", &wanted)?;
            // A whole second, as it is shown and sent.
            let until = (unix_now() + seconds).ceil();
            let how_long = time::whole_duration(seconds);
            let done = format!("snoozed for {how_long}, until {}", whole_second(until));
            (id, AlarmReply::SnoozedUntil(until), done)
        }
    };
    let now = unix_now();
    let before = run.store.reply(id.clone(), reply, now).await?;
    let words = replied(&id, &before, reply, &done, now).ok_or_else(|| {
        Failure::other(format!("there is no alarm {}", text::excerpt(&id, 40)))
            .with_hint("An alarm is named by its id: `driftline alarms` lists them, with --all those that have ended.")
    })?;
    note(&words);
    Ok(has_ended(&before, now))
}

/// The exit status of `ack` and `snooze`: 1 where all that was named has ended.
fn has_ended(before: &[Alarm], now: f64) -> u8 {
    let mut all = before.iter();
    u8::from(all.all(|alarm| alarm.state(now) == AlarmState::Cleared))
}

/// The outcome of a reply to the alarms with an id, as they were before; `None` for no alarm.
/// `done` is "acknowledged" or "snoozed for …".
fn replied(id: &str, before: &[Alarm], reply: AlarmReply, done: &str, now: f64) -> Option<String> {
    use AlarmState::{Acknowledged, Cleared};
    let is_message = before.len() > 1;
    let what = |alarm: &Alarm| match (alarm.state(now), reply) {
        (Cleared, _) => "ended before",
        (Acknowledged, AlarmReply::Acknowledged) => "already acknowledged before",
        // It is snoozed only if it was named.
        (Acknowledged, AlarmReply::SnoozedUntil(_)) if is_message => {
            "acknowledged before and not snoozed"
        }
        _ => done,
    };
    let named = |alarm: &Alarm| {
        let uuid = alarm.deployment.as_ref().map(ToString::to_string);
        let name = alarm.label.clone().or(uuid).unwrap_or_default();
        let name = text::excerpt(&name, 60);
        format!("{}: {name} ({})", what(alarm), alarm.id)
    };
    let all: Vec<String> = before.iter().map(named).collect();
    let words = all.join("; ");
    match before.len() {
        0 => None,
        1 => Some(words),
        count => Some(format!("{id} is a message of {count} alarms; {words}")),
    }
}

/// The id of an alarm, in the case in which ids are written.
fn typed(id: &str) -> Result<String, Failure> {
    let id = id.trim().to_ascii_lowercase();
    if !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        Ok(id)
    } else {
        Err(Failure::usage(format!(
            "'{}' is not the id of an alarm",
            text::excerpt(&id, 40)
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alarm::{Cause, Kind, Unanswered};
    use crate::testing::dashboard::alarm;
    use crate::testing::track::track;
    use crate::track::Platform;

    const NOW: f64 = 1.8e9;

    fn named(id: &str, state: AlarmState) -> Alarm {
        let one = alarm(id, Some(uuid::Uuid::nil()), Kind::Overdue, NOW, 900.0);
        let mut one = Alarm {
            label: Some(format!("buoy {id}")),
            ..one
        };
        match state {
            AlarmState::Raised => {}
            AlarmState::Acknowledged => one.acknowledged_at = Some(NOW - 60.0),
            AlarmState::Snoozed => one.snoozed_until = Some(NOW + 60.0),
            AlarmState::Cleared => one.cleared_at = Some(NOW - 60.0),
        }
        one
    }

    fn line(alarm: &Alarm, units: Units, now: f64) -> String {
        row(alarm, None, units, now).join("  ")
    }

    #[test]
    fn an_alarm_is_told_by_what_raised_it_and_a_silence_by_its_age_now() {
        let one = alarm("a", Some(uuid::Uuid::nil()), Kind::Outside, NOW, 900.0);
        let one = Alarm {
            label: Some("buoy".to_owned()),
            ..one
        };
        // The value has the time of its fix.
        let raised = line(&one, Units::Metric, NOW);
        assert_eq!(
            raised,
            "a  raised  outside  2027-01-15T07:45:00Z  buoy: outside its watch circle at \
             2027-01-15T07:44:00Z: 240 m from the centre, limit 200 m"
        );
        // An age is that of now, with the cause.
        let overdue = alarm("b", Some(uuid::Uuid::nil()), Kind::Overdue, NOW, 900.0);
        let unanswered = |why: &str| Unanswered {
            since: Some(NOW - 7200.0),
            why: Some(why.to_owned()),
        };
        let overdue = Alarm {
            cause: Some(Cause {
                unanswered: Some(unanswered("404 Not Found")),
                ..Cause::default()
            }),
            ..overdue
        };
        let listed = line(&overdue, Units::Metric, NOW + 86_400.0);
        let words = "overdue: no fix for 1 d, limit 3 h; no usable answer since \
                     2027-01-15T06:00:00Z: 404 Not Found";
        assert!(listed.ends_with(words), "{listed}");
        // What came since is in the units of the settings.
        let still = (0..30).map(|n| (NOW + 600.0 * f64::from(n - 31), 60.0, 5.0));
        let fixes = still.chain([(NOW - 600.0, 61.0, 5.0)]);
        let newer = track(Platform::Drifter, NOW, fixes).newer();
        let written = |units| newer.and_then(|newer| newer.text(units)).unwrap();
        let failed = Alarm {
            cause: Some(Cause {
                newer,
                unanswered: Some(unanswered("404")),
                ..Cause::default()
            }),
            ..overdue.clone()
        };
        let listed = line(&failed, Units::Nautical, NOW + 86_400.0);
        let words = format!("limit 3 h; {}; no usable answer", written(Units::Nautical));
        assert!(listed.contains(&words), "{listed}");
        let old = Alarm {
            cleared_at: Some(NOW),
            seen_at: NOW + 86_401.0,
            ..one.clone()
        };
        let listed = line(&old, Units::Metric, NOW + 86_401.0);
        let words = "watch circle at 2027-01-15T07:44:00Z: 240 m from the centre, limit 200 m, \
                     cleared 2027-01-15T08:00:00Z; over a day before it was seen: listed, no message";
        assert!(listed.ends_with(words), "{listed}");
        // In the units of the settings, and with the reason of its end once.
        let over = Alarm {
            cleared_at: Some(NOW),
            value: Some(3704.0),
            ended: Some("its time window ended".to_owned()),
            ..one.clone()
        };
        let listed = line(&over, Units::Nautical, NOW + 60.0);
        let words = "2.00 nm from the centre, limit 200 m, cleared 2027-01-15T08:00:00Z: \
                     its time window ended";
        assert!(listed.ends_with(words), "{listed}");
    }

    #[test]
    fn what_is_acknowledged_of_a_message_of_many_alarms_is_said_and_what_is_not() {
        use AlarmState::{Acknowledged, Cleared, Raised, Snoozed};
        let all = [
            ("a", Raised),
            ("b", Snoozed),
            ("c", Acknowledged),
            ("d", Cleared),
        ]
        .map(|(id, state)| named(id, state));
        let words = "snoozed for 7 s, until 2027-01-15T08:00:07Z";
        let acknowledged = |id: &str, before: &[Alarm]| {
            replied(id, before, AlarmReply::Acknowledged, "acknowledged", NOW)
        };
        let snoozed = |id: &str, before: &[Alarm]| {
            let reply = AlarmReply::SnoozedUntil(NOW + 7.0);
            replied(id, before, reply, words, NOW).unwrap()
        };
        assert_eq!(
            acknowledged("mx", &all).unwrap(),
            "mx is a message of 4 alarms; acknowledged: buoy a (a); acknowledged: buoy b (b); \
             already acknowledged before: buoy c (c); ended before: buoy d (d)"
        );
        assert_eq!(
            snoozed("mx", &all),
            format!(
                "mx is a message of 4 alarms; {words}: buoy a (a); {words}: buoy b (b); \
                 acknowledged before and not snoozed: buoy c (c); ended before: buoy d (d)"
            )
        );
        for (state, said) in [
            (Raised, "acknowledged: buoy a (a)"),
            (Acknowledged, "already acknowledged before: buoy a (a)"),
            (Cleared, "ended before: buoy a (a)"),
        ] {
            let single = acknowledged("a", &[named("a", state)]);
            assert_eq!(single.as_deref(), Some(said));
        }
        for state in [Raised, Acknowledged] {
            let single = snoozed("a", &[named("a", state)]);
            assert_eq!(single, format!("{words}: buoy a (a)"));
        }
        assert_eq!(acknowledged("a", &[]), None);
    }
}
