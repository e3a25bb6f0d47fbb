//! Plant log: the requests that create or delete plants, and their outcomes.

use strum::{Display, EnumString};

use crate::loopback;
use crate::text::has_word;

/// Shown as the service of an entry that does not name it.
pub(crate) const NO_SERVICE: &str = "not recorded";

/// The requested operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Operation {
    /// A create.
    Create,
    /// A delete.
    Delete,
}

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Outcome {
    /// Written to the log, not yet completed.
    Pending,
    /// The service accepted the create or delete.
    Done,
    /// The service rejected it; nothing changed there.
    Refused,
    /// It was not sent.
    #[strum(serialize = "not sent")]
    NotSent,
    /// It was sent without a response: the service may or may not have acted.
    Unknown,
    /// The plant to delete did not exist.
    Gone,
}

/// An entry of the plant log.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// Its number, ascending.
    pub sequence: i64,
    /// When the operation was requested, UNIX seconds.
    pub at: f64,
    /// The requested operation.
    pub operation: Operation,
    /// The plant's identifier as it was typed.
    pub id: String,
    /// The requested name; for a delete the last known name, if any.
    pub name: Option<String>,
    /// The requested tag; for a delete the last known tag, if any.
    pub tag: Option<String>,
    /// The outcome.
    pub outcome: Outcome,
    /// Name and tag in the response, if they differ from the request.
    pub answered: Option<(String, String)>,
    /// The service's message or the reason, if any.
    pub words: Option<String>,
    /// The URL at which the service creates plants, which identifies it; `None`
    /// in an entry from before it was recorded.
    pub service: Option<String>,
}

/// An entry that is on the disk. The client requires one for a create or
/// delete, so that every request sent is in the log.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WrittenEntry {
    entry: Entry,
}

impl WrittenEntry {
    /// Writes an entry with `write`, which returns its number after the entry
    /// is on the disk.
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

    /// The entry as written.
    pub(crate) fn entry(&self) -> &Entry {
        &self.entry
    }

    /// The entry, to be completed with the outcome.
    pub(crate) fn into_entry(self) -> Entry {
        self.entry
    }
}

/// The state of a plant at a service, from the plant log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlantState<'a> {
    /// Not known to exist: it may be created.
    Free,
    /// Created with this name and tag, and not deleted since.
    Created(Option<&'a str>, Option<&'a str>),
    /// Unknown whether it exists.
    Unknown,
}

/// The state of a plant at a service, from all log entries (oldest first). A
/// rejected delete does not change it. An entry without a service counts for
/// none.
pub(crate) fn standing<'a>(ledger: &'a [Entry], service: &str, id: &str) -> PlantState<'a> {
    standing_where(ledger, id, |known| known == Some(service))
}

fn standing_where<'a>(
    ledger: &'a [Entry],
    id: &str,
    is_there: impl Fn(Option<&str>) -> bool,
) -> PlantState<'a> {
    let mut standing = PlantState::Free;
    for entry in ledger {
        if entry.id != id || !is_there(entry.service.as_deref()) {
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

/// The create that gave a plant its name and tag: the last at a service, or without one,
/// that was accepted or may have been.
pub(crate) fn last_create<'a>(ledger: &'a [Entry], service: &str, id: &str) -> Option<&'a Entry> {
    ledger.iter().rev().find(|entry| {
        entry.id == id
            && entry.operation == Operation::Create
            && !matches!(entry.outcome, Outcome::Refused | Outcome::NotSent)
            && entry.service.as_deref().is_none_or(|at| at == service)
    })
}

/// The last entry of a plant that is not deleted, at a service that may be this
/// one with another base URL: on loopback behind a tunnel, or not recorded. With
/// an empty `service`, any may be it.
pub(crate) fn perhaps_there<'a>(ledger: &'a [Entry], service: &str, id: &str) -> Option<&'a Entry> {
    ledger.iter().rev().find(|entry| {
        let known = entry.service.as_deref();
        entry.id == id
            && known != Some(service)
            && known.is_none_or(|known| service.is_empty() || may_be_one_service(known, service))
            && standing_where(ledger, id, |there| there == known) != PlantState::Free
    })
}

/// `true` if the plant of a line was created again since, or may have been, at a service
/// that may be the line's.
pub(crate) fn came_back(lines: &[Entry], line: i64, id: &str) -> bool {
    let of = lines.iter().find(|entry| entry.sequence == line);
    lines.iter().any(|later| {
        later.sequence > line
            && later.id == id
            && of.is_none_or(|of| may_be_at_one_service(of, later))
            && later.operation == Operation::Create
            && !matches!(later.outcome, Outcome::Refused | Outcome::NotSent)
    })
}

/// `true` if two entries may belong to the same service; old entries have no service.
pub(crate) fn may_be_at_one_service(one: &Entry, other: &Entry) -> bool {
    match (&one.service, &other.service) {
        (Some(one), Some(other)) => may_be_one_service(one, other),
        _ => true,
    }
}

/// `true` if two base URLs may belong to one service. All loopback URLs may: a
/// tunnel may be behind them, and its port does not identify the service.
pub(crate) fn may_be_one_service(one: &str, other: &str) -> bool {
    one == other || (loopback::is_address(one) && loopback::is_address(other))
}

impl Entry {
    /// A new entry for an operation requested at a time (UNIX seconds), without
    /// outcome.
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

    /// `true` if it contains the lower-case text in its id, name, tag or state; an
    /// empty text is in all.
    pub(crate) fn contains(&self, text: &str) -> bool {
        let is_in = |member: &Option<String>| {
            member
                .as_ref()
                .is_some_and(|member| has_word(&member.to_lowercase(), text))
        };
        text.is_empty()
            || has_word(&self.id.to_lowercase(), text)
            || is_in(&self.name)
            || is_in(&self.tag)
            || self.word().contains(text)
    }

    /// The outcome as one word, for display.
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
    fn a_plant_has_the_name_of_its_last_create_that_was_not_refused() {
        use Operation::{Create, Delete};
        use Outcome::{Done, NotSent, Pending, Refused, Unknown};
        for (lines, expected) in [
            (&[(Create, Refused)][..], None),
            (&[(Create, Done), (Create, Refused)], Some(0)),
            (
                &[(Create, Done), (Create, NotSent), (Delete, Done)],
                Some(0),
            ),
            (&[(Create, Done), (Create, Unknown)], Some(1)),
            (&[(Create, Unknown), (Create, Done)], Some(1)),
            (&[(Create, Done), (Create, Pending)], Some(1)),
        ] {
            let numbered = (0..).zip(lines);
            let ledger = numbered.map(|(sequence, &(what, came))| Entry {
                sequence,
                ..line(what, came)
            });
            let ledger: Vec<Entry> = ledger.collect();
            let found = last_create(&ledger, "https://a.example", "7");
            assert_eq!(found.map(|entry| entry.sequence), expected, "{lines:?}");
            assert_eq!(last_create(&ledger, "https://b.example", "7"), None);
        }
    }

    #[test]
    fn a_plant_of_another_service_is_not_the_one_that_came_back() {
        let at = |sequence, operation, service: Option<&str>| Entry {
            sequence,
            service: service.map(str::to_owned),
            ..line(operation, Outcome::Done)
        };
        let (here, there) = (Some("https://a.example"), Some("https://b.example"));
        let gone = at(1, Operation::Delete, here);
        for (later, is_back) in [(here, true), (None, true), (there, false)] {
            let lines = [gone.clone(), at(2, Operation::Create, later)];
            assert_eq!(came_back(&lines, 1, "7"), is_back, "{later:?}");
        }
    }

    #[test]
    fn the_port_of_a_tunnel_may_be_no_other_service() {
        assert!(may_be_one_service(
            "http://127.0.0.1:1/api",
            "http://localhost:2/api"
        ));
        // All spellings of loopback, by the rule of [`crate::loopback`].
        assert!(may_be_one_service(
            "http://[::ffff:7f00:1]:1",
            "http://demo.localhost/api"
        ));
        assert!(may_be_one_service("https://a.example", "https://a.example"));
        assert!(!may_be_one_service(
            "https://a.example",
            "https://a.example:444"
        ));
        assert!(!may_be_one_service(
            "http://127.0.0.1:1",
            "https://127.example"
        ));
    }

    #[test]
    fn a_plant_that_may_be_there_is_found_and_no_other() {
        let at = |service: Option<&str>, operation| Entry {
            service: service.map(str::to_owned),
            ..line(operation, Outcome::Done)
        };
        let near = Some("http://127.0.0.1:1");
        for (lines, service, expected) in [
            (
                vec![at(near, Operation::Create)],
                "http://localhost:2",
                true,
            ),
            (
                vec![at(near, Operation::Create)],
                "http://127.0.0.1:1",
                false,
            ),
            (
                vec![at(near, Operation::Create)],
                "https://a.example",
                false,
            ),
            (vec![at(near, Operation::Create)], "", true),
            (vec![at(None, Operation::Create)], "https://a.example", true),
            (
                vec![at(near, Operation::Create), at(near, Operation::Delete)],
                "http://localhost:2",
                false,
            ),
        ] {
            let found = perhaps_there(&lines, service, "7").is_some();
            assert_eq!(found, expected, "{service} {lines:?}");
            assert_eq!(perhaps_there(&lines, service, "8"), None);
        }
    }
}
