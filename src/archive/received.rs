//! Which deployments were asked for last: each time a response is stored, or the
//! stored one confirmed, the deployment gets a new number. What other programs have
//! stored is found by the numbers, without a walk over all deployments.

use uuid::Uuid;

use super::connection::Connection;
use super::row_hash::text;
use super::sql::{self, params};
use super::{Archive, ArchiveError};

/// Gives a deployment a new number.
pub(super) fn note(connection: &Connection, id: i64) -> sql::Result<()> {
    connection.execute(
        &format!(
            "INSERT INTO received (deployment, number) VALUES (?1, {})
             ON CONFLICT (deployment) DO UPDATE SET number = excluded.number",
            connection.next_number()
        ),
        [id],
    )?;
    Ok(())
}

impl Archive {
    /// The number from which on [`Archive::received_since`] finds whatever is
    /// stored after this was read; none in a file of an older schema, which only
    /// older programs write.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn received_mark(&self) -> Result<Option<i64>, ArchiveError> {
        if !self.connection.is_current()? {
            return Ok(None);
        }
        let mark = format!("SELECT {}", self.connection.least_number());
        let mark = self.connection.query_row(&mark, [], |row| row.get(0));
        mark.map(Some).map_err(|error| self.error(&error))
    }

    /// The deployments of which a response was stored or confirmed since a mark was
    /// read, with when the last one was received (UNIX seconds). Some from shortly
    /// before may be among them.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn received_since(&self, mark: i64) -> Result<Vec<(Uuid, f64)>, ArchiveError> {
        let read = || -> sql::Result<Vec<(Uuid, f64)>> {
            let mut statement = self.connection.prepare(&format!(
                "SELECT d.uuid, (SELECT max(f.at) FROM fetch f WHERE f.deployment = d.id)
                 FROM received r JOIN deployment d ON d.id = r.deployment
                 WHERE r.number >= ?1 AND r.number < {}",
                self.connection.number_bound()
            ))?;
            let mut rows = statement.query(params![mark])?;
            let mut received = Vec::new();
            while let Some(row) = rows.next()? {
                let uuid = text(row, 0)?.and_then(|uuid| Uuid::parse_str(&uuid).ok());
                let at: Option<f64> = row.get(1)?;
                received.extend(uuid.zip(at));
            }
            Ok(received)
        };
        read().map_err(|error| self.error(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::tests::answer;
    use crate::testing::track::records;

    #[test]
    fn what_is_stored_or_confirmed_after_a_mark_is_found_and_nothing_before_it() {
        let mut archive = Archive::in_memory().unwrap();
        // On a server that others use, what was stored shortly before a mark may be
        // found once more: transactions that began before may still be open.
        let is_shared = std::env::var_os("DRIFTLINE_TEST_ENGINE").is_some();
        let is_found = |found: Vec<(Uuid, f64)>, expected: &[(Uuid, f64)]| match is_shared {
            true => expected.iter().all(|one| found.contains(one)),
            false => found == expected,
        };
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let sent = records([(1.7e9, 60.0, 5.0)]);
        archive.ingest(one, &answer(&sent, 10.0)).unwrap();
        archive.ingest(two, &answer(&sent, 11.0)).unwrap();
        let mark = archive.received_mark().unwrap().unwrap();
        assert!(is_found(archive.received_since(mark).unwrap(), &[]));
        archive.ingest(two, &answer(&sent, 20.0)).unwrap();
        assert!(is_found(
            archive.received_since(mark).unwrap(),
            &[(two, 20.0)]
        ));
        let mark = archive.received_mark().unwrap().unwrap();
        archive.confirm(one, 30.0).unwrap();
        assert!(is_found(
            archive.received_since(mark).unwrap(),
            &[(one, 30.0)]
        ));
        // What was never received cannot be confirmed.
        let mark = archive.received_mark().unwrap().unwrap();
        archive.confirm(Uuid::from_u128(3), 40.0).unwrap();
        assert!(is_found(archive.received_since(mark).unwrap(), &[]));
    }
}
