//! What the terminal sends, as the dashboard's own events.

#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::thread;

use crossterm::event::{
    Event as TerminalEvent, KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers, MouseButton,
    MouseEvent, MouseEventKind,
};
use tokio::sync::mpsc::UnboundedSender;

use super::Happening;
use crate::app::Event;
use crate::app::key::{Key, KeyCode, Mouse, MouseKind};

/// The thread that reads the terminal. It is ended before the terminal is given
/// back: what is typed after that belongs to the shell.
#[cfg(unix)]
pub(super) struct Keys {
    thread: Option<thread::JoinHandle<()>>,
    /// Dropped, it ends the thread.
    stop: Option<UnixStream>,
}

#[cfg(unix)]
impl Keys {
    /// Begins to read. The thread sleeps until there is something to read, the
    /// terminal is gone, or it is to end. Without the look at the terminal
    /// itself a read would spin for ever where SIGHUP is ignored (under
    /// `nohup`, `tmux`, `ssh -t`) and nothing else tells that it is gone.
    pub(super) fn listen(events: UnboundedSender<Happening>) -> std::io::Result<Self> {
        let (stop, stopped) = UnixStream::pair()?;
        let thread = thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || read_keys(&events, &stopped))?;
        Ok(Self {
            thread: Some(thread),
            stop: Some(stop),
        })
    }
}

#[cfg(unix)]
impl Drop for Keys {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(unix)]
fn read_keys(events: &UnboundedSender<Happening>, stopped: &UnixStream) {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdin = std::io::stdin();
    loop {
        let mut watched = [
            PollFd::new(&stdin, PollFlags::IN),
            PollFd::new(stopped, PollFlags::IN),
        ];
        match poll(&mut watched, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => {
                let _ = events.send(Happening::InputLost(error.to_string()));
                return;
            }
            Ok(_) => {}
        }
        let [terminal, stop] = watched.map(|one| one.revents());
        if !stop.is_empty() {
            return;
        }
        if terminal.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            let _ = events.send(Happening::Hangup);
            return;
        }
        // Everything that has come; half a sequence waits for its rest.
        loop {
            match crossterm::event::poll(std::time::Duration::ZERO) {
                Ok(false) => break,
                Ok(true) if pass_on(events) => {}
                Ok(true) => return,
                Err(error) => {
                    let _ = events.send(Happening::InputLost(error.to_string()));
                    return;
                }
            }
        }
    }
}

/// Reads the next event and passes it on; the answer is whether to go on.
fn pass_on(events: &UnboundedSender<Happening>) -> bool {
    match crossterm::event::read() {
        Ok(event) => {
            translate(event).is_none_or(|event| events.send(Happening::Event(event)).is_ok())
        }
        Err(error) => {
            let _ = events.send(Happening::InputLost(error.to_string()));
            false
        }
    }
}

/// The thread that reads the terminal; here it ends with the process.
#[cfg(not(unix))]
pub(super) struct Keys(());

#[cfg(not(unix))]
impl Keys {
    pub(super) fn listen(events: UnboundedSender<Happening>) -> std::io::Result<Self> {
        thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || while pass_on(&events) {})?;
        Ok(Self(()))
    }
}

fn translate(event: TerminalEvent) -> Option<Event> {
    match event {
        TerminalEvent::Key(key) => translate_key(key).map(Event::Key),
        TerminalEvent::Mouse(mouse) => translate_mouse(mouse).map(Event::Mouse),
        TerminalEvent::Paste(text) => Some(Event::Paste(text)),
        TerminalEvent::Resize(..) => {
            let (width, height, cell_aspect) = super::terminal::size();
            Some(Event::Resized {
                width,
                height,
                cell_aspect,
            })
        }
        TerminalEvent::FocusGained | TerminalEvent::FocusLost => None,
    }
}

fn translate_key(key: KeyEvent) -> Option<Key> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let code = match key.code {
        Code::Char(character) => KeyCode::Char(character),
        Code::Enter => KeyCode::Enter,
        Code::Esc => KeyCode::Esc,
        Code::Tab if key.modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
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
        Code::F(number) => KeyCode::F(number),
        _ => return None,
    };
    Some(Key {
        code,
        ctrl: key.modifiers.contains(KeyModifiers::CONTROL),
        alt: key.modifiers.contains(KeyModifiers::ALT),
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
