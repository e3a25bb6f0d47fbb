//! What ten minutes of `collect` cost, and when each request is made: never earlier than the
//! waits that are promised.

use std::collections::BTreeMap;

use rustix::process::Signal;

use crate::driver::backend::{Access, Asked, Backend, Instrument};
use crate::driver::chance::rounds;
use crate::driver::clock::Clock;
use crate::driver::home::Home;
use crate::driver::run::Run;
use crate::exit_status::TOKEN;

const MINUTE: f64 = 60.0;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;
/// The setting `refresh`, seconds.
const REFRESH: f64 = MINUTE;
/// Bytes of whole answers without anything new in a day that cost no further wait.
const FREE_BYTES: usize = 10_000_000;
const MOST_BYTES: f64 = 100e6;

/// A watched deployment.
struct Watched {
    name: &'static str,
    instrument: Instrument,
    is_refused: bool,
}

fn watched(now: f64) -> Vec<Watched> {
    let of = |name, instrument| Watched {
        name,
        instrument,
        is_refused: false,
    };
    let fast = Instrument::reporting(15.0, 2000, now);
    vec![
        of(
            "T = 4 h, 170 fields",
            Instrument {
                // Its next fix is due in three minutes, and comes two minutes later.
                newest: (now - 4.0 * HOUR + 3.0 * MINUTE).floor(),
                delay_s: 2.0 * MINUTE,
                fields: 170,
                ..Instrument::reporting(4.0 * HOUR, 540, now)
            },
        ),
        of(
            "lost for three years",
            Instrument {
                newest: (now - 3.0 * 365.0 * DAY).floor(),
                reports: false,
                ..Instrument::reporting(HOUR, 8000, now)
            },
        ),
        of(
            "T = 5 min, 20,000 records",
            Instrument {
                delay_s: 40.0,
                ..Instrument::reporting(5.0 * MINUTE, 20_000, now)
            },
        ),
        of(
            "empty",
            Instrument {
                reports: false,
                ..Instrument::reporting(HOUR, 0, now)
            },
        ),
        Watched {
            is_refused: true,
            ..of("refused", Instrument::reporting(HOUR, 100, now))
        },
        of("T = 15 s", fast),
        of(
            "T = 15 s, too",
            Instrument {
                delay_s: 5.0,
                ..fast
            },
        ),
    ]
}

fn uuid(number: usize) -> String {
    format!("5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e5{number:02x}")
}

/// The shortest wait after the last of these answers (seconds), by the contract: what is
/// known of T and the last fix is what that answer held.
fn least_wait(watched: &Watched, answers: &[&Asked]) -> f64 {
    let (last, t) = (answers[answers.len() - 1], watched.instrument.interval_s);
    let newest = |asked: &Asked| watched.instrument.newest_at(asked.at);
    if watched.is_refused {
        return HOUR;
    }
    if watched.instrument.fixes == 0 {
        let doubled = f64::from(1u32 << (answers.len() - 1).min(16));
        return (REFRESH * doubled).min(HOUR);
    }
    let age = last.at - newest(last);
    let wait = if age < t {
        t - age
    } else if age <= 1.5 * t {
        t / 20.0
    } else if age <= 3.0 * t {
        t / 10.0
    } else if age <= (10.0 * t).max(2.0 * DAY) {
        (t / 4.0).min(HOUR)
    } else {
        DAY
    };
    let brought_nothing = |pair: &&[&Asked]| newest(pair[1]) == newest(pair[0]);
    let idle: usize = answers
        .windows(2)
        .filter(brought_nothing)
        .map(|pair| pair[1].bytes)
        .sum();
    let costly = match idle >= FREE_BYTES
        && answers
            .windows(2)
            .last()
            .is_some_and(|pair| brought_nothing(&pair))
    {
        #[allow(clippy::cast_precision_loss)] // megabytes
        true => (last.bytes as f64 / MOST_BYTES * DAY).min(HOUR),
        false => 0.0,
    };
    wait.max(REFRESH).max(costly)
}

#[test]
fn ten_minutes_of_collecting_are_few_requests_and_none_before_its_time() {
    needs!("faketime");
    // In the long run the computer's own clock: how long answers take counts, too.
    let rate = u32::try_from(rounds(20, 1)).unwrap();
    let clock = Clock::times(rate);
    let began = clock.now();
    let (home, backend) = (Home::new(), Backend::start(clock, TOKEN));
    let all = watched(began);
    let mut settings = String::from("timeout = \"1h\"\n");
    for (number, one) in all.iter().enumerate() {
        let uuid = uuid(number);
        settings.push_str(&format!("[[deployment]]\nuuid = \"{uuid}\"\n"));
        backend.put(&uuid, one.instrument);
        if one.is_refused {
            backend.set_access(&uuid, Access::Forbidden);
        }
    }
    home.write(".config/driftline/config.toml", settings);
    let collector = Run::driftline(&home, ["collect"])
        .at(backend.base_url())
        .clock(clock)
        .start();
    clock.wait_until(began + 10.0 * MINUTE);
    let asked = backend.all_asked();
    collector.signal(Signal::TERM);
    collector.end().ends_with(0);

    let mut of: BTreeMap<&str, Vec<&Asked>> = BTreeMap::new();
    for one in &asked {
        of.entry(&one.uuid).or_default().push(one);
    }
    println!("| deployment | requests | bytes | at, s |\n|---|---|---|---|");
    for (number, watched) in all.iter().enumerate() {
        let of_this = &of[uuid(number).as_str()];
        let bytes: usize = of_this.iter().map(|one| one.bytes).sum();
        let times: Vec<f64> = of_this.iter().map(|one| (one.at - began).round()).collect();
        let name = watched.name;
        println!("| {name} | {} | {bytes} | {times:?} |", of_this.len());
        let answers: Vec<&Asked> = of_this
            .iter()
            .copied()
            .filter(|one| one.status != 301)
            .collect();
        for count in 1..answers.len() {
            let least = least_wait(watched, &answers[..count]);
            let waited = answers[count].at - answers[count - 1].at;
            assert!(
                waited > least - 1.0,
                "{name}: {waited} s, not {least} s: {times:?}"
            );
        }
    }
    let (requests, bytes) = (
        asked.len(),
        asked.iter().map(|one| one.bytes).sum::<usize>(),
    );
    println!("| all | {requests} | {bytes} | |");
    // The redirects to a slash are followed at once, and remembered.
    let redirects = asked.iter().filter(|one| one.status == 301);
    let late = redirects.filter(|one| one.at > asked[0].at + MINUTE);
    assert_eq!(late.count(), 0, "{asked:#?}");
    assert!(bytes <= 30_000_000 && requests <= 60, "{requests} {bytes}");
    // What reports is asked for all the same.
    for number in [5, 6] {
        let uuid = uuid(number);
        assert!(of[uuid.as_str()].len() > 5, "{:?}", of[uuid.as_str()]);
    }
}
