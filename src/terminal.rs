//! The loop: keys, tasks, signals and the clock in; frames and effects out. It handles what is
//! ready, then draws once if something may have changed: after a key at once, else at most every
//! 16 ms. Idle, it draws once a second, for the ages.

mod alarms;
mod capabilities;
mod effects;
mod gpsd;
mod input;
mod notification;
mod overlays;
mod pictures;
mod plain;
mod raw;
mod screen;
mod signals;
mod startup;
mod tasks;
#[cfg(debug_assertions)]
mod test_panic;

pub(crate) use plain::run_plain;
pub(crate) use raw::is_usable;
#[cfg(unix)]
pub(crate) use signals::ending_signals;
pub(crate) use startup::{Ended, Opening, Origin, Ready, check_tables};
#[cfg(debug_assertions)]
pub(crate) use test_panic::provoke;

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::tz::TimeZone;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use crate::dashboard;
use crate::dashboard::Dashboard;
use crate::dashboard::draw::Memory;
use crate::dashboard::effect::Effect;
use crate::dashboard::event::Event;
use crate::dashboard::shared::{Host, Pixels, Watched};
use crate::dashboard::theme::{Background, Capabilities, Theme};
use crate::failure::{Failure, FailureKind};
use crate::os::clock::{local_zone, unix_now};
use crate::palette::ThemeName;
use crate::settings::Settings;
use capabilities::variable;
use effects::Services;
use input::LoopEvent;

/// The shortest time from one frame to the next that no key has asked for.
const FRAME: Duration = Duration::from_millis(16);
/// Maximum time that a terminal takes to reply to a question.
const REPLY: Duration = Duration::from_millis(250);
/// Maximum time that the program waits at its end for a create or delete in
/// progress.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// How long the first frame of the dashboard waits for settings and archived data: an empty one
/// would be drawn in vain, and keys typed meanwhile count.
const ARCHIVE: Duration = Duration::from_millis(50);

/// Runs the dashboard until it ends. On a slow disk the first frame is drawn before `ready`
/// has read settings and archive.
///
/// # Errors
/// If the terminal cannot be used; that of `ready`, or of a change left unfinished at the end.
pub(crate) async fn run(
    ready: impl Future<Output = Result<Opening, Failure>>,
) -> Result<Ended, Failure> {
    // Settings that cannot be used end it before anything is written to the terminal, whose
    // replies the shell would get.
    let mut ready = std::pin::pin!(async {
        let opening = ready.await?;
        if let Opening::Ready(ready) = &opening {
            check_tables(&ready.settings)?;
        }
        Ok(opening)
    });
    let early = tokio::time::timeout(ARCHIVE, &mut ready).await.ok();
    let early = early.transpose()?;
    let ready = async {
        match early {
            Some(opening) => Ok(opening),
            None => ready.await,
        }
    };
    let can = capabilities::capabilities(&variable);
    // It reads many folders: the first frames do not wait for it.
    let zone = tokio::task::spawn_blocking(local_zone);
    let theme = Theme::named(can, ThemeName::default(), capabilities::background());
    let (events, mut inbox) = unbounded_channel();
    raw::give_back_on_panic();
    signals::listen(events.clone()).map_err(raw::unusable)?;
    let guard = raw::Guard::take().map_err(raw::unusable)?;
    let mut screen = raw::fresh_screen().map_err(raw::unusable)?;
    #[cfg(debug_assertions)]
    test_panic::provoke("start");
    let keys = input::Keys::listen(events.clone()).map_err(raw::unusable)?;
    let ready = match startup::wait(ready, &mut inbox, &mut screen, theme).await? {
        Ok(ready) => *ready,
        Err(ended) => return Ok(ended),
    };
    let has_archived = !ready.watched.answers.is_empty();
    let mut session = Loop::new(ready, can, (events, inbox), keys, zone).await?;
    let status = match session.begin(&mut screen, has_archived).await {
        Ok(Next::End(status)) => Ok(status),
        Ok(_) => session.turn(&mut screen).await,
        Err(error) => Err(error),
    };
    // Key reading must stop before the terminal is restored for the shell.
    session.keys = None;
    drop(guard);
    match status? {
        0 if session.unfinished => Err(Failure::new(
            FailureKind::Other,
            format!(
                "the last change was not finished within {} s: a create or delete without a response, or a change that the archive did not store",
                LAST_WAIT.as_secs()
            ),
            "`driftline plants list` and `driftline deployments list` show what is stored.",
        )),
        status => Ok(Ended::Status(status)),
    }
}

/// The dashboard at its start, with the keys and columns of the settings.
///
/// # Errors
/// As [`check_tables`].
fn opened(settings: Settings, watched: Watched, zone: TimeZone) -> Result<Dashboard, Failure> {
    let (keymap, columns) = startup::tables(&settings)?;
    let host = Host {
        zone,
        best_markers: capabilities::glyphs(&variable),
        folder: std::env::current_dir()
            .map(|folder| folder.display().to_string())
            .unwrap_or_default(),
        now: unix_now(),
    };
    let mut dashboard = Dashboard::new(settings, watched, host);
    dashboard.shell.shared.screen.keymap = Arc::new(keymap);
    dashboard.shell.shared.screen.columns = columns;
    Ok(dashboard)
}

struct Loop {
    dashboard: Dashboard,
    theme: Theme,
    /// The background of the terminal, as far as it is known.
    background: Background,
    /// `true` if the terminal draws pictures.
    draws_pictures: bool,
    /// When the query of the background was sent; `None` after the reply.
    asked_at: Option<Instant>,
    memory: Memory,
    services: Services,
    inbox: UnboundedReceiver<LoopEvent>,
    events: UnboundedSender<LoopEvent>,
    keys: Option<input::Keys>,
    /// The obstacle that keeps copied text from the clipboard, until it was reported.
    copy_obstacle: Option<Failure>,
    /// `true` if a change of the user was unfinished when the wait ended.
    unfinished: bool,
}

/// The continuation of the loop.
enum Next {
    /// With the present screen.
    Rest,
    /// With another frame.
    Draw,
    /// No more, with this status.
    End(u8),
}

impl Next {
    /// The continuation where `other` comes after this.
    fn then(self, other: Self) -> Self {
        match (self, other) {
            (Self::End(status), _) | (_, Self::End(status)) => Self::End(status),
            (Self::Draw, _) | (_, Self::Draw) => Self::Draw,
            (Self::Rest, Self::Rest) => Self::Rest,
        }
    }
}

/// The sending and the receiving end of the queue of events.
type Events = (UnboundedSender<LoopEvent>, UnboundedReceiver<LoopEvent>);

impl Loop {
    /// The loop before its first event.
    ///
    /// # Errors
    /// If the terminal cannot be written to, the settings cannot be used, or the system gives no
    /// thread.
    async fn new(
        ready: Ready,
        can: Capabilities,
        (events, inbox): Events,
        keys: input::Keys,
        zone: JoinHandle<TimeZone>,
    ) -> Result<Self, Failure> {
        let settings = &ready.settings;
        let file = ready.settings_file;
        let services = Services::new(ready.origin, ready.store, settings, file, &events)?;
        let theme = Theme::named(can, settings.theme, capabilities::background());
        let asked_at = raw::query(can, settings.theme, Some(&keys)).map_err(raw::unusable)?;
        if settings.mouse {
            raw::take_mouse(true).map_err(raw::unusable)?;
        }
        services.judge_unjudged(ready.watched.list.clone());
        let zone = zone.await.unwrap_or(TimeZone::UTC);
        let mut dashboard = opened(ready.settings, ready.watched, zone)?;
        dashboard.shell.shared.service.warning = services.warning();
        dashboard::update::update(&mut dashboard, raw::resized());
        for warning in ready.warnings {
            dashboard::update::update(&mut dashboard, Event::Warning(Failure::usage(warning)));
        }
        Ok(Self {
            dashboard,
            theme,
            background: capabilities::background(),
            draws_pictures: false,
            asked_at,
            memory: Memory::default(),
            services,
            inbox,
            events,
            keys: Some(keys),
            copy_obstacle: capabilities::copy_obstacle(),
            unfinished: false,
        })
    }

    /// Begins to load and to fetch, and draws the first frame, with archived data if
    /// they are read quickly.
    async fn begin(
        &mut self,
        screen: &mut raw::Screen,
        has_archived: bool,
    ) -> Result<Next, Failure> {
        let effects = dashboard::update::update(&mut self.dashboard, Event::Started);
        let loads = |effect: &&Effect| {
            matches!(effect, Effect::LoadOverviews(_) | Effect::LoadStored { .. })
        };
        let mut awaited = effects.iter().filter(loads).count();
        let mut next = self.perform(effects, screen)?;
        next = next.then(self.feed(Event::Now(unix_now()), screen)?);
        let wait = if has_archived {
            ARCHIVE
        } else {
            Duration::ZERO
        };
        let end = tokio::time::Instant::now() + wait;
        while awaited > 0
            && !matches!(next, Next::End(_))
            && let Ok(Some(loop_event)) = tokio::time::timeout_at(end, self.inbox.recv()).await
        {
            if let LoopEvent::Event(Event::Overviews(_) | Event::Stored { .. }) = &loop_event {
                awaited -= 1;
            }
            next = next.then(self.handle(loop_event, screen)?);
        }
        match next {
            Next::End(status) => Ok(Next::End(self.leave(status).await)),
            _ => self.draw(screen).map(|()| Next::Rest),
        }
    }

    async fn turn(&mut self, screen: &mut raw::Screen) -> Result<u8, Failure> {
        let mut drawn_at = Instant::now();
        loop {
            let rest = self.dashboard.tick().saturating_sub(drawn_at.elapsed());
            let loop_event = tokio::select! {
                biased;
                loop_event = self.inbox.recv() => loop_event,
                () = tokio::time::sleep(rest) => None,
            };
            let mut next = self.feed(Event::Now(unix_now()), screen)?;
            if loop_event.is_none() {
                next = next.then(Next::Draw);
            }
            // Handles all ready events, then draws one frame: at once where a person waits for it.
            let mut has_key = false;
            let mut ready = loop_event;
            while let (Next::Rest | Next::Draw, Some(loop_event)) = (&next, ready.take()) {
                has_key |= matches!(loop_event, LoopEvent::Event(Event::Key(_)));
                next = next.then(self.handle(loop_event, screen)?);
                ready = self.inbox.try_recv().ok();
            }
            match next {
                Next::Rest => continue,
                Next::Draw => {}
                Next::End(status) => return Ok(self.leave(status).await),
            }
            let rest = FRAME.checked_sub(drawn_at.elapsed());
            if let Some(rest) = rest.filter(|_| !has_key) {
                tokio::time::sleep(rest).await;
                // Events received meanwhile belong to the same frame.
                while let Ok(loop_event) = self.inbox.try_recv() {
                    if let Next::End(status) = self.handle(loop_event, screen)? {
                        return Ok(self.leave(status).await);
                    }
                }
            }
            self.draw(screen)?;
            drawn_at = Instant::now();
        }
    }

    /// Restores the terminal, then waits for creates and deletes in progress:
    /// if the program is killed meanwhile, the shell still works.
    async fn leave(&mut self, status: u8) -> u8 {
        // After a signal the program must end soon, whatever the terminal does.
        if status < 128 {
            self.await_reply().await;
        }
        self.keys = None;
        raw::give_back();
        self.unfinished = !self.services.finish(LAST_WAIT).await;
        status
    }

    /// Waits for a reply of the terminal that may still be on its way, so that
    /// the shell does not get it as keys.
    async fn await_reply(&mut self) {
        while let Some(rest) = self
            .asked_at
            .and_then(|asked_at| REPLY.checked_sub(asked_at.elapsed()))
        {
            match tokio::time::timeout(rest, self.inbox.recv()).await {
                Ok(Some(LoopEvent::Background(_) | LoopEvent::Signal(_))) | Ok(None) | Err(_) => {
                    break;
                }
                Ok(Some(_)) => {}
            }
        }
    }

    fn draw(&mut self, screen: &mut raw::Screen) -> Result<(), Failure> {
        #[cfg(debug_assertions)]
        test_panic::provoke("view");
        // With another font a cell has other pixels, though the screen has as many cells.
        let cell = self.draws_pictures.then(raw::cell_in_pixels).flatten();
        let are_near = capabilities::is_near(&variable);
        self.dashboard.shell.shared.screen.pixels = cell.map(|cell| Pixels { cell, are_near });
        self.dashboard.before_frame();
        screen
            .draw(|buffer, pictures| {
                let memory = &mut self.memory;
                let cursor = dashboard::draw::draw(buffer, &self.dashboard, self.theme, memory);
                pictures.append(&mut memory.pictures);
                cursor
            })
            .map_err(raw::unusable)?;
        let targets = std::mem::take(&mut self.memory.targets);
        self.dashboard.frame_shown(targets);
        Ok(())
    }

    fn handle(&mut self, loop_event: LoopEvent, screen: &mut raw::Screen) -> Result<Next, Failure> {
        match loop_event {
            LoopEvent::Event(event) => self.feed(event, screen),
            LoopEvent::Background(background) => {
                self.asked_at = None;
                self.background = Background::Known(background);
                let name = self.dashboard.shell.shared.settings.theme;
                self.theme = Theme::named(self.theme.can, name, self.background);
                Ok(Next::Draw)
            }
            LoopEvent::DrawsPictures => {
                self.draws_pictures = true;
                Ok(Next::Draw)
            }
            LoopEvent::Signal(status) => Ok(Next::End(status)),
            LoopEvent::Stop => {
                self.suspend(screen)?;
                Ok(Next::Draw)
            }
            LoopEvent::InputLost(reason) => Err(raw::unreadable(&reason)),
        }
    }

    fn feed(&mut self, event: Event, screen: &mut raw::Screen) -> Result<Next, Failure> {
        let is_now = matches!(event, Event::Now(_));
        let is_look = matches!(event, Event::ArchiveWritten);
        // Programs that keep a terminal ask for a new picture by its size, which need not differ.
        if matches!(event, Event::Resized { .. }) {
            *screen = raw::fresh_screen().map_err(raw::unusable)?;
        }
        let effects = dashboard::update::update(&mut self.dashboard, event);
        // Changes of the archive are shown when they have been read, changes by time
        // when the model says.
        let next = if is_look || is_now && effects.is_empty() {
            Next::Rest
        } else {
            Next::Draw
        };
        Ok(next.then(self.perform(effects, screen)?))
    }

    /// Performs effects; they end the program or do not change the next frame.
    fn perform(&mut self, effects: Vec<Effect>, screen: &mut raw::Screen) -> Result<Next, Failure> {
        for effect in effects {
            match effect {
                Effect::Quit => return Ok(Next::End(0)),
                Effect::Suspend => self.suspend(screen)?,
                Effect::Redraw => {
                    *screen = raw::fresh_screen().map_err(raw::unusable)?;
                }
                Effect::ApplySettings => self.apply_settings()?,
                Effect::Copy(text) => {
                    raw::copy(&text).map_err(raw::unusable)?;
                    // Reported at the first copy only.
                    if let Some(obstacle) = self.copy_obstacle.take() {
                        dashboard::update::update(&mut self.dashboard, Event::Warning(obstacle));
                    }
                }
                Effect::Announce(announcement) => {
                    let notify = self.dashboard.shell.shared.settings.notify;
                    raw::write(&notification::sequence(notify, &variable, &announcement))
                        .map_err(raw::unusable)?;
                }
                other => self.services.carry_out(other),
            }
        }
        Ok(Next::Rest)
    }

    /// Applies the settings of the screen and the terminal; the model applies the others.
    fn apply_settings(&mut self) -> Result<(), Failure> {
        let settings = &self.dashboard.shell.shared.settings;
        self.theme = Theme::named(self.theme.can, settings.theme, self.background);
        if !matches!(self.background, Background::Known(_)) && self.asked_at.is_none() {
            let asked_at = raw::query(self.theme.can, settings.theme, self.keys.as_ref());
            self.asked_at = asked_at.map_err(raw::unusable)?;
        }
        raw::take_mouse(settings.mouse).map_err(raw::unusable)
    }

    /// Restores the terminal, stops, and takes it over again when continued.
    fn suspend(&mut self, screen: &mut raw::Screen) -> Result<(), Failure> {
        self.keys = None;
        raw::give_back();
        let stopped = signals::stop();
        let guard = raw::Guard::take().map_err(raw::unusable)?;
        if self.dashboard.shell.shared.settings.mouse {
            raw::take_mouse(true).map_err(raw::unusable)?;
        }
        // The guard of the whole run restores it at the end.
        std::mem::forget(guard);
        let keys = input::Keys::listen(self.events.clone());
        self.keys = Some(keys.map_err(raw::unusable)?);
        dashboard::update::update(&mut self.dashboard, raw::resized());
        *screen = raw::fresh_screen().map_err(raw::unusable)?;
        if stopped {
            self.feed(Event::Now(unix_now()), screen)?;
        }
        Ok(())
    }
}
