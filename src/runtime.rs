//! The loop: keys, tasks, signals and the clock in; frames and effects out. It
//! handles what is ready, then draws once, at most every 16 ms and only if
//! something changed; idle, it sleeps until the next moment at which a shown
//! age changes.

mod effects;
mod fetching;
mod files;
mod input;
mod known;
mod signals;
mod startup;
mod terminal;

pub use effects::Services;
pub use terminal::is_usable;

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use color_eyre::eyre::{self, WrapErr};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::app::{self, Effect, Event, Model, Start};
use crate::chart::GlyphSet;
use crate::geo::{CoordinateFormat, Units};
use crate::ops::{self, Watched};
use crate::ui::{self, Theme};

pub use crate::ui::Capabilities;

/// The least time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// How long a create or delete that is under way may hold the end up.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// What the dashboard opens with.
#[derive(Debug, Clone)]
pub struct StartupOptions {
    /// Name of the profile.
    pub profile: String,
    /// The base address, as it is shown.
    pub address: String,
    /// Whether the service is the embedded one.
    pub demo: bool,
    /// The watch list.
    pub watched: Vec<Watched>,
    /// A deployment to open on.
    pub open: Option<uuid::Uuid>,
    /// Units of speeds and distances.
    pub units: Units,
    /// How coordinates are written.
    pub coordinates: CoordinateFormat,
    /// What the map is drawn in.
    pub markers: GlyphSet,
    /// Seconds between refreshes of one deployment.
    pub refresh_s: f64,
}

/// Something that reached the loop.
enum LoopEvent {
    /// An event for the Model.
    Event(Event),
    /// A signal that ends the program with this status.
    Signal(u8),
    /// The terminal asked the program to stop.
    Stop,
    /// The terminal is gone.
    Hangup,
    /// Keys can no longer be read, for this reason.
    InputLost(String),
}

/// What the dashboard works on, once it is read.
pub struct Ready {
    /// What it opens with.
    pub opening: StartupOptions,
    /// Service, archive and token.
    pub services: Services,
    /// What a person should know about the settings.
    pub warnings: Vec<String>,
}

/// Runs the dashboard until it is left; the answer is the exit status. The first
/// frame stands before `ready`, which reads settings and archive.
///
/// # Errors
/// The outer one when the terminal cannot be taken, drawn on or read; the inner
/// one is `ready`'s.
pub async fn run(
    ready: impl Future<Output = Result<Ready, ops::Failure>>,
    can: Capabilities,
) -> eyre::Result<Result<u8, ops::Failure>> {
    let theme = Theme::new(can);
    let (events, mut happenings) = unbounded_channel();
    terminal::give_back_on_panic();
    signals::listen(events.clone()).wrap_err("cannot listen for signals")?;
    let guard = terminal::Guard::take().wrap_err("cannot take the terminal")?;
    let mut screen = terminal::fresh_screen().wrap_err("cannot draw on the terminal")?;
    #[cfg(debug_assertions)]
    provoke("start");
    let keys = input::Keys::listen(events.clone()).wrap_err("cannot read the terminal")?;
    let ready = match startup::wait(ready, &mut happenings, &mut screen, theme).await? {
        startup::Opened::Ready(ready) => ready,
        startup::Opened::Left(status) => return Ok(Ok(status)),
        startup::Opened::Failed(failure) => return Ok(Err(failure)),
    };
    let mut model = Model::new(start(ready.opening, ready.services.warning()));
    let (width, height, cell_aspect) = terminal::size();
    app::update(
        &mut model,
        Event::Resized {
            width,
            height,
            cell_aspect,
        },
    );
    for warning in ready.warnings {
        let failure = app::Failure {
            kind: app::FailureKind::Usage,
            message: warning,
            hint: String::new(),
        };
        app::update(&mut model, Event::Trouble(failure));
    }
    let mut session = Loop {
        model,
        theme,
        memory: ui::Memory::default(),
        services: ready.services,
        happenings,
        handler: effects::Handler::new(events.clone()),
        events,
        keys: Some(keys),
        unfinished: false,
    };
    let status = session.turn(&mut screen).await;
    // No key is read any more when the terminal is the shell's again.
    session.keys = None;
    drop(guard);
    Ok(match status? {
        0 if session.unfinished => Err(ops::Failure::new(
            ops::FailureKind::Other,
            format!(
                "what was asked for last was not done within {} s: a create or delete without an answer, or a change that the archive did not take",
                LAST_WAIT.as_secs()
            ),
            "`driftline plants list` and `driftline deployments list` show what is written down.",
        )),
        status => Ok(status),
    })
}

fn start(opening: StartupOptions, warning: Option<String>) -> Start {
    let watched = opening
        .watched
        .into_iter()
        .map(|one| app::Watched {
            uuid: one.uuid,
            label: one.label,
            platform: one.platform,
            limits: one.limits,
            notes: one.notes,
        })
        .collect();
    Start {
        profile: opening.profile,
        address: opening.address,
        demo: opening.demo,
        warning,
        watched,
        open: opening.open,
        ledger: Vec::new(),
        zone: jiff::tz::TimeZone::system(),
        units: opening.units,
        coordinates: opening.coordinates,
        markers: opening.markers,
        refresh_s: opening.refresh_s,
        now: now(),
    }
}

struct Loop {
    model: Model,
    theme: Theme,
    memory: ui::Memory,
    services: Services,
    happenings: UnboundedReceiver<LoopEvent>,
    handler: effects::Handler,
    events: UnboundedSender<LoopEvent>,
    keys: Option<input::Keys>,
    /// Whether something that a person asked for was left when time was up.
    unfinished: bool,
}

/// Whether to go on.
enum Next {
    Draw,
    End(u8),
}

impl Loop {
    async fn turn(&mut self, screen: &mut terminal::Screen) -> eyre::Result<u8> {
        let mut drawn = self.draw(screen)?;
        // What is watched is asked for only now: the first frame waits for
        // nothing.
        self.services.begin(&self.model, &self.handler);
        if let Next::End(status) = self.feed(Event::Now(now()), screen)? {
            return Ok(status);
        }
        loop {
            let wait = self
                .model
                .next_wake()
                .map(|moment| Duration::try_from_secs_f64(moment - now()).unwrap_or_default());
            let happening = tokio::select! {
                biased;
                happening = self.happenings.recv() => happening,
                () = sleep(wait) => None,
            };
            let mut next = self.feed(Event::Now(now()), screen)?;
            // All that is ready, then one frame.
            let mut ready = happening;
            while let (Next::Draw, Some(happening)) = (&next, ready.take()) {
                next = self.handle(happening, screen)?;
                ready = self.happenings.try_recv().ok();
            }
            if let Next::End(status) = next {
                return Ok(self.leave(status).await);
            }
            if let Some(rest) = FRAME.checked_sub(drawn.elapsed()) {
                tokio::time::sleep(rest).await;
                // What came meanwhile belongs to the same frame.
                while let Ok(happening) = self.happenings.try_recv() {
                    if let Next::End(status) = self.handle(happening, screen)? {
                        return Ok(self.leave(status).await);
                    }
                }
            }
            drawn = self.draw(screen)?;
        }
    }

    /// Gives the terminal back, and then waits for creates and deletes under
    /// way: whoever cannot wait finds a shell as it was.
    async fn leave(&mut self, status: u8) -> u8 {
        self.keys = None;
        terminal::give_back();
        self.unfinished = !self.handler.finish(LAST_WAIT).await;
        status
    }

    fn draw(&mut self, screen: &mut terminal::Screen) -> eyre::Result<Instant> {
        #[cfg(debug_assertions)]
        provoke("view");
        screen
            .draw(|frame| ui::draw(frame, &self.model, self.theme, &mut self.memory))
            .wrap_err("cannot draw on the terminal")?;
        app::update(&mut self.model, Event::Shown);
        Ok(Instant::now())
    }

    fn handle(
        &mut self,
        happening: LoopEvent,
        screen: &mut terminal::Screen,
    ) -> eyre::Result<Next> {
        match happening {
            LoopEvent::Event(event) => self.feed(event, screen),
            LoopEvent::Signal(status) => Ok(Next::End(status)),
            LoopEvent::Hangup => Ok(Next::End(129)),
            LoopEvent::Stop => {
                self.suspend(screen)?;
                Ok(Next::Draw)
            }
            LoopEvent::InputLost(reason) => {
                Err(eyre::eyre!("the terminal can no longer be read: {reason}"))
            }
        }
    }

    fn feed(&mut self, event: Event, screen: &mut terminal::Screen) -> eyre::Result<Next> {
        for effect in app::update(&mut self.model, event) {
            match effect {
                Effect::Quit => return Ok(Next::End(0)),
                Effect::Suspend => self.suspend(screen)?,
                Effect::Redraw => {
                    *screen = terminal::fresh_screen().wrap_err("cannot draw on the terminal")?;
                }
                Effect::Copy(text) => {
                    terminal::copy(&text).wrap_err("cannot write to the terminal")?
                }
                other => self
                    .services
                    .carry_out(other, &self.model, &mut self.handler),
            }
        }
        Ok(Next::Draw)
    }

    /// Gives the terminal back, stops, and takes it again when continued.
    fn suspend(&mut self, screen: &mut terminal::Screen) -> eyre::Result<()> {
        self.keys = None;
        terminal::give_back();
        let stopped = signals::stop();
        let guard = terminal::Guard::take().wrap_err("cannot take the terminal back")?;
        // The guard of the whole run gives it back at the end.
        std::mem::forget(guard);
        let keys = input::Keys::listen(self.events.clone());
        self.keys = Some(keys.wrap_err("cannot read the terminal")?);
        let (width, height, cell_aspect) = terminal::size();
        app::update(
            &mut self.model,
            Event::Resized {
                width,
                height,
                cell_aspect,
            },
        );
        *screen = terminal::fresh_screen().wrap_err("cannot draw on the terminal")?;
        if stopped {
            app::update(&mut self.model, Event::Now(now()));
            for effect in app::update(&mut self.model, Event::Resumed) {
                if effect != Effect::Redraw {
                    self.services
                        .carry_out(effect, &self.model, &mut self.handler);
                }
            }
        }
        Ok(())
    }
}

async fn sleep(wait: Option<Duration>) {
    match wait {
        Some(wait) => tokio::time::sleep(wait).await,
        None => std::future::pending().await,
    }
}

/// The present, UNIX seconds.
pub fn now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}

/// Panics where a test asks for it, in debug builds alone, so that what a
/// panic leaves behind can be seen.
#[cfg(debug_assertions)]
#[allow(clippy::panic)]
fn provoke(place: &str) {
    if std::env::var_os("DRIFTLINE_TEST_PANIC").is_some_and(|wanted| wanted == place) {
        panic!("a panic in the {place}, as asked for");
    }
}
