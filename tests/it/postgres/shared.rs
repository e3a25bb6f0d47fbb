//! Dashboards beside other programs on one archive, and what a kill costs.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::Signal;

use super::collectors::{asked, listed, run, uuid};
use crate::driver::chance::rounds;
use crate::driver::database::{SERVER, Server, new_database};
use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, signal, until};
use crate::exit_status::UUID;

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap().as_secs()
}

/// Fixes up to a time (UNIX seconds) so many seconds apart, the last one at this
/// longitude.
fn fixes(last: u64, interval: u64, longitude: f64) -> String {
    let one = |back: u64| {
        let (time, longitude) = match back {
            0 => (last, longitude),
            back => (last - interval * back, -5.25),
        };
        format!("{{\"time_stamp\":{time},\"latitude\":60.5,\"longitude\":{longitude}}}")
    };
    let all: Vec<String> = (0..8).rev().map(one).collect();
    format!("[{}]", all.join(","))
}

fn dashboard(home: &Home, archive: &str, base: &str) -> Terminal {
    let setting = Setting::default()
        .at(base)
        .env("DRIFTLINE_ARCHIVE", archive);
    Terminal::driftline(home, &[], setting)
}

/// A dashboard shows what another program fetches into its archive, and asks for
/// it no more.
fn shows_what_another_program_fetches(archive: &str) {
    let start = now();
    // The second request of all brings another fix.
    let service = Responder::new(move |_, number| match number {
        0 => Act::json(200, &fixes(start - 4200, 3600, -5.25)),
        _ => Act::json(200, &fixes(start - 600, 3600, -5.35)),
    });
    let (home, base) = (Home::new(), service.base_url());
    let other = |arguments: &[&str]| {
        Run::driftline(&home, arguments)
            .at(&base)
            .env("DRIFTLINE_ARCHIVE", archive)
            .go()
    };
    other(&["deployments", "add", UUID, "--label", "ours"]).ends_with(0);
    let terminal = dashboard(&home, archive, &base);
    terminal.shows("5.25000");
    assert_eq!(service.requests().len(), 1);
    // The dashboard has looked at least once.
    std::thread::sleep(Duration::from_secs(6));
    other(&["track", UUID]).ends_with(0);
    terminal.shows("5.35000");
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(service.requests().len(), 2);
}

#[test]
fn a_dashboard_on_a_server_shows_what_another_program_fetches() {
    needs!("postgres");
    shows_what_another_program_fetches(&SERVER.url(&new_database(), true));
}

#[test]
fn a_dashboard_on_a_file_shows_what_another_program_fetches() {
    needs!("postgres");
    let folder = Home::new();
    shows_what_another_program_fetches(folder.file("archive.db").to_str().unwrap());
}

#[test]
fn two_dashboards_and_two_collectors_ask_for_nothing_twice() {
    needs!("postgres");
    let (database, start) = (new_database(), now());
    let service = Responder::new(move |_, _| Act::json(200, &fixes(start - 600, 3600, -5.35)));
    let base = service.base_url();
    listed(&database, &base, 6);
    let homes = [Home::new(), Home::new()];
    let archive = SERVER.url(&database, true);
    let screens = homes
        .each_ref()
        .map(|home| dashboard(home, &archive, &base));
    let collectors: Vec<_> = (0..2)
        .map(|_| {
            let (home, run) = run(&database, &base, &["collect"]);
            (home, run.start())
        })
        .collect();
    // A lease of a fetch that was given up ends by itself.
    let all = until(Duration::from_secs(60), || {
        (asked(&service.requests()).len() >= 6).then_some(())
    });
    assert!(all.is_some(), "{:?}", asked(&service.requests()));
    // Each shows them all, whoever has asked.
    for screen in &screens {
        screen.wait("six last fixes", |text| {
            text.matches("5.35000").count() >= 6
        });
    }
    std::thread::sleep(Duration::from_secs(6));
    let counts = asked(&service.requests());
    assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    for (_home, one) in collectors {
        one.signal(Signal::TERM);
        one.end().ends_with(0);
    }
}

#[test]
fn a_fetch_that_is_cancelled_or_left_is_left_to_the_other_programs_at_once() {
    needs!("postgres");
    for key in ["\u{1b}", "q"] {
        let start = now();
        let service = Responder::new(move |_, number| match number {
            0 => Act::silence(),
            _ => Act::json(200, &fixes(start - 600, 3600, -5.35)),
        });
        let (database, base) = (new_database(), service.base_url());
        listed(&database, &base, 1);
        let home = Home::new();
        let mut terminal = dashboard(&home, &SERVER.url(&database, true), &base);
        let asked = |count| {
            until(PATIENCE, || {
                (service.requests().len() >= count).then_some(())
            })
        };
        assert!(asked(1).is_some());
        terminal.keys(key);
        if key == "q" {
            assert_eq!(terminal.end(), 0);
        } else {
            terminal.shows("request cancelled");
        }
        let (_home, collect) = run(&database, &base, &["collect"]);
        let collector = collect.start();
        // A lease that nobody ends is held for 45 s.
        assert!(asked(2).is_some(), "{key:?}");
        collector.signal(Signal::TERM);
        collector.end().ends_with(0);
    }
}

#[test]
fn of_two_collectors_one_is_killed_and_no_interval_is_lost_nor_asked_for_twice() {
    needs!("postgres");
    const COUNT: usize = 12;
    const INTERVAL: u64 = 20;
    let times: Arc<Mutex<Vec<(Instant, String)>>> = Arc::default();
    let noted = Arc::clone(&times);
    let service = Responder::new(move |request, _| {
        let uuid = request.target.split('/').find(|part| part.len() == 36);
        let uuid = uuid.unwrap_or_default().to_owned();
        noted.lock().unwrap().push((Instant::now(), uuid));
        Act::json(200, &fixes(now() / INTERVAL * INTERVAL, INTERVAL, -5.25))
    });
    let (database, base) = (new_database(), service.base_url());
    listed(&database, &base, COUNT);
    let collector = || {
        let (home, run) = run(&database, &base, &["collect"]);
        home.write(".config/driftline/config.toml", "refresh = \"10s\"\n");
        (home, run.start())
    };
    let (_first_home, first) = collector();
    let (_second_home, second) = collector();
    let each_asked = |count: usize, since: Instant| {
        let times = times.lock().unwrap();
        let of = |number| {
            let own = |(at, name): &&(Instant, String)| *at > since && *name == uuid(number);
            times.iter().filter(own).count()
        };
        (0..COUNT).all(|number| of(number) >= count).then_some(())
    };
    let began = Instant::now();
    let rounds = rounds(2, 6);
    assert!(until(Duration::from_secs(240), || each_asked(rounds, began)).is_some());
    let killed = Instant::now();
    first.signal(Signal::KILL);
    assert!(until(Duration::from_secs(240), || each_asked(rounds, killed)).is_some());
    second.signal(Signal::TERM);
    second.end().ends_with(0);
    let end = Instant::now();
    let times = times.lock().unwrap();
    for number in 0..COUNT {
        let own = times.iter().filter(|(_, name)| *name == uuid(number));
        let own: Vec<Instant> = own.map(|(at, _)| *at).collect();
        for (before, after) in own.iter().zip(own.iter().skip(1).chain([&end])) {
            let gap = (*after - *before).as_secs_f64();
            // Of what it asked for as it was killed nothing was stored.
            let is_cut = *before < killed && killed - *before < Duration::from_secs(2);
            assert!(gap > 9.0 || is_cut || after == &end, "{number}: {gap}");
            // A lease that nobody renews ends after 45 s.
            assert!(gap < 90.0, "{number}: {gap}");
        }
    }
}

#[test]
fn a_collector_goes_on_after_a_crash_of_the_server_in_the_middle_of_a_write() {
    needs!("postgres");
    const INTERVAL: u64 = 20;
    // A server of its own: a crash ends the connections of all.
    let server = Server::start(None);
    let service = Responder::new(move |_, _| {
        Act::json(200, &fixes(now() / INTERVAL * INTERVAL, INTERVAL, -5.25))
    });
    let base = service.base_url();
    let home = Home::new();
    home.write(".config/driftline/config.toml", "refresh = \"10s\"\n");
    let go = |arguments: &[&str]| {
        Run::driftline(&home, arguments)
            .at(&base)
            .env("DRIFTLINE_ARCHIVE", server.url("postgres", false))
    };
    go(&["deployments", "add", UUID]).ends_with(0);
    server.run(
        "postgres",
        "CREATE FUNCTION rests() RETURNS trigger LANGUAGE plpgsql AS
             'BEGIN PERFORM pg_sleep(20); RETURN NEW; END';
         CREATE TRIGGER rests BEFORE INSERT ON transmission FOR EACH ROW EXECUTE FUNCTION rests()",
    );
    let collector = go(&["collect"]).start();
    let storing = || {
        let pid = "SELECT pid FROM pg_stat_activity
            WHERE query LIKE 'INSERT INTO transmission%' AND state = 'active'";
        server.run("postgres", pid).trim().parse::<u32>().ok()
    };
    let backend = until(PATIENCE, storing).unwrap();
    // The server ends every connection, recovers, and starts anew.
    signal(backend, Signal::KILL);
    let back = || {
        let try_it = std::panic::catch_unwind(|| {
            server.run("postgres", "DROP TRIGGER rests ON transmission");
        });
        try_it.ok()
    };
    assert!(until(PATIENCE, back).is_some());
    // It asks again when a fix is due: what it could not store is not lost.
    let stored = || {
        let count = server.run("postgres", "SELECT count(*) FROM transmission");
        (count.trim().parse::<u32>().unwrap() >= 8).then_some(())
    };
    assert!(until(Duration::from_secs(240), stored).is_some());
    collector.signal(Signal::TERM);
    let log = collector.end().ends_with(0).stderr;
    assert!(log.contains("fetched and not stored"), "{log}");
    go(&["archive", "check"]).ends_with(0);
}
