//! The state of a watched deployment when its rules are evaluated, and the changes that
//! follow: read in one step and written in another, so that the archive is not locked in
//! between.

use std::collections::HashMap;

use uuid::Uuid;

use super::alarm_rows::{self, About, bring_to_now, end_without_rule, free_id, happened, read};
use super::connection::{Connection, Transaction};
use super::last_answers::last_answer;
use super::overrides::read_overrides;
use super::rows::{add_deployment, deployment_id};
use super::sql::{Result, Row, params};
use super::{Archive, ArchiveError, services};
use crate::alarm::{self, Alarm, AlarmEvent, Cause, Change, Episode, Unjudged};
use crate::track::TrackOptions;
use crate::watch::Deployment;
use crate::watch::agenda::LastAnswer;
use crate::watch::overview::basis;

/// A watched deployment with all that its alarms follow from, except its fixes.
#[derive(Debug, Clone)]
pub(crate) struct Watched {
    id: i64,
    /// Its entry of the watch list.
    pub entry: Deployment,
    /// When it was put on the list, UNIX seconds.
    pub added_at: f64,
    /// How its track is assembled.
    pub options: TrackOptions,
    /// The revision of its stored records.
    pub revision: i64,
    /// The last answer; `None` before the first.
    pub answer: Option<LastAnswer>,
    /// `true` if [`Watched::answer`] is that of earlier records or options: fixes were imported, a
    /// setting was changed, or a fix that was ahead of the clock is no longer ahead.
    pub is_stale: bool,
    /// `true` if its service gives no usable answer.
    pub is_unreachable: bool,
    /// The results of its rules at the last evaluation.
    pub rules: Vec<RuleResult>,
    pub alarms: Vec<Alarm>,
    /// The time of the last fix that the archive has which it was taken over from, UNIX seconds.
    taken_over_until: f64,
}

impl Watched {
    /// `true` if its alarms follow from the same as those of another state of it, but for the
    /// clock.
    fn is_as(&self, other: &Self) -> bool {
        let answer = |state: &Self| state.answer.map(|answer| (answer.at, answer.last_fix));
        // What a user replied, and what was notified, is no reason to judge again.
        let times = |alarm: &Alarm| (alarm.raised_at, alarm.fix_time, alarm.cleared_at);
        let is_same =
            |(a, b): (&Alarm, &Alarm)| a.id == b.id && times(a) == times(b) && a.cause == b.cause;
        self.id == other.id
            && self.entry == other.entry
            && self.options.same_choices(&other.options)
            && self.revision == other.revision
            && answer(self) == answer(other)
            && self.is_unreachable == other.is_unreachable
            && self.rules == other.rules
            && self.alarms.len() == other.alarms.len()
            && self.alarms.iter().zip(&other.alarms).all(is_same)
    }
}

/// The result of a rule at the last evaluation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RuleResult {
    /// The subject of the rule.
    pub about: About,
    /// The rule as text.
    pub rule: String,
    /// The basis of its last result: the fixes and the choices of the track.
    pub basis: String,
    /// When it was set, UNIX seconds.
    pub since: f64,
    /// The reason why its limit cannot be judged by these fixes, if it cannot.
    pub unjudged: Option<Unjudged>,
}

impl RuleResult {
    /// The result in the first columns of a row; `None` if its kind is damaged.
    fn from_row(row: &Row) -> Option<Self> {
        Some(Self {
            about: About::from_row(row)?,
            rule: row.text(2).unwrap_or_default(),
            basis: row.text(3).unwrap_or_default(),
            since: row.number(4).unwrap_or_default(),
            unjudged: row.text(5).map(|why| Unjudged {
                why,
                since: row.number(6).unwrap_or(f64::NEG_INFINITY),
                after_s: row.number(7).unwrap_or_default(),
            }),
        })
    }
}

/// The result of evaluating a rule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub result: RuleResult,
    /// The changes of its alarms.
    pub changes: Vec<Change>,
    /// The changes of the alarms that its limit cannot be judged.
    pub unjudged: Vec<Change>,
}

impl Archive {
    /// The state of a watched deployment at `now` (UNIX seconds); `None` if it is not
    /// watched, or its entry is damaged: limits that cannot be read are not judged.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn watched_state(&self, uuid: Uuid, now: f64) -> Result<Option<Watched>> {
        self.reading(|archive| {
            let connection = &archive.connection;
            let stored = match archive.entry(uuid) {
                Err(ArchiveError::Damaged { .. }) => None,
                stored => stored?,
            };
            let Some(entry) = stored.or_else(|| archive.configured_entry(uuid)) else {
                return Ok(None);
            };
            let Some(id) = deployment_id(connection, uuid)? else {
                return Ok(None);
            };
            let (added_at, revision, stale_at, overview_basis) = connection.row(
                "SELECT d.added_at, d.revision, o.until, o.basis
                 FROM deployment d LEFT JOIN overview o ON o.deployment = d.id WHERE d.id = ?1",
                [id],
                |row| {
                    let overview_basis: Option<i64> = row.get(3)?;
                    Ok((row.number(0), row.get(1)?, row.number(2), overview_basis))
                },
            )?;
            let answer = last_answer(connection, uuid, now)?;
            let clock = answer.map(|answer| answer.clock).unwrap_or_default();
            let own = TrackOptions {
                overrules: read_overrides(connection, uuid)?,
                ..entry.options(now)
            };
            let options = own.by_clock(clock, now);
            let wanted_basis = basis(revision, &options).cast_signed();
            let is_outdated = overview_basis.is_some_and(|known| known != wanted_basis);
            Ok(Some(Watched {
                id,
                added_at: added_at.unwrap_or(now),
                is_stale: is_outdated || stale_at.is_some_and(|at| at <= options.now),
                options,
                entry,
                revision,
                answer,
                is_unreachable: is_unreachable(connection, id, uuid, now)?,
                rules: rules(connection, id)?,
                alarms: read(
                    connection,
                    "WHERE a.deployment = ?1 ORDER BY a.raised_at",
                    [id],
                )?,
                taken_over_until: *archive.taken_over.get(&uuid).unwrap_or(&f64::NEG_INFINITY),
            }))
        })
    }

    /// The limits that cannot be judged, of all deployments: the id and why, in the order
    /// of labels.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn unjudged(&self) -> Result<Vec<(Uuid, String)>> {
        let found = self.connection.rows(
            "SELECT d.uuid, r.unjudged FROM alarm_rule r JOIN deployment d ON d.id = r.deployment
             WHERE r.unjudged IS NOT NULL ORDER BY d.label, d.uuid, r.kind, r.field",
            (),
            |row| Ok(row.uuid(0).zip(row.text(1))),
        )?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Adds a deployment of the settings file at `now` (UNIX seconds), if it is not stored: if
    /// it never gets a response, it is silent from then on.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub(crate) fn make_known(&mut self, uuid: Uuid, now: f64) -> Result<()> {
        if self.added_at(uuid)?.is_none() {
            self.writing(|transaction| add_deployment(transaction, &uuid.into(), now).map(drop))?;
        }
        Ok(())
    }

    /// Records the findings about a deployment at `now` (UNIX seconds), and ends its alarms that
    /// have no rule any more. Records nothing and returns `false` if its fixes, its settings or
    /// its alarms are no longer those that were judged.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn record_findings(
        &mut self,
        of: &Watched,
        findings: &[Finding],
        now: f64,
    ) -> Result<bool> {
        let uuid = of.entry.id.uuid;
        let transaction = self.connection.begin(Some(&uuid))?;
        let state = self.watched_state(uuid, now)?;
        if !state.is_some_and(|state| state.is_as(of)) {
            return Ok(false);
        }
        for finding in findings {
            let about = &finding.result.about;
            let unjudged = about.unjudged();
            let changes = finding.changes.iter().map(|change| (about, change));
            let of_limit = finding.unjudged.iter().map(|change| (&unjudged, change));
            for (about, change) in changes.chain(of_limit) {
                record(&transaction, of, about, change, now)?;
            }
            store_result(&transaction, of.id, &finding.result)?;
        }
        end_without_rule(&transaction, of.id, &of.entry, now)?;
        bring_to_now(&transaction, "deployment = ?2", of.id, now)?;
        transaction.commit()?;
        Ok(true)
    }

    /// For each deployment that has a response, the revision of its stored records and the
    /// results of its rules.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn rule_results(&self) -> Result<HashMap<Uuid, (i64, Vec<RuleResult>)>> {
        let mut found: HashMap<Uuid, (i64, Vec<RuleResult>)> = HashMap::new();
        self.connection.each_row(
            "SELECT r.kind, r.field, r.rule, r.basis, r.since, r.unjudged, r.unjudged_since,
                 r.unjudged_after, d.uuid, d.revision
             FROM deployment d LEFT JOIN alarm_rule r ON r.deployment = d.id
             WHERE EXISTS (SELECT 1 FROM fetch f WHERE f.deployment = d.id)",
            (),
            |row| {
                if let Some(uuid) = row.uuid(8) {
                    let (_, results) = found.entry(uuid).or_insert((row.get(9)?, Vec::new()));
                    results.extend(RuleResult::from_row(row));
                }
                Ok(())
            },
        )?;
        Ok(found)
    }
}

/// The results of the rules of a deployment. A kind that is damaged is left out.
fn rules(connection: &Connection, id: i64) -> Result<Vec<RuleResult>> {
    let found = connection.rows(
        "SELECT kind, field, rule, basis, since, unjudged, unjudged_since, unjudged_after
         FROM alarm_rule WHERE deployment = ?1",
        [id],
        |row| Ok(RuleResult::from_row(row)),
    )?;
    Ok(found.into_iter().flatten().collect())
}

/// A deployment is requested again within this time after its service responds again, and a
/// service that fails has failed for others by then, seconds.
const ASKED_AGAIN_S: f64 = 300.0;
/// The clocks of two programs on one archive may differ by so much, seconds.
const CLOCKS_DIFFER_S: f64 = 60.0;

/// `true` if the service of a deployment gives no usable response at `now` (UNIX seconds): the
/// service of its last response, or of a failed request for it; any service if it was never
/// requested. A service whose response is that the deployment is not available is reached: by
/// the clock the deployment may be silent. A service that has just responded again for another
/// deployment says nothing of this one before it was requested, too; nor does a failure that is
/// so new that it may be the first of many.
fn is_unreachable(connection: &Connection, id: i64, uuid: Uuid, now: f64) -> Result<bool> {
    connection.row(
        "SELECT EXISTS (SELECT 1 FROM unreached u
             WHERE u.deployment = ?2 AND u.since > ?4 AND u.since <= ?6
             AND u.state NOT IN (?3, ?5))
         OR EXISTS (SELECT 1 FROM alarm a
             WHERE a.kind = 'unreachable' AND (a.cleared_at IS NULL OR a.cleared_at > ?4
                 AND NOT EXISTS (SELECT 1 FROM fetch f
                     WHERE f.deployment = ?1 AND f.at >= a.cleared_at)
                 AND NOT EXISTS (SELECT 1 FROM unreached u
                     WHERE u.deployment = ?2 AND u.at >= a.cleared_at))
             AND (
                 a.service = (SELECT f.source FROM fetch f WHERE f.deployment = ?1
                     ORDER BY f.id DESC LIMIT 1)
                 OR a.service IN (SELECT u.service FROM unreached u WHERE u.deployment = ?2)
                 OR NOT EXISTS (SELECT 1 FROM fetch f WHERE f.deployment = ?1)
                     AND NOT EXISTS (SELECT 1 FROM unreached u WHERE u.deployment = ?2))
             AND NOT EXISTS (SELECT 1 FROM unreached u
                 WHERE u.deployment = ?2 AND u.service = a.service AND u.state = ?3))",
        params![
            id,
            uuid.to_string(),
            services::REFUSED,
            now - ASKED_AGAIN_S,
            services::ALONE,
            // A clock that was ahead then makes no doubt that lasts until it is reached again.
            now + CLOCKS_DIFFER_S
        ],
        |row| row.get(0),
    )
}

/// Records the change of an alarm.
fn record(
    transaction: &Transaction<'_>,
    of: &Watched,
    about: &About,
    change: &Change,
    now: f64,
) -> Result<()> {
    match change {
        Change::Raised(episode) => raise(transaction, of, about, episode, now),
        Change::Still { id, episode } => {
            transaction.execute(
                "UPDATE alarm SET value = ?2, threshold = ?3, text = ?4, cause = ?5, fix_time = ?6
                 WHERE id = ?1 AND cleared_at IS NULL",
                params![
                    id,
                    episode.value,
                    episode.limit,
                    episode.text,
                    stored(episode.cause.as_ref()),
                    episode.fix_time
                ],
            )?;
            Ok(())
        }
        Change::Ended { id, at, why } => alarm_rows::end(transaction, id, *at, why.as_deref(), now),
    }
}

/// Records a new alarm. Of an active alarm is notified whenever it began, of a past one if it
/// ended at most a day ago and no other is active: its end would read as the end of that.
fn raise(
    transaction: &Transaction<'_>,
    of: &Watched,
    about: &About,
    episode: &Episode,
    now: f64,
) -> Result<()> {
    let (before, is_active): (i64, bool) = transaction.row(
        "SELECT count(CASE WHEN fix_time = ?4 THEN 1 END),
             coalesce(sum(CASE WHEN cleared_at IS NULL THEN 1 ELSE 0 END), 0) > 0
         FROM alarm WHERE deployment = ?1 AND kind = ?2 AND field = ?3",
        params![of.id, about.kind.name(), about.field, episode.fix_time],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    // Another program has recorded it meanwhile.
    if episode.until.is_none() && is_active || episode.until.is_some() && before > 0 {
        return Ok(());
    }
    // What the other archive has raised nothing. A service that changes it from answer to answer
    // raises the same alarm each time.
    let fix_time = episode.fix_time.max(of.taken_over_until);
    let id = free_id(
        transaction,
        &[
            of.entry.id.uuid.as_bytes(),
            about.kind.name().as_bytes(),
            about.field.as_bytes(),
            &fix_time.to_le_bytes(),
            &before.to_le_bytes(),
        ],
    )?;
    let is_notified = match episode.until {
        None => true,
        Some(until) => !is_active && alarm::is_told(until, now),
    };
    transaction.execute(
        "INSERT INTO alarm (id, deployment, label, kind, field, raised_at, seen_at,
             fix_time, value, threshold, text, cause)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        params![
            id,
            of.id,
            of.entry.label,
            about.kind.name(),
            about.field,
            // A fix may be ahead of the clock, an alarm is not.
            episode.at.min(now),
            now,
            episode.fix_time,
            episode.value,
            episode.limit,
            episode.text,
            stored(episode.cause.as_ref())
        ],
    )?;
    if is_notified {
        happened(transaction, &id, AlarmEvent::Raised, now)?;
    }
    if let Some(until) = episode.until {
        alarm_rows::end(transaction, &id, until, None, now)?;
    }
    Ok(())
}

fn store_result(transaction: &Transaction<'_>, id: i64, result: &RuleResult) -> Result<()> {
    let unjudged = result.unjudged.as_ref();
    transaction.execute(
        "INSERT INTO alarm_rule (deployment, kind, field, rule, basis, since, unjudged,
             unjudged_since, unjudged_after)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (deployment, kind, field) DO UPDATE SET rule = excluded.rule,
             basis = excluded.basis, since = excluded.since, unjudged = excluded.unjudged,
             unjudged_since = excluded.unjudged_since,
             unjudged_after = excluded.unjudged_after",
        params![
            id,
            result.about.kind.name(),
            result.about.field,
            result.rule,
            result.basis,
            result.since,
            unjudged.map(|limit| limit.why.as_str()),
            unjudged.map(|limit| limit.since),
            unjudged.map(|limit| limit.after_s)
        ],
    )?;
    Ok(())
}

/// A cause as it is stored, as JSON.
fn stored(cause: Option<&Cause>) -> Option<String> {
    serde_json::to_string(cause?).ok()
}
