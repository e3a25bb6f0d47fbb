//! The plant log: a line for each request that creates or deletes a plant, and for what a
//! person found out about one. What a plant is now follows from its lines
//! ([`state`](super::state)).

use std::fmt::{self, Debug};

use strum::{Display, EnumString};
use uuid::Uuid;

/// The service that plants belong to: the pair of its addresses, each in the form that
/// `Address` prints. Loopback addresses of other ports or paths are other services.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PlantService {
    /// The base address, to which deletes go.
    pub base: String,
    /// The sandbox address, to which creates go.
    pub sandbox: String,
}

impl PlantService {
    /// The service of a base and a sandbox address.
    pub(crate) fn new(base: impl fmt::Display, sandbox: impl fmt::Display) -> Self {
        Self {
            base: base.to_string(),
            sandbox: sandbox.to_string(),
        }
    }

    /// `true` if creates and deletes go to one address. Where they do not, nobody knows
    /// whether both addresses are one store.
    pub(crate) fn has_one_address(&self) -> bool {
        self.base == self.sandbox
    }
}

/// The base address, and if it differs that of creates.
impl fmt::Display for PlantService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_one_address() {
            f.write_str(&self.base)
        } else {
            write!(f, "{} (creates: {})", self.base, self.sandbox)
        }
    }
}

/// The subject of a line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Operation {
    /// A request that creates the plant.
    Create,
    /// A request that deletes it.
    Delete,
    /// A person found out that it exists.
    FoundExisting,
    /// A person found out that it does not exist.
    FoundAbsent,
}

impl Operation {
    /// The operation as one word, for people and for `log --json`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Delete => "delete",
            Self::FoundExisting | Self::FoundAbsent => "resolve",
        }
    }

    /// `true` if it was a request to the service.
    pub(crate) fn is_request(self) -> bool {
        matches!(self, Self::Create | Self::Delete)
    }
}

/// The outcome of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Display, EnumString)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Outcome {
    /// The program that sends it lives and waits for the answer.
    #[default]
    Sending,
    /// The service accepted it.
    Done,
    /// The service refused it.
    Refused,
    /// It was sent, and no usable answer came: the service may or may not have acted.
    Unknown,
}

/// The kind of the body of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum AnswerBody {
    /// Nothing.
    Empty,
    /// An Error object.
    Error,
    /// A web page, or anything else: it may come from something in between, or from an
    /// address that has no plants at all.
    Other,
}

/// The outcome of a request, with the answer if there was one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reply {
    pub outcome: Outcome,
    /// The HTTP status.
    pub status: Option<u16>,
    /// The service's member `error`.
    pub error: Option<i64>,
    /// The service's message.
    pub message: Option<String>,
    /// The kind of its body; `None` if it broke off, or there was none to read.
    pub body: Option<AnswerBody>,
    /// A difference between the answer and the request, or why there is no answer.
    pub note: Option<String>,
}

impl Reply {
    /// A reply without an answer.
    pub(crate) fn new(outcome: Outcome) -> Self {
        Self {
            outcome,
            ..Self::default()
        }
    }

    /// The status if it may say something of the plant's existence: the body is an Error or
    /// empty.
    pub(crate) fn status_of_plant(&self) -> Option<u16> {
        let is_of_service = matches!(self.body, Some(AnswerBody::Empty | AnswerBody::Error));
        self.status.filter(|_| is_of_service)
    }

    /// `true` if the service refused a request because it has no such plant.
    pub(crate) fn is_not_there(&self) -> bool {
        matches!(self.status_of_plant(), Some(404 | 410))
    }
}

/// Of an answer that leaves the state as it was.
const PROVES_NOTHING: &str =
    "no Error of the service, perhaps of something in between: it says nothing of the plant";

/// A line of the plant log.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// Its number, ascending.
    pub sequence: i64,
    /// When the request was to be sent, UNIX seconds.
    pub at: f64,
    /// Its subject.
    pub operation: Operation,
    /// The plant's identifier as it was typed. Text that is the shortest decimal form of a
    /// whole number is that number; any other is a text, and another plant.
    pub id: String,
    /// The name of a create.
    pub name: Option<String>,
    /// The tag of a create.
    pub tag: Option<String>,
    pub service: PlantService,
    /// The address that the request went to, or that a person speaks of.
    pub address: String,
    /// Its outcome, with the answer.
    pub reply: Reply,
    /// The id of the request among those that are being sent.
    pub sender: Uuid,
}

impl Entry {
    /// A new line for a service, without an outcome.
    pub(crate) fn new(
        at: f64,
        operation: Operation,
        id: impl Into<String>,
        service: &PlantService,
    ) -> Self {
        let address = match operation {
            Operation::Create => &service.sandbox,
            _ => &service.base,
        };
        Self {
            sequence: 0,
            at,
            operation,
            id: id.into(),
            name: None,
            tag: None,
            address: address.clone(),
            service: service.clone(),
            reply: Reply::default(),
            sender: Uuid::new_v4(),
        }
    }

    pub(crate) fn outcome(&self) -> Outcome {
        self.reply.outcome
    }

    /// `true` for a refusal whose status would say whether the plant exists, but whose body is
    /// not of the service: it leaves the state as it was.
    pub(crate) fn proves_nothing(&self) -> bool {
        let reply = &self.reply;
        let would_prove = match self.operation {
            Operation::Create => matches!(reply.status, Some(409)),
            Operation::Delete => matches!(reply.status, Some(404 | 410)),
            Operation::FoundExisting | Operation::FoundAbsent => false,
        };
        let is_refused = reply.outcome == Outcome::Refused;
        would_prove && is_refused && reply.status_of_plant().is_none()
    }

    /// The note on the answer, apart from the service's own words.
    pub(crate) fn note(&self) -> Option<String> {
        let proves_nothing = self.proves_nothing().then(|| PROVES_NOTHING.to_owned());
        let notes = self.reply.note.clone().into_iter().chain(proves_nothing);
        notes.reduce(|all, note| format!("{all}: {note}"))
    }

    /// The outcome as one word, for display.
    pub(crate) fn word(&self) -> &'static str {
        match (self.operation, self.outcome()) {
            (Operation::FoundExisting, _) => "exists",
            (Operation::FoundAbsent, _) => "absent",
            (_, Outcome::Sending) => "sending",
            (Operation::Create, Outcome::Done) => "created",
            (Operation::Delete, Outcome::Done) => "deleted",
            (_, Outcome::Refused) => "refused",
            (_, Outcome::Unknown) => "unknown",
        }
    }
}

/// The sign to other programs that a request is being sent; it ends with this value, and
/// with the program.
pub(crate) type Claim = Box<dyn Debug + Send + Sync>;

/// A line that is on the disk. The client requires one for a create or delete, so that every
/// request sent is in the log.
#[derive(Debug)]
pub(crate) struct WrittenEntry {
    entry: Entry,
    _claim: Option<Claim>,
}

impl WrittenEntry {
    /// Writes a line with `write`, which returns its number after the line is on the disk.
    ///
    /// # Errors
    /// As `write`.
    pub(crate) fn write<E>(
        entry: Entry,
        claim: Option<Claim>,
        write: impl FnOnce(&Entry) -> Result<i64, E>,
    ) -> Result<Self, E> {
        let sequence = write(&entry)?;
        Ok(Self {
            entry: Entry { sequence, ..entry },
            _claim: claim,
        })
    }

    /// The line as written.
    pub(crate) fn entry(&self) -> &Entry {
        &self.entry
    }
}
