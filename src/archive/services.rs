//! The alarm that a service cannot be reached, or gives no usable response.

use std::collections::HashMap;

use uuid::Uuid;

use super::alarm_rows::{bring_to_now, end, free_id, happened, read};
use super::connection::{Connection, Transaction};
use super::sql::{Result, params};
use super::{Archive, origins};
use crate::alarm::AlarmEvent;
use crate::failure::refusal::{Refusal, Unanswered, service_fails};
use crate::track::time;
use crate::watch::Deployment;
use crate::watch::id::Remote;

/// The number of [`Unanswered::Refused`].
pub(super) const REFUSED: i64 = Unanswered::Refused as i64;
/// The number of [`Unanswered::Alone`].
pub(super) const ALONE: i64 = Unanswered::Alone as i64;

fn stored_state(number: i64) -> Unanswered {
    Unanswered::from_repr(number).unwrap_or(Unanswered::NoUse)
}

/// The SQL condition that selects the alarm of a service.
const OF_SERVICE: &str = "kind = 'unreachable' AND service = ?";

impl Archive {
    /// How many deployments of the watch list in use and of the settings file are active at `now`
    /// (UNIX seconds).
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn count_active(&self, configured: &[Deployment], now: f64) -> Result<usize> {
        let mut active = active(&self.connection, configured, now)?;
        active.retain(|uuid, origin| self.listed.has(*uuid, origin.as_ref()));
        Ok(active.len())
    }

    /// Records that a request to a service for a deployment failed, which `began` at a time.
    /// Raises the alarm with the `text`, unless it is active, if the service fails by this
    /// ([`service_fails`]) and was asked again since: those that fail may be a part that was
    /// asked at once.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn unreached(
        &mut self,
        service: &str,
        text: &str,
        deployment: Uuid,
        began: f64,
        refusal: Refusal,
        now: f64,
    ) -> Result<()> {
        let configured = self.configured.clone();
        self.writing(|transaction| {
            let active = active(transaction, &configured, now)?;
            if !active.contains_key(&deployment) {
                return Ok(());
            }
            let mut known = unanswered(transaction, service, &active)?;
            let after = Unanswered::after(refusal, known.get(&deployment).copied());
            known.insert(deployment, after);
            let state = after as i64;
            transaction.execute(
                "INSERT INTO unreached (service, deployment, since, at, state)
                 VALUES (?1, ?2, ?3, ?3, ?4)
                 ON CONFLICT (service, deployment)
                 DO UPDATE SET at = excluded.at, state = excluded.state",
                params![service, deployment.to_string(), now, state],
            )?;
            let own = active.get(&deployment).and_then(Option::as_ref);
            let has_uuids = own.is_none_or(|own| own.has_uuids(deployment));
            // One without an origin is asked for by every service with UUIDs.
            let is_asked = |origin: &&Option<Remote>| match origin {
                Some(origin) => origin.service == service,
                None => has_uuids,
            };
            let asked = active.values().filter(is_asked).count();
            let states: Vec<Unanswered> = known.into_values().collect();
            // That one deployment is refused is no cause of an outage of others.
            let is_refusal = matches!(refusal, Refusal::OfDeployment | Refusal::Withdrawn);
            let mut of_service = states.iter().filter(|state| !state.is_of_deployment());
            if is_refusal && after.is_of_deployment() && of_service.next().is_some() {
                return Ok(());
            }
            let fails = service_fails(refusal, &states, asked);
            let is_raised = service_alarm(transaction, service)?.is_some();
            if is_raised {
                bring_to_now(transaction, &format!("{OF_SERVICE}2"), service, now)?;
            }
            let count = "SELECT count(*) FROM unreached WHERE service = ?1
                AND deployment <> ?2 AND at <= ?3 AND state = ?4";
            let of = params![service, deployment.to_string(), began, state];
            let earlier: i64 = transaction.row(count, of, |row| row.get(0))?;
            let is_asked_again =
                earlier >= 2 || states.len() >= asked || after == Unanswered::NotReachedAgain;
            if !fails || !is_raised && !is_asked_again {
                return Ok(());
            }
            let answered: Option<f64> = transaction.row(
                "SELECT max(at) FROM fetch WHERE source = ?1",
                [service],
                |row| row.get(0),
            )?;
            let since = answered.map_or_else(String::new, |at| {
                format!("; no records since {}", time::rfc3339(at.floor()))
            });
            let text = format!("{text}{since}");
            if is_raised {
                // It may fail for another reason now.
                let reword = format!(
                    "UPDATE alarm SET text = ?2 WHERE {OF_SERVICE}1 AND cleared_at IS NULL"
                );
                return transaction
                    .execute(&reword, params![service, text])
                    .map(drop);
            }
            let id = free_id(transaction, &[service.as_bytes(), &now.to_le_bytes()])?;
            transaction.execute(
                "INSERT INTO alarm (id, service, kind, raised_at, seen_at, text)
                 VALUES (?1, ?2, 'unreachable', ?3, ?3, ?4)",
                params![id, service, now, text],
            )?;
            happened(transaction, &id, AlarmEvent::Raised, now)
        })
    }

    /// Records that a service whose failure was recorded asked not to be requested for a
    /// deployment before a time, UNIX seconds.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn asked_to_wait(
        &mut self,
        service: &str,
        deployment: Uuid,
        until: f64,
    ) -> Result<()> {
        self.writing(|transaction| {
            let wait = "UPDATE unreached SET again = ?3 WHERE service = ?1 AND deployment = ?2";
            let of = params![service, deployment.to_string(), until];
            transaction.execute(wait, of).map(|_| ())
        })
    }

    /// The text of the active alarm of a service, if it has one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn service_alarm(&self, service: &str) -> Result<Option<String>> {
        service_alarm(&self.connection, service)
    }

    /// Records the response of a service that it has no fix of a deployment.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn reached_without_fix(
        &mut self,
        service: &str,
        deployment: Uuid,
        now: f64,
    ) -> Result<()> {
        let configured = self.configured.clone();
        self.writing(|transaction| reached(transaction, service, deployment, &configured, now))
    }
}

/// The text of the active alarm of a service, if it has one.
fn service_alarm(connection: &Connection, service: &str) -> Result<Option<String>> {
    let select = format!("SELECT text FROM alarm WHERE {OF_SERVICE}1 AND cleared_at IS NULL");
    connection.optional_row(&select, [service], |row| {
        Ok(row.text(0).unwrap_or_default())
    })
}

/// Records that a service gave a usable response for a deployment: clears the alarm
/// that it cannot be reached, and that of any service from which nothing is requested
/// any more.
pub(super) fn reached(
    transaction: &Transaction<'_>,
    service: &str,
    deployment: Uuid,
    configured: &[Deployment],
    now: f64,
) -> Result<()> {
    let is_known: bool = transaction.row(
        "SELECT EXISTS (SELECT 1 FROM unreached)
         OR EXISTS (SELECT 1 FROM alarm WHERE kind = 'unreachable' AND cleared_at IS NULL)",
        (),
        |row| row.get(0),
    )?;
    if !is_known {
        return Ok(());
    }
    // Responses for other deployments may be stored at the same time.
    transaction.lock_services()?;
    // The other deployments that fail do so alone. This one counts against no service any
    // more.
    transaction.execute(
        "DELETE FROM unreached WHERE deployment = ?1",
        [deployment.to_string()],
    )?;
    transaction.execute(
        "UPDATE unreached SET state = ?2 WHERE service = ?1",
        params![service, ALONE],
    )?;
    clear(transaction, service, now)?;
    end_of_unasked(transaction, configured, now)
}

fn clear(transaction: &Transaction<'_>, service: &str, now: f64) -> Result<()> {
    let active = format!("WHERE {OF_SERVICE}1 AND a.cleared_at IS NULL");
    for alarm in read(transaction, &active, [service])? {
        end(transaction, &alarm.id, now, None, now)?;
    }
    Ok(())
}

/// Clears the alarms of services of which no watched deployment failed last.
pub(super) fn end_of_unasked(
    transaction: &Transaction<'_>,
    configured: &[Deployment],
    now: f64,
) -> Result<()> {
    let services: Vec<String> = transaction.rows(
        "SELECT DISTINCT service FROM alarm
         WHERE kind = 'unreachable' AND cleared_at IS NULL AND service IS NOT NULL",
        (),
        |row| row.get(0),
    )?;
    if services.is_empty() {
        return Ok(());
    }
    let active = active(transaction, configured, now)?;
    for service in services {
        if unanswered(transaction, &service, &active)?.is_empty() {
            clear(transaction, &service, now)?;
        }
    }
    Ok(())
}

/// The deployments of the list and of the settings file that are active at `now` (UNIX seconds),
/// neither recovered nor lost, nor past the end of their time window, each with the service that
/// it was added under, if that is known.
fn active(
    connection: &Connection,
    configured: &[Deployment],
    now: f64,
) -> Result<HashMap<Uuid, Option<Remote>>> {
    let mut all = HashMap::new();
    connection.each_row(
        "SELECT d.uuid, o.service, o.id, coalesce(d.state, '') NOT IN ('recovered', 'lost')
             AND (d.valid_until IS NULL OR d.valid_until >= ?1)
         FROM deployment d LEFT JOIN origin o ON o.uuid = d.uuid WHERE d.list_position > 0",
        [now],
        |row| {
            if let Some(uuid) = row.uuid(0) {
                all.insert(uuid, (origins::from_row(row, 1), row.get(3)?));
            }
            Ok(())
        },
    )?;
    for entry in configured {
        let is_active = entry.state.is_active() && !entry.window.has_ended(now);
        all.entry(entry.id.uuid).or_insert((None, is_active));
    }
    let active = all.into_iter().filter(|(_, (_, is_active))| *is_active);
    Ok(active.map(|(uuid, (service, _))| (uuid, service)).collect())
}

/// The states of the active deployments that had no usable response of a service.
fn unanswered(
    connection: &Connection,
    service: &str,
    active: &HashMap<Uuid, Option<Remote>>,
) -> Result<HashMap<Uuid, Unanswered>> {
    let rows = connection.rows(
        "SELECT deployment, state FROM unreached WHERE service = ?1",
        [service],
        |row| Ok(row.uuid(0).zip(Some(stored_state(row.get(1)?)))),
    )?;
    let states = rows.into_iter().flatten();
    Ok(states
        .filter(|(uuid, _)| active.contains_key(uuid))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Listed;
    use crate::archive::tests::answer;
    use crate::testing::track::records;
    use crate::watch::DeploymentId;

    const UUID: Uuid = Uuid::from_u128(7);
    const START: f64 = 1.8e9;

    /// A response of this many hourly fixes, received this many hours after the first.
    fn received(archive: &mut Archive, count: u32, hours: f64) {
        let fixes = (0..count).map(|hour| (START + 3600.0 * f64::from(hour), 60.0, 5.0));
        let answer = answer(&records(fixes), START + 3600.0 * hours);
        archive.ingest(UUID, &answer).unwrap();
    }

    #[test]
    fn one_whose_time_window_has_ended_is_not_counted_and_says_nothing_of_its_service() {
        let mut archive = Archive::in_memory().unwrap();
        let of = |number: u128, until: Option<f64>| {
            let mut one = Deployment::new(Uuid::from_u128(number));
            one.window.until = until;
            one
        };
        for (number, until) in [(1, None), (2, Some(START)), (3, Some(START - 1.0))] {
            archive.watch(&of(number, until), START).unwrap();
        }
        // One of the settings file has ended, one has not, and one is in the archive too.
        let configured = [of(3, None), of(4, Some(START - 1.0)), of(5, None)];
        assert_eq!(archive.count_active(&configured, START).unwrap(), 3);
        assert_eq!(archive.count_active(&configured, START + 1.0).unwrap(), 2);
        assert_eq!(archive.count_active(&[], START + 1.0).unwrap(), 1);
        // Of another service there are none.
        archive.list_only(Listed::Of("erddap".to_owned()));
        assert_eq!(archive.count_active(&[], START).unwrap(), 0);
        archive.list_only(Listed::default());
        let service = "http://127.0.0.1:1";
        let failed = |archive: &mut Archive, number| {
            let uuid = Uuid::from_u128(number);
            archive
                .unreached(service, "no", uuid, START, Refusal::Unreached, START + 1.0)
                .unwrap();
            archive.active_alarms().unwrap().len()
        };
        assert_eq!((failed(&mut archive, 3), failed(&mut archive, 1)), (0, 1));
    }

    #[test]
    fn the_only_deployment_of_a_service_tells_of_it_whatever_others_are_watched() {
        let mut archive = Archive::in_memory().unwrap();
        for number in 1..7 {
            archive
                .watch(&Deployment::new(Uuid::from_u128(number)), START)
                .unwrap();
        }
        let service = "https://erddap.example";
        let only = DeploymentId::new(service, "4903654");
        archive
            .watch(&Deployment::new(only.clone()), START)
            .unwrap();
        archive
            .unreached(service, "no", only.uuid, START, Refusal::Useless, START)
            .unwrap();
        assert_eq!(archive.active_alarms().unwrap().len(), 1);
        // The same id elsewhere is another deployment: its answer clears nothing.
        let other = DeploymentId::new("https://other.example", "4903654");
        let elsewhere = crate::watch::Answer {
            source: "https://other.example".to_owned(),
            ..answer(&records([(START, 60.0, 5.0)]), START + 60.0)
        };
        archive.ingest(other, &elsewhere).unwrap();
        assert_eq!(archive.active_alarms().unwrap().len(), 1);
    }

    #[test]
    fn the_text_of_the_alarm_has_the_latest_reason() {
        let mut archive = Archive::in_memory().unwrap();
        archive.watch(&Deployment::new(UUID), START).unwrap();
        for (text, refusal) in [
            ("refused", Refusal::Unreached),
            ("500", Refusal::Useless),
            ("404", Refusal::OfDeployment),
        ] {
            archive
                .unreached("http://127.0.0.1:1", text, UUID, START, refusal, START)
                .unwrap();
            let alarms = archive.alarms().unwrap();
            let texts: Vec<&str> = alarms.iter().map(|alarm| alarm.text.as_str()).collect();
            assert_eq!(texts, [text]);
        }
    }

    #[test]
    fn the_cause_is_that_of_the_service_and_not_of_one_that_is_refused_for_good() {
        let mut archive = Archive::in_memory().unwrap();
        let [refused, other] = [70, 71].map(Uuid::from_u128);
        for uuid in [UUID, refused, other] {
            archive.watch(&Deployment::new(uuid), START).unwrap();
        }
        for (uuid, text, refusal, alarms) in [
            (UUID, "503", Refusal::Useless, &[][..]),
            (refused, "404", Refusal::OfDeployment, &[]),
            (other, "503", Refusal::Useless, &["503"]),
            (refused, "404", Refusal::OfDeployment, &["503"]),
            (UUID, "502", Refusal::Useless, &["502"]),
        ] {
            archive
                .unreached("http://127.0.0.1:1", text, uuid, START, refusal, START)
                .unwrap();
            let found = archive.alarms().unwrap();
            let texts: Vec<&str> = found.iter().map(|alarm| alarm.text.as_str()).collect();
            assert_eq!(texts, alarms, "{text}");
        }
    }

    #[test]
    fn a_service_that_responds_again_says_nothing_of_those_that_were_not_requested_yet() {
        let mut archive = Archive::in_memory().unwrap();
        let other = Uuid::from_u128(70);
        for uuid in [UUID, other] {
            archive.watch(&Deployment::new(uuid), START).unwrap();
            archive
                .unreached(
                    "http://127.0.0.1:1",
                    "no",
                    uuid,
                    START,
                    Refusal::Unreached,
                    START,
                )
                .unwrap();
        }
        let is_unreachable = |archive: &Archive, uuid, now| {
            let watched = archive.watched_state(uuid, now).unwrap();
            watched.map(|watched| watched.is_unreachable)
        };
        assert_eq!(is_unreachable(&archive, other, START), Some(true));
        received(&mut archive, 1, 1.0);
        let at = START + 3600.0;
        assert_eq!(is_unreachable(&archive, UUID, at), Some(false));
        assert_eq!(is_unreachable(&archive, other, at + 1.0), Some(true));
        assert_eq!(is_unreachable(&archive, other, at + 301.0), Some(false));
        archive
            .unreached(
                "http://127.0.0.1:1",
                "no",
                other,
                at,
                Refusal::Useless,
                at + 2.0,
            )
            .unwrap();
        assert_eq!(is_unreachable(&archive, other, at + 3.0), Some(false));
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
                .unreached(service, "no", uuid, START, refusal, START)
                .unwrap();
            archive.active_alarms().unwrap().len()
        };
        // Errors for one, an answer for another: from then on it fails alone.
        assert_eq!(failed(&mut archive, others[0], Refusal::Useless), 0);
        received(&mut archive, 1, 0.1);
        assert_eq!(failed(&mut archive, others[0], Refusal::Useless), 0);
        assert_eq!(failed(&mut archive, others[1], Refusal::Useless), 0);
        assert_eq!(failed(&mut archive, others[2], Refusal::Useless), 0);
        // One that was asked after them.
        assert_eq!(failed(&mut archive, UUID, Refusal::Useless), 1);
        received(&mut archive, 2, 1.1);
        assert_eq!(archive.active_alarms().unwrap(), []);
        // A refusal of single deployments counts when there is no other left.
        assert_eq!(failed(&mut archive, UUID, Refusal::OfDeployment), 1);
    }
}
