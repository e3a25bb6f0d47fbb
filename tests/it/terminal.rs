//! The terminal comes back as it was, however the dashboard ends; and the
//! dashboard lives with what terminals do.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::driver::home::{DRIFTLINE, Home, holds};
use crate::driver::pty::{CTRL_C, CTRL_Z, ESC, Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::Responder;
use crate::driver::{PATIENCE, SOON, process_state, until};
use crate::exit_status::{TOKEN, UUID};

const NOTHING: [&str; 0] = [];

fn demo(home: &Home, setting: Setting) -> Terminal {
    let terminal = Terminal::driftline(home, &["demo"], setting);
    terminal.shows("Deployments");
    terminal
}

/// The dashboard on a service that takes requests and never answers.
fn hanging(home: &Home, service: &Responder) -> Terminal {
    let terminal = Terminal::driftline(home, &[UUID], Setting::default().at(service.base_url()));
    terminal.shows("Deployments");
    until(PATIENCE, || (!service.requests().is_empty()).then_some(())).expect("no request");
    terminal
}

#[test]
fn q_and_ctrl_c_quit_and_leave_the_terminal_as_it_was() {
    for key in ["q", CTRL_C] {
        let home = Home::new();
        let mut terminal = demo(&home, Setting::default());
        assert!(terminal.alternate());
        terminal.keys(key);
        assert_eq!(terminal.end(), 0);
        assert_eq!(terminal.insane(), NOTHING);
    }
}

#[test]
fn a_signal_ends_it_with_its_status_and_a_sane_terminal() {
    for (signal, status) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let home = Home::new();
        let mut terminal = demo(&home, Setting::default());
        terminal.signal(signal);
        assert_eq!(terminal.end(), status);
        assert_eq!(terminal.insane(), NOTHING);

        let service = Responder::silent();
        let mut terminal = hanging(&home, &service);
        terminal.signal(signal);
        assert_eq!(terminal.end(), status);
        assert_eq!(terminal.insane(), NOTHING);
    }
}

#[test]
fn keys_act_at_once_and_q_quits_while_the_service_never_answers() {
    let home = Home::new();
    let service = Responder::silent();
    let mut terminal = hanging(&home, &service);
    let mut took = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        terminal.keys("?");
        terminal.shows("Up Down scroll");
        took.push(start.elapsed());
        let start = Instant::now();
        terminal.keys(ESC);
        terminal.hides("Up Down scroll");
        took.push(start.elapsed());
    }
    took.sort();
    assert!(
        took[took.len() / 2] < Duration::from_millis(500),
        "{took:?}"
    );
    let start = Instant::now();
    terminal.quits();
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert_eq!(terminal.insane(), NOTHING);
}

#[test]
#[cfg(debug_assertions)]
fn a_panic_is_reported_on_a_sane_terminal_with_status_1() {
    for place in ["start", "view"] {
        let home = Home::new();
        let setting = Setting::default().env("DRIFTLINE_TEST_PANIC", place);
        let mut terminal = Terminal::driftline(&home, &["demo"], setting);
        assert_eq!(terminal.end(), 1, "{place}");
        assert_eq!(terminal.insane(), NOTHING, "{place}");
        assert!(
            terminal.screen().contains("panic"),
            "{place}: {}",
            terminal.screen()
        );
    }
}

#[test]
#[cfg(debug_assertions)]
fn a_panic_in_a_task_does_not_freeze_the_screen() {
    let home = Home::new();
    let setting = Setting::default().env("DRIFTLINE_TEST_PANIC", "worker");
    let mut terminal = demo(&home, setting);
    terminal.shows("internal");
    terminal.keys("q");
    terminal.end();
    assert_eq!(terminal.insane(), NOTHING);
}

#[test]
fn ctrl_z_gives_the_terminal_back_and_fg_takes_it_again() {
    let home = Home::new();
    let arguments = ["--norc", "--noprofile", "-i"];
    let setting = Setting::default()
        .env("PS1", "$ ")
        .env("DRIFTLINE", DRIFTLINE);
    let mut shell = Terminal::program(&home, "bash", &arguments, setting);
    shell.keys("stty -g > before; \"$DRIFTLINE\" demo\r");
    for size in [(150, 45), (160, 48)] {
        shell.shows("Deployments");
        assert!(shell.alternate());
        shell.keys(CTRL_Z);
        shell.shows("Stopped");
        assert!(!shell.alternate(), "{}", shell.screen());
        shell.keys("stty -g > after; clear; cmp before after && echo as be\"\"fore\r");
        shell.shows("as before");
        shell.resize(size.0, size.1);
        shell.keys("fg\r");
    }
    shell.shows("Deployments");
    shell.keys("q");
    until(PATIENCE, || (!shell.alternate()).then_some(())).expect("it does not quit");
    shell.keys("echo status=$?; exit 0\r");
    shell.shows("status=0");
    assert_eq!(shell.end(), 0);
}

#[test]
fn the_first_frame_waits_for_no_answer_of_the_terminal() {
    // A debug build on a busy machine is given more time.
    let most = if cfg!(debug_assertions) { 1500 } else { 300 };
    let fastest = (0..3).map(|_| {
        let home = Home::new();
        let setting = Setting {
            answers: false,
            ..Setting::default()
        };
        let mut terminal = Terminal::driftline(&home, &["demo"], setting);
        terminal.shows("Deployments");
        let took = terminal.age();
        terminal.quits();
        assert_eq!(terminal.insane(), NOTHING);
        took
    });
    let fastest = fastest.min().unwrap();
    assert!(fastest < Duration::from_millis(most), "{fastest:?}");
}

#[test]
fn every_size_is_lived_with_and_too_small_is_said() {
    let home = Home::new();
    let mut terminal = demo(&home, Setting::size(60, 16));
    terminal.resize(59, 15);
    terminal.wait("the size it needs", |screen| {
        screen.contains("60") && screen.contains("16")
    });
    for (columns, rows) in [(1, 1), (200, 1), (1, 60), (250, 80), (10, 5), (80, 24)] {
        terminal.resize(columns, rows);
        std::thread::sleep(Duration::from_millis(40));
    }
    terminal.shows("Deployments");
    terminal.quits();
    assert_eq!(terminal.insane(), NOTHING);
}

#[test]
fn without_a_terminal_it_says_so_and_draws_nothing() {
    for arguments in [&["demo"][..], &[UUID], &[]] {
        let home = Home::new();
        let answer = Run::driftline(&home, arguments)
            .env("DRIFTLINE_TOKEN", TOKEN)
            .go();
        let answer = answer.ends_with(2);
        assert!(!answer.stderr.contains('\x1b'), "{answer:#?}");
        answer.says("terminal");
    }
}

#[test]
fn a_dumb_terminal_is_refused_without_an_escape() {
    let home = Home::new();
    let setting = Setting::default().env("TERM", "dumb");
    let mut terminal = Terminal::driftline(&home, &["demo"], setting);
    assert_eq!(terminal.end(), 2);
    assert!(!holds(&terminal.bytes(), "\x1b"), "{}", terminal.screen());
}

#[test]
fn a_terminal_that_reads_no_more_cannot_keep_it_from_ending() {
    let home = Home::new();
    let mut terminal = demo(&home, Setting::size(200, 60));
    terminal.stop_reading(true);
    // Whole frames, until no pipe holds another.
    for turn in 0..30 {
        terminal.resize(180 + turn % 2 * 40, 50 + turn % 2 * 10);
        std::thread::sleep(Duration::from_millis(25));
    }
    terminal.signal(Signal::TERM);
    let ended = until(Duration::from_secs(3), || {
        matches!(process_state(terminal.id()), None | Some('Z')).then_some(())
    });
    assert!(ended.is_some(), "it hangs in a write");
    terminal.stop_reading(false);
    assert_eq!(terminal.end(), 143);
}

#[test]
fn a_terminal_that_is_gone_ends_it_even_where_hang_ups_are_ignored() {
    needs!("terminal");
    for prelude in ["", "trap \"\" HUP; "] {
        let home = Home::new();
        let line = format!(
            "(sleep 30 2>/dev/null | script -qec 'stty cols 120 rows 40; {prelude}echo $$ > pid; exec \"$DRIFTLINE\" demo' /dev/null >screen) & \
             for i in $(seq 200); do grep -q Deployments screen && break; sleep 0.05; done; \
             pkill -9 -P $! script; sleep 0.1"
        );
        let answer = Run::shell(&home, &line).env("TERM", "xterm-256color").go();
        assert_eq!(answer.status, 0, "{answer:#?}");
        let written = std::fs::read_to_string(home.file("pid")).unwrap();
        let process: u32 = written.trim().parse().unwrap();
        let gone = until(Duration::from_secs(5), || {
            matches!(process_state(process), None | Some('Z')).then_some(())
        });
        assert!(gone.is_some(), "{prelude:?}: it goes on without a terminal");
    }
}

#[test]
fn no_colour_means_none() {
    let home = Home::new();
    let mut terminal = demo(&home, Setting::default().env("NO_COLOR", "1"));
    terminal.keys("2");
    std::thread::sleep(Duration::from_millis(300));
    terminal.quits();
    let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
    let coloured: Vec<&str> = bytes
        .split("\x1b[")
        .filter_map(|rest| rest.split_once('m').map(|(numbers, _)| numbers))
        .filter(|numbers| {
            numbers
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b';')
        })
        .filter(|numbers| {
            let mut codes = numbers
                .split(';')
                .filter_map(|code| code.parse::<u32>().ok());
            codes.any(|code| matches!(code, 30..=38 | 40..=48 | 90..=97 | 100..=107))
        })
        .collect();
    assert_eq!(coloured, NOTHING);
}

#[test]
fn nothing_is_exported_over_the_dashboard() {
    let home = Home::new();
    let terminal = demo(&home, Setting::default());
    terminal.keys("2");
    terminal.shows("cursor 2");
    terminal.keys("E");
    terminal.shows("Export");
    for path in ["/dev/tty", "/dev/stdout"] {
        terminal.keys("\x15");
        terminal.keys(path);
        terminal.keys("\r");
        terminal.shows(&format!("{path} is a terminal"));
    }
}

/// The reply of a terminal that draws pictures, and its background, the last one asked for.
const DRAWS_PICTURES: &str = "\x1b_Gi=31;OK\x1b\\\x1b]11;rgb:1010/1414/1c1c\x1b\\";

#[test]
fn pictures_are_sent_to_a_terminal_that_draws_them_and_none_is_left_in_the_shell() {
    let home = Home::new();
    let setting = || {
        let setting = Setting::default().env("COLORTERM", "truecolor");
        Setting {
            cell: (8, 16),
            ..setting.env("PS1", "$ ").env("DRIFTLINE", DRIFTLINE)
        }
    };
    let sent = |terminal: &Terminal, sequence: &str| {
        let bytes = terminal.bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        text.matches(sequence).count()
    };
    let waits = |terminal: &Terminal, sequence: &str, count: usize| {
        let found = until(PATIENCE, || {
            (sent(terminal, sequence) >= count).then_some(())
        });
        assert!(found.is_some(), "{count} times {sequence:?}");
    };
    let arguments = ["--norc", "--noprofile", "-i"];
    let mut shell = Terminal::program(&home, "bash", &arguments, setting());
    shell.keys("\"$DRIFTLINE\" demo\r");
    shell.shows("Deployments");
    assert_eq!(sent(&shell, "a=q"), 1, "it asks once");
    assert_eq!(sent(&shell, "a=t"), 0, "it sends none before the reply");
    shell.keys(DRAWS_PICTURES);
    waits(&shell, "a=t", 1);
    let deleted = sent(&shell, "d=I");
    shell.keys(CTRL_Z);
    shell.shows("Stopped");
    assert!(
        sent(&shell, "d=I") > deleted,
        "nothing is left while it is stopped"
    );
    let pictures = sent(&shell, "a=t");
    shell.keys("fg\r");
    waits(&shell, "a=t", pictures + 1);
    let deleted = sent(&shell, "d=I");
    shell.keys("q");
    until(PATIENCE, || (!shell.alternate()).then_some(())).expect("it does not quit");
    shell.keys("echo status=$?; exit 0\r");
    shell.shows("status=0");
    assert!(sent(&shell, "d=I") > deleted);
    // A new fix may have sent one before the key was read.
    let bytes = shell.bytes();
    let text = String::from_utf8_lossy(&bytes);
    assert!(
        text.rfind("a=t") < text.rfind("d=I"),
        "none comes after them"
    );
    assert_eq!(shell.end(), 0);

    // In a multiplexer, and where a cell has no pixels, nothing is asked.
    for setting in [setting().env("TMUX", "/tmp/tmux,1,0"), Setting::default()] {
        let mut terminal = demo(&home, setting);
        terminal.quits();
        assert_eq!(sent(&terminal, "\x1b_G"), 0);
    }
}
