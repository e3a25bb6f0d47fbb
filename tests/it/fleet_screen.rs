//! The dashboard on an archive with thousands of deployments.

use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, params};

use crate::driver::home::Home;
use crate::driver::pty::{ENTER, Setting, Terminal};
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, until};
use crate::exit_status::with_token;

const COUNT: i64 = 3000;
const FIXES: i64 = 40;

fn setting(service: &Responder) -> Setting {
    Setting::size(160, 48)
        .env("DRIFTLINE_BASE_URL", service.base_url())
        .env("DRIFTLINE_TOKEN", "x")
}

/// Puts the deployments with their transmissions into the archive. The last one is
/// lost, the others are not.
fn fill(home: &Home, source: &str) {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs_f64();
    let path = home.file(".local/share/driftline/archive.db");
    let mut archive = Connection::open(path).unwrap();
    let write = archive.transaction().unwrap();
    write.execute("DELETE FROM deployment", []).unwrap();
    for number in 1..=COUNT {
        let uuid = format!("5b6ac2a0-43c5-4d30-9f1b-{number:012x}");
        let (label, ago) = match number {
            COUNT => ("zzz lost".to_owned(), 40.0 * 86_400.0),
            _ => (format!("buoy {number:05}"), 1800.0),
        };
        write
            .execute(
                "INSERT INTO deployment (id, uuid, label, list_position, added_at) VALUES (?1, ?2, ?3, ?1, 0)",
                params![number, uuid, label],
            )
            .unwrap();
        write
            .execute(
                "INSERT INTO fetch (deployment, began, at, status, bytes, new, late, source, etag)
                 VALUES (?1, ?2, ?2, 200, 1000, 1, 0, ?3, '\"1\"')",
                params![number, now - 3600.0, source],
            )
            .unwrap();
        for fix in 0..FIXES {
            let time = now - ago - 14_400.0 * (FIXES - 1 - fix) as f64;
            let latitude = (number % 140 - 70) as f64 + 0.001 * fix as f64;
            let longitude = (number * 7 % 360 - 180) as f64;
            write
                .execute(
                    "INSERT INTO transmission (deployment, time, latitude, longitude)
                     VALUES (?1, ?2, ?3, ?4)",
                    params![number, time, latitude, longitude],
                )
                .unwrap();
        }
    }
    write.commit().unwrap();
}

#[test]
fn thousands_of_archived_deployments_stand_in_the_list_and_keys_answer() {
    // Nothing has changed at the service.
    let service = Responder::new(|_, _| Act::with(304, &[("ETag", "\"1\"")], ""));
    let home = Home::new();
    let uuid = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa";
    with_token(&home, &service.base_url(), &["deployments", "add", uuid]).ends_with(0);
    fill(&home, &service.base_url());
    // An archive of before has no rows for the list: they are made of the fixes.
    let first = Terminal::driftline(&home, &[], setting(&service));
    first.wait("the lost one on the first row", |screen| {
        screen.contains("3,000") || screen.contains("1 of 3")
    });
    let archive = Connection::open(home.file(".local/share/driftline/archive.db")).unwrap();
    let rows = || -> i64 {
        let count = archive.query_row("SELECT count(*) FROM overview", [], |row| row.get(0));
        count.unwrap()
    };
    // It goes on, however slow the machine is.
    let mut known = rows();
    while known < COUNT {
        let more = until(PATIENCE, || Some(rows()).filter(|count| *count > known));
        known = more.unwrap_or_else(|| panic!("no row after {known}"));
    }
    drop(first);
    let asked = service.requests().len();
    let terminal = Terminal::driftline(&home, &[], setting(&service));
    // On the first row once all are known, and with its position.
    terminal.wait("the lost one with its position", |screen| {
        let line = screen.lines().find(|line| line.contains("zzz lost"));
        line.is_some_and(|line| line.contains('°'))
    });
    for row in 2..6 {
        terminal.keys("j");
        terminal.shows(&format!("{row} of 3"));
    }
    // By the rows of the archive, long before all are asked for.
    let asked = service.requests().len() - asked;
    assert!(asked < COUNT as usize / 2, "{asked}");
    // The track is read when it is opened.
    terminal.keys("g");
    terminal.keys(ENTER);
    terminal.wait("the fixes of the lost one", |screen| {
        screen.contains("40 of 40")
    });
    let status = std::fs::read_to_string(format!("/proc/{}/status", terminal.id())).unwrap();
    let threads = status
        .lines()
        .find_map(|line| line.strip_prefix("Threads:"));
    let threads: u32 = threads.unwrap().trim().parse().unwrap();
    assert!(threads <= 16, "{threads}");
}
