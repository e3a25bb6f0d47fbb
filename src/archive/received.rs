//! The order of responses: each time a response is stored, or the
//! stored one confirmed, the deployment gets a new number. What other programs have
//! stored is found by the numbers, without a look at all deployments.

use std::sync::atomic::{AtomicBool, Ordering};

use uuid::Uuid;

use super::connection::Connection;
use super::last_answers::last_answer;
use super::sql::{Result, params};
use super::{Archive, process};
use crate::watch::agenda::LastAnswer;

/// `true` if this program requests each deployment once, and ends. Static as the process id is, by
/// which other programs look whether it still runs.
static ONE_SHOT: AtomicBool = AtomicBool::new(false);

/// Declares that this program requests each deployment once, and ends: no other program waits for
/// its next request.
pub(crate) fn set_one_shot() {
    ONE_SHOT.store(true, Ordering::Relaxed);
}

/// Gives a deployment a new number, and notes that this program stored its response; one that is
/// one-shot leaves the note of the program before it, which goes on requesting.
pub(super) fn note(connection: &Connection, id: i64) -> Result<()> {
    let own = (!ONE_SHOT.load(Ordering::Relaxed)).then(std::process::id);
    connection.execute(
        &format!(
            "INSERT INTO received (deployment, number, process, run) VALUES (?1, {}, ?2, ?3)
             ON CONFLICT (deployment) DO UPDATE SET
                 number = excluded.number, process = coalesce(excluded.process, received.process),
                 run = coalesce(excluded.run, received.run)",
            connection.next_number()
        ),
        params![id, own, own.and_then(process::run_id)],
    )?;
    Ok(())
}

impl Archive {
    /// The number from which on [`Archive::received_since`] finds whatever is
    /// stored after this was read.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn received_mark(&self) -> Result<i64> {
        let mark = format!("SELECT {}", self.connection.least_number());
        self.connection.row(&mark, (), |row| row.get(0))
    }

    /// The last response of a deployment if another program that still runs has stored or
    /// confirmed it; `None` if this one has, or that one has ended.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn received_by_another(&self, uuid: Uuid, now: f64) -> Result<Option<LastAnswer>> {
        let is_of_another = self.connection.optional_row(
            "SELECT r.process, r.run
             FROM deployment d JOIN received r ON r.deployment = d.id WHERE d.uuid = ?1",
            [uuid.to_string()],
            |row| {
                let owner: Option<i64> = row.get(0)?;
                let run = row.text(1);
                let own = std::process::id();
                let is_own = owner == Some(own.into()) && run == process::run_id(own);
                let runs = |owner| process::is_alive(owner, run.as_deref());
                Ok(!is_own && owner.is_some_and(runs))
            },
        )?;
        match is_of_another {
            Some(true) => last_answer(&self.connection, uuid, now),
            _ => Ok(None),
        }
    }

    /// The deployments of which a response was stored or confirmed since a mark was
    /// read, with when the last one was received (UNIX seconds). Some from shortly
    /// before may be among them.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn received_since(&self, mark: i64) -> Result<Vec<(Uuid, f64)>> {
        let received = self.connection.rows(
            &format!(
                "SELECT d.uuid, (SELECT max(f.at) FROM fetch f WHERE f.deployment = d.id)
                 FROM received r JOIN deployment d ON d.id = r.deployment
                 WHERE r.number >= ?1 AND r.number < {}",
                self.connection.number_bound()
            ),
            [mark],
            |row| Ok(row.uuid(0).zip(row.get(1)?)),
        )?;
        Ok(received.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::tests::{answer, unchanged};
    use crate::testing::track::records;

    #[test]
    fn what_is_stored_or_confirmed_after_a_mark_is_found_and_nothing_before_it() {
        let mut archive = Archive::in_memory().unwrap();
        // On a server that others use, what was stored shortly before a mark may be
        // found once more: transactions that began before may still be open.
        let is_shared = std::env::var_os("DRIFTLINE_TEST_ENGINE").is_some();
        let is_found = |found: Vec<(Uuid, f64)>, expected: &[(Uuid, f64)]| {
            if is_shared {
                expected.iter().all(|one| found.contains(one))
            } else {
                found == expected
            }
        };
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let sent = records([(1.7e9, 60.0, 5.0)]);
        archive.ingest(one, &answer(&sent, 10.0)).unwrap();
        archive.ingest(two, &answer(&sent, 11.0)).unwrap();
        let mark = archive.received_mark().unwrap();
        assert!(is_found(archive.received_since(mark).unwrap(), &[]));
        archive.ingest(two, &answer(&sent, 20.0)).unwrap();
        assert!(is_found(
            archive.received_since(mark).unwrap(),
            &[(two, 20.0)]
        ));
        let mark = archive.received_mark().unwrap();
        archive.confirm(one, &unchanged(30.0, 30.0)).unwrap();
        assert!(is_found(
            archive.received_since(mark).unwrap(),
            &[(one, 30.0)]
        ));
        // What was never received cannot be confirmed.
        let mark = archive.received_mark().unwrap();
        archive
            .confirm(Uuid::from_u128(3), &unchanged(40.0, 40.0))
            .unwrap();
        assert!(is_found(archive.received_since(mark).unwrap(), &[]));
    }

    #[cfg(unix)]
    #[test]
    fn a_response_counts_as_anothers_while_that_program_runs() {
        let mut archive = Archive::in_memory().unwrap();
        let uuid = Uuid::from_u128(1);
        let hourly = (0u32..9).map(|hour| (3600.0 * f64::from(hour) - 1e6, 60.0, 5.0));
        let sent = records(hourly);
        let options = crate::track::TrackOptions::new(Default::default(), 1.8e9);
        let track = crate::track::Track::new(&sent.clone(), &options);
        let overview = std::sync::Arc::new(crate::watch::Overview::new(&track));
        let made = crate::archive::MadeOverview::new(uuid, None, overview, &track, options);
        let answer = answer(&sent, 10.0);
        archive
            .ingest_with(&uuid.into(), &answer, Some(&made))
            .unwrap();
        let another = |archive: &Archive| archive.received_by_another(uuid, 1.8e9).unwrap();
        // This program has stored it.
        assert_eq!(another(&archive), None);
        let stored_by = |archive: &Archive, process: u32, run: Option<String>| {
            let of = params![process, run];
            let written = "UPDATE received SET process = ?1, run = ?2";
            archive.connection.execute(written, of).unwrap();
        };
        let other = std::os::unix::process::parent_id();
        stored_by(&archive, other, process::run_id(other));
        let found = another(&archive).map(|one| (one.at, one.last_fix, one.interval_s, one.gaps));
        let last_fix = Some(8.0 * 3600.0 - 1e6);
        assert_eq!(found, Some((10.0, last_fix, Some(3600.0), 8)));
        archive.confirm(uuid, &unchanged(20.0, 20.0)).unwrap();
        assert_eq!(another(&archive), None);
        // The number of one that has ended was given to another.
        stored_by(&archive, other, Some("another run of it".to_owned()));
        assert_eq!(another(&archive), None);
        assert_eq!(
            archive
                .received_by_another(Uuid::from_u128(2), 1.8e9)
                .unwrap(),
            None
        );
    }
}
