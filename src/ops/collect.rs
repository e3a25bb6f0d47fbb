//! Fetches the watch list into the archive when its deployments are due, judges
//! and tells alarms, without a terminal.

mod chance;
mod report;
mod set_back;
mod watched;

use std::collections::{HashMap, HashSet};
use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::task::{self, JoinError, JoinHandle, JoinSet};
use uuid::Uuid;

use super::fleet::{self, HOLDS_UP, Refreshed};
use super::session::Session;
use super::store::Store;
use super::supervisor::Supervisor;
use super::tell::Teller;
use super::tell::program::LONGEST;
use super::turn::{RENEW_EVERY, wait_for_another};
use super::watch_list::all_configured;
use crate::archive::ListState;
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::settings::Settings;
use crate::track::schedule::NextRequest;
use chance::chance;
pub(crate) use report::{CollectOptions, Report};
use set_back::is_set_back;
use watched::WatchedList;

/// The watch list is read again this often: another program may change it.
const LIST_EVERY: Duration = Duration::from_secs(30);
/// While requests are in progress, alarms wait this long, to be reported together.
const TELL_AFTER: Duration = Duration::from_secs(15);
/// The most that a request is put off by chance, seconds.
const JITTER_S: f64 = 30.0;
/// What could not be stored is asked for again after so long at most, seconds.
const UNSTORED_S: f64 = 300.0;
/// A service counts as unreachable when this many deployments in a row, without an
/// answer between them, could not be reached.
const UNREACHED: usize = 2;

/// The archive counts as one that cannot be written when this many responses in a
/// row could not be stored.
const UNSTORED: u32 = 2;

/// Where the archive cannot be written, nothing is asked for in this many seconds
/// at least, and twice as many at most.
const NO_ARCHIVE_S: f64 = 5.0;

/// What came of the turn of a deployment.
enum Turn {
    /// It was fetched.
    Fetched(Box<Refreshed>),
    /// Another collector has it, or it is not due, for this many seconds.
    Later(f64),
    /// The archive cannot be written, so nothing was asked for.
    NoArchive(Failure),
}

/// The state of a run.
struct Collector<'a> {
    session: &'a Session,
    store: &'a Store,
    settings: &'a Settings,
    options: CollectOptions,
    list: WatchedList,
    /// What the archive's part of the list was when it was read.
    listed: Option<ListState>,
    running: JoinSet<Result<Turn, Failure>>,
    /// The deployment of each task of these.
    asked: HashMap<task::Id, Uuid>,
    /// Ends of leases that are being written.
    ending: JoinSet<()>,
    /// Deployments that could not be reached since the last answer.
    unreached: HashSet<Uuid>,
    /// Probes in a row that found the service unreachable.
    probes: u32,
    /// Responses in a row that could not be stored.
    unstored: u32,
    /// Until when nothing is asked for, UNIX seconds: the service is down, or the
    /// archive cannot be written.
    hold: f64,
    /// A moment by the system's clock, UNIX seconds, and by one that is never set.
    clock: (f64, Instant),
    /// The first failure of the run.
    failure: Option<FailureKind>,
}

/// Collects until `stop` ends, or with `once` until each deployment had its turn.
/// Returns the kind of the first failure of a run with `once`.
///
/// # Errors
/// With `once`, when the watch list cannot be read.
pub(crate) async fn collect(
    session: &Session,
    store: &Store,
    settings: &Settings,
    options: CollectOptions,
    report: &(dyn Fn(Report<'_>) + Sync),
    stop: impl Future<Output = ()>,
) -> Result<Option<FailureKind>, Failure> {
    let supervisor = Supervisor::from_environment();
    let mut collector = Collector::new(session, store, settings, options);
    let mut stop = pin!(stop);
    let mut listed: Option<Instant> = None;
    // Programs that are told run beside the requests.
    let teller = Teller::new(store.clone(), settings.on_alarm.value.clone());
    let teller = teller.of_one_round(options.once);
    let mut telling: Option<JoinHandle<Vec<Failure>>> = None;
    let mut told = Instant::now();
    let mut renewed = Instant::now();
    let mut has_news = true;
    // A path with a typing error is an empty archive with an empty list.
    if let Some(name) = store.missing().await {
        report(Report::NewArchive(&name));
    }
    supervisor.ready();
    loop {
        supervisor.alive();
        if listed.is_none_or(|at| at.elapsed() >= LIST_EVERY) && !(options.once && listed.is_some())
        {
            match collector.read_list(report).await {
                Ok(()) => {}
                Err(failure) if options.once => return Err(failure),
                Err(failure) => report(Report::Warning(failure.to_string())),
            }
            listed = Some(Instant::now());
        }
        while collector.ending.try_join_next().is_some() {}
        if renewed.elapsed() >= RENEW_EVERY && !collector.running.is_empty() {
            collector.renew();
            renewed = Instant::now();
        }
        collector.look_at_clock();
        collector.begin();
        let is_idle = collector.running.is_empty();
        if telling.is_none() && (is_idle && has_news || told.elapsed() >= TELL_AFTER) {
            let teller = teller.clone();
            telling = Some(tokio::spawn(async move { teller.tell().await.failures }));
            (told, has_news) = (Instant::now(), false);
        }
        if options.once && is_idle && !has_news && telling.is_none() {
            supervisor.stopping();
            collector.leave().await;
            return Ok(collector.end_of_round(report));
        }
        let wait = collector.wait(supervisor.alive_every());
        tokio::select! {
            biased;
            () = &mut stop => {
                supervisor.stopping();
                // What is in progress is stored whole or not at all. What was not
                // told stays in the archive for the next start.
                tokio::join!(collector.leave(), teller.end(LONGEST));
                return Ok(None);
            }
            Some(joined) = collector.running.join_next_with_id() => {
                has_news = true;
                collector.joined(joined, report).await;
            }
            failures = told_by(&mut telling) => {
                telling = None;
                told = Instant::now();
                for failure in failures {
                    report(Report::Warning(failure.to_string()));
                }
            }
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// What went wrong while telling, when it has ended.
async fn told_by(telling: &mut Option<JoinHandle<Vec<Failure>>>) -> Vec<Failure> {
    match telling {
        Some(telling) => telling.await.unwrap_or_default(),
        None => std::future::pending().await,
    }
}

impl<'a> Collector<'a> {
    fn new(
        session: &'a Session,
        store: &'a Store,
        settings: &'a Settings,
        options: CollectOptions,
    ) -> Self {
        Self {
            session,
            store,
            settings,
            options,
            list: WatchedList::new(options.once),
            listed: None,
            running: JoinSet::new(),
            asked: HashMap::new(),
            ending: JoinSet::new(),
            unreached: HashSet::new(),
            probes: 0,
            unstored: 0,
            hold: f64::NEG_INFINITY,
            clock: (unix_now(), Instant::now()),
            failure: None,
        }
    }

    /// Reads the watch list, where it has changed: those that are neither recovered
    /// nor lost. An entry that is damaged is fetched all the same; its limits are not
    /// judged by.
    async fn read_list(&mut self, report: &(dyn Fn(Report<'_>) + Sync)) -> Result<(), Failure> {
        let state = self.store.list_state().await?;
        if state.is_some() && state == self.listed {
            return Ok(());
        }
        let is_first = self.list.len() == 0;
        let configured = all_configured(self.settings);
        let mut archived = HashSet::new();
        self.list.begin_reading();
        let mut after = None;
        loop {
            let page = self.store.read_entries(after).await?;
            for one in page.entries {
                if let Some(damage) = one.damage {
                    report(Report::Warning(damage));
                }
                let Some(entry) = one.deployment else {
                    continue;
                };
                if configured.iter().any(|known| known.uuid == entry.uuid) {
                    archived.insert(entry.uuid);
                }
                if entry.state.is_active() {
                    self.list.put(entry);
                }
            }
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        for entry in configured {
            if entry.state.is_active() && !archived.contains(&entry.uuid) {
                self.list.put(entry);
            }
        }
        self.list.end_reading();
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
            let (now, page) = (unix_now(), self.store.waits_after(after).await?);
            is_last = page.is_empty();
            for (uuid, wait) in page {
                self.list.wait_until(uuid, now + wait, 0);
                after = uuid;
            }
        }
        Ok(())
    }

    /// Asks for all again where the clock was set back: their times are wrong by
    /// what it was ahead.
    fn look_at_clock(&mut self) {
        let (then, at) = self.clock;
        let now = unix_now();
        if is_set_back(then, at.elapsed(), now) {
            self.hold = f64::NEG_INFINITY;
            self.list.make_due();
        }
        self.clock = (now, Instant::now());
    }

    /// Reports what was left out of the round; returns its first failure.
    fn end_of_round(&self, report: &(dyn Fn(Report<'_>) + Sync)) -> Option<FailureKind> {
        for entry in self.list.without_turn() {
            report(Report::LeftOut {
                entry,
                is_unreached: self.is_down(),
            });
        }
        self.failure
    }

    fn is_down(&self) -> bool {
        self.unreached.len() >= UNREACHED.min(self.list.len()).max(1)
    }

    /// Begins the requests that are due and that there is room for. While the
    /// service is down one of them asks for all.
    fn begin(&mut self) {
        let now = unix_now();
        if now < self.hold {
            return;
        }
        let is_down = self.is_down();
        if self.options.once && is_down {
            return;
        }
        let room = if is_down { 1 } else { self.options.at_once };
        let (_, busy) = self.list.in_progress(HOLDS_UP);
        for _ in busy..room {
            let Some(entry) = self.list.begin(now).cloned() else {
                return;
            };
            let (session, store) = (self.session.clone(), self.store.clone());
            let refresh_s = self.settings.refresh.value.as_secs_f64();
            let once = self.options.once;
            let uuid = entry.uuid;
            let task = self.running.spawn(async move {
                // A round asks for each, where it may.
                if !once && let Some(wait) = wait_for_another(&store, entry.uuid, refresh_s).await {
                    return Ok(Turn::Later(wait));
                }
                match store.lease(entry.uuid).await {
                    Ok(None) => {}
                    Ok(Some(wait)) => return Ok(Turn::Later(wait)),
                    Err(failure) => return Ok(Turn::NoArchive(failure)),
                }
                let refreshed = fleet::refresh(&session, &store, &entry).await?;
                Ok(Turn::Fetched(Box::new(refreshed)))
            });
            self.asked.insert(task.id(), uuid);
        }
    }

    /// Renews the leases of what is being asked for.
    fn renew(&mut self) {
        let store = self.store.clone();
        self.ending.spawn(async move {
            // Where the archive cannot be written, nothing can be stored either,
            // and that is reported.
            let _ = store.renew_leases(false).await;
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

    /// Leaves what is not done to the other collectors of the archive.
    async fn leave(&mut self) {
        self.running.shutdown().await;
        while self.ending.join_next().await.is_some() {}
        let _ = self.store.renew_leases(true).await;
    }

    /// How long nothing is to be done, if nothing ends.
    fn wait(&self, alive_every: Option<Duration>) -> Duration {
        let now = unix_now();
        let (in_progress, _) = self.list.in_progress(HOLDS_UP);
        let next = self.list.soonest();
        let next = next.map_or(f64::INFINITY, |next| next.max(self.hold));
        let mut wait = LIST_EVERY.as_secs_f64().min((next - now).max(0.0));
        if in_progress > 0 {
            // One that takes long makes room for another.
            wait = wait.clamp(0.2, 1.0);
        }
        let wait = Duration::from_secs_f64(wait.max(0.05));
        alive_every.map_or(wait, |every| wait.min(every))
    }

    /// Takes in the end of a task. One that panicked has failed to fetch its
    /// deployment.
    async fn joined(
        &mut self,
        joined: Result<(task::Id, Result<Turn, Failure>), JoinError>,
        report: &(dyn Fn(Report<'_>) + Sync),
    ) {
        let (task, outcome) = match joined {
            Ok(ended) => ended,
            Err(error) => (error.id(), Err(fleet::without_outcome())),
        };
        if let Some(uuid) = self.asked.remove(&task) {
            self.ended(uuid, outcome, report).await;
        }
    }

    /// Takes in the end of a request.
    async fn ended(
        &mut self,
        uuid: Uuid,
        outcome: Result<Turn, Failure>,
        report: &(dyn Fn(Report<'_>) + Sync),
    ) {
        let now = unix_now();
        let refresh_s = self.settings.refresh.value.as_secs_f64();
        let took = self.list.end(uuid);
        let Some(one) = self.list.get(uuid) else {
            // It was taken off the list meanwhile. Another collector may have it on its.
            if matches!(outcome, Ok(Turn::Fetched(_)) | Err(_)) {
                self.end_lease(uuid, now, now);
            }
            return;
        };
        let entry = &one.entry;
        match outcome {
            Ok(Turn::Later(wait)) => self.list.wait_until(uuid, now + wait, one.failures),
            Ok(Turn::NoArchive(failure)) => {
                // Nothing is asked for that could not be stored.
                let is_new = self.hold < now;
                self.hold = self.hold.max(now + NO_ARCHIVE_S * (1.0 + chance()));
                self.failure.get_or_insert(failure.kind);
                if is_new {
                    report(Report::Warning(failure.to_string()));
                }
                self.list.wait_until(uuid, one.next, one.failures);
            }
            Ok(Turn::Fetched(refreshed)) => {
                let health = refreshed.track.health(now);
                let last = refreshed.track.latest().map(|fix| fix.time_stamp);
                let next = NextRequest::after_answer(last, health.interval_s, now, refresh_s).at;
                let mut next = next + chance() * JITTER_S.min((next - now) / 20.0);
                if let Some(failure) = &refreshed.unstored {
                    next = next.min(now + UNSTORED_S.max(refresh_s));
                    report(Report::Unstored {
                        entry,
                        failure,
                        next,
                    });
                    self.failure.get_or_insert(failure.kind);
                    self.unstored = self.unstored.saturating_add(1);
                    if self.unstored >= UNSTORED && !self.options.once {
                        self.hold = self.hold.max(now + NO_ARCHIVE_S * (1.0 + chance()));
                    }
                } else {
                    self.unstored = 0;
                    report(Report::Fetched {
                        entry,
                        refreshed: &refreshed,
                        took,
                        next,
                    });
                }
                self.unreached.clear();
                self.probes = 0;
                self.list.wait_until(uuid, next, 0);
                self.end_lease(uuid, next, now);
            }
            Err(failure) => {
                let failures = one.failures + 1;
                let next =
                    NextRequest::after_failure(&failure, failures, now, refresh_s, chance()).at;
                report(Report::Failed {
                    entry,
                    failure: &failure,
                    next,
                });
                self.list.wait_until(uuid, next, failures);
                self.end_lease(uuid, next, now);
                self.failure.get_or_insert(failure.kind);
                self.failed(uuid, &failure, now);
            }
        }
    }

    /// What a failure means for the other deployments of the service.
    fn failed(&mut self, uuid: Uuid, failure: &Failure, now: f64) {
        if failure.kind != FailureKind::Unreachable {
            // It answered.
            self.unreached.clear();
            self.probes = 0;
            return;
        }
        // One that breaks off in its body says nothing of the others: where the link is
        // down, their connections fail.
        if failure.broke_in_body {
            return;
        }
        self.unreached.insert(uuid);
        if !self.is_down() {
            return;
        }
        self.probes += 1;
        let refresh_s = self.settings.refresh.value.as_secs_f64();
        let next = NextRequest::after_failure(failure, self.probes, now, refresh_s, chance());
        self.hold = self.hold.max(next.at);
    }
}

#[cfg(test)]
mod tests;
