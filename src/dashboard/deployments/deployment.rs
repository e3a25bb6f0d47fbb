//! A watched deployment: its entry, the user's choices for its track, and its track.

use std::borrow::Cow;

use uuid::Uuid;

use super::fetch_state::FetchState;
use crate::alarm::{Alarm, AlarmState, Kind};
use crate::dashboard::alarms::rank;
use crate::failure::Failure;
use crate::text::{self, has_word};
use crate::track::query::{Quantity, Query};
use crate::track::{
    DeclaredState, FlagOverrides, Health, LastAsked, State, TrackOptions, overdue_after_s, time,
};
use crate::watch::agenda::LastAnswer;
use crate::watch::overview::LastFix;
use crate::watch::{Deployment, FetchDelta, Overview};

/// A watched deployment with its track.
#[derive(Debug, Clone)]
pub(crate) struct DeploymentState {
    /// Its entry of the watch list.
    pub deployment: Deployment,
    pub listing: Listing,
    /// `true` if failed fixes are excluded from track line and statistics.
    pub exclude_failed: bool,
    /// The flags that the user set.
    pub overrides: FlagOverrides,
    pub track: FetchState,
    /// `true` if a track was loaded from the archive or the service: only then
    /// does the next response add something.
    pub has_baseline: bool,
    /// The changes that the last refresh made.
    pub delta: Option<FetchDelta>,
    /// Why the last response could not be stored.
    pub unstored: Option<Failure>,
    /// Notes for the user about the last response.
    pub notes: Vec<String>,
    /// The shortest wait between two requests for it, seconds.
    pub(in crate::dashboard) wait_s: f64,
    /// `true` while its service fails.
    pub(in crate::dashboard) service_fails: bool,
    /// Its active alarms, the latest first.
    pub alarms: Vec<Alarm>,
    /// Why limits of it cannot be judged, a sentence for each.
    pub unjudged: Vec<String>,
    /// The index of its letter and colour among the deployments marked for one map;
    /// `None` if it is not marked.
    pub mark: Option<usize>,
    /// The last values of its fields, once a user compares with them or selects it.
    pub last_values: Vec<(String, f64)>,
    /// The time of the last fix when they were requested because it was selected, UNIX
    /// seconds.
    pub values_at: Option<f64>,
}

/// The word for a deployment with a limit that cannot be judged, for find and filter.
pub(crate) const UNJUDGED: &str = "unjudged";

/// The words for the status of a deployment of which a report was due while the service did not
/// answer.
pub(in crate::dashboard) const NOT_KNOWN: &str = "not known";
/// The fewest letters that are looked for in a UUID.
const IN_UUID: usize = 4;

/// The list that a deployment is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    /// Nowhere: it was named when the program started, and is only shown.
    Shown,
    /// On the watch list of the archive.
    Archived,
    /// In the settings file; the archive may store changes of its entry.
    Configured,
}

impl DeploymentState {
    /// A deployment that is fetched every `wait_s` seconds at most.
    pub(in crate::dashboard) fn new(deployment: Deployment, wait_s: f64) -> Self {
        Self {
            mark: None,
            deployment,
            listing: Listing::Archived,
            exclude_failed: true,
            overrides: FlagOverrides::default(),
            track: FetchState::default(),
            has_baseline: false,
            delta: None,
            unstored: None,
            notes: Vec::new(),
            wait_s,
            service_fails: false,
            alarms: Vec::new(),
            unjudged: Vec::new(),
            last_values: Vec::new(),
            values_at: None,
        }
    }

    pub(crate) fn name(&self) -> String {
        self.deployment.name()
    }

    /// The notes about the last response, without those that `unjudged` has.
    pub(crate) fn note(&self) -> String {
        let all = self.notes.iter();
        let others = all.filter(|note| !self.unjudged.contains(note));
        others.cloned().collect::<Vec<_>>().join("; ")
    }

    /// The name as it is sorted: "buoy 2" before "buoy 12".
    pub(in crate::dashboard) fn sort_name(&self) -> String {
        text::natural_key(&self.name().to_lowercase())
    }

    /// The group as it is sorted: deployments without a group are last.
    pub(in crate::dashboard) fn sort_group(&self) -> (bool, String) {
        let group = self.group();
        (group.is_empty(), group)
    }

    /// The group in lower case; empty for none.
    fn group(&self) -> String {
        let group = self.deployment.group.as_deref();
        group.unwrap_or_default().to_lowercase()
    }

    /// `true` if it contains the lower-case text in its name, UUID, platform, group,
    /// status or notes; an empty text is in all. After `status:` or `group:` the
    /// text is looked for there alone. A few letters or digits are in nearly every
    /// UUID: a shorter text than [`IN_UUID`] is not looked for there.
    pub(crate) fn contains(&self, text: &str, now: f64) -> bool {
        if text.is_empty() {
            return true;
        }
        if let Some(group) = text.strip_prefix("group:") {
            return has_word(&self.group(), group.trim());
        }
        let status = text.strip_prefix("status:").map(str::trim);
        // Silence is the status of its own: who is lost is not counted as overdue, too.
        let has_alarm = |alarm: &Alarm, text: &str| {
            alarm.kind.word().contains(text) && (status.is_none() || alarm.kind != Kind::Overdue)
        };
        let has_status = |text: &str| {
            self.health(now).state.word().contains(text)
                || (self.alarms.iter()).any(|alarm| has_alarm(alarm, text))
                || !self.unjudged.is_empty() && UNJUDGED.contains(text)
        };
        match status {
            Some(status) => has_status(status),
            None if self.has_word(text) || has_status(text) => true,
            None => {
                let id = self.deployment.id.to_string().to_lowercase();
                text.len() >= IN_UUID && id.contains(text)
            }
        }
    }

    /// `true` if it matches a query: its texts, the age, speed, course and position of its
    /// last fix, and the last values of its fields.
    pub(in crate::dashboard) fn answers(&self, query: &Query, now: f64) -> bool {
        let latest = || self.overview()?.latest;
        let value = |_, quantity: &Quantity| match quantity {
            Quantity::Time => latest().map(|fix| fix.time_stamp),
            Quantity::Age => {
                let now = self.track.clock().later(now);
                latest().map(|fix| now - fix.time_stamp)
            }
            Quantity::Latitude => latest().map(|fix| fix.position.latitude),
            Quantity::Longitude => latest().map(|fix| fix.position.longitude),
            Quantity::Speed => latest().and_then(|fix| fix.speed_m_s),
            Quantity::Course => latest().and_then(|fix| fix.course_deg),
            Quantity::Gap => self.overview()?.interval_s,
            Quantity::Field(name) => {
                let mut values = self.last_values.iter();
                values.find(|(of, _)| of == name).map(|(_, value)| *value)
            }
            Quantity::Number | Quantity::Distance => None,
        };
        query.admits(|word| self.contains(word, now), value) == Some(true)
    }

    /// `true` if its name, platform, group or notes have a text, in lower case.
    fn has_word(&self, text: &str) -> bool {
        let entry = &self.deployment;
        let name = self.name();
        let [group, notes] = [&entry.group, &entry.notes].map(|text| text.as_deref());
        let texts = [Some(&*name), Some(entry.platform.name()), group, notes];
        let mut texts = texts.into_iter().flatten();
        texts.any(|known| has_word(&known.to_lowercase(), text))
    }

    /// Its UUID.
    pub(crate) fn uuid(&self) -> Uuid {
        self.deployment.id.uuid
    }

    /// The last good fix, if it has any.
    pub(crate) fn latest(&self) -> Option<LastFix> {
        self.overview()?.latest
    }

    /// The overview of its track that lists show.
    pub(crate) fn overview(&self) -> Option<&Overview> {
        self.track.overview().map(AsRef::as_ref)
    }

    /// How its track is assembled at `now` (UNIX seconds).
    pub(crate) fn options(&self, now: f64) -> TrackOptions {
        let options = TrackOptions {
            exclude_failed: self.exclude_failed,
            overrules: self.overrides.clone(),
            ..self.deployment.options(now)
        };
        options.by_clock(self.track.clock(), now)
    }

    /// The most urgent of its alarms at `now` (UNIX seconds), with its state: without a
    /// reply before snoozed and acknowledged, an `overdue` after the other kinds, the
    /// latest first.
    pub(crate) fn alarm(&self, now: f64) -> Option<(&Alarm, AlarmState)> {
        let worst = self.alarms.iter().min_by_key(|alarm| rank(alarm, now))?;
        Some((worst, worst.state(now)))
    }

    /// The kind of its most urgent alarm, if its status does not imply it, or that a limit
    /// is not judged, at `now` (UNIX seconds): `outside`, `below battery`.
    pub(crate) fn trouble(&self, now: f64) -> Option<Cow<'static, str>> {
        let Some((alarm, _)) = self.alarm(now) else {
            return (!self.unjudged.is_empty()).then_some(Cow::Borrowed("not judged"));
        };
        (alarm.kind != Kind::Overdue).then(|| alarm.name())
    }

    /// The words for its status in the list at `now` (UNIX seconds): of one that reports on
    /// time the trouble that it has otherwise.
    pub(crate) fn status_or_trouble(&self, now: f64) -> Cow<'static, str> {
        let is_on_time = self.health(now).state == State::OnTime;
        let trouble = self.trouble(now).filter(|_| is_on_time);
        trouble.unwrap_or_else(|| self.status(now))
    }

    /// `true` if one of its alarms has no reply at `now` (UNIX seconds).
    pub(crate) fn has_raised(&self, now: f64) -> bool {
        let state = self.alarm(now).map(|(_, state)| state);
        state == Some(AlarmState::Raised)
    }

    /// `true` if alarms are raised for it at `now` (UNIX seconds): it is on a watch list,
    /// neither recovered nor lost, and its time window has not ended.
    pub(in crate::dashboard) fn is_active(&self, now: f64) -> bool {
        let entry = &self.deployment;
        self.listing != Listing::Shown && entry.state.is_active() && !entry.window.has_ended(now)
    }

    /// When it was requested last, by the later of both clocks; `-inf` if it never was. No answer
    /// holds any longer once a request failed.
    fn last_asked(&self) -> LastAsked {
        let at = self.track.fetched_at();
        LastAsked {
            at: at.map_or(f64::NEG_INFINITY, |at| self.track.clock().later(at)),
            wait_s: if self.fails() { 0.0 } else { self.wait_s },
        }
    }

    /// `true` while its service or the request for it fails.
    fn fails(&self) -> bool {
        self.service_fails || self.track.failure.is_some()
    }

    /// `true` if at `now` (UNIX seconds) its last fix is older than its limit, or than 3
    /// T without a limit; also if it has a limit and never had a fix.
    pub(in crate::dashboard) fn is_silent(&self, now: f64) -> bool {
        let now = self.track.clock().as_kept(now);
        let overview = self.overview();
        let last = overview.and_then(|overview| overview.latest);
        let interval_s = last.and_then(|_| overview?.interval_s);
        let limit = overdue_after_s(self.deployment.limits.max_age_s, interval_s);
        limit.is_some_and(|limit| last.is_none_or(|fix| now - fix.time_stamp > limit))
    }

    /// The age of its fix of a time at `now` (both UNIX seconds), by the later of both clocks:
    /// `2 h 13 min ago`.
    pub(in crate::dashboard) fn age(&self, time_stamp: f64, now: f64) -> String {
        time::age(time_stamp, self.track.clock().later(now))
    }

    /// The reporting status at `now` (UNIX seconds), by the later of both clocks. What comes due
    /// while its service or the request for it fails is not known.
    pub(crate) fn health(&self, now: f64) -> Health {
        let health = self.health_by_clock(now);
        let is_missed = matches!(health.state, State::Late | State::Overdue | State::Lost);
        let fetched_at = self.track.fetched_at();
        let Some(at) = fetched_at.filter(|_| is_missed && self.fails()) else {
            return health;
        };
        match self.health_by_clock(at).state {
            State::Overdue | State::Lost => health,
            state if state == health.state => health,
            _ => health.missed(),
        }
    }

    fn health_by_clock(&self, now: f64) -> Health {
        let now = self.track.clock().later(now);
        let asked = self.last_asked();
        let by_fixes = self.overview().map(|overview| overview.health(asked, now));
        // The entry counts before its track is loaded or judged again.
        (by_fixes.unwrap_or_default())
            .with_max_age(self.deployment.limits.max_age_s)
            .declared(self.deployment.state)
            .in_window(&self.deployment.window, now)
    }

    /// The words for its status at `now` (UNIX seconds): of a file that has ended with the day.
    pub(crate) fn status(&self, now: f64) -> Cow<'static, str> {
        let health = self.health(now);
        let state = health.state;
        let last = self.latest().map(|fix| fix.time_stamp);
        match (self.deployment.state, state, last) {
            _ if health.is_missed() => Cow::Borrowed(NOT_KNOWN),
            (DeclaredState::Read, State::Ended, Some(last)) => {
                Cow::Owned(format!("{} {}", state.word(), time::day(last)))
            }
            _ => Cow::Borrowed(state.word()),
        }
    }

    /// The last expected reports, the latest at the end, `true` for each that came.
    /// Empty if no report is expected, for example after recovery or the end of its time
    /// window. What was due while its service fails may have come there.
    pub(crate) fn recent_reports(&self, now: f64) -> Vec<bool> {
        let fetched_at = self.track.fetched_at().filter(|_| self.fails());
        let now = self.track.clock().later(fetched_at.unwrap_or(now));
        let overview = self
            .overview()
            .filter(|_| self.deployment.state.is_active())
            .filter(|_| !self.deployment.window.has_ended(now));
        let asked = self.last_asked();
        overview.map_or_else(Vec::new, |overview| overview.recent_reports(asked, now))
    }

    /// The response at `at` (UNIX seconds), as the agenda needs it.
    pub(in crate::dashboard) fn last_answer(&self, at: f64) -> LastAnswer {
        let answer = LastAnswer {
            at,
            first_at: at,
            idle: self.delta.unwrap_or_default().idle,
            clock: self.track.clock(),
            max_age_s: self.deployment.limits.max_age_s,
            ..LastAnswer::default()
        };
        let newest = self.track.newest().map(|newest| newest.track.overview());
        match newest.or(self.track.overview()) {
            Some(overview) => overview.last_answer(answer),
            None => answer,
        }
    }

    /// Another program has fetched it, with this many new fixes.
    pub(in crate::dashboard) fn of_another(&mut self, new: usize) {
        self.delta = Some(FetchDelta {
            new,
            ..FetchDelta::default()
        });
        self.track.failure = None;
        self.notes.clear();
    }
}
