//! Programs on one archive file: what one of them has asked for, none asks for before it is due.
#![cfg(unix)]

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::until;
use crate::driver::wire::{Act, Responder};

/// Seconds between two fixes.
const INTERVAL: u64 = 7200;
/// Deployments on the list.
const COUNT: usize = 3;

/// The fixes that there are now.
fn body() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let last = now.as_secs() / INTERVAL * INTERVAL;
    let fixes: Vec<String> = (0..8)
        .rev()
        .map(|back| {
            let time = last - INTERVAL * back;
            format!("{{\"time_stamp\":{time},\"latitude\":60.5,\"longitude\":-5.25}}")
        })
        .collect();
    format!("[{}]", fixes.join(","))
}

type Times = Arc<Mutex<HashMap<String, Vec<Instant>>>>;

/// A service that notes when each deployment is asked for.
fn service() -> (Responder, Times) {
    let times = Times::default();
    let noted = Arc::clone(&times);
    let service = Responder::new(move |request, _| {
        let uuid = request.target.split('/').find(|part| part.len() == 36);
        let uuid = uuid.unwrap_or_default().to_owned();
        let mut noted = noted.lock().unwrap();
        noted.entry(uuid).or_default().push(Instant::now());
        Act::json(200, &body())
    });
    (service, times)
}

#[test]
fn what_a_dashboard_on_a_file_has_asked_for_no_other_program_asks_for_before_it_is_due() {
    let ((service, times), home) = (service(), Home::new());
    let base = service.base_url();
    home.write(".config/driftline/config.toml", "refresh = \"10s\"\n");
    let rows: Vec<String> = (0..COUNT)
        .map(|number| format!("5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e{number:03}"))
        .collect();
    home.write("list.csv", format!("uuid\n{}\n", rows.join("\n")));
    let list = home.file("list.csv");
    let import = ["deployments", "import", list.to_str().unwrap()];
    Run::driftline(&home, import).ends_with(0);
    let dashboard = || {
        let terminal = Terminal::driftline(&home, &[], Setting::default().at(&base));
        terminal.wait("three last fixes", |text| {
            text.matches("5.25000").count() >= COUNT
        });
        terminal
    };
    let collect = || {
        let round = Run::driftline(&home, ["collect", "--once"]).at(&base).go();
        round.ends_with(0)
    };
    let first = dashboard();
    let asked = || {
        let times = times.lock().unwrap();
        let counts: Vec<usize> = times.values().map(Vec::len).collect();
        counts
    };
    let all = until(Duration::from_secs(120), || {
        (asked() == [1; COUNT]).then_some(())
    });
    assert!(all.is_some(), "{:?}", asked());
    // Nor do those beside it, or after it.
    let second = dashboard();
    collect();
    drop((first, second));
    collect();
    assert_eq!(asked(), [1; COUNT]);
}
