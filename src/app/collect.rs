//! Fetches the watch list into the archive when its deployments are due, judges
//! alarms and notifies of them, without a terminal.

mod list;
mod report;

use std::collections::{HashMap, HashSet};
use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::task::{self, JoinError, JoinHandle, JoinSet};
use uuid::Uuid;

use super::source::Source;
use super::update::{Outcome, RENEW_EVERY, Reports, update, without_outcome};
use crate::app::alarms::judge::{judge_by_clock, judge_unjudged};
use crate::app::alarms::notify::Notifier;
use crate::app::store::Store;
use crate::archive::ListState;
use crate::failure::{Failure, FailureKind};
use crate::os::clock::unix_now;
use crate::os::program::LONGEST;
use crate::os::supervisor::Supervisor;
use crate::settings::Settings;
use crate::track::time;
use crate::watch::agenda::{Agenda, HOLDS_UP_S};
use crate::watch::{Deployment, FetchRequest, Turn};
pub(crate) use report::{CollectOptions, Report};

/// The watch list is read again this often: another program may change it.
const LIST_EVERY: Duration = Duration::from_secs(30);
/// A list that could not be read, or that is empty, is read again this often.
const UNREAD_LIST_EVERY: Duration = Duration::from_secs(5);
/// While requests are in progress, alarms wait this long, to be reported together.
const NOTIFY_AFTER: Duration = Duration::from_secs(5);
/// A request without a response for this long counts as failed for the clock, seconds.
const HANGS_S: f64 = 60.0;
/// A round ends after this long, without the responses that are not complete by then: a slow
/// link may take an hour.
const LONGEST_ROUND: Duration = Duration::from_secs(3600);
/// The longest wait before a deployment that could not be stored is requested again,
/// seconds.
const UNSTORED_S: f64 = 300.0;
/// A server counts as unwritable when this many responses in a row could not be stored.
const UNSTORED: u32 = 2;
/// If a server cannot be written, nothing is requested for this many seconds.
const NO_ARCHIVE_S: f64 = 7.5;

/// The outcome of the turn of a deployment.
enum Ended {
    /// It was requested, or another collector has it, or it is not due.
    Asked(Outcome),
    /// No lease could be taken, so nothing was requested.
    NoArchive(Failure),
}

/// A run, and what it reports.
pub(crate) struct Collector<'a> {
    source: &'a Source,
    store: &'a Store,
    settings: &'a Settings,
    options: CollectOptions,
    report: &'a (dyn Fn(Report<'_>) + Sync),
    /// The watch list.
    list: HashMap<Uuid, Deployment>,
    agenda: Agenda,
    /// The state of the archive's part of the list when it was read.
    listed: Option<ListState>,
    /// How often the archive file was replaced by then.
    replacements: u64,
    running: JoinSet<Result<Ended, Failure>>,
    /// The deployment of each task of these.
    asked: HashMap<task::Id, Uuid>,
    /// Ends of leases that are being written.
    ending: JoinSet<()>,
    /// The judging of what a program stored that ended before it judged it.
    catching_up: JoinSet<Result<(), Failure>>,
    /// Responses in a row that could not be stored.
    unstored: u32,
    /// Until when nothing is requested, UNIX seconds, because a server cannot be written.
    hold: f64,
    /// How many requests may still try a service that fails, in a round.
    probes: usize,
    /// The deployments that had their turn in a round.
    had_turn: HashSet<Uuid>,
    /// The notes on each deployment that were reported last.
    noted: HashMap<Uuid, Vec<String>>,
    /// The warnings of the last hour, and when each was reported.
    warned: HashMap<String, Instant>,
    /// The recent alarms that were reported, and whether each was active.
    alarms: HashMap<String, bool>,
    /// `true` if the round has taken as long as it may.
    is_over: bool,
    /// `true` if the log's last word on the list is how much is collected.
    is_begun: bool,
    /// The first failure of the run.
    failure: Option<FailureKind>,
}

/// Waits for the end of the notifications in progress; returns their failures.
async fn ended(notifying: &mut Option<JoinHandle<Vec<Failure>>>) -> Vec<Failure> {
    match notifying {
        Some(notifying) => notifying.await.unwrap_or_default(),
        None => std::future::pending().await,
    }
}

/// Why a request ended with its round.
fn unanswered() -> Failure {
    let longest = time::duration(LONGEST_ROUND.as_secs_f64());
    Failure::new(
        FailureKind::Unreachable,
        format!("no whole answer came in {longest}, the longest that a round takes"),
        "",
    )
}

impl<'a> Collector<'a> {
    /// A run that has not begun.
    pub(crate) fn new(
        source: &'a Source,
        store: &'a Store,
        settings: &'a Settings,
        options: CollectOptions,
        report: &'a (dyn Fn(Report<'_>) + Sync),
    ) -> Self {
        Self {
            source,
            store,
            settings,
            options,
            report,
            list: HashMap::new(),
            agenda: Agenda::new(settings.refresh.as_secs_f64()),
            listed: None,
            replacements: store.replacements(),
            running: JoinSet::new(),
            asked: HashMap::new(),
            ending: JoinSet::new(),
            catching_up: JoinSet::new(),
            unstored: 0,
            hold: f64::NEG_INFINITY,
            probes: 1,
            had_turn: HashSet::new(),
            noted: HashMap::new(),
            warned: HashMap::new(),
            alarms: HashMap::new(),
            is_over: false,
            is_begun: false,
            failure: None,
        }
    }

    /// Collects until `stop` ends, or with `once` until each deployment had its turn.
    /// Returns the kind of the first failure of a run with `once`.
    ///
    /// # Errors
    /// When the archive cannot be read at the start and never will; with `once`, when the watch list cannot be read.
    pub(crate) async fn run(
        mut self,
        stop: impl Future<Output = ()>,
    ) -> Result<Option<FailureKind>, Failure> {
        let supervisor = Supervisor::from_environment();
        let options = self.options;
        let mut stop = pin!(stop);
        let mut listed: Option<Instant> = None;
        let mut replacements = self.replacements;
        // Notifications are sent while requests are in progress.
        let mut notifier = Notifier::new(self.store.clone(), self.settings.on_alarm.clone());
        if options.once {
            notifier = notifier.single_round();
        }
        let mut notifying: Option<JoinHandle<Vec<Failure>>> = None;
        let mut notified = Instant::now();
        let mut renewed = Instant::now();
        let mut has_news = true;
        // A round judges by the clock when all had their turn, and before that those that
        // hang.
        let mut judged = options.once.then(Instant::now);
        let mut is_round_judged = false;
        let began = Instant::now();
        // Nobody would notice a watch that knows nothing.
        self.store.look_for_damage().await?;
        self.store.remember();
        self.create_archive().await;
        // Alarms from before the start are not reported.
        self.new_alarms().await;
        supervisor.ready();
        loop {
            supervisor.alive();
            self.tell_loss();
            // Only what is on the list of a new archive is written into it.
            let is_replaced = replacements != self.store.replacements();
            replacements = self.store.replacements();
            if listed.is_none_or(|at| is_replaced || at.elapsed() >= self.list_every())
                && !(options.once && listed.is_some())
            {
                match self.read_list().await {
                    Ok(()) => {
                        if listed.is_none() {
                            self.catch_up();
                        }
                        self.tell_begun();
                    }
                    Err(failure) if options.once => return Err(failure),
                    Err(failure) => {
                        self.is_begun = false;
                        self.warn(failure.to_string());
                    }
                }
                listed = Some(Instant::now());
            }
            while self.ending.try_join_next().is_some() {}
            if renewed.elapsed() >= RENEW_EVERY && !self.running.is_empty() {
                self.renew();
                renewed = Instant::now();
            }
            self.begin();
            let is_idle = self.running.is_empty();
            // Also those whose requests failed.
            let is_end = options.once && is_idle && !is_round_judged;
            if is_end || judged.is_none_or(|at| at.elapsed() >= LIST_EVERY) {
                self.judge_by_clock().await;
                (judged, has_news) = (Some(Instant::now()), true);
                is_round_judged = is_idle;
            }
            if options.once && began.elapsed() >= LONGEST_ROUND {
                self.is_over = true;
                self.running.abort_all();
            }
            let is_due = is_idle && has_news || notified.elapsed() >= NOTIFY_AFTER;
            if is_due {
                // A program that hangs delays no line of the log.
                self.report_alarms().await;
                if notifying.is_none() {
                    let notifier = notifier.clone();
                    let notify = async move { notifier.notify().await.failures };
                    notifying = Some(tokio::spawn(notify));
                    (notified, has_news) = (Instant::now(), false);
                }
            }
            let is_done = is_idle && !has_news && self.catching_up.is_empty();
            if options.once && is_done && notifying.is_none() {
                supervisor.stopping();
                self.leave().await;
                self.tell_loss();
                return Ok(self.end_of_round());
            }
            let wait = self.wait(supervisor.alive_every());
            tokio::select! {
                biased;
                () = &mut stop => {
                    supervisor.stopping();
                    // A response in progress is stored atomically. Notifications that were not
                    // sent remain in the archive for the next start.
                    tokio::join!(self.leave(), notifier.end(LONGEST));
                    (self.report)(Report::Ended);
                    return Ok(None);
                }
                Some(joined) = self.running.join_next_with_id() => {
                    has_news = true;
                    self.joined(joined).await;
                }
                Some(judged) = self.catching_up.join_next() => {
                    has_news = true;
                    if let Ok(Err(failure)) = judged {
                        self.fault(&failure);
                    }
                }
                failures = ended(&mut notifying) => {
                    notifying = None;
                    notified = Instant::now();
                    for failure in failures {
                        self.fault(&failure);
                    }
                }
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// How often the watch list is read again.
    fn list_every(&self) -> Duration {
        if self.is_begun {
            LIST_EVERY
        } else {
            UNREAD_LIST_EVERY
        }
    }

    /// Reports how much is collected, at the start and when the list can be read again: the first
    /// request may be due in hours.
    fn tell_begun(&mut self) {
        if self.is_begun || self.options.once || self.list.is_empty() {
            return;
        }
        self.is_begun = true;
        let archive = self.settings.archive.as_ref();
        (self.report)(Report::Begun {
            deployments: self.list.len(),
            service: &self.source.name(),
            archive: &archive.map_or_else(String::new, ToString::to_string),
        });
    }

    /// Judges what a program stored that ended before it judged it, while requests go on.
    fn catch_up(&mut self) {
        let store = self.store.clone();
        let list = self.list.values().cloned().collect();
        self.catching_up
            .spawn(async move { judge_unjudged(&store, list).await });
    }

    /// Reports a failure that is also the exit status: cron sees no log.
    fn fault(&mut self, failure: &Failure) {
        self.failure.get_or_insert(failure.kind);
        self.warn(failure.to_string());
    }

    /// Reports that the archive was lost or damaged, and what became of it.
    fn tell_loss(&mut self) {
        if let Some(words) = self.store.loss() {
            self.fault(&Failure::other(words));
        }
    }

    /// Creates the archive if there is none, and reports that: a path with a typing error is
    /// an empty archive with an empty list.
    async fn create_archive(&mut self) {
        let Some(name) = self.store.missing().await else {
            return;
        };
        match self.store.write(|_| Ok(())).await {
            Ok(()) => (self.report)(Report::NewArchive(&name)),
            Err(failure) => {
                self.fault(&failure);
            }
        }
    }

    /// Reports what was due and left out of the round, or that nothing was due; returns its
    /// first failure.
    fn end_of_round(&self) -> Option<FailureKind> {
        let now = unix_now();
        let next =
            |entry: &'_ Deployment| self.agenda.next(entry.id.uuid).map_or(now, |next| next.at);
        let entries = self.list.values();
        let first = entries.min_by(|a, b| next(a).total_cmp(&next(b)));
        if let Some(first) = first.filter(|first| self.had_turn.is_empty() && next(first) > now) {
            let next = next(first);
            (self.report)(Report::NothingDue { first, next });
        }
        let is_due = |uuid: &Uuid| self.agenda.next(*uuid).is_some_and(|next| next.at <= now);
        let is_left_out = |uuid: &Uuid| is_due(uuid) && !self.had_turn.contains(uuid);
        for entry in self
            .list
            .values()
            .filter(|entry| is_left_out(&entry.id.uuid))
        {
            (self.report)(Report::LeftOut {
                entry,
                is_unreached: self.agenda.is_down(),
            });
        }
        self.failure
    }

    /// Judges by the clock the deployments that were requested as they were due.
    async fn judge_by_clock(&mut self) {
        let now = unix_now();
        // In a new archive the fixes are missing until the service has answered.
        if now < self.hold || self.replacements != self.store.replacements() {
            return;
        }
        // Deployments that a round leaves out are judged by their archived data.
        let is_end = self.options.once && self.running.is_empty();
        let is_settled = |uuid| is_end || self.agenda.is_settled(uuid, HANGS_S, now);
        let list = self.list.values().filter(|entry| is_settled(entry.id.uuid));
        let refresh_s = self.settings.refresh.as_secs_f64();
        if let Err(failure) = judge_by_clock(self.store, list.cloned().collect(), refresh_s).await {
            self.fault(&failure);
        }
    }

    /// Begins the requests that are due and that there is room for.
    fn begin(&mut self) {
        let now = unix_now();
        // If the clock was ahead, the hold would last too long.
        self.hold = self.hold.min(now + NO_ARCHIVE_S);
        if now < self.hold || self.is_over {
            return;
        }
        let room = self.agenda.room(now, self.options.at_once);
        let due = match self.options.once && self.agenda.is_down() {
            // A round does not wait a minute: it tries the service one by one until it answers.
            true if self.probes == 0 || self.agenda.began_within(HOLDS_UP_S, now) > 0 => Vec::new(),
            true => {
                self.probes -= 1;
                self.agenda.try_service(now).into_iter().collect()
            }
            false => {
                self.probes = self.probes.max(self.agenda.probes_since(now));
                self.agenda.due(now, room, None)
            }
        };
        for uuid in due {
            if self.options.once && !self.had_turn.insert(uuid) {
                // What failed is requested again by the next round.
                self.agenda.later(uuid, now + NO_ARCHIVE_S);
                continue;
            }
            let Some(entry) = self.list.get(&uuid).cloned() else {
                continue;
            };
            let source = self.source.clone();
            let store = self.store.clone();
            let refresh_s = self.settings.refresh.as_secs_f64();
            let turn = if self.options.once {
                Turn::Now
            } else {
                let is_retry = self.agenda.has_failed(uuid) || self.agenda.is_down();
                Turn::Held {
                    refresh_s,
                    is_retry,
                }
            };
            let task = self.running.spawn(async move {
                match store.lease(entry.id.uuid).await {
                    Ok(None) => {}
                    Ok(Some(wait)) => return Ok(Ended::Asked(Outcome::NotDue(wait))),
                    Err(failure) => return Ok(Ended::NoArchive(failure)),
                }
                let request = FetchRequest::new(&entry, turn, unix_now());
                let outcome = update(&source, &store, request, Reports::default());
                outcome.await.map(Ended::Asked)
            });
            self.asked.insert(task.id(), uuid);
        }
    }

    /// Renews the leases of the requests in progress.
    fn renew(&mut self) {
        let store = self.store.clone();
        self.ending.spawn(async move {
            store.renew_leases().await;
        });
    }

    /// Ends the lease of a deployment, due again at a time (UNIX seconds).
    fn end_lease(&mut self, uuid: Uuid, next: f64, now: f64) {
        let store = self.store.clone();
        let due_s = (next - now).max(0.0);
        self.ending.spawn(async move {
            let _ = store.end_lease(uuid, due_s).await;
        });
    }

    /// Leaves the rest to the other collectors of the archive.
    async fn leave(&mut self) {
        self.running.shutdown().await;
        while self.ending.join_next().await.is_some() {}
        self.store.end_leases().await;
    }

    /// How long nothing is to be done, unless a task ends.
    fn wait(&self, alive_every: Option<Duration>) -> Duration {
        let now = unix_now();
        let next = (self.agenda.soonest()).map_or(f64::INFINITY, |next| next.max(self.hold));
        let mut wait = self.list_every().as_secs_f64().min((next - now).max(0.0));
        if self.agenda.asking().next().is_some() {
            // A request that takes long makes room for another.
            wait = wait.clamp(0.2, 1.0);
        }
        let until_next = Duration::from_secs_f64(wait.max(0.05));
        alive_every.map_or(until_next, |every| until_next.min(every))
    }

    /// Handles the end of a task. If it panicked, it has failed to fetch its
    /// deployment.
    async fn joined(&mut self, joined: Result<(task::Id, Result<Ended, Failure>), JoinError>) {
        let (task, outcome) = match joined {
            Ok(ended) => ended,
            Err(error) if error.is_cancelled() => (error.id(), Err(unanswered())),
            Err(error) => (error.id(), Err(without_outcome())),
        };
        if let Some(uuid) = self.asked.remove(&task) {
            self.handle(uuid, outcome).await;
        }
    }

    /// Handles the outcome of a request.
    async fn handle(&mut self, uuid: Uuid, outcome: Result<Ended, Failure>) {
        let now = unix_now();
        let refresh_s = self.settings.refresh.as_secs_f64();
        let Some(entry) = self.list.get(&uuid) else {
            // It was removed from the list meanwhile. Another collector may have it on its list.
            if matches!(outcome, Ok(Ended::Asked(Outcome::Updated(_))) | Err(_)) {
                self.end_lease(uuid, now, now);
            }
            return;
        };
        match outcome {
            Ok(Ended::Asked(Outcome::NotDue(wait))) => self.agenda.later(uuid, now + wait),
            Ok(Ended::NoArchive(failure)) => {
                // Another program may have it.
                self.hold = now + NO_ARCHIVE_S;
                self.fault(&failure);
                self.agenda.later(uuid, now);
            }
            Ok(Ended::Asked(Outcome::Updated(mut update))) => {
                update.keep_new_notes(self.noted.entry(uuid).or_default());
                let was_down = self.agenda.is_down();
                let mut next = self.agenda.answered(uuid, update.last_answer()).at;
                if was_down {
                    // Which failed with the service, and which by themselves, is not known yet.
                    let agenda = &self.agenda;
                    self.had_turn.retain(|uuid| !agenda.has_failed(*uuid));
                }
                if let Some(failure) = &update.unstored {
                    next = next.min(now + UNSTORED_S.max(refresh_s));
                    self.agenda.later(uuid, next);
                    (self.report)(Report::Unstored {
                        entry,
                        failure,
                        next,
                    });
                    self.failure.get_or_insert(failure.kind);
                    self.unstored = self.unstored.saturating_add(1);
                    // Without a file the watch goes on in memory; a server may have other collectors.
                    let is_held = self.store.is_shared() && !self.options.once;
                    if is_held && self.unstored >= UNSTORED {
                        self.hold = now + NO_ARCHIVE_S;
                    }
                } else {
                    self.unstored = 0;
                    let fault = update.unjudged.as_ref().map(|failure| failure.kind);
                    self.failure = self.failure.or(fault);
                    (self.report)(Report::Fetched {
                        entry,
                        update: &update,
                        next,
                    });
                }
                self.end_lease(uuid, next, now);
            }
            Err(failure) => {
                let own = self.agenda.failed(uuid, &failure, now);
                // While the service is away, one request tries it for all.
                let next = self.agenda.next(uuid).unwrap_or(own).at;
                (self.report)(Report::Failed {
                    entry,
                    failure: &failure,
                    next,
                });
                self.end_lease(uuid, own.at, now);
                self.failure.get_or_insert(failure.kind);
            }
        }
        if self.options.once {
            // Each has one turn.
            self.agenda.later(uuid, f64::INFINITY);
        }
    }
}

#[cfg(test)]
mod tests;
