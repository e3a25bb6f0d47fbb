//! Makes a session from arguments and settings.

use std::io::Write;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use uuid::Uuid;

use super::args::Global;
use super::log::Log;
use super::output::note;
use crate::exchange::Exchange;
use crate::failure::{Failure, FailureKind};
use crate::ops::connect;
use crate::ops::own_files::OwnFiles;
use crate::ops::session::{Session, Setup};
use crate::ops::store::Store;
use crate::settings::Settings;
use crate::text;
use crate::track::deployment::not_a_uuid;
use crate::track::time;

/// The settings in force; prints their warnings.
pub(super) fn settings(global: &Global) -> Result<Settings, Failure> {
    let (settings, warnings) = read_settings(global)?;
    for warning in &warnings {
        note(&format!("driftline: {warning}"));
    }
    Ok(settings)
}

/// The settings in force, with their warnings.
pub(super) fn read_settings(global: &Global) -> Result<(Settings, Vec<String>), Failure> {
    let mut settings = Settings::load(&global.flags(), &|name| std::env::var_os(name))?;
    let warnings = std::mem::take(&mut settings.warnings);
    Ok((settings, warnings))
}

/// Refuses an output that is a file of driftline itself.
pub(super) fn refuse_own(global: &Global, output: Option<&Path>) -> Result<(), Failure> {
    match output {
        Some(output) => OwnFiles::of(&read_settings(global)?.0).refuse(output),
        None => Ok(()),
    }
}

/// Writes exchanges to the log, if the setting `log` enables it; returns why an
/// enabled log cannot be written.
pub(super) fn logged(settings: &Settings, setup: &mut Setup) -> Option<String> {
    match Log::open(settings) {
        Ok(Some(log)) => {
            setup.connection.observer = Some(Arc::new(move |exchange: Exchange| {
                if !exchange.is_under_way() {
                    log.line(&exchange.to_string());
                }
            }));
            None
        }
        Ok(None) => None,
        Err(why) => Some(why),
    }
}

/// A session; its exchanges are printed with `-v`, and logged as the setting `log` says.
pub(super) fn session(global: &Global, settings: &Settings) -> Result<Session, Failure> {
    let mut setup = connect::setup(settings)?;
    setup.waiting = Some(Arc::new(|message| note(&format!("driftline: {message}"))));
    let log = Log::open(settings).unwrap_or_else(|reason| {
        note(&format!("driftline: {reason}"));
        None
    });
    let verbose = global.verbose;
    if verbose || log.is_some() {
        setup.connection.observer = Some(Arc::new(move |exchange: Exchange| {
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

/// An archive whose warnings are printed on drop: for example that it was
/// damaged, and its new path.
pub(super) struct Telling(Store);

impl Deref for Telling {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.0
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        for message in self.0.warnings() {
            note(&format!("driftline: {message}"));
        }
    }
}

/// Parses a duration; returns seconds.
pub(super) fn duration(name: &str, value: &str) -> Result<f64, Failure> {
    time::parse_duration(value).map_err(|error| Failure::usage(format!("{name}: {error}")))
}

/// Parses the UUID of a deployment.
pub(super) fn deployment(typed: &str) -> Result<Uuid, Failure> {
    Uuid::parse_str(typed.trim()).map_err(|error| {
        Failure::new(
            FailureKind::Usage,
            format!("'{}' is not a UUID: {error}", text::excerpt(typed, 80)),
            not_a_uuid(typed),
        )
    })
}

/// Replaces the progress line on a terminal.
pub(super) fn progress_line(message: &str) {
    let _ = write!(std::io::stderr(), "\r\x1b[K{message}");
}
