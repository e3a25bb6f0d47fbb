//! The ledger of plants: a line is written before a request is sent, and
//! completed with what came of it.

use rusqlite::params;

use super::{Archive, ArchiveError};
use crate::plant::ledger::{Entry, Operation, Outcome};

/// A pending line of a process that is gone, or older than this, is unknown.
const LONGEST_REQUEST_S: f64 = 3600.0;

impl Archive {
    /// Writes a line; the answer is its number. It is on the disk when this
    /// returns.
    ///
    /// # Errors
    /// When it cannot be written: nothing may be sent then.
    pub fn begin(
        &mut self,
        at: f64,
        operation: Operation,
        plant: &str,
        name: Option<&str>,
        tag: Option<&str>,
    ) -> Result<i64, ArchiveError> {
        self.connection
            .execute(
                "INSERT INTO ledger (at, operation, plant, name, tag, outcome, process) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![at, operation_name(operation), plant, name, tag, outcome_name(Outcome::Pending), std::process::id()],
            )
            .map(|_| self.connection.last_insert_rowid())
            .map_err(|error| self.error(&error))
    }

    /// Completes a line.
    ///
    /// # Errors
    /// When it cannot be written, then it stays pending; when it is not there.
    pub fn complete(&mut self, entry: &Entry) -> Result<(), ArchiveError> {
        let (answered_name, answered_tag) = entry.answered.clone().unzip();
        let changed = self
            .connection
            .execute(
                "UPDATE ledger SET outcome = ?2, answered_name = ?3, answered_tag = ?4, words = ?5 WHERE sequence = ?1",
                params![entry.sequence, outcome_name(entry.outcome), answered_name, answered_tag, entry.words],
            )
            .map_err(|error| self.error(&error))?;
        if changed == 0 {
            return Err(ArchiveError::Unwritable(
                "the ledger's line is gone: the archive was replaced meanwhile".to_owned(),
            ));
        }
        Ok(())
    }

    /// The ledger, oldest first. A line that was never completed and whose
    /// process is gone is unknown.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn ledger(&self, now: f64) -> Result<Vec<Entry>, ArchiveError> {
        let read = || -> rusqlite::Result<Vec<Entry>> {
            let mut statement = self.connection.prepare(
                "SELECT sequence, at, operation, plant, name, tag, outcome, answered_name, answered_tag, words, process
                 FROM ledger ORDER BY sequence",
            )?;
            let mut rows = statement.query([])?;
            let mut entries = Vec::new();
            while let Some(row) = rows.next()? {
                let at: f64 = row.get(1)?;
                let mut outcome = outcome_of(&row.get::<_, String>(6)?);
                if outcome == Outcome::Pending
                    && (now - at > LONGEST_REQUEST_S || !is_alive(row.get(10)?))
                {
                    outcome = Outcome::Unknown;
                }
                let answered: (Option<String>, Option<String>) = (row.get(7)?, row.get(8)?);
                entries.push(Entry {
                    sequence: row.get(0)?,
                    at,
                    operation: if row.get::<_, String>(2)? == "delete" {
                        Operation::Delete
                    } else {
                        Operation::Create
                    },
                    id: row.get(3)?,
                    name: row.get(4)?,
                    tag: row.get(5)?,
                    outcome,
                    answered: answered.0.zip(answered.1),
                    words: row.get(9)?,
                });
            }
            Ok(entries)
        };
        read().map_err(|error| self.error(&error))
    }
}

fn operation_name(operation: Operation) -> &'static str {
    match operation {
        Operation::Create => "create",
        Operation::Delete => "delete",
    }
}

const OUTCOMES: [(Outcome, &str); 6] = [
    (Outcome::Pending, "pending"),
    (Outcome::Done, "done"),
    (Outcome::Refused, "refused"),
    (Outcome::NotSent, "not sent"),
    (Outcome::Unknown, "unknown"),
    (Outcome::Gone, "gone"),
];

fn outcome_name(outcome: Outcome) -> &'static str {
    OUTCOMES
        .iter()
        .find(|(known, _)| *known == outcome)
        .map_or("unknown", |(_, name)| name)
}

fn outcome_of(name: &str) -> Outcome {
    OUTCOMES
        .iter()
        .find(|(_, known)| *known == name)
        .map_or(Outcome::Unknown, |(outcome, _)| *outcome)
}

/// Whether a process is there.
#[cfg(unix)]
fn is_alive(process: i64) -> bool {
    i32::try_from(process)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        .is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn is_alive(process: i64) -> bool {
    i64::from(std::process::id()) == process
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_pending_until_it_is_completed() {
        let mut archive = Archive::in_memory().unwrap();
        let line = archive
            .begin(10.0, Operation::Create, "42", Some("rose"), Some("red"))
            .unwrap();
        let mut entry = archive.ledger(20.0).unwrap().pop().unwrap();
        assert_eq!((entry.sequence, entry.outcome), (line, Outcome::Pending));
        entry.outcome = Outcome::Done;
        entry.answered = Some(("Rose".to_owned(), "red".to_owned()));
        archive.complete(&entry).unwrap();
        assert_eq!(archive.ledger(20.0).unwrap(), vec![entry.clone()]);
        entry.sequence += 1;
        assert!(archive.complete(&entry).is_err(), "there is no such line");
    }

    #[test]
    fn a_pending_line_of_a_process_that_is_gone_is_unknown() {
        let mut archive = Archive::in_memory().unwrap();
        archive
            .begin(10.0, Operation::Delete, "42", None, None)
            .unwrap();
        // No process has this number: Linux ends at 2^22.
        archive
            .connection
            .execute("UPDATE ledger SET process = 2000000000", [])
            .unwrap();
        assert_eq!(
            archive.ledger(20.0).unwrap().pop().unwrap().outcome,
            Outcome::Unknown
        );
    }
}
