//! From the words of a command to tracks: every command names, fetches and reads deployments and
//! files here.

use std::collections::HashSet;

use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::file;
use super::output::warn;
use super::run::Run;
use super::subject::{Ask, Naming, OfFile, Subject, Unread, apply, max_speed};
use crate::app::fleet::{self, Fleet};
use crate::app::session::connect;
use crate::app::update::keep::Assembled;
use crate::app::update::prepare::{Fields, archived};
use crate::app::update::without_outcome;
use crate::app::watch_list::{self, Known};
use crate::failure::Failure;
use crate::os::clock::unix_now;
use crate::track::{ServiceClock, time};
use crate::watch::DeploymentId;
use crate::watch::{Deployment, Flags};

impl Run {
    /// The deployments and files that words name, each once, and why other words
    /// name nothing.
    pub(super) async fn all_named(
        &self,
        words: &[String],
        naming: &Naming<'_>,
    ) -> (Vec<Subject>, Vec<Failure>) {
        let mut subjects = Vec::new();
        let mut failures = Vec::new();
        let mut known = HashSet::new();
        let mut read = HashSet::new();
        for word in words {
            // A file is one by whatever path.
            let path = std::fs::canonicalize(word).unwrap_or_else(|_| word.into());
            if file::is_meant(word, self).await && !read.insert(path) {
                continue;
            }
            match self.named(word, naming).await {
                Ok(named) => subjects.extend(named.into_iter().filter(|subject| {
                    subject.file.is_some() || known.insert(subject.entry.id.uuid)
                })),
                Err(failure) => failures.push(failure),
            }
        }
        (subjects, failures)
    }

    /// The deployment that a word names, or those of the file.
    pub(super) async fn named(
        &self,
        word: &str,
        naming: &Naming<'_>,
    ) -> Result<Vec<Subject>, Failure> {
        if file::is_meant(word, self).await {
            let subjects = file::subjects(word, naming).await?;
            if naming.of_file == OfFile::Only && subjects.len() > 1 {
                return Err(file::several(word, &subjects).with_hint("Choose one with --id."));
            }
            return Ok(subjects);
        }
        let max_speed_m_s = max_speed(naming.speed)?;
        let id = self.deployment(word).await?;
        let mut subject = self.entry(id, naming.unread).await?;
        apply(naming.speed, max_speed_m_s, &mut subject.options);
        Ok(vec![subject])
    }

    /// A deployment with its entry and the flags that the user has set.
    pub(super) async fn entry(&self, id: DeploymentId, unread: Unread) -> Result<Subject, Failure> {
        let uuid = id.uuid;
        let known = match watch_list::known(uuid, &self.settings, &self.store).await {
            Err(failure) if unread == Unread::IsNoted => {
                warn(format_args!(
                    "platform, limits and flags set by hand of {id} are not known, because {failure}"
                ));
                Known {
                    entry: watch_list::configured(uuid, &self.settings),
                    ..Known::default()
                }
            }
            known => known?,
        };
        let is_watched = known.entry.is_some();
        let mut subject = Subject::new(known.entry.unwrap_or_else(|| Deployment::new(id)));
        subject.is_watched = is_watched;
        subject.flags = Flags::Given;
        subject.options.overrules = known.overrides;
        Ok(subject)
    }

    /// Fetches tracks, and reads the others from the archive. What has a track or a failure
    /// stays as it is; what has no response at `end` gets neither.
    ///
    /// # Errors
    /// If no request can be sent, because a setting is wrong or there is no service.
    pub(super) async fn fetch(
        &self,
        subjects: Vec<&mut Subject>,
        ask: Ask,
        fields: Fields,
        end: Option<Instant>,
    ) -> Result<(), Failure> {
        let open = subjects.into_iter().filter(|subject| subject.is_open());
        let (asked, others): (Vec<_>, Vec<_>) = match ask {
            Ask::All => (open.collect(), Vec::new()),
            Ask::Nothing => (Vec::new(), open.collect()),
            Ask::Due => self.due(open.collect()).await,
        };
        // A service that does not answer must not take the time that the archive needs.
        let read = async {
            for subject in others {
                before(end, self.read(subject, fields)).await;
            }
        };
        let (requested, ()) = tokio::join!(self.request(asked, end), read);
        requested
    }

    /// The deployments that are due and active, and the others.
    pub(super) async fn due<'a>(
        &self,
        subjects: Vec<&'a mut Subject>,
    ) -> (Vec<&'a mut Subject>, Vec<&'a mut Subject>) {
        let list: Vec<Deployment> = subjects
            .iter()
            .map(|subject| subject.entry.clone())
            .collect();
        // Without a service the request says why there is none. It opens the log, too: once.
        let service = connect::setup(&self.settings)
            .map_or_else(|_| String::new(), |setup| setup.connection.service_name());
        let mut agenda = fleet::agenda(&self.store, service, &list, self.settings.refresh).await;
        let now = unix_now();
        let due: HashSet<Uuid> = agenda.due(now, usize::MAX, None).into_iter().collect();
        let (due, mut others): (Vec<_>, Vec<_>) = subjects.into_iter().partition(|subject| {
            subject.entry.state.is_active() && due.contains(&subject.entry.id.uuid)
        });
        for subject in &mut others {
            subject.judged_at = Some(agenda.judged_at(subject.entry.id.uuid, now));
        }
        (due, others)
    }

    /// Requests the tracks of deployments.
    ///
    /// # Errors
    /// As [`Run::fetch`].
    pub(super) async fn request(
        &self,
        mut asked: Vec<&mut Subject>,
        end: Option<Instant>,
    ) -> Result<(), Failure> {
        if asked.is_empty() {
            return Ok(());
        }
        let source = self.source()?;
        self.has_requested
            .store(true, std::sync::atomic::Ordering::Relaxed);
        let requests = asked.iter().map(|subject| subject.request()).collect();
        let mut fleet = Fleet::fetch(&source, &self.store, requests);
        while let Some(Some((uuid, outcome))) = before(end, fleet.next()).await {
            let mut asked = asked.iter_mut();
            let Some(subject) = asked.find(|subject| subject.entry.id.uuid == uuid) else {
                continue;
            };
            match outcome {
                Ok(mut update) => {
                    subject.notes = std::mem::take(&mut update.notes);
                    let unstored = update
                        .unstored
                        .take()
                        .map(|why| why.context("not stored in the archive"));
                    subject.unjudged = unstored.or(update.unjudged.take());
                    subject.got = Assembled::new(update);
                    if subject.got.is_none() {
                        subject.failure = Some(without_outcome());
                    }
                }
                Err(failure) => subject.failure = Some(failure),
            }
        }
        Ok(())
    }

    /// Reads the archived track of a deployment.
    async fn read(&self, subject: &mut Subject, fields: Fields) {
        let options = subject.options.clone();
        match archived(&self.store, subject.entry.id.uuid, options, fields).await {
            Ok(found) => {
                let clock = found.track.as_ref().map(|got| got.track.clock());
                (subject.notes).extend(clock.and_then(ServiceClock::differs));
                subject.got = found.track;
            }
            Err(failure) => {
                subject.failure.get_or_insert(failure);
            }
        }
    }

    /// Reads the archived tracks of what could not be fetched; says how old they are.
    pub(super) async fn read_instead(&self, subjects: Vec<&mut Subject>, fields: Fields) {
        for subject in subjects {
            if subject.got.is_some() || subject.failure.is_none() {
                continue;
            }
            self.read(subject, fields).await;
            if let Some(stored) = &subject.got {
                let age = time::age(stored.fetched_at, unix_now());
                subject.note(&format!("shown from the archive, fetched {age}"));
            }
        }
    }
}

/// The outcome of `work`; `None` if it takes longer than until `end`.
async fn before<T>(end: Option<Instant>, work: impl Future<Output = T>) -> Option<T> {
    match end {
        Some(end) => timeout_at(end, work).await.ok(),
        None => Some(work.await),
    }
}
