//! Startup: draws the first frame, then waits until settings and archive are read, even
//! from a slow disk. Without a service it shows the form of the first start.

use std::path::{Path, PathBuf};
use std::pin::pin;

use tokio::sync::mpsc::UnboundedReceiver;

use super::input::LoopEvent;
use super::raw;
use crate::app::session::{Setup, login};
use crate::app::settings_file::SettingsFile;
use crate::app::source::files::Files;
use crate::app::store::Store;
use crate::dashboard::columns::Columns;
use crate::dashboard::components::usual_columns;
use crate::dashboard::draw;
use crate::dashboard::event::Event;
use crate::dashboard::first_run::{self, Field};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::keymap::Keymap;
use crate::dashboard::shared::Watched;
use crate::dashboard::tab::TabId;
use crate::dashboard::theme::Theme;
use crate::failure::Failure;
use crate::settings::Settings;

/// The result of the startup.
pub(crate) enum Opening {
    /// The dashboard can open.
    Ready(Box<Ready>),
    /// No service is set; the form of the first start can write it into this
    /// file.
    NoService(PathBuf),
}

/// How the dashboard ended.
pub(crate) enum Ended {
    /// With this exit status.
    Status(u8),
    /// In the form of the first start: the user wants the service at this address.
    Service(String),
    /// In the form of the first start: the user wants the embedded service.
    Demo,
}

/// The source of the tracks, before anything is requested.
pub(crate) enum Origin {
    /// A service, also that of the demo.
    Service(Box<Setup>),
    /// Files and pipes.
    Files(Box<Files>),
}

/// The data that the dashboard needs, once settings and archive are read.
pub(crate) struct Ready {
    /// The settings in force.
    pub settings: Settings,
    /// The service and the watch list.
    pub watched: Watched,
    /// The source of its tracks.
    pub origin: Origin,
    /// The archive.
    pub store: Store,
    /// The settings file; `None` if none can be written.
    pub settings_file: Option<SettingsFile>,
    /// Warnings for the user about the settings.
    pub warnings: Vec<String>,
}

/// Draws the startup screen until `ready` has ended, then the form of the first
/// start if there is no service.
///
/// # Errors
/// The outer one as `ready`, and if the terminal cannot be used; the inner one is how the
/// program ends.
pub(super) async fn wait(
    ready: impl Future<Output = Result<Opening, Failure>>,
    inbox: &mut UnboundedReceiver<LoopEvent>,
    screen: &mut raw::Screen,
    theme: Theme,
) -> Result<Result<Box<Ready>, Ended>, Failure> {
    let mut ready = pin!(ready);
    loop {
        screen
            .draw(|buffer, _| {
                draw::opening(buffer, theme);
                None
            })
            .map_err(raw::unusable)?;
        tokio::select! {
            biased;
            loop_event = inbox.recv() => match loop_event {
                Some(LoopEvent::Event(Event::Key(key)))
                    if key == Key::ctrl('c') || key.code == KeyCode::Char('q') =>
                {
                    return Ok(Err(Ended::Status(0)));
                }
                Some(loop_event) => if let Some(status) = end(loop_event, screen)? {
                    return Ok(Err(Ended::Status(status)));
                },
                None => {}
            },
            opened = &mut ready => return Ok(match opened? {
                Opening::Ready(ready) => Ok(ready),
                Opening::NoService(file) => Err(ask(&file, inbox, screen, theme).await?),
            }),
        }
    }
}

/// The status with which an event ends the program, if it does. A terminal of another size gets
/// a new screen.
fn end(loop_event: LoopEvent, screen: &mut raw::Screen) -> Result<Option<u8>, Failure> {
    match loop_event {
        LoopEvent::Event(Event::Resized { .. }) => {
            *screen = raw::fresh_screen().map_err(raw::unusable)?;
            Ok(None)
        }
        LoopEvent::Signal(status) => Ok(Some(status)),
        LoopEvent::InputLost(reason) => Err(raw::unreadable(&reason)),
        LoopEvent::Event(_)
        | LoopEvent::Stop
        | LoopEvent::Background(_)
        | LoopEvent::DrawsPictures => Ok(None),
    }
}

/// Shows the form of the first start until it is filled or left.
async fn ask(
    file: &Path,
    inbox: &mut UnboundedReceiver<LoopEvent>,
    screen: &mut raw::Screen,
    theme: Theme,
) -> Result<Ended, Failure> {
    let mut address = Field::default();
    let file = crate::text::clean(&file.display().to_string()).into_owned();
    loop {
        screen
            .draw(|buffer, _| first_run::draw(buffer, &address, &file, theme))
            .map_err(raw::unusable)?;
        let Some(loop_event) = inbox.recv().await else {
            return Ok(Ended::Status(0));
        };
        // Every printable key is text; Esc does nothing.
        match loop_event {
            LoopEvent::Event(Event::Key(key)) if key == Key::ctrl('c') => {
                return Ok(Ended::Status(0));
            }
            LoopEvent::Event(Event::Key(key)) if key.code == KeyCode::Enter => {
                let typed = address.text().trim();
                if typed.eq_ignore_ascii_case("demo") {
                    return Ok(Ended::Demo);
                }
                let fault = login::address_fault(typed);
                if fault.is_empty() {
                    return Ok(Ended::Service(typed.to_owned()));
                }
                address.error = fault;
            }
            LoopEvent::Event(Event::Key(key)) => {
                address.key(key);
            }
            LoopEvent::Event(Event::Paste(text)) => address.paste(text.trim()),
            other => {
                if let Some(status) = end(other, screen)? {
                    return Ok(Ended::Status(status));
                }
            }
        }
    }
}

/// Checks keys and columns of the settings as the dashboard does at its start.
///
/// # Errors
/// [`FailureKind::Usage`](crate::failure::FailureKind::Usage) with file, line and
/// reason of the first list that cannot be used.
pub(crate) fn check_tables(settings: &Settings) -> Result<(), Failure> {
    tables(settings).map(|_| ())
}

/// The default keys and the usual columns, with those of the settings.
///
/// # Errors
/// As [`check_tables`].
pub(super) fn tables(settings: &Settings) -> Result<(Keymap, Columns), Failure> {
    let keys = &settings.keys;
    let named = keys
        .iter()
        .map(|table| (table.name.as_str(), table.entries.as_slice()));
    let keymap = Keymap::with_keys(named).map_err(|(index, error)| match keys.get(index) {
        Some(table) => table.error(&error),
        None => Failure::usage(error),
    })?;
    let mut shown = usual_columns();
    for table in &settings.columns {
        let is_of = |tab: &TabId| tab.title().eq_ignore_ascii_case(&table.name);
        let Some(tab) = TabId::ALL.iter().copied().find(is_of) else {
            continue;
        };
        let named = shown.named(tab, &table.entries);
        shown.show(tab, named.map_err(|error| table.error(&error))?);
    }
    Ok((keymap, shown))
}
