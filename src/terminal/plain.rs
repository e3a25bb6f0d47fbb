//! The dashboard as lines on standard output: the same state, update and
//! effects, without a terminal.

use std::io::{self, Write};
use std::pin::pin;
use std::time::Duration;

use tokio::sync::mpsc::unbounded_channel;

use super::effects::Services;
use super::input::LoopEvent;
use super::startup::Opening;
use super::{LAST_WAIT, opened, signals};
use crate::dashboard::Dashboard;
use crate::dashboard::connection::Connection;
use crate::dashboard::effect::Effect;
use crate::dashboard::event::Event;
use crate::dashboard::plain::{Printed, changes};
use crate::dashboard::update::update;
use crate::failure::{Failure, FailureKind};
use crate::os::clock::{local_zone, unix_now};
use crate::os::output::Waiting;

/// How often changes by the time alone are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Prints a line for each change until a signal, whose status is returned, or until the
/// output is closed, which is status 0.
///
/// # Errors
/// As `ready`; if there is no valid token; if a line cannot be written.
pub(crate) async fn run_plain(
    ready: impl Future<Output = Result<Opening, Failure>>,
) -> Result<u8, Failure> {
    let (events, mut inbox) = unbounded_channel();
    signals::listen(events.clone())
        .map_err(|error| Failure::other(format!("cannot listen for signals: {error}")))?;
    let mut ready = pin!(ready);
    let ready = loop {
        tokio::select! {
            biased;
            loop_event = inbox.recv() => if let Some(LoopEvent::Signal(status)) = loop_event {
                return Ok(status);
            },
            ready = &mut ready => break ready?,
        }
    };
    let mut ready = match ready {
        Opening::Ready(ready) => *ready,
        Opening::NoService(_) => return Err(Failure::usage("no service is set")),
    };
    let only = ready.watched.open.clone();
    if let Some(open) = &only {
        let list = &mut ready.watched.list;
        list.retain(|deployment| deployment.id == *open);
    }
    let services = Services::new(ready.origin, ready.store, &ready.settings, None, &events)?;
    let mut dashboard = opened(ready.settings, ready.watched, local_zone())?;
    dashboard.shell.shared.service.warning = services.warning();
    let mut plain = Plain {
        dashboard,
        services,
        printed: Printed::new(only.map(|id| id.uuid)),
    };
    let mut status = None;
    for warning in ready.warnings {
        let warning = Event::Warning(Failure::usage(warning));
        status = status.or(plain.feed(warning)?);
    }
    status = status.or(plain.feed(Event::Started)?);
    status = status.or(plain.feed(Event::Now(unix_now()))?);
    while status.is_none() {
        let loop_event = tokio::select! {
            biased;
            loop_event = inbox.recv() => loop_event,
            () = tokio::time::sleep(LOOK_EVERY) => None,
        };
        status = plain.feed(Event::Now(unix_now()))?;
        status = match (status, loop_event) {
            (Some(status), _) => Some(status),
            (None, Some(loop_event)) => plain.handle(loop_event)?,
            (None, None) => None,
        };
    }
    plain.services.finish(LAST_WAIT).await;
    Ok(status.unwrap_or(0))
}

struct Plain {
    dashboard: Dashboard,
    services: Services,
    printed: Printed,
}

impl Plain {
    /// Handles an event; returns the exit status if it ends the program.
    fn handle(&mut self, loop_event: LoopEvent) -> Result<Option<u8>, Failure> {
        match loop_event {
            LoopEvent::Event(event) => self.feed(event),
            LoopEvent::Signal(status) => Ok(Some(status)),
            LoopEvent::Stop => {
                signals::stop();
                self.feed(Event::Now(unix_now()))
            }
            // No keys are read, and nothing is drawn.
            LoopEvent::InputLost(_) | LoopEvent::Background(_) | LoopEvent::DrawsPictures => {
                Ok(None)
            }
        }
    }

    /// Gives an event to the dashboard, and prints what it has changed.
    fn feed(&mut self, event: Event) -> Result<Option<u8>, Failure> {
        let effects = update(&mut self.dashboard, event);
        for effect in effects {
            match effect {
                Effect::Quit => return Ok(Some(0)),
                // Of the others that the loop of a screen performs only keys are a cause, and a
                // line reports an alarm.
                other => self.services.carry_out(other),
            }
        }
        if !print(&changes(&self.dashboard.shell.shared, &mut self.printed))? {
            return Ok(Some(0));
        }
        // The user cannot be asked for a token here, and nothing is sent without one.
        match &self.dashboard.shell.shared.service.connection {
            Connection::Refused(failure) if self.dashboard.waits_for_token() => {
                Err(failure.clone())
            }
            _ => Ok(None),
        }
    }
}

/// Prints lines; returns `false` if the output is closed.
fn print(lines: &[String]) -> Result<bool, Failure> {
    if lines.is_empty() {
        return Ok(true);
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut out = Waiting(io::stdout());
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::new(
            FailureKind::Other,
            format!("the output cannot be written: {error}"),
            "Free some disk space, or write to another disk.",
        )),
    }
}
