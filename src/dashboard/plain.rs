//! The changes of the watch list as lines of text, for screen readers and logs: a line
//! for each change, in UTC, but none for a growing age.

use std::collections::HashMap;

use uuid::Uuid;

use super::alarms::words;
use super::deployments::deployment::DeploymentState;
use super::format;
use super::notice::Notice;
use super::track::field_values;
use crate::alarm::{Alarm, AlarmState, Length};
use crate::dashboard::shared::Shared;
use crate::geo::{Position, units};
use crate::text;
use crate::track::{State, time};

/// The last printed state of a deployment.
#[derive(Debug, Clone, PartialEq)]
struct Reported {
    state: State,
    /// `true` if it is that of the archive, and the service has not answered yet.
    is_stored: bool,
    /// Time stamp and position of the last fix.
    fix: Option<(f64, Position)>,
    /// The ids of its alarms, with the state of each.
    alarms: Vec<(String, AlarmState)>,
    /// Its limits that cannot be judged, and why.
    unjudged: Vec<String>,
    failure: Option<String>,
}

impl Reported {
    /// `true` if another state differs from it in the alarms and in what is not judged alone.
    fn differs_in_alarms(&self, other: &Self) -> bool {
        let with_same = Self {
            alarms: other.alarms.clone(),
            unjudged: other.unjudged.clone(),
            ..self.clone()
        };
        self != other && with_same == *other
    }
}

/// The states and messages that were printed so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Printed {
    /// The only deployment to print; `None` for all.
    only: Option<Uuid>,
    deployments: HashMap<Uuid, Reported>,
    notice: Option<Notice>,
    /// When the lines began, UNIX seconds.
    began: Option<f64>,
}

/// The longest wait for the first response of a deployment that is due, seconds: after it its line
/// shows the archived state.
const FIRST_ANSWER_S: f64 = 10.0;

impl Printed {
    /// The state before the first line. With a deployment, others have no lines.
    pub(crate) fn new(only: Option<Uuid>) -> Self {
        Self {
            only,
            ..Self::default()
        }
    }
}

/// A line for each deployment whose status, last fix, alarm or failure has changed since
/// the last call, in the order of the list, and for a message; none for a deployment
/// without any data. The first line of each has its present state: of one that is due that of the
/// archive only if the service does not respond within [`FIRST_ANSWER_S`]. A line has no control
/// characters and no line end.
pub(crate) fn changes(shared: &Shared, printed: &mut Printed) -> Vec<String> {
    let mut lines = Vec::new();
    let waited = shared.now - *printed.began.get_or_insert(shared.now);
    for deployment in &shared.deployments.list {
        let uuid = deployment.uuid();
        let is_of_interest = printed.only.is_none_or(|only| only == uuid);
        if !is_of_interest || (!deployment.track.has_data() && deployment.track.failure.is_none()) {
            continue;
        }
        let mut reported = reported(deployment, shared);
        let before = printed.deployments.get(&uuid);
        // It stays the state of the service during later requests.
        reported.is_stored &= before.is_none_or(|before| before.is_stored);
        if reported.is_stored && waited < FIRST_ANSWER_S {
            continue;
        }
        if before != Some(&reported) {
            let only_alarms = before.is_some_and(|before| before.differs_in_alarms(&reported));
            let words = if only_alarms {
                of_alarms(shared, deployment, &reported)
            } else {
                sentence(shared, deployment, &reported)
            };
            lines.push(line(shared, &words));
            printed.deployments.insert(uuid, reported);
        }
    }
    if shared.messages.notice != printed.notice {
        printed.notice.clone_from(&shared.messages.notice);
        // The line of a deployment already says it.
        if let Some(notice) = shared.message_of_action() {
            lines.push(line(shared, &format!("message: {}", notice.text)));
        }
    }
    lines
}

/// A text with the current time before it.
fn line(shared: &Shared, text: &str) -> String {
    let now = time::table(shared.now.floor(), None);
    format!("{now} UTC  {}", text::clean(text))
}

fn reported(deployment: &DeploymentState, shared: &Shared) -> Reported {
    let now = shared.now;
    let agenda = &shared.deployments.agenda;
    let is_awaited = agenda.is_awaited(deployment.uuid(), now);
    let latest = deployment.latest();
    Reported {
        state: deployment.health(now).state,
        is_stored: is_awaited && deployment.track.failure.is_none(),
        fix: latest.map(|fix| (fix.time_stamp, fix.position)),
        alarms: (deployment.alarms.iter())
            .map(|alarm| (alarm.id.clone(), alarm.state(now)))
            .collect(),
        unjudged: deployment.unjudged.clone(),
        failure: deployment
            .track
            .failure
            .as_ref()
            .map(|(why, _)| why.message()),
    }
}

/// "Drifter: lost. Last fix 2026-11-12 20:58:12 UTC, 56.69266°S 044.08124°W, 1.00
/// kn 103°T.", then its first fields, the alarms and why the last refresh failed.
fn sentence(shared: &Shared, deployment: &DeploymentState, reported: &Reported) -> String {
    let stored = if reported.is_stored {
        "no answer yet, in the archive "
    } else {
        ""
    };
    let mut words = format!("{}: {stored}{}.", deployment.name(), reported.state.word());
    match deployment.overview() {
        Some(overview) => match overview.latest {
            Some(fix) => {
                let (latitude, longitude) = shared.settings.coordinates.pair(fix.position);
                let moment = time::table(fix.time_stamp, None);
                words.push_str(&format!(" Last fix {moment} UTC, {latitude} {longitude}"));
                if let Some(speed) = fix.speed_m_s {
                    words.push_str(&format!(", {}", shared.settings.units.speed(speed)));
                    let course = fix.course_deg.map(units::course);
                    words.push_str(&course.map_or_else(String::new, |c| format!(" {c}")));
                }
                words.push('.');
                let last = deployment
                    .track
                    .get()
                    .and_then(|track| Some((track, track.latest()?)));
                let values = last.map(|(track, fix)| field_values::first(track, fix.index));
                if let Some(values) = values.filter(|values| !values.is_empty()) {
                    words.push_str(&format!(" {values}."));
                }
            }
            None => words.push_str(" No fix."),
        },
        None => words.push_str(" Not loaded."),
    }
    words.push_str(&alarms(shared, deployment));
    if let Some((failure, _)) = &deployment.track.failure {
        words.push_str(&format!(
            " Refresh failed: {}.",
            format::why_failed(failure)
        ));
    }
    words
}

/// "Drifter: on time. Alarm: …", or that no alarm is left: only the alarms have changed.
fn of_alarms(shared: &Shared, deployment: &DeploymentState, reported: &Reported) -> String {
    let mut alarms = alarms(shared, deployment);
    if deployment.alarms.is_empty() {
        alarms.insert_str(0, " No alarm.");
    }
    format!("{}: {}.{alarms}", deployment.name(), reported.state.word())
}

/// A sentence for each alarm, and for each limit that is not judged and has no alarm yet, with a
/// blank before it.
fn alarms(shared: &Shared, deployment: &DeploymentState) -> String {
    let sentence = |alarm: &Alarm| {
        let text = words::text(alarm, Length::Sentence, shared);
        let reported = match alarm.state(shared.now) {
            AlarmState::Raised => String::new(),
            state => format!(" ({})", state.name()),
        };
        format!(" Alarm: {text}{reported}.")
    };
    let has_alarm = |why: &&String| deployment.alarms.iter().any(|alarm| alarm.text == **why);
    let without_alarm = deployment.unjudged.iter().filter(|why| !has_alarm(why));
    let unjudged = without_alarm.map(|why| format!(" Not judged: {why}."));
    (deployment.alarms.iter().map(sentence))
        .chain(unjudged)
        .collect()
}
