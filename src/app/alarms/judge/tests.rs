//! Alarms as a function of the whole track, the limits and the clock.

mod early;
mod empty_values;
mod hidden;
mod taken_over;
mod torn;
mod waits;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::runtime::Handle;
use uuid::Uuid;

use super::{
    Asked, Asking, AtHand, Case, LastAnswer, LastRequest, Store, judge_by, judge_unjudged,
    maybe_silent,
};
use crate::alarm::{Alarm, AlarmEvent, AlarmReply, Kind};
use crate::archive::{Archive, ArchiveError, MadeOverview};
use crate::failure::refusal::Refusal;
use crate::geo::{Inside, Units};
use crate::os::clock::unix_now;
use crate::testing::chance::{Chance, rounds};
use crate::testing::track::{Numbers, records};
use crate::track::{Flag, Platform, Track};
use crate::watch::agenda::Idle;
use crate::watch::{Answer, Deployment, Limits, Overview};

/// As [`judge`], for an archive that is open.
pub(crate) fn judge(
    archive: &mut Archive,
    uuid: Uuid,
    at_hand: &AtHand,
    now: f64,
) -> Result<Vec<String>, ArchiveError> {
    let Some(case) = Case::read(archive, uuid, at_hand.clone(), now)? else {
        return Ok(Vec::new());
    };
    let findings = case.findings();
    if !case.is_as_recorded(&findings) {
        assert!(archive.record_findings(&case.watched, &findings, case.kept_now())?);
    }
    Ok(case.unjudged(&findings))
}

const UUID: Uuid = Uuid::from_u128(7);
const START: f64 = 1.8e9;
const HOUR: f64 = 3600.0;
const DAY: f64 = 24.0 * HOUR;

fn entry(platform: Platform) -> Deployment {
    Deployment {
        platform,
        limits: Limits {
            inside: Inside::from_stored("60,5,200"),
            ..Limits::default()
        },
        ..Deployment::new(UUID)
    }
}

fn watching(entry: &Deployment, added_at: f64) -> Archive {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(entry, added_at).unwrap();
    archive
}

fn take_in(archive: &mut Archive, fixes: &[Numbers], at: f64) {
    take_in_by(archive, fixes, at, Some(0.0));
}

/// Takes an answer in as of a service that says what its clock shows, so far ahead in seconds, or
/// does not say it.
fn take_in_by(archive: &mut Archive, fixes: &[Numbers], at: f64, clock_ahead_s: Option<f64>) {
    let answer = Answer {
        records: std::sync::Arc::new(records(fixes.iter().copied())),
        clock_ahead_s,
        ..Answer::new(200, "https://service.example", at)
    };
    archive.ingest(UUID, &answer).unwrap();
    judge(archive, UUID, &AtHand::default(), at).unwrap();
}

/// Takes an answer in with the overview of its track, as the program does.
fn take_in_with_overview(archive: &mut Archive, entry: &Deployment, fixes: &[Numbers], now: f64) {
    let answer = Answer {
        records: Arc::new(records(fixes.iter().copied())),
        ..Answer::new(200, "https://service.example", now)
    };
    let options = entry.options(now);
    let track = Track::new(&answer.records, &options);
    let overview = Arc::new(Overview::new(&track));
    let made = MadeOverview::new(UUID, None, overview, &track, options);
    archive
        .ingest_with(&UUID.into(), &answer, Some(&made))
        .unwrap();
    judge(archive, UUID, &AtHand::default(), now).unwrap();
}

fn judge_list(
    archive: &mut Archive,
    list: &[Deployment],
    asked: &Asked,
    now: f64,
) -> Result<(), ArchiveError> {
    for (uuid, at_hand) in maybe_silent(archive, list, asked, now)? {
        judge(archive, uuid, &at_hand, now)?;
    }
    Ok(())
}

fn at(hour: f64, north_m: f64) -> Numbers {
    (START + HOUR * hour, 60.0 + north_m / 111_320.0, 5.0)
}

fn standing(archive: &Archive) -> Vec<(Kind, Option<f64>)> {
    let mut all: Vec<(Kind, Option<f64>)> = (archive.active_alarms().unwrap().iter())
        .map(|one| (one.kind, one.fix_time))
        .collect();
    all.sort_by_key(|(kind, _)| kind.name());
    all
}

fn told(archive: &mut Archive, now: f64) -> Vec<(AlarmEvent, Alarm)> {
    archive.settle_notifications(None, now).unwrap();
    let claimed = archive.to_notify(None, now).unwrap().transitions;
    let numbers: Vec<i64> = claimed.iter().map(|one| one.number).collect();
    archive.notified(&numbers, now).unwrap();
    claimed
        .into_iter()
        .map(|one| (one.event, one.alarm))
        .collect()
}

/// A track that lies still, strays, leaves and comes back, is carried off, and is silent,
/// by chance.
fn any_track(chance: &Chance) -> Vec<Numbers> {
    let (mut hour, mut north_m, mut speed_m) = (0.0, 0.0, 0.0);
    (0..30 + chance.below(60))
        .map(|_| {
            if chance.below(8) == 0 {
                speed_m = [0.0, 0.0, 90.0, -90.0, 7000.0][chance.below(5)];
            }
            if chance.below(6) == 0 {
                north_m = [0.0, 150.0, 240.0, 900.0][chance.below(4)];
            }
            north_m += speed_m;
            hour += [1.0, 1.0, 1.0, 0.5, 2.0, 20.0][chance.below(6)];
            at(hour, north_m)
        })
        .collect()
}

fn failing(failures: &HashMap<Uuid, String>) -> Asked {
    let failed = |(uuid, why): (&Uuid, &String)| {
        let last = LastRequest {
            failure: Some(why.clone()),
            ..LastRequest::default()
        };
        (*uuid, last)
    };
    Asked {
        last: failures.iter().map(failed).collect(),
        ..Asked::default()
    }
}

#[test]
fn any_order_of_arrival_cut_into_any_answers_ends_in_the_alarms_of_the_whole_track() {
    let chance = Chance::new("arrival");
    let (mut raised, mut silent) = (0, 0);
    for round in 0..rounds(80, 600) {
        let platform = [Platform::Mooring, Platform::Drifter, Platform::Float][chance.below(3)];
        let entry = entry(platform);
        let whole = any_track(&chance);
        let now = whole.last().unwrap().0 + [600.0, 9.0 * HOUR][chance.below(2)];
        let mut at_once = watching(&entry, START);
        take_in(&mut at_once, &whole, now);

        let mut mixed = whole.clone();
        for place in (1..mixed.len()).rev() {
            mixed.swap(place, chance.below(place + 1));
        }
        let mut in_parts = watching(&entry, START);
        let mut rest = mixed.as_slice();
        while !rest.is_empty() {
            let (part, later) = rest.split_at((1 + chance.below(20)).min(rest.len()));
            take_in(&mut in_parts, part, now);
            rest = later;
        }
        // A part withdraws the others, which is no order of arrival.
        let judged = |archive: &Archive| {
            let mut all = standing(archive);
            all.retain(|(kind, _)| *kind != Kind::Unjudged);
            all
        };
        let expected = judged(&at_once);
        assert_eq!(judged(&in_parts), expected, "round {round} {platform}");
        // Each that has ended is recorded, too; in parts, others may have been raised besides.
        let recorded = in_parts.alarms().unwrap();
        let judged = at_once.alarms().unwrap().into_iter();
        for alarm in judged.filter(|alarm| alarm.kind != Kind::Unjudged) {
            let end = |alarm: &Alarm| alarm.cleared_at.unwrap_or(f64::INFINITY);
            let meets = |a: &Alarm, b: &Alarm| a.fix_time.unwrap() <= end(b);
            let is_same = |b: &Alarm| b.kind == alarm.kind && meets(b, &alarm) && meets(&alarm, b);
            assert!(recorded.iter().any(is_same), "round {round}: {alarm:?}");
        }
        if expected.is_empty() {
            silent += 1
        } else {
            raised += 1
        }
    }
    assert!(raised > 5 && silent > 0, "{raised} {silent}");
}

#[test]
fn the_newest_fix_may_come_first_and_those_between_later() {
    let mut archive = watching(&entry(Platform::Mooring), START);
    let home = [at(0.0, 0.0), at(1.0, 0.0), at(2.0, 0.0), at(3.0, 0.0)];
    take_in(&mut archive, &home, START + 3.1 * HOUR);
    // One beyond the circle alone, then the one before it.
    let newest = at(6.0, 250.0);
    take_in(&mut archive, &[newest], START + 6.1 * HOUR);
    assert_eq!(standing(&archive), []);
    take_in(&mut archive, &[at(5.0, 240.0)], START + 6.2 * HOUR);
    assert_eq!(standing(&archive), [(Kind::Outside, Some(newest.0))]);
    // Another one before both: the alarm is the same, and it began earlier.
    take_in(&mut archive, &[at(4.0, 230.0)], START + 6.3 * HOUR);
    assert_eq!(
        standing(&archive),
        [(Kind::Outside, Some(START + 5.0 * HOUR))]
    );
    assert_eq!(archive.alarms().unwrap().len(), 1);
    assert_eq!(told(&mut archive, START + 6.4 * HOUR).len(), 1);
}

#[test]
fn a_clock_that_is_behind_ends_no_alarm() {
    let mut archive = watching(&entry(Platform::Mooring), START);
    let left: Vec<Numbers> = (0..9).map(|hour| at(f64::from(hour), 9e3)).collect();
    take_in(&mut archive, &left, START + 20.0 * HOUR);
    let before = archive.alarms().unwrap();
    assert_eq!(before.len(), 2);
    take_in(&mut archive, &left, START - 40.0 * HOUR);
    assert_eq!(archive.alarms().unwrap(), before);
}

#[test]
fn a_deployment_that_gives_no_answer_is_overdue_by_the_clock_and_says_why() {
    let mut entry = entry(Platform::Mooring);
    entry.limits.max_age_s = Some(2.0 * HOUR);
    let mut archive = watching(&entry, START);
    let home: Vec<Numbers> = (0..6).map(|hour| at(f64::from(hour), 0.0)).collect();
    take_in(&mut archive, &home, START + 5.1 * HOUR);
    let failures = HashMap::from([(UUID, "the service answered 404 Not Found".to_owned())]);
    let list = [entry];
    for hours in [6.9, 7.1, 9.0] {
        let now = START + hours * HOUR;
        judge_list(&mut archive, &list, &failing(&failures), now).unwrap();
        assert_eq!(
            standing(&archive).len(),
            usize::from(hours > 7.0),
            "{hours}"
        );
    }
    let alarm = archive.active_alarms().unwrap().remove(0);
    assert_eq!(
        (alarm.kind, alarm.raised_at),
        (Kind::Overdue, START + 7.0 * HOUR)
    );
    let since = "no usable answer since 2027-01-15T13:06:00Z: the service answered 404 Not Found";
    assert_eq!(alarm.cause(Units::Si), since);
    assert_eq!(
        alarm.report(START + 9.0 * HOUR),
        format!("overdue: no fix for 4 h, limit 2 h; {since}")
    );
    assert_eq!(told(&mut archive, START + 9.0 * HOUR).len(), 1);
}

#[test]
fn the_cause_of_a_silence_is_that_of_the_last_refusal_until_there_is_an_answer() {
    let mut entry = entry(Platform::Mooring);
    entry.limits.max_age_s = Some(2.0 * HOUR);
    let mut archive = watching(&entry, START);
    let list = [entry];
    take_in(&mut archive, &[at(0.0, 0.0)], START + 0.1 * HOUR);
    // It is answered that there is no more, and raised.
    take_in(&mut archive, &[at(0.0, 0.0)], START + 3.0 * HOUR);
    let cause = |archive: &Archive| archive.active_alarms().unwrap().remove(0).cause(Units::Si);
    assert_eq!(cause(&archive), "");
    // Then it is refused, for one reason and for another.
    for (hours, why) in [(4.0, "404 Not Found"), (5.0, "403 Forbidden")] {
        let failures = HashMap::from([(UUID, why.to_owned())]);
        judge_list(
            &mut archive,
            &list,
            &failing(&failures),
            START + hours * HOUR,
        )
        .unwrap();
        let since = format!("no usable answer since 2027-01-15T11:00:00Z: {why}");
        assert_eq!(cause(&archive), since);
        // A program that has sent no request does not know better.
        judge(
            &mut archive,
            UUID,
            &AtHand::default(),
            START + hours * HOUR + 900.0,
        )
        .unwrap();
        assert_eq!(cause(&archive), since);
    }
    take_in(&mut archive, &[at(0.0, 0.0)], START + 6.0 * HOUR);
    assert_eq!(cause(&archive), "");
    assert_eq!(told(&mut archive, START + 6.0 * HOUR).len(), 1);
}

#[test]
fn an_answer_counts_until_the_next_request_has_been_due() {
    let minutely = Asked {
        refresh_s: 60.0,
        ..Asked::default()
    };
    let failed = Asked {
        refresh_s: 60.0,
        ..failing(&HashMap::from([(UUID, "404 Not Found".to_owned())]))
    };
    let each = |interval_s| LastAnswer {
        at: START,
        last_fix: Some(START - 5.0),
        interval_s: Some(interval_s),
        gaps: 20,
        ..LastAnswer::default()
    };
    let costly = LastAnswer {
        idle: Idle {
            bytes: 12_000_000,
            bytes_of_day: 36_000_000,
            ..Idle::default()
        },
        ..each(300.0)
    };
    let limited = LastAnswer {
        max_age_s: Some(3.0 * HOUR),
        ..each(DAY)
    };
    for (asked, answer, seconds, is_held) in [
        // It reports each 15 s, and the next request is sent after a minute.
        (&minutely, each(15.0), 50.0, true),
        (&failed, each(15.0), 50.0, false),
        // Nobody asks for it any more.
        (&minutely, each(15.0), 100.0, false),
        // It is asked for when the next fix is due, when it is over its limit, after an hour.
        (&minutely, each(HOUR), 3590.0, true),
        (&minutely, each(HOUR), 3660.0, false),
        (&minutely, limited, 3.0 * HOUR, true),
        (&minutely, limited, 3.0 * HOUR + 60.0, false),
        (&minutely, costly, 3590.0, true),
        (&minutely, costly, 3670.0, false),
    ] {
        let now = START + seconds;
        let as_of = asked.as_asked(UUID, &answer, now);
        let expected = if is_held { START } else { now };
        assert_eq!(as_of, expected, "{seconds} s: {answer:?}");
    }
}

#[test]
fn an_answer_that_could_not_be_stored_is_an_answer() {
    let quarters = |count: u32| -> Vec<Numbers> {
        let fix = |number: u32| (START + 15.0 * f64::from(number), 60.0, 5.0);
        (0..count).map(fix).collect()
    };
    let entry = Deployment::new(UUID);
    let mut archive = watching(&entry, START);
    take_in(&mut archive, &quarters(10), START + 140.0);
    // The disk is full for minutes, in which the service goes on answering.
    let answered = LastAnswer {
        at: START + 600.0,
        last_fix: Some(START + 590.0),
        interval_s: Some(15.0),
        ..LastAnswer::default()
    };
    let asked = |failure: Option<&str>| Asked {
        last: HashMap::from([(
            UUID,
            LastRequest {
                failure: failure.map(str::to_owned),
                unstored: Some(answered),
            },
        )]),
        refresh_s: 15.0,
    };
    let list = [entry];
    judge_list(&mut archive, &list, &asked(None), START + 610.0).unwrap();
    assert_eq!(archive.alarms().unwrap(), []);
    // Then it does not answer any more.
    judge_list(
        &mut archive,
        &list,
        &asked(Some("timed out")),
        START + 660.0,
    )
    .unwrap();
    let alarm = archive.alarms().unwrap().remove(0);
    let text = "no usable answer since 2027-01-15T08:10:00Z: timed out";
    assert_eq!(
        (alarm.kind, alarm.cause(Units::Si).as_str(), alarm.fix_time),
        (Kind::Overdue, text, Some(START + 590.0))
    );
}

#[test]
fn while_the_service_gives_no_usable_answer_none_is_overdue() {
    let mut entry = entry(Platform::Mooring);
    entry.limits.max_age_s = Some(2.0 * HOUR);
    let mut archive = watching(&entry, START);
    take_in(&mut archive, &[at(0.0, 0.0)], START);
    let service = "https://service.example";
    let now = START + 9.0 * HOUR;
    archive
        .unreached(
            service,
            "no usable answer",
            UUID,
            now,
            Refusal::Withdrawn,
            now,
        )
        .unwrap();
    judge_list(&mut archive, &[entry], &Asked::default(), now).unwrap();
    assert_eq!(standing(&archive), [(Kind::Unreachable, None)]);
}

#[test]
fn a_failure_that_may_be_the_first_of_many_makes_nothing_overdue_until_another_is_answered() {
    let mut entry = entry(Platform::Mooring);
    entry.limits.max_age_s = Some(2.0 * HOUR);
    let other = Deployment::new(Uuid::from_u128(8));
    // Five more are watched, which are not due.
    let watched = |now: f64| {
        let mut archive = watching(&entry, START);
        for number in 8..13 {
            let more = Deployment::new(Uuid::from_u128(number));
            archive.watch(&more, START).unwrap();
        }
        take_in(&mut archive, &[at(0.0, 0.0)], START);
        let (service, why) = ("https://service.example", "refused");
        archive
            .unreached(service, why, UUID, now, Refusal::Unreached, now)
            .unwrap();
        archive
    };
    let list = std::slice::from_ref(&entry);
    let now = START + 9.0 * HOUR;
    let overdue = |archive: &mut Archive, now: f64| {
        judge_list(archive, list, &Asked::default(), now).unwrap();
        standing(archive)
            .iter()
            .any(|(kind, _)| *kind == Kind::Overdue)
    };
    let mut alone = watched(now);
    assert_eq!(
        [0.0, 299.0, 301.0].map(|after_s| overdue(&mut alone, now + after_s)),
        [false, false, true]
    );
    // The clock was ahead when it failed, and is set back.
    assert!(overdue(&mut watched(now + 24.0 * HOUR), now));
    let mut among_answers = watched(now);
    assert!(!overdue(&mut among_answers, now));
    let answer = Answer::new(200, "https://service.example", now + 10.0);
    among_answers.ingest(other.id.uuid, &answer).unwrap();
    assert!(overdue(&mut among_answers, now + 10.0));
}

#[test]
fn what_never_was_answered_is_overdue_from_when_it_was_added_on() {
    let mut entry = entry(Platform::Mooring);
    entry.limits.max_age_s = Some(2.0 * HOUR);
    let mut archive = watching(&entry, START);
    let list = [entry.clone()];
    for (hours, count) in [(1.0, 0), (2.5, 1)] {
        let now = START + hours * HOUR;
        judge_list(&mut archive, &list, &Asked::default(), now).unwrap();
        assert_eq!(standing(&archive).len(), count);
    }
    // The first fix ends it.
    take_in(&mut archive, &[at(2.6, 0.0)], START + 2.7 * HOUR);
    assert_eq!(standing(&archive), []);
}

#[test]
fn what_stands_is_told_once_however_long_ago_it_began_and_what_ended_long_ago_is_not() {
    let mut archive = watching(&entry(Platform::Mooring), START);
    let mut fixes: Vec<Numbers> = (0..80).map(|hour| at(f64::from(hour), 0.0)).collect();
    (fixes[10].1, fixes[11].1) = (at(0.0, 240.0).1, at(0.0, 240.0).1);
    for fix in &mut fixes[40..] {
        fix.1 = at(0.0, 240.0).1;
    }
    // The collector was off meanwhile.
    let now = START + 79.1 * HOUR;
    take_in(&mut archive, &fixes, now);
    let all = archive.alarms().unwrap();
    assert_eq!(all.len(), 2);
    let told: Vec<(AlarmEvent, f64)> = told(&mut archive, now)
        .into_iter()
        .map(|(event, alarm)| (event, alarm.raised_at))
        .collect();
    assert_eq!(told, [(AlarmEvent::Raised, START + 41.0 * HOUR)]);
}

#[test]
fn what_reported_and_is_silent_again_is_another_alarm_though_nobody_looked_meanwhile() {
    let hours = |from: u32, to: u32| (from..to).map(|hour| at(f64::from(hour), 0.0));
    let fixes_then = |fixes: Vec<Numbers>, now: f64| {
        let mut archive = watching(&entry(Platform::Mooring), START);
        take_in(
            &mut archive,
            &Vec::from_iter(hours(0, 20)),
            START + 23.0 * HOUR,
        );
        let first = told(&mut archive, START + 23.0 * HOUR);
        let id = first[0].1.id.clone();
        archive
            .reply(&id, AlarmReply::Acknowledged, START + 23.5 * HOUR)
            .unwrap();
        take_in(&mut archive, &fixes, START + now * HOUR);
        let all = archive.alarms().unwrap().into_iter();
        let mut all: Vec<_> = all
            .map(|alarm| (alarm.fix_time, alarm.cleared_at))
            .collect();
        all.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap());
        let hour = |time: Option<f64>| time.map(|time| (time - START) / HOUR);
        let all: Vec<_> = all
            .into_iter()
            .map(|(fix, end)| (hour(fix), hour(end)))
            .collect();
        (all, told(&mut archive, START + now * HOUR).len())
    };
    let again = [(Some(19.0), Some(28.0)), (Some(43.0), None)];
    let reported = hours(0, 20).chain(hours(28, 44)).collect();
    assert_eq!(fixes_then(reported, 48.0), (again.to_vec(), 2));
    // Heard by now: it ended with the first fix, not with the newest.
    let reported = hours(0, 20).chain(hours(28, 44)).collect();
    assert_eq!(fixes_then(reported, 44.0), (again[..1].to_vec(), 1));
    // A fix that was late within the silence moves its begin.
    let late = hours(0, 22).collect();
    assert_eq!(fixes_then(late, 30.0), (vec![(Some(21.0), None)], 0));
}

#[test]
fn a_limit_that_is_set_raises_from_then_on_and_nothing_of_the_past() {
    let mut without = entry(Platform::Mooring);
    without.limits.inside = None;
    let mut archive = watching(&without, START);
    let mut fixes: Vec<Numbers> = (0..20).map(|hour| at(f64::from(hour), 0.0)).collect();
    for place in [4, 5, 6, 15, 16, 17, 18, 19] {
        fixes[place].1 = at(0.0, 240.0).1;
    }
    take_in(&mut archive, &fixes, START + 19.1 * HOUR);
    let with = entry(Platform::Mooring);
    let now = START + 19.5 * HOUR;
    archive.change(Some(&without), &with, true, now).unwrap();
    judge(&mut archive, UUID, &AtHand::default(), now).unwrap();
    let all = archive.alarms().unwrap();
    assert_eq!(all.len(), 1, "{all:#?}");
    assert_eq!((all[0].raised_at, all[0].cleared_at), (now, None));
    assert_eq!(told(&mut archive, now + DAY * 0.1).len(), 1);
}

#[test]
fn a_fix_ahead_of_the_clock_is_no_last_fix_and_counts_when_its_time_has_come() {
    let mut entry = entry(Platform::Mooring);
    entry.limits.max_age_s = Some(2.0 * HOUR);
    let mut archive = watching(&entry, START);
    let mut fixes: Vec<Numbers> = (0..4).map(|hour| at(f64::from(hour), 0.0)).collect();
    fixes.extend([at(8.0, 240.0), at(9.0, 240.0)]);
    take_in(&mut archive, &fixes, START + 3.1 * HOUR);
    assert_eq!(standing(&archive), []);
    // It is silent, whatever is dated ahead.
    let list = [entry];
    judge_list(&mut archive, &list, &Asked::default(), START + 6.0 * HOUR).unwrap();
    let last = Some(START + 3.0 * HOUR);
    assert_eq!(standing(&archive), [(Kind::Overdue, last)]);
    // It was received long before: it says where the instrument is, and not that it sends.
    take_in(&mut archive, &fixes, START + 9.1 * HOUR);
    let newest = Some(START + 9.0 * HOUR);
    let expected = [(Kind::Outside, newest), (Kind::Overdue, last)];
    assert_eq!(standing(&archive), expected);
}

#[test]
fn one_of_the_settings_file_that_never_was_answered_is_overdue_from_when_it_was_first_seen() {
    let mut entry = entry(Platform::Mooring);
    entry.limits.max_age_s = Some(2.0 * HOUR);
    let mut archive = Archive::in_memory().unwrap();
    archive.watch_also(vec![entry.clone()]);
    let list = [entry];
    for (hours, expected) in [(0.0, 0), (1.9, 0), (2.1, 1), (9.0, 1)] {
        let now = START + hours * HOUR;
        judge_list(&mut archive, &list, &Asked::default(), now).unwrap();
        assert_eq!(standing(&archive).len(), expected, "{hours}");
    }
}

#[test]
fn a_fix_that_has_come_is_judged_where_what_lists_show_is_made_anew_with_each_response() {
    let entry = entry(Platform::Mooring);
    let mut archive = watching(&entry, START);
    let mut fixes: Vec<Numbers> = (0..4).map(|hour| at(f64::from(hour), 0.0)).collect();
    fixes.extend([at(4.0, 240.0), at(5.0, 240.0)]);
    for (hours, expected) in [(3.1, 0), (4.1, 0), (5.1, 1)] {
        let now = START + hours * HOUR;
        take_in_with_overview(&mut archive, &entry, &fixes, now);
        assert_eq!(standing(&archive).len(), expected, "{hours}");
    }
}

#[test]
fn before_its_time_window_a_deployment_has_no_alarm() {
    let mut entry = entry(Platform::Mooring);
    entry.limits.max_age_s = Some(2.0 * HOUR);
    let mut archive = watching(&entry, START);
    let fixes: Vec<Numbers> = (0..4).map(|hour| at(f64::from(hour), 900.0)).collect();
    let now = START + 6.0 * HOUR;
    take_in(&mut archive, &fixes, now);
    assert_eq!(standing(&archive).len(), 2);
    let before = entry.clone();
    entry.window.from = Some(START + 100.0 * HOUR);
    archive.change(Some(&before), &entry, true, now).unwrap();
    judge(&mut archive, UUID, &AtHand::default(), now).unwrap();
    assert_eq!(standing(&archive), []);
    for alarm in archive.alarms().unwrap() {
        assert_eq!(alarm.cleared_at, Some(now));
    }
    // From then on it counts from there.
    let list = [entry];
    for (hours, count) in [(99.0, 0), (101.0, 0), (102.5, 1)] {
        let now = START + hours * HOUR;
        judge_list(&mut archive, &list, &Asked::default(), now).unwrap();
        assert_eq!(standing(&archive).len(), count, "{hours}");
    }
}

#[test]
fn no_silence_begins_where_nobody_asked_the_service_since() {
    let mut entry = entry(Platform::Mooring);
    entry.limits.max_age_s = Some(2.0 * HOUR);
    let mut archive = watching(&entry, START);
    take_in(&mut archive, &[at(0.0, 0.0)], START + HOUR);
    let unasked = AtHand {
        asked: Asking::NotSince,
        ..AtHand::default()
    };
    let later = START + 5.0 * HOUR;
    judge(&mut archive, UUID, &unasked, later).unwrap();
    assert_eq!(standing(&archive), []);
    judge(&mut archive, UUID, &AtHand::default(), later).unwrap();
    assert_eq!(standing(&archive), [(Kind::Overdue, Some(START))]);
    // What a round has raised stands.
    judge(&mut archive, UUID, &unasked, later + HOUR).unwrap();
    assert_eq!(standing(&archive).len(), 1);
    // The last answer told that no fix came for longer than another limit.
    entry.limits.max_age_s = Some(0.5 * HOUR);
    let mut archive = watching(&entry, START);
    take_in(&mut archive, &[at(0.0, 0.0)], START + 0.4 * HOUR);
    let unchanged = Answer::new(304, "https://service.example", START + HOUR);
    archive.confirm(UUID, &unchanged).unwrap();
    judge(&mut archive, UUID, &unasked, later).unwrap();
    assert_eq!(standing(&archive).len(), 1);
}

/// A store that has these fixes, which nobody has judged.
async fn unjudged(entry: &Deployment, fixes: &[Numbers], now: f64) -> Store {
    let store = Store::in_memory();
    let entry = entry.clone();
    let added = store.write(move |archive| archive.watch(&entry, START));
    added.await.unwrap();
    put(&store, fixes, now).await;
    store
}

/// Stores a response without judging it.
async fn put(store: &Store, fixes: &[Numbers], now: f64) {
    let answer = Answer {
        records: Arc::new(records(fixes.iter().copied())),
        ..Answer::new(200, "https://service.example", now)
    };
    let put = store.write(move |archive| archive.ingest(UUID, &answer));
    put.await.unwrap();
}

async fn standing_in(store: &Store) -> Vec<(Kind, Option<f64>)> {
    let read = store.read(|archive| Ok(standing(archive)));
    read.await.unwrap()
}

/// Judges what is stored, and does `meanwhile` when the first findings are made and not yet
/// recorded, as another program may; returns how often it was judged.
async fn judged_while<F: Future<Output = ()>>(
    store: &Store,
    now: f64,
    meanwhile: impl Fn(Store) -> F + Clone + Send + 'static,
) -> usize {
    let times = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&times);
    let shared = store.clone();
    let findings = move |case: &Case| {
        let found = case.findings();
        if counted.fetch_add(1, Ordering::SeqCst) == 0 {
            Handle::current().block_on(meanwhile(shared.clone()));
        }
        found
    };
    let judged = judge_by(store, UUID, AtHand::default(), now, findings).await;
    judged.unwrap();
    times.load(Ordering::SeqCst)
}

/// Fixes each hour, the last of them outside the circle.
fn strayed(hours: u32, outside: u32) -> Vec<Numbers> {
    let fix = |hour: u32| {
        at(
            f64::from(hour),
            f64::from(u32::from(hour + outside >= hours)) * 900.0,
        )
    };
    (0..hours).map(fix).collect()
}

#[tokio::test]
async fn while_a_track_is_judged_the_archive_is_free_and_its_result_holds() {
    let now = START + 9.1 * HOUR;
    let store = unjudged(&entry(Platform::Mooring), &strayed(10, 3), now).await;
    // Of another deployment: it is stored before the findings of this one are recorded.
    let times = judged_while(&store, now, |store| async move {
        let other = Deployment::new(Uuid::from_u128(8));
        let added = store.write(move |archive| archive.watch(&other, START));
        added.await.unwrap();
    });
    assert_eq!(times.await, 1);
    assert_eq!(
        standing_in(&store).await,
        [(Kind::Outside, Some(START + 7.0 * HOUR))]
    );
}

#[tokio::test]
async fn what_changes_while_it_is_judged_is_judged_again() {
    let now = START + 9.1 * HOUR;
    let mooring = entry(Platform::Mooring);
    let home = || async { unjudged(&mooring, &strayed(10, 3), now).await };
    // Fixes that end it, a limit that is taken away, and a flag set by hand.
    let store = home().await;
    let back = [at(9.02, 0.0), at(9.04, 0.0)];
    let times = judged_while(&store, now, move |store| async move {
        put(&store, &back, now).await
    });
    assert_eq!(times.await, 2);
    assert_eq!(standing_in(&store).await, []);

    let store = home().await;
    let before = mooring.clone();
    let times = judged_while(&store, now, move |store| {
        let before = before.clone();
        async move {
            let after = Deployment::new(UUID);
            let changed = store.change(Some(before), after, true);
            assert!(changed.await.unwrap());
        }
    });
    assert_eq!(times.await, 2);
    assert_eq!(standing_in(&store).await, []);

    let store = unjudged(&mooring, &strayed(10, 1), now).await;
    let times = judged_while(&store, now, move |store| async move {
        let fix = records([at(9.0, 900.0)]).transmissions[0];
        let flag = Some(Flag::Fail);
        let set = store.write(move |archive| archive.set_override(UUID, fix, flag, now));
        set.await.unwrap();
    });
    assert_eq!(times.await, 2);
    assert_eq!(standing_in(&store).await, []);
}

#[tokio::test]
async fn two_programs_that_store_and_judge_in_any_order_end_in_the_alarms_of_the_whole_track() {
    let chance = Chance::new("two programs");
    let mut raised = 0;
    for round in 0..rounds(30, 200) {
        let platform = [Platform::Mooring, Platform::Drifter][chance.below(2)];
        let entry = entry(platform);
        let whole = any_track(&chance);
        let now = whole.last().unwrap().0 + [600.0, 9.0 * HOUR][chance.below(2)];
        let at_once = unjudged(&entry, &whole, now).await;
        let judged = judge_by(&at_once, UUID, AtHand::default(), now, Case::findings).await;
        judged.unwrap();

        let (first, second): (Vec<Numbers>, Vec<Numbers>) =
            whole.iter().partition(|_| chance.below(2) == 0);
        let store = unjudged(&entry, &first, now).await;
        judged_while(&store, now, move |store| {
            let second = second.clone();
            async move {
                put(&store, &second, now).await;
                let judged = judge_by(&store, UUID, AtHand::default(), now, Case::findings).await;
                judged.unwrap();
            }
        })
        .await;
        // A part withdraws the others, which is no order of arrival.
        let judged = |mut all: Vec<(Kind, Option<f64>)>| {
            all.retain(|(kind, _)| *kind != Kind::Unjudged);
            all
        };
        let expected = judged(standing_in(&at_once).await);
        assert_eq!(
            judged(standing_in(&store).await),
            expected,
            "round {round} {platform}"
        );
        raised += usize::from(!expected.is_empty());
    }
    assert!(raised > 3, "{raised}");
}

#[tokio::test]
async fn what_a_program_stored_before_it_ended_is_judged_at_the_next_start_and_once() {
    // It is judged by the clock of this computer.
    let now = unix_now();
    let shift = now - 9.1 * HOUR - START;
    let mut fixes = strayed(10, 3);
    fixes.iter_mut().for_each(|fix| fix.0 += shift);
    let mooring = entry(Platform::Mooring);
    let store = unjudged(&mooring, &fixes, now).await;
    let list = vec![mooring, Deployment::new(Uuid::from_u128(8))];
    judge_unjudged(&store, list.clone()).await.unwrap();
    let outside = standing_in(&store).await;
    assert!(
        outside.iter().any(|(kind, _)| *kind == Kind::Outside),
        "{outside:?}"
    );
    let left = move |archive: &Archive| super::left_unjudged(archive, &list, now);
    assert!(store.read(left).await.unwrap().is_empty());
}
