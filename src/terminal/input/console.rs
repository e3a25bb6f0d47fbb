//! Keys from the console of systems other than Unix.

use std::thread;

use crossterm::event::{
    Event as TerminalEvent, KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers, MouseButton,
    MouseEvent, MouseEventKind,
};
use tokio::sync::mpsc::UnboundedSender;

use crate::dashboard::event::Event;
use crate::dashboard::key::{Key, KeyCode, Mouse, MouseKind};
use crate::terminal::input::LoopEvent;
use crate::terminal::raw;

/// Reads the next event and sends it; returns `true` to continue.
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

    /// Nothing is asked of a console.
    pub(in crate::terminal) fn expect_reply(&self) {}
}

fn translate(event: TerminalEvent) -> Option<Event> {
    match event {
        TerminalEvent::Key(key) => translate_key(key).map(Event::Key),
        TerminalEvent::Mouse(mouse) => translate_mouse(mouse).map(Event::Mouse),
        TerminalEvent::Paste(text) => Some(Event::Paste(text)),
        TerminalEvent::Resize(..) => Some(raw::resized()),
        TerminalEvent::FocusGained | TerminalEvent::FocusLost => None,
    }
}

translators!(Esc, F, KeyModifiers);
