//! A dashboard runs for weeks: what it frees goes back to the system.

use std::fs;

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::wire::Responder;
use crate::exit_status::UUID;

/// Resident memory of a process, MB.
fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: u64 = line
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    kilobytes / 1000
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_dashboard_frees_of_a_long_track_goes_back_to_the_system() {
    const FIXES: u32 = 300_000;
    let records: Vec<String> = (0..FIXES)
        .map(|number| {
            let degrees = f64::from(number) * 1e-5;
            let time = 1_700_000_000 + 60 * number;
            format!("{{\"time_stamp\":{time},\"latitude\":{degrees:.6},\"longitude\":5}}")
        })
        .collect();
    let service = Responder::json(200, &format!("[{}]", records.join(",")));
    let home = Home::new();
    let setting = Setting::size(140, 40)
        .env("DRIFTLINE_BASE_URL", service.base_url())
        .env("DRIFTLINE_TOKEN", "token");
    let terminal = Terminal::driftline(&home, &[UUID], setting);
    terminal.shows("300,000");
    // The full detail of the map is made after the first frame of the track.
    std::thread::sleep(std::time::Duration::from_secs(3));
    let first = resident(terminal.id());
    for _ in 0..2 {
        // Orders, filters and looks that make columns of their own, and two more answers.
        for keys in ["sss", "CC", "v", "++-0", "zz", "ww"] {
            terminal.keys(keys);
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
        let requests = service.requests().len();
        terminal.keys("r");
        terminal.wait("an answer", |_| service.requests().len() > requests);
        std::thread::sleep(std::time::Duration::from_secs(4));
    }
    // On a busy machine the last answer is assembled for longer than that.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    let mut last = resident(terminal.id());
    while last >= first + first / 2 && std::time::Instant::now() < deadline {
        std::thread::sleep(std::time::Duration::from_millis(500));
        last = resident(terminal.id());
    }
    assert!(last < first + first / 2, "{first} MB, then {last} MB");
}
