//! Transmissions that were not received from a service, such as those of a file.

use super::connection::Transaction;
use super::ingest::Reception;
use super::sql::{Result, params};
use super::{Archive, fields, ingest, rows};
use crate::track::field::FixKey;
use crate::track::{Records, Transmission};
use crate::watch::DeploymentId;

/// The outcome for the fixes of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Imported {
    /// Fixes that were added.
    pub(crate) new: usize,
    /// Stored fixes that have new fields, or other values of their fields.
    pub(crate) corrected: usize,
    /// Fixes left out because the archive has only other positions at their time.
    pub(crate) elsewhere: usize,
}

impl Archive {
    /// Adds the records at times of which none is stored, at `now` (UNIX seconds), and the
    /// fields of those that are stored. The last response stays the same, and what is due
    /// follows from it.
    ///
    /// # Errors
    /// When they cannot be written, or the stored data of the deployment is damaged. Nothing
    /// is stored then.
    pub(crate) fn import(
        &mut self,
        deployment: impl Into<DeploymentId>,
        records: &Records,
        now: f64,
    ) -> Result<Imported> {
        let deployment = deployment.into();
        let uuid = deployment.uuid;
        let times = records.transmissions.iter().map(|fix| fix.time_stamp);
        // The next request is due as if the last fix had been received when it was made.
        let at = times.max_by(f64::total_cmp).unwrap_or(now).min(now);
        self.writing_of(Some(&uuid), |transaction| {
            let id = rows::add_deployment(transaction, &deployment, now)?;
            let stored = ingest::positions(transaction, id)?;
            let here = ingest::selected(records, |fix| {
                let there = stored.get(&fix.time_stamp.to_bits());
                there.is_none_or(|there| there.contains(&fix.position))
            });
            let elsewhere = records.transmissions.len() - here.transmissions.len();
            let known = ingest::known(transaction, id)?;
            let Some(fields) = fields::store(transaction, id, &here, None)? else {
                return Err(transaction.damaged(fields::damage(uuid)));
            };
            let is_stored = |key: &&FixKey| stored.contains_key(&key.0);
            let corrected = fields.changed.iter().filter(is_stored).count();
            let is_new = |fix: &Transmission| !stored.contains_key(&fix.time_stamp.to_bits());
            let records = ingest::selected(&here, is_new);
            if !records.transmissions.is_empty() {
                has_answer(transaction, id, at)?;
            }
            let reception = Reception::import(now);
            let new = ingest::insert(transaction, id, known, &records, reception)?.new;
            if new == 0 && corrected > 0 {
                ingest::raise_revision(transaction, id)?;
            }
            Ok(Imported {
                new,
                corrected,
                elsewhere,
            })
        })
    }
}

/// Makes a response without a source that stored fixes can belong to, if there is none.
fn has_answer(transaction: &Transaction<'_>, id: i64, at: f64) -> Result<()> {
    let has_answer = "SELECT EXISTS (SELECT 1 FROM fetch WHERE deployment = ?1)";
    if !transaction.row(has_answer, [id], |row| row.get::<bool>(0))? {
        let fetch = transaction.next_fetch()?;
        transaction.execute(
            "INSERT INTO fetch (id, deployment, at, status, bytes, new, late)
             VALUES (?1, ?2, ?3, 0, 0, 0, 0)",
            params![fetch, id, at],
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::archive::tests::answer;
    use crate::testing::track::records;

    fn added(new: usize) -> Imported {
        Imported {
            new,
            ..Imported::default()
        }
    }

    #[test]
    fn what_is_imported_fills_holes_and_is_no_answer_of_the_service() {
        let mut archive = Archive::in_memory().unwrap();
        let (uuid, now) = (Uuid::from_u128(7), 1.8e9);
        let hours = |hours: &[u32]| {
            let fix = |hour: &u32| (1.7e9 + 3600.0 * f64::from(*hour), 60.0, 5.0);
            records(hours.iter().map(fix))
        };
        archive
            .ingest(uuid, &answer(&hours(&[0, 3]), 10.0))
            .unwrap();
        let before = archive.last_answers(now).unwrap();
        let file = hours(&[0, 1, 2, 3]);
        assert_eq!(archive.import(uuid, &file, now).unwrap(), added(2));
        let revision = archive.stored(uuid).unwrap().unwrap().revision;
        // Again is the same, and another position at a time that is stored changes nothing.
        assert_eq!(archive.import(uuid, &file, now).unwrap(), added(0));
        let other = records([(1.7e9, 61.0, 5.0)]);
        let left_out = Imported {
            elsewhere: 1,
            ..added(0)
        };
        assert_eq!(archive.import(uuid, &other, now).unwrap(), left_out);
        let stored = archive.stored(uuid).unwrap().unwrap();
        assert_eq!(stored.revision, revision);
        assert_eq!(stored.records.transmissions, file.transmissions);
        assert_eq!((stored.fetched_at, stored.records.unsent.len()), (10.0, 0));
        assert_eq!(
            archive.last_answers(now).unwrap()[&uuid].at,
            before[&uuid].at
        );
        // No answer says that it lacks what the service never sent, but one may replace it.
        let absent = |archive: &mut Archive, fixes: &Records, at: f64| {
            let delta = archive.ingest(uuid, &answer(fixes, at)).unwrap();
            let stored = archive.stored(uuid).unwrap().unwrap();
            assert_eq!(delta.absent, stored.records.unsent.len());
            delta.absent
        };
        assert_eq!(absent(&mut archive, &hours(&[0, 3]), 20.0), 0);
        let moved = records([(1.7e9 + 3600.0, 60.1, 5.0)]);
        assert_eq!(absent(&mut archive, &moved, 30.0), 3);
        // Once it was sent it is as any other.
        assert_eq!(absent(&mut archive, &file, 40.0), 1);
        assert_eq!(absent(&mut archive, &hours(&[0, 3]), 50.0), 3);
    }

    #[test]
    fn a_deployment_of_files_alone_is_due_and_of_no_service() {
        let mut archive = Archive::in_memory().unwrap();
        let uuid = Uuid::from_u128(7);
        let file = records([(1.7e9, 60.0, 5.0), (1.7e9 + 60.0, 60.0, 5.0)]);
        assert_eq!(archive.import(uuid, &file, 1.8e9).unwrap(), added(2));
        let last = archive.last_answers(1.8e9).unwrap()[&uuid];
        assert_eq!(last.at, 1.7e9 + 60.0);
        // Whatever service answers next, it is this deployment's.
        let delta = archive.ingest(uuid, &answer(&file, 1.8e9)).unwrap();
        assert_eq!((delta.new, delta.is_part), (0, false));
    }
}
