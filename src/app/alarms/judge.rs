//! Evaluates the rules of a watched deployment. Its alarms are a function of the whole
//! archived track, of its limits, and of the clock, whatever the responses were and in
//! whatever order fixes arrived.
//!
//! The basis of a judgement is read in one step, judged while the archive is free, and
//! recorded in another step, in which nothing is written if the archive has something else by
//! then: a long track holds up no other deployment.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use uuid::Uuid;

use crate::alarm::{self, Alarm, Change, Kind, Rule, Silence};
use crate::app::store::{LastRequest, Store};
use crate::archive::{About, Archive, ArchiveError, Finding, RuleResult, Watched};
use crate::failure::Failure;
use crate::os::blocking::blocking;
use crate::os::clock::unix_now;
use crate::track::{Records, Track, TrackOptions, age_s, overdue_after_s};
use crate::watch::Deployment;
use crate::watch::agenda::LastAnswer;
use crate::watch::overview::basis;

/// Most attempts to judge a deployment while other programs change what it is judged by:
/// whichever changed it last judges it by that.
const TRIES: usize = 4;

/// The track of all that is archived of a deployment.
#[derive(Debug, Clone)]
pub(crate) struct WholeTrack {
    pub track: Arc<Track>,
    /// How it was assembled.
    pub options: TrackOptions,
    /// The revision of its archived records.
    pub revision: i64,
}

/// The data by which a deployment is judged, as far as the caller has them.
#[derive(Debug, Clone, Default)]
pub(crate) struct AtHand {
    /// The track of all that is archived.
    pub track: Option<WholeTrack>,
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
    judge(store, uuid, at_hand, unix_now()).await?;
    store.alarms_may_differ();
    Ok(())
}

/// Judges those of these deployments whose stored fixes have not been judged by their limits:
/// the program that stored them has ended before it judged them.
///
/// # Errors
/// When the archive cannot be read or written.
pub(crate) async fn judge_unjudged(store: &Store, list: Vec<Deployment>) -> Result<(), Failure> {
    let read = store.read(move |archive| left_unjudged(archive, &list, unix_now()));
    let mut judged = Ok(());
    for uuid in read.await? {
        judged = judged.and(judge_archived(store, uuid).await);
    }
    judged
}

/// Judges deployments by the clock, whatever the responses for them were.
/// `refresh_s` is the shortest wait between two requests, seconds.
///
/// # Errors
/// When the archive cannot be written; the other deployments are judged all the same.
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
    let silent = store.write(move |archive| maybe_silent(archive, &list, &asked, unix_now()));
    let mut all_judged = Ok(());
    for (uuid, at_hand) in silent.await? {
        let judged = judge(store, uuid, at_hand, unix_now()).await;
        all_judged = all_judged.and(judged.map(drop));
    }
    store.alarms_may_differ();
    all_judged
}

/// Evaluates the rules of a watched deployment at `now` (UNIX seconds), and records the
/// changes of its alarms. Returns why limits cannot be
/// judged, each in a sentence.
///
/// # Errors
/// When the archive cannot be read or written, or its fixes are damaged.
pub(crate) async fn judge(
    store: &Store,
    uuid: Uuid,
    at_hand: AtHand,
    now: f64,
) -> Result<Vec<String>, Failure> {
    judge_by(store, uuid, at_hand, now, Case::findings).await
}

/// As [`judge`], by the `findings` of a case.
async fn judge_by(
    store: &Store,
    uuid: Uuid,
    at_hand: AtHand,
    began: f64,
    findings: impl Fn(&Case) -> Vec<Finding> + Clone + Send + 'static,
) -> Result<Vec<String>, Failure> {
    let clock = Instant::now();
    for _ in 0..TRIES {
        let now = began + clock.elapsed().as_secs_f64();
        let at_hand = at_hand.clone();
        let read = store.read(move |archive| Case::read(archive, uuid, at_hand, now));
        let Some(case) = read.await? else {
            return Ok(Vec::new());
        };
        let findings = findings.clone();
        let (case, found) = blocking(move || {
            let found = findings(&case);
            (case, found)
        })
        .await?;
        let unjudged = case.unjudged(&found);
        if case.is_as_recorded(&found) {
            return Ok(unjudged);
        }
        let kept_now = case.kept_now();
        let Case { watched, .. } = case;
        let record =
            move |archive: &mut Archive| archive.record_findings(&watched, &found, kept_now);
        if store.write(record).await? {
            return Ok(unjudged);
        }
    }
    Ok(Vec::new())
}

/// The basis of the judgement of a deployment, read at one moment.
#[derive(Debug)]
struct Case {
    watched: Watched,
    rules: Vec<Rule>,
    /// The fixes and the choices of the track, as the results of the rules name them.
    basis: String,
    fixes: Fixes,
    last: LastRequest,
    asked: Asking,
    /// By this computer's clock, UNIX seconds.
    now: f64,
}

/// The fixes that a deployment is judged by.
#[derive(Debug)]
enum Fixes {
    /// None: each rule has been judged by those that there are.
    AsJudged,
    /// The track of the caller.
    Track(Arc<Track>),
    /// The archived records.
    Records(Box<Records>),
}

impl Case {
    /// The basis of the judgement of a deployment at `now` (UNIX seconds); `None` if it is not
    /// watched.
    fn read(
        archive: &Archive,
        uuid: Uuid,
        at_hand: AtHand,
        now: f64,
    ) -> Result<Option<Self>, ArchiveError> {
        archive.reading(|archive| {
            let Some(watched) = archive.watched_state(uuid, now)? else {
                return Ok(None);
            };
            let rules = alarm::rules(&watched.entry, watched.options.now);
            let basis = basis_text(watched.revision, &watched.options, watched.answer.as_ref());
            let has_reports = watched
                .answer
                .is_none_or(|answer| answer.last_fix.is_some());
            let is_judged = is_judged(&rules, &watched.rules, &basis);
            // Whether a silence is in doubt is not in the basis.
            let mut results = watched.rules.iter();
            let is_doubted = results
                .any(|result| result.about.kind == Kind::Overdue && result.unjudged.is_some());
            let is_whole = !watched.is_stale && has_reports && is_judged && !is_doubted;
            let fixes = if is_whole || watched.answer.is_none() {
                Fixes::AsJudged
            } else {
                Fixes::read(archive, &watched, &rules, at_hand.track)?
            };
            Ok(Some(Self {
                watched,
                rules,
                basis,
                fixes,
                last: at_hand.last,
                asked: at_hand.asked,
                now,
            }))
        })
    }

    /// The findings of the rules, without those that change nothing.
    fn findings(&self) -> Vec<Finding> {
        let track = match &self.fixes {
            Fixes::AsJudged => None,
            Fixes::Track(track) => Some(Arc::clone(track)),
            Fixes::Records(records) => Some(Arc::new(Track::new(records, &self.watched.options))),
        };
        let silence = self.silence(track.as_deref());
        let rules = self.rules.iter();
        let mut found: Vec<Finding> = rules
            .map(|rule| self.finding(rule, track.as_deref(), &silence))
            .collect();
        let is_overdue = found.iter().any(|finding| self.is_overdue(finding));
        // An active alarm says more than that a limit is not judged.
        let hidden = match (is_overdue, self.watched.is_unreachable) {
            (true, _) => Some("it is overdue"),
            (_, true) => Some("its service gives no usable answer"),
            _ => None,
        };
        for finding in &mut found {
            let result = &finding.result;
            let unjudged = result.unjudged.as_ref();
            let before = last_result(&self.watched, &result.about);
            let is_news = before.and_then(|before| before.unjudged.as_ref()) != unjudged;
            let known = known(&self.watched, &result.about.unjudged());
            let since = result.since;
            finding.unjudged =
                alarm::unjudged_changes(unjudged, &known, is_news, hidden, since, self.kept_now());
        }
        let is_change = |finding: &Finding| {
            let before = last_result(&self.watched, &finding.result.about);
            let has_changes = !finding.changes.is_empty() || !finding.unjudged.is_empty();
            has_changes || before != Some(&finding.result)
        };
        found.retain(is_change);
        found
    }

    /// Now by the later of both clocks, however old their difference is: a time of an alarm is
    /// not brought back to an earlier clock.
    fn kept_now(&self) -> f64 {
        self.watched.options.now
    }

    /// `true` for the finding of a silence whose alarm is active after its changes.
    fn is_overdue(&self, finding: &Finding) -> bool {
        let about = &finding.result.about;
        match finding.changes.last() {
            _ if about.kind != Kind::Overdue => false,
            Some(change) => !matches!(change, Change::Ended { .. }),
            None => is_open(&known(&self.watched, about)),
        }
    }

    /// `true` if nothing is to be recorded.
    fn is_as_recorded(&self, findings: &[Finding]) -> bool {
        findings.is_empty() && !has_gone(&self.watched, &self.rules)
    }

    /// Why limits cannot be judged, by the findings and by the last evaluation.
    fn unjudged(&self, findings: &[Finding]) -> Vec<String> {
        let is_found = |result: &&RuleResult| {
            let mut found = findings.iter();
            found.any(|found| found.result.about == result.about)
        };
        let has_rule = |result: &&RuleResult| {
            let mut rules = self.rules.iter();
            rules.any(|rule| About::rule(rule) == result.about)
        };
        let before = self.watched.rules.iter();
        let now = findings.iter().map(|found| &found.result);
        before
            .filter(|result| has_rule(result) && !is_found(result))
            .chain(now)
            .filter_map(|rule| Some(rule.unjudged.as_ref()?.why.clone()))
            .collect()
    }

    /// The finding of a rule in a track; without a track only the rule about the clock changes
    /// anything.
    fn finding(&self, rule: &Rule, track: Option<&Track>, silence: &Silence) -> Finding {
        let watched = &self.watched;
        let now = watched.options.now;
        let about = About::rule(rule);
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
                let open = known.iter().find(|alarm| alarm.cleared_at.is_none());
                let since_open = open.and_then(|open| Some(included_since(track?, open.fix_time?)));
                let silence = Silence {
                    since,
                    is_changed,
                    since_open: since_open.unwrap_or_default(),
                    ..silence.clone()
                };
                // An old difference of the clocks makes nothing late, and ends nothing.
                let later = watched.options.clock.later(self.now);
                let now = if is_open(&known) { now } else { later };
                silence.changes(*limit, &known, now)
            }
            (_, Some(track)) => {
                let changes = alarm::changes(alarm::episodes(rule, track, since), &known, now);
                if is_changed {
                    alarm::restarted(changes, since)
                } else {
                    changes
                }
            }
            (_, None) => Vec::new(),
        };
        let by_fixes = match track {
            Some(track) => alarm::unjudged(rule, track),
            None => before.and_then(|before| before.unjudged.clone()),
        };
        let unjudged = match rule {
            Rule::Overdue(limit) => silence
                .doubt(*limit, watched.options.clock, self.now)
                .or(by_fixes),
            _ => by_fixes,
        };
        let basis = match (track, before) {
            (Some(_), _) => self.basis.clone(),
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
            unjudged: Vec::new(),
        }
    }

    /// The silence of a deployment, if it does not report, by its track and its last response.
    /// A response that could not be stored is later than the archived track.
    fn silence(&self, track: Option<&Track>) -> Silence {
        let watched = &self.watched;
        let unstored = self.last.unstored;
        let last = unstored.or(watched.answer);
        let answer = last.unwrap_or_default();
        let (last_fix, interval_s, newer) = match track.filter(|_| unstored.is_none()) {
            Some(track) => (track.heard_at(), track.interval_s(), track.newer()),
            None => (answer.last_fix, answer.interval_s, answer.newer),
        };
        Silence {
            last_fix,
            interval_s,
            newer,
            window_from: watched.entry.window.from,
            added_at: watched.added_at,
            answered_at: last.map(|answer| answer.clock.as_kept(answer.at)),
            is_unreachable: watched.is_unreachable,
            failure: self.last.failure.clone(),
            asked_until: match self.asked {
                Asking::Now => None,
                Asking::NotSince => {
                    Some(last.map_or(f64::NEG_INFINITY, |answer| answer.clock.as_kept(answer.at)))
                }
            },
            ..Silence::default()
        }
    }
}

impl Fixes {
    /// All that is archived: the track of the caller, if it is of the same records, else the
    /// records.
    fn read(
        archive: &Archive,
        watched: &Watched,
        rules: &[Rule],
        at_hand: Option<WholeTrack>,
    ) -> Result<Self, ArchiveError> {
        // The archive may have values of fields that the last response lacks.
        let has_fields = rules.iter().any(|rule| matches!(rule, Rule::Field(_)));
        let is_same = |whole: &WholeTrack| {
            whole.revision == watched.revision && whole.options.same_choices(&watched.options)
        };
        if let Some(whole) = at_hand.filter(|whole| !has_fields && is_same(whole)) {
            return Ok(Self::Track(whole.track));
        }
        let uuid = watched.entry.id.uuid;
        let stored = if has_fields {
            archive.stored_with_fields(uuid)?
        } else {
            archive.stored(uuid)?
        };
        Ok(stored.map_or(Self::AsJudged, |stored| {
            Self::Records(Box::new(stored.records))
        }))
    }
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
    /// The time as of which a deployment is silent or not, at `now` (both UNIX seconds): that of
    /// the answer until the next request is due. After a failure none counts.
    fn as_asked(&self, uuid: Uuid, answer: &LastAnswer, now: f64) -> f64 {
        let last = self.last.get(&uuid);
        if last.is_some_and(|last| last.failure.is_some()) {
            return now;
        }
        answer.judged_at(self.refresh_s, now)
    }
}

/// The deployments without a fix for as long as their limit, at `now` (UNIX seconds), and those
/// with a limit that is not judged, each with what is at hand to judge it. One that only the settings file lists is known from then on.
///
/// # Errors
/// When the archive cannot be read or written.
fn maybe_silent(
    archive: &mut Archive,
    list: &[Deployment],
    asked: &Asked,
    now: f64,
) -> Result<Vec<(Uuid, AtHand)>, ArchiveError> {
    let answers = archive.last_answers(now)?;
    let limits = archive.unjudged()?.into_iter();
    let unjudged: HashSet<Uuid> = limits.map(|(uuid, _)| uuid).collect();
    let may_be_silent = |entry: &Deployment| {
        let last = asked.last.get(&entry.id.uuid);
        let unstored = last.and_then(|last| last.unstored.as_ref());
        let answer = unstored.or_else(|| answers.get(&entry.id.uuid));
        let now = answer.map_or(now, |answer| {
            let as_asked = asked.as_asked(entry.id.uuid, answer, now);
            answer.clock.as_kept(as_asked)
        });
        let last = answer.and_then(|answer| Some((answer.last_fix?, answer.interval_s)));
        let max_age_s = entry.limits.max_age_s;
        match last {
            Some((last, interval_s)) => {
                overdue_after_s(max_age_s, interval_s).is_some_and(|limit| age_s(last, now) > limit)
            }
            // Without a fix there is no interval.
            None => max_age_s.is_some(),
        }
    };
    let mut silent = Vec::new();
    for entry in list {
        let asking = match (may_be_silent(entry), unjudged.contains(&entry.id.uuid)) {
            (true, _) => Asking::Now,
            (false, true) => Asking::NotSince,
            (false, false) => continue,
        };
        archive.make_known(entry.id.uuid, now)?;
        let at_hand = AtHand {
            last: asked.last.get(&entry.id.uuid).cloned().unwrap_or_default(),
            asked: asking,
            ..AtHand::default()
        };
        silent.push((entry.id.uuid, at_hand));
    }
    Ok(silent)
}

/// The deployments that have a response by which not all their rules have been judged.
///
/// # Errors
/// When the archive cannot be read.
fn left_unjudged(
    archive: &Archive,
    list: &[Deployment],
    now: f64,
) -> Result<Vec<Uuid>, ArchiveError> {
    let answers = archive.last_answers(now)?;
    let overrides = archive.all_overrides()?;
    let results = archive.rule_results()?;
    let is_left = |entry: &&Deployment| {
        let Some((revision, results)) = results.get(&entry.id.uuid) else {
            return false;
        };
        let options = TrackOptions {
            overrules: overrides.get(&entry.id.uuid).cloned().unwrap_or_default(),
            ..entry.options(now)
        };
        let basis = basis_text(*revision, &options, answers.get(&entry.id.uuid));
        !is_judged(&alarm::rules(entry, now), results, &basis)
    };
    let left = list.iter().filter(is_left);
    Ok(left.map(|entry| entry.id.uuid).collect())
}

/// The fixes and the choices of a track, as the results of rules name them.
fn basis_text(revision: i64, options: &TrackOptions, answer: Option<&LastAnswer>) -> String {
    // A fix that was ahead of the clock is the last one when its time has come.
    let last_fix = answer.and_then(|answer| answer.last_fix);
    let bits = last_fix.map_or(0, f64::to_bits);
    format!("{:016x}{bits:016x}", basis(revision, options))
}

/// `true` if all rules have been judged by a basis.
fn is_judged(rules: &[Rule], results: &[RuleResult], basis: &str) -> bool {
    let is_result = |rule: &Rule, result: &RuleResult| {
        result.about == About::rule(rule) && result.rule == rule.text() && result.basis == basis
    };
    let has_result = |rule| results.iter().any(|result| is_result(rule, result));
    rules.iter().all(has_result)
}

/// The times of the included fixes of a track after a time, in order, UNIX seconds.
fn included_since(track: &Track, time: f64) -> Vec<f64> {
    let newest = track.included_fixes().rev().map(|fix| fix.time_stamp);
    let mut times: Vec<f64> = newest.take_while(|fix| *fix > time).collect();
    times.reverse();
    times
}

/// `true` if one of the alarms of a rule is active.
fn is_open(known: &[Alarm]) -> bool {
    known.iter().any(|alarm| alarm.cleared_at.is_none())
}

fn last_result<'a>(watched: &'a Watched, about: &About) -> Option<&'a RuleResult> {
    watched.rules.iter().find(|rule| rule.about == *about)
}

fn known(watched: &Watched, about: &About) -> Vec<Alarm> {
    let own = watched.alarms.iter().filter(|alarm| about.has(alarm));
    own.cloned().collect()
}

/// `true` if a deployment has results or active alarms of a rule that is gone.
fn has_gone(watched: &Watched, rules: &[Rule]) -> bool {
    let judged = About::all(rules);
    let mut active = watched
        .alarms
        .iter()
        .filter(|alarm| alarm.cleared_at.is_none());
    let mut results = watched.rules.iter();
    results.any(|result| !judged.contains(&result.about))
        || active.any(|alarm| judged.iter().all(|about| !about.has(alarm)))
}

#[cfg(test)]
pub(crate) mod tests;
