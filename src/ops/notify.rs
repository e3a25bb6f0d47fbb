//! Notifies the user's program of `on_alarm` of alarms: JSON on its standard
//! input, no shell, bounded in time, each transition once.

pub(crate) mod message;
mod undelivered;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::blocking::blocking;
use super::store::Store;
use crate::archive::RENEW_S;
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
    /// sent again later, for a day.
    /// Dropping the future ends the running program with its children; its message and all
    /// after it are sent again by the next driftline.
    pub(crate) async fn notify(&self) -> Notified {
        let mut notified = Notified::default();
        if self.on_alarm.is_empty() {
            return notified;
        }
        let _turn = self.turn.lock().await;
        if self.is_ending.load(Ordering::SeqCst) {
            return notified;
        }
        let mut renewed_at = unix_now();
        let claimed = match self.store.claim(self.round).await {
            Ok(claimed) => claimed,
            Err(failure) => {
                let failure = failure.of("the program of on_alarm could not be told");
                notified.failures.push(failure);
                return notified;
            }
        };
        if claimed.is_empty() {
            return notified;
        }
        let watched = self.store.count_active().await.unwrap_or(0);
        let mut undelivered = Undelivered::default();
        let mut queue = VecDeque::from(messages(claimed, watched, unix_now()));
        loop {
            // A long queue may take longer than the claim on it lasts.
            if is_renewal_due(renewed_at, unix_now()) {
                let now = unix_now();
                let renewed = self.store.write(|archive| archive.renew(unix_now()));
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
            if let Err(failure) = self.note_together(&message).await {
                notified.failures.push(failure);
            }
            let (started_at, began) = (unix_now(), Instant::now());
            let subject = message.object.subject();
            let ran = self.run(&message.object).await;
            if ran == Ok(false) {
                break;
            }
            notified.runs.push(Exchange {
                started_at,
                duration_s: began.elapsed().as_secs_f64(),
                outcome: match &ran {
                    Ok(_) => ExchangeOutcome::Done(format!("told: {subject}")),
                    Err(why) => ExchangeOutcome::Failed(format!("{why}; not told: {subject}")),
                },
                ..run_of(&self.on_alarm)
            });
            let recorded = match ran {
                Ok(_) => {
                    self.reported().forget(&message.numbers);
                    let numbers = message.numbers;
                    let recorded = self
                        .store
                        .write(move |archive| archive.notified(&numbers, unix_now()));
                    recorded.await
                }
                Err(why) => {
                    // Later events of the same alarms wait for their turn.
                    queue.retain(|later| !message.ids().any(|id| later.is_of(id)));
                    self.record_failure(&message, &why, &mut undelivered).await
                }
            };
            if let Err(failure) = recorded {
                let what = "a program that was told of an alarm may be told again";
                notified.failures.push(failure.of(what));
            }
        }
        let failures = undelivered.failures(self.round.is_some());
        notified.failures.extend(failures);
        notified
    }

    /// Records that alarms are notified in the same message.
    async fn note_together(&self, message: &Message) -> Result<(), Failure> {
        if message.object.alarms.is_none() {
            return Ok(());
        }
        let (id, numbers) = (message.object.id.clone(), message.numbers.clone());
        let noted = self
            .store
            .write(move |archive| archive.notified_together(&id, &numbers, unix_now()));
        let what = "an alarm that is told with others may be acknowledged alone";
        noted.await.map_err(|failure| failure.of(what))
    }

    /// Records that a message could not be delivered, and adds it to `undelivered` unless
    /// that was reported before.
    async fn record_failure(
        &self,
        message: &Message,
        why: &str,
        undelivered: &mut Undelivered,
    ) -> Result<(), Failure> {
        let numbers = message.numbers.clone();
        let recorded = self
            .store
            .write(move |archive| archive.not_notified(&numbers, unix_now()));
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
        ran.unwrap_or_else(|error| Err(error.to_string()))
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
    /// What went wrong.
    pub failures: Vec<Failure>,
}

/// Notifies the program `on_alarm` (with its arguments) as [`Notifier::notify`] does.
pub(crate) async fn notify(store: &Store, on_alarm: &[String]) -> Vec<Failure> {
    let notifier = Notifier::new(store.clone(), on_alarm.to_vec());
    notifier.notify().await.failures
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
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::alarm::{Alarm, AlarmEvent, Kind};
    use crate::archive::Transition;
    use crate::program::LOOK;

    fn overdue(number: i64) -> Transition {
        let (id, uuid) = (format!("id{number}"), number.cast_unsigned());
        let uuid = Some(Uuid::from_u64_pair(0, uuid));
        let alarm = Alarm {
            label: Some(format!("buoy {number}")),
            fix_time: Some(-5.0),
            value: Some(20.0),
            limit: Some(10.0),
            text: String::new(),
            ..crate::testing::dashboard::alarm(&id, uuid, Kind::Overdue, 0.0, 0.0)
        };
        Transition {
            number,
            event: AlarmEvent::Raised,
            alarm,
        }
    }

    #[test]
    fn many_that_go_overdue_together_are_told_as_one() {
        let told = |count, watched| messages((0..count).map(overdue).collect(), watched, 0.0);
        assert_eq!(told(2, 4).len(), 2);
        assert_eq!(told(3, 10).len(), 3);
        let one = told(4, 10);
        assert_eq!(one.len(), 1);
        assert_eq!(one[0].numbers, [0, 1, 2, 3]);
        assert!(one[0].object.text.starts_with("4 of 10 deployments "));
        // Since when, and why, each cause once.
        let mut refused: Vec<Transition> = (0..4).map(overdue).collect();
        for one in &mut refused[1..] {
            one.alarm.text = "no answer since 1969-12-31T23:00:00Z: 404".to_owned();
        }
        assert_eq!(
            messages(refused, 10, 0.0)[0].object.text,
            "4 of 10 deployments are overdue: buoy 0, buoy 1, buoy 2, buoy 3; \
             none has sent a fix since 1969-12-31T23:59:55Z; \
             buoy 1 and 2 more: no answer since 1969-12-31T23:00:00Z: 404"
        );
        let mut mixed: Vec<Transition> = (0..4).map(overdue).collect();
        mixed[1].event = AlarmEvent::Cleared;
        let mixed = messages(mixed, 5, 0.0);
        assert_eq!(mixed.len(), 2);
        assert_eq!(told(0, 10), []);
        assert_eq!(one[0].object.limit, Some(3.0));
        assert_eq!(told(4, 6)[0].object.limit, Some(1.8));
        // One that has ended since it was raised, and one deployment twice.
        let mut ended: Vec<Transition> = (0..2).map(overdue).collect();
        ended[0].alarm.cleared_at = Some(1.0);
        assert_eq!(messages(ended, 6, 0.0).len(), 2);
        let mut twice: Vec<Transition> = (0..2).map(overdue).collect();
        twice[1].alarm.deployment = twice[0].alarm.deployment;
        assert_eq!(messages(twice, 6, 0.0).len(), 2);
    }

    #[test]
    fn a_reminder_has_the_age_of_today_and_the_cause() {
        const DAY: f64 = 86_400.0;
        let mut one = overdue(0);
        one.event = AlarmEvent::Reminder;
        one.alarm.text = "no answer since yesterday: 404".to_owned();
        let text = |one: Transition, now| messages(vec![one], 9, now)[0].object.text.clone();
        assert_eq!(
            text(one.clone(), 9.0 * DAY),
            "overdue: no fix for 9 d, limit 10 s; no answer since yesterday: 404; raised 9 d ago"
        );
        one.alarm.kind = Kind::Outside;
        one.alarm.text = "outside its watch circle".to_owned();
        let of_day = |days: f64| text(one.clone(), days * DAY);
        assert_eq!(of_day(1.0), "outside its watch circle; raised 1 d ago");
        assert_eq!(of_day(8.0), "outside its watch circle; raised 8 d ago");
    }

    #[test]
    fn claims_are_renewed_long_before_they_are_free_and_not_before_every_message() {
        assert!(!is_renewal_due(1e9, 1e9) && !is_renewal_due(1e9, 1e9 + 29.0));
        // The program runs for 10 s at most, and a claim is free after 120 s.
        assert!(is_renewal_due(1e9, 1e9 + 31.0) && is_renewal_due(1e9, 1e9 - 1.0));
    }

    fn line_of_one() -> String {
        AlarmObject::new(&overdue(1).alarm, 0.0).line().unwrap()
    }

    fn ran(line: &str) -> Result<(), String> {
        let words = ["sh", "-c", line].map(str::to_owned);
        run(&words, &line_of_one(), &Running::default()).map(|_| ())
    }

    #[test]
    fn a_program_is_told_by_its_standard_input_and_its_failure_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("told");
        ran(&format!("cat > {}", file.display())).unwrap();
        let told: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        assert_eq!(told["raised_at"], "1970-01-01T00:00:00Z");
        assert_eq!(
            (&told["kind"], &told["value"]),
            (&"overdue".into(), &20.0.into())
        );
        // It may print without end, and need not read.
        ran("head -c 100000000 /dev/zero").unwrap();
        assert!(ran("exit 1").unwrap_err().contains("exit status: 1"));
        let missing = run(
            &["/no/such".to_owned()],
            &line_of_one(),
            &Running::default(),
        );
        assert!(missing.unwrap_err().contains("could not be started"));
        let plain = folder.path().join("plain");
        std::fs::write(&plain, "no program").unwrap();
        let words = [plain.display().to_string()];
        let refused = run(&words, &line_of_one(), &Running::default());
        assert!(refused.unwrap_err().contains("could not be started"));
    }

    #[test]
    fn a_line_that_is_longer_than_what_a_pipe_holds_is_told_whole_and_within_the_limit() {
        let alarms = (0..20_000).map(overdue).collect();
        let line = messages(alarms, 20_000, 0.0)[0].object.line().unwrap();
        assert!(line.len() > 100_000, "{}", line.len());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("told");
        let told = |program: String| {
            let words = ["sh".to_owned(), "-c".to_owned(), program];
            run(&words, &line, &Running::default())
        };
        assert_eq!(told(format!("cat > {}", file.display())), Ok(true));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), line);
        // It reads nothing, and does not end by itself before the limit.
        let refused = told("exec sleep 30".to_owned());
        assert!(refused.unwrap_err().contains("longer than 10 s"));
    }

    #[test]
    fn a_program_that_never_ends_is_ended_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("child");
        let began = Instant::now();
        let line = format!("sleep 300 & echo $! > {}; wait", file.display());
        assert!(ran(&line).unwrap_err().contains("longer than 10 s"));
        assert!(began.elapsed() < Duration::from_secs(20));
        let child: i32 = std::fs::read_to_string(&file)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        let child = rustix::process::Pid::from_raw(child).unwrap();
        // Whoever takes over its end may need a moment; a zombie is gone as well.
        let is_gone = || match rustix::process::test_kill_process(child) {
            Err(_) => true,
            Ok(()) => std::fs::read_to_string(format!("/proc/{}/stat", child.as_raw_nonzero()))
                .is_ok_and(|stat| stat.contains(") Z ")),
        };
        let end = Instant::now() + Duration::from_secs(5);
        while !is_gone() && Instant::now() < end {
            std::thread::sleep(LOOK);
        }
        assert!(is_gone());
    }
}
