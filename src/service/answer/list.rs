//! The deployments that a service lists.

use std::collections::HashSet;

use super::fault::AnswerFault;
use super::fix::FixReader;
use super::record::{Record, cell_text};
use super::shaped::{Reader, Taker};
use crate::formats::each_member;
use crate::formats::read::json::Member as Cell;
use crate::mapping::List;
use crate::text;
use crate::track::{JsonKind, RecordFault};
use crate::watch::id::is_id;
use crate::watch::listed::{DeploymentList, ListedDeployment};

/// The members that name a deployment where the mapping does not say which does.
const LABELS: [&str; 2] = ["label", "name"];

/// Reads a page of the list of a service: its deployments, and the address of the next page.
///
/// # Errors
/// [`AnswerFault`] says why it is no such list.
pub(super) fn listed(
    body: &str,
    list: &List,
) -> Result<(DeploymentList, Option<String>), AnswerFault> {
    let mut deployments = ListTaker::new(list);
    let next = Reader {
        shape: &list.answer,
        taker: &mut deployments,
    }
    .read(body)?;
    Ok((deployments.found()?, next))
}

/// Takes records as the deployments of a list.
struct ListTaker<'a> {
    list: &'a List,
    fixes: FixReader,
    found: DeploymentList,
    known: HashSet<String>,
    /// The first record without a usable id.
    first_fault: Option<String>,
}

impl<'a> ListTaker<'a> {
    fn new(list: &'a List) -> Self {
        Self {
            list,
            fixes: FixReader::new(&list.answer),
            found: DeploymentList::default(),
            known: HashSet::new(),
            first_fault: None,
        }
    }

    /// The deployments, each once.
    fn found(self) -> Result<DeploymentList, AnswerFault> {
        match self.first_fault {
            Some(record) if self.found.deployments.is_empty() => {
                let id = &self.list.id;
                Err(AnswerFault::Unlike(format!(
                    "no record of the list has an id at {id}: {record}"
                )))
            }
            _ => Ok(self.found),
        }
    }

    fn leave_out(&mut self, written: &str) {
        self.found.without_id += 1;
        let shown = || text::excerpt(written, 200);
        self.first_fault.get_or_insert_with(shown);
    }
}

impl Taker for ListTaker<'_> {
    fn needed(&self) -> &[String] {
        std::slice::from_ref(&self.list.id)
    }

    fn record(&mut self, record: &Record<'_>, written: &str) {
        let of = |name: &str| record.get(name).map(|cell| cell_text(&cell));
        let id = match (&record.fault, record.key) {
            (None, "") => of(&self.list.id).unwrap_or_default(),
            (None, key) => key.to_owned(),
            (Some(RecordFault::NotRecord(kind)), _) if *kind != JsonKind::Array => {
                cell_text(&Cell::new(written))
            }
            _ => return self.leave_out(written),
        };
        let label = match &self.list.label {
            Some(label) => of(label),
            None => LABELS.into_iter().find_map(of),
        }
        .filter(|label| !label.is_empty() && *label != id);
        if !is_id(&id) {
            return self.leave_out(written);
        }
        if self.known.insert(id.clone()) {
            let fix = self.fixes.transmission(record).ok();
            let time = fix.map(|fix| fix.time_stamp);
            self.found.deployments.push(ListedDeployment {
                id,
                label,
                time_stamp: time.or_else(|| self.fixes.time(record).ok()),
                position: fix.map(|fix| fix.position),
            });
        }
    }

    fn has_records_in(&self, object: &str) -> bool {
        let (mut count, mut are_objects) = (0, true);
        let _ = each_member(object, |_, value| {
            count += 1;
            are_objects &= value.get().starts_with('{');
        });
        count > 0 && are_objects
    }
}
