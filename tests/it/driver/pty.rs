//! A simulated user at a terminal: a real pseudo-terminal, a screen that
//! interprets the output, keys, signals, and the terminal's state before and
//! after.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::process::Signal;

use super::clock::Clock;
use super::home::{DRIFTLINE, Home};
use crate::exit_status::TOKEN;

/// Keys by name, as an xterm sends them.
pub(crate) const ENTER: &str = "\r";
pub(crate) const ESC: &str = "\x1b";
pub(crate) const TAB: &str = "\t";
pub(crate) const CTRL_C: &str = "\x03";
pub(crate) const CTRL_Z: &str = "\x1a";
pub(crate) const BACKSPACE: &str = "\x7f";

/// The terminal as the program sees it: its size, and whether it replies to
/// queries.
pub(crate) struct Setting {
    pub columns: u16,
    pub rows: u16,
    /// Width and height of a cell in pixels, 0 where it reports none.
    pub cell: (u16, u16),
    /// Whether the terminal replies to queries (cursor position, identity) as
    /// an xterm does; if not, it never replies.
    pub answers: bool,
    pub environment: Vec<(OsString, Option<OsString>)>,
}

impl Default for Setting {
    fn default() -> Setting {
        Setting {
            columns: 160,
            rows: 48,
            cell: (0, 0),
            answers: true,
            environment: Vec::new(),
        }
    }
}

impl Setting {
    pub(crate) fn size(columns: u16, rows: u16) -> Setting {
        Setting {
            columns,
            rows,
            ..Setting::default()
        }
    }

    pub(crate) fn env(mut self, name: &str, value: impl Into<OsString>) -> Setting {
        self.environment.push((name.into(), Some(value.into())));
        self
    }

    /// Gives the program the address of a service and the token of the tests.
    pub(crate) fn at(self, base_url: impl Into<OsString>) -> Setting {
        self.env("DRIFTLINE_BASE_URL", base_url)
            .env("DRIFTLINE_TOKEN", TOKEN)
    }

    /// Gives the program this clock.
    pub(crate) fn clock(self, clock: Clock) -> Setting {
        let environment = clock.environment().into_iter();
        environment.fold(self, |setting, (name, value)| setting.env(name, value))
    }
}

/// All output of the program, and the resulting screen.
struct Written {
    bytes: Vec<u8>,
    screen: vt100::Parser,
}

/// A program in its terminal. It is killed on drop.
pub(crate) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    // Held open, so that the terminal's state can be read after the program has
    // ended.
    _slave: Box<dyn SlavePty + Send>,
    keyboard: Arc<Mutex<Box<dyn Write + Send>>>,
    written: Arc<Mutex<Written>>,
    deaf: Arc<AtomicBool>,
    before: String,
    started: Instant,
}

impl Terminal {
    /// Starts the program at 160x48 with `arguments`.
    pub(crate) fn driftline(home: &Home, arguments: &[&str], setting: Setting) -> Terminal {
        Terminal::program(home, DRIFTLINE, arguments, setting)
    }

    pub(crate) fn program(
        home: &Home,
        program: &str,
        arguments: &[&str],
        setting: Setting,
    ) -> Terminal {
        let size = PtySize {
            rows: setting.rows,
            cols: setting.columns,
            pixel_width: setting.columns * setting.cell.0,
            pixel_height: setting.rows * setting.cell.1,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.env_clear();
        command.cwd(home.path());
        for (name, value) in home.environment() {
            command.env(name, value);
        }
        for (name, value) in setting.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            }
        }
        let before = state(pair.master.as_ref());
        let written = Arc::new(Mutex::new(Written {
            bytes: Vec::new(),
            screen: vt100::Parser::new(cells(setting.rows), cells(setting.columns), 0),
        }));
        let keyboard = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let reader = pair.master.try_clone_reader().unwrap();
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).unwrap();
        let (screen, answers) = (Arc::clone(&written), setting.answers);
        let (replies, deaf) = (Arc::clone(&keyboard), Arc::new(AtomicBool::new(false)));
        let ears = Arc::clone(&deaf);
        std::thread::spawn(move || watch(reader, &screen, answers.then_some(&replies), &ears));
        Terminal {
            child,
            master: pair.master,
            _slave: pair.slave,
            keyboard,
            written,
            deaf,
            before,
            started,
        }
    }

    /// Stops or resumes reading the program's output, as Ctrl-S or a copy mode
    /// does.
    pub(crate) fn stop_reading(&self, stopped: bool) {
        self.deaf.store(stopped, Ordering::SeqCst);
    }

    /// Whether the alternate screen is active, the one without scrollback.
    pub(crate) fn alternate(&self) -> bool {
        let written = self.written.lock().unwrap();
        written.screen.screen().alternate_screen()
    }

    /// How long the program has been running.
    pub(crate) fn age(&self) -> Duration {
        self.started.elapsed()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Types `keys` in a single write.
    pub(crate) fn keys(&self, keys: &str) {
        let mut keyboard = self.keyboard.lock().unwrap();
        keyboard.write_all(keys.as_bytes()).unwrap();
        keyboard.flush().unwrap();
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let size = PtySize {
            rows,
            cols: columns,
            pixel_width: 0,
            pixel_height: 0,
        };
        let mut written = self.written.lock().unwrap();
        written.screen.set_size(cells(rows), cells(columns));
        self.master.resize(size).unwrap();
    }

    pub(crate) fn signal(&self, signal: Signal) {
        super::signal(self.id(), signal);
    }

    /// The screen as text, one line for each row.
    pub(crate) fn screen(&self) -> String {
        self.written.lock().unwrap().screen.screen().contents()
    }

    /// All bytes that the program has written so far.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.written.lock().unwrap().bytes.clone()
    }

    /// Waits until `seen` accepts the screen, and returns the screen.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, seen: impl Fn(&str) -> bool) -> String {
        let found = super::until(super::PATIENCE, || {
            let screen = self.screen();
            seen(&screen).then_some(screen)
        });
        found.unwrap_or_else(|| panic!("never seen: {what}\n{}", self.screen()))
    }

    /// Waits until the screen shows `text`.
    #[track_caller]
    pub(crate) fn shows(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    /// Waits until the screen no longer shows `text`.
    #[track_caller]
    pub(crate) fn hides(&self, text: &str) -> String {
        self.wait(&format!("no {text}"), |screen| !screen.contains(text))
    }

    /// The kernel's one-letter state of the program: `R`, `S`, `T` (stopped) …
    pub(crate) fn process_state(&self) -> Option<char> {
        super::process_state(self.id())
    }

    /// Types the key that ends the program, which ends well.
    #[track_caller]
    pub(crate) fn quits(&mut self) {
        self.keys("q");
        assert_eq!(self.end(), 0);
    }

    /// Waits for the end of the program; returns its exit status, or 128 plus
    /// the signal's number.
    #[track_caller]
    pub(crate) fn end(&mut self) -> i32 {
        let ended = super::until(super::PATIENCE, || self.child.try_wait().unwrap());
        let Some(ended) = ended else {
            panic!("it does not end\n{}", self.screen());
        };
        // The last output may not have been read yet.
        let (mut length, mut still) = (usize::MAX, 0);
        super::until(super::PATIENCE, || {
            let now = self.written.lock().unwrap().bytes.len();
            std::thread::sleep(Duration::from_millis(30));
            still = if now == length { still + 1 } else { 0 };
            length = now;
            (still >= 4).then_some(())
        });
        match ended.signal() {
            Some("Hangup") => 129,
            Some("Interrupt") => 130,
            Some("Terminated") => 143,
            Some(name) => panic!("ended by {name}\n{}", self.screen()),
            None => i32::try_from(ended.exit_code()).unwrap(),
        }
    }

    /// The differences between the terminal's state now and at the start: line
    /// settings, alternate screen, cursor, mouse and paste modes, keyboard
    /// protocol.
    pub(crate) fn insane(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let after = state(self.master.as_ref());
        if after != self.before {
            wrong.push(format!("line settings: {} became {after}", self.before));
        }
        let written = self.written.lock().unwrap();
        let screen = written.screen.screen();
        for (what, on) in [
            ("still on the alternate screen", screen.alternate_screen()),
            ("the cursor is hidden", screen.hide_cursor()),
            ("bracketed paste is on", screen.bracketed_paste()),
            ("application keypad is on", screen.application_keypad()),
            (
                "application cursor keys are on",
                screen.application_cursor(),
            ),
            (
                "the mouse is captured",
                screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None,
            ),
            (
                "focus is reported",
                last_is_on(&written.bytes, "\x1b[?1004h", "\x1b[?1004l"),
            ),
            (
                "the keyboard protocol is on",
                last_is_on(&written.bytes, "\x1b[>1u", "\x1b[<1u"),
            ),
        ] {
            if on {
                wrong.push(what.to_owned());
            }
        }
        wrong
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN)
}

/// The line settings of the terminal as text for comparison.
fn state(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().unwrap())
}

/// Whether `on` was written after the last `off`.
fn last_is_on(bytes: &[u8], on: &str, off: &str) -> bool {
    let last = |wanted: &str| {
        bytes
            .windows(wanted.len())
            .rposition(|window| window == wanted.as_bytes())
    };
    last(on) > last(off)
}

/// Reads the program's output until its terminal closes, and replies to queries
/// if `keyboard` is given.
fn watch(
    mut reader: Box<dyn Read + Send>,
    written: &Mutex<Written>,
    keyboard: Option<&Arc<Mutex<Box<dyn Write + Send>>>>,
    deaf: &AtomicBool,
) {
    let mut buffer = [0; 65536];
    while let Ok(count) = reader.read(&mut buffer) {
        if count == 0 {
            return;
        }
        let bytes = &buffer[..count];
        let cursor = {
            let mut written = written.lock().unwrap();
            written.bytes.extend_from_slice(bytes);
            written.screen.process(bytes);
            written.screen.screen().cursor_position()
        };
        while deaf.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let Some(keyboard) = keyboard else { continue };
        let mut keyboard = keyboard.lock().unwrap();
        let at = format!("\x1b[{};{}R", cursor.0 + 1, cursor.1 + 1);
        for (question, answer) in [("\x1b[6n", at.as_str()), ("\x1b[c", "\x1b[?62;22c")] {
            if super::home::holds(bytes, question) {
                keyboard.write_all(answer.as_bytes()).ok();
            }
        }
    }
}

#[test]
fn a_program_in_a_terminal_is_seen_typed_to_and_resized() {
    let home = Home::new();
    let mut terminal = Terminal::program(
        &home,
        "bash",
        &[
            "--norc",
            "-c",
            "printf '\\033[2;3Hahoy'; read -r word; stty size; echo got $word; exit 5",
        ],
        Setting::size(40, 10),
    );
    assert!(terminal.shows("ahoy").starts_with("\n  ahoy"));
    terminal.resize(50, 12);
    terminal.keys("buoy\r");
    terminal.shows("12 50");
    terminal.shows("got buoy");
    assert_eq!(terminal.end(), 5);
    assert_eq!(terminal.insane(), [""; 0]);
}

#[test]
fn a_terminal_left_in_disorder_is_called_insane() {
    let home = Home::new();
    let script = "stty raw -echo; printf '\\033[?1049h\\033[?25l\\033[?1000h\\033[?2004h\\033[?1004h\\033[>1u'";
    let mut terminal =
        Terminal::program(&home, "bash", &["--norc", "-c", script], Setting::default());
    assert_eq!(terminal.end(), 0);
    assert_eq!(terminal.insane().len(), 7, "{:?}", terminal.insane());
}

#[test]
fn a_terminal_answers_only_if_it_is_one_that_does() {
    let home = Home::new();
    let script = "stty -echo raw; printf '\\033[6n'; read -r -t 1 -d R answer; stty sane; echo \"[${#answer}]\"";
    for (answers, length) in [(true, "[5]"), (false, "[0]")] {
        let setting = Setting {
            answers,
            ..Setting::default()
        };
        let terminal = Terminal::program(&home, "bash", &["--norc", "-c", script], setting);
        terminal.shows(length);
    }
}
