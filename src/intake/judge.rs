//! Evaluates the rules of a watched deployment. Its alarms are a function of the whole
//! archived track, of its limits, and of the clock, whatever the responses were and in
//! whatever order fixes arrived.

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use crate::alarm::{self, Known, Rule, Silence};
use crate::archive::{About, Archive, ArchiveError, Finding, RuleResult, Watched};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::ops::store::{LastRequest, Store};
use crate::track::agenda::LastAnswer;
use crate::track::overview::basis;
use crate::track::{Deployment, LastAsked, Track, TrackOptions, overdue_after_s};

/// Most attempts to judge a deployment while other programs store responses for it.
const TRIES: usize = 4;

/// The data by which a deployment is judged, as far as the caller has them.
#[derive(Debug, Clone, Default)]
pub(crate) struct AtHand {
    /// The track of all that is archived, and how it was assembled.
    pub track: Option<(Arc<Track>, TrackOptions)>,
    /// The part of the last requests that the archive does not have.
    pub last: LastRequest,
    /// The last time a request was sent to the service.
    pub asked: Asking,
}

/// The time of the last request to the service before a deployment is judged.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) enum Asking {
    /// In this round.
    #[default]
    Now,
    /// Not since the last response: a newer fix is possible, so no silence begins.
    NotSince,
}

/// Judges a watched deployment by its archived data.
///
/// # Errors
/// When the archive cannot be written.
pub(crate) async fn judge_archived(store: &Store, uuid: Uuid) -> Result<(), Failure> {
    let last = store.last_requests().remove(&uuid).unwrap_or_default();
    let at_hand = AtHand {
        track: None,
        asked: match last.failure {
            Some(_) => Asking::Now,
            None => Asking::NotSince,
        },
        last,
    };
    let judged = store.write(move |archive| judge(archive, uuid, &at_hand, unix_now()));
    judged.await?;
    store.alarms_may_differ();
    Ok(())
}

/// Judges deployments by the clock, whatever the responses for them were.
/// `refresh_s` is the shortest wait between two requests, seconds.
///
/// # Errors
/// When the archive cannot be written.
pub(crate) async fn judge_by_clock(
    store: &Store,
    list: Vec<Deployment>,
    refresh_s: f64,
) -> Result<(), Failure> {
    if list.is_empty() {
        return Ok(());
    }
    let asked = Asked {
        last: store.last_requests(),
        refresh_s,
    };
    let judged = store.write(move |archive| judge_list(archive, &list, &asked, unix_now()));
    judged.await?;
    store.alarms_may_differ();
    Ok(())
}

/// Evaluates the rules of a watched deployment at `now` (UNIX seconds), and records the
/// changes of its alarms. Returns why limits cannot be judged, each in a sentence.
///
/// # Errors
/// When the archive cannot be read or written, or its fixes are damaged.
pub(crate) fn judge(
    archive: &mut Archive,
    uuid: Uuid,
    at_hand: &AtHand,
    now: f64,
) -> Result<Vec<String>, ArchiveError> {
    let mut at_hand = at_hand.clone();
    for _ in 0..TRIES {
        let Some(watched) = archive.watched_state(uuid, now)? else {
            return Ok(Vec::new());
        };
        let rules = alarm::rules(&watched.entry, now);
        let findings = findings(archive, &watched, &rules, &at_hand, now)?;
        let unjudged = unjudged(&watched, &rules, &findings);
        let is_same = findings.is_empty() && !has_gone(&watched, &rules);
        if is_same || archive.record_findings(&watched, findings, now)? {
            return Ok(unjudged);
        }
        // Other records were stored: the track of the caller is not of them.
        at_hand.track = None;
    }
    Ok(Vec::new())
}

/// Why limits cannot be judged, by the findings and by the last evaluation.
fn unjudged(watched: &Watched, rules: &[Rule], findings: &[Finding]) -> Vec<String> {
    let is_found = |result: &&RuleResult| {
        let mut found = findings.iter();
        found.any(|found| found.result.about == result.about)
    };
    let has_rule = |result: &&RuleResult| rules.iter().any(|rule| about(rule) == result.about);
    let before = watched.rules.iter().filter(has_rule);
    let before = before.filter(|result| !is_found(result));
    let now = findings.iter().map(|found| &found.result);
    before
        .chain(now)
        .filter_map(|rule| rule.unjudged.clone())
        .collect()
}

/// The last requests for a list of deployments.
#[derive(Debug, Default)]
struct Asked {
    /// The part of them that the archive does not have.
    last: HashMap<Uuid, LastRequest>,
    /// The shortest wait between two requests, seconds.
    refresh_s: f64,
}

impl Asked {
    /// The time as of which a deployment is silent or not, at `now` (both UNIX seconds). A
    /// response counts until the next request may be sent: a deployment that reports each
    /// 15 s is not silent because it is requested each minute. After a failure none counts.
    fn as_of(&self, uuid: Uuid, answer: &LastAnswer, now: f64) -> f64 {
        let last = self.last.get(&uuid);
        if last.is_some_and(|last| last.failure.is_some()) {
            return now;
        }
        let asked = LastAsked {
            at: answer.at,
            refresh_s: self.refresh_s,
        };
        asked.as_of(answer.interval_s, now)
    }
}

/// Judges deployments by the clock at `now` (UNIX seconds): those without a fix for as long
/// as their limit.
///
/// # Errors
/// As [`judge`].
fn judge_list(
    archive: &mut Archive,
    list: &[Deployment],
    asked: &Asked,
    now: f64,
) -> Result<(), ArchiveError> {
    let answers = archive.last_answers(now)?;
    let may_be_silent = |entry: &&Deployment| {
        let unstored = asked.last.get(&entry.uuid);
        let unstored = unstored.and_then(|last| last.unstored.as_ref());
        let answer = unstored.or_else(|| answers.get(&entry.uuid));
        let now = answer.map_or(now, |answer| asked.as_of(entry.uuid, answer, now));
        let last = answer.and_then(|answer| Some((answer.last_fix?, answer.interval_s)));
        let max_age_s = entry.limits.max_age_s;
        match last {
            Some((last, interval_s)) => {
                overdue_after_s(max_age_s, interval_s).is_some_and(|limit| now - last > limit)
            }
            // Without a fix there is no interval.
            None => max_age_s.is_some(),
        }
    };
    for entry in list.iter().filter(may_be_silent) {
        let at_hand = AtHand {
            last: asked.last.get(&entry.uuid).cloned().unwrap_or_default(),
            ..AtHand::default()
        };
        archive.make_known(entry.uuid, now)?;
        judge(archive, entry.uuid, &at_hand, now)?;
    }
    Ok(())
}

/// The findings of the rules, without those that change nothing.
fn findings(
    archive: &Archive,
    watched: &Watched,
    rules: &[Rule],
    at_hand: &AtHand,
    now: f64,
) -> Result<Vec<Finding>, ArchiveError> {
    // A fix that was ahead of the clock is the last one when its time has come.
    let last_fix = watched.answer.and_then(|answer| answer.last_fix);
    let last_fix = last_fix.map_or(0, f64::to_bits);
    let basis = basis(watched.revision, &watched.options);
    let basis = format!("{basis:016x}{last_fix:016x}");
    let is_judged = |rule: &Rule| {
        let known = last_result(watched, &about(rule));
        known.is_some_and(|known| known.rule == rule.text() && known.basis == basis)
    };
    let has_reports = watched
        .answer
        .is_none_or(|answer| answer.last_fix.is_some());
    let is_whole = !watched.is_stale && has_reports && rules.iter().all(is_judged);
    let track = if is_whole || watched.answer.is_none() {
        None
    } else {
        track(archive, watched, rules, at_hand.track.as_ref())?
    };
    let silence = silence(watched, track.as_deref(), at_hand);
    let mut found: Vec<Finding> = rules
        .iter()
        .map(|rule| finding(rule, watched, (track.as_deref(), &basis, &silence), now))
        .collect();
    let is_change = |finding: &Finding| {
        let before = last_result(watched, &finding.result.about);
        !finding.changes.is_empty() || before != Some(&finding.result)
    };
    found.retain(is_change);
    Ok(found)
}

/// The whole archived track: that of the caller, if it is the same, else assembled again.
fn track(
    archive: &Archive,
    watched: &Watched,
    rules: &[Rule],
    at_hand: Option<&(Arc<Track>, TrackOptions)>,
) -> Result<Option<Arc<Track>>, ArchiveError> {
    // The archive may have values of fields that the last response lacks.
    let has_fields = rules.iter().any(|rule| matches!(rule, Rule::Field(_)));
    let at_hand =
        at_hand.filter(|(_, options)| !has_fields && options.same_choices(&watched.options));
    if let Some((track, _)) = at_hand {
        return Ok(Some(Arc::clone(track)));
    }
    let uuid = watched.entry.uuid;
    let stored = if has_fields {
        archive.stored_with_fields(uuid)?
    } else {
        archive.stored(uuid)?
    };
    Ok(stored.map(|stored| Arc::new(Track::of(&stored.records, &watched.options))))
}

fn about(rule: &Rule) -> About {
    About {
        kind: rule.kind(),
        field: rule.field().to_owned(),
    }
}

fn last_result<'a>(watched: &'a Watched, about: &About) -> Option<&'a RuleResult> {
    watched.rules.iter().find(|rule| rule.about == *about)
}

fn known(watched: &Watched, about: &About) -> Vec<Known> {
    let own = watched.alarms.iter().filter(|known| known.about == *about);
    own.map(|known| known.alarm.clone()).collect()
}

/// The finding of a rule in a track; without a track only the rule about the clock changes
/// anything.
fn finding(
    rule: &Rule,
    watched: &Watched,
    (track, basis, silence): (Option<&Track>, &str, &Silence),
    now: f64,
) -> Finding {
    let about = about(rule);
    let before = last_result(watched, &about);
    let is_changed = before.is_some_and(|before| before.rule != rule.text());
    let since = match before {
        Some(before) if !is_changed => before.since,
        // Its limit was set with it.
        None if watched.rules.is_empty() => watched.added_at.min(now),
        _ => now,
    };
    let known = known(watched, &about);
    let changes = match (rule, track) {
        _ if known.iter().any(|alarm| alarm.is_ahead(now)) => Vec::new(),
        (Rule::Overdue(limit), _) => {
            let silence = Silence {
                since,
                is_changed,
                ..silence.clone()
            };
            silence.changes(*limit, &known, now)
        }
        (_, Some(track)) => alarm::changes(alarm::episodes(rule, track, since), &known, now),
        (_, None) => Vec::new(),
    };
    let unjudged = match track {
        Some(track) => alarm::why_unjudged(rule, track),
        None => before.and_then(|before| before.unjudged.clone()),
    };
    let basis = match (track, before) {
        (Some(_), _) => basis.to_owned(),
        (None, Some(before)) => before.basis.clone(),
        (None, None) => String::new(),
    };
    Finding {
        result: RuleResult {
            about,
            rule: rule.text(),
            basis,
            since,
            unjudged,
        },
        changes,
    }
}

/// The silence of a deployment, if it does not report, by its track and its last response. A response that could
/// not be stored is later than the archived track.
fn silence(watched: &Watched, track: Option<&Track>, at_hand: &AtHand) -> Silence {
    let unstored = at_hand.last.unstored;
    let last = unstored.or(watched.answer);
    let answer = last.unwrap_or_default();
    let (last_fix, interval_s, newer) = match track.filter(|_| unstored.is_none()) {
        Some(track) => (
            track.latest().map(|fix| fix.time_stamp),
            track.health(watched.options.now).interval_s,
            track.newer(),
        ),
        None => (answer.last_fix, answer.interval_s, answer.newer),
    };
    Silence {
        last_fix,
        interval_s,
        newer,
        window_from: watched.entry.window.from,
        added_at: watched.added_at,
        answered_at: last.map(|answer| answer.at),
        is_unreachable: watched.is_unreachable,
        failure: at_hand.last.failure.clone(),
        asked_until: match at_hand.asked {
            Asking::Now => None,
            Asking::NotSince => Some(last.map_or(f64::NEG_INFINITY, |answer| answer.at)),
        },
        ..Silence::default()
    }
}

/// `true` if a deployment has results or active alarms of a rule that is gone.
fn has_gone(watched: &Watched, rules: &[Rule]) -> bool {
    let active = watched.alarms.iter();
    let active = active.filter(|known| known.alarm.cleared_at.is_none());
    let known = watched.rules.iter().map(|rule| &rule.about);
    let mut subjects = known.chain(active.map(|known| &known.about));
    subjects.any(|subject| !rules.iter().any(|rule| about(rule) == *subject))
}

#[cfg(test)]
mod tests;
