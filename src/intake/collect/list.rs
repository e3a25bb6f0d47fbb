//! The watch list of the collector, and when each deployment of it is due.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::{Collector, Report};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::intake::fleet::last_answers;
use crate::ops::watch_list::all_configured;

impl Collector<'_> {
    /// Reads the watch list, where it has changed: those that are neither recovered
    /// nor lost. An entry that is damaged is fetched all the same; its limits are not
    /// judged by.
    pub(super) async fn read_list(&mut self) -> Result<(), Failure> {
        let state = self.store.read(|archive| archive.list_state().map(Some));
        let state = state.await?;
        if state.is_some() && state == self.listed {
            return Ok(());
        }
        let is_first = self.listed.is_none();
        // What is due follows from the last answers, also those of earlier runs. Where
        // they cannot be read, all is due.
        let answers = match is_first {
            true => last_answers(self.store).await,
            false => HashMap::new(),
        };
        let configured = all_configured(self.settings);
        let mut archived = HashSet::new();
        let mut list = Vec::new();
        let mut after = None;
        loop {
            let page = self.store.read(move |archive| archive.read_entries(after));
            let page = page.await?;
            for one in page.entries {
                if let Some(damage) = one.damage {
                    (self.report)(Report::Warning(damage));
                }
                let Some(entry) = one.deployment else {
                    continue;
                };
                if configured.iter().any(|known| known.uuid == entry.uuid) {
                    archived.insert(entry.uuid);
                }
                if entry.state.is_active() {
                    list.push(entry);
                }
            }
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        for entry in configured {
            if entry.state.is_active() && !archived.contains(&entry.uuid) {
                list.push(entry);
            }
        }
        let now = unix_now();
        for entry in &list {
            let until = entry.window.until.unwrap_or(f64::INFINITY);
            self.agenda
                .put(entry.uuid, answers.get(&entry.uuid).copied(), now);
            self.agenda.counts_until(entry.uuid, until);
        }
        self.list = list.into_iter().map(|entry| (entry.uuid, entry)).collect();
        self.agenda.retain(|uuid| self.list.contains_key(&uuid));
        self.listed = state;
        if is_first {
            self.read_leases().await?;
        }
        Ok(())
    }

    /// Reads when each deployment is due that another collector has asked for or is
    /// asking for: else each would be found out by a try of its own.
    async fn read_leases(&mut self) -> Result<(), Failure> {
        let (mut after, mut is_last) = (Uuid::nil(), false);
        while !is_last {
            let now = unix_now();
            let page = self.store.read(move |archive| archive.waits_after(after));
            let page = page.await?;
            is_last = page.is_empty();
            for (uuid, wait) in page {
                self.agenda.later(uuid, now + wait);
                after = uuid;
            }
        }
        Ok(())
    }
}
