use std::future::poll_fn;
use std::sync::Mutex;
use std::task::{Context, Poll};

use super::report::SAME_WARNING_EVERY;
use super::*;
use crate::alarm::AlarmEvent;
use crate::app::session::Setup;
use crate::service::Address;

const UUID: Uuid = Uuid::from_u128(7);

fn source() -> Source {
    let address: Address = "http://127.0.0.1:9".parse().unwrap();
    Source::new(Setup::new("test", address.clone(), address)).unwrap()
}

fn settings() -> Settings {
    Settings::default()
}

const OPTIONS: CollectOptions = CollectOptions {
    once: false,
    at_once: 1,
};

fn put(collector: &mut Collector<'_>, uuid: Uuid) {
    collector.agenda.put(uuid, None, unix_now());
    collector.list.insert(uuid, Deployment::new(uuid));
}

/// Begins to ask for a deployment, with a fault while it is fetched.
async fn panics(collector: &mut Collector<'_>) {
    assert_eq!(collector.agenda.due(unix_now(), 1, None), [UUID]);
    let fault = |_: &mut Context<'_>| -> Poll<Result<Ended, Failure>> { panic!("a fault") };
    let task = collector.running.spawn(poll_fn(fault));
    collector.asked.insert(task.id(), UUID);
    let joined = collector.running.join_next_with_id().await.unwrap();
    collector.joined(joined).await;
}

#[tokio::test]
async fn a_fault_while_fetching_is_a_failure_of_the_deployment_which_is_asked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().join("archive.db"));
    let (source, settings) = (source(), settings());
    let failed = Mutex::new(Vec::new());
    let report = |line: Report<'_>| {
        if let Report::Failed { entry, failure, .. } = line {
            failed
                .lock()
                .unwrap()
                .push((entry.id.uuid, failure.clone()));
        }
    };
    let mut collector = Collector::new(&source, &store, &settings, OPTIONS, &report);
    put(&mut collector, UUID);
    panics(&mut collector).await;
    let failures = failed.lock().unwrap().clone();
    assert_eq!(failures, [(UUID, without_outcome())]);
    let now = unix_now();
    assert_eq!(collector.agenda.asking().count(), 0);
    let next = collector.agenda.next(UUID).unwrap().at;
    assert!(next > now);
    assert_eq!(collector.agenda.due(next, 1, None), [UUID]);
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn a_lease_ends_with_a_fault_and_with_a_deployment_that_was_taken_off_the_list() {
    use crate::testing::database::{SERVER, new_database};
    use crate::testing::postgres::place;

    let place = place(&SERVER.url(&new_database(), true));
    let store = Store::for_watching(
        place.clone(),
        true,
        Vec::new(),
        crate::archive::Listed::default(),
    );
    let other = Store::for_watching(place, true, Vec::new(), crate::archive::Listed::default());
    let (source, settings) = (source(), settings());
    let mut collector = Collector::new(&source, &store, &settings, OPTIONS, &|_| {});

    // It is not on the list any more.
    assert_eq!(store.lease(UUID).await, Ok(None));
    assert!(other.lease(UUID).await.unwrap().is_some());
    let fault = Err(without_outcome());
    collector.handle(UUID, fault).await;
    while collector.ending.join_next().await.is_some() {}
    assert_eq!(other.lease(UUID).await, Ok(None));
    other.end_lease(UUID, 0.0).await.unwrap();

    // It is due again after the wait of a failure, and not held until then.
    assert_eq!(store.lease(UUID).await, Ok(None));
    put(&mut collector, UUID);
    panics(&mut collector).await;
    while collector.ending.join_next().await.is_some() {}
    store.renew_leases().await;
    let due = collector.agenda.next(UUID).unwrap().at - unix_now();
    let wait = other.lease(UUID).await.unwrap().unwrap();
    assert!((wait - due).abs() < 5.0, "{wait} {due}");
}

#[tokio::test]
async fn while_responses_cannot_be_stored_in_a_file_the_requests_go_on() {
    use crate::track::{Platform, TrackOptions};
    use crate::watch::Update;

    let store = Store::in_memory();
    let (source, settings) = (source(), settings());
    let mut collector = Collector::new(&source, &store, &settings, OPTIONS, &|_| {});
    for number in 0..8 {
        put(&mut collector, Uuid::from_u128(number));
    }
    for _ in 0..7 {
        let uuid = collector.agenda.due(unix_now(), 1, None)[0];
        let now = unix_now();
        let update = Update {
            track: None,
            overview: std::sync::Arc::default(),
            options: Box::new(TrackOptions::new(Platform::Generic, now)),
            fetched_at: now,
            took_s: 0.1,
            delta: None,
            notes: Vec::new(),
            unstored: Some(Failure::new(FailureKind::Other, "the disk is full", "")),
            unjudged: None,
        };
        let ended = Ok(Ended::Asked(Outcome::Updated(Box::new(update))));
        collector.handle(uuid, ended).await;
        let next = collector.agenda.next(uuid).unwrap().at;
        assert!(next <= now + UNSTORED_S.max(settings.refresh.as_secs_f64()) + 1.0);
    }
    collector.begin();
    assert_eq!(collector.running.len(), 1);
}

/// A place of an archive with a deployment on its watch list.
async fn listing(folder: &std::path::Path, name: &str) -> std::path::PathBuf {
    let path = folder.join(name);
    let store = Store::at(path.clone());
    store
        .change(None, Deployment::new(UUID), false)
        .await
        .unwrap();
    path
}

#[tokio::test]
async fn after_the_archive_was_replaced_what_is_due_follows_from_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = listing(folder.path(), "archive.db").await;
    let backup = listing(folder.path(), "backup.db").await;
    let (source, settings, store) = (source(), settings(), Store::at(path.clone()));
    let warnings = Mutex::new(Vec::new());
    let report = |line: Report<'_>| {
        if let Report::Warning(warning) = line {
            warnings.lock().unwrap().push(warning);
        }
    };
    let mut collector = Collector::new(&source, &store, &settings, OPTIONS, &report);
    collector.read_list().await.unwrap();
    collector.agenda.later(UUID, unix_now() + 3600.0);
    collector.read_list().await.unwrap();
    assert!(collector.agenda.due(unix_now(), 1, None).is_empty());
    std::fs::rename(backup, path).unwrap();
    collector.read_list().await.unwrap();
    assert_eq!(collector.agenda.due(unix_now(), 1, None), [UUID]);
    let warnings = warnings.lock().unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("was removed or replaced"),
        "{warnings:?}"
    );
}

#[tokio::test]
async fn a_warning_is_reported_once_an_hour() {
    let (store, source, settings) = (Store::in_memory(), source(), settings());
    let count = Mutex::new(0);
    let report = |_: Report<'_>| *count.lock().unwrap() += 1;
    let mut collector = Collector::new(&source, &store, &settings, OPTIONS, &report);
    for warning in ["a", "b", "a", "b", "a"] {
        collector.warn(warning.to_owned());
    }
    assert_eq!(*count.lock().unwrap(), 2);
    let before = Instant::now() - SAME_WARNING_EVERY;
    collector.warned.insert("a".to_owned(), before);
    collector.warn("a".to_owned());
    assert_eq!(*count.lock().unwrap(), 3);
}

#[tokio::test]
async fn an_alarm_that_was_raised_and_ended_meanwhile_has_both_lines() {
    use crate::app::alarms::judge::judge_archived;
    use crate::geo::Inside;
    use crate::testing::track::records;
    use crate::watch::{Answer, Limits};

    let (store, source, settings) = (Store::in_memory(), source(), settings());
    let entry = Deployment {
        limits: Limits {
            inside: Inside::from_stored("60,5,200"),
            ..Limits::default()
        },
        ..Deployment::new(UUID)
    };
    let began = unix_now() - 6.0 * 3600.0;
    let watched = store.write(move |archive| archive.watch(&entry, began));
    watched.await.unwrap();
    let mut collector = Collector::new(&source, &store, &settings, OPTIONS, &|_| {});
    assert_eq!(collector.new_alarms().await.len(), 0);
    // Another program stores all of it between two looks.
    let fixes = [0.0, 0.004, 0.004, 0.0, 0.0].into_iter().zip(0..5u32);
    let fixes =
        fixes.map(move |(north, hour)| (began + 3600.0 * f64::from(hour + 1), 60.0 + north, 5.0));
    let answer = Answer {
        records: std::sync::Arc::new(records(fixes)),
        ..Answer::new(200, "https://service.example", unix_now())
    };
    let stored = store.write(move |archive| archive.ingest(UUID, &answer).map(drop));
    stored.await.unwrap();
    judge_archived(&store, UUID).await.unwrap();
    let events = collector.new_alarms().await;
    let events: Vec<AlarmEvent> = events.into_iter().map(|(_, event)| event).collect();
    assert_eq!(events, [AlarmEvent::Raised, AlarmEvent::Cleared]);
    assert_eq!(collector.new_alarms().await.len(), 0);
}

/// The deployment with a number, and an answer by which it lies outside its watch circle.
fn outside(number: u32) -> (Deployment, crate::watch::Answer) {
    use crate::geo::Inside;
    use crate::testing::track::records;
    use crate::watch::{Answer, Limits};

    let entry = Deployment {
        label: Some(format!("buoy{number}")),
        limits: Limits {
            inside: Inside::from_stored("60,5,200"),
            ..Limits::default()
        },
        ..Deployment::new(Uuid::from_u128(number.into()))
    };
    let now = unix_now();
    let fixes = (0..6).map(|count| (now - 600.0 * f64::from(6 - count), 60.1, 5.0));
    let answer = Answer {
        records: std::sync::Arc::new(records(fixes)),
        ..Answer::new(200, "https://service.example", now)
    };
    (entry, answer)
}

/// Stores an alarm of the deployment with a number: it lies outside its watch circle.
async fn raise(store: &Store, number: u32) {
    use crate::app::alarms::judge::judge_archived;

    let (entry, answer) = outside(number);
    let uuid = entry.id.uuid;
    let added_at = answer.received_at - 9e4;
    let stored = store.write(move |archive| {
        archive.watch(&entry, added_at)?;
        archive.ingest(uuid, &answer).map(drop)
    });
    stored.await.unwrap();
    judge_archived(store, uuid).await.unwrap();
    store.alarms_may_differ();
}

#[cfg(unix)]
#[tokio::test]
async fn an_alarm_that_is_stored_while_it_is_sent_from_memory_is_told_once() {
    use crate::app::alarms::judge::{AtHand, judge, judge_archived};

    let folder = tempfile::tempdir().unwrap();
    let (told, release) = (folder.path().join("told"), folder.path().join("release"));
    let script = format!(
        "cat >> '{}'; while [ ! -e '{}' ]; do sleep 0.1; done",
        told.display(),
        release.display()
    );
    let lines = || std::fs::read_to_string(&told).map_or(0, |text| text.lines().count());
    let store = Store::in_memory();
    let (entry, answer) = outside(1);
    let (uuid, now) = (entry.id.uuid, answer.received_at);
    let watched = store.write(move |archive| archive.watch(&entry, now - 9e4));
    watched.await.unwrap();
    // The disk is full.
    let held = store.hold_unstored(uuid, answer.clone(), Default::default());
    let held = held.await.unwrap();
    judge(&held, uuid, AtHand::default(), now).await.unwrap();
    let notifier = Notifier::new(
        store.clone(),
        ["sh", "-c", &script].map(str::to_owned).to_vec(),
    );
    let shared = notifier.clone();
    let notifying = tokio::spawn(async move { shared.notify().await.failures });
    while lines() < 1 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // There is room again, and another alarm shows that the list has been read since.
    let stored = store.write(move |archive| archive.ingest(uuid, &answer).map(drop));
    stored.await.unwrap();
    store.response_stored(uuid).await;
    judge_archived(&store, uuid).await.unwrap();
    raise(&store, 2).await;
    while lines() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    std::fs::write(&release, "").unwrap();
    assert_eq!(notifying.await.unwrap(), []);
    assert_eq!(notifier.notify().await.failures, []);
    assert_eq!(lines(), 2);
    let pending = store.read(|archive| archive.to_notify(None, unix_now()));
    assert_eq!(pending.await.unwrap().transitions, []);
}

#[cfg(unix)]
#[tokio::test]
async fn programs_that_hang_hold_up_no_message_about_another_deployment() {
    let folder = tempfile::tempdir().unwrap();
    let (log, release) = (folder.path().join("log"), folder.path().join("release"));
    let script = format!(
        "l=$(sed 's/.*\"label\":\"\\([a-z0-9]*\\)\".*/\\1/'); echo \"+$l\" >> '{log}'; \
         while [ $l != buoy99 ] && [ ! -e '{release}' ]; do sleep 0.1; done; echo \"-$l\" >> '{log}'",
        log = log.display(),
        release = release.display()
    );
    let lines = || -> Vec<String> {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    };
    let until = async |is_done: &dyn Fn(&[String]) -> bool| {
        while !is_done(&lines()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let store = Store::in_memory();
    for number in 0..6 {
        raise(&store, number).await;
    }
    let command = ["sh", "-c", &script].map(str::to_owned);
    let notifier = Notifier::new(store.clone(), command.to_vec());
    let shared = notifier.clone();
    let notifying = tokio::spawn(async move { shared.notify().await.failures });
    until(&|lines| lines.len() == 6).await;
    // Its alarm is raised while the others hang, and told before any of them ends.
    raise(&store, 99).await;
    until(&|lines| lines.len() == 8).await;
    assert_eq!(lines()[6..], ["+buoy99", "-buoy99"]);
    std::fs::write(&release, "").unwrap();
    assert_eq!(notifying.await.unwrap(), []);
    // Of more than there are places each is told once, and no more than that at once.
    for number in 10..30 {
        raise(&store, number).await;
    }
    assert_eq!(notifier.notify().await.failures, []);
    let (mut running, mut told) = (0, HashSet::new());
    for line in lines() {
        match line.split_at(1) {
            ("+", label) => {
                running += 1;
                assert!(told.insert(label.to_owned()), "{label} twice");
            }
            _ => running -= 1,
        }
        assert!(running <= 16, "{running}");
    }
    assert_eq!(told.len(), 27);
}
