//! From arguments and settings to a session.

use std::io::Write;
use std::ops::Deref;
use std::sync::Arc;

use uuid::Uuid;

use super::args::Global;
use super::log::Log;
use super::output::note;
use crate::exchange::Exchange;
use crate::failure::{Failure, FailureKind};
use crate::ops::session::{Session, Setup};
use crate::ops::store::Store;
use crate::ops::{connect, watch_list};
use crate::settings::Settings;
use crate::text;
use crate::track::deployment::not_a_uuid;
use crate::track::{Platform, time};

/// The settings in force; what is odd about them is noted.
pub(super) fn settings(global: &Global) -> Result<Settings, Failure> {
    let (settings, warnings) = read_settings(global)?;
    for warning in &warnings {
        note(&format!("driftline: {warning}"));
    }
    Ok(settings)
}

/// The settings in force, and what a person should know about them.
pub(super) fn read_settings(global: &Global) -> Result<(Settings, Vec<String>), Failure> {
    let mut settings = Settings::load(&global.flags(), &|name| std::env::var_os(name))?;
    let warnings = std::mem::take(&mut settings.warnings);
    Ok((settings, warnings))
}

/// Writes exchanges into the log, where one is asked for.
pub(super) fn logged(setup: &mut Setup) {
    if let Some(log) = Log::open() {
        setup.observer = Some(Arc::new(move |exchange: Exchange| {
            if !exchange.is_under_way() {
                log.line(&exchange.to_string());
            }
        }));
    }
}

/// A session whose exchanges are told where that is asked for.
pub(super) fn session(global: &Global, settings: &Settings) -> Result<Session, Failure> {
    let mut setup = connect::setup(settings)?;
    setup.waiting = Some(Arc::new(|words| note(&format!("driftline: {words}"))));
    let (verbose, log) = (global.verbose, Log::open());
    if verbose || log.is_some() {
        setup.observer = Some(Arc::new(move |exchange: Exchange| {
            if exchange.is_under_way() {
                return;
            }
            if verbose {
                note(&exchange.to_string());
            }
            if let Some(log) = &log {
                log.line(&exchange.to_string());
            }
        }));
    }
    Session::new(setup)
}

/// The archive of the settings.
pub(super) fn store(settings: &Settings) -> Telling {
    Telling(connect::store(settings))
}

/// An archive whose warnings are printed when it is dropped: that it was
/// damaged, and where it is now.
pub(super) struct Telling(Store);

impl Deref for Telling {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.0
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        for words in self.0.warnings() {
            note(&format!("driftline: {words}"));
        }
    }
}

/// A span of time, in seconds.
pub(super) fn duration(name: &str, value: &str) -> Result<f64, Failure> {
    time::parse_duration(value).map_err(|error| Failure::usage(format!("{name}: {error}")))
}

/// A deployment as it was typed.
pub(super) fn deployment(typed: &str) -> Result<Uuid, Failure> {
    Uuid::parse_str(typed.trim()).map_err(|error| {
        Failure::new(
            FailureKind::Usage,
            format!("'{}' is no UUID: {error}", text::excerpt(typed, 80)),
            not_a_uuid(typed),
        )
    })
}

/// The platform that was asked for, else the watch list's, else generic.
pub(super) async fn platform(
    asked: Option<Platform>,
    uuid: Uuid,
    settings: &Settings,
    store: &Store,
) -> Platform {
    if let Some(asked) = asked {
        return asked;
    }
    let entry = watch_list::entry(uuid, settings, store).await;
    entry.map(|one| one.platform).unwrap_or_default()
}

/// Clears the progress line and writes a new one, on a terminal.
pub(super) fn progress_line(words: &str) {
    let _ = write!(std::io::stderr(), "\r\x1b[K{words}");
}
