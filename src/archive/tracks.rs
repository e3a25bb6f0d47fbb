//! What came: transmissions with when each was first seen, the records that
//! could not be used, and the fetches.

use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};
use uuid::Uuid;

use super::{Archive, ArchiveError, sum};
use crate::geo::Position;
use crate::track::{Flag, Overrules, Records, Transmission, Unusable};

/// What an archive holds of a deployment.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// Every record it ever got, by time.
    pub records: Records,
    /// When the last good answer came, UNIX seconds.
    pub fetched_at: f64,
}

/// What a service said of an answer that it can be asked for again by (RFC
/// 9110, sections 8.8 and 13).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Validators {
    /// The entity tag, as it came.
    pub etag: Option<String>,
    /// When it was last modified, as it came.
    pub modified: Option<String>,
}

impl Validators {
    /// Whether there is nothing to ask by.
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.modified.is_none()
    }
}

/// An answer of the service, as it is kept.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// What it held.
    pub records: &'a Records,
    /// When it came, UNIX seconds.
    pub at: f64,
    /// The HTTP status.
    pub status: u16,
    /// Bytes of its body.
    pub bytes: u64,
    /// The base address that it came from.
    pub source: &'a str,
    /// What it can be asked for again by.
    pub validators: &'a Validators,
}

/// What a fetch brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct News {
    /// Transmissions not known before.
    pub new: usize,
    /// Of these, transmissions older than the latest known.
    pub late: usize,
    /// Transmissions known from before that this answer does not hold.
    pub absent: usize,
}

impl Archive {
    /// Keeps an answer. What is known already stays as it is; nothing is ever
    /// deleted because an answer lacks it.
    ///
    /// # Errors
    /// When it cannot be written; nothing of it is kept then.
    pub fn keep(&mut self, uuid: Uuid, answer: Answer<'_>) -> Result<News, ArchiveError> {
        let write = |archive: &mut Self| -> rusqlite::Result<News> {
            let transaction = archive
                .connection
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
            let news = keep(&transaction, uuid, answer)?;
            transaction.commit()?;
            Ok(news)
        };
        write(self).map_err(|error| self.error(&error))
    }

    /// What is kept of a deployment; none where nothing ever came.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn kept(&self, uuid: Uuid) -> Result<Option<Kept>, ArchiveError> {
        let read = || -> rusqlite::Result<Option<Kept>> {
            let found: Option<(i64, f64)> = self
                .connection
                .query_row(
                    "SELECT d.id, max(f.at) FROM deployment d JOIN fetch f ON f.deployment = d.id
                     WHERE d.uuid = ?1 GROUP BY d.id",
                    [uuid.to_string()],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let Some((id, fetched_at)) = found else {
                return Ok(None);
            };
            let mut records = Records::default();
            let mut statement = self.connection.prepare(
                "SELECT time, latitude, longitude FROM transmission WHERE deployment = ?1
                 ORDER BY time, latitude, longitude",
            )?;
            let mut rows = statement.query([id])?;
            while let Some(row) = rows.next()? {
                let position = Position {
                    latitude: row.get(1)?,
                    longitude: row.get(2)?,
                };
                records.transmissions.push(Transmission {
                    time_stamp: row.get(0)?,
                    position,
                });
            }
            let mut statement = self.connection.prepare(
                "SELECT place, reason, excerpt FROM unusable WHERE deployment = ?1 ORDER BY place",
            )?;
            let rows = statement.query_map([id], |row| {
                Ok(Unusable {
                    index: usize::try_from(row.get::<_, i64>(0)?).unwrap_or(0),
                    reason: row.get(1)?,
                    excerpt: row.get(2)?,
                })
            })?;
            records.unusable = rows.collect::<rusqlite::Result<_>>()?;
            let mut statement = self.connection.prepare(
                "SELECT time, latitude, longitude FROM unsent WHERE deployment = ?1
                 ORDER BY time, latitude, longitude",
            )?;
            let rows = statement.query_map([id], |row| {
                Ok(Transmission {
                    time_stamp: row.get(0)?,
                    position: Position {
                        latitude: row.get(1)?,
                        longitude: row.get(2)?,
                    },
                })
            })?;
            records.unsent = rows.collect::<rusqlite::Result<_>>()?;
            Ok(Some(Kept {
                records,
                fetched_at,
            }))
        };
        read().map_err(|error| self.error(&error))
    }

    /// What the last good answer from `source` can be asked for again by; empty
    /// where that is not known, or the last answer came from elsewhere.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn validators(&self, uuid: Uuid, source: &str) -> Result<Validators, ArchiveError> {
        let found: rusqlite::Result<Option<(Option<String>, Validators)>> = self
            .connection
            .query_row(
                "SELECT f.source, f.etag, f.modified FROM fetch f
                 JOIN deployment d ON d.id = f.deployment
                 WHERE d.uuid = ?1 ORDER BY f.id DESC LIMIT 1",
                [uuid.to_string()],
                |row| {
                    let validators = Validators {
                        etag: row.get(1)?,
                        modified: row.get(2)?,
                    };
                    Ok((row.get(0)?, validators))
                },
            )
            .optional();
        let found = found.map_err(|error| self.error(&error))?;
        Ok(found
            .filter(|(from, _)| from.as_deref() == Some(source))
            .map_or_else(Validators::default, |(_, validators)| validators))
    }

    /// Notes that the service confirmed at a time (UNIX seconds) what is kept.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn confirm(&mut self, uuid: Uuid, at: f64) -> Result<(), ArchiveError> {
        self.connection
            .execute(
                "UPDATE fetch SET at = max(at, ?2) WHERE id = (
                     SELECT max(f.id) FROM fetch f JOIN deployment d ON d.id = f.deployment
                     WHERE d.uuid = ?1)",
                params![uuid.to_string(), at],
            )
            .map(|_| ())
            .map_err(|error| self.error(&error))
    }

    /// The flags that a person set for a deployment.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn overrules(&self, uuid: Uuid) -> Result<Overrules, ArchiveError> {
        let read = || -> rusqlite::Result<Overrules> {
            let mut statement = self.connection.prepare(
                "SELECT o.time, o.latitude, o.longitude, o.flag FROM overruled o
                 JOIN deployment d ON d.id = o.deployment WHERE d.uuid = ?1",
            )?;
            let mut rows = statement.query([uuid.to_string()])?;
            let mut overrules = Overrules::default();
            while let Some(row) = rows.next()? {
                let position = Position {
                    latitude: row.get(1)?,
                    longitude: row.get(2)?,
                };
                if let Some(flag) = Flag::from_code(row.get(3)?) {
                    overrules.set(row.get(0)?, position, flag);
                }
            }
            Ok(overrules)
        };
        read().map_err(|error| self.error(&error))
    }

    /// Sets the flag of a fix by hand, or takes that back.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn overrule(
        &mut self,
        uuid: Uuid,
        time: f64,
        position: Position,
        flag: Option<Flag>,
    ) -> Result<(), ArchiveError> {
        let write = || -> rusqlite::Result<()> {
            let id = deployment(&self.connection, uuid, time)?;
            let place = params![id, time, position.latitude, position.longitude];
            match flag {
                None => self.connection.execute(
                    "DELETE FROM overruled WHERE deployment = ?1 AND time = ?2 AND latitude = ?3 AND longitude = ?4",
                    place,
                )?,
                Some(flag) => self.connection.execute(
                    "INSERT OR REPLACE INTO overruled VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![id, time, position.latitude, position.longitude, flag.code()],
                )?,
            };
            Ok(())
        };
        write().map_err(|error| self.error(&error))
    }

    /// Transmissions that came after a later one of their deployment was known.
    fn late(&self) -> Result<u64, ArchiveError> {
        self.connection
            .query_row("SELECT coalesce(sum(late), 0) FROM fetch", [], |row| {
                row.get::<_, i64>(0)
            })
            .map(|count| u64::try_from(count).unwrap_or(0))
            .map_err(|error| self.error(&error))
    }

    /// How much is kept: deployments, transmissions, how many of them are no
    /// longer sent or came late, fetches, lines of the ledger.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn counts(&self) -> Result<[(&'static str, u64); 6], ArchiveError> {
        let count = |table: &str| {
            self.connection
                .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
                    row.get::<_, i64>(0)
                })
                .map(|count| u64::try_from(count).unwrap_or(0))
                .map_err(|error| self.error(&error))
        };
        Ok([
            ("deployments", count("deployment")?),
            ("transmissions", count("transmission")?),
            ("no longer sent", count("unsent")?),
            ("came late", self.late()?),
            ("fetches", count("fetch")?),
            ("ledger", count("ledger")?),
        ])
    }
}

/// The row of a deployment, made where there is none.
fn deployment(connection: &rusqlite::Connection, uuid: Uuid, now: f64) -> rusqlite::Result<i64> {
    let uuid = uuid.to_string();
    connection.execute(
        "INSERT OR IGNORE INTO deployment (uuid, added_at) VALUES (?1, ?2)",
        params![uuid, now],
    )?;
    connection.query_row(
        "SELECT id FROM deployment WHERE uuid = ?1",
        [&uuid],
        |row| row.get(0),
    )
}

fn keep(transaction: &Transaction<'_>, uuid: Uuid, answer: Answer<'_>) -> rusqlite::Result<News> {
    let Answer {
        records,
        at: fetched_at,
        status,
        bytes,
        ..
    } = answer;
    let id = deployment(transaction, uuid, fetched_at)?;
    let (known, latest): (i64, Option<f64>) = transaction.query_row(
        "SELECT count(*), max(time) FROM transmission WHERE deployment = ?1",
        [id],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let fetch: i64 =
        transaction.query_row("SELECT coalesce(max(id), 0) + 1 FROM fetch", [], |row| {
            row.get(0)
        })?;
    let mut news = News::default();
    let (mut came, mut added) = (0, 0u64);
    {
        let mut insert = transaction
            .prepare("INSERT OR IGNORE INTO transmission VALUES (?1, ?2, ?3, ?4, ?5)")?;
        // In the order of the key, so that a page is written once.
        let mut order: Vec<&Transmission> = records.transmissions.iter().collect();
        order.sort_by(|a, b| {
            a.time_stamp
                .total_cmp(&b.time_stamp)
                .then(a.position.latitude.total_cmp(&b.position.latitude))
                .then(a.position.longitude.total_cmp(&b.position.longitude))
        });
        order.dedup_by(|a, b| a == b);
        for one in order {
            came += 1;
            let place = one.position;
            let new = insert.execute(params![
                id,
                one.time_stamp,
                place.latitude,
                place.longitude,
                fetch
            ])?;
            news.new += new;
            if new > 0 {
                added = added.wrapping_add(sum::share(one));
            }
            if new > 0 && latest.is_some_and(|latest| one.time_stamp < latest) {
                news.late += 1;
            }
        }
    }
    sum::add(transaction, id, added)?;
    news.absent = (usize::try_from(known).unwrap_or(0) + news.new).saturating_sub(came);
    mark_unsent(transaction, id, records, fetch, news.absent)?;
    transaction.execute("DELETE FROM unusable WHERE deployment = ?1", [id])?;
    {
        let mut insert = transaction.prepare("INSERT INTO unusable VALUES (?1, ?2, ?3, ?4)")?;
        for record in &records.unusable {
            let place = i64::try_from(record.index).unwrap_or(i64::MAX);
            insert.execute(params![id, place, record.reason, record.excerpt])?;
        }
    }
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    transaction.execute(
        "INSERT INTO fetch (id, deployment, at, status, bytes, new, late, source, etag, modified)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            fetch,
            id,
            fetched_at,
            status,
            i64::try_from(bytes).unwrap_or(i64::MAX),
            number(news.new),
            number(news.late),
            answer.source,
            answer.validators.etag,
            answer.validators.modified
        ],
    )?;
    Ok(news)
}

/// Marks the transmissions that an answer no longer holds, since this fetch or
/// an earlier one; one that is sent again is no longer marked.
fn mark_unsent(
    transaction: &Transaction<'_>,
    id: i64,
    records: &Records,
    fetch: i64,
    absent: usize,
) -> rusqlite::Result<()> {
    if absent == 0 {
        transaction.execute("DELETE FROM unsent WHERE deployment = ?1", [id])?;
        return Ok(());
    }
    transaction.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS came (time REAL, latitude REAL, longitude REAL,
             PRIMARY KEY (time, latitude, longitude)) WITHOUT ROWID;
         DELETE FROM came;",
    )?;
    {
        let mut insert = transaction.prepare("INSERT OR IGNORE INTO came VALUES (?1, ?2, ?3)")?;
        for one in &records.transmissions {
            let place = one.position;
            insert.execute(params![one.time_stamp, place.latitude, place.longitude])?;
        }
    }
    const SAME: &str = "c.time = t.time AND c.latitude = t.latitude AND c.longitude = t.longitude";
    transaction.execute(
        &format!(
            "DELETE FROM unsent AS t WHERE deployment = ?1 AND EXISTS (SELECT 1 FROM came c WHERE {SAME})"
        ),
        [id],
    )?;
    transaction.execute(
        &format!(
            "INSERT OR IGNORE INTO unsent SELECT deployment, time, latitude, longitude, ?2
             FROM transmission t WHERE deployment = ?1 AND NOT EXISTS (SELECT 1 FROM came c WHERE {SAME})"
        ),
        [id, fetch],
    )?;
    transaction.execute_batch("DELETE FROM came")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(times: &[f64]) -> Records {
        let transmissions = times
            .iter()
            .map(|&time_stamp| Transmission {
                time_stamp,
                position: Position {
                    latitude: 1.0,
                    longitude: 2.0,
                },
            })
            .collect();
        Records {
            transmissions,
            ..Records::default()
        }
    }

    fn answer(records: &Records, at: f64) -> Answer<'_> {
        static NONE: Validators = Validators {
            etag: None,
            modified: None,
        };
        Answer {
            records,
            at,
            status: 200,
            bytes: 99,
            source: "http://127.0.0.1:1",
            validators: &NONE,
        }
    }

    #[test]
    fn what_is_no_longer_sent_is_kept_and_marked_until_it_is_sent_again() {
        let mut archive = Archive::in_memory().unwrap();
        let uuid = Uuid::from_u128(7);
        let unsent = |archive: &Archive| -> Vec<f64> {
            let kept = archive.kept(uuid).unwrap().unwrap();
            assert_eq!(kept.records.transmissions.len(), 3);
            kept.records
                .unsent
                .iter()
                .map(|one| one.time_stamp)
                .collect()
        };
        for (times, expected) in [
            (&[10.0, 20.0, 30.0][..], &[][..]),
            (&[10.0, 30.0], &[20.0]),
            (&[10.0], &[20.0, 30.0]),
            (&[10.0, 20.0], &[30.0]),
            (&[10.0, 20.0, 30.0], &[]),
        ] {
            archive.keep(uuid, answer(&records(times), 100.0)).unwrap();
            assert_eq!(unsent(&archive), expected);
        }
    }

    #[test]
    fn an_answer_is_asked_for_again_only_where_it_came_from() {
        let mut archive = Archive::in_memory().unwrap();
        let (uuid, base) = (Uuid::from_u128(7), "http://127.0.0.1:1");
        let validators = Validators {
            etag: Some("W/\"7\"".to_owned()),
            modified: None,
        };
        let records = records(&[10.0]);
        let first = Answer {
            validators: &validators,
            ..answer(&records, 100.0)
        };
        assert!(archive.validators(uuid, base).unwrap().is_empty());
        archive.keep(uuid, first).unwrap();
        assert_eq!(archive.validators(uuid, base).unwrap(), validators);
        assert!(
            archive
                .validators(uuid, "http://127.0.0.1:2")
                .unwrap()
                .is_empty()
        );
        archive.confirm(uuid, 150.0).unwrap();
        assert_eq!(archive.kept(uuid).unwrap().unwrap().fetched_at, 150.0);
        // A later answer without any takes them away.
        archive.keep(uuid, answer(&records, 200.0)).unwrap();
        assert!(archive.validators(uuid, base).unwrap().is_empty());
    }

    #[test]
    fn a_fetch_is_told_by_what_it_brought_and_nothing_is_ever_lost() {
        let mut archive = Archive::in_memory().unwrap();
        let uuid = Uuid::from_u128(7);
        assert_eq!(archive.kept(uuid).unwrap(), None);
        let first = archive
            .keep(uuid, answer(&records(&[10.0, 20.0, 40.0, 40.0]), 100.0))
            .unwrap();
        assert_eq!(
            first,
            News {
                new: 3,
                late: 0,
                absent: 0
            }
        );
        let second = archive
            .keep(uuid, answer(&records(&[20.0, 30.0, 50.0]), 200.0))
            .unwrap();
        assert_eq!(
            second,
            News {
                new: 2,
                late: 1,
                absent: 2
            }
        );
        let kept = archive.kept(uuid).unwrap().unwrap();
        let times: Vec<f64> = kept
            .records
            .transmissions
            .iter()
            .map(|one| one.time_stamp)
            .collect();
        assert_eq!(
            (times, kept.fetched_at),
            (vec![10.0, 20.0, 30.0, 40.0, 50.0], 200.0)
        );
    }

    #[test]
    fn a_flag_set_by_hand_is_kept_and_taken_back() {
        let mut archive = Archive::in_memory().unwrap();
        let (uuid, place) = (
            Uuid::from_u128(7),
            Position {
                latitude: 1.0,
                longitude: 2.0,
            },
        );
        archive
            .overrule(uuid, 10.0, place, Some(Flag::Fail))
            .unwrap();
        assert_eq!(
            archive.overrules(uuid).unwrap().get(10.0, place),
            Some(Flag::Fail)
        );
        archive.overrule(uuid, 10.0, place, None).unwrap();
        assert!(archive.overrules(uuid).unwrap().is_empty());
    }
}
