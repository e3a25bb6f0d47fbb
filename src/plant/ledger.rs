//! What was asked of the service about plants, and what came of it.

/// What was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A create.
    Create,
    /// A delete.
    Delete,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
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
pub struct Entry {
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
}

impl Entry {
    /// The state in one word, as it is shown.
    pub fn word(&self) -> &'static str {
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
