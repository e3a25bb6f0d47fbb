//! Startup: draws the first frame, then waits until settings and archive are
//! read, even from a slow disk.

use std::pin::pin;

use color_eyre::eyre::{self, WrapErr};
use tokio::sync::mpsc::UnboundedReceiver;

use super::loop_event::LoopEvent;
use super::options::Ready;
use super::terminal;
use crate::app::Event;
use crate::app::key::KeyCode;
use crate::failure::Failure;
use crate::ui::{self, Theme};

/// The result of the wait.
pub(super) enum Opened {
    /// Settings and archive are read.
    Ready(Box<Ready>),
    /// The user or a signal ended the program, with this status.
    Left(u8),
    /// The settings cannot be used.
    Failed(Failure),
}

/// Draws the startup screen until `ready` has ended.
pub(super) async fn wait(
    ready: impl Future<Output = Result<Ready, Failure>>,
    inbox: &mut UnboundedReceiver<LoopEvent>,
    screen: &mut terminal::Screen,
    theme: Theme,
) -> eyre::Result<Opened> {
    let mut ready = pin!(ready);
    loop {
        screen
            .draw(|frame| ui::opening(frame, theme))
            .wrap_err("cannot draw on the terminal")?;
        tokio::select! {
            biased;
            loop_event = inbox.recv() => match loop_event {
                Some(LoopEvent::Signal(status)) => return Ok(Opened::Left(status)),
                Some(LoopEvent::Hangup) => return Ok(Opened::Left(129)),
                Some(LoopEvent::InputLost(reason)) => {
                    return Err(eyre::eyre!("the terminal can no longer be read: {reason}"));
                }
                Some(LoopEvent::Event(Event::Key(key))) => {
                    let interrupt = key.ctrl && key.code == KeyCode::Char('c');
                    if interrupt || key.code == KeyCode::Char('q') {
                        return Ok(Opened::Left(0));
                    }
                }
                Some(
                    LoopEvent::Event(_)
                    | LoopEvent::Stop
                    | LoopEvent::Ground(_)
                    | LoopEvent::Replied,
                )
                | None => {}
            },
            opened = &mut ready => return Ok(match opened {
                Ok(ready) => Opened::Ready(Box::new(ready)),
                Err(failure) => Opened::Failed(failure),
            }),
        }
    }
}
