//! Holds the stored fixes of a deployment to its rules, in the transaction that
//! stores a response.

use uuid::Uuid;

use super::alarm_rows::{bring_to_now, end_without_rule, number_of, record};
use super::connection::{Connection, Transaction};
use super::corrected::Corrected;
use super::overrides::read_overrides;
use super::sql::{self, OptionalExtension, number, params, text};
use super::tracks::transmission;
use super::watch_list::entry_of;
use super::{Archive, ArchiveError, fields};
use crate::alarm::{self, Episode, FieldNow, Progress, Rule, Seen};
use crate::track::{Deployment, Records, Track, TrackOptions};

/// Fixes before those that are new are read for this many seconds, and this many of
/// them at least: quality control and the rules look back on them.
const CONTEXT_S: f64 = 5.0 * 86_400.0;
const CONTEXT_FIXES: i64 = 200;

/// Where new fixes have a value of a field with a limit, and no fix of [`CONTEXT_S`] has
/// one, earlier fixes are read for the first of these times that has one, seconds: a
/// field may be sent once a week, or once a quarter.
const FIELD_REACH_S: [f64; 3] = [30.0 * 86_400.0, 120.0 * 86_400.0, 480.0 * 86_400.0];
/// So many fixes are read for that at most: two weeks of one a minute.
const MOST_FIXES: i64 = 20_000;

/// Holds the stored fixes of a deployment to its rules at `now` (UNIX seconds),
/// from where they were judged last, all of them where a response has corrected some of
/// these, and records what is found. Nothing where it
/// is not watched, or its entry is damaged: limits that cannot be read are not
/// judged by.
pub(super) fn judge(
    transaction: &Transaction<'_>,
    (id, uuid): (i64, Uuid),
    configured: Option<Deployment>,
    corrected: Corrected,
    now: f64,
) -> sql::Result<()> {
    let stored = entry_of(transaction, std::path::Path::new(""), uuid)?;
    let Some(entry) = stored.ok().flatten().or(configured) else {
        return Ok(());
    };
    end_without_rule(transaction, id, &entry, now)?;
    let rules = alarm::rules(&entry, now);
    if rules.is_empty() {
        return bring_to_now(transaction, id, now);
    }
    let mut seen = Vec::new();
    for rule in rules {
        let known = seen_of(transaction, id, &rule)?;
        seen.push((rule, known));
    }
    let whole = seen.iter().any(|(rule, seen)| {
        let progress = seen.progress.as_ref();
        !matches!(rule, Rule::Overdue(_)) && progress.is_none_or(|known| known.rule != rule.text())
    });
    let since = |(rule, seen): &(Rule, Seen)| since(rule, seen, corrected);
    let whole = whole || seen.iter().any(|one| since(one).is_some());
    let until = seen
        .iter()
        .filter_map(|(_, seen)| Some(seen.progress.as_ref()?.until));
    let from = match whole {
        true => f64::NEG_INFINITY,
        false => until.fold(f64::INFINITY, f64::min) - CONTEXT_S,
    };
    let options = TrackOptions {
        overrules: read_overrides(transaction, uuid)?,
        ..entry.options(now)
    };
    let has_fields = seen.iter().any(|(rule, _)| matches!(rule, Rule::Field(_)));
    let track_from = |from: f64| -> sql::Result<Track> {
        let mut records = records_from(transaction, id, from)?;
        if has_fields {
            records.fields = fields::of_records(transaction, id, &records)?;
        }
        Ok(Track::assemble(records, &options))
    };
    let mut track = track_from(from)?;
    for reach in FIELD_REACH_S {
        let needs_more = |track: &Track| {
            let mut rules = seen.iter();
            rules.any(|(rule, seen)| alarm::needs_earlier(rule, seen, track))
        };
        if whole || !needs_more(&track) {
            break;
        }
        let earliest = time_of_latest(transaction, id, MOST_FIXES)?.unwrap_or(f64::MIN);
        let from = (from + CONTEXT_S - reach).max(earliest);
        track = track_from(from)?;
        if from <= earliest {
            break;
        }
    }
    for one in &seen {
        let (rule, seen) = one;
        let (found, progress) = match since(one) {
            Some(since) => {
                let known = episodes(transaction, id, rule)?;
                alarm::judge_again(rule, seen, (&track, since), &known, now)
            }
            None => alarm::judge(rule, seen, &track, now),
        };
        record(transaction, (id, &entry), rule, found, now)?;
        if progress.until.is_finite() {
            transaction.execute(
                "INSERT INTO alarm_progress (deployment, kind, field, rule, until)
                 VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (deployment, kind, field)
                 DO UPDATE SET rule = excluded.rule, until = excluded.until",
                params![
                    id,
                    rule.kind().name(),
                    rule.field(),
                    progress.rule,
                    progress.until
                ],
            )?;
        }
    }
    bring_to_now(transaction, id, now)
}

impl Archive {
    /// The last good values of the fields that the limits of a watched deployment are
    /// about, in its latest stored fixes, seen at `now` (UNIX seconds); none of a field
    /// that none of these has.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn fields_now(
        &self,
        entry: &Deployment,
        now: f64,
    ) -> Result<Vec<FieldNow>, ArchiveError> {
        let read = || -> sql::Result<Vec<FieldNow>> {
            let Some(id) = number_of(&self.connection, entry.uuid)? else {
                return Ok(Vec::new());
            };
            let options = TrackOptions {
                overrules: read_overrides(&self.connection, entry.uuid)?,
                ..entry.options(now)
            };
            let mut records = records_from(&self.connection, id, f64::INFINITY)?;
            records.fields = fields::of_records(&self.connection, id, &records)?;
            let track = Track::assemble(records, &options);
            Ok(FieldNow::of_track(&entry.limits.fields, &track))
        };
        read().map_err(|error| self.error(&error))
    }
}

/// From when on fixes were corrected that a rule was held to already, UNIX seconds;
/// `None` where none were.
fn since(rule: &Rule, seen: &Seen, corrected: Corrected) -> Option<f64> {
    let since = match rule {
        // It is about the last fix alone.
        Rule::Overdue(_) => None,
        Rule::Field(_) => {
            let both = corrected.positions.into_iter().chain(corrected.fields);
            both.reduce(f64::min)
        }
        Rule::Outside(_) | Rule::PickedUp | Rule::Stationary => corrected.positions,
    };
    let known = seen.progress.as_ref()?;
    // Where the rule has changed as well, all are held to it anyway.
    since.filter(|since| known.rule == rule.text() && *since <= known.until)
}

/// From when to when alarms of a rule stood.
fn episodes(transaction: &Transaction<'_>, id: i64, rule: &Rule) -> sql::Result<Vec<Episode>> {
    let mut statement = transaction.prepare(
        "SELECT coalesce(fix_time, raised_at), cleared_at FROM alarm
         WHERE deployment = ?1 AND kind = ?2 AND field = ?3",
    )?;
    let of = params![id, rule.kind().name(), rule.field()];
    statement
        .query_map(of, |row| {
            Ok(Episode {
                from: row.get(0)?,
                until: number(row, 1)?,
            })
        })?
        .collect()
}

/// What is known of a rule of a deployment.
fn seen_of(transaction: &Transaction<'_>, id: i64, about: &Rule) -> sql::Result<Seen> {
    let progress = transaction
        .query_row(
            "SELECT rule, until FROM alarm_progress
             WHERE deployment = ?1 AND kind = ?2 AND field = ?3",
            params![id, about.kind().name(), about.field()],
            |row| {
                Ok(Progress {
                    rule: text(row, 0)?.unwrap_or_default(),
                    until: row.get(1)?,
                })
            },
        )
        .optional()?;
    let open: Option<(f64, Option<f64>)> = transaction
        .query_row(
            "SELECT raised_at, fix_time FROM alarm
             WHERE deployment = ?1 AND kind = ?2 AND field = ?3 AND cleared_at IS NULL",
            params![id, about.kind().name(), about.field()],
            |row| Ok((row.get(0)?, number(row, 1)?)),
        )
        .optional()?;
    Ok(Seen {
        progress,
        open: open.map(|(raised_at, _)| raised_at),
        open_fix: open.and_then(|(_, fix)| fix),
    })
}

/// The time of the earliest of so many latest transmissions of a deployment and one, UNIX
/// seconds; `None` where there are not more than so many.
fn time_of_latest(connection: &Connection, id: i64, count: i64) -> sql::Result<Option<f64>> {
    connection
        .query_row(
            "SELECT time FROM transmission WHERE deployment = ?1
             ORDER BY time DESC LIMIT 1 OFFSET ?2",
            params![id, count],
            |row| row.get(0),
        )
        .optional()
}

/// The stored transmissions of a deployment from a time on (UNIX seconds), and
/// the latest ones at least.
fn records_from(connection: &Connection, id: i64, from: f64) -> sql::Result<Records> {
    let latest = time_of_latest(connection, id, CONTEXT_FIXES)?;
    let from = latest.map_or(f64::MIN, |latest| latest.min(from).max(f64::MIN));
    let mut statement = connection.prepare(
        "SELECT time, latitude, longitude FROM transmission
         WHERE deployment = ?1 AND time >= ?2 ORDER BY time, place, latitude, longitude",
    )?;
    let rows = statement.query_map(params![id, from], transmission)?;
    let transmissions = rows.collect::<sql::Result<_>>()?;
    // Those that the service has replaced are not good.
    let mut statement = connection.prepare(
        "SELECT time, latitude, longitude FROM unsent
         WHERE deployment = ?1 AND time >= ?2 ORDER BY time, latitude, longitude",
    )?;
    let rows = statement.query_map(params![id, from], transmission)?;
    Ok(Records {
        transmissions,
        unsent: rows.collect::<sql::Result<_>>()?,
        ..Records::default()
    })
}
