//! The last response for each deployment, from which follows when it is requested next: in
//! every program, from its first request on.

use std::collections::HashMap;

use uuid::Uuid;

use super::Archive;
use super::connection::Connection;
use super::sql::{Params, Result, Row, RowResult, params};
use crate::failure::refusal::Unanswered;
use crate::track::ServiceClock;
use crate::watch::Overview;
use crate::watch::agenda::{Idle, LastAnswer, LastFailure};

/// How far back the bytes of responses without new fixes are counted, seconds.
const DAY_S: f64 = 86_400.0;

impl Archive {
    /// The last responses for all deployments that have one, seen at `now` (UNIX seconds).
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn last_answers(&self, now: f64) -> Result<HashMap<Uuid, LastAnswer>> {
        read(&self.connection, "", params![now - DAY_S])
    }

    /// The last response for a deployment, seen at `now` (UNIX seconds).
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn last_answer(&self, uuid: Uuid, now: f64) -> Result<Option<LastAnswer>> {
        last_answer(&self.connection, uuid, now)
    }

    /// The clock of the service of a deployment, by its newest response.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn clock(&self, uuid: Uuid) -> Result<ServiceClock> {
        let last = last_answer(&self.connection, uuid, 0.0)?;
        Ok(last.map(|answer| answer.clock).unwrap_or_default())
    }

    /// When a service had its last usable response at `now` (both UNIX seconds); negative
    /// infinity if it had none.
    ///
    /// # Errors
    /// When that cannot be read.
    pub(crate) fn answered_at(&self, service: &str, now: f64) -> Result<f64> {
        let at: Option<f64> = self.connection.row(
            "SELECT max(at) FROM fetch WHERE source = ?1 AND at <= ?2",
            params![service, now],
            |row| row.get(0),
        )?;
        Ok(at.unwrap_or(f64::NEG_INFINITY))
    }

    /// The deployments for which a service had no usable response since their last one.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn last_failures(&self, service: &str) -> Result<HashMap<Uuid, LastFailure>> {
        let found = self.connection.rows(
            "SELECT deployment, at, state, again FROM unreached WHERE service = ?1",
            [service],
            |row| {
                let state = Unanswered::from_repr(row.get(2)?).unwrap_or(Unanswered::NoUse);
                let again_at = row.number(3).unwrap_or_default();
                let failure = row.number(1).map(|at| LastFailure {
                    at,
                    state,
                    again_at,
                });
                Ok(row.uuid(0).zip(failure))
            },
        )?;
        Ok(found.into_iter().flatten().collect())
    }

    /// When a service last gave no usable response for a deployment, of each that has none since
    /// its last one, UNIX seconds.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn all_failures_at(&self) -> Result<Vec<f64>> {
        let all = "SELECT at FROM unreached";
        self.connection.rows(all, (), |row| row.get(0))
    }

    /// `true` if there is a response for a deployment.
    ///
    /// # Errors
    /// When that cannot be read.
    pub(crate) fn has_answer(&self, uuid: Uuid) -> Result<bool> {
        self.connection.row(
            "SELECT EXISTS (SELECT 1 FROM fetch f JOIN deployment d ON d.id = f.deployment
             WHERE d.uuid = ?1)",
            [uuid.to_string()],
            |row| row.get(0),
        )
    }
}

/// The last response for one deployment, seen at `now` (UNIX seconds).
pub(super) fn last_answer(
    connection: &Connection,
    uuid: Uuid,
    now: f64,
) -> Result<Option<LastAnswer>> {
    let of = params![now - DAY_S, uuid.to_string()];
    Ok(read(connection, "WHERE d.uuid = ?2", of)?.remove(&uuid))
}

fn read(
    connection: &Connection,
    which: &str,
    values: impl Params,
) -> Result<HashMap<Uuid, LastAnswer>> {
    // Of the fetches of a day before the last only the sum is stored.
    let found = connection.rows(
        &format!(
            "SELECT d.uuid, f.at, f.bytes, f.idle > 0,
                 (SELECT min(g.at) FROM fetch g WHERE g.deployment = d.id),
                 (SELECT CAST(coalesce(sum(g.idle), 0) AS BIGINT) FROM fetch g
                  WHERE g.deployment = d.id AND g.began > ?1),
                 o.body, f.began, {CLOCK}, d.max_age
             FROM deployment d
             JOIN fetch f ON f.id = (SELECT max(g.id) FROM fetch g WHERE g.deployment = d.id)
             LEFT JOIN overview o ON o.deployment = d.id {which}"
        ),
        values,
        |row| Ok(row.uuid(0).zip(of_row(row)?)),
    )?;
    Ok(found.into_iter().flatten().collect())
}

/// The difference of the clocks by the newest answer of the service of a fetch `f`, and when
/// that came; the same by the fetch `f`, the last one of its deployment, or by the one before it
/// if that was less: a date that is wrong for once makes nothing silent. In SQL.
pub(super) const CLOCK: &str = "
    (SELECT g.ahead FROM fetch g WHERE g.source = f.source ORDER BY g.id DESC LIMIT 1),
    (SELECT g.at FROM fetch g WHERE g.source = f.source ORDER BY g.id DESC LIMIT 1),
    (SELECT min(g.ahead) FROM fetch g WHERE g.deployment = f.deployment AND g.at <= f.at
     AND g.id >= coalesce((SELECT max(h.id) FROM fetch h
                           WHERE h.deployment = f.deployment AND h.id < f.id), f.id)),
    f.at";

/// The clock of a service for a deployment in the columns of [`CLOCK`].
pub(super) fn clock_from(row: &Row, column: usize) -> ServiceClock {
    let clock = |column| {
        let at: Option<f64> = row.number(column + 1);
        ServiceClock::new(row.number(column), at.unwrap_or_default())
    };
    clock(column).not_ahead_of_own(clock(column + 2))
}

fn of_row(row: &Row) -> RowResult<Option<LastAnswer>> {
    let Some(at) = row.number(1) else {
        return Ok(None);
    };
    let bytes =
        |column| -> RowResult<u64> { Ok(u64::try_from(row.get::<i64>(column)?).unwrap_or(0)) };
    let is_idle: bool = row.get(3)?;
    let began = row.number(7).filter(|began| *began > 0.0);
    let took_s = began.map_or(0.0, |began| (at - began).max(0.0));
    // With whatever options it was made: the next fix is due at the same time.
    let overview = row.blob(6).and_then(Overview::from_bytes);
    let answer = LastAnswer {
        at,
        first_at: row.number(4).unwrap_or(at),
        idle: Idle {
            bytes: if is_idle { bytes(2)? } else { 0 },
            took_s: if is_idle { took_s } else { 0.0 },
            bytes_of_day: bytes(5)?,
        },
        clock: clock_from(row, 8),
        max_age_s: row.number(12),
        ..LastAnswer::default()
    };
    Ok(Some(match overview {
        Some(overview) => overview.last_answer(answer),
        None => answer,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::tests::answer;
    use crate::testing::track::records;
    use crate::watch::Answer;

    #[test]
    fn what_whole_answers_without_news_cost_in_a_day_is_known_to_every_program() {
        let mut archive = Archive::in_memory().unwrap();
        let uuid = Uuid::from_u128(1);
        let begin = 20_000.0 * DAY_S;
        let of = |at: f64, hour: f64| Answer {
            bytes: 3_000_000,
            ..answer(&records([(1.7e9 + hour, 60.0, 5.0)]), begin + 3600.0 * at)
        };
        let idle = |archive: &Archive, hour: f64| {
            let all = archive.last_answers(begin + 3600.0 * hour).unwrap();
            (all[&uuid].idle.bytes, all[&uuid].idle.bytes_of_day)
        };
        assert_eq!(archive.last_answers(begin).unwrap(), HashMap::new());
        archive.ingest(uuid, &of(0.0, 0.0)).unwrap();
        assert_eq!(idle(&archive, 0.0), (0, 0));
        // Unchanged, whether it is stored again or confirmed.
        archive.confirm(uuid, &of(1.0, 0.0)).unwrap();
        archive.ingest(uuid, &of(2.0, 0.0)).unwrap();
        archive.confirm(uuid, &of(3.0, 0.0)).unwrap();
        assert_eq!(idle(&archive, 3.0), (3_000_000, 9_000_000));
        let last = archive.last_answers(begin).unwrap()[&uuid];
        assert_eq!((last.first_at, last.at), (begin, begin + 3.0 * 3600.0));
        // Bytes that bring something cost nothing, nor does an answer without a body.
        archive.ingest(uuid, &of(4.0, 1.0)).unwrap();
        let unchanged = Answer {
            bytes: 0,
            ..of(5.0, 1.0)
        };
        archive.confirm(uuid, &unchanged).unwrap();
        assert_eq!(idle(&archive, 5.0), (0, 9_000_000));
        assert_eq!(idle(&archive, 48.0), (0, 0));
    }

    #[test]
    fn what_another_program_stored_meanwhile_makes_no_answer_one_without_news() {
        let mut archive = Archive::in_memory().unwrap();
        let uuid = Uuid::from_u128(1);
        let of = |fix: f64, received: f64| Answer {
            bytes: 1000,
            took_s: 8.0,
            ..answer(&records([(1.7e9 + fix, 60.0, 5.0)]), 1.8e9 + received)
        };
        let took_s = |archive: &Archive| {
            let all = archive.last_answers(1.8e9 + 100.0).unwrap();
            all[&uuid].idle.took_s
        };
        archive.ingest(uuid, &of(0.0, 0.0)).unwrap();
        // Three asked at once: two take the same answer in, and one finds it confirmed.
        archive.ingest(uuid, &of(10.0, 20.0)).unwrap();
        archive.ingest(uuid, &of(10.0, 21.0)).unwrap();
        assert_eq!(took_s(&archive), 0.0);
        archive.confirm(uuid, &of(10.0, 22.0)).unwrap();
        assert_eq!(took_s(&archive), 0.0);
        archive.ingest(uuid, &of(10.0, 40.0)).unwrap();
        assert_eq!(took_s(&archive), 8.0);
        archive.confirm(uuid, &of(10.0, 60.0)).unwrap();
        assert_eq!(took_s(&archive), 8.0);
    }

    #[test]
    fn the_difference_of_the_clocks_is_that_of_the_newest_answer_of_the_service() {
        let mut archive = Archive::in_memory().unwrap();
        let [first, second] = [1, 2].map(Uuid::from_u128);
        let of = |at: f64, ahead_s: Option<f64>| Answer {
            clock_ahead_s: ahead_s,
            ..answer(&records([(1.7e9, 60.0, 5.0)]), at)
        };
        assert_eq!(archive.clock(first).unwrap(), ServiceClock::default());
        archive.ingest(first, &of(10.0, Some(300.0))).unwrap();
        let clock = |archive: &Archive, uuid| {
            let clock = archive.clock(uuid).unwrap();
            (clock.ahead_s, clock.at)
        };
        assert_eq!(clock(&archive, first), (300.0, 10.0));
        // Of another deployment of that service, then a confirmation.
        archive.ingest(second, &of(20.0, Some(200.0))).unwrap();
        assert_eq!(clock(&archive, first), (200.0, 20.0));
        let unchanged = of(30.0, Some(100.0));
        archive.confirm(second, &unchanged).unwrap();
        for uuid in [first, second] {
            assert_eq!(clock(&archive, uuid), (100.0, 30.0));
        }
        // An answer without a date.
        archive.ingest(first, &of(40.0, None)).unwrap();
        assert_eq!(clock(&archive, second), (0.0, 40.0));
        // A clock that is wrong on one computer of the service.
        archive.ingest(first, &of(50.0, Some(3e6))).unwrap();
        assert_eq!(clock(&archive, first), (3e6, 50.0));
        assert_eq!(clock(&archive, second), (100.0, 50.0));
        // This computer's clock was set back.
        archive.ingest(first, &of(5.0, Some(50.0))).unwrap();
        assert_eq!(clock(&archive, second), (50.0, 5.0));
        archive.ingest(first, &of(6.0, Some(3e6))).unwrap();
        assert_eq!(clock(&archive, second), (3e6, 6.0));
    }

    #[test]
    fn a_clock_of_the_service_that_jumps_ahead_counts_once_a_second_answer_says_the_same() {
        let mut archive = Archive::in_memory().unwrap();
        let uuid = Uuid::from_u128(1);
        for (at, ahead_s, counts_s) in [
            // This computer may have been behind from the start.
            (10.0, 3e6, 3e6),
            (20.0, 0.0, 0.0),
            (30.0, 3e6, 0.0),
            (40.0, 1.0, 1.0),
            (50.0, 3e6, 1.0),
            (60.0, 3e6, 3e6),
            // This computer's clock was set back.
            (5.0, 3e6, 3e6),
            (6.0, 2.0, 2.0),
            (2.0, 4e6, 4e6),
        ] {
            let answer = Answer {
                clock_ahead_s: Some(ahead_s),
                ..answer(&records([(1.7e9, 60.0, 5.0)]), at)
            };
            archive.ingest(uuid, &answer).unwrap();
            let clock = archive.clock(uuid).unwrap();
            assert_eq!((clock.at, clock.ahead_s), (at, counts_s), "{at}");
        }
    }
}
