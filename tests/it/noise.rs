//! What terminals and people throw at a dashboard: storms of sizes, floods of
//! keys, pastes of megabytes, mice, half sequences, a line as slow as a modem.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::wire::Responder;
use crate::driver::{PATIENCE, SOON, until};
use crate::exit_status::UUID;
use crate::typed::service;

const NOTHING: [&str; 0] = [];

fn open(home: &Home, service: &Responder) -> Terminal {
    let terminal = Terminal::driftline(home, &[UUID], Setting::default().at(service.base_url()));
    terminal.shows("UTC");
    terminal
}

fn changes(service: &Responder) -> usize {
    service
        .requests()
        .iter()
        .filter(|request| request.method != "GET")
        .count()
}

#[track_caller]
fn is_well(mut terminal: Terminal) {
    terminal.resize(160, 48);
    // Out of whatever stands open, to a tab that says its name.
    terminal.keys("\x1b");
    std::thread::sleep(Duration::from_millis(60));
    terminal.keys("\x1b");
    std::thread::sleep(Duration::from_millis(60));
    terminal.keys("\x1b");
    std::thread::sleep(Duration::from_millis(60));
    terminal.keys("4");
    terminal.shows("GET");
    terminal.signal(Signal::TERM);
    assert_eq!(terminal.end(), 143);
    assert_eq!(terminal.insane(), NOTHING);
}

#[test]
fn a_storm_of_sizes_from_one_cell_to_a_wall_is_lived_through() {
    let (home, service) = (Home::new(), service());
    let terminal = open(&home, &service);
    let mut chance: u32 = 7;
    for turn in 0..400 {
        chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let columns = u16::try_from(1 + (chance >> 8) % 500).unwrap();
        let rows = u16::try_from(1 + (chance >> 20) % 200).unwrap();
        match turn % 8 {
            0 => terminal.resize(1, 1),
            1 => terminal.resize(500, 200),
            2 => terminal.resize(1, rows),
            3 => terminal.resize(columns, 1),
            _ => terminal.resize(columns, rows),
        }
        if turn % 5 == 0 {
            terminal.keys(["1", "2", "3", "4", "+"][turn / 5 % 5]);
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    is_well(terminal);
}

#[test]
fn a_flood_of_keys_is_taken_in_order_to_its_end() {
    let (home, service) = (Home::new(), service());
    let terminal = open(&home, &service);
    terminal.keys("g");
    let flood = "j".repeat(50_000) + &"k".repeat(50_000);
    for part in flood.as_bytes().chunks(4000) {
        terminal.keys(std::str::from_utf8(part).unwrap());
    }
    terminal.keys("?");
    terminal.shows("┏ Keys: ");
    is_well(terminal);
}

#[test]
fn a_paste_of_ten_megabytes_is_no_command_and_is_cut_in_a_field() {
    let (home, service) = (Home::new(), service());
    let terminal = open(&home, &service);
    let rubbish = "y\rD\x1b[201~Dy\r".repeat(200);
    for field in [false, true] {
        if field {
            // The last Enter that was typed opened all of the fix: another one closes it.
            terminal.keys("\r3n");
            terminal.shows("name");
        }
        terminal.keys("\x1b[200~");
        let part = "y1\r\nD".repeat(20_000);
        for _ in 0..100 {
            terminal.keys(&part);
        }
        terminal.keys("\x1b[201~");
        terminal.keys(&format!("\x1b[200~{rubbish}\x1b[201~"));
        std::thread::sleep(Duration::from_millis(300));
    }
    // What stands after a forged end of a paste is typed, and a delete needs a
    // plant, a question and a pause.
    assert_eq!(changes(&service), 0);
    is_well(terminal);
}

#[test]
fn mice_focus_half_sequences_and_bytes_that_are_no_text_are_nothing() {
    let (home, service) = (Home::new(), service());
    let terminal = open(&home, &service);
    let mut chance: u32 = 99;
    for turn in 0..600 {
        chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (button, x, y) = (
            (chance >> 4) % 130,
            (chance >> 11) % 400,
            (chance >> 20) % 200,
        );
        terminal.keys(&match turn % 6 {
            0 => format!("\x1b[<{button};{x};{y}M"),
            1 => format!("\x1b[<{button};{x};{y}m"),
            2 => "\x1b[I\x1b[O".to_owned(),
            3 => "\x1b[?1;2c\x1b[5n\x1bP1$r0m\x1b\\\x1b]11;rgb:00/00/00\x07".to_owned(),
            4 => "\u{202e}\u{200b}\u{fe0f}\u{1f468}\u{200d}\u{1f469}".to_owned(),
            _ => "\x1b[200~\x1b[201~\x1b[99;9u\x1b[M   ".to_owned(),
        });
    }
    assert_eq!(changes(&service), 0);
    is_well(terminal);
}

#[test]
fn a_line_as_slow_as_a_modem_is_still_left_at_once() {
    let (home, service) = (Home::new(), service());
    let mut terminal = open(&home, &service);
    // Reading in gasps: the program meets a line that takes little at a time.
    for turn in 0..20 {
        terminal.stop_reading(turn % 4 != 0);
        terminal.keys(["1", "2", "+", "-"][turn % 4]);
        std::thread::sleep(Duration::from_millis(30));
    }
    let started = Instant::now();
    terminal.stop_reading(false);
    terminal.quits();
    assert!(started.elapsed() < SOON);
    assert_eq!(terminal.insane(), NOTHING);
}

#[test]
fn without_bracketed_paste_a_question_cannot_be_answered_ahead() {
    let (home, service) = (Home::new(), service());
    let terminal = open(&home, &service);
    terminal.keys("3n");
    terminal.shows("name");
    terminal.keys("77\trose\tred\r");
    terminal.shows("✓ created");
    let before = changes(&service);
    // In one write, as what is pasted comes.
    terminal.keys("Dy");
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(changes(&service), before, "{}", terminal.screen());
    terminal.keys("\x1b");
    terminal.hides("Delete plant");
    // Asked, seen and answered, it is done.
    terminal.keys("D");
    terminal.shows("Delete plant");
    terminal.keys("y");
    until(PATIENCE, || (changes(&service) > before).then_some(())).expect("no delete");
    // A key before the answer belongs to the dialog.
    terminal.shows("✓ deleted");
    is_well(terminal);
}

#[test]
fn each_signal_ends_it_in_every_state_it_can_be_in() {
    for (signal, status) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        for keys in ["", "?", "a", "3n", "E", "/", ":"] {
            let (home, service) = (Home::new(), service());
            let mut terminal = open(&home, &service);
            terminal.keys(keys);
            std::thread::sleep(Duration::from_millis(80));
            let started = Instant::now();
            terminal.signal(signal);
            assert_eq!(terminal.end(), status, "{keys:?}");
            assert!(started.elapsed() < SOON, "{keys:?}");
            assert_eq!(terminal.insane(), NOTHING, "{keys:?}");
        }
    }
}
