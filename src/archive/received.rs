//! What was received lately: each time a response is stored, or the stored one confirmed, there is
//! a fetch with a higher number. What other programs have stored is found by the numbers, without a
//! look at all deployments.

use uuid::Uuid;

use super::Archive;
use super::sql::Result;

impl Archive {
    /// The number from which on [`Archive::received_since`] finds whatever is
    /// stored after this was read.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn received_mark(&self) -> Result<i64> {
        let last = "SELECT coalesce(max(id), 0) FROM fetch";
        self.connection.row(last, (), |row| row.get(0))
    }

    /// The deployments of which a response was stored or confirmed since a mark was
    /// read, with when the last one was received (UNIX seconds). Some from shortly
    /// before may be among them.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn received_since(&self, mark: i64) -> Result<Vec<(Uuid, f64)>> {
        let received = self.connection.rows(
            "SELECT d.uuid, (SELECT max(m.at) FROM fetch m WHERE m.deployment = d.id)
             FROM deployment d WHERE d.id IN (SELECT f.deployment FROM fetch f WHERE f.id > ?1)",
            [mark - self.connection.dialect().late_fetches],
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
}
