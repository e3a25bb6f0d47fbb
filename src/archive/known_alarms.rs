//! The state of a watched deployment when it is held to its rules, and the changes that
//! follow: read in one step and written in another, so that nobody waits meanwhile.

use std::path::Path;

use uuid::Uuid;

use super::alarm_rows::{self, Moment, bring_to_now, free_id, happened, number_of};
use super::connection::{Connection, Transaction};
use super::last_answers::last_answer;
use super::overrides::read_overrides;
use super::services;
use super::sql::{self, number, params, text};
use super::tracks::deployment;
use super::watch_list::entry_of;
use super::{Archive, ArchiveError};
use crate::alarm::{self, AlarmEvent, Change, Episode, Known};
use crate::track::agenda::LastAnswer;
use crate::track::{Deployment, TrackOptions};

/// A watched deployment with all that its alarms follow from but its fixes.
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
    /// `true` if a fix that was ahead of the clock counts by now.
    pub is_stale: bool,
    /// `true` if its service gives no usable answer.
    pub is_unreachable: bool,
    /// The rules that it was held to at the last look.
    pub rules: Vec<RuleLooked>,
    /// Its alarms.
    pub alarms: Vec<KnownOf>,
}

/// The subject of a rule: the name of its kind and its field, which may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct About {
    /// The name of the kind.
    pub kind: String,
    /// The field.
    pub field: String,
}

/// A rule at the last look.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RuleLooked {
    /// The subject of the rule.
    pub about: About,
    /// The rule as text.
    pub rule: String,
    /// The basis of its last result: the fixes and the choices of the track, as text.
    pub basis: String,
    /// When it was set, UNIX seconds.
    pub since: f64,
    /// Why its limit cannot be judged by these fixes; `None` where it can.
    pub unjudged: Option<String>,
}

impl RuleLooked {
    /// The stored result: the basis, and after a blank why it cannot be judged.
    fn stored(&self) -> String {
        match &self.unjudged {
            Some(why) => format!("{} {why}", self.basis),
            None => self.basis.clone(),
        }
    }

    /// The parts of what was stored.
    fn of_stored(stored: String) -> (String, Option<String>) {
        match stored.split_once(' ') {
            Some((basis, why)) => (basis.to_owned(), Some(why.to_owned())),
            None => (stored, None),
        }
    }
}

/// An alarm with what it is about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KnownOf {
    /// The subject of the alarm.
    pub about: About,
    /// The alarm.
    pub alarm: Known,
}

/// The result of evaluating a rule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    /// The subject of the rule.
    pub about: About,
    /// The rule as it is now; `None` where there is none any more.
    pub looked: Option<RuleLooked>,
    /// The changes of its alarms.
    pub changes: Vec<Change>,
}

impl Archive {
    /// The state of a watched deployment at `now` (UNIX seconds); `None` where it is not
    /// watched, or its entry is damaged: limits that cannot be read are not judged by.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn watched_state(
        &self,
        uuid: Uuid,
        now: f64,
    ) -> Result<Option<Watched>, ArchiveError> {
        let read = || -> sql::Result<Option<Watched>> {
            let connection = &self.connection;
            let stored = entry_of(connection, Path::new(""), uuid)?;
            let configured = || self.configured_entry(uuid);
            let Some(entry) = stored.ok().flatten().or_else(configured) else {
                return Ok(None);
            };
            let Some(id) = number_of(connection, uuid)? else {
                return Ok(None);
            };
            let (added_at, revision, stale_at) = connection.query_row(
                "SELECT d.added_at, d.revision,
                     (SELECT o.until FROM overview o WHERE o.deployment = d.id)
                 FROM deployment d WHERE d.id = ?1",
                [id],
                |row| Ok((number(row, 0)?, row.get(1)?, number(row, 2)?)),
            )?;
            Ok(Some(Watched {
                id,
                added_at: added_at.unwrap_or(now),
                options: TrackOptions {
                    overrules: read_overrides(connection, uuid)?,
                    ..entry.options(now)
                },
                entry,
                revision,
                answer: last_answer(connection, uuid, now)?,
                is_stale: stale_at.is_some_and(|at| at <= now),
                is_unreachable: is_unreachable(connection, id, uuid)?,
                rules: rules(connection, id)?,
                alarms: alarms(connection, id)?,
            }))
        };
        self.reading(|_| read().map_err(|error| self.error(&error)))
    }

    /// The limits that cannot be judged, of all deployments: the id and why, in the order
    /// of labels.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn unjudged(&self) -> Result<Vec<(Uuid, String)>, ArchiveError> {
        let read = || -> sql::Result<Vec<(Uuid, String)>> {
            let mut statement = self.connection.prepare(
                "SELECT d.uuid, r.basis FROM alarm_rule r JOIN deployment d ON d.id = r.deployment
                 WHERE r.basis LIKE '% %' ORDER BY d.label, d.uuid, r.kind, r.field",
            )?;
            let rows = statement.query_map([], |row| {
                let uuid = text(row, 0)?.and_then(|uuid| Uuid::parse_str(&uuid).ok());
                let (_, why) = RuleLooked::of_stored(text(row, 1)?.unwrap_or_default());
                Ok(uuid.zip(why))
            })?;
            let found: Vec<_> = rows.collect::<sql::Result<_>>()?;
            Ok(found.into_iter().flatten().collect())
        };
        read().map_err(|error| self.error(&error))
    }

    /// Makes a deployment of the settings file known from `now` (UNIX seconds) on, where it
    /// is not: what never was answered is silent from then on.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub(crate) fn make_known(&mut self, uuid: Uuid, now: f64) -> Result<(), ArchiveError> {
        if self.added_at(uuid)?.is_none() {
            self.writing(|transaction| deployment(transaction, uuid, now).map(drop))?;
        }
        Ok(())
    }

    /// Records what was found of a deployment at `now` (UNIX seconds); nothing, and
    /// `false`, where other records were stored since it was read.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn record_findings(
        &mut self,
        of: &Watched,
        findings: Vec<Finding>,
        now: f64,
    ) -> Result<bool, ArchiveError> {
        let uuid = of.entry.uuid;
        self.writing_of(Some(&uuid), |transaction| {
            let revision: i64 = transaction.query_row(
                "SELECT revision FROM deployment WHERE id = ?1",
                [of.id],
                |row| row.get(0),
            )?;
            if revision != of.revision {
                return Ok(false);
            }
            for finding in &findings {
                for change in &finding.changes {
                    record(transaction, of, &finding.about, change, now)?;
                }
                remember(transaction, of.id, finding)?;
            }
            bring_to_now(transaction, of.id, now)?;
            Ok(true)
        })
    }
}

fn rules(connection: &Connection, id: i64) -> sql::Result<Vec<RuleLooked>> {
    let mut statement = connection
        .prepare("SELECT kind, field, rule, basis, since FROM alarm_rule WHERE deployment = ?1")?;
    statement
        .query_map([id], |row| {
            let (basis, unjudged) = RuleLooked::of_stored(text(row, 3)?.unwrap_or_default());
            Ok(RuleLooked {
                about: About {
                    kind: text(row, 0)?.unwrap_or_default(),
                    field: text(row, 1)?.unwrap_or_default(),
                },
                rule: text(row, 2)?.unwrap_or_default(),
                basis,
                since: number(row, 4)?.unwrap_or_default(),
                unjudged,
            })
        })?
        .collect()
}

fn alarms(connection: &Connection, id: i64) -> sql::Result<Vec<KnownOf>> {
    let mut statement = connection.prepare(
        "SELECT kind, field, id, raised_at, fix_time, cleared_at, text FROM alarm
         WHERE deployment = ?1 ORDER BY raised_at",
    )?;
    statement
        .query_map([id], |row| {
            Ok(KnownOf {
                about: About {
                    kind: text(row, 0)?.unwrap_or_default(),
                    field: text(row, 1)?.unwrap_or_default(),
                },
                alarm: Known {
                    id: text(row, 2)?.unwrap_or_default(),
                    raised_at: number(row, 3)?.unwrap_or_default(),
                    fix_time: number(row, 4)?,
                    cleared_at: number(row, 5)?,
                    text: text(row, 6)?.unwrap_or_default(),
                },
            })
        })?
        .collect()
}

/// `true` if the service of a deployment gives no usable answer: the one that it was
/// answered by last, or that failed for it; any where it never was asked for. One that
/// answers that the deployment is not to be had is reached: by the clock it may be silent.
fn is_unreachable(connection: &Connection, id: i64, uuid: Uuid) -> sql::Result<bool> {
    connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM alarm a
             WHERE a.kind = 'unreachable' AND a.cleared_at IS NULL AND (
                 a.service = (SELECT f.source FROM fetch f WHERE f.deployment = ?1
                     ORDER BY f.id DESC LIMIT 1)
                 OR a.service IN (SELECT u.service FROM unreached u WHERE u.deployment = ?2)
                 OR NOT EXISTS (SELECT 1 FROM fetch f WHERE f.deployment = ?1)
                     AND NOT EXISTS (SELECT 1 FROM unreached u WHERE u.deployment = ?2))
             AND NOT EXISTS (SELECT 1 FROM unreached u
                 WHERE u.deployment = ?2 AND u.service = a.service AND u.state = ?3))",
        params![id, uuid.to_string(), services::REFUSED],
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
) -> sql::Result<()> {
    match change {
        Change::Raised(episode) => raise(transaction, of, about, episode, now),
        Change::Still { id, episode } => {
            transaction.execute(
                "UPDATE alarm SET value = ?2, threshold = ?3, text = ?4, fix_time = ?5
                 WHERE id = ?1 AND cleared_at IS NULL",
                params![
                    id,
                    episode.value,
                    episode.limit,
                    episode.text,
                    episode.fix_time
                ],
            )?;
            Ok(())
        }
        Change::Ended { id, at, why } => {
            if alarm_rows::end(
                transaction,
                id,
                Moment {
                    at: *at,
                    seen_at: now,
                },
            )? && let Some(why) = why
            {
                alarm_rows::write_why(transaction, id, why)?;
            }
            Ok(())
        }
    }
}

/// Records a new alarm. One that stands is told whenever it began; one of the past where
/// it ended a day ago at most.
fn raise(
    transaction: &Transaction<'_>,
    of: &Watched,
    about: &About,
    episode: &Episode,
    now: f64,
) -> sql::Result<()> {
    let (before, stands): (i64, bool) = transaction.query_row(
        "SELECT count(CASE WHEN fix_time = ?4 THEN 1 END),
             coalesce(sum(CASE WHEN cleared_at IS NULL THEN 1 ELSE 0 END), 0) > 0
         FROM alarm WHERE deployment = ?1 AND kind = ?2 AND field = ?3",
        params![of.id, about.kind, about.field, episode.fix_time],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    // Another program has judged the same meanwhile.
    if episode.until.is_none() && stands || episode.until.is_some() && before > 0 {
        return Ok(());
    }
    let id = free_id(
        transaction,
        &[
            of.entry.uuid.as_bytes(),
            about.kind.as_bytes(),
            about.field.as_bytes(),
            &episode.fix_time.to_le_bytes(),
            &before.to_le_bytes(),
        ],
    )?;
    let is_told = episode.until.is_none_or(|until| alarm::is_told(until, now));
    transaction.execute(
        "INSERT INTO alarm (id, deployment, label, kind, field, raised_at, seen_at,
             fix_time, value, threshold, text)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            id,
            of.id,
            of.entry.label,
            about.kind,
            about.field,
            // A fix may be ahead of the clock, an alarm is not.
            episode.at.min(now),
            now,
            episode.fix_time,
            episode.value,
            episode.limit,
            episode.text
        ],
    )?;
    let event = AlarmEvent::Raised.name();
    let moment = |at| Moment { at, seen_at: now };
    happened(transaction, &id, moment(episode.at), event, is_told)?;
    if let Some(until) = episode.until {
        alarm_rows::end(transaction, &id, moment(until))?;
    }
    Ok(())
}

/// Remembers how a deployment was held to a rule; forgets it where there is none.
fn remember(transaction: &Transaction<'_>, id: i64, finding: &Finding) -> sql::Result<()> {
    let About { kind, field } = &finding.about;
    let Some(looked) = &finding.looked else {
        transaction.execute(
            "DELETE FROM alarm_rule WHERE deployment = ?1 AND kind = ?2 AND field = ?3",
            params![id, kind, field],
        )?;
        return Ok(());
    };
    transaction.execute(
        "INSERT INTO alarm_rule (deployment, kind, field, rule, basis, since)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (deployment, kind, field) DO UPDATE SET
             rule = excluded.rule, basis = excluded.basis, since = excluded.since",
        params![id, kind, field, looked.rule, looked.stored(), looked.since],
    )?;
    Ok(())
}
