//! Notifies the user's program of `on_alarm` of alarms: JSON on its standard
//! input, no shell, bounded in time, each transition once.

pub(crate) mod message;
mod outcome;

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use uuid::Uuid;

use crate::alarm::AlarmEvent;
use crate::app::store::Store;
use crate::archive::Transition;
use crate::exchange::{Exchange, ExchangeOutcome};
use crate::failure::Failure;
use crate::os::clock::unix_now;
use crate::os::program::{Running, run};
use message::{Kept, Message, Queued, messages, next};
pub(crate) use outcome::Notified;
use outcome::{Unstored, new_run};

/// The most programs that are notified at once.
// Each runs for 10 s at most, so that of a hundred that hang the last starts after a minute.
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
    running: Running,
    /// When its single round began, UNIX seconds; `None` if it continues.
    round: Option<f64>,
    unstored: Unstored,
    /// The starts and ends of alarms that were sent, since an archive that is put back has them
    /// again, and reminders that could not be recorded yet.
    sent: Arc<Mutex<HashSet<Sent>>>,
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
            running: Running::default(),
            round: None,
            unstored: Unstored::Notify,
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

    /// Sends the pending notifications, after other callers: [`AT_ONCE`] at once, one a
    /// deployment, the longest waiting first, so that programs that hang hold up no other
    /// deployment for long. Alarms raised meanwhile are sent as well. Nothing is claimed without a
    /// program. Returns what went wrong; a failed notification is sent again
    /// later, for a day. A full disk hides no alarm: of one that could not be stored is notified
    /// as well, and not again when it is stored. Dropping the future ends the running programs
    /// with their children; their messages and all after them are sent again by the next
    /// driftline.
    pub(crate) async fn notify(&self) -> Notified {
        if self.on_alarm.is_empty() {
            return Notified::default();
        }
        let _turn = self.turn.lock().await;
        if self.is_ending.load(Ordering::SeqCst) {
            return Notified::default();
        }
        Round::new(self).run().await
    }

    /// Records that alarms are notified in the same message.
    async fn note_together(&self, queued: &Queued) -> Result<(), Failure> {
        let message = &queued.message;
        if message.object.alarms.is_none() {
            return Ok(());
        }
        let id = message.object.id.clone();
        let numbers = message.numbers.clone();
        let noted = queued
            .store
            .write(move |archive| archive.notified_together(&id, &numbers, unix_now()));
        let what = "an alarm that is told with others may be acknowledged alone";
        noted.await.map_err(|failure| failure.context(what))
    }

    fn sent(&self) -> MutexGuard<'_, HashSet<Sent>> {
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
            self.running.end();
            // What was interrupted is given back before the program ends.
            let _ = tokio::time::timeout(GIVE_BACK, self.turn.lock()).await;
        }
    }

    /// Runs the program; `false` if it was ended because driftline ends.
    async fn run(&self, message: &Message) -> Result<bool, String> {
        let line = message.object.line()?;
        run(&self.on_alarm, &line, &self.running).await
    }
}

/// The id of an alarm, and its event.
type Sent = (String, &'static str);

/// The longest wait for what was interrupted to be given back: the archive may be locked.
const GIVE_BACK: Duration = Duration::from_secs(2);

/// Why an alarm is notified later.
const NOT_NOTIFIED: &str = "the program of on_alarm could not be notified";
/// Why an alarm is notified twice.
const NOT_RECORDED: &str = "a program that was notified of an alarm may be notified again";

async fn record_sent(store: &Store, numbers: Vec<i64>) -> Result<(), Failure> {
    let recorded = store.write(move |archive| archive.notified(&numbers, unix_now()));
    recorded
        .await
        .map_err(|failure| failure.context(NOT_RECORDED))
}

/// The end of a program that was notified.
struct Ran {
    queued: Queued,
    started_at: f64,
    duration_s: f64,
    /// `Ok(false)` if it was ended because driftline ends.
    ran: Result<bool, String>,
}

/// Notifications that are being sent.
struct Round<'a> {
    notifier: &'a Notifier,
    /// The messages that wait, those that wait longest first.
    queue: VecDeque<Queued>,
    running: JoinSet<Ran>,
    /// The deployments of which a program is being notified.
    busy: HashSet<Option<Uuid>>,
    /// The transitions of which a program is being notified.
    sending: HashSet<(Kept, i64)>,
    notified: Notified,
}

impl<'a> Round<'a> {
    fn new(notifier: &'a Notifier) -> Self {
        Self {
            notifier,
            queue: VecDeque::new(),
            running: JoinSet::new(),
            busy: HashSet::new(),
            sending: HashSet::new(),
            notified: Notified::default(),
        }
    }

    /// Sends what is pending, and what is raised until all programs have ended.
    async fn run(mut self) -> Notified {
        let mut changes = self.notifier.store.alarm_changes();
        self.look().await;
        loop {
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
                    self.look().await;
                }
            }
        }
        let interrupted = self.claimed();
        if !interrupted.is_empty() {
            let store = &self.notifier.store;
            // Until then they are claimed, and sent later.
            let _ = store
                .write(move |archive| archive.release(&interrupted))
                .await;
        }
        std::mem::take(&mut self.notified)
    }

    /// The transitions of the archive that are claimed, which are forgotten.
    fn claimed(&mut self) -> Vec<i64> {
        let sending = self.sending.drain();
        let claimed = sending.filter(|(kept, _)| *kept == Kept::Archive);
        claimed.map(|(_, number)| number).collect()
    }

    /// Looks for what is to be notified: these messages wait.
    async fn look(&mut self) {
        self.queue.clear();
        let store = self.notifier.store.clone();
        let found = self.look_in(&store).await;
        let transitions = self.without_sent(found).await;
        self.add(&store, Kept::Archive, transitions).await;
        if self.notifier.unstored == Unstored::Notify
            && let Some(held) = self.notifier.store.held()
        {
            let found = self.look_in(&held).await;
            let transitions = self.notifier.store.not_archived(found).await;
            self.add(&held, Kept::Memory, transitions).await;
        }
    }

    async fn look_in(&mut self, store: &Store) -> Vec<Transition> {
        let round = self.notifier.round;
        let due = || store.read(move |archive| archive.to_notify(round, unix_now()));
        let mut found = due().await;
        if found.as_ref().is_ok_and(|found| found.is_unsettled) {
            let settled =
                store.write(move |archive| archive.settle_notifications(round, unix_now()));
            match settled.await {
                Ok(()) => found = due().await,
                Err(failure) => self.notified.fail(failure.context(NOT_NOTIFIED)),
            }
        }
        match found {
            Ok(found) => found.transitions,
            Err(failure) => {
                self.notified.fail(failure.context(NOT_NOTIFIED));
                Vec::new()
            }
        }
    }

    /// The transitions that were not sent yet; that the others were is recorded if it can be.
    async fn without_sent(&mut self, transitions: Vec<Transition>) -> Vec<Transition> {
        let key = |transition: &Transition| (transition.alarm.id.clone(), transition.event.name());
        let notifier = self.notifier;
        let (sent, rest): (Vec<Transition>, Vec<Transition>) = {
            let known = notifier.sent();
            transitions
                .into_iter()
                .partition(|transition| known.contains(&key(transition)))
        };
        if !sent.is_empty() {
            let numbers = sent.iter().map(|transition| transition.number).collect();
            match record_sent(&notifier.store, numbers).await {
                Ok(()) => {
                    let mut known = notifier.sent();
                    // There may be another one of the same alarm.
                    let reminders = sent
                        .iter()
                        .filter(|sent| sent.event == AlarmEvent::Reminder);
                    for reminder in reminders {
                        known.remove(&key(reminder));
                    }
                }
                Err(failure) => self.notified.fail(failure),
            }
        }
        rest
    }

    /// Adds the messages about transitions, without those that are being sent.
    async fn add(&mut self, store: &Store, kept: Kept, mut transitions: Vec<Transition>) {
        transitions.retain(|transition| !self.sending.contains(&(kept, transition.number)));
        if transitions.is_empty() {
            return;
        }
        let watched = self.notifier.store.count_active().await.unwrap_or(0);
        let messages = messages(transitions, watched, unix_now()).into_iter();
        self.queue.extend(messages.map(|message| Queued {
            store: store.clone(),
            kept,
            message,
        }));
    }

    /// Starts the program for as many messages as there are places.
    async fn start(&mut self) {
        while self.running.len() < AT_ONCE
            && let Some(next) = next(&self.queue, &self.busy)
            && let Some(queued) = self.queue.remove(next)
        {
            if !self.claim(&queued).await {
                // Another program has it, or a part of it.
                continue;
            }
            let numbers = queued.message.numbers.iter();
            self.sending
                .extend(numbers.map(|number| (queued.kept, *number)));
            // Before it is sent: a user who gets its id may acknowledge it at once.
            if let Err(failure) = self.notifier.note_together(&queued).await {
                self.notified.fail(failure);
            }
            self.busy.extend(queued.message.about.iter().copied());
            let notifier = self.notifier.clone();
            self.running.spawn(async move {
                let started_at = unix_now();
                let began = Instant::now();
                let ran = notifier.run(&queued.message).await;
                Ran {
                    queued,
                    started_at,
                    duration_s: began.elapsed().as_secs_f64(),
                    ran,
                }
            });
        }
    }

    /// Claims the transitions of a message; returns whether it is sent. What cannot be recorded
    /// is sent all the same.
    async fn claim(&mut self, queued: &Queued) -> bool {
        let numbers = queued.message.numbers.clone();
        let round = self.notifier.round;
        let claimed = queued
            .store
            .write(move |archive| archive.claim(&numbers, round, unix_now()));
        claimed.await.unwrap_or_else(|failure| {
            let is_sent = self.notifier.unstored == Unstored::Notify;
            let what = if is_sent { NOT_RECORDED } else { NOT_NOTIFIED };
            self.notified.fail(failure.context(what));
            is_sent
        })
    }

    /// Records how a program ended.
    async fn ended(&mut self, ended: Ran) {
        let Ran { queued, ran, .. } = ended;
        if ran == Ok(false) {
            // It was interrupted: still claimed, until this round ends.
            return self.queue.clear();
        }
        let message = &queued.message;
        for deployment in &message.about {
            self.busy.remove(deployment);
        }
        for number in &message.numbers {
            self.sending.remove(&(queued.kept, *number));
        }
        let subject = message.object.subject();
        self.notified.runs.push(Exchange {
            started_at: ended.started_at,
            duration_s: ended.duration_s,
            outcome: match &ran {
                Ok(_) => ExchangeOutcome::Done(format!("notified: {subject}")),
                Err(why) => ExchangeOutcome::Failed(format!("{why}; not sent: {subject}")),
            },
            ..new_run(&self.notifier.on_alarm)
        });
        let recorded = match ran {
            Ok(_) => {
                let recorded = record_sent(&queued.store, message.numbers.clone()).await;
                let is_recorded = recorded.is_ok() && queued.kept == Kept::Archive;
                let event = message.object.event.unwrap_or_default();
                if !is_recorded || event != AlarmEvent::Reminder.name() {
                    let sent = message.ids().map(|id| (id.to_owned(), event));
                    self.notifier.sent().extend(sent);
                }
                if !is_recorded {
                    // It may have been stored while it was sent: the next look records it.
                    let is_same = |later: &Message| {
                        later.object.event == message.object.event
                            && message.ids().any(|id| later.has_id(id))
                    };
                    self.queue.retain(|later| !is_same(&later.message));
                }
                recorded
            }
            Err(why) => {
                // Later events of the same alarms wait for their turn.
                self.queue
                    .retain(|later| !message.ids().any(|id| later.message.has_id(id)));
                let numbers = message.numbers.clone();
                let record = queued
                    .store
                    .write(move |archive| archive.not_notified(&numbers, unix_now()));
                let recorded = record.await;
                let hint = match &recorded {
                    Ok(None) => {
                        "It has failed for a day, and the alarm has ended: it is not sent any more. Check the setting on_alarm."
                    }
                    Ok(Some(_)) | Err(_) => {
                        "It is sent again, at longer and longer intervals, at most hourly. Check the setting on_alarm."
                    }
                };
                let failed = format!("the program of on_alarm {why}; not sent: {subject}");
                self.notified.fail(Failure::other(failed).with_hint(hint));
                recorded.map(drop)
            }
        };
        if let Err(failure) = recorded {
            self.notified.fail(failure);
        }
    }
}

impl Drop for Round<'_> {
    /// An interrupted notification is not claimed any longer: the next start sends it at once.
    fn drop(&mut self) {
        let numbers = self.claimed();
        if !numbers.is_empty() {
            self.notifier.store.release_notifications(numbers);
        }
    }
}

/// Notifies the program `on_alarm` (with its arguments) as [`Notifier::notify`] does, of stored
/// alarms only: each of a series of commands would notify of another again.
pub(crate) async fn notify(store: &Store, on_alarm: &[String]) -> Vec<Failure> {
    let notifier = Notifier {
        unstored: Unstored::Leave,
        ..Notifier::new(store.clone(), on_alarm.to_vec())
    };
    notifier.notify().await.failures
}

#[cfg(test)]
mod tests;
