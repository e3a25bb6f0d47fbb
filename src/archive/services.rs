//! Whether services answer: the alarm that one cannot be reached, or gives no
//! usable answer.

use uuid::Uuid;

use super::alarm_rows::{free_id, happened};
use super::connection::Transaction;
use super::row_hash::text;
use super::sql::{self, OptionalExtension, params};
use super::{Archive, ArchiveError};
use crate::alarm::AlarmEvent;
use crate::track::{DeclaredState, Deployment};

/// A service counts as unreachable when it gave no usable answer for this many
/// deployments since its last one.
const UNREACHED: usize = 2;

/// What a failed request says of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It could not be reached.
    Unreached,
    /// It responded with an error, or without records.
    Useless,
    /// It answered that this deployment is not to be had.
    OfDeployment,
}

/// States in the table `unreached`: what is known of a deployment at a service.
const NOT_REACHED: i64 = 0;
/// It had no usable answer, nor had another since.
const NO_USE: i64 = 1;
/// It had no usable answer, while others had: it says nothing of the service.
const ALONE: i64 = 2;

impl Archive {
    /// Records that a request to a service for a deployment failed. Raises the
    /// alarm with the `text`, unless it stands, when this is so of two watched
    /// deployments since the last usable answer, or of the only one; where the
    /// service refuses single deployments, of all of them.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn unreached(
        &mut self,
        (service, text): (&str, &str),
        (deployment, refusal): (Uuid, Refusal),
        now: f64,
    ) -> Result<(), ArchiveError> {
        let configured = self.configured.clone();
        self.writing(|transaction| {
            let active = active(transaction, &configured)?;
            if !active.contains(&deployment) {
                return Ok(());
            }
            let state = match (refusal, state(transaction, service, deployment)?) {
                (Refusal::Unreached, _) => NOT_REACHED,
                (_, Some(ALONE)) => ALONE,
                _ => NO_USE,
            };
            transaction.execute(
                "INSERT INTO unreached (service, deployment, at, state)
                 VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (service, deployment)
                 DO UPDATE SET at = excluded.at, state = excluded.state",
                params![service, deployment.to_string(), now, state],
            )?;
            let mut states = Vec::new();
            for uuid in &active {
                states.push(self::state(transaction, service, *uuid)?);
            }
            let alone = states.iter().filter(|one| **one == Some(ALONE)).count();
            let failed = states.iter().flatten().count();
            // Those that fail while others do not say nothing, unless there are
            // no others.
            let (failed, asked) = match alone < active.len() {
                true => (failed - alone, active.len() - alone),
                false => (failed, active.len()),
            };
            let needed = match refusal {
                Refusal::OfDeployment => asked,
                Refusal::Unreached | Refusal::Useless => UNREACHED.min(asked),
            };
            if failed < needed || stands(transaction, service)? {
                return Ok(());
            }
            let id = free_id(transaction, &[service.as_bytes(), &now.to_le_bytes()])?;
            transaction.execute(
                "INSERT INTO alarm (id, service, kind, raised_at, seen_at, text)
                 VALUES (?1, ?2, 'unreachable', ?3, ?3, ?4)",
                params![id, service, now, text],
            )?;
            let event = AlarmEvent::Raised.name();
            happened(transaction, &id, (now, now), event, true)
        })
    }
}

/// Records that a service gave a usable answer for a deployment: clears the alarm
/// that it cannot be reached, and that of another service where nothing is asked
/// any more.
pub(super) fn reached(
    transaction: &Transaction<'_>,
    (service, deployment): (&str, Uuid),
    configured: &[Deployment],
    now: f64,
) -> sql::Result<()> {
    let is_known: bool = transaction.query_row(
        "SELECT EXISTS (SELECT 1 FROM unreached)
         OR EXISTS (SELECT 1 FROM alarm WHERE kind = 'unreachable' AND cleared_at IS NULL)",
        [],
        |row| row.get(0),
    )?;
    if !is_known {
        return Ok(());
    }
    // Answers for other deployments may come in at the same time.
    transaction.lock_services()?;
    // The other deployments that fail do so alone. Of this one nothing is known
    // against any service.
    transaction.execute(
        "DELETE FROM unreached WHERE deployment = ?2 OR (service = ?1 AND state = ?3)",
        params![service, deployment.to_string(), NOT_REACHED],
    )?;
    transaction.execute(
        "UPDATE unreached SET state = ?2 WHERE service = ?1",
        params![service, ALONE],
    )?;
    clear(transaction, service, now)?;
    end_of_unasked(transaction, configured, now)
}

/// Clears the alarms of services at which no watched deployment failed last.
pub(super) fn end_of_unasked(
    transaction: &Transaction<'_>,
    configured: &[Deployment],
    now: f64,
) -> sql::Result<()> {
    let mut statement = transaction.prepare(
        "SELECT DISTINCT service FROM alarm
         WHERE kind = 'unreachable' AND cleared_at IS NULL AND service IS NOT NULL",
    )?;
    let services: Vec<String> = statement
        .query_map([], |row| row.get(0))?
        .collect::<sql::Result<_>>()?;
    if services.is_empty() {
        return Ok(());
    }
    let active = active(transaction, configured)?;
    for service in services {
        let mut is_asked = false;
        for uuid in &active {
            is_asked |= state(transaction, &service, *uuid)?.is_some();
        }
        if !is_asked {
            clear(transaction, &service, now)?;
        }
    }
    Ok(())
}

/// The deployments that are watched, and neither recovered nor lost.
fn active(transaction: &Transaction<'_>, configured: &[Deployment]) -> sql::Result<Vec<Uuid>> {
    let mut statement =
        transaction.prepare("SELECT uuid, state FROM deployment WHERE watched > 0")?;
    let mut rows = statement.query([])?;
    let (mut listed, mut active) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next()? {
        let uuid = text(row, 0)?.and_then(|uuid| uuid.parse::<Uuid>().ok());
        let state = text(row, 1)?.and_then(|state| state.parse::<DeclaredState>().ok());
        listed.extend(uuid);
        active.extend(uuid.filter(|_| state.unwrap_or_default().is_active()));
    }
    let others = configured.iter().filter(|one| !listed.contains(&one.uuid));
    active.extend(
        others
            .filter(|one| one.state.is_active())
            .map(|one| one.uuid),
    );
    Ok(active)
}

fn state(
    transaction: &Transaction<'_>,
    service: &str,
    deployment: Uuid,
) -> sql::Result<Option<i64>> {
    transaction
        .query_row(
            "SELECT state FROM unreached WHERE service = ?1 AND deployment = ?2",
            params![service, deployment.to_string()],
            |row| row.get(0),
        )
        .optional()
}

fn stands(transaction: &Transaction<'_>, service: &str) -> sql::Result<bool> {
    transaction.query_row(
        "SELECT EXISTS (SELECT 1 FROM alarm
         WHERE service = ?1 AND kind = 'unreachable' AND cleared_at IS NULL)",
        [service],
        |row| row.get(0),
    )
}

fn clear(transaction: &Transaction<'_>, service: &str, now: f64) -> sql::Result<()> {
    let mut statement = transaction.prepare(
        "UPDATE alarm SET cleared_at = ?2
         WHERE service = ?1 AND kind = 'unreachable' AND cleared_at IS NULL RETURNING id",
    )?;
    let ids: Vec<String> = statement
        .query_map(params![service, now], |row| row.get(0))?
        .collect::<sql::Result<_>>()?;
    let event = AlarmEvent::Cleared.name();
    ids.iter()
        .try_for_each(|id| happened(transaction, id, (now, now), event, true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::tests::answer;
    use crate::testing::track::records;

    const UUID: Uuid = Uuid::from_u128(7);
    const START: f64 = 1.8e9;

    /// A response of this many hourly fixes, received this many hours after the first.
    fn received(archive: &mut Archive, count: u32, hours: f64) {
        let fixes = (0..count).map(|hour| (START + 3600.0 * f64::from(hour), 60.0, 5.0));
        let answer = answer(&records(fixes), START + 3600.0 * hours);
        archive.ingest(UUID, &answer).unwrap();
    }

    #[test]
    fn those_that_fail_while_others_do_not_say_nothing_of_the_service() {
        let mut archive = Archive::in_memory().unwrap();
        let others: Vec<Uuid> = (70..73).map(Uuid::from_u128).collect();
        archive.watch(&Deployment::new(UUID), START).unwrap();
        for uuid in &others {
            archive.watch(&Deployment::new(*uuid), START).unwrap();
        }
        let service = "http://127.0.0.1:1";
        let failed = |archive: &mut Archive, uuid, refusal| {
            archive
                .unreached((service, "no"), (uuid, refusal), START)
                .unwrap();
            archive.alarms(false).unwrap().len()
        };
        // Errors for one, an answer for another: from then on it fails alone.
        assert_eq!(failed(&mut archive, others[0], Refusal::Useless), 0);
        received(&mut archive, 1, 0.1);
        assert_eq!(failed(&mut archive, others[0], Refusal::Useless), 0);
        assert_eq!(failed(&mut archive, others[1], Refusal::Useless), 0);
        assert_eq!(failed(&mut archive, others[2], Refusal::Useless), 1);
        received(&mut archive, 2, 1.1);
        assert_eq!(archive.alarms(false).unwrap(), []);
        // A refusal of single deployments counts when there is no other left.
        assert_eq!(failed(&mut archive, UUID, Refusal::OfDeployment), 1);
    }
}
