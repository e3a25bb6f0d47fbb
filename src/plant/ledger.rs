//! What was asked of the service about plants, and what came of it.

use crate::loopback;

/// What was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    /// A create.
    Create,
    /// A delete.
    Delete,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Outcome {
    /// Written down before it is sent; no answer yet.
    Pending,
    /// The service took the create or the delete.
    Done,
    /// The service refused; nothing changed there.
    Refused,
    /// It never left this machine.
    NotSent,
    /// It was sent and no answer came: the service may or may not have acted.
    Unknown,
    /// A delete found nothing.
    Gone,
}

/// One line of the ledger.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// Place in the ledger, ascending.
    pub sequence: i64,
    /// When it was asked, UNIX seconds.
    pub at: f64,
    /// What was asked.
    pub operation: Operation,
    /// The plant's identifier as it was typed.
    pub id: String,
    /// The name asked for; for a delete the name last known, if any.
    pub name: Option<String>,
    /// The tag asked for; for a delete the tag last known, if any.
    pub tag: Option<String>,
    /// What came of it.
    pub outcome: Outcome,
    /// Name and tag as the service answered, where they differ from what was
    /// asked.
    pub answered: Option<(String, String)>,
    /// The service's words or the reason, where there are any.
    pub words: Option<String>,
    /// The address at which plants are created, of the service that was asked;
    /// none in a line from before this was written down.
    pub service: Option<String>,
}

/// An entry that is on the disk. The client asks for one before it sends a
/// create or a delete, so that no request goes out that the ledger lacks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WrittenEntry {
    entry: Entry,
}

impl WrittenEntry {
    /// Writes an entry with `write`, which returns its number once it is on the
    /// disk.
    ///
    /// # Errors
    /// As `write`.
    pub(crate) fn write<E>(
        entry: Entry,
        write: impl FnOnce(&Entry) -> Result<i64, E>,
    ) -> Result<Self, E> {
        let sequence = write(&entry)?;
        Ok(Self {
            entry: Entry { sequence, ..entry },
        })
    }

    /// The entry as it was written.
    pub(crate) fn entry(&self) -> &Entry {
        &self.entry
    }

    /// The entry, to be completed with the outcome.
    pub(crate) fn into_entry(self) -> Entry {
        self.entry
    }
}

/// What the ledger knows of a plant at a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlantState<'a> {
    /// Nothing that would keep it from being created.
    Free,
    /// It was created, under this name and tag, and not deleted since.
    Created(Option<&'a str>, Option<&'a str>),
    /// Whether it is there is not known.
    Unknown,
}

/// How a plant stands at a service, by all that the ledger (oldest first) has
/// of it there. A refused delete leaves what was created.
pub(crate) fn standing<'a>(ledger: &'a [Entry], service: &str, id: &str) -> PlantState<'a> {
    let mut standing = PlantState::Free;
    for entry in ledger {
        let there = entry
            .service
            .as_deref()
            .is_none_or(|known| same_service(known, service));
        if entry.id != id || !there {
            continue;
        }
        standing = match (entry.operation, entry.outcome) {
            (_, Outcome::Refused | Outcome::NotSent) => standing,
            (Operation::Create, Outcome::Done) => {
                PlantState::Created(entry.name.as_deref(), entry.tag.as_deref())
            }
            (Operation::Delete, Outcome::Done | Outcome::Gone) => PlantState::Free,
            (_, Outcome::Unknown | Outcome::Pending) => PlantState::Unknown,
            (Operation::Create, Outcome::Gone) => standing,
        };
    }
    standing
}

/// Whether two addresses are of one service. Behind a loopback address may stand
/// a tunnel, whose port tells nothing of the service at its other end.
pub(crate) fn same_service(one: &str, other: &str) -> bool {
    one == other || (loopback::is_address(one) && loopback::is_address(other))
}

impl Entry {
    /// What is asked at a time (UNIX seconds) and has no answer yet.
    pub(crate) fn pending(at: f64, operation: Operation, id: impl Into<String>) -> Self {
        Self {
            sequence: 0,
            at,
            operation,
            id: id.into(),
            name: None,
            tag: None,
            outcome: Outcome::Pending,
            answered: None,
            words: None,
            service: None,
        }
    }

    /// The state in one word, as it is shown.
    pub(crate) fn word(&self) -> &'static str {
        match (self.operation, self.outcome) {
            (_, Outcome::Pending) => "pending",
            (Operation::Create, Outcome::Done) => "created",
            (Operation::Delete, Outcome::Done) => "deleted",
            (_, Outcome::Refused) => "failed",
            (_, Outcome::NotSent) => "not sent",
            (_, Outcome::Unknown) => "unknown",
            (_, Outcome::Gone) => "gone",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(operation: Operation, outcome: Outcome) -> Entry {
        Entry {
            sequence: 1,
            at: 0.0,
            operation,
            id: "7".to_owned(),
            name: Some("rose".to_owned()),
            tag: Some("red".to_owned()),
            outcome,
            answered: None,
            words: None,
            service: Some("https://a.example".to_owned()),
        }
    }

    #[test]
    fn how_a_plant_stands_is_told_by_all_its_lines_and_not_by_the_last() {
        use Operation::{Create, Delete};
        use Outcome::{Done, Gone, NotSent, Pending, Refused, Unknown};
        let created = PlantState::Created(Some("rose"), Some("red"));
        for (lines, expected) in [
            (&[][..], PlantState::Free),
            (&[(Create, Done)], created.clone()),
            (&[(Create, Done), (Create, Refused)], created.clone()),
            (&[(Create, Done), (Delete, Refused)], created.clone()),
            (&[(Create, Done), (Delete, NotSent)], created),
            (&[(Create, Done), (Delete, Unknown)], PlantState::Unknown),
            (&[(Create, Done), (Delete, Done)], PlantState::Free),
            (&[(Create, Unknown), (Delete, Gone)], PlantState::Free),
            (&[(Create, Pending)], PlantState::Unknown),
            (&[(Create, Refused)], PlantState::Free),
        ] {
            let ledger: Vec<Entry> = lines.iter().map(|&(what, came)| line(what, came)).collect();
            assert_eq!(
                standing(&ledger, "https://a.example", "7"),
                expected,
                "{lines:?}"
            );
            assert_eq!(
                standing(&ledger, "https://b.example", "7"),
                PlantState::Free
            );
            assert_eq!(
                standing(&ledger, "https://a.example", "8"),
                PlantState::Free
            );
        }
    }

    #[test]
    fn the_port_of_a_tunnel_is_no_other_service() {
        assert!(same_service(
            "http://127.0.0.1:1/api",
            "http://localhost:2/api"
        ));
        // Whatever loopback is written as: the rule is the one of the addresses.
        assert!(same_service(
            "http://[::ffff:7f00:1]:1",
            "http://demo.localhost/api"
        ));
        assert!(same_service("https://a.example", "https://a.example"));
        assert!(!same_service("https://a.example", "https://a.example:444"));
        assert!(!same_service("http://127.0.0.1:1", "https://127.example"));
    }
}
