//! Tells a program of the user what happens to alarms: JSON on its standard
//! input, no shell, bounded in time, each transition once.

pub(super) mod program;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::store::Store;
use crate::alarm::{Alarm, AlarmEvent, Kind};
use crate::archive::ToTell;
use crate::clock::unix_now;
use crate::exchange::{Exchange, ExchangeOutcome, RUN};
use crate::failure::{Failure, FailureKind};
use crate::text;
use crate::track::time;
use program::{EndOnDrop, Running, run};

/// How long the dashboard waits for what is fetched at the same time.
const TOGETHER: Duration = Duration::from_secs(1);
/// Of this many watched deployments and more, those that go overdue together are
/// told as one.
const FLEET: usize = 5;
/// They are more than this part of all.
const FLEET_PART: f64 = 0.3;

/// An alarm as JSON, for `alarms --json` and for the program of `on_alarm`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct AlarmObject {
    id: String,
    deployment: Option<String>,
    label: Option<String>,
    kind: &'static str,
    state: &'static str,
    raised_at: String,
    acknowledged_at: Option<String>,
    snoozed_until: Option<String>,
    cleared_at: Option<String>,
    fix_time: Option<String>,
    value: Option<f64>,
    limit: Option<f64>,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'static str>,
    /// The ids of the alarms that are reported as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    alarms: Option<Vec<String>>,
}

impl AlarmObject {
    /// The object on a line.
    fn line(&self) -> Result<String, String> {
        let line = serde_json::to_string(self).map_err(|error| error.to_string())?;
        Ok(format!("{}\n", text::json::escaped(&line)))
    }

    /// The object of an alarm at `now` (UNIX seconds).
    pub(crate) fn new(alarm: &Alarm, now: f64) -> Self {
        let second = |at: f64| time::rfc3339(at.floor());
        Self {
            id: alarm.id.clone(),
            deployment: alarm.deployment.map(|uuid| uuid.to_string()),
            label: alarm.label.clone(),
            kind: alarm.kind.name(),
            state: alarm.state(now).name(),
            raised_at: second(alarm.raised_at),
            acknowledged_at: alarm.acknowledged_at.map(second),
            snoozed_until: alarm.snoozed_until.map(second),
            cleared_at: alarm.cleared_at.map(second),
            // As the service sends it: by this a fix of the track is found.
            fix_time: alarm.fix_time.map(time::rfc3339),
            value: alarm.value,
            limit: alarm.limit,
            text: alarm.text.clone(),
            event: None,
            alarms: None,
        }
    }
}

impl AlarmObject {
    /// What it is about, in a few words: "raised: mooring 2, outside".
    fn subject(&self) -> String {
        let event = self.event.unwrap_or(self.state);
        let name = self.label.as_deref().or(self.deployment.as_deref());
        let name = text::excerpt(name.unwrap_or_default(), 60);
        match name.is_empty() {
            true => format!("{event}: {}", self.kind),
            false => format!("{event}: {name}, {}", self.kind),
        }
    }
}

/// What is told at once, and the numbers of the transitions that it tells of.
#[derive(Debug, Clone, PartialEq)]
struct Message {
    object: AlarmObject,
    numbers: Vec<i64>,
}

/// The messages of what was claimed, where `watched` deployments are watched:
/// where more than 30 % of five and more went overdue, one for all of them.
fn messages(claimed: Vec<ToTell>, watched: usize, now: f64) -> Vec<Message> {
    let is_overdue =
        |one: &ToTell| one.event == AlarmEvent::Raised && one.alarm.kind == Kind::Overdue;
    let count = claimed.iter().filter(|one| is_overdue(one)).count();
    #[allow(clippy::cast_precision_loss)] // a watch list is short
    let is_fleet = watched >= FLEET && count as f64 > FLEET_PART * watched as f64;
    let (fleet, single): (Vec<ToTell>, Vec<ToTell>) = claimed
        .into_iter()
        .partition(|one| is_fleet && is_overdue(one));
    let together = as_one(&fleet, watched, now);
    let one_by_one = single.into_iter().map(|one| Message {
        object: AlarmObject {
            event: Some(one.event.name()),
            ..AlarmObject::new(&one.alarm, now)
        },
        numbers: vec![one.number],
    });
    together.into_iter().chain(one_by_one).collect()
}

/// One message of many alarms; none of none. Its id is that of the first, so that
/// it is the same when it is told once more.
fn as_one(fleet: &[ToTell], watched: usize, now: f64) -> Option<Message> {
    let first = fleet.first()?;
    let name = |one: &ToTell| {
        let uuid = one.alarm.deployment.map(|uuid| uuid.to_string());
        one.alarm.label.clone().or(uuid).unwrap_or_default()
    };
    let mut names: Vec<String> = fleet.iter().take(10).map(name).collect();
    if fleet.len() > names.len() {
        names.push(format!("{} more", fleet.len() - names.len()));
    }
    #[allow(clippy::cast_precision_loss)] // a watch list is short
    let (value, limit) = (fleet.len() as f64, FLEET_PART * watched as f64);
    let text = format!(
        "{} of {watched} deployments have sent no fix for longer than allowed: {}",
        fleet.len(),
        names.join(", ")
    );
    let object = AlarmObject {
        deployment: None,
        label: None,
        fix_time: None,
        value: Some(value),
        limit: Some(limit),
        text,
        event: Some(first.event.name()),
        alarms: Some(fleet.iter().map(|one| one.alarm.id.clone()).collect()),
        ..AlarmObject::new(&first.alarm, now)
    };
    Some(Message {
        object,
        numbers: fleet.iter().map(|one| one.number).collect(),
    })
}

/// Tells from a program that goes on meanwhile; a clone shares the turn.
#[derive(Debug, Clone)]
pub(crate) struct Teller {
    store: Store,
    on_alarm: Arc<Vec<String>>,
    turn: Arc<tokio::sync::Mutex<()>>,
    is_ending: Arc<AtomicBool>,
    /// The program that was started last.
    last: Arc<Mutex<Running>>,
}

impl Teller {
    /// Tells of the alarms in `store` by the program `on_alarm` with its
    /// arguments; empty: by none.
    pub(crate) fn new(store: Store, on_alarm: Vec<String>) -> Self {
        Self {
            store,
            on_alarm: Arc::new(on_alarm),
            turn: Arc::default(),
            is_ending: Arc::default(),
            last: Arc::default(),
        }
    }

    /// As [`Teller::tell`], a moment later, so that what is fetched together is
    /// told together.
    pub(crate) async fn tell_together(&self) -> Told {
        if self.on_alarm.is_empty() {
            return Told::default();
        }
        tokio::time::sleep(TOGETHER).await;
        self.tell().await
    }

    /// Tells the program what has happened to alarms and was not told yet, one
    /// after the other, after others that tell. Nothing is claimed without a
    /// program. Returns what went wrong; what could not be told is not told again.
    /// Dropping the future ends the program that runs, with its children; what it
    /// was told, and all after it, is told once more by the next driftline.
    pub(crate) async fn tell(&self) -> Told {
        if self.on_alarm.is_empty() {
            return Told::default();
        }
        let _turn = self.turn.lock().await;
        if self.is_ending.load(Ordering::SeqCst) {
            return Told::default();
        }
        let claimed = match self.store.claim().await {
            Ok(claimed) => claimed,
            Err(failure) => {
                return Told {
                    failures: vec![failure.of("the program of on_alarm could not be told")],
                    ..Told::default()
                };
            }
        };
        if claimed.is_empty() {
            return Told::default();
        }
        let watched = self.store.count_active().await.unwrap_or(0);
        let mut told = Told::default();
        let mut queue = VecDeque::from(messages(claimed, watched, unix_now()));
        while let Some(message) = queue.pop_front() {
            if self.is_ending.load(Ordering::SeqCst) {
                break;
            }
            // A long queue outlasts the claim that was made for all of it.
            let waiting = queue.iter().flat_map(|one| &one.numbers);
            let numbers = message.numbers.iter().chain(waiting).copied().collect();
            if let Ok(held) = self.store.renew(numbers).await
                && !message.numbers.iter().any(|one| held.contains(one))
            {
                continue;
            }
            let (started_at, began) = (unix_now(), Instant::now());
            let subject = message.object.subject();
            let ran = self.run(message.object).await;
            if ran == Ok(false) {
                break;
            }
            told.runs.push(Exchange {
                started_at,
                duration_s: began.elapsed().as_secs_f64(),
                outcome: match &ran {
                    Ok(_) => ExchangeOutcome::Done(format!("told: {subject}")),
                    Err(why) => ExchangeOutcome::Failed(format!("{why}; not told: {subject}")),
                },
                ..run_of(&self.on_alarm)
            });
            if let Err(why) = ran {
                told.failures.push(Failure::new(
                    FailureKind::Other,
                    format!("the program of on_alarm {why}"),
                    "Check the setting on_alarm.",
                ));
            }
            if let Err(failure) = self.store.told(message.numbers).await {
                let what = "a program that was told of an alarm may be told again";
                told.failures.push(failure.of(what));
            }
        }
        told
    }

    /// Tells nothing more. Waits for the program that runs, `patience` at most,
    /// then ends it with its children.
    pub(crate) async fn end(&self, patience: Duration) {
        self.is_ending.store(true, Ordering::SeqCst);
        if tokio::time::timeout(patience, self.turn.lock())
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

    /// Runs the program; `false` where it was ended because driftline ends.
    async fn run(&self, object: AlarmObject) -> Result<bool, String> {
        let line = object.line()?;
        let running = Running::default();
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = running.clone();
        let _guard = EndOnDrop(running.clone());
        let words = Arc::clone(&self.on_alarm);
        let ran = tokio::task::spawn_blocking(move || run(&words, &line, &running)).await;
        ran.unwrap_or_else(|error| Err(error.to_string()))
    }
}

/// What came of telling.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The runs of the program, as a list of requests shows them.
    pub runs: Vec<Exchange>,
    /// What went wrong.
    pub failures: Vec<Failure>,
}

/// Tells the program `on_alarm` (with its arguments) as [`Teller::tell`] does.
pub(crate) async fn tell(store: &Store, on_alarm: &[String]) -> Vec<Failure> {
    let teller = Teller::new(store.clone(), on_alarm.to_vec());
    teller.tell().await.failures
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
        attempt: (1, 1),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::program::LOOK;
    use super::*;

    fn overdue(number: i64) -> ToTell {
        let alarm = Alarm {
            id: format!("id{number}"),
            deployment: Some(Uuid::from_u128(1)),
            label: Some(format!("buoy {number}")),
            kind: Kind::Overdue,
            raised_at: 0.0,
            seen_at: 0.0,
            acknowledged_at: None,
            snoozed_until: None,
            cleared_at: None,
            fix_time: Some(-5.0),
            value: Some(20.0),
            limit: Some(10.0),
            text: "no fix for 20 s".to_owned(),
            told_at: None,
            reminders: 0,
        };
        ToTell {
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
        let mut mixed: Vec<ToTell> = (0..4).map(overdue).collect();
        mixed[1].event = AlarmEvent::Cleared;
        let mixed = messages(mixed, 5, 0.0);
        assert_eq!(mixed.len(), 2);
        assert_eq!(told(0, 10), []);
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
