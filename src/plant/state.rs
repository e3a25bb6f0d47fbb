//! The state of a plant now, as a pure function of its lines in the plant log.
//!
//! Whoever asks what a plant is asks this: the tab, the commands, the import, the undo and
//! the header.

use std::collections::HashMap;

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

use super::log::{Entry, Operation, Outcome, PlantService};
use crate::text;

/// The existence of a plant, as far as it is known.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum State {
    /// It was created, or a create was refused because it is there, or a person said so.
    Exists,
    /// It was deleted from here.
    Deleted,
    /// It does not exist, and was not deleted from here.
    Absent,
    /// A request was sent, and its outcome is not known.
    Unknown,
    /// The service refused a request; no more is known.
    Refused,
    /// The program that sends a request for it waits for the answer.
    Sending,
}

impl State {
    /// `true` if it may exist for all that is known: nothing is created over it without a
    /// question.
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Self::Unknown | Self::Sending)
    }

    /// `true` if nothing speaks against a create.
    pub(crate) fn is_free(self) -> bool {
        matches!(self, Self::Deleted | Self::Absent | Self::Refused)
    }
}

/// Name and tag of a create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub name: String,
    /// The tag; may be empty.
    pub tag: String,
    /// `true` if the create was done; `false` if it may have been.
    pub is_sure: bool,
    /// The address at which it was created. The name is said of no other.
    pub address: String,
}

impl Named {
    /// The name, with `?` if it may not have been created.
    pub(crate) fn label(&self) -> String {
        let sure = if self.is_sure { "" } else { "?" };
        format!("{}{sure}", self.name)
    }
}

/// A plant, as its lines in the log say.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plant {
    /// The identifier, as it was typed.
    pub id: String,
    pub service: PlantService,
    /// Its existence, as far as it is known.
    pub state: State,
    /// When the line that decided the state was written, UNIX seconds.
    pub since: f64,
    /// The address that the state comes from.
    pub address: String,
    /// `true` if the state is what a person said, and no answer has confirmed it since.
    pub is_said: bool,
    /// The line that decided the state: an index into the entries that were given.
    decided: usize,
    /// Name and tag of the last create that was done, else of the last that may have been;
    /// `None` without one.
    pub created: Option<Named>,
    /// Its lines, oldest first: indexes into the entries that were given.
    pub lines: Vec<usize>,
}

impl Plant {
    /// `true` if a person may say whether it exists: its state is unknown, or what a person
    /// said of it, who may be mistaken.
    pub(crate) fn can_be_resolved(&self) -> bool {
        self.state == State::Unknown || self.is_said
    }

    /// `true` if it exists because a service said so, and no create from here made it.
    pub(crate) fn is_of_another(&self) -> bool {
        self.state == State::Exists && self.created.is_none() && !self.is_said
    }

    /// Name and tag, where they may be said: at the address that the state comes from.
    pub(crate) fn named(&self) -> Option<&Named> {
        self.name_at(&self.address)
    }

    /// Name and tag, if it was created at this address: they are said of no other.
    pub(crate) fn name_at(&self, address: &str) -> Option<&Named> {
        let named = self.created.as_ref();
        named.filter(|named| named.address == address)
    }

    /// The operations of its requests, oldest first.
    pub(crate) fn requests<'a>(
        &'a self,
        entries: &'a [Entry],
    ) -> impl DoubleEndedIterator<Item = &'a Entry> {
        let lines = self.lines.iter().filter_map(|line| entries.get(*line));
        lines.filter(|entry| entry.operation.is_request())
    }

    /// The number of its last line; 0 without one.
    pub(crate) fn last_line(&self, entries: &[Entry]) -> i64 {
        let last = self.lines.last().and_then(|line| entries.get(*line));
        last.map_or(0, |entry| entry.sequence)
    }
}

/// The plants that the lines of a log are about, one an id and service, those whose state was
/// decided last first: the order of [`Plant::since`]. `entries` are oldest first.
pub(crate) fn plants(entries: &[Entry]) -> Vec<Plant> {
    let mut lines: HashMap<(&PlantService, &str), Vec<usize>> = HashMap::new();
    for (index, entry) in entries.iter().enumerate() {
        let plant = (&entry.service, entry.id.as_str());
        lines.entry(plant).or_default().push(index);
    }
    let mut plants: Vec<Plant> = lines
        .into_values()
        .filter_map(|lines| of_lines(entries, lines))
        .collect();
    plants.sort_unstable_by_key(|plant| std::cmp::Reverse(plant.decided));
    plants
}

/// The plant with this id at a service; `None` if no line is about it. `entries` are oldest
/// first.
pub(crate) fn plant(entries: &[Entry], service: &PlantService, id: &str) -> Option<Plant> {
    let numbered = entries.iter().enumerate();
    let lines = numbered.filter(|(_, entry)| entry.id == id && entry.service == *service);
    of_lines(entries, lines.map(|(index, _)| index).collect())
}

/// The content of a file of plants, which can be imported.
#[derive(Debug)]
pub(crate) struct Export<'a> {
    /// The ids of the plants that exist and have a name, the oldest first.
    pub rows: Vec<(&'a str, &'a Named)>,
    /// How many were left out, and why; empty for none.
    pub left_out: String,
}

/// The plants that exist and have a name. `plants` are newest first.
pub(crate) fn export(plants: &[Plant]) -> Export<'_> {
    let exist = plants.iter().rev();
    let exist: Vec<&Plant> = exist.filter(|plant| plant.state == State::Exists).collect();
    let rows = (exist.iter()).filter_map(|plant| Some((plant.id.as_str(), plant.named()?)));
    let rows: Vec<_> = rows.collect();
    let reasons = text::counts(&[
        (plants.len() - exist.len(), "not known to exist"),
        (exist.len() - rows.len(), "without a known name"),
    ]);
    let left_out = if reasons.is_empty() {
        String::new()
    } else {
        format!("left out: {reasons}")
    };
    Export { rows, left_out }
}

/// The plant of some lines, all of one id and service.
fn of_lines(entries: &[Entry], lines: Vec<usize>) -> Option<Plant> {
    let of_plant = || lines.iter().filter_map(|line| entries.get(*line));
    let first = of_plant().next()?;
    let known = state(of_plant())?;
    Some(Plant {
        id: first.id.clone(),
        service: first.service.clone(),
        state: known.state,
        since: known.since,
        address: known.address.to_owned(),
        is_said: known.is_said,
        decided: lines.get(known.place).copied().unwrap_or_default(),
        created: created(of_plant()),
        lines,
    })
}

/// The state of a plant at one address.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Known<'a> {
    state: State,
    since: f64,
    address: &'a str,
    /// `true` if the last request that was not answered was a delete.
    is_delete: bool,
    /// `true` if a person said so, and no answer has confirmed it.
    is_said: bool,
    /// The place of the deciding line among those of the plant.
    place: usize,
}

/// The state at each address of a service. Where both are one, both are the same.
#[derive(Debug, Default)]
struct AtAddresses<'a> {
    sandbox: Option<Known<'a>>,
    base: Option<Known<'a>>,
}

/// The state of a plant from its lines, oldest first, all of one id and service; `None`
/// without a line.
fn state<'a>(lines: impl Iterator<Item = &'a Entry>) -> Option<Known<'a>> {
    let mut known = AtAddresses::default();
    let mut sending = None;
    for (place, line) in lines.enumerate() {
        let decided = |state| Known {
            state,
            since: line.at,
            address: &line.address,
            is_delete: line.operation == Operation::Delete,
            is_said: !line.operation.is_request(),
            place,
        };
        if line.outcome() == Outcome::Sending {
            sending = Some(decided(State::Sending));
        }
        let before = known.at(line);
        let Some(state) = decided_by(line, before.map(|known| (known.state, known.is_delete)))
        else {
            continue;
        };
        // A refusal that confirms what was known of its address does not decide it again.
        let is_refusal = line.outcome() == Outcome::Refused && state != State::Refused;
        let is_same = |known: &Known<'_>| known.state == state && known.address == line.address;
        match before.filter(|known| is_refusal && is_same(known)) {
            Some(confirmed) => known.set(
                line,
                Known {
                    is_said: false,
                    ..confirmed
                },
            ),
            None => known.set(line, decided(state)),
        }
    }
    sending.or_else(|| known.together())
}

/// The state that a line decides for its address, of which `before` is known, with whether
/// the request was a delete; `None` if it says nothing new.
fn decided_by(line: &Entry, before: Option<(State, bool)>) -> Option<State> {
    let refused = match before {
        None | Some((State::Refused, _)) => Some(State::Refused),
        // It says nothing of existence.
        Some(_) => None,
    };
    match (line.operation, line.outcome()) {
        (Operation::FoundExisting, _) | (Operation::Create, Outcome::Done) => Some(State::Exists),
        (Operation::FoundAbsent, _) => Some(State::Absent),
        (Operation::Delete, Outcome::Done) => Some(State::Deleted),
        (_, Outcome::Unknown | Outcome::Sending) => Some(State::Unknown),
        (Operation::Create, Outcome::Refused) => match line.reply.status_of_plant() {
            Some(409) => Some(State::Exists),
            _ => refused,
        },
        (Operation::Delete, Outcome::Refused) if line.reply.is_not_there() => match before {
            // The delete before it was done after all.
            Some((State::Unknown, true) | (State::Deleted, _)) => Some(State::Deleted),
            _ => Some(State::Absent),
        },
        (Operation::Delete, Outcome::Refused) => refused,
    }
}

impl<'a> AtAddresses<'a> {
    /// The state at the address of a line.
    fn at(&self, line: &Entry) -> Option<Known<'a>> {
        if line.address == line.service.sandbox {
            self.sandbox
        } else {
            self.base
        }
    }

    fn set(&mut self, line: &Entry, known: Known<'a>) {
        // Where a delete succeeded the plant is at neither address, be they one store or two:
        // a plant of a separate sandbox is not deleted by it, but no line could say more.
        // A person who says that it is absent means the plant, and not an address.
        let is_of_both = match line.operation {
            Operation::Delete => is_success(line),
            Operation::FoundAbsent => true,
            _ => false,
        };
        if line.address == line.service.sandbox || is_of_both {
            self.sandbox = Some(known);
        }
        if line.address == line.service.base || is_of_both {
            self.base = Some(known);
        }
    }

    /// The state at both together: of the sandbox, where plants are created; of the base
    /// if the sandbox is known from there alone, or while a later delete there has no answer.
    /// Of two states that come from one address the later counts.
    fn together(self) -> Option<Known<'a>> {
        match (self.sandbox, self.base) {
            (None, base) => base,
            (Some(sandbox), Some(base))
                if sandbox.state == State::Refused
                    || sandbox.address == base.address && base.place >= sandbox.place
                    || base.state == State::Unknown && base.place > sandbox.place =>
            {
                Some(base)
            }
            (sandbox, _) => sandbox,
        }
    }
}

/// `true` if a request was answered with a success. A delete that counts as done by the 404
/// to its second try is none: it says what is so at its own address alone.
fn is_success(line: &Entry) -> bool {
    line.outcome() == Outcome::Done && line.reply.status.is_none_or(|status| status < 300)
}

/// Name and tag of the last create that was done, else of the last that may have been: of a
/// plant that was deleted and came back, since then.
fn created<'a>(lines: impl Iterator<Item = &'a Entry>) -> Option<Named> {
    let mut named: Option<(&Entry, bool)> = None;
    let mut has_ended = false;
    let mut is_said_to_have_ended = false;
    for line in lines {
        // What another address says is of another plant, as far as is known.
        let is_there = line.address == line.service.sandbox;
        let is_create = line.operation == Operation::Create;
        let is_sure = match (line.operation, line.outcome()) {
            (Operation::Create, Outcome::Done) => true,
            (Operation::Create, Outcome::Unknown | Outcome::Sending) => false,
            (Operation::Delete, Outcome::Done) => {
                has_ended |= is_success(line) || is_there;
                continue;
            }
            (Operation::Delete, Outcome::Refused) if line.reply.is_not_there() => {
                has_ended |= is_there;
                continue;
            }
            (Operation::FoundAbsent, _) => {
                is_said_to_have_ended |= is_there;
                continue;
            }
            // The plant that is there now is another one, unless who said that there is none was
            // mistaken.
            (Operation::Create, Outcome::Refused) if line.reply.status_of_plant() == Some(409) => {
                named = named.filter(|_| !has_ended);
                (has_ended, is_said_to_have_ended) = (false, false);
                continue;
            }
            _ => continue,
        };
        let was_sure =
            named.is_some_and(|(_, was_sure)| was_sure && !has_ended && !is_said_to_have_ended);
        if is_create && (is_sure || !was_sure) {
            named = Some((line, is_sure));
            (has_ended, is_said_to_have_ended) = (false, false);
        }
    }
    named.map(|(line, is_sure)| Named {
        name: line.name.clone().unwrap_or_default(),
        tag: line.tag.clone().unwrap_or_default(),
        is_sure,
        address: line.address.clone(),
    })
}

#[cfg(test)]
mod tests;
