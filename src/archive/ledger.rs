//! The plant log: an entry is written before a request is sent, and completed
//! with the outcome.

use super::connection::Connection;
use super::sql::{Result, params};
use super::{Archive, process};
use crate::plant::ledger::{
    Entry, Operation, Outcome, PlantState, WrittenEntry, came_back, standing,
};

/// Age in seconds after which a pending entry counts as unknown, even if its
/// process is alive.
const LONGEST_REQUEST_S: f64 = 3600.0;

/// The condition on which the entry of a create is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BeginIf {
    /// The log has no such plant at the service.
    Free,
    /// No entry after this one says that the plant was created again, or may have been.
    NotBackSince(i64),
}

impl Archive {
    /// Writes the entry of a request to be sent; returns it with its number. It
    /// is on the disk when this returns.
    ///
    /// # Errors
    /// When it cannot be written; nothing may be sent then.
    pub(crate) fn begin(&mut self, entry: &Entry) -> Result<WrittenEntry> {
        WrittenEntry::write(entry.clone(), |entry| {
            self.writing(|transaction| insert(transaction, entry))
        })
    }

    /// As [`Archive::begin`], for a create on a condition: if it is not met, nothing is
    /// written and the result is `None`. Of two processes that call this at once, one gets
    /// `None`.
    ///
    /// # Errors
    /// As [`Archive::begin`].
    pub(crate) fn begin_if(
        &mut self,
        entry: &Entry,
        condition: BeginIf,
    ) -> Result<Option<WrittenEntry>> {
        let service = entry.service.as_deref().unwrap_or_default();
        let inserted = self.writing(|transaction| {
            let known = lines(transaction, entry.at, Some(&entry.id))?;
            let is_met = match condition {
                BeginIf::Free => standing(&known, service, &entry.id) == PlantState::Free,
                BeginIf::NotBackSince(line) => !came_back(&known, line, &entry.id),
            };
            is_met.then(|| insert(transaction, entry)).transpose()
        })?;
        inserted
            .map(|sequence| WrittenEntry::write(entry.clone(), |_| Ok(sequence)))
            .transpose()
    }

    /// Completes an entry. If it is missing, because the archive was replaced
    /// meanwhile, it is added again: the entry that now has its number is of
    /// another request.
    ///
    /// # Errors
    /// When it cannot be written; the entry then stays pending.
    pub(crate) fn complete(&mut self, entry: &Entry) -> Result<()> {
        let (answered_name, answered_tag) = entry.answered.clone().unzip();
        self.writing(|transaction| {
            let mut sequence = entry.sequence;
            loop {
                let changed = transaction.execute(
                    "UPDATE ledger SET outcome = ?2, answered_name = ?3, answered_tag = ?4, words = ?5
                     WHERE sequence = ?1 AND plant = ?6 AND operation = ?7 AND process = ?8",
                    params![
                        sequence,
                        entry.outcome.to_string(),
                        answered_name,
                        answered_tag,
                        entry.words,
                        entry.id,
                        entry.operation.to_string(),
                        std::process::id(),
                    ],
                )?;
                if changed > 0 {
                    return Ok(());
                }
                sequence = insert(transaction, entry)?;
            }
        })
    }

    /// All entries, oldest first. A pending entry whose process has ended is
    /// unknown.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn ledger(&self, now: f64) -> Result<Vec<Entry>> {
        lines(&self.connection, now, None)
    }

    /// As [`Archive::ledger`], for one plant.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn ledger_of(&self, plant: &str, now: f64) -> Result<Vec<Entry>> {
        lines(&self.connection, now, Some(plant))
    }
}

fn insert(connection: &Connection, entry: &Entry) -> Result<i64> {
    connection.row(
        "INSERT INTO ledger (at, operation, plant, name, tag, outcome, process, service, run)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) RETURNING sequence",
        params![
            entry.at,
            entry.operation.to_string(),
            entry.id,
            entry.name,
            entry.tag,
            Outcome::Pending.to_string(),
            std::process::id(),
            entry.service,
            process::run_of(std::process::id()),
        ],
        |row| row.get(0),
    )
}

/// The lines, oldest first. Of a damaged line, its readable values.
fn lines(connection: &Connection, now: f64, plant: Option<&str>) -> Result<Vec<Entry>> {
    connection.rows(
        "SELECT sequence, at, operation, plant, name, tag, outcome, answered_name, answered_tag, words, process, service, run
         FROM ledger WHERE CAST(?1 AS TEXT) IS NULL OR plant = ?1 ORDER BY sequence",
        [plant],
        |row| {
            let at = row.number(1).unwrap_or(0.0);
            let name = |column| row.text(column).unwrap_or_default();
            let mut outcome = name(6).parse().unwrap_or(Outcome::Unknown);
            let is_running = || {
                let process = row.get(10).unwrap_or(0);
                let run = row.text(12);
                process::is_seen_alive(process, run.as_deref(), connection.is_shared())
            };
            if outcome == Outcome::Pending && (now - at > LONGEST_REQUEST_S || !is_running()) {
                outcome = Outcome::Unknown;
            }
            Ok(Entry {
                sequence: row.get(0)?,
                at,
                // Of a damaged name a create: no plant is created twice.
                operation: name(2).parse().unwrap_or(Operation::Create),
                id: name(3),
                name: row.text(4),
                tag: row.text(5),
                outcome,
                answered: row.text(7).zip(row.text(8)),
                words: row.text(9),
                service: row.text(11),
            })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(operation: Operation, id: &str) -> Entry {
        Entry {
            name: Some("rose".to_owned()),
            tag: Some("red".to_owned()),
            service: Some("https://a.example".to_owned()),
            ..Entry::pending(10.0, operation, id)
        }
    }

    #[test]
    fn a_line_is_pending_until_it_is_completed() {
        let mut archive = Archive::in_memory().unwrap();
        let line = archive
            .begin(&asked(Operation::Create, "42"))
            .unwrap()
            .into_entry()
            .sequence;
        let mut entry = archive.ledger(20.0).unwrap().pop().unwrap();
        assert_eq!((entry.sequence, entry.outcome), (line, Outcome::Pending));
        entry.outcome = Outcome::Done;
        entry.answered = Some(("Rose".to_owned(), "red".to_owned()));
        archive.complete(&entry).unwrap();
        assert_eq!(archive.ledger(20.0).unwrap(), vec![entry]);
    }

    #[test]
    fn an_outcome_is_never_written_onto_the_line_of_another_plant() {
        let mut archive = Archive::in_memory().unwrap();
        // The archive was replaced: the number belongs to another plant's
        // entry.
        let other = archive
            .begin(&asked(Operation::Create, "7"))
            .unwrap()
            .into_entry()
            .sequence;
        let mut entry = asked(Operation::Create, "42");
        entry.sequence = other;
        entry.outcome = Outcome::Done;
        archive.complete(&entry).unwrap();
        let told: Vec<(String, Outcome)> = archive
            .ledger(20.0)
            .unwrap()
            .into_iter()
            .map(|line| (line.id, line.outcome))
            .collect();
        assert_eq!(
            told,
            [
                ("7".to_owned(), Outcome::Pending),
                ("42".to_owned(), Outcome::Done)
            ]
        );
    }

    #[test]
    fn a_create_that_is_to_be_made_once_is_begun_once() {
        let mut archive = Archive::in_memory().unwrap();
        let create = asked(Operation::Create, "42");
        assert!(archive.begin_if(&create, BeginIf::Free).unwrap().is_some());
        assert_eq!(archive.begin_if(&create, BeginIf::Free).unwrap(), None);
        let elsewhere = Entry {
            service: Some("https://b.example".to_owned()),
            ..create
        };
        assert!(
            archive
                .begin_if(&elsewhere, BeginIf::Free)
                .unwrap()
                .is_some()
        );
    }

    #[test]
    fn of_two_programs_that_create_a_deleted_plant_again_one_does() {
        let mut archive = Archive::in_memory().unwrap();
        let delete = asked(Operation::Delete, "42");
        let line = archive.begin(&delete).unwrap().into_entry().sequence;
        let create = asked(Operation::Create, "42");
        let first = archive
            .begin_if(&create, BeginIf::NotBackSince(line))
            .unwrap();
        assert!(first.is_some());
        assert_eq!(
            archive
                .begin_if(&create, BeginIf::NotBackSince(line))
                .unwrap(),
            None
        );
        // One that was refused did not bring the plant back.
        let mut refused = first.unwrap().into_entry();
        refused.outcome = Outcome::Refused;
        archive.complete(&refused).unwrap();
        assert!(
            archive
                .begin_if(&create, BeginIf::NotBackSince(line))
                .unwrap()
                .is_some()
        );
    }

    #[test]
    fn a_pending_line_of_a_process_that_is_gone_is_unknown() {
        let mut archive = Archive::in_memory().unwrap();
        archive.begin(&asked(Operation::Delete, "42")).unwrap();
        // No process has this number: Linux limits them to 2^22.
        archive
            .connection
            .execute("UPDATE ledger SET process = 2000000000", ())
            .unwrap();
        assert_eq!(
            archive.ledger(20.0).unwrap().pop().unwrap().outcome,
            Outcome::Unknown
        );
    }
}
