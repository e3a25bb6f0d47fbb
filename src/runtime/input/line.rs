//! Keys from a terminal, byte by byte. The terminal library can read keys too,
//! but it leaves input beyond its buffer unread until the next key, so that a
//! flood of keys would stop.

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

use crate::app::Event;
use crate::app::key::{Key, KeyCode, Mouse, MouseKind};
use crate::palette::Rgb;
use crate::runtime::loop_event::LoopEvent;

/// Timeout after an escape character: if nothing follows, it was the Esc key.
const ESCAPE: Duration = Duration::from_millis(30);
/// Timeout of an incomplete escape sequence. Satellite links can delay the rest
/// of a sequence.
const SEQUENCE: Duration = Duration::from_millis(600);
/// How long after the terminal was asked for its ground an escape character is
/// more likely the start of its reply than the Esc key.
const REPLY: Duration = Duration::from_secs(3);
/// How long after a reply was cut off its rest is expected.
const REST: Duration = Duration::from_secs(2);
/// Maximum size of a sequence or paste, bytes; a longer one is dropped.
const LONGEST: usize = 32 << 20;

/// The thread that reads the terminal. It ends before the terminal is restored:
/// keys typed after that belong to the shell.
pub(in crate::runtime) struct Keys {
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
    pub(in crate::runtime) fn listen(events: UnboundedSender<LoopEvent>) -> std::io::Result<Self> {
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

    /// The terminal is asked for its ground now. Until it has replied, what may
    /// be the start of its reply is waited for longer.
    pub(in crate::runtime) fn expect_reply(&self) {
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
        let [terminal, stop] = watched.map(|one| one.revents());
        if !stop.is_empty() {
            return None;
        }
        if terminal.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            let _ = events.send(LoopEvent::Hangup);
            return None;
        }
        match rustix::io::read(&stdin, &mut buffer) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            // End of file: the other end of the terminal is closed.
            Ok(0) | Err(Errno::IO) => {
                let _ = events.send(LoopEvent::Hangup);
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
    /// When the first of the held bytes was received.
    since: Option<Instant>,
    /// When the terminal was asked for its ground, if it was.
    asked_at: Arc<OnceLock<Instant>>,
    /// Whether it has replied.
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
        // Only a reply goes on so long after its escape character.
        let is_late = self.since.is_some_and(|since| since.elapsed() >= ESCAPE);
        if self.held == [ESC] && is_late && bytes.first() != Some(&b']') {
            self.nothing_followed(events);
        }
        // Fast typing must not extend the timeout of an incomplete sequence.
        if self.held.len() > 1 && self.patience().is_some_and(|patience| patience.is_zero()) {
            self.nothing_followed(events);
        }
        // The escape character before it was taken as the Esc key.
        if self.held.is_empty() && bytes.starts_with(b"]11;rgb") {
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

    fn push(&mut self, byte: u8) {
        self.since.get_or_insert_with(Instant::now);
        self.held.push(byte);
        self.parser.parse(&[byte], true);
    }

    /// Drops what is held.
    fn forget(&mut self) {
        self.held.clear();
        self.since = None;
        self.parser = Parser::default();
    }

    /// Takes a byte of the rest of a reply that was cut off: it is no key.
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

    /// Time to wait for the rest of an incomplete event; `None` if there is
    /// none. The timeout of a sequence counts from its first byte, that of a
    /// paste from its last.
    fn patience(&self) -> Option<Duration> {
        let since = self.since.map_or(Duration::ZERO, |since| since.elapsed());
        match self.held.as_slice() {
            [] => None,
            [ESC] if self.may_be_reply() => Some(SEQUENCE.saturating_sub(since)),
            [ESC] => Some(ESCAPE.saturating_sub(since)),
            held if is_paste(held) => Some(PASTE),
            _ => Some(SEQUENCE.saturating_sub(since)),
        }
    }

    /// Whether the terminal has yet to tell its ground.
    fn may_be_reply(&self) -> bool {
        let asked_at = self.asked_at.get();
        !self.has_replied && asked_at.is_some_and(|at| at.elapsed() < REPLY)
    }

    fn nothing_followed(&mut self, events: &UnboundedSender<LoopEvent>) {
        // The text of a paste without an end is dropped.
        if self.held.starts_with(b"\x1b]") {
            self.cut_at = Some(Instant::now());
        }
        self.parser.parse(&[], false);
        self.pass_on(events);
        self.forget();
    }
}

const ESC: u8 = 0x1b;
const BELL: u8 = 0x07;

/// Whether the held bytes are the start of a paste.
fn is_paste(held: &[u8]) -> bool {
    held.starts_with(b"\x1b[200~")
}

/// A reply of the terminal to what it was asked at the start.
fn reply(event: &TerminalEvent) -> Option<LoopEvent> {
    match event {
        TerminalEvent::Osc(Osc::ChangeDynamicColors(
            DynamicColorNumber::TextBackgroundColor,
            colours,
        )) => match colours.first() {
            Some(ColorOrQuery::Color(colour)) => Some(LoopEvent::Ground(Rgb(
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

fn translate_key(key: KeyEvent) -> Option<Key> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let code = match key.code {
        Code::Char(character) => KeyCode::Char(character),
        Code::Enter => KeyCode::Enter,
        Code::Escape => KeyCode::Esc,
        Code::Tab if key.modifiers.contains(Modifiers::SHIFT) => KeyCode::BackTab,
        Code::Tab => KeyCode::Tab,
        Code::BackTab => KeyCode::BackTab,
        Code::Backspace => KeyCode::Backspace,
        Code::Delete => KeyCode::Delete,
        Code::Insert => KeyCode::Insert,
        Code::Up => KeyCode::Up,
        Code::Down => KeyCode::Down,
        Code::Left => KeyCode::Left,
        Code::Right => KeyCode::Right,
        Code::Home => KeyCode::Home,
        Code::End => KeyCode::End,
        Code::PageUp => KeyCode::PageUp,
        Code::PageDown => KeyCode::PageDown,
        Code::Function(number) => KeyCode::F(number),
        _ => return None,
    };
    Some(Key {
        code,
        ctrl: key.modifiers.contains(Modifiers::CONTROL),
        alt: key.modifiers.contains(Modifiers::ALT),
    })
}

fn translate_mouse(mouse: MouseEvent) -> Option<Mouse> {
    let kind = match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) => MouseKind::Press,
        MouseEventKind::Drag(MouseButton::Left) => MouseKind::Drag,
        MouseEventKind::Up(MouseButton::Left) => MouseKind::Release,
        MouseEventKind::ScrollUp => MouseKind::WheelUp,
        MouseEventKind::ScrollDown => MouseKind::WheelDown,
        MouseEventKind::Moved => MouseKind::Move,
        _ => return None,
    };
    Some(Mouse {
        kind,
        column: mouse.column,
        row: mouse.row,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of pieces, each followed by a pause.
    fn heard(pieces: &[&[u8]]) -> Vec<String> {
        let (events, mut happenings) = tokio::sync::mpsc::unbounded_channel();
        let mut line = Line::default();
        for piece in pieces {
            line.take(piece, &events);
        }
        if line.patience().is_some() {
            line.nothing_followed(&events);
        }
        std::iter::from_fn(|| match happenings.try_recv() {
            Ok(LoopEvent::Event(event)) => Some(told(event)),
            _ => None,
        })
        .collect()
    }

    fn told(event: Event) -> String {
        match event {
            Event::Key(key) => format!("{:?}", key.code),
            Event::Paste(text) => format!("paste {text:?}"),
            other => format!("{other:?}"),
        }
    }

    fn key(code: KeyCode) -> String {
        format!("{code:?}")
    }

    #[test]
    fn a_paste_behind_an_escape_or_half_a_sequence_is_text_and_never_keys() {
        assert_eq!(
            heard(&[b"\x1b\x1b[200~qD\x1b[201~"]),
            ["Esc", "paste \"qD\""]
        );
        assert_eq!(heard(&[b"\x1b\x1b"]), ["Esc", "Esc"]);
        assert_eq!(heard(&[b"\x1b\x1b[A"]), ["Esc", "Up"]);
        for begun in [&b"\x1b]"[..], b"\x1bP", b"\x1b_", b"\x1b[<0;1"] {
            let (events, mut happenings) = tokio::sync::mpsc::unbounded_channel();
            let mut line = Line::default();
            line.take(begun, &events);
            std::thread::sleep(SEQUENCE);
            line.take(b"\x1b[200~q\x1b[201~", &events);
            line.take(b"j", &events);
            let mut told_last = None;
            while let Ok(LoopEvent::Event(event)) = happenings.try_recv() {
                told_last = Some(told(event));
            }
            assert_eq!(told_last.as_deref(), Some("Char('j')"), "{begun:?}");
        }
    }

    #[test]
    fn the_terminals_ground_is_read_among_keys_whatever_ends_its_reply() {
        for reply in [
            &b"j\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\k"[..],
            b"j\x1b]11;rgb:fdfd/f6f6/e3e3\x07k",
        ] {
            let (events, mut inbox) = tokio::sync::mpsc::unbounded_channel();
            let mut line = Line::default();
            // A reply may be split anywhere.
            for byte in reply {
                line.take(std::slice::from_ref(byte), &events);
            }
            let mut seen = Vec::new();
            while let Ok(event) = inbox.try_recv() {
                seen.push(match event {
                    LoopEvent::Event(event) => told(event),
                    LoopEvent::Ground(Rgb(red, green, blue)) => format!("{red} {green} {blue}"),
                    _ => String::new(),
                });
            }
            let keys = ["Char('j')", "253 246 227", "Char('k')"];
            assert_eq!(seen, keys);
        }
    }

    #[test]
    fn a_reply_in_single_bytes_of_control_is_read_and_no_byte_of_it_is_a_key() {
        let (events, mut inbox) = tokio::sync::mpsc::unbounded_channel();
        let mut line = Line::default();
        for byte in b"j\x9d11;rgb:fdfd/f6f6/e3e3\x9ck" {
            line.take(&[*byte], &events);
        }
        let mut seen = Vec::new();
        while let Ok(event) = inbox.try_recv() {
            seen.push(match event {
                LoopEvent::Event(event) => told(event),
                LoopEvent::Ground(ground) => format!("{ground:?}"),
                _ => String::new(),
            });
        }
        let ground = format!("{:?}", Rgb(253, 246, 227));
        assert_eq!(seen, ["Char('j')", &ground, "Char('k')"]);
    }

    #[test]
    fn a_reply_that_is_cut_anywhere_is_never_taken_as_keys() {
        for reply in [
            &b"\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\"[..],
            b"\x1b]11;rgb:fdfd/f6f6/e3e3\x07",
            b"\x9d11;rgb:fdfd/f6f6/e3e3\x9c",
        ] {
            for cut in 1..reply.len() {
                let (events, mut inbox) = tokio::sync::mpsc::unbounded_channel();
                let mut line = Line::default();
                let (first, rest) = reply.split_at(cut);
                line.take(first, &events);
                // The rest comes after the time of a sequence.
                line.nothing_followed(&events);
                line.take(rest, &events);
                line.take(b"j", &events);
                let mut heard = Vec::new();
                while let Ok(event) = inbox.try_recv() {
                    if let LoopEvent::Event(event) = event {
                        heard.push(told(event));
                    }
                }
                // After a lone escape character nobody knows yet.
                let esc = (first == b"\x1b").then(|| key(KeyCode::Esc));
                let expected: Vec<_> = esc.into_iter().chain(["Char('j')".to_owned()]).collect();
                assert_eq!(heard, expected, "{reply:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn an_escape_after_the_question_is_waited_for_until_the_reply_has_come() {
        let (events, mut inbox) = tokio::sync::mpsc::unbounded_channel();
        let mut line = Line::default();
        line.asked_at.set(Instant::now()).unwrap();
        line.take(b"\x1b", &events);
        assert!(line.patience() > Some(ESCAPE));
        line.take(b"]11;rgb:0000/0000/0000\x07", &events);
        assert!(matches!(inbox.try_recv(), Ok(LoopEvent::Ground(_))));
        line.take(b"\x1b", &events);
        assert!(line.patience() <= Some(ESCAPE));
        // Without a reply, a key after the Esc key is a key of its own.
        let mut line = Line::default();
        line.asked_at.set(Instant::now()).unwrap();
        line.take(b"\x1b", &events);
        std::thread::sleep(ESCAPE);
        line.take(b"j", &events);
        let keys: Vec<_> = std::iter::from_fn(|| match inbox.try_recv() {
            Ok(LoopEvent::Event(event)) => Some(told(event)),
            _ => None,
        })
        .collect();
        assert_eq!(keys, ["Esc", "Char('j')"]);
    }

    #[test]
    fn a_paste_without_an_end_can_be_left_by_ctrl_c() {
        let (events, mut happenings) = tokio::sync::mpsc::unbounded_channel();
        let mut line = Line::default();
        line.take(b"\x1b[200~never ended", &events);
        line.take(b"q", &events);
        assert!(happenings.try_recv().is_err());
        line.take(b"\x03", &events);
        let Ok(LoopEvent::Event(Event::Key(key))) = happenings.try_recv() else {
            panic!("Ctrl-C is not heard");
        };
        assert!(key.ctrl && key.code == KeyCode::Char('c'));
    }

    #[test]
    fn an_escape_alone_is_the_key_and_before_a_bracket_it_is_a_sequence() {
        assert_eq!(heard(&[b"\x1b"]), [key(KeyCode::Esc)]);
        assert_eq!(heard(&[b"\x1b", b"[A"]), [key(KeyCode::Up)]);
        assert_eq!(
            heard(&[b"\x1b[", b"", b"5~q"]),
            [key(KeyCode::PageUp), key(KeyCode::Char('q'))]
        );
    }

    #[test]
    fn a_paste_in_pieces_is_one_text_though_it_stops_for_long() {
        let pasted = heard(&[b"\x1b[200~a", b"\r\x1b[", b"b\x1b[201~j"]);
        assert_eq!(
            pasted,
            [format!("paste {:?}", "a\r\x1b[b"), key(KeyCode::Char('j'))]
        );
        let mut line = Line::default();
        let (events, _kept) = tokio::sync::mpsc::unbounded_channel();
        line.take(b"\x1b[200~half", &events);
        assert_eq!(line.patience(), Some(PASTE));
    }

    #[test]
    fn what_is_begun_and_never_ended_does_not_make_the_keyboard_deaf() {
        for begun in [
            &b"\x1bP"[..],
            b"\x1b]",
            b"\x1b[<",
            b"\xf0\x9f",
            b"\x1bO",
            b"\x1b[M",
        ] {
            let (events, mut happenings) = tokio::sync::mpsc::unbounded_channel();
            let mut line = Line::default();
            line.take(begun, &events);
            assert!(line.patience().is_some(), "{begun:?}");
            line.nothing_followed(&events);
            while happenings.try_recv().is_ok() {}
            line.take(b"j", &events);
            let Ok(LoopEvent::Event(event)) = happenings.try_recv() else {
                panic!("deaf after {begun:?}")
            };
            assert_eq!(told(event), key(KeyCode::Char('j')), "{begun:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_heard_without_a_panic(bytes: Vec<u8>, cut in 0usize..50) {
            let (first, second) = bytes.split_at(cut.min(bytes.len()));
            heard(&[first, second]);
        }

        #[test]
        fn any_sequence_is_heard_without_a_panic(tail in "[0-9;<>?MmuRPc~ \\[\\]A-Z]{0,12}") {
            heard(&[b"\x1b[", tail.as_bytes()]);
            heard(&[b"\x1b", tail.as_bytes()]);
        }
    }
}
