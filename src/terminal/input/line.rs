//! Keys from a terminal, byte by byte, by the parser of termina. crossterm's cannot be
//! used apart from its reader, which (0.29, tried in a pseudo-terminal) leaves 2,592 of
//! 20,000 keys unread until the next key, takes an arrow key that a slow link delivers in
//! two pieces for Esc, `[` and `A`, types a pasted text whose start is cut so key by key,
//! waits for ever where the end of a paste is lost, and takes the reply with the colour of
//! the background for 22 keys.

use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use termina::escape::osc::{ColorOrQuery, DynamicColorNumber, Osc};
use termina::event::{
    KeyCode as Code, KeyEvent, KeyEventKind, Modifiers, MouseButton, MouseEvent, MouseEventKind,
};
use termina::{Event as TerminalEvent, Parser};
use tokio::sync::mpsc::UnboundedSender;

use crate::dashboard::event::Event;
use crate::dashboard::key::{Key, KeyCode, Mouse, MouseKind};
use crate::palette::Rgb;
use crate::terminal::input::LoopEvent;
use crate::terminal::pictures;

/// Timeout after an escape character: if nothing follows, it was the Esc key.
const ESCAPE: Duration = Duration::from_millis(30);
/// Timeout of an incomplete escape sequence. Satellite links can delay the rest
/// of a sequence.
const SEQUENCE: Duration = Duration::from_millis(600);
/// How long after the query of its background an escape character is more likely the
/// start of the terminal's reply than the Esc key.
const REPLY: Duration = Duration::from_millis(250);
/// How long after a reply was cut off its rest is expected.
const REST: Duration = Duration::from_secs(2);
/// Maximum size of a sequence or paste, bytes; a longer one is dropped.
const LONGEST: usize = 32 << 20;

/// The thread that reads the terminal. It ends before the terminal is restored:
/// keys typed after that belong to the shell.
pub(in crate::terminal) struct Keys {
    thread: Option<thread::JoinHandle<()>>,
    /// Dropping it ends the thread.
    stop: Option<UnixStream>,
    asked_at: Arc<OnceLock<Instant>>,
}

impl Keys {
    /// Starts to read. The thread sleeps until there is input, the terminal is
    /// gone, or it must end. A plain read would never return if SIGHUP is
    /// ignored (under `nohup`, `tmux`, `ssh -t`) and nothing else reports that
    /// the terminal is gone.
    pub(in crate::terminal) fn listen(events: UnboundedSender<LoopEvent>) -> std::io::Result<Self> {
        let (stop, stopped) = UnixStream::pair()?;
        let asked_at = Arc::default();
        let asked = Arc::clone(&asked_at);
        let thread = thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || {
                // A panic of the parser ends the program with a message;
                // without this, keys would be ignored from then on.
                let reading =
                    catch_unwind(AssertUnwindSafe(|| read_keys(&events, &stopped, asked)));
                let why = match reading {
                    Ok(why) => why,
                    Err(_) => Some("it sent a sequence that cannot be parsed".to_owned()),
                };
                if let Some(why) = why {
                    let _ = events.send(LoopEvent::InputLost(why));
                }
            })?;
        Ok(Self {
            thread: Some(thread),
            stop: Some(stop),
            asked_at,
        })
    }

    /// The query of the background is sent now. Until the terminal has replied, the
    /// possible start of its reply gets a longer timeout.
    pub(in crate::terminal) fn expect_reply(&self) {
        let _ = self.asked_at.set(Instant::now());
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Reads until it must stop; returns the reason if it cannot continue.
fn read_keys(
    events: &UnboundedSender<LoopEvent>,
    stopped: &UnixStream,
    asked_at: Arc<OnceLock<Instant>>,
) -> Option<String> {
    let stdin = std::io::stdin();
    let mut line = Line {
        asked_at,
        ..Line::default()
    };
    let mut buffer = [0; 4096];
    loop {
        let mut watched = [
            PollFd::new(&stdin, PollFlags::IN),
            PollFd::new(stopped, PollFlags::IN),
        ];
        let patience = line
            .patience()
            .and_then(|wait| Timespec::try_from(wait).ok());
        match poll(&mut watched, patience.as_ref()) {
            Err(Errno::INTR) => continue,
            Err(error) => return Some(error.to_string()),
            Ok(0) => {
                line.nothing_followed(events);
                continue;
            }
            Ok(_) => {}
        }
        let [terminal, stop] = watched.map(|polled| polled.revents());
        if !stop.is_empty() {
            return None;
        }
        if terminal.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            let _ = events.send(HANGUP);
            return None;
        }
        match rustix::io::read(&stdin, &mut buffer) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            // End of file: the other end of the terminal is closed.
            Ok(0) | Err(Errno::IO) => {
                let _ = events.send(HANGUP);
                return None;
            }
            Err(error) => return Some(error.to_string()),
            Ok(count) => line.take(buffer.get(..count).unwrap_or_default(), events),
        }
    }
}

/// Timeout of a paste without an end, from its last byte: if the end is lost,
/// keys must work again.
const PASTE: Duration = Duration::from_secs(30);
const CTRL_C: u8 = 0x03;

/// Received bytes that are not a complete event yet.
#[derive(Default)]
struct Line {
    parser: Parser,
    held: Vec<u8>,
    /// When the first of the pending bytes was received.
    since: Option<Instant>,
    /// When the query of the background was sent, if it was.
    asked_at: Arc<OnceLock<Instant>>,
    /// `true` if it has replied.
    has_replied: bool,
    /// When a reply was cut off.
    cut_at: Option<Instant>,
}

impl Line {
    fn take(&mut self, bytes: &[u8], events: &UnboundedSender<LoopEvent>) {
        // A paste whose end was lost takes every key as text, except Ctrl-C
        // when it arrives on its own.
        if bytes == [CTRL_C] && is_paste(&self.held) {
            self.forget();
        }
        // Only a reply continues so long after its escape character.
        let is_late = self.since.is_some_and(|since| since.elapsed() >= ESCAPE);
        if self.held == [ESC] && is_late && !matches!(bytes.first(), Some(b']' | b'_')) {
            self.nothing_followed(events);
        }
        // Fast typing must not extend the timeout of an incomplete sequence.
        if self.held.len() > 1 && self.patience().is_some_and(|patience| patience.is_zero()) {
            self.nothing_followed(events);
        }
        // The escape character before it was taken as the Esc key.
        let is_reply = bytes.starts_with(b"]11;rgb") || bytes.starts_with(pictures::REPLY);
        if self.held.is_empty() && is_reply {
            self.push(ESC);
        }
        for byte in bytes {
            if self.is_rest(*byte) {
                continue;
            }
            let byte = match (self.held.as_slice(), *byte) {
                // One byte for the start of a reply, and one for its end.
                ([], 0x9d) => {
                    self.push(ESC);
                    b']'
                }
                ([ESC, b']', ..], 0x9c) => BELL,
                (_, byte) => byte,
            };
            if self.is_of_pictures(byte, events) {
                continue;
            }
            // A second escape begins a new sequence: it may be a paste, whose
            // text must not be read as keys.
            if byte == ESC && self.held == [ESC] {
                self.nothing_followed(events);
            }
            self.push(byte);
            self.pass_on(events);
        }
        if self.held.len() > LONGEST {
            self.forget();
        }
    }

    /// Takes a byte of the reply about pictures, which the parser would take for keys; returns
    /// whether it was one. Before a reply was asked for, and after the last one, its begin is a
    /// key with Alt.
    fn is_of_pictures(&mut self, byte: u8, events: &UnboundedSender<LoopEvent>) -> bool {
        let is_asked = self.asked_at.get().is_some() && !self.has_replied;
        match (self.held.as_slice(), byte) {
            ([ESC], b'_') if is_asked => self.parser = Parser::default(),
            ([ESC, b'_', .., ESC], b'\\') | ([ESC, b'_', ..], BELL | 0x9c) => {
                if self.held.starts_with(pictures::YES) {
                    let _ = events.send(LoopEvent::DrawsPictures);
                }
                self.forget();
                return true;
            }
            // It may be a paste.
            ([ESC, b'_', .., ESC], _) => {
                self.forget();
                self.push(ESC);
                return false;
            }
            ([ESC, b'_', ..], _) => {}
            _ => return false,
        }
        self.held.push(byte);
        true
    }

    fn push(&mut self, byte: u8) {
        self.since.get_or_insert_with(Instant::now);
        self.held.push(byte);
        self.parser.parse(&[byte], true);
    }

    /// Drops the pending bytes.
    fn forget(&mut self) {
        self.held.clear();
        self.since = None;
        self.parser = Parser::default();
    }

    /// Takes a byte of the rest of a reply that was cut off: it is not a key.
    /// Returns whether it was one.
    fn is_rest(&mut self, byte: u8) -> bool {
        let Some(cut_at) = self.cut_at else {
            return false;
        };
        if cut_at.elapsed() >= REST {
            self.cut_at = None;
            return false;
        }
        match (self.held.as_slice(), byte) {
            ([], BELL | 0x9c | b'\\') => self.cut_at = None,
            ([ESC], b'\\') => {
                self.forget();
                self.cut_at = None;
            }
            ([], b'r' | b'g' | b']' | b':' | b'/' | b';') => {}
            ([], b'_' | b'G' | b'i' | b'=' | b'O' | b'K') => {}
            ([], byte) if byte.is_ascii_hexdigit() => {}
            // It may be the first half of the end.
            ([], ESC) => return false,
            _ => {
                self.cut_at = None;
                return false;
            }
        }
        true
    }

    fn pass_on(&mut self, events: &UnboundedSender<LoopEvent>) {
        while let Some(event) = self.parser.pop() {
            self.held.clear();
            self.since = None;
            let reply = reply(&event);
            self.has_replied |= reply.is_some();
            if let Some(event) = reply.or_else(|| translate(event).map(LoopEvent::Event)) {
                // If the loop has ended, the event is dropped.
                let _ = events.send(event);
            }
        }
    }

    /// Timeout for the rest of an incomplete event; `None` without one. The timeout of a
    /// sequence counts from its first byte, that of a paste from its last.
    fn patience(&self) -> Option<Duration> {
        let since = self.since.map_or(Duration::ZERO, |since| since.elapsed());
        match self.held.as_slice() {
            [] => None,
            [ESC] => Some(ESCAPE.saturating_sub(since).max(self.reply_wait())),
            held if is_paste(held) => Some(PASTE),
            _ => Some(SEQUENCE.saturating_sub(since)),
        }
    }

    /// The remaining time for the reply of the terminal; zero if it has replied or no
    /// query was sent.
    fn reply_wait(&self) -> Duration {
        let asked_at = self.asked_at.get().filter(|_| !self.has_replied);
        asked_at.map_or(Duration::ZERO, |at| REPLY.saturating_sub(at.elapsed()))
    }

    fn nothing_followed(&mut self, events: &UnboundedSender<LoopEvent>) {
        // The text of a paste without an end is dropped.
        if self.held.starts_with(b"\x1b]") || self.held.starts_with(b"\x1b_") {
            self.cut_at = Some(Instant::now());
        }
        self.parser.parse(&[], false);
        self.pass_on(events);
        self.forget();
    }
}

/// The terminal is gone: the status of SIGHUP.
const HANGUP: LoopEvent = LoopEvent::Signal(129);
const ESC: u8 = 0x1b;
const BELL: u8 = 0x07;

/// `true` if the pending bytes are the start of a paste.
fn is_paste(held: &[u8]) -> bool {
    held.starts_with(b"\x1b[200~")
}

/// A reply of the terminal to the query at the start.
fn reply(event: &TerminalEvent) -> Option<LoopEvent> {
    match event {
        TerminalEvent::Osc(Osc::ChangeDynamicColors(
            DynamicColorNumber::TextBackgroundColor,
            colours,
        )) => match colours.first() {
            Some(ColorOrQuery::Color(colour)) => Some(LoopEvent::Background(Rgb(
                colour.red,
                colour.green,
                colour.blue,
            ))),
            _ => None,
        },
        _ => None,
    }
}

fn translate(event: TerminalEvent) -> Option<Event> {
    match event {
        TerminalEvent::Key(key) => translate_key(key).map(Event::Key),
        TerminalEvent::Mouse(mouse) => translate_mouse(mouse).map(Event::Mouse),
        TerminalEvent::Paste(text) => Some(Event::Paste(text)),
        // Sizes are reported by a signal; other events were not enabled.
        _ => None,
    }
}

translators!(Escape, Function, Modifiers);

#[cfg(test)]
mod tests;
