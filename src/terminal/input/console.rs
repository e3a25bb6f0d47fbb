//! Keys from the console of systems other than Unix.

use std::thread;

use crossterm::event::{
    Event as TerminalEvent, KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers, MouseButton,
    MouseEvent, MouseEventKind,
};
use tokio::sync::mpsc::UnboundedSender;

use crate::dashboard::event::Event;
use crate::dashboard::key::{Key, KeyCode, Mouse, MouseKind};
use crate::terminal::{LoopEvent, raw};

/// Reads the next event and sends it; returns whether to continue.
fn pass_on(events: &UnboundedSender<LoopEvent>) -> bool {
    match crossterm::event::read() {
        Ok(event) => {
            translate(event).is_none_or(|event| events.send(LoopEvent::Event(event)).is_ok())
        }
        Err(error) => {
            let _ = events.send(LoopEvent::InputLost(error.to_string()));
            false
        }
    }
}

/// The thread that reads the terminal; here it ends with the process.
pub(in crate::terminal) struct Keys(());

impl Keys {
    pub(in crate::terminal) fn listen(events: UnboundedSender<LoopEvent>) -> std::io::Result<Self> {
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
            let (width, height, cell_aspect) = raw::size();
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
