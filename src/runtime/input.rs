//! What the terminal sends, as the dashboard's own events.

use std::thread;

use crossterm::event::{
    Event as TerminalEvent, KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers, MouseButton,
    MouseEvent, MouseEventKind,
};
use tokio::sync::mpsc::UnboundedSender;

use super::Happening;
use crate::app::Event;
use crate::app::key::{Key, KeyCode, Mouse, MouseKind};

/// Reads the terminal on a thread of its own for as long as the program lives.
/// The thread is never joined: it sits in a read that nothing can interrupt.
pub(super) fn listen(events: UnboundedSender<Happening>) -> std::io::Result<()> {
    thread::Builder::new()
        .name("input".to_owned())
        .spawn(move || {
            loop {
                match crossterm::event::read() {
                    Ok(event) => {
                        if let Some(event) = translate(event)
                            && events.send(Happening::Event(event)).is_err()
                        {
                            return;
                        }
                    }
                    Err(error) => {
                        let _ = events.send(Happening::InputLost(error.to_string()));
                        return;
                    }
                }
            }
        })?;
    Ok(())
}

/// Watches for the terminal going away. With SIGHUP ignored (under `nohup`,
/// `tmux`, `ssh -t`) nothing else tells, and a read would spin for ever.
#[cfg(unix)]
pub(super) fn watch_for_hangup(events: UnboundedSender<Happening>) -> std::io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    thread::Builder::new()
        .name("hangup".to_owned())
        .spawn(move || {
            let stdin = std::io::stdin();
            loop {
                // No flag asked for: only a hang-up or an error ends the wait.
                let mut watched = [PollFd::new(&stdin, PollFlags::empty())];
                match poll(&mut watched, None) {
                    Err(error) if error == rustix::io::Errno::INTR => {}
                    _ => {
                        let _ = events.send(Happening::Hangup);
                        return;
                    }
                }
            }
        })?;
    Ok(())
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
