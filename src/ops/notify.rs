//! Notifies the user's program of `on_alarm` of alarms: JSON on its standard
//! input, no shell, bounded in time, each transition once.

pub(crate) mod message;
mod undelivered;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use uuid::Uuid;

use super::store::{AlarmsOf, Store};
use crate::archive::{Archive, RENEW_S, Transition};
use crate::clock::unix_now;
use crate::exchange::{Attempt, Exchange, ExchangeOutcome, RUN};
use crate::failure::Failure;
use crate::program::{EndOnDrop, Running, beside, run};
use crate::text;
use message::{Message, messages};
use undelivered::{Again, ReportedFailures, Undelivered};

/// The most programs that are notified at once. Each runs for 10 s at most, so that of a hundred
/// that hang the last starts after a minute.
const AT_ONCE: usize = 16;
/// How long the dashboard waits for more alarms of the same time.
const TOGETHER: Duration = Duration::from_secs(1);

/// Sends notifications; a clone shares the turn.
#[derive(Debug, Clone)]
pub(crate) struct Notifier {
    store: Store,
    on_alarm: Arc<Vec<String>>,
    turn: Arc<tokio::sync::Mutex<()>>,
    is_ending: Arc<AtomicBool>,
    /// The programs that run, each by the number of its first transition.
    running: Arc<Mutex<HashMap<i64, Running>>>,
    /// When its single round began, UNIX seconds; `None` if it continues.
    round: Option<f64>,
    /// The failures that were reported to the user.
    reported: Arc<Mutex<ReportedFailures>>,
    /// The transitions that were sent and could not be stored yet.
    sent: Arc<Mutex<Vec<Transition>>>,
}

impl Notifier {
    /// Notifies of the alarms in `store` by the program `on_alarm` with its
    /// arguments; if that is empty, it does nothing.
    pub(crate) fn new(store: Store, on_alarm: Vec<String>) -> Self {
        Self {
            store,
            on_alarm: Arc::new(on_alarm),
            turn: Arc::default(),
            is_ending: Arc::default(),
            running: Arc::default(),
            round: None,
            reported: Arc::default(),
            sent: Arc::default(),
        }
    }

    /// The same for a single round that begins now: what failed before it is sent again
    /// once, however short that is ago.
    pub(crate) fn single_round(self) -> Self {
        Self {
            round: Some(unix_now()),
            ..self
        }
    }

    /// As [`Notifier::notify`], a moment later, so that alarms of the same time are sent
    /// together.
    pub(crate) async fn notify_together(&self) -> Notified {
        if self.on_alarm.is_empty() {
            return Notified::default();
        }
        tokio::time::sleep(TOGETHER).await;
        self.notify().await
    }

    /// Sends the pending notifications, after other callers: [`AT_ONCE`] at once, one a deployment,
    /// the longest waiting first, so that programs that hang hold up no other deployment for long.
    /// What is raised meanwhile is sent as well. Nothing is claimed without a program. Returns
    /// what went wrong, each reason once; a failed notification is sent again later, for a day. A
    /// full disk hides no alarm: of one that could not be stored is notified as well, and not
    /// again when it is stored.
    /// Dropping the future ends the running programs with their children; their messages and all
    /// after them are sent again by the next driftline.
    pub(crate) async fn notify(&self) -> Notified {
        self.notify_of(&[AlarmsOf::Archive, AlarmsOf::Memory]).await
    }

    async fn notify_of(&self, all: &[AlarmsOf]) -> Notified {
        if self.on_alarm.is_empty() {
            return Notified::default();
        }
        let _turn = self.turn.lock().await;
        if self.is_ending.load(Ordering::SeqCst) {
            return Notified::default();
        }
        Round::new(self, all).run().await
    }

    /// The claimed transitions that were not sent before they could be stored; the others are
    /// recorded as sent.
    async fn without_sent(
        &self,
        claimed: Vec<Transition>,
        notified: &mut Notified,
    ) -> Vec<Transition> {
        let is_same =
            |a: &Transition, b: &Transition| a.alarm.id == b.alarm.id && a.event == b.event;
        let (sent, rest): (Vec<Transition>, Vec<Transition>) = {
            let known = self.sent();
            let was_sent = |one: &Transition| known.iter().any(|sent| is_same(one, sent));
            claimed.into_iter().partition(was_sent)
        };
        if sent.is_empty() {
            return rest;
        }
        let numbers: Vec<i64> = sent.iter().map(|one| one.number).collect();
        let recorded = self
            .store
            .write(move |archive| archive.notified(&numbers, unix_now()));
        match recorded.await {
            Ok(()) => {
                let is_stored = |known: &Transition| sent.iter().any(|one| is_same(one, known));
                self.sent().retain(|known| !is_stored(known));
            }
            Err(failure) => notified.failures.push(failure),
        }
        rest
    }

    /// Records that alarms are notified in the same message.
    async fn note_together(&self, message: &Message, of: AlarmsOf) -> Result<(), Failure> {
        if message.object.alarms.is_none() {
            return Ok(());
        }
        let id = message.object.id.clone();
        let numbers = message.numbers.clone();
        let noted = self.store.write_alarms(of, move |all| {
            all.notified_together(&id, &numbers, unix_now())
        });
        let what = "an alarm that is told with others may be acknowledged alone";
        noted.await.map_err(|failure| failure.of(what))
    }

    /// Records that a message could not be delivered, and adds it to `undelivered` unless
    /// that was reported before.
    async fn record_failure(
        &self,
        message: &Message,
        of: AlarmsOf,
        why: &str,
        undelivered: &mut Undelivered,
    ) -> Result<(), Failure> {
        let numbers = message.numbers.clone();
        let recorded = self
            .store
            .write_alarms(of, move |all| all.not_notified(&numbers, unix_now()));
        let recorded = recorded.await;
        let again = match &recorded {
            Ok(Some(wait)) => Again::In(*wait),
            Ok(None) => Again::GivenUp,
            Err(_) => Again::Unknown,
        };
        let is_new = self.reported().add(why, &message.numbers);
        if is_new || again == Again::GivenUp {
            undelivered.add(why, message.object.subject(), again);
        }
        if again == Again::GivenUp {
            self.reported().forget(&message.numbers);
        }
        recorded.map(|_| ())
    }

    fn reported(&self) -> MutexGuard<'_, ReportedFailures> {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sent(&self) -> MutexGuard<'_, Vec<Transition>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends nothing more. Waits for the running programs for `longest` at most,
    /// then ends them with their children.
    pub(crate) async fn end(&self, longest: Duration) {
        self.is_ending.store(true, Ordering::SeqCst);
        if tokio::time::timeout(longest, self.turn.lock())
            .await
            .is_err()
        {
            self.running().values().for_each(Running::end);
        }
    }

    fn running(&self) -> MutexGuard<'_, HashMap<i64, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the program; `false` if it was ended because driftline ends.
    async fn run(&self, message: &Message) -> Result<bool, String> {
        let line = message.object.line()?;
        let running = Running::default();
        let number = message.numbers.first().copied().unwrap_or_default();
        self.running().insert(number, running.clone());
        let _guard = EndOnDrop(running.clone());
        let command = Arc::clone(&self.on_alarm);
        let ran = beside(move || run(&command, &line, &running)).await;
        self.running().remove(&number);
        ran.unwrap_or_else(|error| Err(format!("could not be waited for: {error}")))
    }
}

/// A message that waits, and where its alarms are.
type Queued = (AlarmsOf, Message);

/// The end of a program that was notified.
struct Ran {
    of: AlarmsOf,
    message: Message,
    started_at: f64,
    duration_s: f64,
    /// `Ok(false)` if it was ended because driftline ends.
    ran: Result<bool, String>,
}

/// Notifications that are being sent.
struct Round<'a> {
    notifier: &'a Notifier,
    /// The alarms that are notified.
    all: &'a [AlarmsOf],
    /// The messages that wait, those that wait longest first.
    queue: VecDeque<Queued>,
    running: JoinSet<Ran>,
    /// The deployments of which a program is being notified.
    busy: HashSet<Option<Uuid>>,
    /// The claimed transitions that are not in the archive.
    unstored: Vec<Transition>,
    renewed_at: f64,
    undelivered: Undelivered,
    notified: Notified,
}

impl<'a> Round<'a> {
    fn new(notifier: &'a Notifier, all: &'a [AlarmsOf]) -> Self {
        Self {
            notifier,
            all,
            queue: VecDeque::new(),
            running: JoinSet::new(),
            busy: HashSet::new(),
            unstored: Vec::new(),
            renewed_at: unix_now(),
            undelivered: Undelivered::default(),
            notified: Notified::default(),
        }
    }

    /// Sends what is pending, and what is raised until all programs have ended.
    async fn run(mut self) -> Notified {
        let mut changes = self.notifier.store.alarm_changes();
        self.claim().await;
        loop {
            self.renew().await;
            let is_ending = self.notifier.is_ending.load(Ordering::SeqCst);
            if is_ending {
                self.queue.clear();
            }
            self.start().await;
            if self.running.is_empty() {
                break;
            }
            tokio::select! {
                ended = self.running.join_next() => {
                    if let Some(Ok(ran)) = ended {
                        self.ended(ran).await;
                    }
                }
                Ok(()) = changes.changed(), if !is_ending => {
                    tokio::time::sleep(TOGETHER).await;
                    self.claim().await;
                }
            }
        }
        let failures = self.undelivered.failures(self.notifier.round.is_some());
        self.notified.failures.extend(failures);
        self.notified
    }

    /// Claims the pending notifications; their messages wait after the others.
    async fn claim(&mut self) {
        for of in self.all {
            let claimed = match self.notifier.store.claim(*of, self.notifier.round).await {
                Ok(claimed) => claimed,
                Err(failure) => {
                    let failure = failure.of("the program of on_alarm could not be notified");
                    self.notified.failures.push(failure);
                    continue;
                }
            };
            let claimed = match of {
                AlarmsOf::Archive => {
                    let notified = &mut self.notified;
                    self.notifier.without_sent(claimed, notified).await
                }
                AlarmsOf::Memory => {
                    self.unstored.extend(claimed.iter().cloned());
                    claimed
                }
            };
            if !claimed.is_empty() {
                let watched = self.notifier.store.count_active().await.unwrap_or(0);
                let messages = messages(claimed, watched, unix_now());
                self.queue
                    .extend(messages.into_iter().map(|message| (*of, message)));
            }
        }
    }

    /// Renews the claims: a long queue may take longer than they last.
    async fn renew(&mut self) {
        let now = unix_now();
        if !is_renewal_due(self.renewed_at, now) {
            return;
        }
        for of in self.all {
            let store = &self.notifier.store;
            let renewed = store.write_alarms(*of, |all| all.renew(unix_now()));
            if let Ok(claimed) = renewed.await {
                self.renewed_at = now;
                let is_claimed = |number: &i64| claimed.contains(number);
                self.queue.retain(|(queued, message)| {
                    queued != of || message.numbers.iter().any(is_claimed)
                });
            }
        }
    }

    /// Starts the program for as many messages as there are places.
    async fn start(&mut self) {
        while self.running.len() < AT_ONCE
            && let Some(next) = next(&self.queue, &self.busy)
            && let Some((of, message)) = self.queue.remove(next)
        {
            // Before it is sent: a user who gets its id may acknowledge it at once.
            if let Err(failure) = self.notifier.note_together(&message, of).await {
                self.notified.failures.push(failure);
            }
            self.busy.extend(message.about.iter().copied());
            let notifier = self.notifier.clone();
            self.running.spawn(async move {
                let started_at = unix_now();
                let began = Instant::now();
                let ran = notifier.run(&message).await;
                Ran {
                    of,
                    message,
                    started_at,
                    duration_s: began.elapsed().as_secs_f64(),
                    ran,
                }
            });
        }
    }

    /// Records how a program ended.
    async fn ended(&mut self, ended: Ran) {
        let Ran {
            of, message, ran, ..
        } = ended;
        for deployment in &message.about {
            self.busy.remove(deployment);
        }
        if ran == Ok(false) {
            self.queue.clear();
            return;
        }
        let subject = message.object.subject();
        self.notified.runs.push(Exchange {
            started_at: ended.started_at,
            duration_s: ended.duration_s,
            outcome: match &ran {
                Ok(_) => ExchangeOutcome::Done(format!("notified: {subject}")),
                Err(why) => ExchangeOutcome::Failed(format!("{why}; not sent: {subject}")),
            },
            ..run_of(&self.notifier.on_alarm)
        });
        let recorded = match ran {
            Ok(_) => {
                let numbers = message.numbers;
                self.notifier.reported().forget(&numbers);
                if of == AlarmsOf::Memory {
                    let own = self.unstored.iter();
                    let own = own.filter(|claimed| numbers.contains(&claimed.number));
                    self.notifier.sent().extend(own.cloned());
                }
                let store = &self.notifier.store;
                let notified = move |all: &mut Archive| all.notified(&numbers, unix_now());
                store.write_alarms(of, notified).await
            }
            Err(why) => {
                // Later events of the same alarms wait for their turn.
                self.queue
                    .retain(|(_, later)| !message.ids().any(|id| later.is_of(id)));
                let undelivered = &mut self.undelivered;
                let recorded = self
                    .notifier
                    .record_failure(&message, of, &why, undelivered);
                recorded.await
            }
        };
        if let Err(failure) = recorded {
            let what = "a program that was notified of an alarm may be notified again";
            self.notified.failures.push(failure.of(what));
        }
    }
}

/// The index of the message that is sent next: the first of whose deployments none is `busy` or
/// has a message that waits longer.
fn next(queue: &VecDeque<Queued>, busy: &HashSet<Option<Uuid>>) -> Option<usize> {
    let mut earlier: HashSet<&Option<Uuid>> = busy.iter().collect();
    queue.iter().position(|(_, message)| {
        let is_free = message.about.iter().all(|one| !earlier.contains(one));
        earlier.extend(&message.about);
        is_free
    })
}

/// `true` if claims that were made or renewed at `renewed_at` are renewed `now` (UNIX
/// seconds): also if the clock was set back in between.
fn is_renewal_due(renewed_at: f64, now: f64) -> bool {
    !(0.0..RENEW_S).contains(&(now - renewed_at))
}

/// The outcome of a round of notifications.
#[derive(Debug, Default)]
pub(crate) struct Notified {
    /// The runs of the program, as a list of requests shows them.
    pub runs: Vec<Exchange>,
    /// The notifications that failed.
    pub failures: Vec<Failure>,
}

/// Notifies the program `on_alarm` (with its arguments) as [`Notifier::notify`] does, of stored
/// alarms only: each of a series of commands would notify of another again.
pub(crate) async fn notify(store: &Store, on_alarm: &[String]) -> Vec<Failure> {
    let notifier = Notifier::new(store.clone(), on_alarm.to_vec());
    notifier.notify_of(&[AlarmsOf::Archive]).await.failures
}

/// A run of the program as a list of requests shows it, with a number of its own.
fn run_of(on_alarm: &[String]) -> Exchange {
    /// Requests are numbered from 0 on.
    static NEXT: AtomicU64 = AtomicU64::new(1 << 63);
    Exchange {
        id: NEXT.fetch_add(1, Ordering::Relaxed),
        started_at: 0.0,
        method: RUN,
        url: text::excerpt(&on_alarm.join(" "), 200),
        status: None,
        duration_s: 0.0,
        bytes: 0,
        outcome: ExchangeOutcome::UnderWay,
        retry_in_s: None,
        plant: None,
        attempt: Attempt::ONLY,
    }
}

#[cfg(test)]
mod tests;
