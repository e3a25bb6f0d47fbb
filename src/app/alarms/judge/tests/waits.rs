//! Between its own requests the program knows nothing of an instrument: however long it waits, and
//! for whatever reason, nothing is told of one that works, and of one that is silent it is told
//! once it was asked for.

use super::*;
use crate::watch::agenda::Agenda;

/// The shortest wait between two requests, seconds.
const REFRESH_S: f64 = 60.0;

/// An instrument, what its answers cost, and what is asked of it.
#[derive(Debug)]
struct Case {
    /// Between its fixes before the first answer, and from then on, seconds.
    before_s: f64,
    interval_s: f64,
    /// From a fix to its arrival at the service, seconds.
    delay_s: f64,
    /// A whole answer in bytes, and how long it takes, seconds.
    bytes: u64,
    took_s: f64,
    max_age_s: Option<f64>,
    /// When it falls silent, UNIX seconds; never if infinite.
    silent_from: f64,
}

impl Case {
    fn new(chance: &Chance, silent_from: f64) -> Self {
        let interval_s = [300.0, 600.0, HOUR][chance.below(3)];
        let is_changed = chance.below(3) == 0;
        Self {
            before_s: if is_changed { DAY } else { interval_s },
            interval_s,
            // The first of the new interval is in the first answer: its limit is for that.
            delay_s: match is_changed {
                true => 0.0,
                false => interval_s * [0.0, 0.3, 0.8][chance.below(3)],
            },
            bytes: [1_000, 3_400_000, 12_000_000][chance.below(3)],
            took_s: [0.1, 8.0, 20.0, 190.0][chance.below(4)],
            max_age_s: is_changed.then_some(3.0 * interval_s),
            silent_from,
        }
    }

    /// The fixes that the service has at a time.
    fn fixes(&self, now: f64) -> Vec<Numbers> {
        let before = (1..=30).map(|number| START - self.before_s * f64::from(number));
        let count = ((self.silent_from.min(now) - START) / self.interval_s).ceil() as u32;
        let since = (0..count).map(|number| START + self.interval_s * f64::from(number));
        let come = before
            .chain(since)
            .filter(|time| time + self.delay_s <= now);
        let mut times: Vec<f64> = come.collect();
        times.sort_by(f64::total_cmp);
        let place = |time: f64| (time, 60.0 + (time - START) * 1e-10, 5.0);
        times.into_iter().map(place).collect()
    }

    /// Runs a collector for some hours, as often as it looks at the clock; returns when an alarm
    /// was first raised, and how often the service was asked.
    fn raised(&self, hours: u32) -> (Option<f64>, usize) {
        let mut entry = Deployment::new(UUID);
        entry.limits.max_age_s = self.max_age_s;
        let mut archive = watching(&entry, START);
        let mut agenda = Agenda::new(REFRESH_S);
        agenda.put(UUID, None, START);
        agenda.limit_age(UUID, self.max_age_s);
        let list = [entry];
        let asked = Asked {
            refresh_s: REFRESH_S,
            ..Asked::default()
        };
        let mut requests = 0;
        for step in 0..hours * 120 {
            let now = START + 60.0 + 30.0 * f64::from(step);
            if agenda.due(now, 1, None).is_empty() {
                judge_list(&mut archive, &list, &asked, now).unwrap();
            } else {
                requests += 1;
                let received = now + self.took_s;
                let answer = Answer {
                    records: Arc::new(records(self.fixes(now))),
                    bytes: self.bytes,
                    took_s: self.took_s,
                    ..Answer::new(200, "https://service.example", received)
                };
                let options = list[0].options(received);
                let track = Track::new(&answer.records, &options);
                let shown = Arc::new(Overview::new(&track));
                let made = MadeOverview::new(UUID, None, shown, &track, options);
                let (delta, _) = archive
                    .ingest_with(&UUID.into(), &answer, Some(&made))
                    .unwrap();
                judge(&mut archive, UUID, &AtHand::default(), received).unwrap();
                let last = archive.last_answers(received).unwrap()[&UUID];
                agenda.answered(
                    UUID,
                    LastAnswer {
                        max_age_s: self.max_age_s,
                        // The cost that the asking program knows; the judge has that of the archive.
                        idle: delta.with_cost(&answer).idle,
                        ..last
                    },
                );
            }
            if !standing(&archive).is_empty() {
                return (Some(now), requests);
            }
        }
        (None, requests)
    }
}

#[test]
fn no_wait_of_the_program_is_a_silence_of_the_instrument() {
    let chance = Chance::new("waits");
    for round in 0..rounds(30, 600) {
        let case = Case::new(&chance, f64::INFINITY);
        let (raised, requests) = case.raised(8);
        let after = raised.map(|at| (at - START) / 60.0);
        assert_eq!(after, None, "round {round}, {requests} requests: {case:?}");
    }
}

#[test]
fn a_silence_is_told_once_it_was_asked_for_however_long_the_program_waits() {
    let chance = Chance::new("waits and silence");
    for round in 0..rounds(20, 400) {
        let from = START + 60.0 * (30 + chance.below(200)) as f64;
        let case = Case::new(&chance, from);
        let (raised, _) = case.raised(16);
        let last = case.fixes(f64::INFINITY).last().unwrap().0;
        let limit_s = case.max_age_s.unwrap_or(3.0 * case.interval_s);
        let over_s = raised.map(|at| at - last - limit_s);
        let latest_s = limit_s.max(HOUR) + 120.0;
        assert!(
            over_s.is_some_and(|over| (-30.0..=latest_s).contains(&over)),
            "round {round}: {over_s:?} s: {case:?}"
        );
    }
}

#[test]
fn what_was_imported_since_the_last_answer_is_no_silence() {
    let entry = entry(Platform::Drifter);
    let mut archive = watching(&entry, START);
    let hourly = |from: u32, until: u32| {
        let fix = |hour: u32| at(f64::from(hour), 3.0 * f64::from(hour));
        (from..until).map(fix)
    };
    let answered: Vec<Numbers> = hourly(0, 20).collect();
    take_in_with_overview(&mut archive, &entry, &answered, START + 20.0 * HOUR);
    // A logger was read while the service gives nothing.
    let now = START + 24.1 * HOUR;
    let file = records(hourly(18, 25));
    archive.import(UUID, &file, now).unwrap();
    judge(&mut archive, UUID, &AtHand::default(), now).unwrap();
    let failing = failing(&HashMap::from([(UUID, "the service failed".to_owned())]));
    let list = [entry];
    judge_list(&mut archive, &list, &failing, now + 60.0).unwrap();
    assert_eq!(standing(&archive), []);
    let silent_at = START + 27.5 * HOUR;
    judge_list(&mut archive, &list, &failing, silent_at).unwrap();
    let last = START + 24.0 * HOUR;
    assert_eq!(standing(&archive), [(Kind::Overdue, Some(last))]);
}
