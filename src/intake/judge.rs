//! Evaluates the rules of a watched deployment. Its alarms are a function of the whole
//! archived track, of its limits, and of the clock, whatever the responses were and in
//! whatever order fixes arrived.

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use crate::alarm::{self, Kind, Known, Rule, Silence};
use crate::archive::{About, Archive, ArchiveError, Finding, RuleResult, Watched};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::ops::store::Store;
use crate::track::agenda::LastAnswer;
use crate::track::overview::basis;
use crate::track::{Deployment, LastAsked, Track, TrackOptions};

/// Most attempts to judge a deployment while other programs store responses for it.
const TRIES: usize = 4;

/// The data by which a deployment is judged, as far as the caller has them.
#[derive(Debug, Clone, Default)]
pub(crate) struct AtHand {
    /// The track of all that is archived, and how it was assembled.
    pub track: Option<(Arc<Track>, TrackOptions)>,
    /// Why the last request failed.
    pub failure: Option<String>,
    /// Whether a request was just sent to the service.
    pub asked: Asking,
}

/// Whether a request was sent to the service before a deployment is judged.
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
    let failure = store.failures().remove(&uuid);
    let at_hand = AtHand {
        track: None,
        asked: match failure {
            Some(_) => Asking::Now,
            None => Asking::NotSince,
        },
        failure,
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
    let failures = store.failures();
    let asked = Asked {
        failures,
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
        let findings = findings(archive, &watched, &at_hand, now)?;
        let unjudged = unjudged(&watched, &findings);
        if findings.is_empty() || archive.record_findings(&watched, findings, now)? {
            return Ok(unjudged);
        }
        // Other records were stored: the track of the caller is not of them.
        at_hand.track = None;
    }
    Ok(Vec::new())
}

/// Why limits cannot be judged, by the findings and by the last evaluation.
fn unjudged(watched: &Watched, findings: &[Finding]) -> Vec<String> {
    let is_found = |rule: &&RuleResult| findings.iter().any(|found| found.about == rule.about);
    let before = watched.rules.iter().filter(|rule| !is_found(rule));
    let now = findings.iter().filter_map(|found| found.result.as_ref());
    before
        .chain(now)
        .filter_map(|rule| rule.unjudged.clone())
        .collect()
}

/// The last requests for a list of deployments.
#[derive(Debug, Default)]
struct Asked {
    /// Why the last request failed, of each deployment whose request did.
    failures: HashMap<Uuid, String>,
    /// The shortest wait between two requests, seconds.
    refresh_s: f64,
}

impl Asked {
    /// The time as of which a deployment is silent or not, at `now` (both UNIX seconds). A
    /// response counts until the next request may be sent: a deployment that reports each
    /// 15 s is not silent because it is requested each minute. After a failure none counts.
    fn as_of(&self, uuid: Uuid, answer: &LastAnswer, now: f64) -> f64 {
        if self.failures.contains_key(&uuid) {
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
        let answer = answers.get(&entry.uuid);
        let now = answer.map_or(now, |answer| asked.as_of(entry.uuid, answer, now));
        let last = answer.and_then(|answer| Some((answer.last_fix?, answer.interval_s)));
        match (last, entry.limits.max_age_s) {
            (Some((last, _)), Some(limit)) => now - last > limit,
            (Some((last, Some(t))), None) => now - last > 3.0 * t,
            // Without a fix there is no interval.
            (None, Some(_)) => true,
            (Some((_, None)) | None, None) => false,
        }
    };
    for entry in list.iter().filter(may_be_silent) {
        let at_hand = AtHand {
            failure: asked.failures.get(&entry.uuid).cloned(),
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
    at_hand: &AtHand,
    now: f64,
) -> Result<Vec<Finding>, ArchiveError> {
    let rules = alarm::rules(&watched.entry, now);
    // A fix that was ahead of the clock is the last one when its time has come.
    let last_fix = watched.answer.and_then(|answer| answer.last_fix);
    let last_fix = last_fix.map_or(0, f64::to_bits);
    let basis = basis(watched.revision, &watched.options);
    let basis = format!("{basis:016x}{last_fix:016x}");
    let is_judged = |rule: &Rule| {
        let known = last_result(watched, &about(rule));
        known.is_some_and(|known| known.rule == rule.text() && known.basis == basis)
    };
    let of_fixes = |rule: &&Rule| !matches!(rule, Rule::Overdue(_));
    let has_reports = watched
        .answer
        .is_none_or(|answer| answer.last_fix.is_some());
    let is_whole = !watched.is_stale && has_reports && rules.iter().filter(of_fixes).all(is_judged);
    let track = if is_whole || watched.answer.is_none() {
        None
    } else {
        track(archive, watched, &rules, at_hand.track.as_ref())?
    };
    let silence = Silence {
        is_unreachable: watched.is_unreachable,
        failure: at_hand.failure.clone(),
        asked_until: match at_hand.asked {
            Asking::Now => None,
            Asking::NotSince => Some(watched.answer.map_or(f64::NEG_INFINITY, |answer| answer.at)),
        },
        ..silence(watched, track.as_deref())
    };
    let mut found: Vec<Finding> = rules
        .iter()
        .map(|rule| finding(rule, watched, (track.as_deref(), &basis, &silence), now))
        .collect();
    found.extend(of_no_rule(watched, &rules, now));
    let is_change = |finding: &Finding| {
        !finding.changes.is_empty()
            || last_result(watched, &finding.about) != finding.result.as_ref()
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
        kind: rule.kind().name().to_owned(),
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
    let is_judged = track.is_some() || matches!(rule, Rule::Overdue(_));
    let basis = match (is_judged, before) {
        (false, Some(before)) => before.basis.clone(),
        (false, None) => String::new(),
        // It is evaluated each time.
        (true, _) if matches!(rule, Rule::Overdue(_)) => String::new(),
        (true, _) => basis.to_owned(),
    };
    Finding {
        result: Some(RuleResult {
            about: about.clone(),
            rule: rule.text(),
            basis,
            since,
            unjudged,
        }),
        about,
        changes,
    }
}

/// Whether a deployment reports, by its last response and its track.
fn silence(watched: &Watched, track: Option<&Track>) -> Silence {
    let answer = watched.answer.unwrap_or_default();
    let (last_fix, interval_s, newer) = match track {
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
        answered_at: watched.answer.map(|answer| answer.at),
        ..Silence::default()
    }
}

/// The ends of alarms whose rule is gone.
fn of_no_rule(watched: &Watched, rules: &[Rule], now: f64) -> Vec<Finding> {
    let mut gone: Vec<About> = Vec::new();
    let active = watched
        .alarms
        .iter()
        .filter(|known| known.alarm.cleared_at.is_none());
    let known = watched.rules.iter().map(|rule| &rule.about);
    for subject in known.chain(active.map(|known| &known.about)) {
        let has_rule = rules.iter().any(|rule| about(rule) == *subject);
        if !has_rule && !gone.contains(subject) {
            gone.push(subject.clone());
        }
    }
    let ended = gone.into_iter().map(|about| {
        let why = about.kind.parse().ok();
        let why = why.map(|kind: Kind| alarm::why_no_rule(&watched.entry, kind, now));
        let known = self::known(watched, &about);
        let active = known.into_iter().filter(|known| known.cleared_at.is_none());
        let end = |known: Known| alarm::Change::Ended {
            id: known.id,
            at: now,
            why: why.clone(),
        };
        Finding {
            changes: active.map(end).collect(),
            about,
            result: None,
        }
    });
    ended.collect()
}

#[cfg(test)]
mod tests;
