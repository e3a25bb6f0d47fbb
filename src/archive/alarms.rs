//! Alarms and what happened to each: judged in the transaction that stores a
//! response, and told once by whichever program claims the telling.

#[cfg(test)]
mod tests;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use uuid::Uuid;

use super::row_hash::{number, text};
use super::watch_list::{list, whole_entry};
use super::{Archive, ArchiveError, checksum, process, tracks};
use crate::alarm::{self, Alarm, AlarmEvent, Found, Kind, Progress, Rule, Seen};
use crate::track::{Deployment, Records, Track, TrackOptions};

/// Fixes before those that are new are read for so many seconds, and so many of
/// them at least: quality control and the rules look back on them.
const CONTEXT_S: f64 = 5.0 * 86_400.0;
const CONTEXT_FIXES: i64 = 200;

/// What was claimed is free again after this long, seconds: the program that
/// claimed it runs, but tells no more.
const CLAIM_S: f64 = 120.0;

/// A transition that the caller has claimed, to tell it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToTell {
    /// The number of the transition.
    pub number: i64,
    /// What happened.
    pub event: AlarmEvent,
    /// The alarm as it is now.
    pub alarm: Alarm,
}

impl Archive {
    /// Names deployments that are watched besides those on the list.
    pub(crate) fn watch_also(&mut self, configured: Vec<Deployment>) {
        self.configured = configured;
    }

    pub(super) fn configured_entry(&self, uuid: Uuid) -> Option<Deployment> {
        self.configured.iter().find(|one| one.uuid == uuid).cloned()
    }

    /// The alarms that stand, the latest first; with `all`, those that have ended
    /// as well.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn alarms(&self, all: bool) -> Result<Vec<Alarm>, ArchiveError> {
        let which = if all {
            ""
        } else {
            "WHERE a.cleared_at IS NULL"
        };
        let order = format!("{which} ORDER BY a.raised_at DESC, a.id");
        read(&self.connection, &order, []).map_err(|error| self.error(&error))
    }

    /// Acknowledges an alarm at `now` (UNIX seconds); returns it as it was
    /// before, `None` if there is none with this id.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn acknowledge(
        &mut self,
        id: &str,
        now: f64,
    ) -> Result<Option<Alarm>, ArchiveError> {
        self.said(id, now, "acknowledged", |transaction| {
            transaction.execute(
                "UPDATE alarm SET acknowledged_at = ?2, snoozed_until = NULL
                 WHERE id = ?1 AND cleared_at IS NULL AND acknowledged_at IS NULL",
                params![id, now],
            )
        })
    }

    /// Puts the reminders of an alarm off until a time (UNIX seconds), as said at
    /// `now`; returns it as it was before, `None` if there is none with this id.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn snooze(
        &mut self,
        id: &str,
        until: f64,
        now: f64,
    ) -> Result<Option<Alarm>, ArchiveError> {
        self.said(id, now, "snoozed", |transaction| {
            transaction.execute(
                "UPDATE alarm SET snoozed_until = ?2, acknowledged_at = NULL
                 WHERE id = ?1 AND cleared_at IS NULL",
                params![id, until],
            )
        })
    }

    /// Records what a user says of an alarm; nothing where it has ended.
    fn said(
        &mut self,
        id: &str,
        now: f64,
        event: &str,
        act: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<usize>,
    ) -> Result<Option<Alarm>, ArchiveError> {
        self.writing(|transaction| {
            let alarm = read(transaction, "WHERE a.id = ?1", [id])?.pop();
            if alarm.is_some() && act(transaction)? > 0 {
                happened(transaction, id, (now, now), event, false)?;
            }
            Ok(alarm)
        })
    }

    /// Raises the alarm that a service cannot be reached, unless it stands.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn unreachable(
        &mut self,
        service: &str,
        why: &str,
        now: f64,
    ) -> Result<(), ArchiveError> {
        self.writing(|transaction| {
            let stands: bool = transaction.query_row(
                "SELECT EXISTS (SELECT 1 FROM alarm
                 WHERE service = ?1 AND kind = 'unreachable' AND cleared_at IS NULL)",
                [service],
                |row| row.get(0),
            )?;
            if stands {
                return Ok(());
            }
            let id = free_id(transaction, &[service.as_bytes(), &now.to_le_bytes()])?;
            transaction.execute(
                "INSERT INTO alarm (id, service, kind, raised_at, seen_at, text)
                 VALUES (?1, ?2, 'unreachable', ?3, ?3, ?4)",
                params![
                    id,
                    service,
                    now,
                    format!("{service} cannot be reached: {why}")
                ],
            )?;
            happened(
                transaction,
                &id,
                (now, now),
                AlarmEvent::Raised.name(),
                true,
            )
        })
    }

    /// Claims what is to be told at `now` (UNIX seconds), reminders among it: no
    /// other program is given the same while this one runs and the claim is not
    /// old. [`Archive::told`] ends the claim.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn claim(&mut self, now: f64) -> Result<Vec<ToTell>, ArchiveError> {
        self.writing(|transaction| {
            for alarm in read(transaction, "WHERE a.cleared_at IS NULL", [])? {
                if alarm.is_reminder_due(now) {
                    let event = AlarmEvent::Reminder.name();
                    happened(transaction, &alarm.id, (now, now), event, true)?;
                    transaction.execute(
                        "UPDATE alarm SET told_at = ?2, reminders = reminders + 1 WHERE id = ?1",
                        params![alarm.id, now],
                    )?;
                }
            }
            let mut claimed = Vec::new();
            for (number, id, event) in free_events(transaction, now)? {
                let alarm = read(transaction, "WHERE a.id = ?1", [&id])?.pop();
                let (Some(alarm), Ok(event)) = (alarm, event.parse()) else {
                    continue;
                };
                transaction.execute(
                    "UPDATE alarm_event SET process = ?2, run = ?3, claimed_at = ?4 WHERE id = ?1",
                    params![
                        number,
                        std::process::id(),
                        process::run_of(std::process::id()),
                        now
                    ],
                )?;
                claimed.push(ToTell {
                    number,
                    event,
                    alarm,
                });
            }
            Ok(claimed)
        })
    }

    /// Whether anything is to be told at `now` (UNIX seconds), without a claim.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn has_to_tell(&self, now: f64) -> Result<bool, ArchiveError> {
        let look = || -> rusqlite::Result<bool> {
            let due = |alarm: &Alarm| alarm.is_reminder_due(now);
            let standing = read(&self.connection, "WHERE a.cleared_at IS NULL", [])?;
            Ok(standing.iter().any(due) || !free_events(&self.connection, now)?.is_empty())
        };
        look().map_err(|error| self.error(&error))
    }

    /// Records that transitions were told at `now` (UNIX seconds).
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn told(&mut self, numbers: &[i64], now: f64) -> Result<(), ArchiveError> {
        self.writing(|transaction| {
            for number in numbers {
                transaction
                    .execute("UPDATE alarm_event SET to_tell = 0 WHERE id = ?1", [number])?;
                transaction.execute(
                    "UPDATE alarm SET told_at = ?2 WHERE told_at IS NULL
                     AND id = (SELECT alarm FROM alarm_event WHERE id = ?1)",
                    params![number, now],
                )?;
            }
            Ok(())
        })
    }

    /// What is wrong with the alarms.
    pub(super) fn damaged_alarms(&self) -> Result<Vec<String>, ArchiveError> {
        let look = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection.prepare("SELECT id, kind FROM alarm")?;
            let mut rows = statement.query([])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let id = text(row, 0)?.unwrap_or_default();
                let kind = text(row, 1)?.unwrap_or_default();
                if kind.parse::<Kind>().is_err() {
                    found.push(format!(
                        "the kind of the alarm {} is not what was written",
                        crate::text::excerpt(&id, 20)
                    ));
                }
            }
            Ok(found)
        };
        look().map_err(|error| self.error(&error))
    }
}

/// The transitions that are to be told and that no other program is telling:
/// number, id of the alarm, event.
fn free_events(connection: &Connection, now: f64) -> rusqlite::Result<Vec<(i64, String, String)>> {
    let mut statement = connection.prepare(
        "SELECT id, alarm, event, process, run, claimed_at FROM alarm_event
         WHERE to_tell = 1 ORDER BY id",
    )?;
    let mut rows = statement.query([])?;
    let mut free = Vec::new();
    while let Some(row) = rows.next()? {
        let claimed = number(row, 5)?;
        let owner: Option<i64> = row.get(3)?;
        // A claim of the future is one of a clock that was set back.
        let holds = claimed.is_some_and(|at| (0.0..CLAIM_S).contains(&(now - at)))
            && owner.is_some_and(|owner| {
                let run = text(row, 4).ok().flatten();
                process::is_alive(owner, run.as_deref())
            });
        if !holds {
            let (alarm, event) = (text(row, 1)?, text(row, 2)?);
            free.push((
                row.get(0)?,
                alarm.unwrap_or_default(),
                event.unwrap_or_default(),
            ));
        }
    }
    Ok(free)
}

/// The alarms that an SQL clause selects and orders; one that cannot be read is
/// left out.
fn read(
    connection: &Connection,
    which: &str,
    arguments: impl rusqlite::Params,
) -> rusqlite::Result<Vec<Alarm>> {
    let mut statement = connection.prepare(&format!(
        "SELECT a.id, d.uuid, coalesce(d.label, a.label), a.kind, a.raised_at, a.seen_at,
             a.acknowledged_at, a.snoozed_until, a.cleared_at, a.fix_time, a.value, a.threshold,
             a.text, a.told_at, a.reminders
         FROM alarm a LEFT JOIN deployment d ON d.id = a.deployment {which}"
    ))?;
    let mut rows = statement.query(arguments)?;
    let mut alarms = Vec::new();
    while let Some(row) = rows.next()? {
        alarms.extend(alarm(row)?);
    }
    Ok(alarms)
}

fn alarm(row: &Row<'_>) -> rusqlite::Result<Option<Alarm>> {
    let kind = text(row, 3)?.and_then(|name| name.parse().ok());
    let (Some(id), Some(kind), Some(raised_at)) = (text(row, 0)?, kind, number(row, 4)?) else {
        return Ok(None);
    };
    Ok(Some(Alarm {
        id,
        deployment: text(row, 1)?.and_then(|uuid| uuid.parse().ok()),
        label: text(row, 2)?,
        kind,
        raised_at,
        seen_at: number(row, 5)?.unwrap_or(raised_at),
        acknowledged_at: number(row, 6)?,
        snoozed_until: number(row, 7)?,
        cleared_at: number(row, 8)?,
        fix_time: number(row, 9)?,
        value: number(row, 10)?,
        limit: number(row, 11)?,
        text: text(row, 12)?.unwrap_or_default(),
        told_at: number(row, 13)?,
        reminders: u32::try_from(row.get::<_, i64>(14).unwrap_or(0)).unwrap_or(0),
    }))
}

/// Records something that happened at one time and was seen at another (UNIX
/// seconds).
fn happened(
    transaction: &Transaction<'_>,
    alarm: &str,
    (at, seen_at): (f64, f64),
    event: &str,
    to_tell: bool,
) -> rusqlite::Result<()> {
    transaction.execute(
        "INSERT INTO alarm_event (alarm, at, seen_at, event, to_tell) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![alarm, at, seen_at, event, to_tell],
    )?;
    Ok(())
}

/// A short id of no alarm yet, made of what tells the alarm from others.
fn free_id(transaction: &Transaction<'_>, of: &[&[u8]]) -> rusqlite::Result<String> {
    /// Digits and letters that are not taken for each other (Crockford).
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    // FNV-1a (Fowler, Noll and Vo).
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in of.iter().flat_map(|part| part.iter().chain(&[0xff])) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    loop {
        let id: String = (0..6)
            .map(|place| {
                let digit = (hash >> (5 * place + 20)) & 31;
                char::from(
                    DIGITS
                        .get(usize::try_from(digit).unwrap_or(0))
                        .copied()
                        .unwrap_or(b'0'),
                )
            })
            .collect();
        let taken: bool = transaction.query_row(
            "SELECT EXISTS (SELECT 1 FROM alarm WHERE id = ?1)",
            [&id],
            |row| row.get(0),
        )?;
        if !taken {
            return Ok(id);
        }
        hash = hash.wrapping_mul(0x0100_0000_01b3).wrapping_add(1);
    }
}

/// Clears the alarm that a service cannot be reached.
pub(super) fn reached(
    transaction: &Transaction<'_>,
    service: &str,
    now: f64,
) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare(
        "UPDATE alarm SET cleared_at = ?2
         WHERE service = ?1 AND kind = 'unreachable' AND cleared_at IS NULL RETURNING id",
    )?;
    let ids: Vec<String> = statement
        .query_map(params![service, now], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    ids.iter().try_for_each(|id| {
        happened(
            transaction,
            id,
            (now, now),
            AlarmEvent::Cleared.name(),
            true,
        )
    })
}

/// Holds the stored fixes of a deployment to its rules at `now` (UNIX seconds),
/// from where they were judged last, and records what is found. Nothing where it
/// is not watched, or its entry is damaged: limits that cannot be read are not
/// judged by.
pub(super) fn judge(
    transaction: &Transaction<'_>,
    (id, uuid): (i64, Uuid),
    configured: Option<Deployment>,
    now: f64,
) -> rusqlite::Result<()> {
    let stored = whole_entry(std::path::Path::new(""), &list(transaction)?, uuid);
    let Some(entry) = stored.ok().flatten().or(configured) else {
        return Ok(());
    };
    let rules = alarm::rules(&entry);
    end_without_rule(transaction, id, &rules, now)?;
    let mut seen = Vec::new();
    for rule in rules {
        let known = seen_of(transaction, id, rule.kind())?;
        seen.push((rule, known));
    }
    // After the end of its window nothing is expected of it.
    let is_over = entry.window.until.is_some_and(|until| until < now);
    let whole = seen.iter().any(|(rule, seen)| {
        let progress = seen.progress.as_ref();
        !matches!(rule, Rule::Overdue(_)) && progress.is_none_or(|known| known.rule != rule.text())
    });
    let until = seen
        .iter()
        .filter_map(|(_, seen)| Some(seen.progress.as_ref()?.until));
    let from = match whole {
        true => f64::NEG_INFINITY,
        false => until.fold(f64::INFINITY, f64::min) - CONTEXT_S,
    };
    let options = TrackOptions {
        overrules: tracks::read_overrides(transaction, uuid)?,
        ..entry.options(now)
    };
    let track = Track::assemble(records_from(transaction, id, from)?, &options);
    for (rule, seen) in &seen {
        if is_over && matches!(rule, Rule::Overdue(_)) && seen.open.is_none() {
            continue;
        }
        let (found, progress) = alarm::judge(rule, seen, &track, now);
        record(transaction, (id, &entry), rule.kind(), found, now)?;
        if progress.until.is_finite() {
            transaction.execute(
                "INSERT OR REPLACE INTO alarm_progress VALUES (?1, ?2, ?3, ?4)",
                params![id, rule.kind().name(), progress.rule, progress.until],
            )?;
        }
    }
    Ok(())
}

/// What is known of a rule of a deployment.
fn seen_of(transaction: &Transaction<'_>, id: i64, kind: Kind) -> rusqlite::Result<Seen> {
    let progress = transaction
        .query_row(
            "SELECT rule, until FROM alarm_progress WHERE deployment = ?1 AND kind = ?2",
            params![id, kind.name()],
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
             WHERE deployment = ?1 AND kind = ?2 AND cleared_at IS NULL",
            params![id, kind.name()],
            |row| Ok((row.get(0)?, number(row, 1)?)),
        )
        .optional()?;
    Ok(Seen {
        progress,
        open: open.map(|(raised_at, _)| raised_at),
        open_fix: open.and_then(|(_, fix)| fix),
    })
}

/// The stored transmissions of a deployment from a time on (UNIX seconds), and
/// the latest ones at least.
fn records_from(transaction: &Transaction<'_>, id: i64, from: f64) -> rusqlite::Result<Records> {
    let latest: Option<f64> = transaction
        .query_row(
            "SELECT time FROM transmission WHERE deployment = ?1
             ORDER BY time DESC LIMIT 1 OFFSET ?2",
            params![id, CONTEXT_FIXES],
            |row| row.get(0),
        )
        .optional()?;
    let from = latest.map_or(f64::MIN, |latest| latest.min(from).max(f64::MIN));
    let mut statement = transaction.prepare(
        "SELECT time, latitude, longitude FROM transmission
         WHERE deployment = ?1 AND time >= ?2 ORDER BY time, place, latitude, longitude",
    )?;
    let rows = statement.query_map(params![id, from], checksum::transmission)?;
    Ok(Records {
        transmissions: rows.collect::<rusqlite::Result<_>>()?,
        ..Records::default()
    })
}

/// Records what a rule found: alarms and their ends, in the order of time.
fn record(
    transaction: &Transaction<'_>,
    (id, entry): (i64, &Deployment),
    kind: Kind,
    found: Vec<Found>,
    now: f64,
) -> rusqlite::Result<()> {
    let mut found = found.into_iter().peekable();
    while let Some(one) = found.next() {
        match one {
            Found::Raised {
                at,
                fix_time,
                value,
                limit,
                text,
            } => {
                let before: i64 = transaction.query_row(
                    "SELECT count(*) FROM alarm WHERE deployment = ?1 AND kind = ?2 AND fix_time = ?3",
                    params![id, kind.name(), fix_time],
                    |row| row.get(0),
                )?;
                // An alarm of the past that is known already, found once more.
                if before > 0 && matches!(found.peek(), Some(Found::Cleared { .. })) {
                    found.next();
                    continue;
                }
                let alarm = free_id(
                    transaction,
                    &[
                        entry.uuid.as_bytes(),
                        kind.name().as_bytes(),
                        &fix_time.to_le_bytes(),
                        &before.to_le_bytes(),
                    ],
                )?;
                transaction.execute(
                    "INSERT INTO alarm (id, deployment, label, kind, raised_at, seen_at, fix_time,
                         value, threshold, text)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                    params![
                        alarm,
                        id,
                        entry.label,
                        kind.name(),
                        at,
                        now,
                        fix_time,
                        value,
                        limit,
                        text
                    ],
                )?;
                let event = AlarmEvent::Raised.name();
                happened(
                    transaction,
                    &alarm,
                    (at, now),
                    event,
                    alarm::is_told(at, now),
                )?;
            }
            Found::Cleared { at } => end(transaction, id, kind, (at, now))?,
        }
    }
    Ok(())
}

/// Ends the alarm of a kind that stands, at one time and seen at another (UNIX
/// seconds). That is told where the alarm was.
fn end(
    transaction: &Transaction<'_>,
    id: i64,
    kind: Kind,
    (at, now): (f64, f64),
) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare(
        "UPDATE alarm SET cleared_at = max(?3, raised_at)
         WHERE deployment = ?1 AND kind = ?2 AND cleared_at IS NULL
         RETURNING id, told_at IS NOT NULL OR EXISTS (
             SELECT 1 FROM alarm_event e WHERE e.alarm = alarm.id AND e.to_tell = 1)",
    )?;
    let ended: Vec<(String, bool)> = statement
        .query_map(params![id, kind.name(), at], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    for (alarm, was_told) in ended {
        let event = AlarmEvent::Cleared.name();
        let is_told = was_told && alarm::is_told(at, now);
        happened(transaction, &alarm, (at, now), event, is_told)?;
    }
    Ok(())
}

/// Ends the alarms of a deployment that no rule is left for, at `now` (UNIX
/// seconds), and forgets how far it was held to them.
pub(super) fn end_without_rule(
    transaction: &Transaction<'_>,
    id: i64,
    rules: &[Rule],
    now: f64,
) -> rusqlite::Result<()> {
    for kind in [
        Kind::Overdue,
        Kind::Outside,
        Kind::PickedUp,
        Kind::Stationary,
    ] {
        if rules.iter().any(|rule| rule.kind() == kind) {
            continue;
        }
        end(transaction, id, kind, (now, now))?;
        transaction.execute(
            "DELETE FROM alarm_progress WHERE deployment = ?1 AND kind = ?2",
            params![id, kind.name()],
        )?;
    }
    Ok(())
}

/// Ends the alarms of a deployment that is watched no longer, without telling.
pub(super) fn end_of_unwatched(
    transaction: &Transaction<'_>,
    uuid: Uuid,
    now: f64,
) -> rusqlite::Result<()> {
    let id: Option<i64> = transaction
        .query_row(
            "SELECT id FROM deployment WHERE uuid = ?1",
            [uuid.to_string()],
            |row| row.get(0),
        )
        .optional()?;
    match id {
        Some(id) => end_without_rule(transaction, id, &[], now),
        None => Ok(()),
    }
}
