//! Notifies the user's program of `on_alarm` of alarms: JSON on its standard
//! input, no shell, bounded in time, each transition once.

pub(crate) mod message;
mod undelivered;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::blocking::blocking;
use super::store::{AlarmsOf, Store};
use crate::archive::{RENEW_S, Transition};
use crate::clock::unix_now;
use crate::exchange::{Attempt, Exchange, ExchangeOutcome, RUN};
use crate::failure::Failure;
use crate::program::{EndOnDrop, Running, run};
use crate::text;
use message::{AlarmObject, Message, messages};
use undelivered::{Again, ReportedFailures, Undelivered};

/// How long the dashboard waits for more alarms of the same time.
const TOGETHER: Duration = Duration::from_secs(1);

/// Sends notifications; a clone shares the turn.
#[derive(Debug, Clone)]
pub(crate) struct Notifier {
    store: Store,
    on_alarm: Arc<Vec<String>>,
    turn: Arc<tokio::sync::Mutex<()>>,
    is_ending: Arc<AtomicBool>,
    /// The program that was started last.
    last: Arc<Mutex<Running>>,
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
            last: Arc::default(),
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

    /// Sends the pending notifications in sequence, after other callers. Nothing is claimed
    /// without a program. Returns what went wrong, each reason once; a failed notification is
    /// sent again later, for a day. A full disk hides no alarm: of one that could not be stored is
    /// notified as well, and not again when it is stored.
    /// Dropping the future ends the running program with its children; its message and all
    /// after it are sent again by the next driftline.
    pub(crate) async fn notify(&self) -> Notified {
        self.notify_of(&[AlarmsOf::Archive, AlarmsOf::Memory]).await
    }

    async fn notify_of(&self, all: &[AlarmsOf]) -> Notified {
        let mut notified = Notified::default();
        if self.on_alarm.is_empty() {
            return notified;
        }
        let _turn = self.turn.lock().await;
        if self.is_ending.load(Ordering::SeqCst) {
            return notified;
        }
        for of in all {
            match self.store.claim(*of, self.round).await {
                Ok(claimed) => self.send(claimed, *of, &mut notified).await,
                Err(failure) => {
                    let failure = failure.of("the program of on_alarm could not be notified");
                    notified.failures.push(failure);
                }
            }
        }
        notified
    }

    /// Sends the notifications of claimed transitions.
    async fn send(&self, claimed: Vec<Transition>, of: AlarmsOf, notified: &mut Notified) {
        let claimed = match of {
            AlarmsOf::Archive => self.without_sent(claimed, notified).await,
            AlarmsOf::Memory => claimed,
        };
        if claimed.is_empty() {
            return;
        }
        let mut renewed_at = unix_now();
        let watched = self.store.count_active().await.unwrap_or(0);
        let mut undelivered = Undelivered::default();
        let mut queue = VecDeque::from(messages(claimed.clone(), watched, unix_now()));
        loop {
            // A long queue may take longer than the claim on it lasts.
            if is_renewal_due(renewed_at, unix_now()) {
                let now = unix_now();
                let renewed = self.store.write_alarms(of, |all| all.renew(unix_now()));
                if let Ok(claimed) = renewed.await {
                    renewed_at = now;
                    let is_claimed = |number: &i64| claimed.contains(number);
                    queue.retain(|message| message.numbers.iter().any(is_claimed));
                }
            }
            let Some(message) = queue.pop_front() else {
                break;
            };
            if self.is_ending.load(Ordering::SeqCst) {
                break;
            }
            // Before it is sent: a user who gets its id may acknowledge it at once.
            if let Err(failure) = self.note_together(&message, of).await {
                notified.failures.push(failure);
            }
            let started_at = unix_now();
            let began = Instant::now();
            let subject = message.object.subject();
            let ran = self.run(&message.object).await;
            if ran == Ok(false) {
                break;
            }
            notified.runs.push(Exchange {
                started_at,
                duration_s: began.elapsed().as_secs_f64(),
                outcome: match &ran {
                    Ok(_) => ExchangeOutcome::Done(format!("notified: {subject}")),
                    Err(why) => ExchangeOutcome::Failed(format!("{why}; not sent: {subject}")),
                },
                ..run_of(&self.on_alarm)
            });
            let recorded = match ran {
                Ok(_) => {
                    let numbers = message.numbers;
                    self.reported().forget(&numbers);
                    if of == AlarmsOf::Memory {
                        let own = claimed.iter();
                        let own = own.filter(|claimed| numbers.contains(&claimed.number));
                        self.sent().extend(own.cloned());
                    }
                    let recorded = self
                        .store
                        .write_alarms(of, move |all| all.notified(&numbers, unix_now()));
                    recorded.await
                }
                Err(why) => {
                    // Later events of the same alarms wait for their turn.
                    queue.retain(|later| !message.ids().any(|id| later.is_of(id)));
                    self.record_failure(&message, of, &why, &mut undelivered)
                        .await
                }
            };
            if let Err(failure) = recorded {
                let what = "a program that was notified of an alarm may be notified again";
                notified.failures.push(failure.of(what));
            }
        }
        let failures = undelivered.failures(self.round.is_some());
        notified.failures.extend(failures);
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

    /// Sends nothing more. Waits for the running program for `longest` at most,
    /// then ends it with its children.
    pub(crate) async fn end(&self, longest: Duration) {
        self.is_ending.store(true, Ordering::SeqCst);
        if tokio::time::timeout(longest, self.turn.lock())
            .await
            .is_err()
        {
            self.last().end();
        }
    }

    fn last(&self) -> Running {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.clone()
    }

    /// Runs the program; `false` if it was ended because driftline ends.
    async fn run(&self, object: &AlarmObject) -> Result<bool, String> {
        let line = object.line()?;
        let running = Running::default();
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = running.clone();
        let _guard = EndOnDrop(running.clone());
        let command = Arc::clone(&self.on_alarm);
        let ran = blocking(move || run(&command, &line, &running)).await;
        ran.unwrap_or_else(|failure| Err(failure.message()))
    }
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
        attempt: Attempt::ONLY,
    }
}

#[cfg(test)]
mod tests;
