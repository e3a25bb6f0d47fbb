use uuid::Uuid;

use super::message::AlarmObject;
use super::*;
use crate::alarm::{Alarm, AlarmEvent, Cause, Kind, Unanswered};
use crate::archive::Transition;

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

/// The cause of a silence while the service refuses.
fn refused() -> Option<Cause> {
    let unanswered = Unanswered {
        since: Some(-3600.0),
        why: Some("404".to_owned()),
    };
    Some(Cause {
        unanswered: Some(unanswered),
        ..Cause::default()
    })
}

#[test]
fn many_that_go_overdue_together_are_told_as_one() {
    let told = |count, watched| messages((0..count).map(overdue).collect(), watched, 0.0);
    assert_eq!(told(2, 4).len(), 2);
    assert_eq!(told(3, 10).len(), 3);
    let one = told(4, 10);
    assert_eq!(one.len(), 1);
    assert_eq!(one[0].numbers, [0, 1, 2, 3]);
    // Since when.
    assert_eq!(
        one[0].object.text,
        "4 of 10 deployments are overdue: buoy 0, buoy 1, buoy 2, buoy 3; \
         the latest good fix is of 1969-12-31T23:59:55Z"
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
    twice[1].alarm.deployment = twice[0].alarm.deployment.clone();
    assert_eq!(messages(twice, 6, 0.0).len(), 2);
}

#[test]
fn a_reminder_has_the_age_of_today_and_the_cause() {
    const DAY: f64 = 86_400.0;
    let mut one = overdue(0);
    one.event = AlarmEvent::Reminder;
    one.alarm.cause = refused();
    let text = |one: Transition, now| messages(vec![one], 9, now)[0].object.text.clone();
    assert_eq!(
        text(one.clone(), 9.0 * DAY),
        "overdue: no fix for 9 d, limit 10 s; no usable answer since 1969-12-31T23:00:00Z: 404; raised 9 d ago"
    );
    one.alarm.kind = Kind::Outside;
    one.alarm.fix_time = Some(one.alarm.raised_at);
    one.alarm.text = "outside its watch circle".to_owned();
    let of_day = |days: f64| text(one.clone(), days * DAY);
    assert_eq!(of_day(1.0), "outside its watch circle; raised 1 d ago");
    assert_eq!(of_day(8.0), "outside its watch circle; raised 8 d ago");
    // Its limit was set ten minutes after the fix that is beyond it.
    let mut set_later = one.clone();
    set_later.alarm.raised_at += 600.0;
    let words = text(set_later, DAY);
    assert!(
        words.starts_with("outside its watch circle; by the fix of 1970-01-01T"),
        "{words}"
    );
}

fn line_of_one() -> String {
    AlarmObject::new(&overdue(1).alarm, 0.0).line().unwrap()
}

async fn ran(line: &str) -> Result<(), String> {
    let words = ["sh", "-c", line].map(str::to_owned);
    let line = line_of_one();
    run(&words, &line, &Running::default()).await.map(|_| ())
}

#[tokio::test]
async fn a_program_is_told_by_its_standard_input_and_its_failure_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("told");
    ran(&format!("cat > {}", file.display())).await.unwrap();
    let told: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(told["raised_at"], "1970-01-01T00:00:00Z");
    assert_eq!(
        (&told["kind"], &told["value"]),
        (&"overdue".into(), &20.0.into())
    );
    // It may print without end, and need not read.
    ran("head -c 100000000 /dev/zero").await.unwrap();
    assert!(ran("exit 1").await.unwrap_err().contains("exit status: 1"));
    let complained = ran("echo >&2; echo no route to mail >&2; echo more >&2; exit 1").await;
    let said = complained.unwrap_err();
    assert!(said.ends_with("exit status: 1: no route to mail"), "{said}");
    let missing = run(
        &["/no/such".to_owned()],
        &line_of_one(),
        &Running::default(),
    )
    .await;
    assert!(missing.unwrap_err().contains("could not be started"));
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "no program").unwrap();
    let words = [plain.display().to_string()];
    let refused = run(&words, &line_of_one(), &Running::default()).await;
    assert!(refused.unwrap_err().contains("could not be started"));
}

#[tokio::test]
async fn a_line_that_is_longer_than_what_a_pipe_holds_is_told_whole_and_within_the_limit() {
    let alarms = (0..20_000).map(overdue).collect();
    let line = messages(alarms, 20_000, 0.0)[0].object.line().unwrap();
    assert!(line.len() > 100_000, "{}", line.len());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("told");
    let told = async |program: String| {
        let words = ["sh".to_owned(), "-c".to_owned(), program];
        run(&words, &line, &Running::default()).await
    };
    assert_eq!(told(format!("cat > {}", file.display())).await, Ok(true));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), line);
    // It reads nothing, and does not end by itself before the limit.
    let refused = told("exec sleep 30".to_owned()).await;
    assert!(refused.unwrap_err().contains("longer than 10 s"));
}

#[tokio::test]
async fn a_program_that_never_ends_is_ended_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("child");
    let began = Instant::now();
    let line = format!("sleep 300 & echo $! > {}; wait", file.display());
    assert!(ran(&line).await.unwrap_err().contains("longer than 10 s"));
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
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(is_gone());
}

#[test]
fn one_program_a_deployment_is_notified_at_a_time_and_the_longest_waiting_first() {
    let deployment = |number: u128| Some(Uuid::from_u128(number));
    let message = |about: &[u128]| {
        let of = about.iter().map(|number| deployment(*number)).collect();
        let one = messages(vec![overdue(1)], 9, 0.0).remove(0);
        Queued {
            store: Store::in_memory(),
            kept: Kept::Archive,
            message: Message { about: of, ..one },
        }
    };
    let queue = |all: &[&[u128]]| all.iter().map(|about| message(about)).collect();
    let busy = |all: &[u128]| all.iter().map(|number| deployment(*number)).collect();
    let next = |all: &[&[u128]], of: &[u128]| super::next(&queue(all), &busy(of));
    assert_eq!(next(&[], &[]), None);
    assert_eq!(next(&[&[1], &[2]], &[]), Some(0));
    assert_eq!(next(&[&[1], &[2]], &[1]), Some(1));
    assert_eq!(next(&[&[1], &[1]], &[1]), None);
    // A message of several waits until none of them is busy, and none overtakes it.
    assert_eq!(next(&[&[1, 2], &[2], &[3]], &[1]), Some(2));
    assert_eq!(next(&[&[1, 2], &[2]], &[1]), None);
}
